"""The demo: invented people, every state of an event, loaded once."""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from brackets.models import Match
from tourney import queue
from tourney.demo.accounts import give_roles, make_accounts
from tourney.demo.people import Crowd
from tourney.models import Entry, Job, StaffRole, Stage, Tournament
from tourney.services import demo
from tourney.testing import builders


def test_people_are_different_and_the_same_for_the_same_seed() -> None:
    line = list(Crowd("ru", "seed").line("F", 60))
    assert line == list(Crowd("ru", "seed").line("F", 60))
    assert len({(person.surname, person.given_name) for person in line}) == 60
    assert all(person.patronymic.endswith("на") for person in line)


def states(slug: str) -> dict[str, int]:
    entries = Entry.objects.filter(tournament__slug=slug)
    return {state: entries.filter(state=state).count() for state in set(entries.values_list("state", flat=True))}


@pytest.mark.django_db
@pytest.mark.slow
def test_demo_shows_every_state_and_is_loaded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEMO_PASSWORD", "only for this test")
    out = StringIO()
    call_command("demo", stdout=out)
    assert "demo-organizer" in out.getvalue()
    assert "only for this test" in out.getvalue()

    youth = Tournament.objects.get(slug="demo-mari-el")
    swiss = Stage.objects.get(section__tournament=youth, section__code="u11-boys")
    assert (swiss.kind, swiss.rounds_total, swiss.state) == ("swiss", 8, "running")
    fourth = swiss.games.filter(round_number=4)
    assert 0 < fourth.filter(outcome="").count() < fourth.count()
    robin = Stage.objects.get(section__tournament=youth, section__code="u11-girls")
    assert (robin.kind, robin.state) == ("round_robin", "running")
    bracket = Match.objects.filter(bracket__stage__section__tournament__slug="demo-kyiv-cup")
    assert (bracket.count(), bracket.filter(state__in=["done", "walkover"]).count()) == (96, 48)
    assert states("demo-kyiv-spring") == {"confirmed": 32, "reserve": 3}

    counts = rows()
    again = StringIO()
    call_command("demo", stdout=again)
    assert rows() == counts
    assert "only for this test" not in again.getvalue()  # shown once


def rows() -> tuple[int, ...]:
    return (
        Tournament.objects.count(),
        Entry.objects.count(),
        get_user_model().objects.count(),
        StaffRole.objects.count(),
    )


@pytest.mark.django_db
@pytest.mark.slow
def test_demo_button_makes_the_organizer_one_of_the_demo_too() -> None:
    administrator = get_user_model().objects.create_superuser("boss", password="boss")
    client = Client(headers={"accept-language": "en"})
    client.force_login(administrator)
    assert "Load the demo events" in client.get("/").content.decode()
    answer = client.post(reverse("load_demo"))
    client.post(reverse("load_demo"))  # two clicks
    job = Job.objects.get(name=demo.TASK)
    waiting = client.get(reverse("load_demo")).content.decode()
    queue.run(job.pk)
    there = client.get(reverse("load_demo"), headers={"HX-Request": "true"}).content.decode()
    assert answer.status_code == 200
    assert "The passwords are shown this once." in answer.content.decode()
    assert ("waits its turn" in waiting, "shown this once" in waiting, "<progress" in waiting) == (
        True,
        False,
        True,
    )
    assert ("The demo events are there" in there, "<progress" in there, there.count("/manage/demo-")) == (
        True,
        False,
        3,
    )
    assert Tournament.objects.filter(staff__user=administrator).distinct().count() == 3


@pytest.mark.django_db
def test_demo_accounts_have_one_role_each() -> None:
    event = builders.event()
    users: dict[str, Any]
    users, shown = make_accounts()
    give_roles(event, users)
    assert sorted(event.staff.values_list("user__username", "role")) == [
        ("demo-arbiter", "arbiter"),
        ("demo-chief", "chief_arbiter"),
        ("demo-desk", "desk"),
        ("demo-organizer", "organizer"),
        ("demo-treasurer", "treasurer"),
    ]
    assert len({account.password for account in shown}) == 1
    assert all(not account.password for account in make_accounts()[1])
