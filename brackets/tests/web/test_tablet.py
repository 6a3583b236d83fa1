"""A tablet with a link at the boards of a knockout: its page without scripts, and what the staff sees of it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from brackets.services import call_match, choose_color, cut_plan, cut_short
from brackets.tests.builders import drawn, match, play, ready_for_game, table
from brackets.tests.web.helpers import reader, signed_in, text_of, url
from tourney.models import Game, ResultOperation, Stage
from tourney.services.devices import issue_link, revoke_link

pytestmark = pytest.mark.django_db


@pytest.fixture
def stage() -> Stage:
    stage = drawn(32)
    call_match(stage.pk, "U1.1", board=1)
    call_match(stage.pk, "U1.2", board=2)
    return stage


def tablet(stage: Stage, label: str = "Tablet 1", **limits: Any) -> tuple[Client, str]:
    """Return the browser of a tablet that has opened its code, and the address it was led to."""
    _, token = issue_link(
        stage.section.tournament, actor=None, label=label, valid_until=timezone.now() + timedelta(hours=6), **limits
    )
    client = reader()
    answer = client.post(reverse("device_join", args=[token]))
    assert answer.status_code == 302
    return client, answer.url


def form(stage: Stage, act: str, answer: str, number: int = 1, key: str = "U1.1", **more: Any) -> dict[str, Any]:
    view = table(stage).view(key)
    return {
        "act": act,
        "answer": answer,
        "number": number,
        "match": key,
        "stage": stage.pk,
        "a": view.a,
        "b": view.b,
        **more,
    }


def test_code_of_a_knockout_leads_to_its_matches_and_they_are_entered_by_plain_forms(stage: Stage) -> None:
    client, address = tablet(stage, first_board=1, last_board=1)
    assert address.endswith("/matches/")

    page = text_of(client.get(address))
    assert "chooses the colour" in page
    assert "U1.2" not in page  # out of its boards
    for sent in (form(stage, "color", "w"), form(stage, "game", "1-0"), form(stage, "game", "0-1", 2)):
        assert client.post(address, sent).status_code == 302

    assert match(stage, "U1.1").state == "done"
    assert "won" in text_of(client.get(address))  # stays for a quarter of an hour
    refused = client.post(address, form(stage, "game", "1-0", 3))
    assert (refused.status_code, "is not at a board" in text_of(refused)) == (422, True)


def test_row_comes_back_to_a_script_with_its_state_and_the_list_only_when_it_changed(stage: Stage) -> None:
    client, address = tablet(stage)
    script = {"hx-request": "true"}

    listed = client.get(address, headers=script)
    assert client.get(address, headers={**script, "if-none-match": listed["ETag"]}).status_code == 304
    answer = client.post(address, form(stage, "color", "b", entered=1, sent=1), headers=script)
    assert (answer["X-Entry"], 'data-key="' in answer.content.decode()) == ("applied", True)
    assert client.get(address, headers={**script, "if-none-match": listed["ETag"]}).status_code == 200
    held = client.post(address, form(stage, "game", "1-0", 2, entered=1, sent=1), headers=script)
    assert (held["X-Entry"], "kept for the arbiter" in text_of(held)) == ("held", True)


def test_entry_for_a_match_that_was_cut_short_makes_nobody_a_winner() -> None:
    small = drawn(players=8, rules={"size": 8, "minimum_matches": 0})
    for key in ("U1.1", "U1.2", "U1.3", "U1.4"):
        play(small, key, "1 1")
    call_match(small.pk, "U2.1", board=1)
    client, address = tablet(small)
    late = form(small, "game", "1-0", key="U2.1", entered=1, sent=1)
    cut_short(small.pk, scope="everything", reason="the siren", token=cut_plan(table(small), scope="everything").token)

    held = client.post(address, late, headers={"hx-request": "true"})
    assert (held["X-Entry"], "kept for the arbiter" in text_of(held)) == ("held", True)
    assert 'data-key="' in held.content.decode()
    assert "won" not in text_of(held)


def test_two_tablets_that_disagree_are_decided_on_the_page_of_the_day(stage: Stage) -> None:
    ready_for_game(stage, "U1.1")
    (one, address), (other, theirs) = tablet(stage, "Hall A"), tablet(stage, "Hall B")
    one.post(address, form(stage, "game", "1-0"))
    assert other.post(theirs, form(stage, "game", "0-1")).status_code == 302
    assert "an arbiter decides this match" in text_of(one.get(address))
    arbiter, day = signed_in(stage, "arbiter"), url("manage_bracket", stage)

    page = text_of(arbiter.get(day))
    assert "Results differ 1" in page
    assert "Hall A" in page
    assert "Hall B" in page
    assert "Results of 1 match differ" in text_of(
        arbiter.get(reverse("manage_event", args=[stage.section.tournament.slug]))
    )
    conflict = ResultOperation.objects.get(state="conflict").conflict_id
    arbiter.post(day, {"act": "decide", "conflict": conflict, "outcome": "0-1"})

    assert Game.objects.get(stage=stage, match_key="U1.1").outcome == "0-1"
    assert "Results differ" not in text_of(arbiter.get(day))


def test_kept_entry_is_put_aside_on_the_page_of_the_day(stage: Stage) -> None:
    client, address = tablet(stage)
    client.post(address, form(stage, "game", "1-0", 2, entered=1, sent=1), headers={"hx-request": "true"})
    arbiter, day = signed_in(stage, "arbiter"), url("manage_bracket", stage)

    assert "Kept for you 1" in text_of(arbiter.get(day))
    arbiter.post(day, {"act": "drop", "operation": ResultOperation.objects.get().pk})
    assert "Kept for you" not in text_of(arbiter.get(day))
    assert arbiter.post(day, {"act": "drop", "operation": "x"}).status_code == 404


def test_slip_of_the_finger_is_taken_back_on_the_tablet_that_made_it(stage: Stage) -> None:
    ready_for_game(stage, "U1.1")
    (one, address), (other, theirs) = tablet(stage, "Hall A"), tablet(stage, "Hall B")
    one.post(address, form(stage, "game", "1-0"))
    undo = {"act": "undo", "stage": stage.pk, "match": "U1.1", "reason": "wrong button"}

    assert "Mistyped?" in text_of(one.get(address))
    assert "Mistyped?" not in text_of(other.get(theirs))
    refused = other.post(theirs, undo)
    assert refused.status_code == 422
    assert "was not made on this tablet" in text_of(refused)
    assert "You wrote: wrong button" in text_of(refused)
    assert "Say why" in text_of(one.post(address, {**undo, "reason": ""}))
    assert "the last entry is taken back" in text_of(one.post(address, undo, follow=True))

    assert match(stage, "U1.1").awaits["number"] == 1
    one.post(address, form(stage, "game", "0-1"))
    other.post(theirs, form(stage, "game", "1/2", 2))
    assert "was not made on this tablet" in text_of(one.post(address, undo))  # more has happened since


def test_revoked_tablet_only_shows_and_a_stranger_sees_nothing(stage: Stage) -> None:
    choose_color(stage.pk, "U1.1", color="w")
    client, address = tablet(stage)
    revoke_link(stage.section.tournament, stage.section.tournament.device_links.get().pk, actor=None)

    page = client.get(address)
    assert "Only to look at" in text_of(page)
    assert 'name="answer"' not in page.content.decode().split('id="entry-list"')[1]
    assert reader().get(address).status_code in (403, 404, 409)


def test_tablet_of_an_event_with_rounds_and_matches_has_both_pages(stage: Stage) -> None:
    Stage.objects.create(
        section=stage.section, ordinal=2, code="swiss", kind="swiss", state="running", rules={"rounds": 5}
    )
    client, address = tablet(stage)

    assert address.endswith(f"/tablet/{stage.section.tournament.device_links.get().pk}/")
    assert "/matches/" in client.get(address).content.decode()
    assert f'href="{address}"' in client.get(f"{address}matches/").content.decode()


def test_armageddon_is_reached_by_the_lot_on_the_tablet(stage: Stage) -> None:
    play(stage, "U1.1", "1 0 1 0")
    client, address = tablet(stage)

    assert "A lot gives White" in text_of(client.get(address))
    client.post(address, form(stage, "lot", "", match(stage, "U1.1").awaits["number"]))

    assert "Armageddon" in text_of(client.get(address))
