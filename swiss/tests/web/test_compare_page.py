"""Two players of the standings side by side: who is higher, by which criterion, and what its value is made of."""

from __future__ import annotations

from itertools import pairwise

import pytest
from django.utils import translation

from prizes.engine.ranking import parted_by
from prizes.engine.tiebreaks import allowed_tiebreaks
from swiss.selectors import ranking_of, stage_record
from swiss.side_by_side import side_by_side
from swiss.tests.builders import play, stage_of
from swiss.tests.web.helpers import queries, reader, text_of, url
from swiss.tie_break_words import MEANINGS, meaning_of, title_of
from tourney.kernel.ids import EntryId
from tourney.models import Stage

pytestmark = pytest.mark.django_db


@pytest.fixture
def stage() -> Stage:
    made = stage_of(12)
    for results in ("1-0 1/2 0-1", "1-0", "1/2 1-0 +-"):
        play(made, results)
    return made


def neighbours(stage: Stage) -> list[tuple[int, int]]:
    order = list(stage.standings.filter(after_round=3).order_by("rank", "entry__start_number").values_list("entry"))
    return [(a, b) for (a,), (b,) in pairwise(order)]


@pytest.mark.clause("M8.1")
def test_every_two_neighbours_are_parted_by_the_criterion_of_the_ranking(stage: Stage) -> None:
    ranking = ranking_of(stage, stage_record(stage).history(3))
    decided = set()

    for a, b in neighbours(stage):
        two = side_by_side(stage, b, a, 3)
        parting = parted_by(ranking, EntryId(a), EntryId(b))
        assert two is not None
        if parting is None:
            assert not two.deciding
            assert all(row.state == "level" and row.first == row.second for row in two.rows)
            continue
        assert (two.first.entry.pk, two.second.entry.pk) == (a, b)
        states = [row.state for row in two.rows]
        assert states[: parting.position] == ["level"] * parting.position
        assert states[parting.position] == "decides"
        assert set(states[parting.position + 1 :]) <= {"later"}
        decided.add(parting.code)
    assert len(decided) > 1  # the event really parts by more than the points


def test_the_page_says_it_in_sentences_and_shows_what_the_deciding_number_is_made_of(stage: Stage) -> None:
    ranking = ranking_of(stage, stage_record(stage).history(3))
    a, b = next(
        (a, b)
        for a, b in neighbours(stage)
        if (parting := parted_by(ranking, EntryId(a), EntryId(b))) and parting.code in ("BH/C1", "BH")
    )

    page = text_of(reader().get(url("standings_compare", stage) + f"?a={a}&b={b}"))

    assert "Both have " in page
    assert "stands higher by this: buchholz" in page.lower()
    assert "What it is made of: Buchholz" in page
    assert "Together" in page
    assert "no longer asked" in page


def test_without_a_choice_the_first_two_are_compared(stage: Stage) -> None:
    first, second = stage.standings.filter(after_round=3).order_by("rank", "entry__start_number")[:2]

    page = text_of(reader().get(url("standings_compare", stage)))

    assert f"{first.entry.name} above" in page or f"{first.entry.name} level with" in page
    assert second.entry.name in page


def test_an_earlier_round_can_be_compared(stage: Stage) -> None:
    page = text_of(reader().get(url("standings_compare", stage) + "?round=1"))

    assert "after round 1" in page.lower()


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("?a={a}&b={a}", "Choose two different players."),
        ("?a={a}&b=999999", "One of these players is not in the standings."),
        ("?a=x&b=²", ""),
        ("?a=99999999999999999999", ""),
    ],
)
def test_a_bad_choice_is_answered_with_a_sentence(stage: Stage, query: str, sentence: str) -> None:
    a, _ = neighbours(stage)[0]

    answer = reader().get(url("standings_compare", stage) + query.format(a=a))

    assert answer.status_code == 200
    assert sentence in text_of(answer)


def test_before_the_first_round_there_is_nothing_to_compare() -> None:
    assert "No standings yet" in text_of(reader().get(url("standings_compare", stage_of(12))))


def test_the_why_of_a_line_leads_to_the_comparison(stage: Stage) -> None:
    a, b = neighbours(stage)[0]

    part = reader().get(url("standings_why", stage, b)).content.decode()

    assert f"standings/compare/?a={a}&amp;b={b}" in part
    assert "What do these words mean?" in part


def test_the_number_of_queries_does_not_grow_with_the_field(stage: Stage) -> None:
    larger = stage_of(30)
    play(larger, "1-0")

    addresses = [url("standings_compare", one) for one in (stage, larger)]

    assert queries(reader(), addresses[0]) == queries(reader(), addresses[1])


@pytest.mark.parametrize("language", ["uk", "ru", "en"])
def test_every_tie_break_has_a_name_and_a_meaning_in_every_language(language: str) -> None:
    with translation.override(language):
        said = {}
        for code in {*allowed_tiebreaks("swiss"), *allowed_tiebreaks("round_robin")}:
            assert title_of(code) != code
            said[code] = meaning_of(code)
            assert code.split("/")[0] in MEANINGS
        assert len(set(said.values())) == len(said)  # every variant says what it changes
        if language != "en":
            assert not [text for text in said.values() if " the " in f" {text} "]
