"""What the chief arbiter does with a round on its page: each act answers with forms to show again, or what was done."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.forms import Form
from django.http import HttpRequest
from django.utils.translation import gettext as _

from swiss import boards as board_values
from swiss import services
from swiss.forms import AdjournForm, HourForm, LatePairForm, ReasonForm, TakeBackForm
from swiss.models import Round
from swiss.selectors import entries_of
from swiss.views.places import Place
from tourney.formatting import moment_text
from tourney.kernel.by_the_book import AskFirst
from tourney.kernel.errors import TourneyError
from tourney.labels import sentence
from tourney.models import Stage, Tournament
from tourney.views.asking import knowing

Forms = dict[str, Form]
Answer = tuple[Forms, str]  # forms to show again, or what was done
Act = Callable[[HttpRequest, Place, Round], Answer]


def in_zone(refused: TourneyError, tournament: Tournament) -> TourneyError:
    """Return a refusal with its moments written by the clock of the event."""
    values = dict(refused.values)
    if "earliest" in values:
        values["earliest"] = moment_text(datetime.fromisoformat(str(values["earliest"])), tournament.zone)
    return TourneyError(refused.code, **values)


def late_players(stage: Stage, boards: list[board_values.Board], shown: Round) -> list[Any]:
    """Return who is in play and has no game in a round: late players and those with a bye."""
    if stage.kind != Stage.Kind.SWISS or stage.state == Stage.State.CLOSED:
        return []
    playing = {side.entry.pk for board in boards if board.black for side in (board.white, board.black)}
    return [entry for entry in entries_of(stage).values() if entry.is_active and entry.pk not in playing]


def entered_results(shown: Round) -> list[str]:
    """Return the boards of a round that have a result somebody entered, as "board: result"."""
    rows = shown.pairings.exclude(game__outcome="").filter(game__isnull=False).order_by("board")
    return [f"{board}: {outcome}" for board, outcome in rows.values_list("board", "game__outcome")]


def open_boards(shown: Round) -> list[tuple[int, str]]:
    """Return the games of a round that are neither finished nor adjourned, as choices."""
    rows = shown.pairings.filter(game__isnull=False, game__outcome="", adjourned=False)
    found = rows.select_related("white__player", "black__player").order_by("board")
    return [
        (row.pk, f"{row.board}: {row.white.player.name} – {row.black.player.name if row.black else ''}")
        for row in found
    ]


def _publish(request: HttpRequest, place: Place, shown: Round) -> Answer:
    form = HourForm(request.POST, zone=place[0].zone)
    if not form.is_valid():
        return {"hour": form}, ""
    services.publish_round(
        shown.pk, actor=request.user, scheduled_at=form.cleaned_data["scheduled_at"], knowing=knowing(request)
    )
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
    form = TakeBackForm(request.POST, auto_id="unpublish_%s", results=entered_results(shown))
    if not form.is_valid():
        return {"unpublish": form}, ""
    services.unpublish_round(
        shown.pk,
        actor=request.user,
        reason=form.cleaned_data["reason"],
        with_results=bool(form.cleaned_data.get("with_results")),
        knowing=knowing(request),
    )
    return {}, _("Round %(round)s is a draft again; the public no longer sees it.") % {"round": shown.number}


def _bring_back(request: HttpRequest, place: Place, shown: Round) -> Answer:
    round_ = services.bring_back_round(place[2].pk, actor=request.user)
    return {}, _("Round %(round)s is back as it was, with pairs, boards and results.") % {"round": round_.number}


def _adjourn(request: HttpRequest, place: Place, shown: Round) -> Answer:
    form = AdjournForm(request.POST, boards=open_boards(shown), auto_id="adjourn_%s")
    if not form.is_valid():
        return {"adjourn": form}, ""
    services.adjourn_game(
        form.cleaned_data["pairing"],
        actor=request.user,
        reason=form.cleaned_data["reason"],
        knowing=knowing(request),
    )
    return {}, _("The game is adjourned; its result can be entered at any time.")


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
            form.add_error("scheduled_at", sentence(in_zone(refused, place[0])))
        else:
            return {}, _("Round %(round)s begins %(when)s.") % {
                "round": shown.number,
                "when": moment_text(moment, place[0].zone),
            }
    return {"hour": form}, ""


def _late(request: HttpRequest, place: Place, shown: Round) -> Answer:
    boards = board_values.boards_of(shown, place[2], staff=True)
    form = LatePairForm(request.POST, free=late_players(place[2], boards, shown), auto_id="late_%s")
    if form.is_valid():
        data = form.cleaned_data
        try:
            pairing = services.pair_late_entry(
                shown.pk,
                entry_ids=(data["newcomer"], data["opponent"]),
                actor=request.user,
                reason=data["reason"],
                knowingly=bool(data.get("knowingly")),
                knowing=knowing(request),
            )
        except AskFirst:
            raise
        except TourneyError as refused:
            if refused.code in ("round.late_met", "round.late_apart"):
                form.warn(sentence(refused))
            else:
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
    "bring_back": _bring_back,
    "adjourn": _adjourn,
    "start": _start,
    "early": _early,
    "reschedule": _reschedule,
    "late": _late,
}
