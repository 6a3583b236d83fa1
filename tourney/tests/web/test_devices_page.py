"""Tablets: the chief arbiter hands out a code, the first device that opens it is in, and words meet everybody else."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.db.models import Q
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from swiss.tests.builders import next_round, stage_of
from swiss.tests.web.helpers import reader, signed_in, text_of
from tourney.models import DeviceLink, Entry, Game, Stage
from tourney.services.devices import bind_link, issue_link

pytestmark = pytest.mark.django_db


@pytest.fixture
def stage() -> Stage:
    found = stage_of(12)
    next_round(found)
    return found


def address_of(stage: Stage) -> str:
    return reverse("manage_devices", args=[stage.section.tournament.slug])


def issue(stage: Stage, client: Client, **more: Any) -> Any:
    until = timezone.localtime(timezone=stage.section.tournament.zone) + timedelta(hours=3)
    sent = {"act": "issue", "label": "Hall 1", "role": "arbiter", "valid_until": f"{until:%Y-%m-%dT%H:%M}"}
    return client.post(address_of(stage), sent | more)


def code_in(answer: Any) -> str:
    found = re.search(r"/device/([\w-]{20,})/", answer.content.decode())
    assert found is not None
    return found[0]


def test_only_who_arbitrates_hands_out_links(stage: Stage) -> None:
    statuses = [signed_in(stage, role).get(address_of(stage)).status_code for role in ("chief_arbiter", "arbiter", "")]

    assert statuses == [200, 403, 404]
    assert reader().get(address_of(stage)).status_code == 302
    assert issue(stage, signed_in(stage, "arbiter")).status_code == 403
    assert DeviceLink.objects.count() == 0


def test_a_code_is_shown_once_and_makes_a_tablet_of_the_first_device(stage: Stage) -> None:
    chief = signed_in(stage, "chief_arbiter")
    answer = issue(stage, chief, first_board="2", last_board="3")
    path = code_in(answer)
    assert "<svg" in answer.content.decode()
    assert "/device/" not in chief.get(address_of(stage)).content.decode()

    tablet, other = reader(), reader()
    assert "boards 2–3" in text_of(tablet.get(path))
    page = tablet.post(path, follow=True)
    assert re.findall(r'data-board="(\d+)"', page.content.decode()) == ["2", "3"]
    assert tablet.get(path).url == page.redirect_chain[-1][0]
    assert "Another tablet uses this link" in text_of(other.get(path))
    assert "is in use on another tablet" in text_of(other.post(path))
    assert "This tablet has no link to this page." in text_of(other.get(page.redirect_chain[-1][0]))
    assert "in use" in text_of(chief.get(address_of(stage)))


def test_a_link_taken_back_only_shows(stage: Stage) -> None:
    chief, tablet = signed_in(stage, "chief_arbiter"), reader()
    page = tablet.post(code_in(issue(stage, chief)), follow=True)
    where = page.redirect_chain[-1][0]
    link = DeviceLink.objects.get()

    taken = chief.post(address_of(stage), {"act": "revoke", "link": link.pk}, follow=True)

    assert "The link of “Hall 1” is taken back." in text_of(taken)
    shown = tablet.get(where)
    assert "The chief arbiter has taken the link of this tablet back" in text_of(shown)
    assert 'name="outcome"' not in shown.content.decode()
    assert "taken the link" in text_of(tablet.post(where, {"game": "1", "outcome": "1-0"}, follow=True))


@pytest.mark.parametrize(("role", "named"), [("players", False), ("arbiter", True)])
def test_a_tablet_of_the_players_names_nobody_who_did_not_let_it_be_published(
    stage: Stage, role: str, named: bool
) -> None:
    hidden = Entry.objects.select_related("player").get(section=stage.section, start_number=1)
    hidden.player.surname = "Схованенко"
    hidden.player.save()
    Entry.objects.filter(pk=hidden.pk).update(public_name=False, rating=2777)
    device = reader()
    device.post(code_in(issue(stage, signed_in(stage, "chief_arbiter"), role=role)))
    page = reverse("tablet", args=[DeviceLink.objects.get().pk])
    game = Game.objects.get(Q(white=hidden) | Q(black=hidden), stage=stage)

    sent = {"game": game.pk, "outcome": "1-0", "version": "0", "white_agrees": "1", "black_agrees": "1"}
    row = device.post(page, sent, headers={"HX-Request": "true"})

    assert Game.objects.get(pk=game.pk).outcome == "1-0"
    for answer in (device.get(page, {"show": "all"}), device.get(page, headers={"HX-Request": "true"}), row):
        text = answer.content.decode()
        assert ("Схованенко" in text) == named
        assert ("Player 1<" in text) != named
        assert named or "2777" not in text


def test_a_new_code_moves_a_link_to_another_tablet(stage: Stage) -> None:
    chief, old, new = signed_in(stage, "chief_arbiter"), reader(), reader()
    where = old.post(code_in(issue(stage, chief)), follow=True).redirect_chain[-1][0]

    path = code_in(chief.post(address_of(stage), {"act": "renew", "link": DeviceLink.objects.get().pk}))
    new.post(path)

    assert new.get(where).status_code == 200
    assert old.get(where).status_code == 409


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"valid_until": "2020-01-01T10:00"}, "The link must end after it begins"),
        ({"valid_until": "soon"}, "Give a date and an hour"),
        ({"valid_until": "0001-01-01T00:00"}, "Give a date and an hour"),
        ({"valid_until": "9999-12-31T23:59"}, "Give a date and an hour"),
        ({"first_board": "9", "last_board": "3"}, "The last board comes before the first."),
        ({"first_board": "0"}, "1"),
        ({"label": ""}, "required"),
    ],
)
def test_a_link_that_makes_no_sense_is_refused_at_its_field(stage: Stage, more: dict[str, str], words: str) -> None:
    answer = issue(stage, signed_in(stage, "chief_arbiter"), **more)

    assert answer.status_code == 422
    assert words in text_of(answer)
    assert DeviceLink.objects.count() == 0


def test_unknown_links_and_acts_are_no_errors(stage: Stage) -> None:
    chief = signed_in(stage, "chief_arbiter")

    assert "This link is not known." in text_of(reader().get(reverse("device_join", args=["x" * 32])))
    assert "This link is not known." in text_of(
        chief.post(address_of(stage), {"act": "revoke", "link": "7"}, follow=True)
    )
    assert chief.post(address_of(stage), {"act": "burn"}).status_code == 404
    assert reader().get(reverse("tablet", args=[1])).status_code == 409


def test_a_tablet_of_another_event_sees_and_enters_nothing_here(stage: Stage) -> None:
    foreign = stage_of(8)
    _, token = issue_link(
        foreign.section.tournament, actor=None, label="Elsewhere", valid_until=timezone.now() + timedelta(hours=1)
    )
    link = bind_link(token, secret="its own")
    tablet = reader()
    tablet.cookies["tourney_device"] = "its own"
    game = stage.games.first()
    assert game is not None

    tablet.post(reverse("tablet", args=[link.pk]), {"game": game.pk, "outcome": "1-0", "version": "0"})

    game.refresh_from_db()
    assert game.outcome == ""
    assert "data-game" not in tablet.get(reverse("tablet", args=[link.pk])).content.decode()


def test_the_page_to_trust_a_laptop_exists_only_in_a_hall(stage: Stage) -> None:
    assert reader().get(reverse("trust")).status_code == 404
    assert reader().get(reverse("trust_certificate")).status_code == 404
