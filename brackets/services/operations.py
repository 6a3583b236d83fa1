"""Entries of a match as tablets send them: each counts once, and where two devices disagree an arbiter decides.

The rules are those of rounds (ADR 0015). A match goes game by game, so an entry names the game it is about and the pair
that plays it: that, not the picture on a tablet that waited for a network, says whether it still fits. What somebody
else has entered otherwise becomes a conflict: the match stops, and the result in question is out of force as long as
nothing was played on it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from brackets.engine.match_fold import AwaitClaim, AwaitColor, AwaitGame, AwaitLot
from brackets.engine.match_play import apply
from brackets.engine.match_steps import Claim as ClaimStep
from brackets.engine.match_steps import Game as GameStep
from brackets.engine.match_steps import SettleClaim, parse_result
from brackets.models import MatchEvent
from brackets.selectors import Row, Table, load_table
from brackets.services.acts import Act
from brackets.services.correcting import last_act, take_back_rows, undo
from brackets.services.playing import choose_color, draw_color_lot, enter_game_result, record_result, settle
from tourney.kernel.errors import TourneyError
from tourney.kernel.ids import MatchKey
from tourney.models import DeviceLink, ResultConflict, ResultOperation, Stage, Tournament
from tourney.services.log import log
from tourney.services.operations import answered, check_reach, close_conflict, close_hold, hold_open, keep
from tourney.services.stages import bump, lock_stage, lock_stage_in_play

Kind = MatchEvent.Kind
State = ResultOperation.State
ACTS = ("game", "color", "lot")
CONFLICT = "conflict"


@dataclass(frozen=True, slots=True)
class MatchClaim:
    """What somebody says happened at a board, and what their page showed when they said it.

    `act` is one of `ACTS`, `number` the game it is for; `answer` a result, a colour ("w", "b") or the side ("a", "b") a
    lot drawn by hand fell to, "" for a lot the program is to draw. `a` and `b` are the entries the page had on the two
    sides. `queued`: sent by a script that kept it, so a refusal nobody reads must not lose it.
    """

    operation: UUID
    stage_id: int
    match: str
    act: str
    number: int
    answer: str
    method: str = ""
    a: int | None = None
    b: int | None = None
    entered_at: datetime | None = None
    skew_seconds: int = 0
    both_confirmed: bool = False
    queued: bool = False

    @property
    def result(self) -> str:
        """The result the entry is about, "" for a colour or a lot."""
        return self.answer if self.act == "game" else ""

    def body(self) -> dict[str, Any]:
        """Return what makes two sendings the same entry, as it is kept."""
        return {
            "match": self.match,
            "act": self.act,
            "number": self.number,
            "answer": self.answer,
            "method": self.method,
            "a": self.a,
            "b": self.b,
            "stage": self.stage_id,
        }


@transaction.atomic
def submit(
    tournament: Tournament, claim: MatchClaim, *, actor: Any = None, link: DeviceLink | None = None
) -> ResultOperation:
    """Take an entry of an arbiter or of a tablet's link; return the operation with its answer.

    Raises what the acts of a match refuse where a person is there to put it right, ``entry.both_confirm`` on a players'
    tablet, ``match.unknown_act``, and ``result.operation_reused`` for a number with another content.
    """
    if claim.act not in ACTS:
        raise TourneyError("match.unknown_act")
    stage = _stage(tournament, claim)
    if stage is None:
        return answered(claim) or keep(tournament, claim, State.HELD, actor, link, refused=TourneyError("match.gone"))
    # The program's own lot needs the event's row before the stage's: the chain of lots is the event's.
    draws = claim.act == "lot" and not claim.answer
    stage = lock_stage(stage.pk, event_first=True) if draws else lock_stage_in_play(stage.pk)
    if (earlier := answered(claim)) is not None:
        return earlier
    table = load_table(stage)
    if table is None or MatchKey(claim.match) not in table.spec.by_key:
        return keep(tournament, claim, State.HELD, actor, link, stage_id=stage.pk, refused=TourneyError("match.gone"))
    try:
        check_reach(link, stage.section, table.matches[MatchKey(claim.match)].board)
        _check_same_pair(table, claim)
    except TourneyError as refused:
        return keep(tournament, claim, State.HELD, actor, link, stage_id=stage.pk, refused=refused)
    return _apply(tournament, table, claim, actor, link)


def _stage(tournament: Tournament, claim: MatchClaim) -> Stage | None:
    return Stage.objects.filter(
        pk=claim.stage_id, section__tournament=tournament, kind=Stage.Kind.BRACKET, bracket__isnull=False
    ).first()


def _check_same_pair(table: Table, claim: MatchClaim) -> None:
    view = table.view(claim.match)
    if any(said is not None and said != now for said, now in ((claim.a, view.a), (claim.b, view.b))):
        raise TourneyError("match.players_differ", match=claim.match)


def _apply(
    tournament: Tournament, table: Table, claim: MatchClaim, actor: Any, link: DeviceLink | None
) -> ResultOperation:
    stage, key = table.stage, MatchKey(claim.match)
    if claim.act == "game":
        parse_result(claim.answer)
    standing = _standing(table, key, claim)
    if standing is not None and _says(standing, table, claim) == claim.answer:
        return keep(tournament, claim, State.SAME, actor, link, stage_id=stage.pk, game_id=standing.game)
    if standing is not None and claim.act == "game":
        return _disagree(table, claim, standing, actor, link)
    if claim.act == "game" and (waiting := _conflict_of(stage, key, claim.number)) is not None:
        return keep(
            tournament, claim, State.CONFLICT, actor, link, stage_id=stage.pk, game_id=waiting.game_id, conflict=waiting
        )
    try:
        if standing is not None:
            # A colour or a lot is settled before the game: whoever comes later with another one asks the arbiter.
            raise TourneyError("match.settled_otherwise", match=key, number=claim.number)
        for_players = link is not None and link.role == DeviceLink.Role.PLAYERS
        if for_players and claim.act == "game" and not claim.both_confirmed:
            raise TourneyError("entry.both_confirm", board=table.matches[key].board or 0)
        _check_due(table, key, claim)
        _do(stage, key, claim, actor, link)
    except TourneyError as refused:
        if not claim.queued or refused.code == "entry.both_confirm":
            raise
        return keep(tournament, claim, State.HELD, actor, link, stage_id=stage.pk, refused=refused)
    entered = load_table(stage)
    game = next(
        (row.game for row in entered.games_in_force(key) if row.data["number"] == claim.number)
        if entered
        else iter(()),
        None,
    )
    return keep(tournament, claim, State.APPLIED, actor, link, stage_id=stage.pk, game_id=game)


def _conflict_of(stage: Stage, key: MatchKey, number: int) -> ResultConflict | None:
    """Return the open conflict about a game whose result is out of force."""
    of_match = Q(game__match_key=key) | Q(game__match_key__startswith=f"{key}~")
    found = ResultConflict.objects.filter(of_match, game__stage=stage, game__game_number=number)
    return found.filter(resolved_at__isnull=True).first()


def _standing(table: Table, key: MatchKey, claim: MatchClaim) -> Row | None:
    """Return the row in force that already answers what the entry is about."""
    rows = table.rows_of(key)
    if claim.act == "game":
        return next((row for row in rows if row.kind == Kind.GAME and row.data["number"] == claim.number), None)
    # Colours and lots carry no number: the newest one before the game they settle counts.
    wanted = {"color": Kind.COLOR, "lot": Kind.LOT}[claim.act]
    before = 0
    found: Row | None = None
    for row in rows:
        if row.kind == Kind.GAME:
            before = row.data["number"]
        elif row.kind == wanted and before < claim.number:
            found = row if before == claim.number - 1 else None
    return found


def _says(row: Row, table: Table, claim: MatchClaim) -> str:
    """Return what a row in force says, as an entry would say it; of a corrected game its result now."""
    if claim.act == "game":
        key = MatchKey(claim.match)
        corrected = [one for one in table.rows_of(key) if one.kind == Kind.CORRECTED]
        newest = next((one for one in reversed(corrected) if one.data["number"] == claim.number), None)
        return newest.outcome if newest is not None else row.outcome
    step = row.data["step"]
    if claim.act == "color":
        return str(step["color"])
    # A lot the program drew answers every device that asked for one.
    return str(step.get("white") or step.get("chooser")) if claim.answer else ""


def _check_due(table: Table, key: MatchKey, claim: MatchClaim) -> None:
    """Refuse an entry for another game than the one that is due (``match.out_of_order``)."""
    view = table.view(key)
    if not view.is_open or table.matches[key].board is None:
        raise TourneyError("match.not_at_board", match=key)
    awaiting = table.match_state(key).awaiting
    if isinstance(awaiting, AwaitGame | AwaitColor | AwaitLot) and awaiting.number != claim.number:
        raise TourneyError("match.out_of_order", number=claim.number, next=awaiting.number)


def _do(stage: Stage, key: MatchKey, claim: MatchClaim, actor: Any, link: DeviceLink | None) -> None:
    common: dict[str, Any] = {"actor": actor, "operation": claim.operation, "device": link.label if link else ""}
    match claim.act:
        case "game":
            enter_game_result(stage.pk, key, number=claim.number, outcome=claim.answer, **common)
        case "color":
            choose_color(stage.pk, key, color=claim.answer, **common)
        case "lot":
            draw_color_lot(stage.pk, key, winner=claim.answer, method=claim.method if claim.answer else "", **common)


def _disagree(table: Table, claim: MatchClaim, standing: Row, actor: Any, link: DeviceLink | None) -> ResultOperation:
    """Open a conflict, or join the one that is open. The match waits for the arbiter.

    A result nothing was played on yet is out of force until then; one that others have built on stays, and the arbiter
    alone sees the claim.
    """
    stage = table.stage
    tournament, key = stage.section.tournament, MatchKey(claim.match)
    conflict = ResultConflict.objects.filter(game=standing.game, resolved_at__isnull=True).first()
    if conflict is None:
        hidden = _take_out_of_force(stage, key, standing, actor, link, claim)
        conflict = ResultConflict.objects.create(
            game_id=standing.game, standing_id=standing.record, hidden=hidden, opened_at=timezone.now()
        )
    return keep(
        tournament, claim, State.CONFLICT, actor, link, stage_id=stage.pk, game_id=standing.game, conflict=conflict
    )


def _take_out_of_force(
    stage: Stage, key: MatchKey, standing: Row, actor: Any, link: DeviceLink | None, claim: MatchClaim
) -> bool:
    """Stop the match for the arbiter; return whether the result could be taken out of force for that time."""
    values = {"match": key, "number": claim.number, "result_before": standing.outcome, "result": claim.answer}
    label = link.label if link else ""
    try:
        with transaction.atomic():
            act = Act(stage.pk, actor, device=label)
            rows = [row for row in act.table.standing_rows if row.act == standing.act]
            take_back_rows(act, rows, CONFLICT)
            act.add_step(Kind.CLAIM, key, ClaimStep("arbiter", CONFLICT), reason=CONFLICT)
            act.finish("brackets.conflict_opened", **values)
        return True
    except TourneyError:
        pass  # later games, or a match that follows, were played on it: it stands
    try:
        with transaction.atomic():
            act = Act(stage.pk, actor, device=label)
            act.add_step(Kind.CLAIM, key, ClaimStep("arbiter", CONFLICT), reason=CONFLICT)
            act.finish("brackets.conflict_opened", **values)
    except TourneyError:
        # The match is over, or stopped already: only the arbiter's list says it.
        bump(stage)
        log(
            stage.section.tournament,
            "brackets.conflict_opened",
            actor=actor,
            label=label,
            section=stage.section.code,
            **values,
        )
    return False


# -- a slip of the finger --------------------------------------------------------------------------------------------


def own_last(table: Table, key: MatchKey, mine: Collection[UUID]) -> bool:
    """Return whether the newest act of a match is one of a device's own entries (`mine`): then it may take it back."""
    return any(row.operation in mine for row in last_act(table, str(key)))


def entered_by(link: DeviceLink, stage: Stage) -> set[UUID]:
    """Return the entries of a tablet in a stage that were taken. One query."""
    taken = ResultOperation.objects.filter(link=link, stage=stage, state=State.APPLIED)
    return set(taken.values_list("pk", flat=True))


@transaction.atomic
def take_back_own(tournament: Tournament, stage_id: int, match: str, *, link: DeviceLink, reason: str) -> None:
    """Take the newest entry of a match back on the arbiter's tablet that made it, while nothing was built on it.

    Refusals: ``match.gone``, ``match.not_your_entry``, those of a link, and those of `undo`.
    """
    stage = Stage.objects.filter(pk=stage_id, section__tournament=tournament, bracket__isnull=False).first()
    table = load_table(lock_stage_in_play(stage.pk)) if stage is not None else None
    if table is None or MatchKey(match) not in table.spec.by_key:
        raise TourneyError("match.gone")
    check_reach(link, table.stage.section, table.matches[MatchKey(match)].board)
    is_own = own_last(table, MatchKey(match), entered_by(link, table.stage))
    if link.role != DeviceLink.Role.ARBITER or not is_own:
        raise TourneyError("match.not_your_entry")
    undo(table.stage.pk, match=match, reason=reason, device=link.label)


# -- what an arbiter decides -----------------------------------------------------------------------------------------


@transaction.atomic
def resolve_conflict(stage_id: int, conflict_id: int, *, outcome: str, actor: Any, reason: str = "") -> None:
    """Decide a game two devices disagreed about; an empty `outcome` leaves it open, and the match goes on.

    Of a result others have built on only the dispute ends here: another result is a correction, with its consequences
    (``match.correct_it``). TourneyError ``conflict.none`` (somebody was quicker), ``match.unknown_result``, and
    ``conflict.reason_needed`` where the decision is none of the results entered.
    """
    if outcome:
        parse_result(outcome)
    act = Act(stage_id, actor)
    conflict = (
        ResultConflict.objects.filter(pk=conflict_id, game__stage=act.stage, resolved_at__isnull=True)
        .select_related("game", "standing")
        .first()
    )
    if conflict is None:
        raise TourneyError("conflict.none")
    claimed = {operation.outcome for operation in conflict.operations.all()}
    standing = conflict.standing.outcome if conflict.standing is not None else ""
    claimed.add(standing)
    if outcome not in claimed and not reason.strip():
        raise TourneyError("conflict.reason_needed")
    key = MatchKey(conflict.game.match_key.split("~")[0])
    number = conflict.game.game_number
    if not conflict.hidden and outcome != standing:
        raise TourneyError("match.correct_it", match=key, number=number)
    words = reason.strip() or CONFLICT
    view = act.table.view(key)
    if view.is_open and isinstance(act.table.match_state(key).awaiting, AwaitClaim):
        act.add_step(Kind.SETTLED, key, SettleClaim(words), reason=words)
    if conflict.hidden and outcome:
        before = act.open_match(key)
        awaited = before.awaiting
        if not isinstance(awaited, AwaitGame) or awaited.number != number:
            raise TourneyError("match.out_of_order", number=number, next=getattr(awaited, "number", 0))
        result = parse_result(outcome)
        after = apply(before, GameStep(number, result))
        record = record_result(act, key, awaited, result.value)
        act.add(Kind.GAME, match=key, data={"number": number}, record=record)
        settle(act, key, after)
    close_conflict(conflict, actor=act.actor, outcome=outcome, reason=reason)
    act.finish("brackets.conflict_resolved", reason=reason, match=key, number=number, result=outcome)


@transaction.atomic
def settle_held(tournament: Tournament, operation_id: UUID, *, actor: Any, reason: str = "") -> ResultOperation:
    """Put an entry that was kept aside: what is right is entered at the match. TourneyError ``held.none``."""
    operation = hold_open(tournament, operation_id)
    close_hold(operation, actor)
    log(
        tournament,
        "brackets.held_dropped",
        actor=actor,
        reason=reason,
        match=operation.claim.get("match") or "",
        number=operation.claim.get("number") or "",
        result=operation.claim.get("answer") or "",
    )
    return operation


# -- reading ---------------------------------------------------------------------------------------------------------


def open_conflicts(stages: Iterable[Stage]) -> list[ResultConflict]:
    """Return what waits for a decision in some stages, with its claims. Two queries."""
    return list(
        ResultConflict.objects.filter(game__stage__in=list(stages), resolved_at__isnull=True)
        .select_related(
            "game__stage__section__tournament", "game__white__player", "game__black__player", "standing__entered_by"
        )
        .prefetch_related("operations__link", "operations__by")
        .order_by("opened_at")
    )


def held_operations(tournament: Tournament) -> list[ResultOperation]:
    """Return the entries of matches nobody has dealt with, oldest first."""
    rows = ResultOperation.objects.filter(tournament=tournament, state=State.HELD, settled_at__isnull=True)
    return list(rows.filter(claim__has_key="match").select_related("link", "by", "tournament").order_by("arrived_at"))
