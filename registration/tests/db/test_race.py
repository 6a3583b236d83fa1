"""The last place goes once: real transactions on real connections, all at the same moment."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from registration.models import LedgerLine
from registration.rooms import read_floor
from registration.services import record_payment
from registration.tests.people import enter, kyiv, moment, pay, section
from tourney.kernel.money import Money

THREADS = 8


def at_once(acts: list[Callable[[], Any]]) -> list[BaseException]:
    """Run acts in threads that all start at one moment, each on a connection of its own; return what went wrong."""
    barrier, wrong = threading.Barrier(len(acts)), []

    def run(act: Callable[[], Any]) -> None:
        try:
            barrier.wait(timeout=30)
            act()
        except Exception as error:  # noqa: BLE001 -- handed to the test, which wants none
            wrong.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=[act]) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert not any(thread.is_alive() for thread in threads)
    return wrong


@pytest.mark.django_db(transaction=True)
@pytest.mark.clause("K3.1", "K3.3")
def test_eight_deposits_for_place_thirty_two_at_the_same_instant() -> None:
    event = kyiv()
    hall = section(event)
    at = moment(event, "2026-01-10T09:00")
    for number in range(31):
        pay(enter(hall, f"Гравець{number}", at).entry, "100", at)
    racing = [enter(hall, f"Швидкий{number}", at).entry for number in range(THREADS)]

    def deposit(entry: Any) -> Callable[[], Any]:
        return lambda: record_payment(entry, Money(10_000, "UAH"), paid_at=at, now=at)

    assert at_once([deposit(entry) for entry in racing]) == []
    seats = list(event.entries.filter(state="confirmed").values_list("seat", flat=True))
    assert sorted(seats) == list(range(1, 33))
    reserve = read_floor(hall).room.reserve
    assert len(reserve) == THREADS - 1
    # Money is booked for everybody, and the receipts of the whole event run without a gap.
    numbers = LedgerLine.objects.filter(tournament=event).values_list("receipt_number", flat=True)
    assert sorted(number or 0 for number in numbers) == list(range(1, 31 + THREADS + 1))
    # The reserve list stands in the order in which the deposits were booked.
    booked = LedgerLine.objects.filter(entry__in=racing).order_by("pk").values_list("entry", flat=True)
    assert [str(pk) for pk in booked][1:] == list(reserve)


@pytest.mark.django_db(transaction=True)
@pytest.mark.clause("K3.3")
def test_two_who_register_for_the_last_place_at_the_same_instant() -> None:
    event = kyiv()
    spec = event.regulations.get().spec
    spec["registration"]["seat_taken_by"] = "registration"
    event.regulations.update(spec=spec)
    hall = section(event)
    at = moment(event, "2026-01-10T09:00")
    for number in range(31):
        enter(hall, f"Гравець{number}", at)

    def register(name: str) -> Callable[[], Any]:
        return lambda: enter(hall, name, at)

    assert at_once([register("Перший"), register("Другий")]) == []
    last = event.entries.filter(player__surname__in=["Перший", "Другий"])
    assert sorted(last.values_list("state", "seat")) == [("confirmed", 32), ("reserve", None)]
