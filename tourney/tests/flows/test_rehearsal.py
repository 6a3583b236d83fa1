"""Rehearsals with the real engines: copied, played to the last prize with random results, thrown away."""

from __future__ import annotations

from typing import Any

import pytest
from django.apps import apps

from tourney.models import PlacementList, Section, Stage, Tournament
from tourney.services.rehearsal import copy_event, play, throw_away
from tourney.services.sections import merge_sections
from tourney.testing import builders

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

APPS = ("tourney", "registration", "swiss", "brackets", "prizes")


def rows() -> dict[str, int]:
    """Return how many rows each table of the product has, the log aside."""
    models = [model for model in apps.get_models() if model._meta.app_label in APPS]
    return {m._meta.label: m._default_manager.count() for m in models if m._meta.label != "tourney.ActionLog"}


def youth() -> Tournament:
    event = builders.event("youth-championship")
    groups = {section.code: section for section in event.sections.all()}
    builders.entries(groups["u11-boys"], 13, top=1500)
    builders.entries(groups["u13-boys"], 3, top=1500)
    builders.entries(groups["u13-girls"], 2, top=1450)
    builders.entries(groups["u15-girls"], 1)
    merge_sections(groups["u13-girls"], groups["u13-boys"], actor=None)
    return event


def play_to_the_end(event: Tournament) -> Tournament:
    copy = copy_event(event, actor=None)
    for _go in range(50):
        if not play(copy, steps=None, seconds=60, seed="always the same"):
            return copy
    raise AssertionError("a rehearsal that never ends")


def places(section: Section) -> list[Any]:
    newest = PlacementList.objects.filter(section=section, category=None).order_by("-number").first()
    return sorted(newest.lines.values_list("place", flat=True)) if newest else []


def test_youth_rehearsal_is_played_to_the_placings_and_leaves_nothing_behind() -> None:
    event = youth()
    before = rows()
    copy = play_to_the_end(event)
    states = (
        Stage.objects.filter(section__tournament=copy).exclude(kind="playoff").values_list("section__code", "state")
    )
    assert dict(states) == {"u11-boys": "closed", "u13-boys": "closed"}
    assert [len(places(copy.sections.get(code=code))) for code in ("u11-boys", "u13-boys", "u13-girls")] == [13, 3, 2]
    throw_away(copy, actor=None)
    assert rows() == before


def test_knockout_rehearsal_gives_every_place_and_leaves_nothing_behind() -> None:
    event = builders.event("second-chance-32")
    builders.entries(event.sections.get(), 32)
    before = rows()
    copy = play_to_the_end(event)
    assert Stage.objects.get(section__tournament=copy).state == "closed"
    assert places(copy.sections.get()) == list(range(1, 33))
    throw_away(copy, actor=None)
    assert rows() == before
