"""Staff pages of rounds: all groups, one group's rounds, a round from draft to its last game."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.core.exceptions import ObjectDoesNotExist
from django.forms import Form
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
from swiss.forms import HourForm, LatePairForm, ReasonForm
from swiss.labels import LIFTING
from swiss.models import Round
from swiss.panels import newest_rounds
from swiss.plans import lateness_of
from swiss.selectors import ROUND_KINDS, entries_of
from swiss.views.hand import hand_page
from swiss.views.places import Place, frame, staff_round, staff_section, staff_stage
from tourney.formatting import moment_text
from tourney.kernel.errors import TourneyError
from tourney.labels import sentence
from tourney.models import Section, Stage, Tournament
from tourney.navigation import manage_context
from tourney.permissions import managed_tournament
from tourney.section_plans import stage_words

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


@require_POST
def pair(request: HttpRequest, slug: str, section: str) -> HttpResponse:
    """Pair the next round as a draft, or say who and which rules are in the way."""
    tournament, one, stage = staff_stage(request, slug, section)
    try:
        round_ = services.pair_next_round(stage.pk, actor=request.user)
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
    lifting = [str(LIFTING[rule]) for rule in refused.values.get("lifting", ()) if rule in LIFTING]
    if lifting:
        lines.append(_("What would help: %(ways)s.") % {"ways": "; ".join(lifting)})
    return {"title": sentence(refused), "lines": lines}


# -- one round -------------------------------------------------------------------------------------------------------

Forms = dict[str, Form]
Answer = tuple[Forms, str]  # forms to show again, or what was done
Act = Callable[[HttpRequest, Place, Round], Answer]


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
    except TourneyError as refused:
        messages.error(request, sentence(_in_zone(refused, place[0])))
    except ObjectDoesNotExist:
        messages.error(request, _("Somebody has discarded this draft meanwhile."))
    else:
        if forms:
            return render(request, "swiss/manage_round.html", _round_page(request, place, shown, forms), status=422)
        messages.success(request, done)
    if Round.objects.filter(pk=shown.pk).exists():
        return redirect("manage_round", slug=slug, section=place[1].code, number=number)
    return redirect("manage_rounds", slug=slug, section=place[1].code)


def _in_zone(refused: TourneyError, tournament: Tournament) -> TourneyError:
    """Return a refusal with its moments written by the clock of the event."""
    values = dict(refused.values)
    if "earliest" in values:
        values["earliest"] = moment_text(datetime.fromisoformat(str(values["earliest"])), tournament.zone)
    return TourneyError(refused.code, **values)


def _round_page(request: HttpRequest, place: Place, shown: Round, forms: Forms) -> dict[str, Any]:
    tournament, section, stage = place
    draft = shown.state == Round.State.DRAFT
    boards = board_values.boards_of(shown, stage, staff=not draft)
    open_games, games = board_values.in_play(boards)
    args = [tournament.slug, section.code, shown.number]
    newest = not stage.rounds.filter(number__gt=shown.number).exists()
    entered = [board for board in boards if board.result]
    local = timezone.make_naive(shown.scheduled_at, tournament.zone) if shown.scheduled_at else None
    hour = forms.get("hour") or HourForm(zone=tournament.zone, initial={"scheduled_at": local})
    early = services.early_start(shown, stage)
    free = [] if draft else _free(stage, boards, shown)
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
        unpublish=forms.get("unpublish") or ReasonForm(auto_id="unpublish_%s"),
        late=forms.get("late") or LatePairForm(free=free, auto_id="late_%s"),
        free=free,
        early=early,
        deadline=services.deadline_of(shown, stage),
        late_minutes=lateness.minutes if lateness else None,
        may_unpublish=newest and not draft and not entered,
        results_url=reverse("manage_results", args=args),
        lateness_url=reverse("manage_lateness", args=args),
        public_url=reverse("round", args=args),
        print_url=reverse("round_print", args=args),
        slips_url=reverse("manage_slips", args=args),
        may_start=not draft and shown.started_at is None and open_games > 0,
        is_swiss=stage.kind == Stage.Kind.SWISS,
    )


def _free(stage: Stage, boards: list[board_values.Board], shown: Round) -> list[Any]:
    """Return who is in play and has no game in a round: late players and those with a bye."""
    if stage.kind != Stage.Kind.SWISS or stage.state == Stage.State.CLOSED:
        return []
    playing = {side.entry.pk for board in boards if board.black for side in (board.white, board.black)}
    return [entry for entry in entries_of(stage).values() if entry.is_active and entry.pk not in playing]


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


def _publish(request: HttpRequest, place: Place, shown: Round) -> Answer:
    form = HourForm(request.POST, zone=place[0].zone)
    if not form.is_valid():
        return {"hour": form}, ""
    services.publish_round(shown.pk, actor=request.user, scheduled_at=form.cleaned_data["scheduled_at"])
    return {}, _("Round %(round)s is published.") % {"round": shown.number}


def _discard(request: HttpRequest, place: Place, shown: Round) -> Answer:
    services.discard_draft(shown.pk, actor=request.user)
    return {}, _("The draft of round %(round)s is discarded.") % {"round": shown.number}


def _change(request: HttpRequest, place: Place, shown: Round) -> Answer:
    form = ReasonForm(request.POST, auto_id="change_%s")
    chosen = [int(text) for text in request.POST.getlist("player") if text.isdecimal() and len(text) < 18]
    valid = form.is_valid()
    if len(chosen) != 2:
        form.add_error(None, _("Tick exactly two players: they change places. Two of one board change colours."))
    elif valid:
        try:
            services.change_pairing(
                shown.pk,
                first_id=chosen[0],
                second_id=chosen[1],
                actor=request.user,
                reason=form.cleaned_data["reason"],
            )
        except TourneyError as refused:
            form.add_error(None, sentence(refused))
        else:
            return {}, _("The two have changed places.")
    form.chosen = chosen  # type: ignore[attr-defined]
    return {"change": form}, ""


def _restore(request: HttpRequest, place: Place, shown: Round) -> Answer:
    services.restore_engine(shown.pk, actor=request.user)
    return {}, _("The draft of round %(round)s is the engine's own again.") % {"round": shown.number}


def _unpublish(request: HttpRequest, place: Place, shown: Round) -> Answer:
    form = ReasonForm(request.POST, auto_id="unpublish_%s")
    if not form.is_valid():
        return {"unpublish": form}, ""
    services.unpublish_round(shown.pk, actor=request.user, reason=form.cleaned_data["reason"])
    return {}, _("Round %(round)s is a draft again; the public no longer sees it.") % {"round": shown.number}


def _start(request: HttpRequest, place: Place, shown: Round) -> Answer:
    services.start_round(shown.pk, actor=request.user)
    return {}, _("Round %(round)s has begun.") % {"round": shown.number}


def _early(request: HttpRequest, place: Place, shown: Round) -> Answer:
    moment = services.early_start(shown, place[2])
    if moment is None:
        return {}, _("The hour of round %(round)s stays.") % {"round": shown.number}
    services.reschedule_round(shown.pk, scheduled_at=moment, actor=request.user)
    return {}, _("Round %(round)s begins %(when)s; players see the new hour.") % {
        "round": shown.number,
        "when": moment_text(moment, place[0].zone),
    }


def _reschedule(request: HttpRequest, place: Place, shown: Round) -> Answer:
    form = HourForm(request.POST, zone=place[0].zone, required=True)
    if form.is_valid():
        moment = form.cleaned_data["scheduled_at"]
        try:
            services.reschedule_round(shown.pk, scheduled_at=moment, actor=request.user)
        except TourneyError as refused:
            form.add_error("scheduled_at", sentence(_in_zone(refused, place[0])))
        else:
            return {}, _("Round %(round)s begins %(when)s.") % {
                "round": shown.number,
                "when": moment_text(moment, place[0].zone),
            }
    return {"hour": form}, ""


def _late(request: HttpRequest, place: Place, shown: Round) -> Answer:
    boards = board_values.boards_of(shown, place[2], staff=True)
    form = LatePairForm(request.POST, free=_free(place[2], boards, shown), auto_id="late_%s")
    if form.is_valid():
        data = form.cleaned_data
        try:
            pairing = services.pair_late_entry(
                shown.pk,
                entry_ids=(data["newcomer"], data["opponent"]),
                actor=request.user,
                reason=data["reason"],
            )
        except TourneyError as refused:
            form.add_error(None, sentence(refused))
        else:
            if pairing.board is None:
                return {}, _("Noted: does not play this round.")
            return {}, _("Board %(board)s is added; the other boards keep their numbers.") % {"board": pairing.board}
    return {"late": form}, ""


ACTS: dict[str, Act] = {
    "publish": _publish,
    "discard": _discard,
    "change": _change,
    "restore": _restore,
    "unpublish": _unpublish,
    "start": _start,
    "early": _early,
    "reschedule": _reschedule,
    "late": _late,
}
