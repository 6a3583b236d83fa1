"""Two people press the same button at once: one act, one refusal."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from django.db import connection

from prizes.models import Draw
from prizes.services.draws import commit_draw, reveal_draw
from prizes.services.placings import publish_placings
from prizes.tests import played
from tourney.kernel.errors import TourneyError
from tourney.models import Lot, LotResult, PlacementList, Section
from tourney.testing import builders

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(act: Callable[[], Any]) -> list[str]:
    """Run an act on two connections at the same moment; return how each ended."""
    ready = Barrier(2)

    def run(_number: int) -> str:
        try:
            ready.wait(timeout=10)
            act()
        except TourneyError as refused:
            return refused.code
        finally:
            connection.close()
        return "done"

    with ThreadPoolExecutor(2) as pool:
        return sorted(pool.map(run, range(2)))


def finished() -> Section:
    section = played.group(builders.event("youth-championship"), "u11-boys")
    played.finished(section)
    return section


def test_places_are_published_once() -> None:
    section = finished()
    assert at_once(lambda: publish_placings(section, actor=None)) == ["done", "placing.nothing_changed"]
    assert PlacementList.objects.count() == 1


def test_draw_is_announced_once_and_decided_once(monkeypatch: pytest.MonkeyPatch) -> None:
    section = played.group(builders.event("second-chance-32"), players=32)
    played.finished_bracket(section, monkeypatch)
    publish_placings(section, actor=None)
    assert at_once(lambda: commit_draw(section, 0, actor=None)) == ["done", "lottery.draw_open"]
    assert Lot.objects.count() == 1
    draw = Draw.objects.get()
    numbers = [(ticket.entry.name, "5") for ticket in draw.tickets.select_related("entry__player")]
    event = section.tournament
    assert at_once(lambda: reveal_draw(event, draw.pk, numbers=numbers, actor=None)) == ["done", "draw.already_decided"]
    assert LotResult.objects.count() == 1
