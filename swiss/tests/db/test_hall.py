"""Groups that share a hall: no board is given twice, whichever group grows, and late pairs are warned about."""

from __future__ import annotations

from typing import Any

import pytest

from swiss.models import Round
from swiss.services import fix_board, forbid_pair, pair_late_entry, pair_next_round
from swiss.tests.builders import next_round, numbered, play, stage_of
from tourney.kernel.errors import TourneyError
from tourney.models import Stage
from tourney.services.sections import admit_late, set_first_board
from tourney.services.stages import close_entries
from tourney.testing import builders

pytestmark = pytest.mark.django_db


def refused(code: str) -> Any:
    return pytest.raises(TourneyError, match=rf"^{code.replace('.', '[.]')}\(")


def boards(round_: Round) -> list[int | None]:
    rows = round_.pairings.filter(black__isnull=False).order_by("board")
    return list(rows.values_list("board", flat=True))


def neighbour(stage: Stage, players: int, first_board: int) -> Stage:
    """Return the next group of the event, closed, with its part of the hall."""
    section = stage.section.tournament.sections.exclude(pk=stage.section_id).order_by("pk")[0]
    builders.entries(section, players)
    set_first_board(section, first_board, actor=None)
    (other, *_) = close_entries(section, actor=None, system="swiss", rounds=5, reason="test")
    return Stage.objects.select_related("section__tournament").get(pk=other.pk)


@pytest.fixture
def stage() -> Stage:
    """A group of 13 at boards 1 to 6."""
    return stage_of(13, system="swiss", rounds=5)


def two_without_game(stage: Stage, round_: Round) -> tuple[int, int]:
    """Return a newcomer and who has the bye."""
    late = builders.entry(stage.section, rating=900)
    late.start_number = 14
    late.save(update_fields=["start_number"])
    return late.pk, round_.pairings.get(bye="U").white_id


@pytest.mark.parametrize("begun", [True, False])
def test_a_late_pair_sits_behind_the_group_that_follows(stage: Stage, begun: bool) -> None:
    other = neighbour(stage, 12, 7)
    round_ = next_round(stage)
    if begun:
        assert boards(next_round(other)) == [7, 8, 9, 10, 11, 12]

    pairing = pair_late_entry(round_.pk, entry_ids=two_without_game(stage, round_), actor=None, reason="train")

    assert (boards(round_), pairing.board) == ([1, 2, 3, 4, 5, 6, 13], 13)


def test_a_group_that_grows_leaves_its_neighbours_boards_alone() -> None:
    stage = stage_of(8, system="swiss", rounds=5)
    play(stage, "1-0")
    next_round(neighbour(stage, 12, 5))
    for late in builders.entries(stage.section, 4):
        admit_late(stage, late, actor=None)

    assert boards(next_round(stage)) == [1, 2, 3, 4, 11, 12]


def test_a_board_kept_for_somebody_is_kept_from_other_groups_too(stage: Stage) -> None:
    other = neighbour(stage, 12, 20)
    fix_board(stage.pk, entry_id=numbered(stage)[3].pk, board=26, actor=None, reason="wheelchair")

    with refused("fixed.other_group"):
        fix_board(stage.pk, entry_id=numbered(stage)[3].pk, board=25, actor=None, reason="wheelchair")
    with refused("fixed.other_group") as told:
        fix_board(other.pk, entry_id=numbered(other)[1].pk, board=26, actor=None, reason="near the door")
    assert told.value.values["section"] == stage.section.title_text
    set_first_board(other.section, 21, actor=None)
    other = Stage.objects.select_related("section__tournament").get(pk=other.pk)
    assert boards(pair_next_round(other.pk, actor=None)) == [21, 22, 23, 24, 25, 27]


def test_groups_that_begin_at_the_same_board_number_for_themselves(stage: Stage) -> None:
    other = neighbour(stage, 12, 1)

    assert boards(next_round(stage)) == boards(next_round(other)) == [1, 2, 3, 4, 5, 6]


# -- two who shouldn't meet ------------------------------------------------------------------------------------------


def test_two_who_have_met_are_paired_late_only_knowingly() -> None:
    stage = stage_of(4, system="swiss", rounds=3)
    first = play(stage, "1-0")
    one, other = first.pairings.values_list("white_id", "black_id")[0]
    second = pair_next_round(stage.pk, actor=None)
    second.pairings.all().delete()
    Round.objects.filter(pk=second.pk).update(state=Round.State.PUBLISHED)

    with refused("round.late_met") as told:
        pair_late_entry(second.pk, entry_ids=(one, other), actor=None, reason="nobody else is here")
    assert told.value.values == {"round": 1}
    pairing = pair_late_entry(
        second.pk, entry_ids=(one, other), actor=None, reason="nobody else is here", knowingly=True
    )

    assert {pairing.white_id, pairing.black_id} == {one, other}


def test_a_forbidden_pair_is_made_late_only_knowingly(stage: Stage) -> None:
    round_ = next_round(stage)
    late, bye = two_without_game(stage, round_)
    forbid_pair(stage.pk, first_id=late, second_id=bye, actor=None, reason="brothers")

    with refused("round.late_apart"):
        pair_late_entry(round_.pk, entry_ids=(late, bye), actor=None, reason="train")

    assert pair_late_entry(round_.pk, entry_ids=(late, bye), actor=None, reason="train", knowingly=True).board == 7
