"""What one more registration and one more booking of a bank payment cost in a section that is full of people.

    python bench/entering.py [--players 320] [--times 20]

Makes an event of the knockout with so many entries in one section, then enters people and books payments through the
product's own services, and prints for each the CPU of this process and of its database server, the queries, and the
time. The event is deleted again. Ends with status 1 when one registration takes more than 60 ms of CPU, one booking
more than 40 ms.
"""

# ruff: noqa: E402, T201 -- a script: settings come before the models, and it prints
from __future__ import annotations

import argparse
import cProfile
import datetime as dt
import os
import pstats
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tourney.settings")

import django

django.setup()

from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from bench.rating_list import cpu_of_database
from registration.models import BankRow, BankStatement
from registration.services import bank
from registration.tests.people import enter, section
from tourney.kernel.money import Money
from tourney.models import Player
from tourney.services.rehearsal import delete_with_everything
from tourney.testing import builders

MOST = {"one registration": 60.0, "one booking": 40.0}  # ms of CPU


def measure(name: str, acts: list[Callable[[], Any]], profile: bool) -> bool:
    """Run the acts; print what one costs (the median; the database's clock ticks too coarsely, so its mean)."""
    cpu, took = [], []
    database = cpu_of_database()
    profiler = cProfile.Profile()
    for act in acts[1:]:
        own, started = time.process_time(), time.perf_counter()
        act() if not profile else profiler.runcall(act)
        cpu.append((time.process_time() - own) * 1000)
        took.append((time.perf_counter() - started) * 1000)
    database = (cpu_of_database() - database) * 1000 / len(cpu)
    with CaptureQueriesContext(connection) as queries:
        acts[0]()
    print(
        f"{name}: {statistics.median(cpu):.1f} ms CPU here (slowest {max(cpu):.1f}), {database:.1f} in the database,"
        f" {len(queries)} queries, {statistics.median(took):.1f} ms by the clock"
    )
    if profile:
        pstats.Stats(profiler).sort_stats("cumulative").print_stats(45)
    return statistics.median(cpu) <= MOST[name]


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--players", type=int, default=320)
    options.add_argument("--times", type=int, default=20)
    options.add_argument("--profile", action="store_true")
    given = options.parse_args()
    event = builders.event("second-chance-32", starts_on=dt.date(2026, 1, 25), slug=f"entering-{os.getpid()}")
    at = dt.datetime(2026, 1, 10, 9, tzinfo=event.zone)
    try:
        hall = section(event)
        entries = [enter(hall, f"Гравець{number}", at).entry for number in range(given.players - given.times)]
        statement = BankStatement.objects.create(tournament=event, name="bench", digest="0" * 64, at=at)
        rows = [
            BankRow.objects.create(
                tournament=event,
                statement=statement,
                key=str(number),
                line=number,
                paid_at=at,
                minor=10_000,
                currency="UAH",
                payer="Платник",
                purpose="Внесок",
            )
            for number in range(given.times)
        ]
        fine = measure(
            "one registration", [lambda n=n: enter(hall, f"Новий{n}", at) for n in range(given.times)], given.profile
        )
        acts = [
            lambda row=row, entry=entry: bank.book_row(row, entry, Money(10_000, "UAH"), actor=None)
            for row, entry in zip(rows, entries[-given.times :], strict=True)
        ]
        fine = measure("one booking", acts, given.profile) and fine
    finally:
        people = list(Player.objects.filter(entries__tournament=event).values_list("pk", flat=True))
        with transaction.atomic():
            delete_with_everything(event)
        Player.objects.filter(pk__in=people).delete()
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
