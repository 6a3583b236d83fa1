"""Whether one event is as fast among a thousand as alone: the same pages and acts, before and after.

    python bench/many_events.py [--events 1000] [--players 300] [--rounds 4] [--repeat 20]

Works in a database of its own on the server of `DATABASE_URL` (made and dropped), else on an embedded one. A Swiss is
made by the services and measured; then PostgreSQL copies every row of it 999 times under new keys (the tables are found
through their foreign keys), the tables are analysed, and events from all over are measured. Pages are built anew each
time: kept pages would hide the database. Compared is the processor time of this process and of PostgreSQL's, which
other work on the machine disturbs least. Ends with status 1 when something takes more than 1.3 times as much as alone.
"""

# ruff: noqa: PLC0415, S608, T201 -- a script; the SQL is made of names of our own tables
from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psutil

sys.path.insert(0, str(Path(__file__).resolve().parent))

from result_entry import connect, event_of

MOST = 1.3
NAME = "tourney_many_events"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=1000)
    parser.add_argument("--players", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--repeat", type=int, default=20)
    parser.add_argument("--plans", action="store_true", help="show the statements that read whole tables")
    asked = parser.parse_args()
    with own_database():
        stop = connect()
        try:
            return run(asked)
        finally:
            from django.db import connections

            connections.close_all()
            stop()


@contextmanager
def own_database() -> Iterator[None]:
    """Make a database beside the one of `DATABASE_URL`, and drop it afterwards."""
    url = os.environ.get("DATABASE_URL", "")
    if not url:
        yield
        return
    import psycopg

    def do(statement: str) -> None:
        with psycopg.connect(url, autocommit=True) as server:
            server.execute(statement)

    do(f"DROP DATABASE IF EXISTS {NAME}")
    do(f"CREATE DATABASE {NAME}")
    os.environ["DATABASE_URL"] = urlunsplit(urlsplit(url)._replace(path=f"/{NAME}"))
    os.environ["KEEP_PAGES"] = "0"
    try:
        yield
    finally:
        do(f"DROP DATABASE {NAME} WITH (FORCE)")


def run(asked: argparse.Namespace) -> int:
    from django.conf import settings
    from django.test import override_settings

    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    none = {"default": {"BACKEND": "django.core.cache.backends.dummy.DummyCache"}}
    with override_settings(
        STORAGES={**settings.STORAGES, "staticfiles": plain}, CACHES=none, KEEP_PAGES=False, ALLOWED_HOSTS=["*"]
    ):
        stage, arbiter = event_of(asked.players, asked.rounds)
        type(stage.section.tournament).objects.update(public=True)
        type(arbiter).objects.filter(pk=arbiter.pk).update(is_superuser=True)
        arbiter.refresh_from_db()
        analyse()
        alone = measure([stage], arbiter, asked.repeat)
        begun = time.perf_counter()
        rows = multiply(stage.section.tournament, asked.events - 1)
        analyse()
        print(
            f"{asked.events} events of {asked.players}: {rows} rows in {time.perf_counter() - begun:.0f} s", flush=True
        )
        among = measure(spread(stage, asked.repeat), arbiter, asked.repeat)
        if asked.plans:
            whole_tables(spread(stage, 3)[1], arbiter)
    return report(alone, among)


def report(alone: dict[str, Cost], among: dict[str, Cost]) -> int:
    print(f"\n{'':28}{'processor, ms':>22}{'times':>7}{'clock, ms':>20}")
    good = True
    for what, before in alone.items():
        after = among[what]
        times = after.cpu / before.cpu
        good = good and times <= MOST
        print(
            f"{what:28}{before.cpu:11.1f}{after.cpu:11.1f}{times:7.2f}{before.usual:10.0f}{after.usual:10.0f}"
            f"{'' if times <= MOST else '  ←'}"
        )
    return 0 if good else 1


@dataclass
class Cost:
    """What a page or an act takes: each time by the clock, and on average of the processor, here and in PostgreSQL."""

    clock: list[float]
    cpu: float

    @property
    def usual(self) -> float:
        """The lower quartile by the clock, which other work on the machine disturbs least."""
        return statistics.quantiles(self.clock, n=4)[0]


# -- a thousand of them ------------------------------------------------------------------------------------------------


def multiply(tournament: Any, copies: int) -> int:
    """Copy every row of an event so many times under new keys, and return how many rows there are then."""
    from django.db import connection, models, transaction

    from tourney.models import Player
    from tourney.services.reach import everything_of

    found = everything_of(tournament)
    found[Player] = set(Player.objects.filter(entries__tournament=tournament).values_list("pk", flat=True))
    span = {model: max(keys) - min(keys) + 1 for model, keys in found.items() if is_counted(model)}
    total = 0
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")
        cursor.execute("SET LOCAL work_mem = '256MB'")
        for model, keys in found.items():
            columns = [field.column for field in model._meta.concrete_fields]
            values = [copied(field, span) for field in model._meta.concrete_fields]
            cursor.execute(
                f'INSERT INTO "{model._meta.db_table}" ({", ".join(columns)}) SELECT {", ".join(values)}'
                f' FROM "{model._meta.db_table}" t CROSS JOIN generate_series(1, {copies}) k'
                f" WHERE t.{model._meta.pk.column} = ANY(%s)",
                [list(keys)],
            )
            total += cursor.rowcount
        for model in span:
            if isinstance(model._meta.pk, models.AutoField | models.BigAutoField):
                cursor.execute(
                    f"SELECT setval(pg_get_serial_sequence('{model._meta.db_table}', 'id'),"
                    f' (SELECT max(id) FROM "{model._meta.db_table}"))'
                )
    return total


def is_counted(model: Any) -> bool:
    from django.db import models

    return isinstance(model._meta.pk, models.IntegerField)


def copied(field: Any, span: dict[Any, int]) -> str:
    """Return the expression of a column in copy number k."""
    from django.db import models

    column = f"t.{field.column}"
    target = field.remote_field.model if field.is_relation else field.model if field.primary_key else None
    if target in span:
        return f"{column} + k * {span[target]}"
    if field.name == "slug" and field.unique:
        return f"{column} || '-' || k"
    if isinstance(field, models.UUIDField) and (field.unique or field.primary_key):
        return f"CASE WHEN {column} IS NULL THEN NULL ELSE gen_random_uuid() END"
    if field.unique and isinstance(field, models.CharField):
        return f"md5({column} || k)"
    return column


def analyse() -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")


def spread(stage: Any, number: int) -> list[Any]:
    """Return the stages of events from all over, the first and the last among them."""
    from tourney.models import Stage

    stages = list(
        Stage.objects.filter(code=stage.code, section__code=stage.section.code)
        .exclude(state="planned")
        .select_related("section__tournament")
        .order_by("pk")
    )
    return [stages[index * (len(stages) - 1) // max(1, number - 1)] for index in range(number)]


# -- measuring ---------------------------------------------------------------------------------------------------------


def measure(stages: list[Any], arbiter: Any, repeat: int) -> dict[str, Cost]:
    """Return what each page and act takes, each on the next of the stages in turn."""
    from django.db import connection
    from django.test import Client

    visitor, staff = Client(headers={"accept-language": "uk"}), Client(headers={"accept-language": "uk"})
    staff.force_login(arbiter)
    found: dict[str, Cost] = {}
    for what, act in acts(visitor, staff, arbiter):
        act(stages[0])  # warms up
        connection.ensure_connection()
        server = psutil.Process(connection.connection.info.backend_pid)
        busy = time.process_time() + sum(server.cpu_times()[:2])
        clock = [timed(act, stages[index % len(stages)]) for index in range(repeat)]
        busy = time.process_time() + sum(server.cpu_times()[:2]) - busy
        found[what] = Cost(clock, busy / repeat * 1000)
    return found


def timed(act: Callable[[Any], None], stage: Any) -> float:
    before = time.perf_counter()
    act(stage)
    return (time.perf_counter() - before) * 1000


def acts(visitor: Any, staff: Any, arbiter: Any) -> Iterator[tuple[str, Callable[[Any], None]]]:
    from django.db import transaction

    from swiss.services import enter_result, pair_next_round, publish_round
    from tourney.models import Game

    def page(client: Any, path: str) -> Callable[[Any], None]:
        def get(stage: Any) -> None:
            section = stage.section
            address = path.format(slug=section.tournament.slug, code=section.code)
            answer = client.get(address)
            if answer.status_code != 200:
                raise SystemExit(f"{address} answers {answer.status_code}")

        return get

    yield "event page", page(visitor, "/t/{slug}/")
    yield "start list", page(visitor, "/t/{slug}/{code}/")
    yield "pairings", page(visitor, "/t/{slug}/{code}/pairings/")
    yield "standings", page(visitor, "/t/{slug}/{code}/standings/")
    yield "cross table", page(visitor, "/t/{slug}/{code}/crosstable/")
    yield "staff home", page(staff, "/manage/{slug}/")
    yield "entries", page(staff, "/manage/{slug}/entries/")
    yield "desk", page(staff, "/manage/{slug}/desk/")
    yield "treasurer", page(staff, "/manage/{slug}/money/")
    yield "log", page(staff, "/manage/{slug}/log/")

    def pair(stage: Any) -> None:
        with transaction.atomic():
            pair_next_round(stage.pk, actor=arbiter)
            transaction.set_rollback(True)

    def enter(stage: Any) -> None:
        with transaction.atomic():
            game = Game.objects.filter(stage=stage).order_by("-pk")[0]
            enter_result(
                stage_id=stage.pk, game_id=game.pk, outcome="1-0" if game.outcome != "1-0" else "0-1",
                actor=arbiter, reason="measuring",
            )  # fmt: skip
            transaction.set_rollback(True)

    def publish(stage: Any) -> None:
        with transaction.atomic():
            publish_round(pair_next_round(stage.pk, actor=arbiter).pk, actor=arbiter)
            transaction.set_rollback(True)

    yield "pairing a round", pair
    yield "pairing and publishing it", publish
    yield "correcting a result", enter


def whole_tables(stage: Any, arbiter: Any) -> None:
    """Show the statements of all pages and acts whose plan reads a large table from end to end."""
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    visitor, staff = Client(), Client()
    staff.force_login(arbiter)
    shown = set()
    for what, act in acts(visitor, staff, arbiter):
        with CaptureQueriesContext(connection) as captured:
            act(stage)
        with connection.cursor() as cursor:
            for query in captured:
                if not query["sql"].startswith("SELECT"):
                    continue
                cursor.execute("EXPLAIN " + query["sql"].replace("%", "%%"))
                plan = [row[0] for row in cursor.fetchall()]
                for line in plan:
                    if "Seq Scan" in line and int(line.split("rows=")[1].split()[0]) > 5000:
                        shown.add((what, line.strip(), query["sql"][:300]))
    for what, line, statement in sorted(shown):
        print(f"  {what}: {line}\n      {statement}")


if __name__ == "__main__":
    sys.exit(main())
