"""Pairing a round: draft, changes by hand, publishing and taking back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from swiss.models import ByeRequest, Pairing, PairingQuestion, Round
from swiss.plans import scheduled_start
from swiss.questions import new_question
from swiss.selectors import stage_facts
from swiss.services.hand import end_session, lay_out, note_exchange
from swiss.services.operations import check_no_conflict
from swiss.services.results import settle_stage, update_standings
from tourney.kernel.errors import TourneyError
from tourney.kernel.outcomes import ByeKind, ResultCode
from tourney.models import Entry, Game, Lot, ResultRecord, Stage, Tournament
from tourney.selectors import stage_entries
from tourney.services.log import log
from tourney.services.lots import draw_now
from tourney.services.stages import bump, lock_stage, set_tournament_state

# Why a table's game against somebody who has left has a result before anybody sat down.
WITHDRAWN = "withdrawn"


def entries_for_round(entries: Mapping[int, Entry], number: int) -> list[Entry]:
    """Return who can be paired in a round: active, entered by then, not gone before."""
    return [
        entry
        for entry in entries.values()
        if entry.is_active
        and entry.joined_round <= number
        and (entry.left_after_round is None or entry.left_after_round >= number)
    ]


@transaction.atomic
def pair_next_round(stage_id: int, *, actor: Any) -> Round:
    """Pair the next round as a draft and return it.

    Refusals: ``stage.not_ready`` (entries not closed), ``round.draft_exists``, ``round.results_missing`` (with the
    boards), ``round.no_more``, and the engine's ``pairing.*`` when no pairing keeps the rules.
    """
    stage = lock_stage(stage_id, event_first=True)
    number = _next_number(stage)
    facts = stage_facts(stage)
    available = entries_for_round(facts.entries, number)
    requested = {
        request.entry_id: ByeKind(request.kind)
        for request in ByeRequest.objects.filter(stage=stage, round_number=number, entry__in=available)
    }
    lot = _first_color(stage, actor) if stage.kind == Stage.Kind.SWISS else None
    question = new_question(stage, facts, number, {entry.pk for entry in available}, requested, lot)
    plan = question.plan
    if stage.kind == Stage.Kind.SWISS:
        here = {entry.pk for entry in available}
        plan = replace(plan, byes=tuple(bye for bye in plan.byes if bye.entry in here))
    round_ = Round.objects.create(
        stage=stage,
        number=number,
        scheduled_at=scheduled_start(stage, number),
        paired_by=actor if getattr(actor, "is_authenticated", False) else None,
    )
    PairingQuestion.objects.create(round=round_, data=question.as_json())
    lay_out(round_, plan.pairings, plan.byes, stage.section.first_board)
    log(
        stage.section.tournament,
        "swiss.round_paired",
        actor=actor,
        section=stage.section.code,
        round=number,
        boards=len(plan.pairings),
    )
    return round_


def _next_number(stage: Stage) -> int:
    if stage.state == Stage.State.PLANNED:
        raise TourneyError("stage.not_ready")
    if stage.state == Stage.State.CLOSED:
        raise TourneyError("result.stage_closed")
    last = stage.rounds.order_by("-number").first()
    if last is None:
        return 1
    if last.state == Round.State.DRAFT:
        raise TourneyError("round.draft_exists", round=last.number)
    check_no_conflict(stage)
    missing = Pairing.objects.filter(round__stage=stage, game__isnull=False, game__outcome="").order_by("board")
    boards = [str(board) for board in missing.values_list("board", flat=True)]
    if boards:
        raise TourneyError("round.results_missing", boards=", ".join(boards))
    if stage.rounds_total and last.number >= stage.rounds_total:
        raise TourneyError("round.no_more", rounds=stage.rounds_total)
    return last.number + 1


def _first_color(stage: Stage, actor: Any) -> str:
    """Draw the colour of the first board once; a cancelled first round keeps its lot (C.04.2: recorded)."""
    tournament = stage.section.tournament
    subject = f"{stage.section.code}:{stage.code}"
    fixed = stage.rules.get("first_color", "lot")
    if fixed in ("white", "black"):
        return str(fixed)
    earlier = (
        Lot.objects.filter(tournament=tournament, purpose=Lot.Purpose.FIRST_COLOR, subject=subject)
        .select_related("outcome")
        .first()
    )
    outcome = (
        earlier.outcome
        if earlier is not None
        else draw_now(
            tournament,
            purpose=Lot.Purpose.FIRST_COLOR,
            subject=subject,
            kind="coin",
            entrants=["white", "black"],
            actor=actor,
        )
    )
    return str(outcome.result)


@transaction.atomic
def change_pairing(round_id: int, *, first_id: int, second_id: int, actor: Any, reason: str) -> Round:
    """Exchange two players of a draft (or give one the other's bye); the same player twice changes the colours.

    `first_id` and `second_id` are entries. Refusals: ``round.not_draft``, ``round.player_not_paired``,
    ``round.change_needs_reason``.
    """
    round_ = Round.objects.select_related("stage").get(pk=round_id)
    stage = lock_stage(round_.stage_id)
    round_.refresh_from_db(fields=["state", "explanation"])
    if round_.state != Round.State.DRAFT:
        raise TourneyError("round.not_draft", round=round_.number)
    if not reason.strip():
        raise TourneyError("round.change_needs_reason")
    pairings = list(round_.pairings.all())
    place = {}
    for pairing in pairings:
        place[pairing.white_id] = (pairing, "white_id")
        if pairing.black_id:
            place[pairing.black_id] = (pairing, "black_id")
    if first_id not in place or second_id not in place:
        raise TourneyError("round.player_not_paired")
    (one, one_side), (other, other_side) = place[first_id], place[second_id]
    if one is other:
        if not one.black_id:
            raise TourneyError("round.player_not_paired")
        one.white_id, one.black_id = one.black_id, one.white_id
    else:
        setattr(one, one_side, second_id)
        setattr(other, other_side, first_id)
    touched = {one.pk: one, other.pk: other}
    # The unique constraints see no half-done exchange: the two rows are written anew.
    Pairing.objects.filter(pk__in=touched).delete()
    for pairing in touched.values():
        pairing.by_hand = True
    Pairing.objects.bulk_create(
        [
            Pairing(
                round=round_,
                board=p.board,
                white_id=p.white_id,
                black_id=p.black_id,
                bye=p.bye,
                by_hand=True,
            )
            for p in touched.values()
        ]
    )
    note_exchange(round_, stage, first=first_id, second=second_id, reason=reason, actor=actor)
    names = [entry.name for entry in Entry.objects.filter(pk__in=[first_id, second_id]).select_related("player")]
    log(
        stage.section.tournament,
        "swiss.pairing_changed",
        actor=actor,
        reason=reason,
        section=stage.section.code,
        round=round_.number,
        first=first_id,
        second=second_id,
        names=" – ".join(names),
    )
    return round_


@transaction.atomic
def discard_draft(round_id: int, *, actor: Any) -> None:
    """Throw a draft away (TourneyError ``round.not_draft``)."""
    round_ = Round.objects.get(pk=round_id)
    stage = lock_stage(round_.stage_id)
    round_.refresh_from_db(fields=["state"])
    if round_.state != Round.State.DRAFT:
        raise TourneyError("round.not_draft", round=round_.number)
    round_.delete()
    log(
        stage.section.tournament,
        "swiss.draft_discarded",
        actor=actor,
        section=stage.section.code,
        round=round_.number,
    )


@transaction.atomic
def publish_round(round_id: int, *, actor: Any, scheduled_at: datetime | None = None) -> Round:
    """Show a draft to everybody: games are made, the standings get their new table (``round.not_draft``)."""
    round_ = Round.objects.get(pk=round_id)
    stage = lock_stage(round_.stage_id, event_first=True)
    round_.refresh_from_db(fields=["state", "scheduled_at", "explanation"])
    if round_.state != Round.State.DRAFT:
        raise TourneyError("round.not_draft", round=round_.number)
    pairings = list(round_.pairings.all())
    end_session(round_, stage, pairings, actor=actor)
    clock = stage.rules.get("clock", {}).get("main", "")
    paired = [pairing for pairing in pairings if pairing.black_id]
    games = Game.objects.bulk_create(
        [
            Game(
                stage=stage,
                round_number=round_.number,
                board=pairing.board,
                white_id=pairing.white_id,
                black_id=pairing.black_id,
                time_control=clock,
                scheduled_at=scheduled_at or round_.scheduled_at,
            )
            for pairing in paired
        ]
    )
    for pairing, game in zip(paired, games, strict=True):
        pairing.game = game
    Pairing.objects.bulk_update(paired, ["game"])
    round_.state = Round.State.PUBLISHED if paired else Round.State.DONE
    round_.published_at = timezone.now()
    if scheduled_at is not None:
        round_.scheduled_at = scheduled_at
    round_.save(update_fields=["state", "published_at", "scheduled_at"])
    if stage.kind == Stage.Kind.ROUND_ROBIN:
        _forfeit_games_of_the_gone(round_, paired)
    if stage.state == Stage.State.READY:
        stage.state, stage.started_at = Stage.State.RUNNING, timezone.now()
        stage.save(update_fields=["state", "started_at"])
    tournament = stage.section.tournament
    if tournament.state in (
        Tournament.State.REGISTRATION,
        Tournament.State.CLOSED,
        Tournament.State.DRAFT,
    ):
        set_tournament_state(tournament, Tournament.State.RUNNING, actor=actor)
    update_standings(stage, from_round=round_.number)
    settle_stage(stage, round_, timezone.now())
    bump(stage)
    log(
        tournament,
        "swiss.round_published",
        actor=actor,
        section=stage.section.code,
        round=round_.number,
    )
    return round_


def _forfeit_games_of_the_gone(round_: Round, paired: list[Pairing]) -> None:
    """Give the points of the table's games against players who have left the event: nobody waits for them."""
    ids = {entry for pairing in paired for entry in (pairing.white_id, pairing.black_id)}
    gone = {
        entry.pk
        for entry in Entry.objects.filter(pk__in=ids)
        if not entry.is_active or (entry.left_after_round is not None and entry.left_after_round < round_.number)
    }
    now = timezone.now()
    for pairing in paired:
        absent = (pairing.white_id in gone, pairing.black_id in gone)
        if not any(absent) or pairing.game is None:
            continue
        outcome = {
            (True, True): ResultCode.DOUBLE_FORFEIT,
            (True, False): ResultCode.BLACK_FORFEIT_WIN,
            (False, True): ResultCode.WHITE_FORFEIT_WIN,
        }[absent]
        game = pairing.game
        game.outcome, game.version, game.finished_at = outcome.value, 1, now
        game.save(update_fields=["outcome", "version", "finished_at"])
        ResultRecord.objects.create(game=game, outcome=outcome.value, at=now, reason=WITHDRAWN)
    if paired and all(pairing.game is not None and pairing.game.outcome for pairing in paired):
        round_.state, round_.finished_at = Round.State.DONE, now
        round_.save(update_fields=["state", "finished_at"])


@transaction.atomic
def unpublish_round(round_id: int, *, actor: Any, reason: str) -> Round:
    """Take the newest round back to a draft while none of its games has a result.

    Refusals: ``round.has_results`` (boards), ``round.not_newest``, ``round.change_needs_reason``.
    """
    round_ = Round.objects.get(pk=round_id)
    stage = lock_stage(round_.stage_id)
    round_.refresh_from_db(fields=["state"])
    if not reason.strip():
        raise TourneyError("round.change_needs_reason")
    if stage.rounds.aggregate(last=Max("number"))["last"] != round_.number:
        raise TourneyError("round.not_newest", round=round_.number)
    entered = Game.objects.filter(pairing__round=round_, results__isnull=False).values_list("board", flat=True)
    if entered.exclude(results__reason=WITHDRAWN).exists():
        raise TourneyError(
            "round.has_results",
            n=round_.number,
            boards=", ".join(str(board) for board in sorted(set(entered))),
        )
    games = list(Game.objects.filter(pairing__round=round_))
    round_.pairings.update(game=None)
    Game.objects.filter(pk__in=[game.pk for game in games]).delete()
    round_.state, round_.published_at, round_.started_at, round_.finished_at = (
        Round.State.DRAFT,
        None,
        None,
        None,
    )
    round_.save(update_fields=["state", "published_at", "started_at", "finished_at"])
    if round_.number == 1 and stage.state == Stage.State.RUNNING:
        stage.state, stage.started_at = Stage.State.READY, None
        stage.save(update_fields=["state", "started_at"])
    update_standings(stage)
    bump(stage)
    log(
        stage.section.tournament,
        "swiss.round_unpublished",
        actor=actor,
        reason=reason,
        section=stage.section.code,
        round=round_.number,
    )
    return round_


@transaction.atomic
def pair_late_entry(round_id: int, *, entry_ids: tuple[int, int | None], actor: Any, reason: str) -> Pairing:
    """Add a board for a late player to a published round; the other boards keep their numbers.

    The second entry may be one who has a bye in this round (the bye is given up) or another newcomer; with None the
    late player gets a zero-point bye. White is who had it more rarely. Refusals: ``round.not_published``,
    ``round.already_paired``, ``round.change_needs_reason``, ``round.player_not_here``, ``round.late_only_swiss``.
    """
    found = Round.objects.get(pk=round_id)
    stage = lock_stage(found.stage_id)
    round_ = Round.objects.get(pk=round_id)
    if stage.kind != Stage.Kind.SWISS:
        raise TourneyError("round.late_only_swiss")
    if round_.state == Round.State.DRAFT or stage.state == Stage.State.CLOSED:
        raise TourneyError("round.not_published", round=round_.number)
    if not reason.strip():
        raise TourneyError("round.change_needs_reason")
    newcomer, opponent = entry_ids
    wanted = [entry for entry in entry_ids if entry is not None]
    if newcomer == opponent or stage_entries(stage).filter(pk__in=wanted, state__in=Entry.IN_PLAY).count() != len(
        wanted
    ):
        raise TourneyError("round.player_not_here")
    taken = {entry for row in round_.pairings.filter(bye="").values_list("white_id", "black_id") for entry in row}
    if not taken.isdisjoint(wanted):
        raise TourneyError("round.already_paired")
    round_.pairings.filter(white_id__in=wanted).exclude(bye="").delete()
    # Whoever could only be paired later plays from now on.
    stage_entries(stage).filter(pk__in=wanted, joined_round__gt=round_.number).update(joined_round=round_.number)
    if opponent is None:
        pairing = Pairing.objects.create(round=round_, white_id=newcomer, bye=ByeKind.ZERO.value, by_hand=True)
    else:
        white, black = _colors_by_hand(stage, opponent, newcomer)
        board = (round_.pairings.aggregate(last=Max("board"))["last"] or stage.section.first_board - 1) + 1
        game = Game.objects.create(
            stage=stage,
            round_number=round_.number,
            board=board,
            white_id=white,
            black_id=black,
            time_control=stage.rules.get("clock", {}).get("main", ""),
            scheduled_at=round_.scheduled_at,
        )
        pairing = Pairing.objects.create(
            round=round_, board=board, white_id=white, black_id=black, game=game, by_hand=True
        )
        if round_.state == Round.State.DONE:
            round_.state, round_.finished_at = Round.State.RUNNING, None
            round_.save(update_fields=["state", "finished_at"])
            settle_stage(stage, round_, timezone.now())
    update_standings(stage, from_round=round_.number)
    bump(stage)
    log(
        stage.section.tournament,
        "swiss.late_paired",
        actor=actor,
        reason=reason,
        section=stage.section.code,
        round=round_.number,
        board=pairing.board,
    )
    return pairing


def _colors_by_hand(stage: Stage, first: int, second: int) -> tuple[int, int]:
    """Return (white, black): White for who has had it more rarely, else for the first."""
    balance = {first: 0, second: 0}
    for white, black in Game.objects.filter(stage=stage).values_list("white_id", "black_id"):
        if white in balance:
            balance[white] += 1
        if black in balance:
            balance[black] -= 1
    return (second, first) if balance[second] < balance[first] else (first, second)
