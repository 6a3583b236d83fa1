"""Staff pages of rounds: all groups, one group's rounds, a round from draft to its last game."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.contrib import messages
from django.core.exceptions import ObjectDoesNotExist
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from swiss import boards as board_values
from swiss import services
from swiss.engine.plan import NoValidPairing
from swiss.forms import AdjournForm, HourForm, LatePairForm, ReasonForm, TakeBackForm
from swiss.labels import LIFTING
from swiss.models import Round
from swiss.panels import newest_rounds
from swiss.plans import lateness_of
from swiss.selectors import ROUND_KINDS, entries_of
from swiss.services.pairing import GIVEN_UP, OPEN_BOARDS
from swiss.views.hand import hand_page
from swiss.views.places import Place, frame, staff_round, staff_section, staff_stage
from swiss.views.round_acts import ACTS, Forms, entered_results, in_zone, late_players, open_boards
from tourney.kernel.by_the_book import AskFirst
from tourney.kernel.errors import TourneyError
from tourney.labels import sentence
from tourney.models import Section, Stage, Tournament
from tourney.navigation import manage_context
from tourney.permissions import managed_tournament
from tourney.section_plans import stage_words
from tourney.views.asking import ask_first, knowing

# -- all groups, one group -------------------------------------------------------------------------------------------


@never_cache
@require_safe
def overview(request: HttpRequest, slug: str) -> HttpResponse:
    """All groups: which round, how many games are still played, what comes next."""
    tournament = managed_tournament(request, slug)
    context = manage_context(request, tournament, active="rounds")
    hosts = [section for section in context["sections"] if section.merged_into_id is None]
    if len(hosts) == 1:
        return redirect("manage_rounds", slug=slug, section=hosts[0].code)
    stages: dict[int, Stage] = {}
    for stage in Stage.objects.filter(section__in=hosts, kind__in=ROUND_KINDS).order_by("ordinal"):
        if stage.section_id not in stages or stage.state != Stage.State.PLANNED:
            stages[stage.section_id] = stage
    newest = newest_rounds(list(stages.values()))
    rows = []
    for section in hosts:
        stage = stages.get(section.pk)
        if stage is None:
            continue
        stage.section = section
        round_ = newest.get(stage.pk)
        rows.append(
            {
                "section": section,
                "stage": stage,
                "words": stage_words(stage),
                "round": round_,
                "url": reverse("manage_rounds", args=[slug, section.code]),
            }
            | _next_step(tournament, section, stage, round_)
        )
    return render(request, "swiss/manage_overview.html", {**context, "rows": rows, "groups": len(hosts)})


@never_cache
@require_safe
def rounds(request: HttpRequest, slug: str, section: str) -> HttpResponse:
    """The rounds of a group, and the next step: pair, publish, enter, or what stands in the way."""
    tournament, one, stage = staff_section(request, slug, section, "staff")
    return render(request, "swiss/manage_rounds.html", _rounds_page(request, tournament, one, stage))


def _rounds_page(
    request: HttpRequest, tournament: Tournament, section: Section, stage: Stage | None, **more: Any
) -> dict[str, Any]:
    context = frame(request, tournament, section, "rounds", stage=stage, **more)
    if stage is None:
        return context
    listed = list(stage.rounds.order_by("number"))
    missing = board_values.missing_boards([stage])
    for round_ in listed:
        round_.missing = missing.get(round_.pk, 0)  # type: ignore[attr-defined]
    newest = listed[-1] if listed else None
    args = [tournament.slug, section.code]
    return context | {
        "words": stage_words(stage),
        "guests": [one for one in context["sections"] if one.merged_into_id == section.pk],
        "rows": [{"round": r, "url": reverse("manage_round", args=[*args, r.number])} for r in reversed(listed)],
        "results_urls": {r.number: reverse("manage_results", args=[*args, r.number]) for r in listed},
        **_next_step(tournament, section, stage, newest),
        **_adjourning(stage, newest),
        "taken_back": services.newest_taken_back(stage),
        "bring_back_url": reverse("manage_bring_back", args=args),
        "pair_url": reverse("manage_pair", args=args),
        "late_url": reverse("manage_section", args=args),
        "absent": stage.bye_requests.filter(round_number=(newest.number if newest else 0) + 1).count(),
    }


def _next_step(tournament: Tournament, section: Section, stage: Stage, newest: Round | None) -> dict[str, Any]:
    """Return what to do next with a group: words, address, and `pair` when the button pairs a round."""
    args = [tournament.slug, section.code]
    if stage.state == Stage.State.PLANNED:
        url = reverse("manage_section", args=args)
        return {"next_text": _("The start list is open"), "next_button": _("Close the start list"), "next_url": url}
    if newest is not None and newest.state == Round.State.DRAFT:
        return {
            "next_text": _("Round %(round)s is a draft nobody sees yet") % {"round": newest.number},
            "next_button": _("Look and publish"),
            "next_url": reverse("manage_round", args=[*args, newest.number]),
        }
    missing = getattr(newest, "missing", 0)
    if newest is not None and missing:
        text = ngettext("%(n)d board without a result", "%(n)d boards without a result", missing) % {"n": missing}
        name = _("Round %(round)s") % {"round": newest.number}
        return {
            "next_text": f"{name}: {text}",
            "next_button": _("Enter results"),
            "next_url": reverse("manage_results", args=[*args, newest.number]),
        }
    number = (newest.number if newest else 0) + 1
    if stage.rounds_total and number > stage.rounds_total:
        return {
            "next_text": _("All %(rounds)s rounds are played") % {"rounds": stage.rounds_total},
            "next_button": _("Standings"),
            "next_url": reverse("standings", args=args),
            "over": True,
        }
    return {
        "next_text": _("Round %(round)s can be paired") % {"round": number},
        "next_button": _("Pair round %(round)s") % {"round": number},
        "next_url": reverse("manage_pair", args=args),
        "pair": True,
        "next_number": number,
    }


def _adjourning(stage: Stage, newest: Round | None) -> dict[str, Any]:
    """Return the open games that would count as draws if the next round were paired now; nothing when it can't be."""
    if newest is None or newest.state == Round.State.DRAFT or stage.state != Stage.State.RUNNING:
        return {}
    games = services.open_games(stage)
    if not games or newest.number >= stage.rounds_total:
        return {"open_games": games}
    older = [one for one in games if one[0] < newest.number]
    return {"open_games": games, "older_open": older, "may_adjourn": True, "next_number": newest.number + 1}


@require_POST
def bring_back(request: HttpRequest, slug: str, section: str) -> HttpResponse:
    """Undo the taking back of a round whose draft was thrown away."""
    _tournament, one, stage = staff_stage(request, slug, section)
    try:
        round_ = services.bring_back_round(stage.pk, actor=request.user)
    except TourneyError as refused:
        messages.error(request, sentence(refused))
        return redirect("manage_rounds", slug=slug, section=one.code)
    text = _("Round %(round)s is back as it was, with pairs, boards and results.")
    messages.success(request, text % {"round": round_.number})
    return redirect("manage_round", slug=slug, section=one.code, number=round_.number)


@require_POST
def pair(request: HttpRequest, slug: str, section: str) -> HttpResponse:
    """Pair the next round as a draft, or say who and which rules are in the way."""
    tournament, one, stage = staff_stage(request, slug, section)
    try:
        with_open = request.POST.get("with_open_games") == "1"
        round_ = services.pair_next_round(
            stage.pk, actor=request.user, with_open_games=with_open, knowing=knowing(request)
        )
    except AskFirst as question:
        back = reverse("manage_rounds", args=[slug, one.code])
        return ask_first(request, question, partial(frame, request, tournament, one, "rounds"), back)
    except NoValidPairing as refused:
        context = _rounds_page(request, tournament, one, stage, obstacle=_obstacle(stage, refused))
        return render(request, "swiss/manage_rounds.html", context, status=409)
    except TourneyError as refused:
        messages.error(request, sentence(refused))
        return redirect("manage_rounds", slug=slug, section=one.code)
    return redirect("manage_round", slug=slug, section=one.code, number=round_.number)


def _obstacle(stage: Stage, refused: NoValidPairing) -> dict[str, Any]:
    """Return in words why no pairing keeps the rules: who is left over, and what could be lifted."""
    entries = entries_of(stage)
    left = [entries[pk].player.name for pk in refused.values.get("entries", ()) if pk in entries]
    lines = []
    if left:
        lines.append(
            _("In the best possible pairing these stay without an opponent: %(names)s.") % {"names": ", ".join(left)}
        )
    for pk, met, forbidden, color in refused.values.get("blocked", ()):
        if pk in entries:
            lines.append(_blocked_words(entries[pk].player.name, met, forbidden, color))
    lifting = [str(LIFTING[rule]) for rule in refused.values.get("lifting", ()) if rule in LIFTING]
    if lifting:
        lines.append(_("What would help: %(ways)s.") % {"ways": "; ".join(lifting)})
    return {"title": sentence(refused), "lines": lines}


def _blocked_words(name: str, met: int, forbidden: int, color: int) -> str:
    """Say by which rules somebody's possible opponents are out."""
    ways = []
    if met:
        ways.append(ngettext("has met %(n)d (C1)", "has met %(n)d (C1)", met) % {"n": met})
    if forbidden:
        words = ngettext("must not meet %(n)d (forbidden pairs)", "must not meet %(n)d (forbidden pairs)", forbidden)
        ways.append(words % {"n": forbidden})
    if color:
        ways.append(
            ngettext("must have the same colour as %(n)d (C3)", "must have the same colour as %(n)d (C3)", color)
            % {"n": color}
        )
    return _("%(name)s: %(ways)s.") % {"name": name, "ways": "; ".join(ways) or _("nobody is left over")}


# -- one round -------------------------------------------------------------------------------------------------------


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def round_(request: HttpRequest, slug: str, section: str, number: int) -> HttpResponse:
    """A round: as a draft to look at, change and publish; afterwards its hour, its start, late players, taking back."""
    place, shown = staff_round(request, slug, section, number, "staff")
    if request.method != "POST":
        return render(request, "swiss/manage_round.html", _round_page(request, place, shown, {}))
    place, shown = staff_round(request, slug, section, number, "arbitrate")
    act = ACTS.get(request.POST.get("act", ""))
    if act is None:
        raise Http404
    try:
        forms, done = act(request, place, shown)
    except AskFirst as question:
        return ask_first(request, question, partial(frame, request, place[0], place[1], "round"), request.path)
    except TourneyError as refused:
        messages.error(request, sentence(in_zone(refused, place[0])))
    except ObjectDoesNotExist:
        messages.error(request, _("Somebody has discarded this draft meanwhile."))
    else:
        if forms:
            return render(request, "swiss/manage_round.html", _round_page(request, place, shown, forms), status=422)
        messages.success(request, done)
    if Round.objects.filter(pk=shown.pk).exists():
        return redirect("manage_round", slug=slug, section=place[1].code, number=number)
    return redirect("manage_rounds", slug=slug, section=place[1].code)


def _round_page(request: HttpRequest, place: Place, shown: Round, forms: Forms) -> dict[str, Any]:
    tournament, section, stage = place
    draft = shown.state == Round.State.DRAFT
    boards = board_values.boards_of(shown, stage, staff=not draft)
    open_games, games = board_values.in_play(boards)
    args = [tournament.slug, section.code, shown.number]
    newest = not stage.rounds.filter(number__gt=shown.number).exists()
    entered = [] if draft else entered_results(shown)
    to_adjourn = [] if draft or stage.kind != Stage.Kind.SWISS else open_boards(shown)
    local = timezone.make_naive(shown.scheduled_at, tournament.zone) if shown.scheduled_at else None
    hour = forms.get("hour") or HourForm(zone=tournament.zone, initial={"scheduled_at": local})
    early = services.early_start(shown, stage)
    free = [] if draft else late_players(stage, boards, shown)
    lateness = lateness_of(stage)
    return frame(
        request,
        tournament,
        section,
        "round",
        stage=stage,
        round=shown,
        boards=boards,
        draft=draft,
        open_games=open_games,
        games=games,
        marks=_pair_marks(stage, shown, boards) if draft else {},
        hand=hand_page(shown, stage, boards),
        hour=hour,
        change=forms.get("change") or ReasonForm(auto_id="change_%s"),
        unpublish=forms.get("unpublish") or TakeBackForm(auto_id="unpublish_%s", results=entered),
        entered=entered,
        adjourn=forms.get("adjourn") or AdjournForm(auto_id="adjourn_%s", boards=to_adjourn),
        to_adjourn=to_adjourn,
        taken_back=services.newest_taken_back(stage) if draft else None,
        notes=_pairing_notes(stage, shown),
        late=forms.get("late") or LatePairForm(free=free, auto_id="late_%s"),
        free=free,
        early=early,
        deadline=services.deadline_of(shown, stage),
        late_minutes=lateness.minutes if lateness else None,
        may_unpublish=newest and not draft and stage.state != Stage.State.CLOSED,
        results_url=reverse("manage_results", args=args),
        lateness_url=reverse("manage_lateness", args=args),
        public_url=reverse("round", args=args),
        print_url=reverse("round_print", args=args),
        slips_url=reverse("manage_slips", args=args),
        may_start=not draft and shown.started_at is None and open_games > 0,
        is_swiss=stage.kind == Stage.Kind.SWISS,
    )


def _pairing_notes(stage: Stage, shown: Round) -> list[str]:
    """Say what was bent when the round was paired: wishes given up, games that counted as draws."""
    lines = []
    given_up = shown.explanation.get(GIVEN_UP) or []
    if given_up:
        entries = entries_of(stage)
        for pair in given_up:
            names = " – ".join(entries[pk].player.name for pk in pair if pk in entries)
            lines.append(
                _("%(names)s: the wish to keep them apart left no pairing and was given up.") % {"names": names}
            )
    for number, board in shown.explanation.get(OPEN_BOARDS) or []:
        text = _(
            "Round %(round)s, board %(board)s was not finished: for this pairing it counted as a draw (C.04.2, 3.1)."
        )
        lines.append(text % {"round": number, "board": board})
    return lines


def _pair_marks(stage: Stage, shown: Round, boards: list[board_values.Board]) -> dict[int, list[str]]:
    """Say what is odd about the pairs of a draft: met before, changed by hand."""
    met = board_values.met_before(stage, shown.number) if stage.kind == Stage.Kind.SWISS else {}
    marks: dict[int, list[str]] = {}
    for board in boards:
        found = []
        if board.black is not None:
            earlier = met.get(frozenset((board.white.entry.pk, board.black.entry.pk)))
            if earlier:
                found.append(_("They have met in round %(round)s.") % {"round": earlier})
        if board.pairing.by_hand:
            found.append(_("Changed by hand."))
        if found:
            marks[board.pairing.pk] = found
    return marks
