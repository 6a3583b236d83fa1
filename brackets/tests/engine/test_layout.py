"""The drawing: every match once, nothing overlaps, lines join winners to their next box."""

from __future__ import annotations

from itertools import combinations

import pytest

from brackets.engine.build import BracketParams, build
from brackets.engine.layout import Metrics, Sheet, layout
from brackets.engine.topology import BracketSpec, Places
from tourney.kernel.ids import MatchKey

VARIANTS = [
    BracketParams(),
    BracketParams(return_at=16),
    BracketParams(final="reset", places=8),
    BracketParams(size=8, return_at=8),
    BracketParams(size=4),
    BracketParams(size=128),
]


def sheet(spec: BracketSpec, code: str) -> Sheet:
    (found,) = [sheet for sheet in layout(spec) if sheet.code == code]
    return found


def test_sheets_of_the_default_bracket_come_in_reading_order(de32: BracketSpec) -> None:
    assert [(page.code, page.places, len(page.boxes)) for page in layout(de32)] == [
        ("upper", Places(1, 32), 32),
        ("lower", Places(1, 32), 30),
        ("P5", Places(5, 6), 1),
        ("P7", Places(7, 8), 1),
        ("P9", Places(9, 12), 4),
        ("P13", Places(13, 16), 4),
        ("P17", Places(17, 24), 12),
        ("P25", Places(25, 32), 12),
    ]


def test_knockout_after_a_return_has_a_tree_and_a_block_for_each_step_down() -> None:
    spec = build(BracketParams(return_at=16))

    assert [(page.code, page.places) for page in layout(spec)][2:6] == [
        ("knockout", Places(1, 16)),
        ("Kuud", Places(3, 4)),
        ("Kud", Places(5, 8)),
        ("Kd", Places(9, 16)),
    ]


@pytest.mark.parametrize("params", VARIANTS)
def test_every_match_is_drawn_once_and_no_two_boxes_overlap(params: BracketParams) -> None:
    spec = build(params)
    pages = layout(spec)

    assert sorted(box.key for page in pages for box in page.boxes) == sorted(match.key for match in spec.matches)
    for page in pages:
        assert sorted(key for column in page.columns for key in column.matches) == sorted(box.key for box in page.boxes)
        for box in page.boxes:
            assert min(box.x, box.y) >= 0
            assert (box.x + box.width <= page.width, box.y + box.height <= page.height) == (True, True)
        for one, two in combinations(page.boxes, 2):
            assert one.x != two.x or abs(one.y - two.y) >= one.height


@pytest.mark.parametrize("params", VARIANTS)
def test_lines_lead_winners_from_edge_to_edge(params: BracketParams) -> None:
    spec = build(params)
    for page in layout(spec):
        boxes = {box.key: box for box in page.boxes}
        inside = {
            (match.key, match.winner_to.match)
            for match in spec.matches
            if match.winner_to
            and match.key in boxes
            and match.winner_to.match in boxes
            and spec.by_key[match.winner_to.match].second_final_of is None
        }
        drawn = {(line.start, line.end) for line in page.lines}
        assert inside <= drawn
        for line in page.lines:
            start, end = boxes[line.start], boxes[line.end]
            assert line.points[0] == (start.x + start.width, start.middle)
            assert line.points[-1] == (end.x, end.middle)
            # Elbows only: every part is straight across or straight up and down.
            assert all(x1 == x2 or y1 == y2 for (x1, y1), (x2, y2) in zip(line.points, line.points[1:], strict=False))


def test_match_stands_in_the_middle_between_its_feeders(de32: BracketSpec) -> None:
    boxes = {box.key: box for box in sheet(de32, "upper").boxes}
    first, second, child = (boxes[MatchKey(key)] for key in ("U1.1", "U1.2", "U2.1"))

    assert child.middle == (first.middle + second.middle) // 2
    assert child.x == first.x + Metrics().pitch_x


def test_columns_carry_their_round_and_slot(de32: BracketSpec) -> None:
    upper, block = sheet(de32, "upper"), sheet(de32, "P17")

    assert [(column.stage, column.slot, len(column.matches)) for column in upper.columns] == [
        ("U1", 1, 16), ("U2", 2, 8), ("U3", 3, 4), ("U4", 4, 2), ("U5", 5, 1), ("GF", 10, 1),
    ]  # fmt: skip
    assert [column.number for column in block.columns] == [1, 2, 3]
    assert block.columns[2].matches == ("P17uu.1", "P17ud.1", "P17du.1", "P17dd.1")


def test_sizes_can_be_chosen(de32: BracketSpec) -> None:
    small, usual = layout(de32, Metrics(box_width=80, box_height=20, gap_x=10, gap_y=4))[0], layout(de32)[0]

    assert (small.width, small.height) < (usual.width, usual.height)
    assert {(box.width, box.height) for box in small.boxes} == {(80, 20)}
