"""How long a rating list of the size of FIDE's takes, how much memory, how fast names are found in it.

    python bench/rating_list.py [people] [--keep]

Makes a list up (by a seed, in the federation's own fixed columns; and in XML with `--xml`), loads it with the product's
own loader, loads a next month's list in which one person in fifty has changed, searches names typed in Cyrillic and in
Latin, whole, begun and with a slip, and throws everything away. Prints seconds, the most memory this process had,
median and slowest search and its CPU, and how many were not found: the person where the year is typed, else anybody of
exactly that name (nobody can tell namesakes apart by their name).
"""

# ruff: noqa: E402, T201, S311, SIM905 -- a script: settings come before the models, it prints, its chance is no secret
from __future__ import annotations

import argparse
import os
import random
import resource
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tourney.settings")

import django

django.setup()

from django.db import connection
from django.utils import timezone

from registration.ratings.loading import load_file
from registration.ratings.models import NameCut, NameWord, RatedPerson, RatingList
from registration.ratings.searching import search

SYLLABLES = "ba be bi bo bu va ve vi vo ga go gu da de di do du zha ze zi ka ke ki ko ku la le li lo lu ma me mi mo mu"
SYLLABLES += " na ne ni no nu pa pe pi po ra re ri ro ru sa se si so sha she ta te ti to tu fe fi kha tse cha chu ya yu"
ENDINGS = "ov ova ev eva in ina enko uk yk sky ska skyi son sen man berg er ez es i o a ian idze shvili".split()
GIVEN = (
    "Ivan Petr Olena Oleksandr Aleksandr Alexander Maria Mariya Anna Sergey Serhii Dmitry Dmytro Mykola Nikolai Yurii "
    "Yuri Ihor Igor Natalia Andrii Andrey Hryhorii Grigory John James Wei Lei Carlos Jose Juan Luis Ahmed Mohamed Raj "
    "Kumar Arjun Priya Hans Peter Klaus Jan Piotr Pavel Viktor Vladimir Volodymyr Oksana Iryna Irina Tetiana Tatiana"
).split()
FEDERATIONS = "RUS UKR IND ESP GER FRA USA POL ITA IRI TUR CHN HUN SRB".split()
HEAD = (
    "ID Number      Name                                                         Fed Sex Tit  WTit OTit           FOA "
)
HEAD += "SRtng SGm SK RRtng RGm Rk BRtng BGm BK B-day Flag"


def surnames(chance: random.Random, count: int) -> list[str]:
    parts = SYLLABLES.split()
    made: set[str] = set()
    while len(made) < count:
        made.add("".join(chance.choices(parts, k=chance.choice((2, 2, 3, 3, 4)))).capitalize() + chance.choice(ENDINGS))
    return sorted(made)


def line(number: int, name: str, chance: random.Random, shift: int) -> str:
    ratings = [chance.randint(1400, 2500) + shift if chance.random() < share else 0 for share in (0.35, 0.25, 0.2)]
    year = chance.randint(1935, 2019)
    return (
        f"{number:<15}{name:<61}{chance.choice(FEDERATIONS):<4}{chance.choice('MMMF'):<4}{'':<5}{'':<5}{'':<15}{'':<4}"
        f"{ratings[0]:<6}{0:<4}{20:<3}{ratings[1]:<6}{0:<4}{20:<3}{ratings[2]:<6}{0:<4}{20:<3}{year:<6}{'':<4}\r\n"
    )


def xml(text: str) -> str:
    part = [text[a:b].strip() for a, b in ((0, 15), (15, 76), (76, 80), (80, 84), (113, 119), (126, 132), (139, 145))]
    number, name, country, sex, standard, rapid, blitz = part
    return (
        f"<player>\n<fideid>{number}</fideid>\n<name>{name}</name>\n<country>{country}</country>\n<sex>{sex}</sex>\n"
        f"<title></title>\n<w_title></w_title>\n<o_title></o_title>\n<rating>{standard}</rating>\n<games>0</games>\n"
        f"<k>20</k>\n<rapid_rating>{rapid}</rapid_rating>\n<rapid_games>0</rapid_games>\n<rapid_k>20</rapid_k>\n"
        f"<blitz_rating>{blitz}</blitz_rating>\n<blitz_games>0</blitz_games>\n<blitz_k>20</blitz_k>\n"
        f"<birthday>{text[152:158].strip()}</birthday>\n<flag></flag>\n</player>\n"
    )


def make(path: Path, people: int, *, month: int, as_xml: bool) -> None:
    chance = random.Random(1)
    names = surnames(chance, people // 6)
    weights = [1 / (1 + rank) ** 0.6 for rank in range(len(names))]
    chance.shuffle(names)
    chosen = chance.choices(names, weights, k=people)
    with path.open("w", encoding="ascii", newline="") as file:
        file.write('<?xml version="1.0"?>\n<playerslist>\n' if as_xml else HEAD + "\r\n")
        for at, surname in enumerate(chosen):
            number = 100_000 + 7 * at
            of_one = random.Random(number)
            shift = 10 * month if of_one.random() < 0.02 else 0
            text = line(number, f"{surname}, {of_one.choice(GIVEN)}", of_one, shift)
            file.write(xml(text) if as_xml else text)
        file.write("</playerslist>\n" if as_xml else "")


def peak_mb() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def cpu_of_database() -> float:
    """Return the CPU seconds of this connection's own server process, where it is on this machine."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        file = Path(f"/proc/{cursor.fetchone()[0]}/stat")
    if not file.exists():
        return 0.0
    user, system = file.read_text().rsplit(")", 1)[1].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def load(path: Path, name: str) -> RatingList:
    started, own, database = time.monotonic(), time.process_time(), cpu_of_database()
    found = load_file(path, RatingList.objects.create(name=name, at=timezone.now()))
    took = time.monotonic() - started
    told = {key: found.report.get(key) for key in ("rows", "fresh", "changed", "gone", "faults", "refusal")}
    mb = peak_mb()
    spent = f"{time.process_time() - own:.0f} s CPU here, {cpu_of_database() - database:.0f} s in the database"
    print(f"{name}: {found.state} in {took:.1f} s ({spent}), at most {mb} MB in this process, {told}", flush=True)
    return found


def measure_searches(count: int = 300) -> None:
    chance = random.Random(2)
    total = RatedPerson.objects.count()
    first = RatedPerson.objects.order_by("pk").values_list("pk", flat=True)[0]
    people = RatedPerson.objects.in_bulk(chance.sample(range(first, first + total), count))
    cyrillic = str.maketrans(dict(zip("abvgdezijklmnoprstuf", "абвгдезийклмнопрстуф", strict=True)))
    kinds: dict[str, list[float]] = {}
    missed: dict[str, int] = {}
    spent: dict[str, float] = {}
    for person in people.values():
        surname, given = person.name.split(", ")
        at = chance.randrange(1, len(surname) - 2)
        letter = chance.choice("abcdefghijklmnopqrstuvwxyz")
        exchanged = surname[:at] + surname[at + 1] + surname[at] + surname[at + 2 :]
        missing = surname[:at] + surname[at + 1 :]
        year = f" {person.birth_year}"
        for kind, typed in {
            "whole name": f"{surname} {given}",
            "whole name and year": f"{surname} {given}{year}",
            "in Cyrillic and year": f"{surname.lower().translate(cyrillic)} {given.lower().translate(cyrillic)}{year}",
            "two letters exchanged": f"{exchanged} {given}",
            "two letters exchanged, year": f"{exchanged} {given}{year}",
            "a letter missing": f"{missing} {given}",
            "a letter missing, year": f"{missing} {given}{year}",
            "a letter too many": f"{surname[:at] + letter + surname[at:]} {given}",
            "a letter too many, year": f"{surname[:at] + letter + surname[at:]} {given}{year}",
            "another letter": f"{surname[:at] + letter + surname[at + 1 :]} {given}",
            "another letter, year": f"{surname[:at] + letter + surname[at + 1 :]} {given}{year}",
            "number": person.number,
            "the first three letters": surname[:3],
            "the first five letters": surname[:5],
        }.items():
            started, own, database = time.perf_counter(), time.process_time(), cpu_of_database()
            found = search(typed)
            kinds.setdefault(kind, []).append((time.perf_counter() - started) * 1000)
            cpu = time.process_time() - own + cpu_of_database() - database
            spent[kind] = spent.get(kind, 0) + cpu * 1000
            met = {one.number for one in found} if "year" in kind or kind == "number" else {one.name for one in found}
            if not met & {person.number, person.name}:
                missed[kind] = missed.get(kind, 0) + 1
    for kind, times in kinds.items():
        times.sort()
        # A beginning of a few letters fits thousands: how often the one is among ten says nothing.
        told = "" if kind.startswith("the first") else f", not found {missed.get(kind, 0)} of {len(times)}"
        print(
            f"{kind}: median {statistics.median(times):.1f} ms, 95 % {times[int(len(times) * 0.95)]:.1f} ms,"
            f" slowest {times[-1]:.1f} ms, CPU {spent[kind] / len(times):.1f} ms{told}"
        )


def throw_away() -> None:
    tables = ", ".join(model._meta.db_table for model in (RatedPerson, NameCut, NameWord))
    with connection.cursor() as cursor:
        cursor.execute(f"TRUNCATE {tables}")
    RatingList.objects.all().delete()


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("people", nargs="?", type=int, default=1_500_000)
    options.add_argument("--xml", action="store_true")
    options.add_argument("--keep", action="store_true")
    options.add_argument("--search-only", action="store_true", help="measure searches in the list kept before")
    given = options.parse_args()
    if given.search_only:
        measure_searches()
        return
    if RatedPerson.objects.exists():
        sys.exit("There are rating lists in this database: measure in an empty one.")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "list"
        make(path, given.people, month=0, as_xml=given.xml)
        print(f"{given.people} people, {path.stat().st_size >> 20} MB; this process {peak_mb()} MB before", flush=True)
        try:
            # A process of its own: making the list up must not count as memory of loading it.
            for name, month in (("first list", 0), ("the same list again", 0), ("next month", 1)):
                if name == "next month":
                    make(path, given.people, month=month, as_xml=given.xml)
                connection.close()  # a connection can't be shared with the child
                child = os.fork()
                if not child:
                    load(path, name)
                    os._exit(0)
                os.waitpid(child, 0)
            with connection.cursor() as cursor:
                cursor.execute("ANALYZE")
            measure_searches()
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_size_pretty(pg_database_size(current_database()))")
                print(f"the database has {cursor.fetchone()[0]}")
        finally:
            if not given.keep:
                throw_away()


if __name__ == "__main__":
    main()
