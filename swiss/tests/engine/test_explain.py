"""Why this pair: places, colours, and the first criterion that speaks against another one."""

from __future__ import annotations

from pathlib import Path

import pytest

from swiss.engine.check import first_color_of, rules_of
from swiss.engine.dutch.exact import pair_bracket, solve_whole
from swiss.engine.explain import Explanation, Reason, explain_round
from swiss.engine.simulate import Habits, simulate
from swiss.tests.engine.builders import history, start, swiss
from tourney.kernel.colors import Color
from tourney.kernel.errors import TourneyError
from tourney.kernel.ids import EntryId
from tourney.kernel.trf import parse

DATA = Path(__file__).parent / "data" / "swiss"
W = Color.WHITE
ONE, TWO, THREE, FOUR, FIVE = (EntryId(number) for number in range(1, 6))


def of_file(name: str, number: int) -> Explanation:
    trf = parse((DATA / name).read_bytes())
    return explain_round(
        trf.history(number - 1),
        rules_of(trf),
        absent={EntryId(player): kind for player, kind in trf.byes_of_round(number).items()},
        first_color=first_color_of(trf),
        forbidden=trf.forbidden_pairs(number),
        virtual_points=trf.virtual_points(number),
    )


def test_pair_of_the_first_round_shows_halves_and_places() -> None:
    view = explain_round(start(6), swiss(), first_color=W).pair(FIVE)

    assert view is not None
    assert (view.bracket, view.color_reason) == (1, "5.2.5")
    assert (view.higher.entry, view.higher.half, view.higher.place, view.higher.color) == (TWO, "S1", 2, Color.BLACK)
    assert (view.lower.entry, view.lower.half, view.lower.place, view.lower.color) == (FIVE, "S2", 2, W)


def test_pair_that_was_made_has_nothing_against_it() -> None:
    assert explain_round(start(4), swiss(), first_color=W).against(ONE, THREE) is None


def test_equally_good_pair_comes_later_in_order() -> None:
    assert explain_round(start(4), swiss(), first_color=W).against(ONE, FOUR) == Reason("order", 1)


def test_rematch_and_forbidden_pair_are_named() -> None:
    played = history("3w1", "4b1", "1b0", "2w0")

    explanation = explain_round(played, swiss(), first_color=W, forbidden=[frozenset({ONE, FOUR})])

    assert explanation.against(ONE, THREE) == Reason("C1")
    assert explanation.against(ONE, FOUR) == Reason("forbidden")


def test_pair_across_brackets_costs_downfloaters() -> None:
    played = history("3w1", "4b1", "1b0", "2w0")

    reason = explain_round(played, swiss(), first_color=W).against(ONE, FOUR)

    assert reason == Reason("C6", 1, 0, 2)


def test_bye_for_a_higher_score_is_worse_by_c5() -> None:
    played = history("3w1", "4b1", "1b0", "2w0", "Z")

    explanation = explain_round(played, swiss(), first_color=W)

    assert explanation.bye() is not None
    assert explanation.against_bye(ONE) == Reason("C5", value=0, other=2)


def test_bye_after_a_bye_is_barred_by_c2() -> None:
    played = history("3w1", "4b1", "1b0", "2w0", "U")

    assert explain_round(played, swiss(), first_color=W).against_bye(FIVE) == Reason("C2")


def test_player_who_is_not_there_is_refused() -> None:
    with pytest.raises(TourneyError) as refused:
        explain_round(start(4), swiss(), first_color=W).against(ONE, EntryId(9))

    assert (refused.value.code, refused.value.values) == ("explain.not_in_round", {"entry": 9})


@pytest.mark.parametrize("name", ["small_227_n013_r11.trf", "mix_113_n017_r08.trf", "gen_021_n028_r07.trf"])
def test_no_other_pair_is_better_in_the_deciding_criterion(name: str) -> None:
    """The values come from the definitions, not from the matching's weights: each reason is a proof against a rival."""
    explanation = of_file(name, 5)
    entries = [card.entry for card in explanation.field.cards]

    for first in entries[::3]:
        for second in entries:
            if first == second or (reason := explanation.against(first, second)) is None:
                continue
            if reason.rule not in ("C1", "C3", "C4", "C5", "forbidden", "order"):
                assert (reason.rule, reason.value) < (reason.rule, reason.other), (first, second, reason)


@pytest.mark.parametrize("name", ["small_227_n013_r11.trf", "mix_113_n017_r08.trf"])
def test_short_ways_to_a_reason_give_the_same_as_the_long_one(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    short, long = of_file(name, 5), of_file(name, 5)
    entries = [card.entry for card in short.field.cards]
    found = {(a, b): short.against(a, b) for a in entries for b in entries if a < b}
    byes = {a: short.against_bye(a) for a in entries}

    monkeypatch.setattr("swiss.engine.explain.unbeaten_pairing", lambda *_: None)
    monkeypatch.setattr("swiss.engine.explain.near_values", lambda *_: None)

    assert {(a, b): long.against(a, b) for a, b in found} == found
    assert {a: long.against_bye(a) for a in byes} == byes


def test_reasons_of_a_first_round_of_hundreds_take_no_weighing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one score group of a first round is far too large to be weighed: two of one half must be told at once."""
    trf = simulate(400, 9, 7, Habits(absent=0, late=0, half_bye=0, full_bye=0))
    explanation = explain_round(trf.history(0), rules_of(trf), first_color=first_color_of(trf))
    asked = []
    for solve in ("solve_values_near", "solve_values"):
        monkeypatch.setattr(f"swiss.engine.explain.{solve}", lambda *_: asked.append(1))

    reason = explanation.against(EntryId(3), EntryId(17))

    assert (reason and reason.rule, asked) == ("order", [])


@pytest.mark.parametrize("name", sorted(path.name for path in DATA.glob("*.trf")))
def test_quick_and_whole_solution_of_a_bracket_are_the_same(name: str) -> None:
    trf = parse((DATA / name).read_bytes())
    for number in range(2, trf.rounds_done + 1, 2):
        explanation = of_file(name, number)
        for step in explanation.pairing.steps:
            whole = solve_whole(explanation.field, step.bracket)

            assert whole is not None
            assert pair_bracket(explanation.field, step.bracket) == whole[0] == step.paired
