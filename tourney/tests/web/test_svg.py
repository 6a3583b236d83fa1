"""Drawings: well-formed, escaped, and as large as they say."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

from tourney import svg
from tourney.views.design import example_bracket

NAMESPACE = "{http://www.w3.org/2000/svg}"


def parsed(drawing: str) -> ET.Element:
    return ET.fromstring(drawing.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1))


def box(x: int = 1, y: int = 40, name: str = "Ґудзь Їжак", href: str = "") -> svg.Box:
    return svg.Box(
        x,
        y,
        (
            svg.Side(name, "1½", "3", won=True),
            svg.Side("winner of U1.2", placeholder=True),
        ),
        "U2.1",
        "",
        href,
    )


def place_of(match: ET.Element) -> tuple[int, int]:
    """Return where a match is drawn."""
    x, y = match.attrib["transform"].removeprefix("translate(").rstrip(")").split()
    return int(x), int(y)


def ends_of(way: str) -> tuple[svg.Point, svg.Point]:
    """Return where a connector's path begins and ends: its start, then steps across (h) and up or down (v)."""
    start, *steps = re.split(r"(?=[hv])", way)
    x, y = map(int, start.split())
    across = sum(int(step[1:]) for step in steps if step[0] == "h")
    down = sum(int(step[1:]) for step in steps if step[0] == "v")
    return (x, y), (x + across, y + down)


def test_every_box_and_wire_of_a_bracket_is_drawn_inside_its_frame() -> None:
    drawing = example_bracket()
    root = parsed(svg.bracket(drawing))
    width, height = int(root.attrib["width"]), int(root.attrib["height"])
    boxes = root.findall(f".//{NAMESPACE}rect")
    assert len(boxes) == len(drawing.boxes)
    wires = [way.attrib["d"] for way in root.findall(f"{NAMESPACE}path")]
    assert sum(way.count("M") for way in wires) == len(drawing.wires)
    assert {ends_of(way) for way in "".join(wires).split("M")[1:]} == {
        (wire.points[0], wire.points[-1]) for wire in drawing.wires
    }
    places = [place_of(match) for match in root.findall(f"{NAMESPACE}g")]
    assert places == [(box.x, box.y) for box in drawing.boxes]
    for (x, y), one in zip(places, boxes, strict=True):
        assert x + int(one.attrib["width"]) <= width
        assert y + int(one.attrib["height"]) <= height


def test_boxes_of_neighbouring_rows_do_not_touch() -> None:
    assert svg.slot_y(1) - svg.slot_y(0) >= svg.BOX_HEIGHT + 20
    assert svg.column_x(1) - svg.column_x(0) == svg.BOX_WIDTH + svg.COLUMN_GAP


def test_an_elbow_runs_from_the_middle_of_a_box_to_a_line_of_the_next() -> None:
    start, turn, down, end = svg.elbow(box(1, 40), box(245, 81), 1).points
    assert (start, end) == ((1 + svg.BOX_WIDTH, 66), (245, 81 + 39))
    assert (turn[0], turn[1], down[1]) == (down[0], start[1], end[1])


def test_names_are_escaped_and_a_long_one_is_shortened_with_the_whole_in_its_title() -> None:
    hostile = svg.bracket(svg.Bracket("<b>", "&", (box(name="<script>"),)))
    assert "<script>" not in hostile
    assert parsed(hostile).find(f"{NAMESPACE}title").text == "<b>"  # type: ignore[union-attr]
    name = "Білокобильський-Переяславський Святослав"
    drawn = svg.bracket(svg.Bracket("t", "d", (box(name=name),)))
    assert f"<title>{name}</title>Біло" in drawn
    assert f">{name}</text>" not in drawn


def test_a_text_that_fits_is_left_alone() -> None:
    assert svg.fit("Бондар", 100) == "Бондар"
    assert svg.fit("Бондаренко-Ковальчук", 60) == "Бондар…"


def test_a_drawing_with_links_is_a_group_and_one_without_is_an_image() -> None:
    assert 'role="group"' in svg.bracket(svg.Bracket("t", "d", (box(href="/m/1/"),)))
    assert 'role="img"' in svg.bracket(svg.Bracket("t", "d", (box(),)))


def test_an_empty_bracket_and_an_empty_chart_are_still_drawings() -> None:
    assert parsed(svg.bracket(svg.Bracket("t", "d", ()))).tag == f"{NAMESPACE}svg"
    assert parsed(svg.progress(svg.Progress("t", "d", ()))).tag == f"{NAMESPACE}svg"


def test_progress_has_a_dot_with_words_for_every_round() -> None:
    root = parsed(svg.progress(svg.Progress("t", "d", (2, 3), rounds=5, round_word="round")))
    titles = [dot.find(f"{NAMESPACE}title").text for dot in root.findall(f"{NAMESPACE}circle")]  # type: ignore[union-attr]
    assert titles == ["round 1: 1", "round 2: 1½"]


def test_the_drum_holds_what_is_not_drawn() -> None:
    root = parsed(svg.drum(svg.Drum("t", "d", ("1", "2", "3", "4"), ("3",))))
    balls = root.findall(f".//{NAMESPACE}circle[@class='dr-ball']")
    won = root.findall(f".//{NAMESPACE}circle[@class='dr-ball is-won']")
    assert (len(balls), len(won)) == (3, 1)
    assert [text.text for text in root.findall(f".//{NAMESPACE}text")] == [
        "1",
        "2",
        "4",
        "3",
    ]


def test_a_full_drum_keeps_every_ball_inside() -> None:
    root = parsed(svg.drum(svg.Drum("t", "d", tuple(str(number) for number in range(300)))))
    balls = root.findall(f".//{NAMESPACE}circle[@class='dr-ball']")
    assert len(balls) == 300
    distances = [(int(b.attrib["cx"]) - 130) ** 2 + (int(b.attrib["cy"]) - 130) ** 2 for b in balls]
    assert max(distances) <= 118**2
