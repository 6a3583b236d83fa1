"""Little tables on the page of the tree."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.urls import reverse

from brackets.tests.builders import drawn, numbered, play, table
from tourney.models import Stage

pytestmark = pytest.mark.django_db


def page_of(stage: Stage) -> str:
    tournament = stage.section.tournament
    address = reverse("bracket", args=[tournament.slug, stage.section.code])
    answer = Client(headers={"accept-language": "en"}).get(address, {"part": "places"})
    assert answer.status_code == 200
    return answer.content.decode()


@pytest.mark.clause("K5.5")
def test_a_little_table_is_shown_with_its_results_places_and_rule() -> None:
    stage = drawn(players=16, rules={"size": 16, "minimum_matches": 0, "table_up_to": 4})
    assert 'class="crosstable"' not in page_of(stage)
    while [view for view in table(stage).state.open_matches if not view.key.startswith("P9.")]:
        for view in table(stage).state.open_matches:
            if not view.key.startswith("P9."):
                play(stage, view.key, "1 1")
    play(stage, "P9.1", "1 1")
    page = page_of(stage)
    assert page.count('class="crosstable"') == 2
    assert "More matches won stand before; then the matches between those level; then the better seed." in page
    winner = table(stage).view("P9.1").winner
    people = {entry.pk: entry for entry in numbered(stage).values()}
    row = next(row for row in re.findall(r"<tr>.*?</tr>", page) if people[winner].name in row and "P9.1: won" in row)
    assert 'aria-label="P9.1: won">1</a>' in row
    assert row.count("not played yet") == 2
    assert row.endswith('<td class="num"><b>1</b></td><td class="num">–</td></tr>')
    for number in range(2, 7):
        play(stage, f"P9.{number}", "1 1")
    finished = page_of(stage)
    assert "not played yet" not in finished
    assert [place for place in re.findall(r'<td class="num">(\d+)</td></tr>', finished) if 9 <= int(place) <= 12] == [
        "9",
        "10",
        "11",
        "12",
    ]
