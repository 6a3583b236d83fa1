"""Places and the reserve list on the table: the whole way of 35 entries, promotion, no-shows, the organizer's hand."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from registration.accounts import account_of, accounts, totals
from registration.engine.capacity import Phase
from registration.models import LedgerLine, ReserveOffer
from registration.panels import rebuild
from registration.rooms import phase_of, read_floor
from registration.services import (
    accept_offer,
    decide_application,
    decline_offer,
    mark_no_show,
    pass_deadlines,
    promote_by_hand,
    replace_in_place,
    return_entry,
    withdraw_entry,
)
from registration.tests.people import enter, kyiv, moment, pay, section, states
from tourney import panels
from tourney.kernel.errors import TourneyError
from tourney.kernel.money import Money
from tourney.models import Entry, EntryEvent, Section, Tournament
from tourney.services.entries import rebuild_entry_states
from tourney.services.events import publish_spec
from tourney.services.stages import close_entries
from tourney.testing import builders

pytestmark = pytest.mark.django_db


def refused(code: str, act: Any, *args: Any, **kwargs: Any) -> None:
    with pytest.raises(TourneyError) as caught:
        act(*args, **kwargs)
    assert caught.value.code == code


def uah(major: str) -> Money:
    return Money.parse(major, "UAH")


def small(places: int = 2, **rules: Any) -> Section:
    """A knockout's section with a few places; `rules` change the regulation's block of registration."""
    event = kyiv()
    spec = event.regulations.get().spec
    spec["sections"][0]["capacity"] = places
    spec["registration"].update(rules)
    publish_spec(event, spec, author=None, reason="smaller hall")
    return section(event)


@pytest.mark.clause("K3.1", "K3.3", "K3.4", "K4.3", "K4.4", "K4.5", "K4.6")
def test_thirty_five_enter_thirty_two_play_and_a_withdrawal_moves_the_first_reserve_up() -> None:
    event = kyiv()
    hall = section(event)
    first = moment(event, "2026-01-10T09:00")
    entered = [enter(hall, f"Гравець{n}", first + dt.timedelta(minutes=n)).entry for n in range(1, 36)]
    assert set(states(event).values()) == {"awaiting_deposit"}

    for n, entry in enumerate(entered):
        # The last ten pay after the early price is over: the very first instant of the 21st is too late.
        at = "2026-01-20T23:59:59.999999" if n < 25 else "2026-01-21T00:00"
        pay(entry, "100", moment(event, at) + dt.timedelta(minutes=n - 25 if n >= 25 else 0))
    seats = event.entries.filter(state="confirmed").values_list("seat", flat=True)
    assert sorted(seats) == list(range(1, 33))
    reserve = read_floor(hall).room.reserve
    assert [event.entries.get(pk=pk).player.surname for pk in reserve] == ["Гравець33", "Гравець34", "Гравець35"]

    at_desk = moment(event, "2026-01-25T10:00")
    by_name = {a.entry.player.surname: a for a in accounts(event, at=at_desk)}
    assert (by_name["Гравець25"].quote.fee, by_name["Гравець26"].quote.fee) == (uah("500"), uah("600"))
    assert by_name["Гравець1"].owes == uah("400")
    assert [(line.clause, str(line.amount)) for line in by_name["Гравець1"].quote.lines] == [
        ("4.4", "600.00 UAH"),
        ("4.5", "-100.00 UAH"),
    ]

    leaver = by_name["Гравець7"].entry
    withdraw_entry(leaver, by_entrant=True, now=moment(event, "2026-01-22T12:00"))
    after = states(event)
    assert (after["Гравець7"], after["Гравець33"], after["Гравець34"]) == ("withdrawn", "confirmed", "reserve")
    assert event.entries.get(player__surname="Гравець33").seat == 7

    for account in accounts(event, at=at_desk):
        if account.owes:
            pay(account.entry, str(account.owes.major), at_desk)
    found = accounts(event, at=at_desk)
    whole = totals(event, found)
    # 24 early (one of the 25 left), 8 full payers, and the leaver and two reserves have their 100 to get back.
    assert whole.due == uah("16800")
    assert whole.owed == uah("0")
    assert whole.credit == uah("300")
    assert whole.by_channel == {"cash": uah("17100")}
    assert account_of(leaver_now(leaver), at=at_desk).to_return == uah("100")


def leaver_now(entry: Entry) -> Entry:
    return Entry.objects.select_related("player", "section", "tournament").get(pk=entry.pk)


@pytest.mark.clause("K3.2")
def test_another_level_waits_for_the_organizers_word() -> None:
    event = kyiv()
    at = moment(event, "2026-01-10T09:00")
    entry = enter(section(event), "Третій", at, level="3").entry
    assert entry.state == "applied"
    pay(entry, "100", at)  # money is booked, a place is not given
    assert states(event) == {"Третій": "applied"}
    refused("entry.reason_needed", decide_application, entry, accept=True, reason=" ", actor=None)
    decide_application(entry, accept=True, reason="played last year", actor=builders.user("org"), now=at)
    assert states(event) == {"Третій": "confirmed"}
    refused("entry.not_waiting", decide_application, entry, accept=False, reason="no", actor=None)

    other = enter(section(event), "Четвертий", at, level="4").entry
    pay(other, "100", at)
    decide_application(other, accept=False, reason="too weak", actor=None, now=at)
    assert account_of(leaver_now(other), at=at).to_return == uah("100")


@pytest.mark.clause("K3.4")
def test_a_place_is_offered_with_a_deadline_and_goes_on_to_the_next() -> None:
    hall = small(1, promotion="offer", offer_hours=24)
    event = hall.tournament
    at = moment(event, "2026-01-10T09:00")
    names = ("Адам", "Богдан", "Василь", "Гліб")
    entered = {name: enter(hall, name, at).entry for name in names}
    for entry in entered.values():
        pay(entry, "100", at)
    withdraw_entry(entered["Адам"], now=at)
    assert states(event) == {"Адам": "withdrawn", "Богдан": "offered", "Василь": "reserve", "Гліб": "reserve"}
    offer = ReserveOffer.objects.get()
    assert (offer.entry.player.surname, offer.expires_at) == ("Богдан", at + dt.timedelta(hours=24))
    assert offer.entry.seat == 1  # held for him: nobody else can be given the last place

    refused("place.no_offer", accept_offer, entered["Василь"], now=at)
    assert pass_deadlines(at + dt.timedelta(hours=24)) == 0
    late = at + dt.timedelta(hours=24, seconds=1)
    refused("place.offer_expired", accept_offer, entered["Богдан"], now=late)
    assert pass_deadlines(late) == 1
    assert states(event)["Богдан"] == "expired"
    assert states(event)["Василь"] == "offered"
    decline_offer(entered["Василь"], now=late)
    accept_offer(entered["Гліб"], now=late + dt.timedelta(hours=1))
    assert states(event) == {"Адам": "withdrawn", "Богдан": "expired", "Василь": "withdrawn", "Гліб": "confirmed"}
    assert list(ReserveOffer.objects.order_by("pk").values_list("answer", flat=True)) == [
        "expired",
        "declined",
        "accepted",
    ]


def test_an_unpaid_place_is_lost_after_the_time_the_regulation_gives() -> None:
    hall = small(1, seat_taken_by="registration", hold_hours=48)
    event = hall.tournament
    at = moment(event, "2026-01-10T09:00")
    first, second = (enter(hall, name, at).entry for name in ("Адам", "Богдан"))
    assert states(event) == {"Адам": "confirmed", "Богдан": "reserve"}
    pay(second, "100", at)
    pass_deadlines(at + dt.timedelta(hours=49))
    assert states(event) == {"Адам": "awaiting_deposit", "Богдан": "confirmed"}
    pay(first, "100", at + dt.timedelta(hours=50))
    assert states(event) == {"Адам": "reserve", "Богдан": "confirmed"}
    assert LedgerLine.objects.filter(tournament=event).count() == 2


@pytest.mark.clause("K4.7")
@pytest.mark.parametrize(
    ("valid", "kept", "back"),
    [(False, "100", "0"), (True, "0", "100")],
)
def test_deposit_of_a_no_show_is_kept_unless_the_reason_was_accepted(valid: bool, kept: str, back: str) -> None:
    event = kyiv()
    at = moment(event, "2026-01-10T09:00")
    entry = enter(section(event), "Адам", at).entry
    pay(entry, "100", at)
    arbiter = builders.user("arbiter")
    day = moment(event, "2026-01-25T11:30")
    if valid:
        refused("entry.valid_reason_needs_words", mark_no_show, entry, actor=arbiter, valid_reason=True, now=day)
    words = {"reason": "ill, with a note", "accepted_by": "Chief arbiter"} if valid else {}
    mark_no_show(entry, actor=arbiter, valid_reason=valid, now=day, **words)
    account = account_of(leaver_now(entry), at=day)
    assert (account.quote.due, account.to_return, account.owes) == (uah(kept), uah(back), uah("0"))
    event_row = EntryEvent.objects.get(entry=entry, kind="no_show")
    assert (event_row.by, event_row.data["valid_reason"]) == (arbiter, valid)
    assert event_row.data["accepted_by"] == words.get("accepted_by", "")


@pytest.mark.clause("K3.4")
def test_a_reserve_takes_the_place_of_a_no_show_by_hand_once_the_list_is_closed() -> None:
    hall = small(2)
    event = hall.tournament
    at = moment(event, "2026-01-10T09:00")
    entered = {name: enter(hall, name, at).entry for name in ("Адам", "Богдан", "Василь")}
    for entry in entered.values():
        pay(entry, "100", at)
    close_entries(hall, actor=None)
    hall.refresh_from_db()
    assert phase_of(hall) is Phase.DRAWN
    day = moment(event, "2026-01-25T10:55")
    mark_no_show(entered["Адам"], actor=None, now=day)
    assert states(event)["Василь"] == "reserve"  # nobody moves up by himself any more
    number = Entry.objects.get(pk=entered["Адам"].pk).start_number

    heard: list[tuple[int, int]] = []

    def listener(old: Entry, new: Entry, actor: Any) -> None:
        heard.append((old.pk, new.pk))

    panels.register("entry_replaced", listener)
    try:
        replace_in_place(entered["Адам"], entered["Василь"], actor=builders.user("org"), now=day)
    finally:
        panels._registered["entry_replaced"].remove(listener)
    gone, new = (Entry.objects.get(pk=entered[name].pk) for name in ("Адам", "Василь"))
    assert (gone.state, gone.start_number, gone.seat) == ("no_show", None, None)
    assert (new.state, new.start_number, new.seat) == ("confirmed", number, 1)
    assert heard == [(gone.pk, new.pk)]
    assert account_of(leaver_now(gone), at=day).quote.due == uah("100")
    refused("place.not_a_reserve", promote_by_hand, entered["Богдан"], actor=None)


def test_a_hook_that_refuses_leaves_everything_as_it_was() -> None:
    hall = small(2)
    event = hall.tournament
    at = moment(event, "2026-01-10T09:00")
    entered = [enter(hall, name, at).entry for name in ("Адам", "Богдан", "Василь")]
    for entry in entered:
        pay(entry, "100", at)
    close_entries(hall, actor=None)

    def listener(old: Entry, new: Entry, actor: Any) -> None:
        raise TourneyError("place.already_started")

    panels.register("entry_replaced", listener)
    try:
        refused("place.already_started", replace_in_place, entered[0], entered[2], actor=None)
    finally:
        panels._registered["entry_replaced"].remove(listener)
    assert states(event) == {"Адам": "confirmed", "Богдан": "confirmed", "Василь": "reserve"}


def test_who_comes_back_goes_to_the_end_and_a_mistaken_no_show_gets_his_place_again() -> None:
    hall = small(1)
    event = hall.tournament
    at = moment(event, "2026-01-10T09:00")
    first, second = (enter(hall, name, at).entry for name in ("Адам", "Богдан"))
    for entry in (first, second):
        pay(entry, "100", at)
    withdraw_entry(first, now=at)
    refused("entry.not_alive", withdraw_entry, first, now=at)
    return_entry(first, actor=None, now=at)
    assert states(event) == {"Адам": "reserve", "Богдан": "confirmed"}
    refused("entry.still_alive", return_entry, first, actor=None, now=at)
    withdraw_entry(first, now=at)
    mark_no_show(second, actor=None, now=at)
    return_entry(second, actor=None, now=at)
    assert states(event)["Богдан"] == "confirmed"


def test_nobody_leaves_by_the_link_once_the_group_has_been_played() -> None:
    hall = small(2)
    at = moment(hall.tournament, "2026-01-10T09:00")
    entered = [enter(hall, name, at).entry for name in ("Адам", "Богдан")]
    for entry in entered:
        pay(entry, "100", at)
    close_entries(hall, actor=None)
    hall.stages.update(state="closed")
    refused("entry.play_begun", withdraw_entry, entered[0], by_entrant=True)


def test_reserves_that_never_got_a_place_get_their_money_back_when_the_event_is_over() -> None:
    hall = small(1)
    event = hall.tournament
    at = moment(event, "2026-01-10T09:00")
    entered = [enter(hall, name, at).entry for name in ("Адам", "Богдан")]
    for entry in entered:
        pay(entry, "100", at)
    assert account_of(leaver_now(entered[1]), at=at).to_return == uah("0")
    Tournament.objects.filter(pk=event.pk).update(state=Tournament.State.FINISHED)
    account = account_of(leaver_now(entered[1]), at=at)
    assert (account.to_return, account.quote.basis) == (uah("100"), "3.3")


def test_states_are_rebuilt_from_events_and_seats_from_states() -> None:
    hall = small(2)
    event = hall.tournament
    at = moment(event, "2026-01-10T09:00")
    entered = [enter(hall, name, at).entry for name in ("Адам", "Богдан", "Василь", "Гліб")]
    for entry in entered[:3]:
        pay(entry, "100", at)
    withdraw_entry(entered[0], now=at)
    before = list(event.entries.order_by("pk").values_list("state", "seat"))
    event.entries.update(state="applied", seat=None)
    assert rebuild_entry_states(event.pk) == 4
    rebuild(event)
    after = list(event.entries.order_by("pk").values_list("state", "seat"))
    assert [state for state, _seat in after] == [state for state, _seat in before]
    assert sorted(seat for _state, seat in after if seat) == [1, 2]


def test_reading_a_room_takes_the_same_number_of_queries_for_few_and_many(django_assert_num_queries: Any) -> None:
    event = kyiv()
    hall = section(event)
    at = moment(event, "2026-01-10T09:00")
    for number in range(3):
        enter(hall, f"Гравець{number}", at)
    with django_assert_num_queries(4):
        read_floor(hall)
    with django_assert_num_queries(8):
        accounts(event)
    for number in range(3, 30):
        enter(hall, f"Гравець{number}", at)
    with django_assert_num_queries(4):
        read_floor(hall)
    with django_assert_num_queries(8):
        accounts(event)
