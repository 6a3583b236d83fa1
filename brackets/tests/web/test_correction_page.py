"""A correction before it is made: on the tree, in words, for both choices; and exactly back again."""

from __future__ import annotations

import re
from typing import Any

import pytest

from brackets.models import MatchEvent
from brackets.tests.builders import drawn, everything_shown, match, numbered, play
from brackets.tests.web.helpers import reader, seen, signed_in, text_of, url
from tourney.models import Game, Stage

pytestmark = pytest.mark.django_db


def stage_with_played_matches() -> Stage:
    """Seed 1 and seed 16 have won, met in U2.1; the losers met in L1.1; P25.1 waits for its second player."""
    stage = drawn()
    for key in ("U1.1", "U1.2", "U1.3", "U2.1", "L1.1"):
        play(stage, key, "1 1")
    return stage


def other_result(stage: Stage, key: str, number: int) -> dict[str, str]:
    outcome = Game.objects.get(stage=stage, match_key=key, game_number=number).outcome
    return {"number": str(number), "outcome": {"1-0": "0-1", "0-1": "1-0"}[outcome]}


def preview_page(stage: Stage, change: dict[str, str]) -> Any:
    answer = signed_in(stage, "chief_arbiter").get(url("manage_match_correct", stage, "U1.1"), change)
    assert answer.status_code == 200
    return answer


def looks(html: str) -> dict[str, str]:
    """Return the look of every match drawn on the page's trees."""
    found = re.findall(r'<g class="dr-match([^"]*)"[^>]*>.*?<text class="dr-label"[^>]*>([^<]+)<', html)
    return {label: look.strip().removeprefix("dr-") for look, label in found}


def test_the_tree_shows_each_change_with_a_look_and_a_word() -> None:
    stage = stage_with_played_matches()
    answer = preview_page(stage, {"winner": "b"})
    drawn_as = looks(answer.content.decode())
    assert drawn_as["U1.1"] == "fix"
    assert (drawn_as["U2.1"], drawn_as["L1.1"]) == ("again", "again")
    assert drawn_as["U3.1"] == "move"  # its players are not known any more
    assert drawn_as["P25.1"] == "move"
    assert (drawn_as["U1.2"], drawn_as["U2.2"]) == ("stay", "stay")
    words = text_of(answer)
    for line in ("corrected here", "played again", "players change", "stays as it is"):
        assert line in words


def test_the_list_says_who_stood_there_and_who_comes() -> None:
    stage = stage_with_played_matches()
    names = {number: entry.player.name for number, entry in numbered(stage).items()}
    words = text_of(preview_page(stage, {"winner": "b"}))
    assert f"until now {names[1]} – {names[16]} (2–0) afterwards {names[32]} – {names[16]}" in words
    assert f"until now {names[32]} – {names[17]} (2–0) afterwards {names[1]} – {names[17]}" in words
    assert "2 decided matches stay as they are." in words  # U1.2 and U1.3
    assert "Play 2 matches again" in words
    assert f"{names[32]} is published as the true winner of this match." in words


def test_a_match_that_opens_again_has_no_choice_on_paper() -> None:
    stage = stage_with_played_matches()
    words = text_of(preview_page(stage, other_result(stage, "U1.1", 1)))
    assert "The match is open again" in words
    assert "On paper only" not in words
    assert "Play 2 matches again" in words


def test_a_player_whose_match_was_not_played_only_moves() -> None:
    stage = drawn()
    play(stage, "U1.1", "1 1")
    answer = preview_page(stage, {"winner": "b"})
    assert looks(answer.content.decode())["U2.1"] == "move"
    assert "Nothing below was called: the players change places." in text_of(answer)
    assert "Correct it" in text_of(answer)


def test_looking_changes_nothing_and_the_cascade_comes_exactly_back() -> None:
    stage = stage_with_played_matches()
    before, events = everything_shown(stage), MatchEvent.objects.count()
    page = preview_page(stage, {"winner": "b"})
    assert (everything_shown(stage), MatchEvent.objects.count()) == (before, events)

    chief = signed_in(stage, "chief_arbiter")
    form = {"winner": "b", "token": page.context["token"], "seen": seen(stage, "U1.1"), "reason": "names swapped"}
    chief.post(url("manage_match_correct", stage, "U1.1"), {**form, "choice": "cascade"})
    assert (match(stage, "U2.1").state, match(stage, "U2.1").winner_side) == ("ready", "")
    public = text_of(reader().get(url("match", stage, "U2.1")))
    assert "can start" in public
    assert "won" not in public
    assert "winner of U2.1" in text_of(reader().get(url("bracket", stage)))

    chief.post(url("manage_bracket_undo", stage), {"reason": "they were right"})
    assert everything_shown(stage) == before


def test_on_paper_nobody_moves_and_the_public_page_says_so() -> None:
    stage = stage_with_played_matches()
    before = everything_shown(stage)
    page = preview_page(stage, {"winner": "b"})
    form = {"winner": "b", "token": page.context["token"], "seen": seen(stage, "U1.1"), "reason": "found at night"}
    signed_in(stage, "chief_arbiter").post(url("manage_match_correct", stage, "U1.1"), {**form, "choice": "on_paper"})
    after = everything_shown(stage)
    assert (after["slots"], after["games"]) == (before["slots"], before["games"])
    public = text_of(reader().get(url("match", stage, "U1.1")))
    assert f"The result was corrected: {numbered(stage)[32].name} had won." in public
    assert "corrected on paper" in text_of(reader().get(url("bracket", stage)))
