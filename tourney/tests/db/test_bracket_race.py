"""A reserve takes a seat in a drawn bracket at the very moment play begins there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from brackets.services import choose_color, confirm_draw, double_no_show, seed_without_lot
from brackets.tests.builders import fresh, group, numbered, table
from brackets.tests.db.test_race import at_once
from registration.services import replace_in_place
from tourney.kernel.errors import TourneyError
from tourney.models import Entry, Stage
from tourney.services.stages import close_entries
from tourney.testing import builders

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.clause("K3.4")
def test_a_reserve_for_a_no_show_and_the_first_results_at_one_moment() -> None:
    section = group(8)
    reserve = builders.entry(section, rating=1500, level="1")
    Entry.objects.filter(pk=reserve.pk).update(state=Entry.State.RESERVE)
    (stage, *_) = close_entries(section, actor=None)
    Stage.objects.filter(pk=stage.pk).update(rules={**stage.rules, "size": 8, "minimum_matches": 0})
    stage = fresh(stage)
    seed_without_lot(stage.pk, method="fold", reason="test")
    confirm_draw(stage.pk)
    reserve.refresh_from_db()
    gone = numbered(stage)[8]
    acts: list[Callable[[], Any]] = [
        lambda: replace_in_place(gone, reserve, actor=None),
        *(lambda n=number: choose_color(stage.pk, f"U1.{n}", color="w") for number in (2, 3, 4)),
        lambda: double_no_show(stage.pk, "U1.2", reason="neither came", early=True),
    ]
    wrong = at_once(acts)
    # Who comes after another act on the same match may be refused in words; nobody gets an error of the database.
    assert all(isinstance(error, TourneyError) for error in wrong), wrong
    assert reserve.pk in table(stage).state.seeds
