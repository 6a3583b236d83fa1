"""Rounds paired by hand: each bent rule is named; and wishes to keep two apart, kept as long as they can be."""

from __future__ import annotations

from dataclasses import replace

import pytest

from swiss.engine.hand import Bent, judge
from swiss.engine.plan import Bye, NoValidPairing, Pairing, RoundPlan
from swiss.engine.rounds import pair_round
from swiss.tests.engine.builders import history, start, swiss
from tourney.kernel.colors import Color
from tourney.kernel.errors import TourneyError
from tourney.kernel.ids import EntryId
from tourney.kernel.outcomes import ByeKind
from tourney.kernel.records import History, RoundRecord

W = Color.WHITE
ONE, TWO, THREE, FOUR, FIVE, SIX = (EntryId(number) for number in range(1, 7))
PLAYED = history("3w1", "4b1", "1b0", "2w0", "U")


def by_hand(*pairs: tuple[EntryId, EntryId], bye: EntryId | None = None) -> RoundPlan:
    pairings = tuple(Pairing(board, white, black) for board, (white, black) in enumerate(pairs, 1))
    return RoundPlan(2, pairings, () if bye is None else (Bye(bye, ByeKind.PAIRING),))


def bent(played: History, plan: RoundPlan, *forbidden: frozenset[EntryId]) -> list[Bent]:
    return list(judge(played, swiss(), plan, first_color=W, forbidden=forbidden).bent)


def test_engines_own_round_bends_nothing() -> None:
    own = pair_round(PLAYED, swiss(), first_color=W)

    verdict = judge(PLAYED, swiss(), own, first_color=W)

    assert (verdict.bent, verdict.by_engine) == ((), own)


def test_legal_pair_that_the_rules_do_not_choose_is_a_choice() -> None:
    plan = RoundPlan(1, (Pairing(1, ONE, FOUR), Pairing(2, THREE, TWO)))

    assert bent(start(4), plan) == [Bent("choice", (ONE, FOUR)), Bent("choice", (THREE, TWO))]


def test_turned_colors_are_named_with_their_article() -> None:
    own = pair_round(start(4), swiss(), first_color=W)
    first, *others = own.pairings
    turned = replace(own, pairings=(Pairing(first.board, first.black, first.white), *others))

    assert bent(start(4), turned) == [Bent("color", (THREE, ONE), "5.2.5")]


def test_rematch_and_second_bye_are_named_first() -> None:
    plan = by_hand((THREE, ONE), (TWO, FOUR), bye=FIVE)

    assert bent(PLAYED, plan) == [
        Bent("C2", (FIVE,)),
        Bent("C1", (THREE, ONE)),
        Bent("C1", (TWO, FOUR)),
    ]


def test_forbidden_pair_is_named() -> None:
    own = pair_round(start(4), swiss(), first_color=W)

    assert bent(start(4), own, frozenset({ONE, THREE}))[0] == Bent("forbidden", (ONE, THREE))


def test_player_on_two_boards_and_one_without_a_game_are_named() -> None:
    plan = RoundPlan(1, (Pairing(1, ONE, THREE), Pairing(2, FOUR, ONE)))

    assert bent(start(4), plan)[:2] == [Bent("twice", (ONE,)), Bent("missing", (TWO,))]


def test_bye_nobody_needs_is_named() -> None:
    plan = RoundPlan(1, (Pairing(1, ONE, THREE),), (Bye(TWO, ByeKind.PAIRING), Bye(FOUR, ByeKind.PAIRING)))

    assert bent(start(4), plan) == [Bent("byes", (TWO, FOUR))]


def test_wish_is_kept_when_the_round_allows_it() -> None:
    plan = pair_round(start(4), swiss(), first_color=W, wishes=[frozenset({ONE, THREE})])

    assert [(game.white, game.black) for game in plan.pairings] == [(ONE, FOUR), (THREE, TWO)]
    assert plan.given_up == ()


def test_least_important_wishes_are_given_up_by_name() -> None:
    wishes = [frozenset({ONE, THREE}), frozenset({ONE, FOUR}), frozenset({ONE, TWO})]

    plan = pair_round(start(4), swiss(), first_color=W, wishes=wishes)

    assert [(game.white, game.black) for game in plan.pairings] == [(ONE, TWO), (THREE, FOUR)]
    assert plan.given_up == (frozenset({ONE, TWO}),)


def test_forbidden_pairs_are_never_given_up() -> None:
    with pytest.raises(NoValidPairing):
        pair_round(start(2), swiss(), first_color=W, forbidden=[frozenset({ONE, TWO})])


def test_round_with_open_results_is_not_paired() -> None:
    played = history("2w1", "1b0", "4w1", "3b0")
    open_game = [
        replace(player, rounds=(RoundRecord.pending(W if player.number == 1 else W.other, TWO),))
        if player.number in (1, 2)
        else player
        for player in played.players
    ]

    with pytest.raises(TourneyError) as refused:
        pair_round(replace(played, players=tuple(open_game)), swiss(), first_color=W)

    assert (refused.value.code, refused.value.values) == ("pairing.results_missing", {"entries": [1, 2]})
