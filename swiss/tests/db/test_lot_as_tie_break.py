"""A lot among the tie-breaks is drawn at the end: until then standings are made and explained without it."""

from __future__ import annotations

import pytest

from swiss.tables import columns_of
from swiss.tests.builders import play, stage_of
from swiss.why_place import why

pytestmark = pytest.mark.django_db


def test_results_are_entered_and_explained_although_no_lot_is_drawn_yet() -> None:
    stage = stage_of(12)
    stage.rules = {**stage.rules, "tie_breaks": [*stage.rules["tie_breaks"], "LOT"]}
    stage.save(update_fields=["rules"])

    play(stage, "1-0 1/2")

    assert stage.standings.filter(after_round=1).count() == 12
    assert "LOT" not in [column.code for column in columns_of(stage)]
    assert why(stage, stage.standings.filter(after_round=1)[0].entry_id, 1) is not None
