"""The shape of a paired round: brackets, who goes down and why, and whom the plain order would give."""

from __future__ import annotations

from swiss.engine.check import first_color_of, rules_of
from swiss.engine.explain import Explanation, Reason, explain_round
from swiss.engine.outline import NOBODY_LEFT, ODD, Floater, natural_opponent, outline, stays
from swiss.engine.simulate import simulate
from swiss.tests.engine.builders import history, start, swiss
from tourney.kernel.colors import Color
from tourney.kernel.ids import EntryId

W = Color.WHITE
ONE, TWO, THREE, FOUR, FIVE, SIX = (EntryId(number) for number in range(1, 7))


def made_up(players: int, number: int, seed: int) -> Explanation:
    trf = simulate(players, number + 1, seed)
    return explain_round(
        trf.history(number - 1),
        rules_of(trf),
        absent={EntryId(player): kind for player, kind in trf.byes_of_round(number).items()},
        first_color=first_color_of(trf),
    )


def test_first_round_is_one_bracket_whose_last_player_has_the_bye() -> None:
    shape = outline(explain_round(start(5), swiss(), first_color=W), 1)

    assert (shape.number, shape.score, shape.residents, shape.pairs, shape.moved_down) == (1, 0, 5, 2, ())
    assert shape.floaters == (Floater(FIVE, 0, ODD, gets_bye=True),)


def test_who_is_alone_with_a_score_comes_down_without_a_choice() -> None:
    played = history("2w1", "1b0", "4w=", "3b=")

    explanation = explain_round(played, swiss(), first_color=W)

    assert outline(explanation, 1).floaters == (Floater(ONE, 2, NOBODY_LEFT, gets_bye=False),)
    assert outline(explanation, 2).moved_down == (Floater(ONE, 2, NOBODY_LEFT, gets_bye=False),)
    assert stays(explanation, 1) == ()


def test_everybody_ranked_below_a_floater_has_a_reason_to_stay() -> None:
    found = 0
    for seed in range(1, 12):
        explanation = made_up(25, 4, seed)
        for number, step in enumerate(explanation.pairing.steps, 1):
            for entry, reason in stays(explanation, number):
                found += 1
                assert entry != explanation.field.cards[step.paired.floaters[0]].entry
                assert reason.rule in ("C2", "C4", "order") or (reason.rule, reason.value) < (reason.rule, reason.other)
    assert found


def test_the_plain_order_gives_the_same_place_of_the_other_half() -> None:
    played = history("4w1", "5w1", "6w1", "1b0", "2b0", "3b0")
    explanation = explain_round(played, swiss(), first_color=W)

    # Three with a point: the first two would meet, and do; the third goes down.
    pair = explanation.pair(ONE)
    assert pair is not None
    assert (pair.lower.entry, natural_opponent(explanation, ONE)) == (TWO, None)


def test_the_plain_order_also_holds_in_a_remainder() -> None:
    shifted = 0
    for seed in range(1, 10):
        explanation = made_up(22, 4, seed)
        for view in explanation.pairs():
            natural = natural_opponent(explanation, view.higher.entry)
            if natural is None:
                continue
            shifted += 1
            reason = explanation.against(view.higher.entry, natural)
            assert isinstance(reason, Reason)
    assert shifted
