"""Pairing, results and standings of whole stages."""

from __future__ import annotations

import pytest

from swiss.tests.builders import play, stage_of, table
from tourney.models import Stage

pytestmark = pytest.mark.django_db


def test_swiss_of_eight_rounds_ends_finished() -> None:
    stage = stage_of(14)

    for _ in range(8):
        play(stage, "1-0 1/2 0-1 1-0")

    stage.refresh_from_db()
    assert (stage.kind, stage.rounds_total, stage.state) == ("swiss", 8, Stage.State.FINISHED)
    assert [r.state for r in stage.rounds.all()] == ["done"] * 8
    assert sum(points for _, _, points in table(stage)) == 2 * 7 * 8
