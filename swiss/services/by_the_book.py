"""Acts of a group played by the book: leaving the mode, results for the rating report, undoing what was bent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db import transaction
from django.utils import timezone

from swiss.models import Pairing, ReportResult, Round
from swiss.selectors import PUBLIC_STATES
from swiss.services.pairing import discard_draft, mark_adjourned
from swiss.services.results import KNOWN, enter_result
from swiss.services.taking_back import bring_back_round, newest_taken_back
from tourney.kernel.by_the_book import RULES, result_act
from tourney.kernel.errors import TourneyError
from tourney.models import BentRule, Game, Stage
from tourney.services.by_the_book import ask, is_by_the_book, is_strict, note, rounds_paired
from tourney.services.log import log
from tourney.services.sections import exchange_numbers
from tourney.services.stages import bump, lock_stage


@transaction.atomic
def leave_the_book(stage_id: int, *, actor: Any, reason: str, knowing: int = 0) -> Stage:
    """Take a group out of the mode for good, after two questions (``book.not_strict``, ``book.reason_needed``)."""
    stage = lock_stage(stage_id, event_first=True)
    if not is_by_the_book(stage):
        raise TourneyError("book.not_strict")
    if not reason.strip():
        raise TourneyError("book.reason_needed")
    ask(stage, "left", knowing=knowing)
    note(stage, "left", round_number=rounds_paired(stage), actor=actor, reason=reason)
    return stage


# -- results for the rating report -----------------------------------------------------------------------------------


@transaction.atomic
def correct_for_report(
    stage_id: int, *, game_id: int, outcome: str, actor: Any, reason: str, knowing: int = 0
) -> ReportResult:
    """Put the result of an older round right in the rating report only; pairing and standings stay (C.04.2, 4.3).

    Refusals: ``book.not_strict``, ``result.unknown``, ``report.unknown_game``, ``report.not_older`` (that round can
    still be corrected itself), ``report.same_result``, ``book.reason_needed``.
    """
    stage = lock_stage(stage_id)
    if not is_strict(stage):
        raise TourneyError("book.not_strict")
    if outcome not in KNOWN:
        raise TourneyError("result.unknown", got=outcome)
    game = (
        Game.objects.filter(pk=game_id, stage=stage, pairing__round__state__in=PUBLIC_STATES)
        .exclude(outcome="")
        .select_related("pairing__round", "white", "black")
        .first()
    )
    if game is None:
        raise TourneyError("report.unknown_game")
    number = game.pairing.round.number
    if stage.state != Stage.State.CLOSED and result_act(rounds_paired(stage) - number) != "older_result":
        raise TourneyError("report.not_older", round=number)
    if outcome == game.outcome:
        raise TourneyError("report.same_result")
    if not reason.strip():
        raise TourneyError("book.reason_needed")
    board = game.board or 0
    bends = ask(stage, "report_result", knowing=knowing, round=number, board=board)
    standing = ReportResult.objects.filter(game=game, ended_at=None).first()
    before = standing.outcome if standing else game.outcome
    now = timezone.now()
    if standing is not None:
        standing.ended_at = now
        standing.save(update_fields=["ended_at"])
    by = actor if getattr(actor, "is_authenticated", False) else None
    made = ReportResult.objects.create(game=game, outcome=outcome, reason=reason, by=by, at=now)
    _log(
        stage,
        "swiss.report_result",
        actor,
        reason=reason,
        round=number,
        board=board,
        result_before=before,
        result=outcome,
    )
    if bends:
        numbers = f"{game.white.start_number}-{game.black.start_number}"
        note(
            stage,
            "report_result",
            round_number=number,
            actor=actor,
            reason=reason,
            before=[f"{numbers}: {before}"],
            after=[f"{numbers}: {outcome}"],
            snapshot={"report_result": made.pk},
            round=number,
            board=board,
        )
    return made


@transaction.atomic
def end_report_result(stage_id: int, *, pk: int, actor: Any) -> None:
    """Let the report have the result of the standings again (``report.none``)."""
    stage = lock_stage(stage_id)
    found = (
        ReportResult.objects.filter(pk=pk, game__stage=stage, ended_at=None)
        .select_related("game__pairing__round")
        .first()
    )
    if found is None:
        raise TourneyError("report.none")
    found.ended_at = timezone.now()
    found.save(update_fields=["ended_at"])
    number, board = found.game.pairing.round.number, found.game.board or 0
    _log(stage, "swiss.report_result_ended", actor, round=number, board=board)


# -- what was bent ---------------------------------------------------------------------------------------------------


@transaction.atomic
def undo_bent(stage_id: int, *, pk: int, actor: Any, reason: str) -> BentRule:
    """Bring back the state before an act that bent a rule, where it still can be (``book.cannot_undo``).

    Refusals: ``book.reason_needed`` and those of the acts that bring it back.
    """
    stage = lock_stage(stage_id, event_first=True)
    if not reason.strip():
        raise TourneyError("book.reason_needed")
    bent = BentRule.objects.filter(pk=pk, stage=stage, undone_at=None).first()
    if bent is None or not can_undo(bent):
        raise TourneyError("book.cannot_undo")
    _UNDO[bent.act](stage, bent, actor, reason)
    bent.undone_at = timezone.now()
    bent.undone_by = actor if getattr(actor, "is_authenticated", False) else None
    bent.save(update_fields=["undone_at", "undone_by"])
    _log(stage, "swiss.bent_undone", actor, reason=reason, what=bent.words)
    return bent


def can_undo(bent: BentRule) -> bool:
    """Return whether the act is one that can be undone, and nothing has overtaken it for certain."""
    rule = RULES.get(bent.act)
    return bent.undone_at is None and rule is not None and rule.undo and bent.act in _UNDO


def _result(stage: Stage, bent: BentRule, actor: Any, reason: str) -> None:
    game, outcome = bent.snapshot["game"], bent.snapshot["outcome"]
    # Back to what the next round was paired by: the same question was answered when it was changed.
    enter_result(stage_id=stage.pk, game_id=game, outcome=outcome, actor=actor, reason=reason, knowing=1)
    # That was a correction too, and has its own row; both cancel each other out in the report.
    newest = BentRule.objects.filter(stage=stage, act="previous_result", undone_at=None).order_by("-pk").first()
    if newest is not None and newest.pk != bent.pk:
        newest.undone_at = timezone.now()
        newest.save(update_fields=["undone_at"])


def _report_result(stage: Stage, bent: BentRule, actor: Any, reason: str) -> None:
    end_report_result(stage.pk, pk=bent.snapshot["report_result"], actor=actor)


def _adjourned(stage: Stage, bent: BentRule, actor: Any, reason: str) -> None:
    waiting = Pairing.objects.filter(round__stage=stage, adjourned=True, game__outcome="")
    pairing = waiting.filter(pk=bent.snapshot["pairing"]).first()
    if pairing is None:
        raise TourneyError("book.cannot_undo")
    mark_adjourned(stage, [pairing.pk], adjourned=False)


def _open_games(stage: Stage, bent: BentRule, actor: Any, reason: str) -> None:
    draft = Round.objects.filter(stage=stage, pk=bent.snapshot.get("draft", 0), state=Round.State.DRAFT).first()
    if draft is None:
        raise TourneyError("book.cannot_undo")
    discard_draft(draft.pk, actor=actor)


def _taken_back(stage: Stage, bent: BentRule, actor: Any, reason: str) -> None:
    kept = newest_taken_back(stage)
    if kept is None or kept.number != bent.snapshot["round"]:
        raise TourneyError("book.cannot_undo")
    bring_back_round(stage.pk, actor=actor)


def _early_end(stage: Stage, bent: BentRule, actor: Any, reason: str) -> None:
    if stage.state != Stage.State.FINISHED:
        raise TourneyError("book.cannot_undo")
    stage.rounds_total, stage.state, stage.finished_at = bent.snapshot["rounds"], Stage.State.RUNNING, None
    stage.save(update_fields=["rounds_total", "state", "finished_at"])
    bump(stage)


def _start_order(stage: Stage, bent: BentRule, actor: Any, reason: str) -> None:
    first, second = bent.snapshot["numbers"]
    exchange_numbers(stage, first, second, reason=reason, actor=actor, knowing=1)
    newest = BentRule.objects.filter(stage=stage, act="start_order", undone_at=None).order_by("-pk").first()
    if newest is not None and newest.pk != bent.pk:
        newest.undone_at = timezone.now()
        newest.save(update_fields=["undone_at"])


_UNDO: dict[str, Callable[[Stage, BentRule, Any, str], None]] = {
    "previous_result": _result,
    "report_result": _report_result,
    "adjourned": _adjourned,
    "open_games": _open_games,
    "taken_back": _taken_back,
    "taken_back_results": _taken_back,
    "early_end": _early_end,
    "start_order": _start_order,
}


def _log(stage: Stage, action: str, actor: Any, *, reason: str = "", **values: Any) -> None:
    log(stage.section.tournament, action, actor=actor, reason=reason, section=stage.section.code, **values)
