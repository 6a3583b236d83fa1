"""The initial draw: what is proved before it, the lot, exchanges, confirmation, a repeated draw, a reserve's seed."""

from __future__ import annotations

from typing import Any

import pytest

from brackets.models import Bracket, BracketSeed, Match, MatchEvent, MatchSlot
from brackets.services import (
    apart_plan,
    call_match,
    commit_draw,
    confirm_draw,
    draw_lots,
    draw_plan,
    drop_draw,
    exchange_seeds,
    replace_seed,
    reveal_draw,
    seed_without_lot,
    separate_clubs,
)
from brackets.tests.builders import closed, drawn, fresh, group, match, numbered, play, sides, table
from tourney import panels
from tourney.kernel.chance import verify
from tourney.kernel.errors import TourneyError
from tourney.models import ActionLog, Player, Stage
from tourney.services.stages import close_entries
from tourney.testing import builders

pytestmark = pytest.mark.django_db

NUMBERS = {"Коваль": "417", "Шевчук": "003"}


def refused(code: str, call: Any, *args: Any, **options: Any) -> TourneyError:
    with pytest.raises(TourneyError) as error:
        call(*args, **options)
    assert error.value.code == code
    return error.value


def by_ranks() -> Stage:
    """Return a closed list of 4 candidate masters, 8 of the first and 4 of the second category."""
    section = builders.event("second-chance-32").sections.get()
    for number, level in enumerate(["KMS"] * 4 + ["1"] * 8 + ["2"] * 4):
        builders.entry(section, rating=2000 - number, level=level, club=f"club {number % 5}")
    (stage, *_) = close_entries(section, actor=None)
    return fresh(stage)


@pytest.mark.clause("K7.1")
def test_a_draw_by_ranks_is_committed_then_decided_by_public_numbers() -> None:
    stage = by_ranks()
    lot = commit_draw(stage.pk)
    players = numbered(stage)
    assert lot.manifest["pots"] == [
        [str(players[n].pk) for n in numbers] for numbers in (range(1, 5), range(5, 13), range(13, 17))
    ]
    assert not Bracket.objects.exists()
    refused("draw.numbers_needed", reveal_draw, stage.pk, numbers={" ": "1", "A": " "})
    reveal_draw(stage.pk, numbers=NUMBERS)
    lot.refresh_from_db()
    assert (
        verify(
            {
                "manifest": lot.manifest,
                "secret": lot.secret,
                "entropy": lot.outcome.entropy,
                "commitment": lot.commitment,
                "result": lot.outcome.result,
            }
        )
        is None
    )
    assert lot.outcome.entropy == NUMBERS
    seeds = list(BracketSeed.objects.order_by("seed").values_list("entry_id", flat=True))
    assert seeds == [int(name) for pot in lot.outcome.result for name in pot]
    bracket = Bracket.objects.get()
    assert (bracket.drawn_at, bracket.draw_lot, bracket.params["method"]) == (None, lot, "rank_pots")


@pytest.mark.clause("K5.1")
@pytest.mark.clause("K5.3")
@pytest.mark.clause("K5.4")
@pytest.mark.clause("K5.5")
def test_the_bracket_of_32_has_96_matches_and_all_start_in_the_upper_one() -> None:
    stage = drawn()
    assert Match.objects.count() == 96
    assert MatchSlot.objects.count() == 192
    first = MatchSlot.objects.filter(match__key__startswith="U1.", entry__isnull=False)
    assert first.count() == 32
    assert {m.state for m in Match.objects.filter(key__startswith="U1.")} == {"ready"}
    assert {m.state for m in Match.objects.exclude(key__startswith="U1.")} == {"locked"}
    assert [sides(stage, f"U1.{number}") for number in (1, 2, 9)] == [(1, 32), (16, 17), (2, 31)]


@pytest.mark.clause("K5.6")
def test_the_promise_of_five_matches_is_proved_before_the_draw_or_its_failure_is() -> None:
    plan = draw_plan(closed())
    assert (plan.proof.matches, plan.proof.per_player.least, plan.promise.is_kept) == ((96, 96), 5, True)
    short = draw_plan(closed(27))
    assert (short.players, short.promise.least, short.promise.is_kept) == (27, 3, False)
    assert len(short.promise.seeds_below) > 0


@pytest.mark.parametrize("method", ["free", "two_pots"])
def test_draw_is_decided_by_the_method_that_was_committed(method: str) -> None:
    stage = closed()
    assert draw_plan(stage).method != method
    lot = commit_draw(stage.pk, method=method, reason="half of the field is unrated")
    assert lot.manifest["method"] == method
    reveal_draw(stage.pk, numbers=NUMBERS)
    assert Bracket.objects.get().params["method"] == method
    pots = [{int(one) for one in pot} for pot in lot.manifest["pots"]]
    seeds = list(BracketSeed.objects.order_by("seed").values_list("entry", flat=True))
    assert set(seeds[: len(pots[0])]) == pots[0]


def test_what_a_draw_refuses() -> None:
    stage = closed()
    refused("draw.not_committed", reveal_draw, stage.pk, numbers=NUMBERS)
    refused("draw.method_needs_reason", seed_without_lot, stage.pk, method="fold")
    refused("seeding.unknown_method", commit_draw, stage.pk, method="dice")
    refused("draw.no_lot_needed", commit_draw, stage.pk, method="fold", reason="all rated")
    refused("seeding.lot_needed", seed_without_lot, stage.pk)
    refused("bracket.not_drawn", confirm_draw, stage.pk)
    commit_draw(stage.pk)
    refused("draw.committed_already", commit_draw, stage.pk)
    refused("draw.committed_already", seed_without_lot, stage.pk, method="fold", reason="hurry")
    reveal_draw(stage.pk, numbers=NUMBERS)
    refused("draw.drawn_already", commit_draw, stage.pk)
    confirm_draw(stage.pk)
    refused("draw.confirmed_already", confirm_draw, stage.pk)


def test_nobody_is_called_before_the_draw_is_confirmed() -> None:
    stage = closed()
    refused("bracket.not_drawn", call_match, stage.pk, "U1.1")
    seed_without_lot(stage.pk, method="fold", reason="test")
    refused("bracket.not_drawn", call_match, stage.pk, "U1.1")
    confirm_draw(stage.pk)
    assert call_match(stage.pk, "U1.1").board == 1


def test_an_unknown_rank_is_named() -> None:
    section = group(4)
    odd = builders.entry(section, "Дивний", rating=1500, level="3")
    (stage, *_) = close_entries(section, actor=None)
    assert refused("seeding.unknown_rank", commit_draw, stage.pk).values["entries"] == [odd.pk]


def test_an_order_by_hand_names_everybody_once() -> None:
    stage = closed(4, rules={"size": 4, "minimum_matches": 0})
    players = numbered(stage)
    order = [players[n].pk for n in (3, 1, 4, 2)]
    refused("seeding.not_everybody_once", seed_without_lot, stage.pk, method="manual", order=order[:3], reason="x")
    seed_without_lot(stage.pk, method="manual", order=order, reason="printed table")
    assert list(BracketSeed.objects.order_by("seed").values_list("entry_id", flat=True)) == order
    assert ActionLog.objects.get(action="brackets.seeded").reason == "printed table"


@pytest.mark.clause("K7.1")
def test_seeds_are_exchanged_by_hand_on_record_until_one_has_played() -> None:
    stage = closed()
    seed_without_lot(stage.pk, method="fold", reason="test")
    refused("bracket.reason_needed", exchange_seeds, stage.pk, 1, 2, reason=" ")
    refused("bracket.unknown_seed", exchange_seeds, stage.pk, 1, 33, reason="x")
    refused("seeding.same_seed", exchange_seeds, stage.pk, 2, 2, reason="x")
    chief = builders.user("chief", stage.section.tournament, "chief_arbiter")
    exchange_seeds(stage.pk, 1, 2, reason="brothers", actor=chief)
    assert (sides(stage, "U1.1"), sides(stage, "U1.9")) == ((2, 32), (1, 31))
    event = MatchEvent.objects.get()
    assert (event.kind, event.by, event.reason) == ("seeds_swapped", chief, "brothers")
    assert list(BracketSeed.objects.order_by("seed").values_list("entry__start_number", flat=True))[:2] == [1, 2]
    confirm_draw(stage.pk)
    play(stage, "U1.1", "1 1")
    refused("bracket.already_played", exchange_seeds, stage.pk, 1, 5, reason="late")


def test_club_mates_are_kept_apart_in_the_first_round() -> None:
    section = group(8)
    stage_rules = {"size": 8, "minimum_matches": 0}
    (stage, *_) = close_entries(section, actor=None)
    stage.rules = {**stage.rules, **stage_rules}
    stage.save(update_fields=["rules"])
    players = numbered(stage)
    Player.objects.filter(pk__in=[players[1].player_id, players[8].player_id]).update(club="Шахіст")
    seed_without_lot(stage.pk, method="fold", reason="test")
    stage = fresh(stage)
    found = apart_plan(table(stage), draw_plan(stage))
    assert (found.clashes, found.left) == (((players[1].pk, players[8].pk),), ())
    separate_clubs(stage.pk)
    assert 8 not in sides(stage, "U1.1")
    refused("draw.nothing_to_do", separate_clubs, stage.pk)
    assert {event.reason for event in MatchEvent.objects.filter(kind="seeds_swapped")} == {"club"}


@pytest.mark.clause("K7.1")
def test_a_repeated_draw_has_a_new_number_and_the_dropped_one_stays() -> None:
    stage = closed()
    commit_draw(stage.pk)
    refused("bracket.reason_needed", drop_draw, stage.pk, reason="")
    drop_draw(stage.pk, reason="a player was missing in the list")
    commit_draw(stage.pk)
    reveal_draw(stage.pk, numbers=NUMBERS)
    confirm_draw(stage.pk)
    drop_draw(stage.pk, reason="a wrong class was entered")
    commit_draw(stage.pk)
    lots = list(reversed(draw_lots(stage)))
    assert [lot.number for lot in lots] == [1, 2, 3]
    assert lots[0].outcome.void_reason == "a player was missing in the list"
    assert lots[1].manifest["prev"] == lots[0].outcome.transcript_hash
    assert not Bracket.objects.exists()


def test_a_draw_stands_once_play_has_begun() -> None:
    stage = drawn()
    call_match(stage.pk, "U1.1")
    refused("stage.already_started", drop_draw, stage.pk, reason="again")


def test_a_draw_is_refused_when_somebody_has_left_since_the_commitment() -> None:
    stage = closed(8, rules={"size": 8, "minimum_matches": 0})
    commit_draw(stage.pk)
    gone = numbered(stage)[3]
    gone.state = "withdrawn"
    gone.save(update_fields=["state"])
    refused("draw.field_changed", reveal_draw, stage.pk, numbers=NUMBERS)


# -- a reserve on a no-show's seed -----------------------------------------------------------------------------------


@pytest.mark.clause("K3.4")
def test_a_reserve_takes_the_seed_of_a_no_show_without_a_new_draw() -> None:
    stage = drawn()
    players = numbered(stage)
    call_match(stage.pk, "U1.1", board=3)
    reserve = builders.entry(stage.section, "Запасний", rating=1400, level="1")
    for provider in panels.providers("entry_replaced"):
        provider(players[32], reserve, None)
    slots = dict(MatchSlot.objects.filter(match__key="U1.1").values_list("side", "entry"))
    assert slots == {"a": players[1].pk, "b": reserve.pk}
    # Whoever was called sat down with somebody else: the call is over.
    assert (match(stage, "U1.1").state, match(stage, "U1.1").board) == ("ready", None)
    assert BracketSeed.objects.get(seed=32).entry == players[32]
    assert (MatchEvent.objects.get(kind="replaced").entry, table(stage).ratings[reserve.pk]) == (reserve, 1400)
    play(stage, "U1.1", "0 0")
    assert MatchSlot.objects.get(match__key="U2.1", side="a").entry == reserve


@pytest.mark.clause("K3.4")
def test_a_seed_that_has_played_is_not_given_away() -> None:
    stage = drawn()
    players = numbered(stage)
    reserve = builders.entry(stage.section, "Запасний", rating=1400, level="1")
    play(stage, "U1.1", "1")
    refused("bracket.downstream_playing", replace_seed, players[32], reserve)
    play(stage, "U1.1", "1")
    refused("bracket.already_played", replace_seed, players[32], reserve)
    assert replace_seed(builders.entry(group(2), "Чужий"), reserve) is False
