"""A lot as the last tie-break: when all is played and places are equal, a lot anybody can check orders them."""

from __future__ import annotations

import pytest

from prizes.selectors.places import standing_of
from prizes.services.placings import draw_ties, publish_placings
from prizes.tests import played
from tourney.kernel.errors import TourneyError
from tourney.models import Lot, Placement
from tourney.testing import builders

pytestmark = pytest.mark.django_db


def test_equals_are_drawn_for_first_place_too_where_nothing_is_played_off() -> None:
    section = played.group(builders.event("open-swiss"), players=4)
    entries = played.finished(section, [1, 1, 3, 3])
    stage = played.last_stage(section)
    stage.rules = {**stage.rules, "tie_breaks": [*stage.rules.get("tie_breaks", []), "LOT"]}
    stage.save(update_fields=["rules"])
    with pytest.raises(TourneyError, match=r"placing\.lots_due"):
        publish_placings(section, actor=None)

    lots = draw_ties(section, actor=None)
    publish_placings(section, actor=None)

    assert [lot.purpose for lot in lots] == [Lot.Purpose.TIE, Lot.Purpose.TIE]
    order = list(Placement.objects.order_by("place").values_list("entry", flat=True))
    assert order == [int(one) for lot in lots for one in lot.outcome.result[0]]
    assert set(order[:2]) == {entry.pk for entry in entries[:2]}
    assert not standing_of(section).obstacles
