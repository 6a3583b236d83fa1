"""Whole made-up events read back from damaged records: hardly anything is asked, nothing is ever placed wrongly."""

from __future__ import annotations

from collections import Counter

import pytest

from tourney.game_matching import MOST_SUGGESTIONS, Finder
from tourney.tests.engine.damaged_records import Event, knockout, records, swiss

EVENTS = {
    "32 players, 9 rounds": lambda seed: swiss(32, 9, seed),
    "300 players, 9 rounds": lambda seed: swiss(300, 9, seed),
    "bracket of 32": lambda seed: knockout(32, seed),
}


def placing(event: Event, seed: str) -> tuple[Counter[str], list[str]]:
    """Return how many records were placed right, wrong, or asked about with the right game among the suggestions."""
    finder = Finder(event.games, event.names)
    counts: Counter[str] = Counter()
    notes = []
    for one, tags, result in records(event, seed):
        found = finder.find(tags, result)
        if found.pk == one.pk:
            what = "right"
            assert found.result_differs == (result != one.result)
        elif found.pk is not None:
            what = "wrong"
        else:
            what = "asked, shown" if one.pk in found.suggestions else "asked, not shown"
            assert len(found.suggestions) <= MOST_SUGGESTIONS
        if what == "asked, shown" and one.match and "Round" not in tags:
            what = "asked, no number"  # the games of a match are the same two people on the same day
        counts[what] += 1
        if what != "right":
            names = [event.names[pk][0] for pk in (one.white, one.black)]
            notes.append(f"{what} {found.code}: {tags} is {names}")
    return counts, notes


@pytest.mark.parametrize("kind", EVENTS)
def test_a_damaged_file_of_an_event_is_placed_and_never_wrongly(kind: str) -> None:
    total: Counter[str] = Counter()
    notes: list[str] = []
    for seed in ("1", "2", "3") if "300" in kind else [str(number) for number in range(12)]:
        counts, more = placing(EVENTS[kind](seed), seed)
        total += counts
        notes += more
    said = f"{dict(total)}\n" + "\n".join(notes)
    assert total["wrong"] == 0, said
    answerable = total.total() - total["asked, no number"]
    assert total["right"] >= 0.99 * answerable, said
    assert total["asked, not shown"] <= 0.001 * answerable, said


def test_names_on_the_wrong_sides_are_asked_about_with_the_game_first() -> None:
    event = swiss(32, 9, "sides")
    finder = Finder(event.games, event.names)
    for one in event.games:
        (white,), (black,) = event.names[one.white], event.names[one.black]
        found = finder.find({"White": black, "Black": white, "Round": str(one.round)}, one.result)
        assert (found.pk, found.code, found.suggestions[0]) == (None, "colors", one.pk)


def test_games_of_strangers_find_no_place() -> None:
    event, other = swiss(300, 9, "ours"), swiss(32, 9, "theirs")
    finder = Finder(event.games, event.names)
    ours = {name for (name,) in event.names.values()}
    strangers = {pk for pk, (name,) in other.names.items() if name not in ours}
    found = [
        finder.find(tags, result)
        for one, tags, result in records(other, "theirs")
        if {one.white, one.black} <= strangers
    ]
    assert len(found) > 50
    assert [one for one in found if one.pk is not None] == []
