"""The price at every instant that matters: deadlines, a sibling, a checked ground, the roll-call, the desk's word."""

from __future__ import annotations

import datetime as dt

import pytest
from django.utils import translation

from registration.accounts import account_of
from registration.models import Claim
from registration.services import (
    add_claim,
    decide_claim,
    join_family,
    mark_arrived,
    return_entry,
    set_price,
    take_back_arrival,
    withdraw_entry,
)
from registration.services.recalculating import recalculation, take_newest_fees
from registration.tests.db.test_race import at_once
from registration.tests.people import enter, kyiv, mari_el, moment, pay, section
from registration.words import history
from tourney.kernel.errors import TourneyError
from tourney.kernel.money import Money
from tourney.models import ActionLog, Entry, EntryEvent, Tournament
from tourney.testing import builders


def priced(entry: Entry, at: dt.datetime) -> tuple[str, str]:
    """Return the price of an entry at a moment, in major units, and the clauses it stands on."""
    found = Entry.objects.select_related("player", "section", "tournament").get(pk=entry.pk)
    quote = account_of(found, at=at).quote
    return f"{quote.fee.major:.0f}", quote.basis


@pytest.mark.django_db
@pytest.mark.clause("K4.4", "K4.5", "K4.6")
def test_an_unpaid_place_grows_dearer_at_midnight_and_a_paid_one_does_not() -> None:
    event = kyiv()
    registered = moment(event, "2026-01-10T12:00")
    paid, unpaid = (enter(section(event), name, registered).entry for name in ("Адам", "Богдан"))
    pay(paid, "100", moment(event, "2026-01-20T23:59:59"))
    for at, prices in {
        "2026-01-20T23:59:59.999999": (("500", "4.5"), ("500", "4.5")),
        "2026-01-21T00:00:00": (("500", "4.5"), ("600", "4.4")),
    }.items():
        assert (priced(paid, moment(event, at)), priced(unpaid, moment(event, at))) == prices


@pytest.mark.django_db
@pytest.mark.clause("M10.3.1", "M10.3.2", "M10.3.3", "M10.3.5")
def test_the_price_follows_everything_that_happens_to_a_child() -> None:
    event = mari_el()
    registered = moment(event, "2021-08-20T12:00")
    brother = enter(section(event, "u11-boys"), "Смирнов", registered).entry
    assert priced(brother, registered) == ("500", "10.3.1")

    sister = enter(section(event, "u11-girls"), "Смирнова", registered).entry
    join_family(sister, brother, actor=None)
    assert priced(brother, registered) == priced(sister, registered) == ("300", "10.3.3")

    claim = add_claim(brother, "large_family", actor=None)
    assert priced(brother, registered) == ("300", "10.3.3")  # told, not yet seen
    decide_claim(claim, verified=True, actor=None, now=registered)
    assert priced(brother, registered) == ("250", "10.3.2")

    withdraw_entry(sister, now=registered)
    decide_claim(claim, verified=False, actor=None, now=registered)
    assert priced(brother, registered) == ("500", "10.3.1")
    return_entry(sister, actor=None, now=registered)
    assert priced(brother, registered) == ("300", "10.3.3")

    in_time, late = moment(event, "2021-08-26T09:45:00"), moment(event, "2021-08-26T09:45:01")
    assert (priced(brother, in_time), priced(brother, late)) == (("300", "10.3.3"), ("750", "10.3.5"))
    mark_arrived(brother, actor=None, now=moment(event, "2021-08-26T09:50"))
    assert priced(brother, moment(event, "2021-08-26T11:00")) == ("750", "10.3.5")
    take_back_arrival(brother, actor=None)

    desk = builders.user("desk")
    at, stood = moment(event, "2021-08-26T09:52"), moment(event, "2021-08-26T09:44")
    with pytest.raises(TourneyError, match=r"entry\.reason_needed"):
        mark_arrived(brother, actor=desk, at=stood, now=at)
    with pytest.raises(TourneyError, match=r"entry\.not_yet"):
        mark_arrived(brother, actor=desk, at=at + dt.timedelta(minutes=1), reason="x", now=at)
    mark_arrived(brother, actor=desk, at=stood, reason="stood in the queue", now=at)
    assert priced(brother, moment(event, "2021-08-26T11:00")) == ("300", "10.3.3")

    # Both moments, who and why stay in the record.
    told = EntryEvent.objects.filter(entry=brother, kind="arrived").latest("pk")
    assert (told.at, told.data["arrived"], told.reason, told.by) == (at, stood.isoformat(), "stood in the queue", desk)
    logged = ActionLog.objects.get(action="entry.arrival_backdated")
    assert (logged.reason, logged.data["arrived"], logged.actor) == ("stood in the queue", "09:44:00", desk)


@pytest.mark.django_db
@pytest.mark.clause("M10.3.5")
def test_who_was_late_at_the_form_stays_late_however_early_he_arrives() -> None:
    event = mari_el()
    late = enter(section(event, "u11-boys"), "Смирнов", moment(event, "2021-08-23T20:00:01")).entry
    mark_arrived(late, actor=None, now=moment(event, "2021-08-26T09:00"))
    assert priced(late, moment(event, "2021-08-26T10:00")) == ("750", "10.3.5")


@pytest.mark.django_db
def test_a_price_set_by_hand_outlasts_every_deadline_and_says_who_and_why() -> None:
    event = mari_el()
    entry = enter(section(event, "u11-boys"), "Смирнов", moment(event, "2021-08-20T12:00")).entry
    boss = builders.user("boss")
    with pytest.raises(TourneyError, match=r"money\.say_why"):
        set_price(entry, Money(10_000, "RUB"), reason=" ", actor=boss)
    set_price(entry, Money(10_000, "RUB"), reason="guest of the federation", actor=boss)
    assert priced(entry, moment(event, "2021-08-26T12:00"))[0] == "100"
    told = EntryEvent.objects.get(entry=entry, kind="price_set")
    assert (told.by, told.reason, told.data) == (boss, "guest of the federation", {"minor": 10_000, "currency": "RUB"})
    assert ActionLog.objects.get(action="money.price_set").data["amount"] == "100.00 RUB"


def dearer(event: Tournament, base: str = "700") -> int:
    """Publish a second version in which the fee is another; return its number."""
    spec = event.regulations.get(number=1).spec
    for rule in spec["fees"]["rules"]:
        if rule["kind"] == "base":
            rule["amount"] = base
    event.regulations.create(number=2, spec=spec, published_at=moment(event, "2026-01-12T12:00"))
    return 2


def three_before_the_change() -> tuple[Tournament, list[Entry]]:
    """One who has paid all, one who has paid the deposit, one who has paid nothing; then the fee grows by 100."""
    event = kyiv()
    event.regulations.update(published_at=moment(event, "2026-01-01T12:00"))
    at = moment(event, "2026-01-10T12:00")
    entries = [enter(section(event), name, at).entry for name in ("Адам", "Богдан", "Віра")]
    pay(entries[0], "500", at)
    pay(entries[1], "100", at)
    dearer(event)
    return event, entries


@pytest.mark.django_db
def test_a_new_version_counts_for_who_comes_after_it_and_silently_for_nobody() -> None:
    event, entries = three_before_the_change()
    later = moment(event, "2026-01-15T12:00")
    newcomer = enter(section(event), "Ганна", later).entry
    assert [priced(one, later)[0] for one in (*entries, newcomer)] == ["500", "500", "500", "600"]
    assert priced(entries[2], moment(event, "2026-01-21T12:00"))[0] == "600"  # his own rules go on: early is over
    shown = {one.account.entry.player.surname: one.keeps for one in recalculation(event).differences}
    assert shown == {"Адам": True, "Богдан": False, "Віра": False}


@pytest.mark.django_db
def test_the_new_fee_is_taken_for_those_chosen_with_a_reason_and_once() -> None:
    event, (paid, deposit, unpaid) = three_before_the_change()
    later = moment(event, "2026-01-15T12:00")
    boss = builders.user("boss")

    def take(*who: Entry, version: int = 2, reason: str = "the hall costs more") -> int:
        return take_newest_fees(event, [one.pk for one in who], version=version, reason=reason, actor=boss, now=later)

    for code, act in {
        "money.say_why": lambda: take(unpaid, reason=" "),
        "fees.nobody_chosen": take,
        "fees.other_version": lambda: take(unpaid, version=1),
        "fees.paid_meanwhile": lambda: take(paid, unpaid),
        "entry.unknown": lambda: take_newest_fees(event, [0], version=2, reason="x", actor=boss, now=later),
    }.items():
        with pytest.raises(TourneyError) as refused:
            act()
        assert refused.value.code == code
    assert [priced(one, later)[0] for one in (paid, deposit, unpaid)] == ["500", "500", "500"]

    assert take(unpaid) == 1
    assert take(unpaid) == 0
    assert [priced(one, later)[0] for one in (paid, deposit, unpaid)] == ["500", "500", "600"]
    told = EntryEvent.objects.get(entry=unpaid, kind="fees_taken")
    assert (told.by, told.reason, told.data) == (
        boss,
        "the hall costs more",
        {"version": 2, "before": 50_000, "after": 60_000, "currency": "UAH"},
    )
    logged = ActionLog.objects.get(action="money.fees_taken")
    assert (logged.data, logged.reason) == ({"version": 2, "entries": 1}, "the hall costs more")
    unpaid.refresh_from_db()
    with translation.override("en"):
        words = [row["what"] for row in history(unpaid, unpaid.events.all())]
    assert any("version 2" in text and "500" in text and "600" in text for text in words)


@pytest.mark.django_db
def test_a_lower_deposit_that_is_taken_gives_the_place() -> None:
    event = kyiv()
    event.regulations.update(published_at=moment(event, "2026-01-01T12:00"))
    at, later = moment(event, "2026-01-10T12:00"), moment(event, "2026-01-15T12:00")
    entry = enter(section(event), "Адам", at).entry
    pay(entry, "50", at)
    spec = event.regulations.get().spec
    for rule in spec["fees"]["rules"]:
        if rule["kind"] == "deposit":
            rule["amount"] = "50"
    event.regulations.create(number=2, spec=spec, published_at=moment(event, "2026-01-12T12:00"))
    (one,) = recalculation(event, at=later).open
    assert not one.changes  # the fee is the same, the deposit is not
    assert take_newest_fees(event, [entry.pk], version=2, reason="agreed", actor=None, now=later) == 1
    entry.refresh_from_db()
    assert entry.state == Entry.State.CONFIRMED


def one_claim(event: Tournament) -> Claim:
    entry = enter(section(event, "u11-boys"), "Смирнов", moment(event, "2021-08-20T12:00"), claims=("large_family",))
    return Claim.objects.get(entry=entry.entry)


@pytest.mark.django_db(transaction=True)
def test_two_desks_that_check_the_same_paper_at_once_lower_the_fee_once() -> None:
    event = mari_el()
    claim = one_claim(event)
    assert at_once([lambda: decide_claim(claim, verified=True, actor=None) for _ in range(4)]) == []
    assert priced(claim.entry, moment(event, "2021-08-21T12:00")) == ("250", "10.3.2")
    assert Claim.objects.filter(entry=claim.entry).count() == 1
