"""Pairing a round: the draft, changes of it by hand, throwing it away."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from django.db import transaction

from swiss.models import ByeRequest, Pairing, PairingQuestion, Round
from swiss.plans import scheduled_start
from swiss.questions import new_question
from swiss.selectors import fixed_boards, stage_facts
from swiss.services.hand import lay_out, note_exchange
from swiss.services.operations import check_no_conflict
from tourney.kernel.errors import TourneyError
from tourney.kernel.outcomes import ByeKind
from tourney.models import Entry, Lot, Stage
from tourney.services.by_the_book import ask, note
from tourney.services.log import log
from tourney.services.lots import draw_now
from tourney.services.stages import bump, lock_stage

# What is kept with a round beside its hand session (`Round.explanation`).
GIVEN_UP = "given_up"  # pairs of entries whose wish to be kept apart left no pairing
OPEN_BOARDS = "open_boards"  # [round, board] of games that counted as draws when the round was paired
ADJOURNED = "adjourned"  # pairings that this pairing adjourned: they are played on when it is thrown away


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
def pair_next_round(stage_id: int, *, actor: Any, with_open_games: bool = False, knowing: int = 0) -> Round:
    """Pair the next round as a draft and return it.

    `with_open_games`: games without a result are adjourned by that, and count as draws for this pairing (C.04.2, 3.1);
    by the book that asks first.
    Refusals: ``stage.not_ready`` (entries not closed), ``round.draft_exists``, ``round.results_missing`` (with the
    boards), ``round.no_more``, and the engine's ``pairing.*`` when no pairing keeps the rules.
    """
    stage = lock_stage(stage_id, event_first=True)
    number = _next_number(stage)
    open_boards, adjourned = _adjourn_open_games(stage, allowed=with_open_games)
    names = ", ".join(f"{one}.{board}" for one, board in open_boards)
    bends = bool(open_boards) and ask(stage, "open_games", knowing=knowing, round=number, boards=names)
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
    given_up = [sorted(int(entry) for entry in pair) for pair in plan.given_up]
    if given_up or open_boards:
        round_.explanation = {GIVEN_UP: given_up, OPEN_BOARDS: open_boards, ADJOURNED: adjourned}
        round_.save(update_fields=["explanation"])
    PairingQuestion.objects.create(round=round_, data=question.as_json())
    lay_out(round_, stage, plan.pairings, plan.byes)
    log(
        stage.section.tournament,
        "swiss.round_paired_with_open" if open_boards else "swiss.round_paired",
        actor=actor,
        section=stage.section.code,
        round=number,
        boards=len(plan.pairings),
        open=names,
        given_up="; ".join(" – ".join(facts.entries[pk].name for pk in pair) for pair in given_up),
    )
    if bends:
        note(
            stage,
            "open_games",
            round_number=number,
            actor=actor,
            after=[f"{one}.{board}" for one, board in open_boards],
            snapshot={"draft": round_.pk},
            round=number,
            boards=names,
        )
    return round_


def open_games(stage: Stage) -> list[tuple[int, int]]:
    """Return (round, board) of the games of public rounds that have no result. One query."""
    rows = Pairing.objects.filter(round__stage=stage, game__isnull=False, game__outcome="")
    return list(rows.order_by("round__number", "board").values_list("round__number", "board"))


def _adjourn_open_games(stage: Stage, *, allowed: bool) -> tuple[list[list[int]], list[int]]:
    """Adjourn what is not finished (``round.results_missing`` unless that is allowed).

    Return the boards, and the pairings that somebody had not put off before.
    """
    boards = open_games(stage)
    # The table of a round robin asks nobody's score, but its order of play is one round after the other.
    if boards and not allowed:
        raise TourneyError("round.results_missing", boards=", ".join(str(board) for _, board in boards))
    rows = Pairing.objects.filter(round__stage=stage, game__isnull=False, game__outcome="", adjourned=False)
    fresh = sorted(rows.values_list("pk", flat=True))
    mark_adjourned(stage, fresh, adjourned=True)
    return [list(one) for one in boards], fresh


def mark_adjourned(stage: Stage, pairings: Iterable[int], *, adjourned: bool) -> None:
    """Say of those pairings of a stage that have no result yet whether they are put off; pages show it at once."""
    rows = Pairing.objects.filter(round__stage=stage, pk__in=list(pairings), game__isnull=False, game__outcome="")
    if rows.update(adjourned=adjourned):
        bump(stage)


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
    _keep_fixed_boards(stage, one, other)
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


def _keep_fixed_boards(stage: Stage, one: Pairing, other: Pairing) -> None:
    """Let two rows change boards when an exchange has moved somebody away from the board he always sits at."""
    fixed = {int(entry): board for entry, board in fixed_boards(stage).items()}

    def wanted(row: Pairing) -> set[int]:
        return {fixed[pk] for pk in (row.white_id, row.black_id) if pk in fixed}

    if one.board is None or other.board is None or one is other:
        return
    kept = (one.board in wanted(one)) + (other.board in wanted(other))
    if (other.board in wanted(one)) + (one.board in wanted(other)) > kept:
        one.board, other.board = other.board, one.board


@transaction.atomic
def discard_draft(round_id: int, *, actor: Any) -> None:
    """Throw a draft away (TourneyError ``round.not_draft``); games that it adjourned are simply open again."""
    round_ = Round.objects.get(pk=round_id)
    stage = lock_stage(round_.stage_id)
    round_.refresh_from_db(fields=["state", "explanation"])
    if round_.state != Round.State.DRAFT:
        raise TourneyError("round.not_draft", round=round_.number)
    mark_adjourned(stage, round_.explanation.get(ADJOURNED, ()), adjourned=False)
    round_.delete()
    log(
        stage.section.tournament,
        "swiss.draft_discarded",
        actor=actor,
        section=stage.section.code,
        round=round_.number,
    )
