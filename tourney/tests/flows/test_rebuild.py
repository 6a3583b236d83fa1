"""Facts and projections: everything that follows from facts is deleted, rebuilt, and must be the same."""

from __future__ import annotations

from typing import Any

import pytest
from django.apps import apps
from django.core.management import call_command

from tourney.demo.accounts import make_accounts
from tourney.demo.loading import EVENTS
from tourney.models import Tournament

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

# Table -> what identifies a row, and the columns that are projections.
PROJECTIONS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "tourney.StandingRow": (("stage", "after_round", "entry"), ("rank", "shared", "points", "values")),
    "tourney.Game": (("pk",), ("outcome",)),
    "tourney.Entry": (("pk",), ("state", "seat")),
    "tourney.Stage": (("pk",), ("state",)),
    "swiss.Round": (("pk",), ("state",)),
    "brackets.Match": (("pk",), ("state", "winner_side", "how", "score", "awaits")),
    "brackets.MatchSlot": (("match", "side"), ("entry", "is_bye")),
    "prizes.Award": (("section", "entry", "source", "place"), ("minor", "currency", "things")),
}
# Projections whose rows can be deleted outright; the others are columns of rows that also hold facts.
DELETABLE = ("tourney.StandingRow", "brackets.MatchSlot", "prizes.Award")


def snapshot() -> dict[str, list[tuple[Any, ...]]]:
    """Return every projection of the database in an order of its own."""
    found = {}
    for label, (keys, columns) in PROJECTIONS.items():
        rows = apps.get_model(label)._default_manager.values_list(*keys, *columns)
        found[label] = sorted(rows, key=str)
    return found


@pytest.mark.parametrize("slug", [slug for slug, _make in EVENTS])
def test_projections_are_rebuilt_from_facts(slug: str) -> None:
    users, _shown = make_accounts()
    dict(EVENTS)[slug](users)
    before = snapshot()
    for label in DELETABLE:
        apps.get_model(label)._default_manager.all().delete()
    apps.get_model("tourney.Entry")._default_manager.update(state="applied")
    apps.get_model("tourney.Game")._default_manager.update(outcome="")
    call_command("rebuild", slug, verbosity=0)
    after = snapshot()
    assert {label: after[label] == before[label] for label in before} == dict.fromkeys(before, True)
    assert Tournament.objects.get(slug=slug).log.filter(action="projections.rebuilt").count() == 1
