"""Pairing cards: colour preferences (1.6), floats (1.4), the bye (C2), and colours of a pair (5.2)."""

from __future__ import annotations

import pytest

from swiss.engine.dutch.cards import Card, Float, Strength, build_cards
from swiss.engine.dutch.colors import ColorCost, ColorReason, allocate, cost
from swiss.tests.engine.builders import history
from tourney.kernel.colors import Color
from tourney.kernel.ids import EntryId
from tourney.kernel.outcomes import Scoring
from tourney.kernel.points import HALF, ZERO
from tourney.kernel.records import History

W, B = Color.WHITE, Color.BLACK


def cards(played: History) -> dict[int, Card]:
    present = frozenset(player.entry for player in played.players)
    return {card.number: card for card in build_cards(played, present)}


@pytest.mark.parametrize(
    ("rounds", "preference", "strength"),
    [
        ("Z", None, Strength.NONE),
        ("2w+", None, Strength.NONE),  # a forfeit has no colour
        ("2w1", B, Strength.STRONG),
        ("2w1 3b0", W, Strength.MILD),
        ("2w1 3w0", B, Strength.ABSOLUTE),
        ("2w1 U 3w0", B, Strength.ABSOLUTE),  # rounds without a game are skipped
        ("2w1 3b- 3b=", W, Strength.MILD),
        ("2b1 3w0 4w0", B, Strength.ABSOLUTE),
        ("2w1 3w0 4b0 5w1", B, Strength.ABSOLUTE),
        ("2w1 3b0 4w0", B, Strength.STRONG),
    ],
)
def test_preference_follows_the_games_played(rounds: str, preference: Color | None, strength: Strength) -> None:
    others = [" ".join("Z" for _ in rounds.split())] * 4

    card = cards(history(rounds, *others))[1]

    assert (card.preference, card.strength) == (preference, strength)


def test_floats_follow_the_scores_before_the_round() -> None:
    played = history("2w1 3b0 2w1", "1b0 4w1 1b0", "4w1 1w1 U", "3b0 2b0 H")

    seen = {number: (card.last_float, card.float_before) for number, card in cards(played).items()}

    assert seen == {
        1: (Float.NONE, Float.NONE),
        2: (Float.NONE, Float.NONE),
        3: (Float.DOWN, Float.NONE),
        4: (Float.DOWN, Float.NONE),
    }


@pytest.mark.parametrize(
    ("rounds", "float_"),
    [
        ("Z", Float.NONE),
        ("2w-", Float.NONE),
        ("2w+", Float.DOWN),
        ("H", Float.DOWN),
        ("F", Float.DOWN),
        ("U", Float.DOWN),
    ],
)
def test_round_without_a_game_floats_down_only_when_it_gave_points(rounds: str, float_: Float) -> None:
    assert cards(history(rounds, "Z"))[1].last_float is float_


def test_bye_worth_nothing_is_a_downfloat_all_the_same() -> None:
    assert cards(history("U", "Z", scoring=Scoring(pairing_bye=ZERO)))[1].last_float is Float.DOWN


@pytest.mark.parametrize(
    ("rounds", "eligible"),
    [("Z", True), ("H", True), ("2w-", True), ("2w1", True), ("2w+", False), ("F", False), ("U", False)],
)
def test_bye_goes_to_nobody_who_had_a_whole_point_without_playing(rounds: str, eligible: bool) -> None:
    assert cards(history(rounds, "Z"))[1].may_get_bye is eligible


def test_half_point_bye_of_the_pairing_still_bars_a_second_one() -> None:
    assert cards(history("U", "Z", scoring=Scoring(pairing_bye=HALF)))[1].may_get_bye is False


def test_parity_counts_only_those_who_were_paired() -> None:
    played = history("3w1", "Z", "1b0", "U")

    present = frozenset({EntryId(1), EntryId(3), EntryId(4)})
    parity = {card.number: card.is_odd for card in build_cards(played, present)}

    assert parity == {1: True, 3: False, 4: True}


@pytest.mark.parametrize(
    ("first", "second", "color", "reason"),
    [
        ("3w1", "4b1", B, ColorReason.BOTH_PREFERENCES),
        ("3w1", "Z", B, ColorReason.BOTH_PREFERENCES),
        ("Z", "4b0", B, ColorReason.BOTH_PREFERENCES),
        ("3w1 4w1", "Z 3w1", B, ColorReason.STRONGER_PREFERENCE),
        ("Z 3b1", "3b0 4b1", B, ColorReason.STRONGER_PREFERENCE),
        ("3w1 4b1 3w1", "4b1 3w1 4w1", W, ColorReason.STRONGER_PREFERENCE),
        ("3b1 4w0 3w1 4b1", "3w1 4b0 3w0 4b1", B, ColorReason.LAST_DIFFERENCE),
        ("3w1 4b1", "4w1 3b1", W, ColorReason.HIGHER_RANKED),
        ("Z", "Z", W, ColorReason.NUMBER_PARITY),
    ],
)
def test_colors_follow_article_5_2(first: str, second: str, color: Color, reason: ColorReason) -> None:
    rounds = len(first.split())
    absent = " ".join(["Z"] * rounds)
    table = cards(history(first, second, absent, absent))

    assert allocate(table[1], table[2], W) == (color, reason)


def test_color_cost_counts_missed_preferences() -> None:
    table = cards(history("3w1 4b1", "4w1 3b1", "1b0 2w0", "2b0 1w0", "Z 6w1", "Z 5b0", "Z 8w1", "Z 7b0"))

    assert cost(table[1], table[2]) == ColorCost(0, 0, 1, 0)
    assert cost(table[5], table[7]) == ColorCost(0, 0, 1, 1)
    assert cost(table[5], table[6]) == ColorCost(0, 0, 0, 0)
