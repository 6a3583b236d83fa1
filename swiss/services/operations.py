"""Entries as tablets send them: each counts once, and where two people disagree an arbiter decides (ADR 0015).

An entry may have waited for a network. The operation's number is its identity: sent again it gets the answer it got
before. An entry that does not fit any more is never thrown away: the board becomes a conflict (two people have entered
different results), or the entry is *held* for the arbiter with the reason in words (the link was taken back, the round
is paired anew). The tablet's clock is shown, never trusted: what counts is decided here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from swiss.selectors import PUBLIC_STATES
from swiss.services.results import CONFLICT, KNOWN, SAME_DEVICE, enter_under_lock, open_conflict, put_in_force
from tourney.kernel.errors import TourneyError
from tourney.models import DeviceLink, Game, ResultConflict, ResultOperation, ResultRecord, Stage, Tournament
from tourney.services.log import log
from tourney.services.operations import answered, check_reach, close_conflict, close_hold, hold_open, keep
from tourney.services.stages import bump, lock_stage

State = ResultOperation.State

# Refusals of an entry that has waited which the arbiter, not the tablet, must see.
_HOLD = frozenset(
    {"result.round_not_published", "result.stage_closed", "result.nothing_to_take_back", "book.older_result"}
)


@dataclass(frozen=True, slots=True)
class Claim:
    """What somebody says a board ended with, and what their page showed when they said it.

    `round_number`, `white` and `black` (entry ids) are the page's own words for the game, None where it gave none.
    `replaces`: earlier entries of the same tablet for this board, whose fate it may not know. `queued`: sent by a
    script that kept it, so a refusal nobody reads must not lose it.
    """

    operation: UUID
    game_id: int
    outcome: str
    base_version: int | None = None
    reason: str = ""
    moves: int | None = None
    replaces: tuple[UUID, ...] = ()
    round_number: int | None = None
    board: int | None = None
    white: int | None = None
    black: int | None = None
    entered_at: datetime | None = None
    skew_seconds: int = 0
    both_confirmed: bool = False
    queued: bool = False
    knowing: int = 0  # how many questions were answered with yes; no part of what makes the entry itself

    @property
    def result(self) -> str:
        """The result the entry is about."""
        return self.outcome

    def body(self) -> dict[str, Any]:
        """Return what makes two sendings the same entry, as it is kept."""
        return {
            "game": self.game_id,
            "outcome": self.outcome,
            "version": self.base_version,
            "reason": self.reason,
            "moves": self.moves,
            "round": self.round_number,
            "board": self.board,
            "white": self.white,
            "black": self.black,
        }


@transaction.atomic
def submit(
    tournament: Tournament, claim: Claim, *, actor: Any = None, link: DeviceLink | None = None
) -> ResultOperation:
    """Take an entry of a signed-in arbiter or of a tablet's link; return the operation with its answer.

    Raises what `enter_result` refuses where a person is there to put it right, ``entry.both_confirm`` and
    ``entry.call_arbiter`` on a players' tablet, and ``result.operation_reused`` for a number with another content.
    """
    if claim.outcome and claim.outcome not in KNOWN:
        raise TourneyError("result.unknown", got=claim.outcome)
    found = Game.objects.filter(pk=claim.game_id, stage__section__tournament=tournament).values_list("stage_id").first()
    if found is None:
        gone = TourneyError("result.board_gone", board=claim.board or 0)
        return answered(claim) or keep(tournament, claim, State.HELD, actor, link, refused=gone)
    stage = lock_stage(found[0])
    if (earlier := answered(claim)) is not None:
        return earlier
    game = Game.objects.select_related("pairing__round").filter(pk=claim.game_id, stage=stage).first()
    if game is None or getattr(game, "pairing", None) is None:
        gone = TourneyError("result.board_gone", board=claim.board or 0)
        return keep(tournament, claim, State.HELD, actor, link, refused=gone)
    try:
        check_reach(link, stage.section, game.board)
        _check_same_board(claim, game)
    except TourneyError as refused:
        return keep(
            tournament, claim, State.HELD, actor, link, stage_id=game.stage_id, game_id=game.pk, refused=refused
        )
    _forget_replaced(tournament, claim, game, link)
    return _apply(stage, game, claim, actor, link)


def _check_same_board(claim: Claim, game: Game) -> None:
    """Refuse an entry whose page spoke of another round, board or pair than the game is now."""
    said = (claim.round_number, claim.board, claim.white, claim.black)
    is_now = (game.pairing.round.number, game.board, game.white_id, game.black_id)
    if any(word is not None and word != now for word, now in zip(said, is_now, strict=True)):
        raise TourneyError("result.board_differs", round=claim.round_number or 0, board=claim.board or 0)


def _forget_replaced(tournament: Tournament, claim: Claim, game: Game, link: DeviceLink | None) -> None:
    """Mark what the tablet has thought better of, so that it counts for nothing should it still arrive."""
    gone = set(claim.replaces) - set(
        ResultOperation.objects.filter(pk__in=claim.replaces).values_list("pk", flat=True) if claim.replaces else ()
    )
    now = timezone.now()
    ResultOperation.objects.bulk_create(
        ResultOperation(
            id=number,
            tournament=tournament,
            stage_id=game.stage_id,
            game=game,
            state=State.REPLACED,
            link=link,
            arrived_at=now,
        )
        for number in sorted(gone)
    )


def _apply(stage: Stage, game: Game, claim: Claim, actor: Any, link: DeviceLink | None) -> ResultOperation:
    tournament = stage.section.tournament
    current = game.results.filter(successor__isnull=True).order_by("pk").first()
    _check_players_tablet(claim, game, link)
    own_earlier = current is not None and current.operation is not None and current.operation in claim.replaces
    try:
        record = enter_under_lock(
            stage,
            game,
            current,
            claim.outcome,
            actor=actor,
            base_version=None if own_earlier else claim.base_version,
            operation=claim.operation,
            reason=claim.reason or (SAME_DEVICE if own_earlier else ""),
            moves=claim.moves,
            device=link.label if link else "",
            entered_at=claim.entered_at,
            knowing=claim.knowing,
        )
    except TourneyError as refused:
        if refused.code in ("result.changed_meanwhile", "result.in_conflict"):
            return _disagree(stage, game, claim, current, actor, link)
        if claim.queued and refused.code in _HOLD:
            return keep(
                tournament, claim, State.HELD, actor, link, stage_id=game.stage_id, game_id=game.pk, refused=refused
            )
        raise
    state = State.APPLIED if record.operation == claim.operation else State.SAME
    return keep(tournament, claim, state, actor, link, stage_id=game.stage_id, game_id=game.pk)


def _check_players_tablet(claim: Claim, game: Game, link: DeviceLink | None) -> None:
    if link is None or link.role != DeviceLink.Role.PLAYERS:
        return
    if not claim.both_confirmed:
        raise TourneyError("entry.both_confirm", board=game.board or 0)
    if game.outcome and game.version == claim.base_version and game.outcome != claim.outcome:
        raise TourneyError("entry.call_arbiter", board=game.board or 0)


def _disagree(
    stage: Stage, game: Game, claim: Claim, current: ResultRecord | None, actor: Any, link: DeviceLink | None
) -> ResultOperation:
    """Open a conflict, or join the one that is open. The board then has no result for the public and the pairing.

    When the next round is out already, the result it was paired by stays, and the arbiter alone sees the claim.
    """
    tournament = stage.section.tournament
    game.refresh_from_db(fields=["outcome", "version"])
    conflict = open_conflict(game)
    if conflict is None:
        round_ = game.pairing.round
        later = stage.rounds.filter(number__gt=round_.number, state__in=PUBLIC_STATES).exists()
        hidden = not later and stage.state != Stage.State.CLOSED
        conflict = ResultConflict.objects.create(game=game, standing=current, hidden=hidden, opened_at=timezone.now())
        standing = game.outcome
        if hidden and game.outcome:
            put_in_force(stage, game, "", supersedes=current, reason=CONFLICT)
        else:
            bump(stage)
        log(
            tournament,
            "swiss.conflict_opened",
            actor=actor,
            label=link.label if link else "",
            section=stage.section.code,
            round=round_.number,
            board=game.board,
            result_before=standing,
            result=claim.outcome,
        )
    return keep(
        tournament, claim, State.CONFLICT, actor, link, stage_id=game.stage_id, game_id=game.pk, conflict=conflict
    )


# -- what an arbiter decides -----------------------------------------------------------------------------------------


@transaction.atomic
def resolve_conflict(
    tournament: Tournament, conflict_id: int, *, outcome: str, actor: Any, reason: str = "", knowing: int = 0
) -> None:
    """Decide a board two people disagreed about; an empty `outcome` leaves the game open.

    TourneyError ``conflict.none`` (somebody was quicker), ``result.unknown``, and ``conflict.reason_needed`` where the
    decision is none of the results entered or changes one a later round was paired by; by the book such a change asks
    first or is refused, as any correction.
    """
    if outcome and outcome not in KNOWN:
        raise TourneyError("result.unknown", got=outcome)
    found = ResultConflict.objects.filter(pk=conflict_id, game__stage__section__tournament=tournament)
    stage_id = found.values_list("game__stage_id", flat=True).first()
    if stage_id is None:
        raise TourneyError("conflict.none")
    stage = lock_stage(stage_id)
    conflict = found.filter(resolved_at__isnull=True).first()
    if conflict is None:
        raise TourneyError("conflict.none")
    game = Game.objects.select_related("pairing__round").get(pk=conflict.game_id)
    claimed = {operation.outcome for operation in conflict.operations.all()}
    if conflict.standing is not None:
        claimed.add(conflict.standing.outcome)
    changes_the_past = not conflict.hidden and outcome != game.outcome
    if not reason.strip() and (outcome not in claimed or changes_the_past):
        raise TourneyError("conflict.reason_needed")
    close_conflict(conflict, actor=actor, outcome=outcome, reason=reason)
    if outcome != game.outcome:
        current = game.results.filter(successor__isnull=True).order_by("pk").first()
        enter_under_lock(
            stage, game, current, outcome, actor=actor, reason=reason or CONFLICT, deciding=True, knowing=knowing
        )
    else:
        bump(stage)
    log(
        tournament,
        "swiss.conflict_resolved",
        actor=actor,
        reason=reason,
        section=stage.section.code,
        round=game.pairing.round.number,
        board=game.board,
        result=outcome,
    )


@transaction.atomic
def settle_held(
    tournament: Tournament, operation_id: UUID, *, accept: bool, actor: Any, reason: str = "", knowing: int = 0
) -> ResultOperation:
    """Enter a held result after all, or put it aside; either is in the log.

    TourneyError ``held.none`` (somebody was quicker), ``held.no_game`` (its pairing is gone), and what `enter_result`
    refuses.
    """
    waiting = ResultOperation.objects.filter(tournament=tournament, pk=operation_id, state=State.HELD)
    found = waiting.filter(settled_at__isnull=True).first()
    if found is None:
        raise TourneyError("held.none")
    game = Game.objects.filter(pk=found.game_id, pairing__isnull=False).select_related("pairing__round").first()
    if accept and game is None:
        raise TourneyError("held.no_game")
    stage = lock_stage(game.stage_id) if game is not None else None
    operation = hold_open(tournament, operation_id)
    if accept and game is not None and stage is not None:
        game.refresh_from_db(fields=["outcome", "version"])
        enter_under_lock(
            stage,
            game,
            game.results.filter(successor__isnull=True).order_by("pk").first(),
            operation.outcome,
            actor=actor,
            operation=operation.pk,
            reason=reason,
            moves=operation.claim.get("moves"),
            device=operation.link.label if operation.link else "",
            entered_at=operation.entered_at,
            knowing=knowing,
        )
    close_hold(operation, actor)
    log(
        tournament,
        "swiss.held_entered" if accept else "swiss.held_dropped",
        actor=actor,
        reason=reason,
        round=operation.claim.get("round") or "",
        board=operation.claim.get("board") or "",
        result=operation.outcome,
    )
    return operation


# -- reading ---------------------------------------------------------------------------------------------------------


def open_conflicts(stages: Iterable[Stage], *, game_id: int | None = None) -> list[ResultConflict]:
    """Return what waits for a decision in some stages (or at one game), with its claims. One query, then three."""
    found = ResultConflict.objects.filter(game__stage__in=list(stages), resolved_at__isnull=True)
    if game_id is not None:
        found = found.filter(game=game_id)
    if not found.exists():  # nearly always, and the rest is the dearest query of an entry
        return []
    return list(
        found.select_related("game", "standing__entered_by")
        .prefetch_related("operations__link", "operations__by")
        .order_by("opened_at")
    )


def held_operations(tournament: Tournament) -> list[ResultOperation]:
    """Return the entries nobody has dealt with, oldest first."""
    rows = ResultOperation.objects.filter(tournament=tournament, state=State.HELD, settled_at__isnull=True)
    # An entry of a match waits on the page of the matches.
    rows = rows.exclude(claim__has_key="match")
    return list(rows.select_related("link", "by", "game__white__player", "game__black__player").order_by("arrived_at"))


def check_no_conflict(stage: Stage) -> None:
    """Refuse to pair over a board two people disagree about (``round.conflicts_open``)."""
    boards = ResultConflict.objects.filter(game__stage=stage, resolved_at__isnull=True).values_list("game__board")
    if boards:
        raise TourneyError("round.conflicts_open", boards=", ".join(str(board) for (board,) in boards))
