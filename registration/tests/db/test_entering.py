"""Entering: once and only once, within the rules, with consent to a version, with a link whose token lies nowhere."""

from __future__ import annotations

import datetime as dt
import uuid
from typing import Any

import pytest
from django.core import mail

from registration.links import application_by_token, hash_of, token_of
from registration.models import Application, Claim
from registration.notices import send_notice
from registration.services import (
    edit_entry,
    join_family,
    mark_arrived,
    revoke_link,
    take_back_arrival,
)
from registration.tests.people import enter, kyiv, mari_el, moment, section, states
from tourney.kernel.errors import TourneyError
from tourney.models import Entry, EntryEvent, Job
from tourney.testing import builders

pytestmark = pytest.mark.django_db


def refused(code: str, act: Any, *args: Any, **kwargs: Any) -> None:
    with pytest.raises(TourneyError) as caught:
        act(*args, **kwargs)
    assert caught.value.code == code


def test_a_form_sent_twice_makes_one_entry_and_gives_the_same_link() -> None:
    event = kyiv()
    at = moment(event, "2026-01-10T09:00")
    operation = uuid.uuid4()
    first = enter(section(event), "Адам", at, operation=operation)
    again = enter(section(event), "Адам", at, operation=operation)
    assert (first.created, again.created, again.token) == (True, False, first.token)
    assert Entry.objects.filter(tournament=event).count() == 1


@pytest.mark.parametrize("surname", ["Ковальов", "  КОВАЛЬОВ "])
def test_the_same_person_is_not_entered_twice(surname: str) -> None:
    event = kyiv()
    at = moment(event, "2026-01-10T09:00")
    enter(section(event), "Ковальов", at)
    refused("entry.known_already", enter, section(event), surname, at)
    namesake = enter(section(event), "Ковальов", at, birth_date=dt.date(2001, 1, 1))
    assert namesake.entry.state == "awaiting_deposit"


@pytest.mark.parametrize(
    "again",
    [
        {"surname": "Kovalov", "given_name": "Oleh"},
        {"surname": "Олег", "given_name": "Ковальов"},
        {"surname": "КОВАЛЬОВ", "given_name": "Олег", "patronymic": "Петрович"},
        {"surname": "Інший", "given_name": "Зовсім", "fide_id": "14100010", "birth_date": dt.date(1999, 1, 1)},
    ],
)
def test_the_same_person_is_recognised_in_other_letters_order_and_by_number(again: dict[str, Any]) -> None:
    event = kyiv()
    at = moment(event, "2026-01-10T09:00")
    enter(section(event), "Ковальов", at, fide_id="14100010")
    refused("entry.known_already", enter, section(event), again.pop("surname"), at, **again)
    assert enter(section(event), "ربيع", at).created
    assert enter(section(event), "هادي", at).created


def test_the_same_person_is_recognised_in_another_group_and_with_other_letters() -> None:
    event = mari_el()
    at = moment(event, "2021-08-20T12:00")
    enter(section(event, "u11-boys"), "Артёмов", at)
    refused(
        "entry.known_already",
        enter,
        section(event, "u13-boys"),
        "Артемов",
        at,
        birth_date=dt.date(2012, 5, 17),
        grounds=("national_right",),
    )


@pytest.mark.clause("K11.1")
def test_the_version_of_the_regulation_agreed_to_is_kept() -> None:
    event = kyiv()
    at = moment(event, "2026-01-10T09:00")
    application = enter(section(event), "Адам", at).application
    newest = event.regulations.order_by("-number").first()
    assert (application.consent_regulation, application.consented_at) == (newest, at)


def test_without_consent_to_publish_pages_show_a_number_instead_of_the_name() -> None:
    event = kyiv()
    entry = enter(section(event), "Адам", moment(event, "2026-01-10T09:00"), consent_publication=False).entry
    assert not entry.public_name
    assert "Адам" not in entry.name


def test_the_token_has_128_bits_and_only_its_hash_is_stored() -> None:
    event = kyiv()
    made = enter(section(event), "Адам", moment(event, "2026-01-10T09:00"))
    assert len(made.token) == 22
    assert made.application.link_hash == hash_of(made.token) != made.token
    assert application_by_token(made.token) == made.application
    assert application_by_token(made.token[:-1]) is None
    assert made.token not in str(list(Job.objects.values_list("args", flat=True)))
    revoke_link(made.entry, actor=None)
    assert application_by_token(made.token) is None
    assert application_by_token(token_of(made.entry.pk, 2)) == made.application


@pytest.mark.clause("M7.8")
@pytest.mark.parametrize(
    ("code", "born", "sex", "grounds", "state"),
    [
        ("u11-boys", 2012, "M", (), "confirmed"),
        ("u13-boys", 2012, "M", ("national_right",), "applied"),
        ("u13-boys", 2012, "M", (), "applied"),
        ("u11-boys", 2012, "F", ("national_right",), "applied"),
    ],
)
def test_groups_take_their_own_years_and_others_wait_for_a_right(
    code: str, born: int, sex: str, grounds: tuple[str, ...], state: str
) -> None:
    event = mari_el()
    at = moment(event, "2021-08-20T12:00")
    birth = dt.date(born, 3, 3)
    entry = enter(section(event, code), "Смирнов", at, birth_date=birth, sex=sex, grounds=grounds).entry
    assert entry.state == state


@pytest.mark.clause("M7.8")
@pytest.mark.parametrize(
    ("code", "fields", "reason"),
    [
        ("u11-boys", {"birth_date": dt.date(2009, 1, 1)}, "too_old"),
        ("u11-girls", {"sex": "M"}, "section"),
        ("u11-boys", {"lives_in_region": False}, "residence"),
        ("u11-boys", {"birth_date": None}, "birth_year_unknown"),
    ],
)
def test_who_can_never_play_in_a_group_is_refused(code: str, fields: dict[str, Any], reason: str) -> None:
    event = mari_el()
    at = moment(event, "2021-08-20T12:00")
    refused(f"entry.refused.{reason}", enter, section(event, code), "Смирнов", at, **fields)
    assert not event.entries.exists()


@pytest.mark.clause("M7.8")
def test_a_checked_right_lets_a_waiting_player_in() -> None:
    from registration.services import decide_claim  # noqa: PLC0415 -- keeps the imports above about entering

    event = mari_el()
    at = moment(event, "2021-08-20T12:00")
    entry = enter(
        section(event, "u13-boys"), "Смирнов", at, birth_date=dt.date(2012, 3, 3), grounds=("national_right",)
    )
    decide_claim(Claim.objects.get(entry=entry.entry), verified=True, actor=builders.user("org"), now=at)
    assert states(event) == {"Смирнов": "confirmed"}


@pytest.mark.clause("K4.1")
def test_the_desk_adds_nobody_where_registration_beforehand_is_required() -> None:
    event = kyiv()
    hall = section(event)
    refused("entry.required_beforehand", enter, hall, "Адам", moment(event, "2026-01-25T10:31"), online=False)
    by_phone = enter(hall, "Адам", moment(event, "2026-01-24T10:00"), online=False)
    assert by_phone.entry.state == "awaiting_deposit"


def test_the_form_is_closed_before_and_after_its_time_and_by_the_state_of_the_event() -> None:
    event = kyiv()
    hall = section(event)
    inside, after = moment(event, "2026-01-20T10:00"), moment(event, "2026-01-25T10:30:01")
    refused("entry.closed", enter, hall, "Адам", after)
    for state, code in (("draft", "entry.not_open"), ("closed", "entry.closed"), ("cancelled", "entry.closed")):
        event.state = state
        event.save()
        refused(code, enter, hall, "Адам", inside)
    enter(hall, "Адам", inside, check_open=False) if event.state != "cancelled" else None
    assert event.entries.count() <= 1


def test_ratings_feed_the_one_the_regulation_pairs_by() -> None:
    event = mari_el()
    at = moment(event, "2021-08-20T12:00")
    ratings = {"national": 1234, "fide_standard": 1500}
    entry = enter(section(event, "u11-boys"), "Смирнов", at, ratings=ratings).entry
    assert (entry.rating, entry.ratings) == (1234, ratings)
    edit_entry(entry, {"ratings": {"national": 1250}}, actor=None)
    entry.refresh_from_db()
    assert (entry.rating, entry.ratings) == (1250, {"national": 1250})


def test_an_edit_keeps_which_fields_changed_but_not_their_values() -> None:
    event = kyiv()
    entry = enter(section(event), "Адам", moment(event, "2026-01-10T09:00")).entry
    changed = edit_entry(entry, {"club": "Слон", "email": "new@example.org", "city": ""}, by_entrant=True)
    assert changed == ["club", "email"]
    row = EntryEvent.objects.get(entry=entry, kind="edited")
    assert row.data == {"fields": ["club", "email"], "by_entrant": True}
    assert Application.objects.get(entry=entry).email == "new@example.org"


def test_an_arrival_keeps_its_second_and_an_earlier_one_needs_a_reason() -> None:
    event = mari_el()
    at = moment(event, "2021-08-20T12:00")
    entry = enter(section(event, "u11-boys"), "Смирнов", at).entry
    now = moment(event, "2021-08-26T09:52:17")
    queued = moment(event, "2021-08-26T09:44")
    refused("entry.not_yet", mark_arrived, entry, actor=None, at=now + dt.timedelta(minutes=1), now=now)
    refused("entry.reason_needed", mark_arrived, entry, actor=None, at=queued, now=now)
    mark_arrived(entry, actor=None, at=queued, reason="stood in the queue", now=now)
    application = Application.objects.get(entry=entry)
    row = EntryEvent.objects.get(entry=entry, kind="arrived")
    assert application.onsite_at == queued
    assert (row.at, row.reason, dt.datetime.fromisoformat(row.data["arrived"])) == (now, "stood in the queue", queued)
    take_back_arrival(entry, actor=None)
    entry.refresh_from_db()
    assert (entry.present, Application.objects.get(entry=entry).onsite_at) == (False, None)


def test_a_family_is_joined_by_hand_and_taken_apart() -> None:
    event = mari_el()
    at = moment(event, "2021-08-20T12:00")
    brother = enter(section(event, "u11-boys"), "Смирнов", at).entry
    sister = enter(section(event, "u11-girls"), "Смирнова", at).entry
    join_family(sister, brother, actor=None)
    keys = set(Application.objects.values_list("family_key", flat=True))
    assert len(keys) == 1
    assert "" not in keys
    join_family(sister, None, actor=None)
    assert Application.objects.get(entry=sister).family_key == ""
    other = enter(section(mari_el(), "u11-boys"), "Смирнов", at).entry
    refused("entry.unknown", join_family, sister, other, actor=None)


def test_a_letter_carries_the_link_the_lines_and_how_to_pay() -> None:
    event = mari_el(requisites={})
    at = moment(event, "2021-08-20T12:00")
    made = enter(section(event, "u11-boys"), "Смирнов", at, email="mama@example.org", language="ru")
    job = Job.objects.get(name="registration.send_notice")
    kept = made.entry.letters.get()
    assert job.args["args"] == [kept.pk]
    assert (kept.kind, kept.state) == ("registered", "waiting")
    assert send_notice(made.entry.pk, "registered", "https://chess.example")
    letter = mail.outbox[0]
    assert letter.to == ["mama@example.org"]
    assert f"https://chess.example/e/{made.token}/" in letter.body
    assert "10.3.1" in letter.body
    assert "40703810837000000411" in letter.body
    assert made.application.reference in letter.body
    assert not send_notice(made.entry.pk, "nonsense", "")


def test_nobody_writes_to_the_people_of_a_rehearsal() -> None:
    event = kyiv()
    event.rehearsal_of = kyiv()
    event.save()
    enter(section(event), "Адам", moment(event, "2026-01-10T09:00"))
    assert not Job.objects.exists()
