"""Cutting a bracket short through its page: shown first, with a reason, and played on after all."""

from __future__ import annotations

import pytest

from brackets.services import call_match
from brackets.tests.builders import drawn, everything_shown, match, play, play_all, table
from brackets.tests.web.helpers import reader, signed_in, text_of, url

pytestmark = pytest.mark.django_db


def test_only_who_arbitrates_may_and_the_day_leads_there() -> None:
    stage = drawn()
    address = url("manage_bracket_cut", stage)
    assert signed_in(stage, "arbiter").get(address).status_code == 403
    assert signed_in(stage).get(address).status_code == 404
    assert address in signed_in(stage, "chief_arbiter").get(url("manage_bracket", stage)).content.decode()
    assert address not in signed_in(stage, "arbiter").get(url("manage_bracket", stage)).content.decode()
    assert signed_in(stage, "chief_arbiter").post(address, {"act": "nonsense", "reason": "x"}).status_code == 404


def test_what_falls_away_is_shown_confirmed_with_a_reason_and_taken_back() -> None:
    stage = drawn()
    play_all(stage, most=40)
    before = everything_shown(stage)
    chief = signed_in(stage, "chief_arbiter")
    address = url("manage_bracket_cut", stage)
    page = chief.get(address, {"scope": "placement", "ties": "shared"})
    plan = page.context["plan"]
    assert f"{len(plan.matches)} matches will not be played" in text_of(page)
    assert everything_shown(stage) == before

    form = {"act": "cut", "scope": "placement", "ties": "shared", "token": plan.token}
    assert chief.post(address, {**form, "reason": ""}).status_code == 422
    stale = chief.post(address, {**form, "token": "other", "reason": "siren"})
    assert "something has changed" in text_of(stale)
    assert everything_shown(stage) == before
    chief.post(address, {**form, "reason": "siren"})
    assert match(stage, plan.matches[0]).state == "cut"
    assert "not played" in text_of(reader().get(url("bracket", stage) + "?part=places"))
    assert "Play on after all" in text_of(chief.get(address))

    chief.post(address, {"act": "play_on", "reason": "all clear"})
    assert everything_shown(stage) == before


def test_everything_cut_decides_every_place() -> None:
    stage = drawn()
    play(stage, "U1.1", "1 1")
    call_match(stage.pk, "U1.2")
    chief = signed_in(stage, "chief_arbiter")
    address = url("manage_bracket_cut", stage)
    page = chief.get(address, {"scope": "everything", "ties": "seed"})
    assert len(page.context["places"]) == 32
    form = {"act": "cut", "scope": "everything", "ties": "seed", "token": page.context["plan"].token}
    chief.post(address, {**form, "reason": "power"})
    assert table(stage).state.is_complete
    assert "still played for" not in text_of(reader().get(url("bracket_places", stage)))


def test_nonsense_is_a_sentence() -> None:
    stage = drawn()
    page = signed_in(stage, "chief_arbiter").get(url("manage_bracket_cut", stage), {"scope": "x", "ties": "y"})
    assert "Choose one of the two ways." in text_of(page)
