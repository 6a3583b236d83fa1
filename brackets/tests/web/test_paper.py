"""The bracket on paper: which matches stand on which page, what a pen needs, and that it is one page of A4 each."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from django.utils.translation import override

from brackets.cards import Cards
from brackets.paper import HEIGHT, WIDTH, pages
from brackets.services import call_match, walkover
from brackets.tests.builders import drawn, numbered, play, table
from brackets.tests.web.helpers import reader, text_of, url
from tourney.models import Player, Stage
from tourney.testing.pages import stays_inside

KEY = re.compile(r'<text class="pp-key"[^>]*>([^<]+)<')


def keys_by_page(stage: Stage, *parts: str) -> list[list[str]]:
    found = pages(Cards(table(stage)), parts or ("upper", "lower", "places"), blank=False)
    return [KEY.findall(page.drawing) for page in found]


@pytest.mark.django_db
def test_thirty_two_players_fit_on_three_pages_with_every_match_once() -> None:
    upper, lower, places = keys_by_page(drawn())
    assert (len(upper), len(lower), len(places)) == (32, 30, 34)
    assert len({*upper, *lower, *places}) == 96
    assert {key[0] for key in upper} == {"U", "G"}
    assert {key[0] for key in lower} == {"L"}


@pytest.mark.django_db
def test_a_bracket_of_sixty_four_is_cut_into_pages_a_pen_can_use() -> None:
    stage = drawn(32, rules={"size": 64, "minimum_matches": 0})  # half of the seeds are free
    with override("en"):
        found = pages(Cards(table(stage)), ("upper", "lower", "places"), blank=True)
    keys = [key for page in found for key in KEY.findall(page.drawing)]
    assert len(keys) == len(set(keys)) == 224
    assert [page.title for page in found[:2]] == ["Upper bracket, sheet 1 of 2", "Upper bracket, sheet 2 of 2"]
    for page in found:
        assert drawn_inside(page.drawing)


def drawn_inside(svg: str) -> bool:
    """Return whether all boxes are on the paper and none lies on another."""
    boxes = [tuple(map(int, box)) for box in re.findall(r'class="pp-box[^"]*" d="M(\d+) (\d+)h(\d+)v(\d+)', svg)]
    assert boxes
    columns: dict[int, list[tuple[int, int]]] = {}
    for x, y, width, height in boxes:
        if x + width > WIDTH or y + height > HEIGHT or height < 76:
            return False
        columns.setdefault(x, []).append((y, y + height))
    return all(first[1] <= then[0] for column in columns.values() for first, then in pairwise(sorted(column)))


@pytest.mark.django_db
def test_no_box_lies_on_another() -> None:
    for page in pages(Cards(table(drawn())), ("upper", "lower", "places"), blank=False):
        assert drawn_inside(page.drawing), page.title


@pytest.mark.django_db
def test_results_walkovers_and_byes_are_in_words_and_a_blank_sheet_knows_only_the_draw() -> None:
    stage = drawn(31)
    play(stage, "U1.2", "1 1")
    walkover(stage.pk, "U1.3", absent="b", reason="did not come", early=True)
    call_match(stage.pk, "U1.4", board=7)
    full = text_of(reader().get(url("bracket_print", stage) + "?part=upper"))
    for words in ("walkover", "board 7", "bye", "winner of U1.4", "U2.1", "2 of 91 matches played"):
        assert words in full, words
    answer = reader().get(url("bracket_print", stage) + "?part=all&blank=1")
    html, blank = answer.content.decode(), text_of(answer)
    assert html.count('<section class="paper bracket-page"') == 3
    assert "pp-score" not in html
    assert "walkover" not in blank
    assert numbered(stage)[1].name in blank
    for words in ("winner of U1.3", "↓ L1.2", "↓ place 4", "places 1–2", "where the loser goes", "2 × 3+2"):
        assert words in blank, words


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("language", ["uk", "ru"])
def test_a_part_is_one_page_of_paper_and_stays_inside_a_phone(page: Any, language: str, tmp_path: Path) -> None:
    stage = drawn()
    for number in (1, 2, 5):
        entry = numbered(stage)[number]
        Player.objects.filter(pk=entry.player_id).update(surname="Нестеренко-Добровольський", given_name="Святослав")
    page.context.set_extra_http_headers({"accept-language": language})
    for query in ("?part=all", "?part=all&blank=1"):
        page.goto(url("bracket_print", stage) + query)
        paper = page.pdf(path=tmp_path / "paper.pdf", prefer_css_page_size=True)
        assert len(re.findall(rb"/Type\s*/Page\b(?!s)", paper)) == 3
        width, height = (float(n) for n in re.search(rb"/MediaBox\s*\[0 0 ([\d.]+) ([\d.]+)\]", paper).groups())  # type: ignore[union-attr]
        assert (round(width), round(height)) == (842, 595)  # A4 across
    outside = page.evaluate(
        """() => [...document.querySelectorAll(".pp-name")].filter((name) => {
            const right = name.ownerSVGElement.getBBox().x + name.ownerSVGElement.viewBox.baseVal.width;
            return name.getBBox().x + name.getBBox().width > right;
        }).map((name) => name.textContent)"""
    )
    assert outside == []
    page.set_viewport_size({"width": 390, "height": 844})
    assert stays_inside(page)
