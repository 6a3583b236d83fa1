"""The page of a group played by the book: what the mode asks, what was bent, results for the report, the ways out."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from swiss import services
from swiss.book_words import LEVELS, TITLES
from swiss.forms import ReasonForm, ReportResultForm
from swiss.models import ReportResult
from swiss.selectors import PUBLIC_STATES
from swiss.views.places import Place, frame, staff_stage
from tourney.formatting import result_text
from tourney.kernel.by_the_book import RULES, AskFirst, Level, result_act
from tourney.kernel.errors import TourneyError
from tourney.kernel.outcomes import ResultCode
from tourney.labels import sentence
from tourney.models import Game, Stage
from tourney.services.by_the_book import has_left, is_by_the_book, is_strict, rounds_paired
from tourney.views.asking import ask_first, knowing

Forms = dict[str, Any]
Answer = tuple[Forms, str]  # forms to show again, or what was done


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def book(request: HttpRequest, slug: str, section: str) -> HttpResponse:
    """The rules of the mode, what was bent with the way back, and the acts only this page has."""
    place = staff_stage(request, slug, section)
    forms: Forms = {}
    page = partial(frame, request, place[0], place[1], "book")
    if request.method == "POST":
        act = ACTS.get(request.POST.get("act", ""))
        if act is None:
            raise Http404
        try:
            forms, done = act(request, place)
        except AskFirst as question:
            return ask_first(request, question, page, request.path)
        except TourneyError as refused:
            messages.error(request, sentence(refused))
            return redirect("manage_book", slug=slug, section=place[1].code)
        if not forms:
            messages.success(request, done)
            return redirect("manage_book", slug=slug, section=place[1].code)
    context = page(stage=place[2], **_page(place[2], forms))
    return render(request, "swiss/manage_book.html", context, status=422 if forms else 200)


def _page(stage: Stage, forms: Forms) -> dict[str, Any]:
    strict = is_strict(stage)
    games = _closed_games(stage) if strict else []
    bent = list(stage.bent_rules.select_related("by", "undone_by").order_by("-pk")) if strict else []
    return {
        "strict": strict,
        "by_the_book": is_by_the_book(stage),
        "has_left": has_left(stage),
        "rules": [
            {"title": TITLES[act], "level": LEVELS[rule.level], "leaves": rule.leaves, "undo": rule.undo}
            for act, rule in sorted(RULES.items(), key=lambda one: -one[1].level)
        ],
        "bent": [
            {
                "bent": one,
                "title": TITLES.get(one.act, one.act),
                "level": LEVELS[Level(one.level)],
                "before": " ".join(map(str, one.before)),
                "after": " ".join(map(str, one.after)),
                "may_undo": services.can_undo(one),
            }
            for one in bent
        ],
        "undo": ReasonForm(auto_id="undo_%s"),
        "open_undo": 0,
        "report": _report_form(None, games),
        "report_games": len(games),
        "report_results": [
            {"row": row, "game": row.game, "standing": row.game.outcome}
            for row in ReportResult.objects.filter(game__stage=stage, ended_at=None).select_related(
                "game__white__player", "game__black__player", "by"
            )
        ]
        if strict
        else [],
        "leave": ReasonForm(auto_id="leave_%s"),
        "end": ReasonForm(auto_id="end_%s"),
        "may_end": stage.state == Stage.State.RUNNING,
        "paired": rounds_paired(stage),
        **forms,
    }


def _closed_games(stage: Stage) -> list[tuple[int, str]]:
    """Return the games whose results are closed, as choices: those of rounds before the previous one."""
    last = rounds_paired(stage)
    rows = (
        Game.objects.filter(stage=stage, pairing__round__state__in=PUBLIC_STATES)
        .exclude(outcome="")
        .select_related("white__player", "black__player")
        .order_by("round_number", "board")
    )
    return [
        (
            game.pk,
            f"{game.round_number}.{game.board} {game.white.player.name} – {game.black.player.name} "
            f"{result_text(game.outcome)}",
        )
        for game in rows
        if stage.state == Stage.State.CLOSED or result_act(last - (game.round_number or 0)) == "older_result"
    ]


def _report_form(data: Any, games: list[tuple[int, str]]) -> ReportResultForm:
    results = [(code.value, result_text(code.value)) for code in ResultCode]
    return ReportResultForm(data, games=games, results=results, auto_id="report_%s")


def _leave(request: HttpRequest, place: Place) -> Answer:
    form = ReasonForm(request.POST, auto_id="leave_%s")
    if not form.is_valid():
        return {"leave": form}, ""
    services.leave_the_book(
        place[2].pk, actor=request.user, reason=form.cleaned_data["reason"], knowing=knowing(request)
    )
    return {}, _("The group no longer plays by the book.")


def _end(request: HttpRequest, place: Place) -> Answer:
    form = ReasonForm(request.POST, auto_id="end_%s")
    if not form.is_valid():
        return {"end": form}, ""
    services.close_stage_play(
        place[2].pk, actor=request.user, reason=form.cleaned_data["reason"], knowing=knowing(request)
    )
    return {}, _("Play of this group has ended.")


def _report(request: HttpRequest, place: Place) -> Answer:
    form = _report_form(request.POST, _closed_games(place[2]))
    if not form.is_valid():
        return {"report": form}, ""
    data = form.cleaned_data
    try:
        services.correct_for_report(
            place[2].pk,
            game_id=data["game"],
            outcome=data["outcome"],
            actor=request.user,
            reason=data["reason"],
            knowing=knowing(request),
        )
    except AskFirst:
        raise
    except TourneyError as refused:
        form.add_error(None, sentence(refused))
        return {"report": form}, ""
    return {}, _("The report says it; pairing and standings stay.")


def _end_report(request: HttpRequest, place: Place) -> Answer:
    services.end_report_result(place[2].pk, pk=_number(request, "pk"), actor=request.user)
    return {}, _("The report has the result of the standings again.")


def _undo(request: HttpRequest, place: Place) -> Answer:
    form = ReasonForm(request.POST, auto_id="undo_%s")
    pk = _number(request, "pk")
    if not form.is_valid():
        return {"undo": form, "open_undo": pk}, ""
    services.undo_bent(place[2].pk, pk=pk, actor=request.user, reason=form.cleaned_data["reason"])
    return {}, _("Undone; the log keeps both.")


def _number(request: HttpRequest, name: str) -> int:
    text = request.POST.get(name, "")
    return int(text) if text.isdecimal() and len(text) < 18 else 0


ACTS: dict[str, Callable[[HttpRequest, Place], Answer]] = {
    "leave": _leave,
    "end": _end,
    "report": _report,
    "end_report": _end_report,
    "undo": _undo,
}
