"""A board more for a late player in a round that is public already."""

from __future__ import annotations

from itertools import count
from typing import Any

from django.db import transaction
from django.db.models import Max, Q
from django.utils import timezone

from swiss.models import ForbiddenPair, Pairing, Round
from swiss.selectors import boards_elsewhere, fixed_boards
from swiss.services.results import settle_stage, update_standings
from tourney.kernel.errors import TourneyError
from tourney.kernel.outcomes import STANDARD, ByeKind, ResultCode
from tourney.models import Entry, Game, Stage
from tourney.pairing_words import ROUND, key_of, published
from tourney.selectors import stage_entries
from tourney.services.by_the_book import ask, note
from tourney.services.log import log
from tourney.services.stages import bump, lock_stage


@transaction.atomic
def pair_late_entry(
    round_id: int,
    *,
    entry_ids: tuple[int, int | None],
    actor: Any,
    reason: str,
    knowingly: bool = False,
    knowing: int = 0,
) -> Pairing:
    """Add a board for a late player to a published round; the other boards keep their numbers.

    The second entry may be one who has a bye in this round (the bye is given up) or another newcomer; with None the
    late player gets a zero-point bye. White is who had it more rarely. The board is the next one of the hall that no
    other group plays at. Two who have met or are to be kept apart are paired only `knowingly`: ``round.late_met``,
    ``round.late_apart``. Refusals: ``round.not_published``, ``round.already_paired``, ``round.change_needs_reason``,
    ``round.player_not_here``, ``round.late_only_swiss``. By the book a board more asks first (C.04.2, 4.4).
    """
    found = Round.objects.get(pk=round_id)
    stage = lock_stage(found.stage_id, event_first=True)
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
    warning = None if opponent is None else late_warning(stage, round_.number, newcomer, opponent)
    if warning is not None and not knowingly:
        raise warning
    bends = opponent is not None and ask(stage, "late_pair", knowing=knowing, round=round_.number)
    round_.pairings.filter(white_id__in=wanted).exclude(bye="").delete()
    # Whoever could only be paired later plays from now on.
    stage_entries(stage).filter(pk__in=wanted, joined_round__gt=round_.number).update(joined_round=round_.number)
    if opponent is None:
        pairing = Pairing.objects.create(round=round_, white_id=newcomer, bye=ByeKind.ZERO.value, by_hand=True)
    else:
        white, black = _colors_by_hand(stage, opponent, newcomer)
        last = round_.pairings.aggregate(last=Max("board"))["last"] or stage.section.first_board - 1
        elsewhere = {*boards_elsewhere(stage), *fixed_boards(stage).values()}
        board = next(number for number in count(last + 1) if number not in elsewhere)
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
        despite=warning.code if warning is not None else "",
    )
    if bends and pairing.black is not None:
        note(
            stage,
            "late_pair",
            round_number=round_.number,
            actor=actor,
            reason=reason,
            after=[f"{pairing.white.start_number}-{pairing.black.start_number}"],
            round=round_.number,
        )
    published(stage, key_of(ROUND, stage, round_.number))  # whose pairing is the same is told nothing
    return pairing


def late_warning(stage: Stage, number: int, first: int, second: int) -> TourneyError | None:
    """Return what speaks against two players meeting in a round, or None.

    They have met (C.04.1: two players play each other once; a forfeit is no game) or are to be kept apart. Two queries.
    """
    both = Q(white=first, black=second) | Q(white=second, black=first)
    played = [code.value for code in ResultCode if STANDARD.outcome(code).played]
    met = Game.objects.filter(both, stage=stage, round_number__lt=number, outcome__in=["", *played]).first()
    if met is not None:
        return TourneyError("round.late_met", round=met.round_number)
    low, high = sorted((first, second))
    apart = ForbiddenPair.objects.filter(stage=stage, first=low, second=high, from_round__lte=number)
    kept = apart.exclude(to_round__lt=number).first()
    return TourneyError("round.late_apart", reason=kept.reason) if kept is not None else None


def _colors_by_hand(stage: Stage, first: int, second: int) -> tuple[int, int]:
    """Return (white, black): White for who has had it more rarely, else for the first."""
    balance = {first: 0, second: 0}
    for white, black in Game.objects.filter(stage=stage).values_list("white_id", "black_id"):
        if white in balance:
            balance[white] += 1
        if black in balance:
            balance[black] -= 1
    return (second, first) if balance[second] < balance[first] else (first, second)
