"""Entering and correcting results, and the standings that follow from them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Count, Q
from django.utils import timezone

from prizes.engine.ranking import Ranking
from swiss.models import Round
from swiss.selectors import PUBLIC_STATES, ranking_of, stage_record
from tourney.kernel.by_the_book import result_act
from tourney.kernel.errors import TourneyError
from tourney.kernel.outcomes import ResultCode
from tourney.models import Game, ResultConflict, ResultRecord, Stage, StandingRow
from tourney.services.by_the_book import ask, is_by_the_book, note, rounds_paired
from tourney.services.log import log
from tourney.services.stages import bump, lock_stage

KNOWN = {code.value for code in ResultCode}

# Why a record is there, where nobody gave a reason; `swiss.boards` says them in words.
CONFLICT = "conflict"
SAME_DEVICE = "same_device"
LATE_TO_ARRIVE = timedelta(seconds=60)  # an entry that came later than this waited for a network: the log says so


@transaction.atomic
def enter_result(
    *,
    stage_id: int,
    game_id: int,
    outcome: str,
    actor: Any = None,
    base_version: int | None = None,
    operation: UUID | None = None,
    reason: str = "",
    moves: int | None = None,
    device: str = "",
    knowing: int = 0,
) -> ResultRecord:
    """Append a result and bring the standings in line; return the record (the old one for a repeated operation).

    `base_version` is the game's version the user looked at: if somebody else has entered another result since, the
    entry is refused with that result (``result.changed_meanwhile``); the same result is accepted as it is. A
    correction of a result needs a reason (``result.correction_needs_reason``); adding the number of moves to it
    doesn't. An empty `outcome` reopens the game. Further refusals: ``result.unknown``, ``result.in_conflict``,
    ``result.round_not_published``, ``result.stage_closed``, ``result.operation_reused``,
    ``result.nothing_to_take_back``. By the book a result of the previous round asks first (`knowing`), one of an older
    round is refused (``book.older_result``).
    """
    if outcome and outcome not in KNOWN:
        raise TourneyError("result.unknown", got=outcome)
    stage = lock_stage(stage_id)
    game = Game.objects.select_related("pairing__round").get(pk=game_id, stage=stage)
    if operation is not None:
        earlier = ResultRecord.objects.filter(operation=operation).first()
        if earlier is not None:
            if earlier.game_id != game.pk or earlier.outcome != outcome:
                raise TourneyError("result.operation_reused")
            return earlier
    current = game.results.filter(successor__isnull=True).select_related("entered_by").order_by("pk").first()
    return enter_under_lock(
        stage,
        game,
        current,
        outcome,
        actor=actor,
        base_version=base_version,
        operation=operation,
        reason=reason,
        moves=moves,
        device=device,
        knowing=knowing,
    )


def enter_under_lock(
    stage: Stage,
    game: Game,
    current: ResultRecord | None,
    outcome: str,
    *,
    actor: Any = None,
    base_version: int | None = None,
    operation: UUID | None = None,
    reason: str = "",
    moves: int | None = None,
    device: str = "",
    entered_at: datetime | None = None,
    deciding: bool = False,
    knowing: int = 0,
) -> ResultRecord:
    """Do what `enter_result` says, for who holds the stage's lock and has the game with its record in force.

    Whatever is refused is refused before anything is written. `entered_at`: when a tablet without a network took the
    entry. A board two people disagree about waits for an arbiter (``result.in_conflict``), who is `deciding`.
    """
    if stage.state == Stage.State.CLOSED:
        raise TourneyError("result.stage_closed")
    round_ = game.pairing.round
    if round_.state not in PUBLIC_STATES:
        raise TourneyError("result.round_not_published", round=round_.number)
    same = current is not None and current.outcome == outcome
    if current is not None and same and (moves is None or moves == current.moves):
        return current
    if not same and base_version is not None and base_version != game.version:
        raise TourneyError(
            "result.changed_meanwhile",
            result=game.outcome,
            by=str(current.entered_by or "") if current else "",
            at=current.at.isoformat() if current else "",
            board=game.board or 0,
        )
    if current is None and not outcome:
        raise TourneyError("result.nothing_to_take_back")
    if current is not None and current.reason == CONFLICT and not deciding and open_conflict(game) is not None:
        raise TourneyError("result.in_conflict", board=game.board or 0)
    if current is not None and current.outcome and not same and not reason.strip():
        raise TourneyError("result.correction_needs_reason", result=current.outcome, board=game.board or 0)
    old = game.outcome
    act = result_act(rounds_paired(stage) - round_.number) if old and not same and is_by_the_book(stage) else ""
    bends = ask(stage, act, knowing=knowing, round=round_.number, board=game.board or 0)

    record = put_in_force(
        stage,
        game,
        outcome,
        supersedes=current,
        entered_by=actor if getattr(actor, "is_authenticated", False) else None,
        reason=reason,
        moves=moves,
        device=device,
        operation=operation,
    )
    waited = entered_at is not None and record.at - entered_at > LATE_TO_ARRIVE
    zone = stage.section.tournament.zone
    log(
        stage.section.tournament,
        ("swiss.moves_noted" if same else "swiss.result_corrected" if old else "swiss.result_entered")
        if not waited
        else "swiss.result_arrived",
        actor=actor,
        label=device,
        reason=reason if reason != SAME_DEVICE else "",
        of_stage=True,
        section=stage.section.code,
        round=round_.number,
        board=game.board,
        result_before=old,
        result=outcome,
        moves=moves,
        entered=f"{entered_at.astimezone(zone):%H:%M}" if waited and entered_at else "",
        arrived=f"{record.at.astimezone(zone):%H:%M}" if waited else "",
    )
    if bends:
        numbers = f"{game.white.start_number}-{game.black.start_number}"
        note(
            stage,
            act,
            round_number=round_.number,
            actor=actor,
            reason=reason,
            before=[f"{numbers}: {old}"],
            after=[f"{numbers}: {outcome}"],
            snapshot={"game": game.pk, "outcome": old},
            round=round_.number,
            board=game.board or 0,
        )
    return record


def open_conflict(game: Game) -> ResultConflict | None:
    """Return the conflict of a board nobody has decided yet."""
    return ResultConflict.objects.filter(game=game, resolved_at__isnull=True).first()


def put_in_force(
    stage: Stage, game: Game, outcome: str, *, supersedes: ResultRecord | None, **fields: Any
) -> ResultRecord:
    """Append a record and bring the game, the round, the standings and the stage in line with it.

    Under the lock of the stage, without a line in the log; `fields` are those of the record.
    """
    now = timezone.now()
    record = ResultRecord.objects.create(game=game, outcome=outcome, at=now, supersedes=supersedes, **fields)
    changed = game.outcome != outcome or supersedes is None
    game.outcome = outcome
    game.version += 1
    game.finished_at = now if outcome else None
    game.save(update_fields=["outcome", "version", "finished_at"])
    if changed:
        round_ = game.pairing.round
        _settle_round(round_, now)
        update_standings(stage, from_round=round_.number)
        settle_stage(stage, round_, now)
        bump(stage)
    return record


@transaction.atomic
def enter_round_results(
    round_id: int, *, outcomes: Mapping[int, str], actor: Any = None, reason: str = ""
) -> list[ResultRecord]:
    """Enter first results of many games of a round at once (a filled-in sheet, a rehearsal); return the records.

    Games that have a result, or aren't of this round, are left alone: nothing is corrected this way. Refusals:
    ``result.unknown``, ``result.round_not_published``, ``result.stage_closed``.
    """
    for outcome in outcomes.values():
        if outcome not in KNOWN:
            raise TourneyError("result.unknown", got=outcome)
    found = Round.objects.get(pk=round_id)
    stage = lock_stage(found.stage_id)
    round_ = Round.objects.get(pk=round_id)
    if stage.state == Stage.State.CLOSED:
        raise TourneyError("result.stage_closed")
    if round_.state not in PUBLIC_STATES:
        raise TourneyError("result.round_not_published", round=round_.number)
    games = list(Game.objects.filter(pairing__round=round_, pk__in=list(outcomes), outcome="").order_by("board"))
    if not games:
        return []
    # A result taken back leaves a record: the new one goes on top of it.
    tops = {
        record.game_id: record
        for record in ResultRecord.objects.filter(game__in=games, successor__isnull=True).order_by()
    }
    now = timezone.now()
    records = ResultRecord.objects.bulk_create(
        [
            ResultRecord(
                game=game,
                outcome=outcomes[game.pk],
                entered_by=actor if getattr(actor, "is_authenticated", False) else None,
                at=now,
                reason=reason,
                supersedes=tops.get(game.pk),
            )
            for game in games
        ]
    )
    for game in games:
        game.outcome, game.finished_at = outcomes[game.pk], now
        game.version += 1
    Game.objects.bulk_update(games, ["outcome", "finished_at", "version"])
    _settle_round(round_, now)
    update_standings(stage, from_round=round_.number)
    settle_stage(stage, round_, now)
    bump(stage)
    log(
        stage.section.tournament,
        "swiss.results_entered",
        actor=actor,
        reason=reason,
        section=stage.section.code,
        round=round_.number,
        boards=len(games),
    )
    return records


def _settle_round(round_: Round, now: datetime) -> None:
    """Say that a round is done with its last result, or is running again.

    Nobody pressed "start": play began at the hour announced, if that has passed, and never later than the first result.
    """
    missing = round_.pairings.filter(game__isnull=False, game__outcome="").exists()
    begun = round_.started_at or (round_.scheduled_at if round_.scheduled_at and round_.scheduled_at <= now else now)
    if missing and (round_.state != Round.State.RUNNING or round_.started_at is None):
        round_.state, round_.finished_at, round_.started_at = Round.State.RUNNING, None, begun
        round_.save(update_fields=["state", "finished_at", "started_at"])
    elif not missing and round_.state != Round.State.DONE:
        round_.state, round_.finished_at, round_.started_at = Round.State.DONE, now, begun
        round_.save(update_fields=["state", "finished_at", "started_at"])


def settle_stage(stage: Stage, round_: Round, now: datetime) -> None:
    """Say that a stage is played out with the last result of its last round, or that it is running again."""
    # The last result of all may belong to an earlier round: an adjourned game is finished when it is finished.
    if stage.state == Stage.State.RUNNING and stage.rounds_total and round_.state == Round.State.DONE:
        states = list(stage.rounds.values_list("state", flat=True))
        if len(states) >= stage.rounds_total and all(state == Round.State.DONE for state in states):
            stage.state, stage.finished_at = Stage.State.FINISHED, now
            stage.save(update_fields=["state", "finished_at"])
    elif stage.state == Stage.State.FINISHED and round_.state != Round.State.DONE:
        stage.state, stage.finished_at = Stage.State.RUNNING, None
        stage.save(update_fields=["state", "finished_at"])


def update_standings(stage: Stage, *, from_round: int | None = None) -> None:
    """Recompute the standings after every public round from `from_round` on and write what changed.

    Usually that is one round; a correction of an earlier one touches every table after it.
    """
    record = stage_record(stage)
    rounds = record.rounds
    if not rounds:
        StandingRow.objects.filter(stage=stage).delete()
        return
    for number in rounds:
        if from_round is None or number >= from_round:
            _write(stage, number, ranking_of(stage, record.history(number)))
    if from_round is None:
        StandingRow.objects.filter(stage=stage).exclude(after_round__in=rounds).delete()


def _write(stage: Stage, number: int, ranking: Ranking) -> None:
    """Write the lines of a table that changed, in one statement, and drop those of entries that are gone.

    As text on both sides: one result moves a few dozen of 300 lines, and taking the JSON of the others apart would cost
    more than ranking them.
    """
    columns = [(f'{{"code": {json.dumps(column.code)}, "text": "', column.texts()) for column in ranking.columns[1:]]
    changed = []
    with connection.cursor() as cursor:
        cursor.execute(_LINES, [stage.pk, number])
        before = {row[0]: row[1:] for row in cursor.fetchall()}
        for line in ranking:
            values = ", ".join([f'{head}{texts[line.index]}"}}' for head, texts in columns])
            now = (line.rank, line.shared, line.points, f"[{values}]")
            if before.pop(line.entry, None) != now:
                changed.append(f"[{line.entry}, {line.rank}, {json.dumps(line.shared)}, {line.points}, [{values}]]")
        if before:
            StandingRow.objects.filter(stage=stage, after_round=number, entry_id__in=list(before)).delete()
        if changed:
            # The ORM's upsert builds a model instance a line; this is four times as fast for a table of 300.
            cursor.execute(_UPSERT, [stage.pk, number, f"[{', '.join(changed)}]"])


_LINES = """
    SELECT entry_id, rank, shared, points, values::text FROM tourney_standingrow
    WHERE stage_id = %s AND after_round = %s
"""
_UPSERT = """
    INSERT INTO tourney_standingrow (stage_id, after_round, entry_id, rank, shared, points, values)
    SELECT %s, %s, (line->>0)::bigint, (line->>1)::int, (line->>2)::boolean, (line->>3)::int, line->4
    FROM jsonb_array_elements(%s::jsonb) AS line
    ON CONFLICT (stage_id, after_round, entry_id) DO UPDATE
    SET rank = EXCLUDED.rank, shared = EXCLUDED.shared, points = EXCLUDED.points, values = EXCLUDED.values
"""


@transaction.atomic
def rebuild(stage_id: int) -> None:
    """Delete a stage's projections and build them again from its facts: outcomes of games, round states, standings."""
    stage = lock_stage(stage_id)
    StandingRow.objects.filter(stage=stage).delete()
    current = {
        record.game_id: record for record in ResultRecord.objects.filter(game__stage=stage, successor__isnull=True)
    }
    entered = dict(
        ResultRecord.objects.filter(game__stage=stage).order_by().values_list("game_id").annotate(number=Count("pk"))
    )
    games = list(stage.games.all())
    for game in games:
        record = current.get(game.pk)
        game.outcome = record.outcome if record else ""
        game.version = entered.get(game.pk, 0)
        game.finished_at = record.at if record and record.outcome else None
    Game.objects.bulk_update(games, ["outcome", "version", "finished_at"])
    open_games = Count("pairings", filter=Q(pairings__game__isnull=False, pairings__game__outcome=""))
    for round_ in stage.rounds.filter(state__in=PUBLIC_STATES).annotate(missing=open_games):
        if not round_.missing:
            state = Round.State.DONE
        else:
            state = Round.State.RUNNING if round_.started_at else Round.State.PUBLISHED
        if state != round_.state:
            Round.objects.filter(pk=round_.pk).update(state=state)
    update_standings(stage)
    bump(stage)
