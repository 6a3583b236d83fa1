"""How long a bank statement of 5,000 payments takes: reading the file, matching, and the whole way into the ledger.

    python bench/statement.py [--rows 5000] [--entries 300] [--whole]

The file is made up (PrivatBank's layout, seed 1): half of the payments carry a reference, a quarter name a player, a
quarter say nothing. `--whole` also sends it in on `DATABASE_URL` or the embedded database: rows kept and payments
booked under the locks of their sections, and the same file read once more under another digest; the event is deleted
again.
"""

# ruff: noqa: S311, T201 -- a script: chance needs a seed, and it prints
from __future__ import annotations

import argparse
import random
import sys
import time
from datetime import date
from pathlib import Path
from zoneinfo import ZoneInfo

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from registration.engine import reference, statements
from registration.engine.statements import Candidate
from tourney.kernel.money import Money

HEAD = "Рахунок;Валюта;Номер документу;Дата операції;Рахунок кореспондента;Кореспондент;Сума;Призначення платежу"
MUST_REACH = 10.0  # seconds, for reading and matching
LETTERS = "абвгдежзийклмнопрстуфхцчшщ"


def name(chance: random.Random) -> str:
    return "".join(chance.choice(LETTERS) for _ in range(chance.randint(5, 10))).capitalize()


def made_up_file(people: list[tuple[str, str, str]], rows: int, *, foot: str = "") -> bytes:
    chance = random.Random(1)
    lines = [HEAD]
    for number in range(rows):
        surname, given, ref = people[number % len(people)]
        purpose = (f"Внесок {ref}", f"Внесок, {ref}", f"за {surname}а {given[0]}.", "оплата послуг")[number % 4]
        day = date(2026, 1, 1 + chance.randint(0, 19))
        amount = chance.choice(["1,00", "2,50", "1 000,00"])
        lines.append(f"UA1;UAH;{number % 50};{day:%d.%m.%Y};UA{number % 900};{name(chance)};{amount};{purpose}")
    return "\n".join([*lines, foot]).encode("cp1251")


def engine(rows: int, entries: int) -> bool:
    chance = random.Random(2)
    people = [(name(chance), name(chance), reference.compose(number)) for number in range(entries)]
    money = Money(10**9, "UAH")
    candidates = [
        Candidate(str(number), ref, surname, given, money, (money,))
        for number, (surname, given, ref) in enumerate(people)
    ]
    raw = made_up_file(people, rows)
    started = time.perf_counter()
    found = statements.read(raw, currency="UAH", zone=ZoneInfo("Europe/Kyiv"))
    keys = statements.keys_of(found.movements)
    read = time.perf_counter()
    decisions = statements.match(found.movements, candidates, "UAH")
    matched = time.perf_counter()
    sure = sum(1 for decision in decisions if decision.parts)
    named = sum(1 for decision in decisions if decision.suggestions)
    print(f"{len(found.movements)} payments, {len(set(keys))} keys, {entries} entries")
    print(f"read {read - started:.2f} s, matched {matched - read:.2f} s: {sure} sure, {named} with suggestions")
    return matched - started < MUST_REACH and len(found.movements) == len(set(keys)) == rows


def whole(rows: int, entries: int) -> bool:
    from bench.result_entry import connect  # noqa: PLC0415 -- sets Django up

    stop = connect()
    try:
        return _whole(rows, entries)
    finally:
        stop()


def _whole(rows: int, entries: int) -> bool:
    from django.db import transaction  # noqa: PLC0415
    from django.utils import timezone  # noqa: PLC0415

    from registration.models import Application, BankRow, LedgerLine  # noqa: PLC0415
    from registration.services import bank  # noqa: PLC0415
    from registration.services.entering import application_of  # noqa: PLC0415
    from tourney.services.rehearsal import delete_with_everything  # noqa: PLC0415
    from tourney.testing import builders  # noqa: PLC0415

    chance = random.Random(2)
    event = builders.event("second-chance-32")
    try:
        sections = list(event.sections.all())
        people = []
        for number in range(entries):
            entry = builders.entry(sections[number % len(sections)], name(chance))
            application = application_of(entry)
            Application.objects.filter(pk=application.pk).update(consented_at=timezone.now())
            people.append((entry.player.surname, entry.player.given_name or "Олег", application.reference))
        for foot in ("", ";;"):  # the second file has other bytes and the same payments
            statement = bank.send_in(event, name="bench.csv", content=made_up_file(people, rows, foot=foot), actor=None)
            started = time.perf_counter()
            bank.read_statement(statement.pk)
            statement.refresh_from_db()
            print(
                f"whole way {time.perf_counter() - started:.1f} s: new {statement.outcome['new']},"
                f" known {statement.outcome['known']},"
                f" lines {LedgerLine.objects.filter(tournament=event).count()}"
            )
        return BankRow.objects.filter(tournament=event).count() == rows
    finally:
        with transaction.atomic():  # foreign keys are checked at its end
            delete_with_everything(event)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=5000)
    parser.add_argument("--entries", type=int, default=300)
    parser.add_argument("--whole", action="store_true")
    asked = parser.parse_args()
    fine = engine(asked.rows, asked.entries)
    if asked.whole:
        fine = whole(asked.rows, asked.entries) and fine
    sys.exit(0 if fine else 1)
