"""320 people at once for 32 places, again and again: exactly 32 get one, the reserve list is in order, nobody is lost.

    python bench/race.py [runs] [--people 320] [--threads 16] [--by registration|deposit]

Every run has an event of the knockout with 32 places and lets everybody go at the same moment, each through the
product's own service on a database connection of its own: by registering (the place goes with the entry) or by paying
the deposit (the place goes with the money, as that regulation says). Then it counts. The order that must come out is
the order in which the facts stand in the database. Ends with status 1 at the first run in which anything is wrong.
"""

# ruff: noqa: E402, T201 -- a script: settings come before the models, and it prints
from __future__ import annotations

import argparse
import datetime as dt
import os
import statistics
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tourney.settings")
os.environ.setdefault("DATABASE_CONNECTION_AGE", "0")

import django

django.setup()

from django.db import connection, transaction

from registration.models import LedgerLine, Letter
from registration.rooms import read_floor
from registration.services import record_payment
from registration.tests.people import enter, section
from tourney.kernel.money import Money
from tourney.models import Entry, EntryEvent, Player, Tournament
from tourney.services.rehearsal import delete_with_everything
from tourney.testing import builders

PLACES = 32
State = Entry.State


def at_once(acts: list[Callable[[], Any]], threads: int) -> list[str]:
    """Run the acts from many threads that start together; return what went wrong."""
    waiting = iter(acts)
    lock, barrier, wrong = threading.Lock(), threading.Barrier(threads), []

    def run() -> None:
        try:
            connection.ensure_connection()
            barrier.wait(timeout=60)
            while True:
                with lock:
                    act = next(waiting, None)
                if act is None:
                    return
                try:
                    act()
                except Exception as error:  # noqa: BLE001 -- counted: none is wanted
                    wrong.append(f"{type(error).__name__}: {error}")
        finally:
            connection.close()

    workers = [threading.Thread(target=run) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return wrong


def race(event: Tournament, by: str, people: int, threads: int) -> tuple[float, list[str]]:
    """Let everybody go; return the seconds and what is wrong afterwards.

    By the deposit, people who are entered already from the run before have their money and its consequences taken
    away and start again.
    """
    hall = section(event)
    at = dt.datetime(2026, 1, 10, 9, tzinfo=event.zone)
    if by == "registration":
        spec = event.regulations.get().spec
        spec["registration"]["seat_taken_by"] = "registration"
        event.regulations.update(spec=spec)
        acts: list[Callable[[], Any]] = [lambda n=n: enter(hall, f"Гравець{n}", at) for n in range(people)]
    else:
        entries = put_back(event) or [enter(hall, f"Гравець{n}", at).entry for n in range(people)]
        acts = [lambda e=e: record_payment(e, Money(10_000, "UAH"), paid_at=at, now=at) for e in entries]
    started = time.monotonic()
    wrong = at_once(acts, threads)
    took = time.monotonic() - started
    return took, wrong + faults(event, hall, by, people)


@transaction.atomic
def put_back(event: Tournament) -> list[Entry]:
    """Make the entries of the run before as they were ahead of the money; return them in another order each time."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")  # no trigger keeps these facts
    LedgerLine.objects.filter(tournament=event).delete()
    EntryEvent.objects.filter(entry__tournament=event, state__in=[State.CONFIRMED, State.RESERVE]).delete()
    Letter.objects.filter(entry__tournament=event).delete()
    Entry.objects.filter(tournament=event).update(state=State.AWAITING_DEPOSIT, seat=None)
    return list(Entry.objects.filter(tournament=event).select_related("tournament", "section").order_by("?"))


def faults(event: Tournament, hall: Any, by: str, people: int) -> list[str]:
    """Return what is not as it must be: seats 1 to 32 once each, everybody there, the reserve list in its order."""
    found = []
    entries = list(Entry.objects.filter(tournament=event).order_by("pk"))
    seated = {entry.pk: entry.seat for entry in entries if entry.state == Entry.State.CONFIRMED}
    if len(entries) != people:
        found.append(f"{people - len(entries)} lost")
    if sorted(seat or 0 for seat in seated.values()) != list(range(1, PLACES + 1)):
        found.append(f"seats {sorted(seat or 0 for seat in seated.values())}")
    if by == "deposit":
        lines = list(LedgerLine.objects.filter(tournament=event).order_by("pk"))
        order = [line.entry_id for line in lines]
        if sorted(line.receipt_number or 0 for line in lines) != list(range(1, people + 1)):
            found.append("receipts with a gap")
    else:
        events = Entry.objects.filter(tournament=event, events__kind="registered").order_by("events__pk")
        order = list(events.values_list("pk", flat=True))
    if set(order[:PLACES]) != set(seated):
        found.append("a place went to somebody later")
    if [int(name) for name in read_floor(hall).room.reserve] != order[PLACES:]:
        found.append("the reserve list is out of order")
    return found


def throw_away(event: Tournament) -> None:
    """Delete an event and the people made for it."""
    people = list(Player.objects.filter(entries__tournament=event).values_list("pk", flat=True))
    with transaction.atomic():
        delete_with_everything(event)
    Player.objects.filter(pk__in=people).delete()


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("runs", nargs="?", type=int, default=100)
    options.add_argument("--people", type=int, default=320)
    options.add_argument("--threads", type=int, default=16)
    options.add_argument("--by", choices=("registration", "deposit"), default="registration")
    given = options.parse_args()
    times = []
    event: Tournament | None = None
    try:
        for number in range(1, given.runs + 1):
            if event is None:
                slug = f"race-{os.getpid()}-{number}"
                event = builders.event("second-chance-32", starts_on=dt.date(2026, 1, 25), slug=slug)
            took, wrong = race(event, given.by, given.people, given.threads)
            times.append(took)
            if wrong:
                print(f"run {number}: {wrong[:5]}")
                return 1
            if number % 10 == 0 or number == given.runs:
                print(f"{number} runs right, {statistics.median(times):.1f} s each (median)", flush=True)
            if given.by == "registration":
                throw_away(event)
                event = None
    finally:
        if event is not None:
            throw_away(event)
    print(f"{given.runs} runs of {given.people} people by {given.by}: {PLACES} places each time, order exact, 0 lost")
    return 0


if __name__ == "__main__":
    sys.exit(main())
