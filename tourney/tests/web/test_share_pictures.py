"""Pictures to share: what they are, when they change, and that pages name them."""

from __future__ import annotations

import io
import re

import pytest
from PIL import Image

from brackets.tests.builders import closed, drawn, play_all
from swiss.tests.builders import enter, next_round, stage_of
from swiss.tests.web.helpers import reader, url
from tourney.models import Entry, Tournament
from tourney.share_picture import HEIGHT, ROWS, WIDTH, Picture, Row, draw


def test_a_picture_holds_names_of_any_length() -> None:
    long = "Константинопольський-Задунайський Олександр-Максиміліан " * 3
    rows = tuple(Row(str(number), long, "7½") for number in range(ROWS + 5))
    for picture in (Picture(long, long, long, rows), Picture("", "", "", ()), Picture("А", "Б", "В", rows[:1])):
        content = draw(picture)
        with Image.open(io.BytesIO(content)) as drawn_one:
            assert (drawn_one.format, drawn_one.size) == ("PNG", (WIDTH, HEIGHT))
        assert len(content) < 200_000


def test_the_rows_are_on_the_picture() -> None:
    empty, full = Picture("A", "B", "C", ()), Picture("A", "B", "C", (Row("1", "Name", "3"),))
    assert draw(empty) != draw(full)
    assert draw(full) == draw(full)


@pytest.mark.django_db
def test_the_picture_of_the_standings_follows_results_and_is_named_by_the_page() -> None:
    stage = stage_of(12, system="swiss", rounds=5)
    address = url("standings_picture", stage)
    assert reader().get(address).status_code == 404  # nothing is paired
    round_ = next_round(stage)
    first = reader().get(address)
    assert (first.status_code, first["Content-Type"]) == (200, "image/png")
    again = reader().get(address, headers={"if-none-match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")

    enter(round_, "1-0")
    changed = reader().get(address, headers={"if-none-match": first["ETag"]})
    assert changed.status_code == 200
    assert changed.content != first.content

    # Somebody who is no longer to be named is gone from the picture at once, though no stage has changed.
    Entry.objects.filter(section=stage.section).update(public_name=False)
    nameless = reader().get(address, headers={"if-none-match": changed["ETag"]})
    assert nameless.status_code == 200
    assert nameless.content != changed.content

    html = reader().get(url("standings", stage)).content.decode()
    named = re.search(r'<meta property="og:image" content="([^"]+)"', html)
    assert named is not None
    assert named[1] == f"http://testserver{address}"
    Tournament.objects.update(public=False)
    assert reader().get(address).status_code == 404


@pytest.mark.django_db
def test_the_picture_of_a_knockout_shows_matches_and_then_places() -> None:
    undrawn = closed(8, rules={"size": 8, "minimum_matches": 0})
    assert reader().get(url("bracket_picture", undrawn)).status_code == 404
    stage = drawn(8, rules={"size": 8, "minimum_matches": 0})
    before = reader().get(url("bracket_picture", stage)).content
    play_all(stage)
    after = reader().get(url("bracket_picture", stage)).content

    assert before[:8] == after[:8] == b"\x89PNG\r\n\x1a\n"
    assert before != after
    assert url("bracket_picture", stage) in reader().get(url("bracket", stage)).content.decode()
