"""One button stops the play of a mixed event, wherever it is pressed."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from brackets.models import Bracket
from brackets.tests.builders import drawn
from swiss.models import Pause
from swiss.tests.builders import next_round, stage_of
from tourney.kernel.errors import TourneyError
from tourney.models import ActionLog, Entry, Section, Tournament
from tourney.services.stopping import resume_play, stop_play
from tourney.testing import builders

pytestmark = pytest.mark.django_db


@pytest.fixture
def mixed() -> Tournament:
    """A bracket that has been drawn and a Swiss in its first round, in one event."""
    bracket = drawn(8, rules={"size": 8, "minimum_matches": 0})
    tournament = bracket.section.tournament
    stage = stage_of(12)
    next_round(stage)
    Section.objects.filter(pk=stage.section_id).update(tournament=tournament, code="open", title={"en": "Open Swiss"})
    Entry.objects.filter(section=stage.section_id).update(tournament=tournament)
    Tournament.objects.filter(pk=tournament.pk).update(state=Tournament.State.RUNNING)
    tournament.refresh_from_db()
    return tournament


def standing() -> tuple[int, int]:
    """Return how many brackets and groups in rounds are stopped."""
    return Bracket.objects.filter(paused_at__isnull=False).count(), Pause.objects.filter(ended_at=None).count()


def client_of(tournament: Tournament, role: str) -> Client:
    client = Client(headers={"accept-language": "en"})
    client.force_login(builders.user(role, tournament, role))
    return client


def words(answer: Any) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode()))


def test_one_press_stops_rounds_and_brackets_and_one_lets_both_go_on(mixed: Tournament) -> None:
    chief, address = client_of(mixed, "chief_arbiter"), reverse("manage_stop", args=[mixed.slug])
    before = words(chief.get(address))

    chief.post(address, {"act": "stop", "reason": "air-raid alarm"})
    stopped, home = words(chief.get(address)), words(chief.get(reverse("manage_event", args=[mixed.slug])))
    state = standing()
    chief.post(address, {"act": "resume"})

    assert before.count("Stop play in all groups") == 1
    assert (state, standing()) == ((1, 1), (0, 0))
    assert "air-raid alarm" in stopped
    assert stopped.count("Let play go on") == 1
    assert "Play is stopped since" in home
    kinds = set(ActionLog.objects.filter(tournament=mixed, action__contains="pause").values_list("action", flat=True))
    assert kinds == {"swiss.paused", "brackets.paused"}


def test_what_began_after_a_stop_is_named_and_stopped_by_a_second_press(mixed: Tournament) -> None:
    stop_play(mixed, actor=None)
    Pause.objects.update(ended_at=timezone.now())
    chief, address = client_of(mixed, "chief_arbiter"), reverse("manage_stop", args=[mixed.slug])

    assert "Not stopped: Open Swiss" in words(chief.get(address))
    chief.post(address, {"act": "stop"})

    assert standing() == (1, 1)
    with pytest.raises(TourneyError, match=r"pause\.open"):
        stop_play(mixed, actor=None)
    resume_play(mixed, actor=None)
    with pytest.raises(TourneyError, match=r"pause\.none"):
        resume_play(mixed, actor=None)


def test_only_a_chief_arbiter_stops_play(mixed: Tournament) -> None:
    address = reverse("manage_stop", args=[mixed.slug])

    assert client_of(mixed, "arbiter").post(address, {"act": "stop"}).status_code == 403
    assert client_of(mixed, "chief_arbiter").post(address, {"act": "sleep"}).status_code == 404
    assert standing() == (0, 0)


@pytest.mark.parametrize("back", ["https://evil.example/", "//evil.example/", "javascript:alert(1)", "\\\\evil"])
def test_the_way_back_stays_here(mixed: Tournament, back: str) -> None:
    chief, address = client_of(mixed, "chief_arbiter"), reverse("manage_stop", args=[mixed.slug])

    assert chief.post(address, {"act": "stop", "back": back})["Location"] == address


def test_where_nothing_plays_there_is_nothing_to_stop() -> None:
    tournament = builders.event("youth-championship")
    chief, address = client_of(tournament, "chief_arbiter"), reverse("manage_stop", args=[tournament.slug])

    page = words(chief.get(address))

    assert "No group is playing" in page
    assert "Stop play in all groups" not in page
    assert "No group is playing." in words(chief.post(address, {"act": "stop"}, follow=True))
