"""The text made from the data, and two versions told apart in words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import polib
import pytest
from django.utils import translation
from django.utils.translation import trans_real

from tourney.kernel.paths import set_at
from tourney.kernel.regulation import resolve_dates
from tourney.presets import ORDER, preset
from tourney.regulation_schema import path_label, value_words
from tourney.regulation_text import block_items, differences, regulation_text

K, M = "second-chance-32", "youth-championship"
LOCALE = Path(__file__).resolve().parents[2] / "locale"


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    with translation.override("en"):
        yield


def text_of(data: dict[str, Any]) -> list[str]:
    return [line for chapter in regulation_text(data) for item in chapter.items for line in (item.text, *item.lines)]


def plain(lines: list[str]) -> list[str]:
    return [line.replace("\u00a0", " ") for line in lines]


def test_text_is_numbered_by_chapter() -> None:
    chapters = regulation_text(preset(K))

    assert [chapter.number for chapter in chapters] == list(range(1, len(chapters) + 1))
    for chapter in chapters:
        assert [item.number for item in chapter.items] == [
            f"{chapter.number}.{place}" for place in range(1, len(chapter.items) + 1)
        ]


@pytest.mark.parametrize("code", ORDER)
@pytest.mark.parametrize("language", ["uk", "ru", "en"])
def test_text_of_every_preset_is_whole(code: str, language: str) -> None:
    with translation.override(language):
        lines = text_of(resolve_dates(preset(code), date(2027, 1, 24)))

    assert all(line.strip() for line in lines)
    assert [line for line in lines if "%(" in line or "{" in line or "None" in line] == []


def test_kyiv_text_says_the_numbers_of_its_clauses() -> None:
    lines = plain(text_of(resolve_dates(preset(K), date(2026, 1, 25))))

    for expected in (
        "Start: about 11:00 (time zone Europe/Kyiv).",
        "32 players are admitted.",
        "The entry fee is 600 ₴.",
        "Who registers and pays the deposit up to Tue, 20 January 2026 inclusive gets 100 ₴ off.",
        "No-show: the deposit is kept, the rest is returned.",
        "Everybody plays at least 5 matches, whatever the results.",
        "2 games: 3 minutes + 2 seconds a move",
        "if level, 2 more games: 2 minutes + 1 second a move",
        "if level again, an Armageddon game: White 5 minutes, Black 4 minutes",
        "A drawn Armageddon game wins for Black.",
        "place 13 – 300 ₴",
        "Together: 10,850 ₴.",
        "Further prizes (450 ₴ together) are drawn by lot:",
        "among places 23, 27, 29 and 31: 100 ₴ (1 winner)",
    ):
        assert expected in lines


def test_mari_el_text_says_the_numbers_of_its_clauses() -> None:
    lines = plain(text_of(resolve_dates(preset(M), date(2021, 8, 26))))

    for expected in (
        "There are 10 groups:",
        "Boys under 11: born from 2012 to 2013; boys, men",
        "at most 10 players: round robin",
        "11 to 12 players: Swiss system, 7 rounds",
        "13 players or more: Swiss system, 8 rounds",
        "games played with Black (BPG)",
        "Games that were not played count as games with White.",
        "Time control: 90 minutes + 30 seconds a move.",
        "Who comes more than 30 minutes late loses the game.",
        "With 2 children or more of one family the fee is 300 ₽ each. If a discount applies as well, the lower price "
        "counts.",
        "With it a deposit of 1,000 ₽ is paid. It is returned if the appeal is upheld, and kept if it is refused.",
        "The play-off starts no earlier than 15 minutes after the last game of all who play in it.",
        "place 1: cup, diploma and medal",
    ):
        assert expected in lines


def test_clause_keeps_the_organizers_own_number() -> None:
    items = block_items(regulation_text(preset(K)), "fees")

    assert [item.clause for item in items[:3]] == ["4.4", "4.3", "4.5"]


def test_hand_made_mix_has_a_text() -> None:
    data = preset("empty") | {
        "stages": [
            {"code": "groups", "title": {"en": "Groups"}, "options": [{"kind": "round_robin", "cycles": 2}]},
            {
                "code": "final",
                "title": {"en": "Final"},
                "options": [{"kind": "bracket", "size": 8, "return_at": "never", "match": "m", "places": "none"}],
            },
        ],
        "match_formats": {"m": {"first_color": "lot", "phases": [{"games": 1, "clock": "10"}]}},
        "fees": {"rules": [{"kind": "base", "amount": "12.50", "clause": "", "sections": ["main"]}]},
        "currency": "EUR",
    }

    lines = plain(text_of(data))

    assert "Stage 1: Groups." in lines
    assert "System: double round robin (any number of players)." in lines
    assert "System: knockout (any number of players)." in lines
    assert "1 game: 10 minutes" in lines
    assert "The entry fee is 12.50 €. Only for: Main group." in lines


def test_broken_block_does_not_take_the_text_away() -> None:
    data = set_at(preset(K), "match_formats.blitz.phases", [{"games": "many", "clock": "3+2"}])

    lines = text_of(data)

    assert "This part can't be written out until its errors are put right." in lines
    assert "Every place is played for." in lines


# -- languages ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def catalogues(tmp_path: Path, settings: Any) -> Iterator[None]:
    """Compile the translations for one test, so that it doesn't depend on what has been set up before."""
    for language in ("uk", "ru"):
        target = tmp_path / language / "LC_MESSAGES"
        target.mkdir(parents=True)
        polib.pofile(str(LOCALE / language / "LC_MESSAGES" / "django.po")).save_as_mofile(str(target / "django.mo"))
    settings.LOCALE_PATHS = [tmp_path]
    trans_real._translations.clear()
    yield
    trans_real._translations.clear()


ENGLISH = re.compile(r"\b(the|of|is|are|and|or|who|with|for|in|to|at)\b", re.IGNORECASE)


@pytest.mark.parametrize("language", ["uk", "ru"])
@pytest.mark.parametrize("code", ORDER)
def test_text_is_wholly_in_the_readers_language(catalogues: None, code: str, language: str) -> None:
    with translation.override(language):
        data = resolve_dates(preset(code), date(2027, 1, 24))
        chapters = regulation_text(data)
        lines = [chapter.title for chapter in chapters] + text_of(data)

    assert [line for line in lines if ENGLISH.search(line)] == []


@pytest.mark.parametrize(
    ("players", "expected"),
    [(1, "не більше 1 гравця"), (2, "не більше 2 гравців"), (5, "не більше 5 гравців"), (21, "не більше 21 гравця")],
)
def test_text_has_ukrainian_plurals(catalogues: None, players: int, expected: str) -> None:
    data = set_at(preset(K), "stages[0].options[0].when.players_at_most", players)

    with translation.override("uk"):
        lines = text_of(data)

    assert f"Система: нокаут-система з додатковим шансом ({expected})." in lines


@pytest.mark.parametrize(("rounds", "expected"), [(1, "1 тур"), (7, "7 туров"), (8, "8 туров"), (22, "22 тура")])
def test_text_has_russian_plurals(catalogues: None, rounds: int, expected: str) -> None:
    data = set_at(preset(M), "stages[0].options[1].rounds", rounds)

    with translation.override("ru"):
        lines = text_of(data)

    assert f"от 11 до 12 игроков: швейцарская система, {expected}" in lines


# -- differences -------------------------------------------------------------------------------------------------------


def changes(old: dict[str, Any], new: dict[str, Any]) -> list[tuple[str, str | None, str | None]]:
    return [
        (
            change.label,
            change.old and change.old.replace("\u00a0", " "),
            change.new and change.new.replace("\u00a0", " "),
        )
        for change in differences(old, new)
    ]


@pytest.mark.clause("K1.4")
def test_differences_name_rule_and_values_in_words() -> None:
    old = resolve_dates(preset(K), date(2026, 1, 25))
    new = set_at(set_at(old, "fees.rules[2].until", "2026-01-22"), "prizes[0].places.1", "6000")

    assert changes(old, new) == [
        (
            "Fees › Rules › Rule 3 (Discount for early payment) › Up to",
            "Tue, 20 January 2026",
            "Thu, 22 January 2026",
        ),
        ("Money prizes › List of prizes 1 › Places › Place 1", "5,000 ₴", "6,000 ₴"),
    ]


def test_differences_see_a_rule_put_before_others_as_one_change() -> None:
    old = preset(K)
    rules = [{"kind": "base", "amount": "700", "clause": "", "sections": ["main"]}, *old["fees"]["rules"]]
    new = {**old, "fees": {**old["fees"], "rules": rules}}

    found = differences(old, new)

    assert [(change.path, change.kind, change.old) for change in found] == [("fees.rules[0]", "added", None)]


def test_differences_of_equal_versions_are_none() -> None:
    assert differences(preset(M), preset(M)) == []


def test_differences_name_a_whole_block_that_is_gone() -> None:
    old = preset(K)
    new = {key: value for key, value in old.items() if key != "broadcast"}

    assert [(change.path, change.kind) for change in differences(old, new)] == [("broadcast", "removed")]


def test_options_are_told_by_their_words() -> None:
    assert value_words("stages[0].options[0].seeding.method", "rank_pots", preset(K)) == (
        "pots by rank, lots inside a pot"
    )
    assert path_label("match_formats.blitz.phases[2].armageddon.white", preset(K)) == (
        "Match formats › Match format blitz › Phases › Phase 3 (Armageddon) › Time › White"
    )
