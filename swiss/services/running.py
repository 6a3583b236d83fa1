"""The clock of a round: its hour, the real start, players who don't come, the end of play."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from swiss.engine.schedule import after_pauses
from swiss.models import Pairing, Pause, Round
from swiss.plans import lateness_of, schedule_of
from swiss.selectors import PUBLIC_STATES, ROUND_KINDS
from swiss.services.results import enter_result
from tourney.kernel.errors import TourneyError
from tourney.kernel.outcomes import ResultCode
from tourney.models import Game, Stage, Tournament
from tourney.panels import InPlay
from tourney.services.by_the_book import ask, note
from tourney.services.log import log
from tourney.services.stages import bump, lock_stage

BYE_TOKENS = {"U": "PAB", "H": "HPB", "F": "FPB", "Z": "ZPB"}


@transaction.atomic
def start_round(round_id: int, *, actor: Any) -> Round:
    """Start the clocks: lateness counts from this moment (M7.4). TourneyError ``round.not_published``."""
    round_, stage = _locked(round_id)
    if round_.state == Round.State.DRAFT:
        raise TourneyError("round.not_published", round=round_.number)
    if round_.started_at is None:
        round_.started_at = timezone.now()
        if round_.state == Round.State.PUBLISHED:
            round_.state = Round.State.RUNNING
        round_.save(update_fields=["started_at", "state"])
        bump(stage)
        _log(stage, "swiss.round_started", actor, round=round_.number)
    return round_


def early_start(round_: Round, stage: Stage) -> datetime | None:
    """Return when an even round may begin ahead of its hour: so long after the last game of the odd one (M7.1).

    None: the schedule doesn't allow it, the odd round is still played, or it would be no gain.
    """
    schedule = schedule_of(stage)
    if schedule is None or schedule.early_even_minutes is None or round_.number % 2 or round_.started_at is not None:
        return None
    before = stage.rounds.filter(number=round_.number - 1).first()
    if before is None or before.finished_at is None:
        return None
    earliest = _whole_minute(schedule.earliest_start(round_.number, before.finished_at))
    return earliest if round_.scheduled_at is not None and earliest < round_.scheduled_at else None


def _whole_minute(moment: datetime) -> datetime:
    """Return the next whole minute: an hour that is announced has no seconds."""
    whole = moment.replace(second=0, microsecond=0)
    return whole if whole == moment else whole + timedelta(minutes=1)


@transaction.atomic
def reschedule_round(round_id: int, *, scheduled_at: datetime, actor: Any, reason: str = "") -> Round:
    """Announce another hour for a round that hasn't begun; players see it at once (M7.1).

    Later is always possible. Earlier than the schedule only as it allows: TourneyError ``schedule.too_early``,
    ``schedule.odd_round_not_early``, ``schedule.round_still_played``, ``schedule.no_early_start``; also
    ``round.already_started``.
    """
    round_, stage = _locked(round_id)
    if round_.started_at is not None:
        raise TourneyError("round.already_started", round=round_.number)
    schedule = schedule_of(stage)
    if schedule is not None:
        tournament = stage.section.tournament
        planned = schedule.start(round_.number, tournament.starts_on, tournament.zone)
        before = stage.rounds.filter(number=round_.number - 1).first()
        ended = before.finished_at if before else None
        schedule.check_start(round_.number, scheduled_at, planned, ended)
    old, round_.scheduled_at = round_.scheduled_at, scheduled_at
    if old == scheduled_at:
        return round_
    round_.save(update_fields=["scheduled_at"])
    Game.objects.filter(pairing__round=round_).update(scheduled_at=scheduled_at)
    if round_.state in PUBLIC_STATES:
        bump(stage)
    _log(
        stage,
        "swiss.round_rescheduled",
        actor,
        reason=reason,
        round=round_.number,
        at_before=old.isoformat() if old else "",
        at=scheduled_at.isoformat(),
    )
    return round_


# -- who doesn't come (M7.4) -----------------------------------------------------------------------------------------


@transaction.atomic
def note_absent(pairing_id: int, *, white: bool, black: bool, actor: Any) -> Pairing:
    """Note who is not at the board, or (both False) that everybody has come. No result follows from it yet.

    TourneyError ``round.not_published``, ``round.board_has_result``.
    """
    pairing, stage = _locked_board(pairing_id)
    if (pairing.absent_white, pairing.absent_black) != (white, black):
        pairing.absent_white, pairing.absent_black = white, black
        pairing.save(update_fields=["absent_white", "absent_black"])
        _log(
            stage,
            "swiss.absence_noted" if white or black else "swiss.arrived",
            actor,
            round=pairing.round.number,
            board=pairing.board,
            white=white,
            black=black,
        )
    return pairing


@transaction.atomic
def adjourn_game(pairing_id: int, *, actor: Any, reason: str, knowing: int = 0) -> Pairing:
    """Put a game off: a draw for the next pairing, its result can be entered at any time (C.04.2, 3.1).

    TourneyError ``round.not_published``, ``round.board_has_result``, ``round.change_needs_reason``; by the book it asks
    first.
    """
    pairing, stage = _locked_board(pairing_id)
    if not reason.strip():
        raise TourneyError("round.change_needs_reason")
    number, board = pairing.round.number, pairing.board or 0
    bends = ask(stage, "adjourned", knowing=knowing, round=number, board=board)
    pairing.adjourned = True
    pairing.save(update_fields=["adjourned"])
    bump(stage)
    _log(stage, "swiss.game_adjourned", actor, reason=reason, round=pairing.round.number, board=pairing.board)
    if bends:
        note(
            stage,
            "adjourned",
            round_number=number,
            actor=actor,
            reason=reason,
            after=[numbers_of(pairing)],
            snapshot={"pairing": pairing.pk},
            round=number,
            board=board,
        )
    return pairing


def numbers_of(pairing: Pairing) -> str:
    """Return a board by start numbers, as the report file writes it: ``12-3``, a bye ``7=PAB``."""
    white = pairing.white.start_number
    if pairing.black is None:
        return f"{white}={BYE_TOKENS[pairing.bye]}"
    return f"{white}-{pairing.black.start_number}"


def deadline_of(round_: Round, stage: Stage, now: datetime | None = None) -> datetime | None:
    """Return the last moment to come to a board in a round: from the real start (M7.4); None without rule or start.

    Stops of play put it off; while one lasts, it moves on with the clock.
    """
    lateness = lateness_of(stage)
    if lateness is None or round_.started_at is None:
        return None
    scheduled = round_.scheduled_at or round_.started_at
    start = scheduled if lateness.base == "scheduled_start" else round_.started_at
    pauses = [(pause.began_at, pause.ended_at) for pause in stage.pauses.all()]
    return after_pauses(start, lateness.deadline(round_.started_at, scheduled), pauses, now or timezone.now())


def rounds_in_play(tournament: Tournament) -> list[InPlay]:
    """Return the groups in rounds that play now. Two queries."""
    stages = _playing(tournament).prefetch_related("pauses").order_by("section__ordinal")
    found = []
    for stage in stages:
        stage.section.tournament = tournament
        pause = next((one for one in stage.pauses.all() if one.ended_at is None), None)
        found.append(
            InPlay(stage.section.title_text, pause.began_at, pause.reason)
            if pause
            else InPlay(stage.section.title_text)
        )
    return found


@transaction.atomic
def stop_rounds(tournament: Tournament, actor: Any, reason: str) -> int:
    """Stop the groups in rounds that play; return how many. Part of `tourney.services.stopping`."""
    now = timezone.now()
    standing = Pause.objects.filter(ended_at__isnull=True).values("stage")
    stopped = list(_playing(tournament).exclude(pk__in=standing).order_by("pk"))
    for stage in stopped:
        stage.section.tournament = tournament
        Pause.objects.create(
            stage=stage,
            began_at=now,
            reason=reason,
            by=actor if getattr(actor, "is_authenticated", False) else None,
        )
        bump(stage)
        _log(stage, "swiss.paused", actor, reason=reason)
    return len(stopped)


@transaction.atomic
def resume_rounds(tournament: Tournament, actor: Any) -> int:
    """Let the groups in rounds play on, those too whose last result came meanwhile; return how many.

    Part of `tourney.services.stopping`.
    """
    now = timezone.now()
    pauses = list(
        Pause.objects.filter(stage__section__tournament=tournament, ended_at__isnull=True)
        .select_related("stage__section")
        .order_by("stage")
    )
    for pause in pauses:
        pause.ended_at = now
        pause.save(update_fields=["ended_at"])
        pause.stage.section.tournament = tournament
        bump(pause.stage)
        _log(pause.stage, "swiss.resumed", actor, minutes=round((now - pause.began_at).total_seconds() / 60))
    return len(pauses)


def _playing(tournament: Tournament) -> QuerySet[Stage]:
    stages = Stage.objects.filter(section__tournament=tournament, kind__in=ROUND_KINDS, state=Stage.State.RUNNING)
    return stages.select_related("section")


@transaction.atomic
def forfeit_absent(pairing_id: int, *, actor: Any, now: datetime | None = None) -> Pairing:
    """Decide a board by who is noted as absent once the time is over: a forfeit, or a double one (M7.4).

    TourneyError ``round.not_started``, ``round.not_late_yet`` (with the hour), ``round.nobody_absent``,
    ``round.paused``, ``round.board_has_result``, ``lateness.arbiter_decides``.
    """
    pairing, stage = _locked_board(pairing_id)
    round_ = pairing.round
    if round_.started_at is None:
        raise TourneyError("round.not_started", round=round_.number)
    if not (pairing.absent_white or pairing.absent_black):
        raise TourneyError("round.nobody_absent", board=pairing.board or 0)
    if stage.pauses.filter(ended_at__isnull=True).exists():
        raise TourneyError("round.paused")
    moment = now or timezone.now()
    lateness, deadline = lateness_of(stage), deadline_of(round_, stage, moment)
    if lateness is not None and deadline is not None:
        if moment <= deadline:
            until = timezone.localtime(deadline, stage.section.tournament.zone)
            raise TourneyError("round.not_late_yet", until=f"{until:%H:%M}", minutes=lateness.minutes)
        start = round_.started_at
        outcome = lateness.verdict(
            deadline, None if pairing.absent_white else start, None if pairing.absent_black else start
        )
    else:
        outcome = {
            (True, True): ResultCode.DOUBLE_FORFEIT,
            (True, False): ResultCode.BLACK_FORFEIT_WIN,
        }.get((pairing.absent_white, pairing.absent_black), ResultCode.WHITE_FORFEIT_WIN)
    if outcome is not None and pairing.game_id is not None:
        enter_result(stage_id=stage.pk, game_id=pairing.game_id, outcome=outcome.value, actor=actor)
    return pairing


@transaction.atomic
def close_stage_play(stage_id: int, *, actor: Any, reason: str, knowing: int = 0) -> Stage:
    """End a stage early, for instance when the hall closes: no further round is paired.

    TourneyError ``round.results_missing`` while a published round is open, ``stage.reason_needed``,
    ``stage.not_running``; by the book it asks twice, because the number of rounds changes.
    """
    stage = lock_stage(stage_id)
    if not reason.strip():
        raise TourneyError("stage.reason_needed")
    if stage.state != Stage.State.RUNNING:
        raise TourneyError("stage.not_running")
    if stage.rounds.exclude(state=Round.State.DONE).exists():
        raise TourneyError("round.results_missing", boards="")
    old, new = stage.rounds_total, stage.rounds.count()
    bends = ask(stage, "early_end", knowing=knowing, rounds=new, planned=old)
    stage.rounds_total = stage.rounds.count()
    stage.state, stage.finished_at = Stage.State.FINISHED, timezone.now()
    stage.save(update_fields=["rounds_total", "state", "finished_at"])
    bump(stage)
    _log(stage, "swiss.play_closed", actor, reason=reason, rounds=stage.rounds_total)
    if bends:
        note(
            stage,
            "early_end",
            round_number=new,
            actor=actor,
            reason=reason,
            before=[f"rounds: {old}"],
            after=[f"rounds: {new}"],
            snapshot={"rounds": old},
            rounds=new,
            planned=old,
        )
    return stage


def _locked(round_id: int) -> tuple[Round, Stage]:
    """Return a round as it is under the lock of its stage."""
    stage = lock_stage(Round.objects.values_list("stage_id", flat=True).get(pk=round_id))
    round_ = Round.objects.get(pk=round_id)
    round_.stage = stage
    return round_, stage


def _locked_board(pairing_id: int) -> tuple[Pairing, Stage]:
    """Return a board without a result, and its stage under the lock."""
    stage = lock_stage(Pairing.objects.values_list("round__stage_id", flat=True).get(pk=pairing_id))
    pairing = Pairing.objects.select_related("round", "game").get(pk=pairing_id)
    if pairing.game is None:
        raise TourneyError("round.not_published", round=pairing.round.number)
    if pairing.game.outcome:
        raise TourneyError("round.board_has_result", board=pairing.board or 0)
    return pairing, stage


def _log(stage: Stage, action: str, actor: Any, *, reason: str = "", **values: Any) -> None:
    log(stage.section.tournament, action, actor=actor, reason=reason, section=stage.section.code, **values)
