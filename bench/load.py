"""Spectators follow the standings while 150 boards report within a minute: delays, errors, and what it costs.

    python bench/load.py [--spectators 1000] [--results 150] [--tablets 12] [--laptop] [--workers 4] [--plain]

Starts an installation of its own (server mode: gunicorn, PostgreSQL, Redis, a worker; `--laptop`: `manage.py serve`)
with a Swiss of 300 players. Every spectator opens a page (standings 7 of 10, pairings 3 of 10; Ukrainian, Russian,
English) and then polls as `static/tourney/live.js` does: every 10 s give or take a tenth, with If-None-Match, sooner
where the server says so (`--plain`: never sooner). After a quiet time the tablets send the results, through their own
address. What the programs spend before anybody comes (the worker's clock) is not counted to the answers.

The visitors are one process; its processor time is told apart from that of the servers. Ends with status 1 when a bar
is missed.
"""

# ruff: noqa: PLC0415, S311, T201 -- a script: Django comes after its settings, chance only spreads visitors
from __future__ import annotations

import argparse
import asyncio
import gzip
import os
import random
import re
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

sys.path.insert(0, str(Path(__file__).resolve().parent))

from hall import Answer, Browser, Hall, Tablet, event_of, games_of, hall, tablets_of

LANGUAGES = ("uk",) * 8 + ("ru", "en")
OUTCOMES = ("1-0", "1/2", "0-1")
CORES = os.cpu_count() or 1


@dataclass
class Watch:
    """What the visitors see, by phase."""

    phase: str = "arrive"
    polls: dict[str, list[float]] = field(default_factory=dict)  # phase → seconds of standings and pairings polls
    pages: list[float] = field(default_factory=list)
    unchanged: dict[str, int] = field(default_factory=dict)
    changed: dict[str, int] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    lists: list[float] = field(default_factory=list)
    entries: list[float] = field(default_factory=list)
    acknowledged: list[float] = field(default_factory=list)
    seen: list[tuple[float, int]] = field(default_factory=list)  # (asked at, version) of every answer
    last: dict[int, tuple[float, int]] = field(default_factory=dict)  # spectator → (when, version) known first
    bytes: int = 0


def version_of(etag: str) -> int:
    """Return the stage's version in an ETag; -1 where there is none."""
    found = re.search(r"\.(\d+)\.", etag)
    return int(found[1]) if found else -1


class Spectator:
    """A phone with a page open."""

    def __init__(self, number: int, port: int, page: str, watch: Watch, *, plain: bool) -> None:
        self.number, self.page, self.watch, self.plain = number, page, watch, plain
        self.browser = Browser(port)
        self.headers = {"Accept-Language": LANGUAGES[number % len(LANGUAGES)], "User-Agent": "bench"}

    async def follow(self, arrive: float, until: asyncio.Event) -> None:
        await asyncio.sleep(arrive)
        live, etag = await self._open()
        wait = 10.0
        while not until.is_set():
            try:
                await asyncio.wait_for(until.wait(), wait * random.uniform(0.9, 1.1))
                return
            except TimeoutError:
                pass
            started = time.perf_counter()
            try:
                async with asyncio.timeout(15):
                    answer = await self.browser.ask("GET", live, {**self.headers, "If-None-Match": etag})
            except (OSError, TimeoutError, asyncio.IncompleteReadError) as error:
                self.watch.errors.append(f"{type(error).__name__} {error}")
                continue
            self._note(answer, started)
            etag = answer.headers.get("etag", etag)
            wait = 10.0 * (1.0 if self.plain else float(answer.headers.get("live-pace", "1")))

    async def _open(self) -> tuple[str, str]:
        for _ in range(5):
            started = time.perf_counter()
            try:
                async with asyncio.timeout(30):
                    answer = await self.browser.ask("GET", self.page, self.headers)
                    html = answer.body
                    if answer.headers.get("content-encoding") == "gzip":
                        html = gzip.decompress(html)
                    text = html.decode()
                    self.watch.pages.append(time.perf_counter() - started)
                    live = re.search(r"data-live=[\"']([^\"']+)", text)
                    etag = re.search(r"data-live-etag='([^']*)'", text)
                    if answer.status == 200 and live and etag:
                        return live[1].replace("&amp;", "&"), etag[1].replace("&quot;", '"')
                    self.watch.errors.append(f"page {answer.status}")
            except (OSError, TimeoutError, asyncio.IncompleteReadError) as error:
                self.watch.errors.append(f"page {type(error).__name__} {error}")
            await asyncio.sleep(1)
        raise SystemExit("a spectator never got a page")

    def _note(self, answer: Answer, started: float) -> None:
        watch, now = self.watch, time.perf_counter()
        if answer.status not in (200, 304):
            watch.errors.append(f"poll {answer.status}")
            return
        watch.polls.setdefault(watch.phase, []).append(now - started)
        kind = watch.unchanged if answer.status == 304 else watch.changed
        kind[watch.phase] = kind.get(watch.phase, 0) + 1
        watch.bytes += len(answer.body)
        version = version_of(answer.headers.get("etag", ""))
        watch.seen.append((started, version))
        if version > watch.last.get(self.number, (0.0, -1))[1]:
            watch.last[self.number] = (now, version)


async def send(browser: Browser, tablet: Tablet, game: dict[str, Any], outcome: str, watch: Watch) -> None:
    """Enter a result as the tablet's page does: again with the same number until there is an answer."""
    fields = {**game, "outcome": outcome, "operation": str(uuid4()), "entered": int(time.time() * 1000)}
    started = time.perf_counter()
    while True:
        body = urlencode({**fields, "sent": int(time.time() * 1000)}).encode()
        try:
            async with asyncio.timeout(15):
                answer = await browser.ask("POST", tablet.address, tablet.headers, body)
            if answer.headers.get("x-entry") == "applied":
                break
            watch.errors.append(f"result {answer.status} {answer.headers.get('x-entry', '')}")
        except (OSError, TimeoutError, asyncio.IncompleteReadError) as error:
            watch.errors.append(f"result {type(error).__name__}")
        await asyncio.sleep(2)
    watch.entries.append(time.perf_counter() - started)
    watch.acknowledged.append(time.perf_counter())


async def enter(
    port: int, tablet: Tablet, boards: list[tuple[float, dict[str, Any]]], begin: float, watch: Watch
) -> None:
    """Send a tablet's results at their hours, and look for those of others in between."""
    browser = Browser(port)
    outcomes = random.Random(tablet.label)

    async def look() -> None:
        etag, own = "", Browser(port)
        while True:
            await asyncio.sleep(15 * random.uniform(0.8, 1.2))
            started = time.perf_counter()
            answer = await own.ask(
                "GET", tablet.address, {**tablet.headers, **({"If-None-Match": etag} if etag else {})}
            )
            watch.lists.append(time.perf_counter() - started)
            etag = answer.headers.get("etag", "")

    looking = asyncio.create_task(look())
    try:
        for at, game in boards:
            await asyncio.sleep(max(0.0, begin + at - time.perf_counter()))
            await send(browser, tablet, game, outcomes.choice(OUTCOMES), watch)
    finally:
        looking.cancel()
        browser.close()


@dataclass
class Costs:
    """Processor seconds and statements between two moments."""

    hall: Hall
    at: float = field(default_factory=time.perf_counter)
    cpu: dict[str, float] = field(default_factory=dict)
    own: float = 0.0
    statements: int = 0

    def __post_init__(self) -> None:
        self.cpu, self.own, self.statements = self.hall.cpu(), time.process_time(), statements()

    def since(self, earlier: Costs) -> tuple[float, dict[str, float], float, int]:
        """Return (seconds, processor seconds by program, those of the visitors, statements)."""
        spent = {name: value - earlier.cpu.get(name, 0.0) for name, value in self.cpu.items()}
        return self.at - earlier.at, spent, self.own - earlier.own, self.statements - earlier.statements


def statements() -> int:
    """Return how many transactions the database has seen: outside of one every statement is its own."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute("SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()")
        return int(cursor.fetchone()[0])


async def run(made: Hall, asked: argparse.Namespace, stage: Any, tablets: list[Tablet]) -> tuple[Watch, list[Costs]]:
    slug, code = stage.section.tournament.slug, stage.section.code
    watch, over = Watch(), asyncio.Event()
    games = await asyncio.to_thread(games_of, stage)
    games = games[: asked.results]
    random.Random(7).shuffle(games)
    for tablet in tablets:
        await tablet.open(made.port)
    pages = [f"/t/{slug}/{code}/standings/"] * 7 + [f"/t/{slug}/{code}/pairings/"] * 3
    people = [Spectator(n, made.port, pages[n // 10 % 10], watch, plain=asked.plain) for n in range(asked.spectators)]
    await asyncio.sleep(3)
    idle = [await asyncio.to_thread(Costs, made)]
    await asyncio.sleep(asked.idle)
    idle.append(await asyncio.to_thread(Costs, made))
    async with asyncio.TaskGroup() as group:
        for one in people:
            group.create_task(one.follow(random.uniform(0, asked.arrive), over))
        await asyncio.sleep(asked.arrive + 12)
        costs = [*idle, await asyncio.to_thread(Costs, made)]
        watch.phase = "quiet"
        await asyncio.sleep(asked.quiet)
        costs.append(await asyncio.to_thread(Costs, made))
        watch.phase = "results"
        begin = time.perf_counter()
        hours = [asked.within * index / len(games) for index in range(len(games))]
        shares: list[list[tuple[float, dict[str, Any]]]] = [[] for _ in tablets]
        for index, (hour, game) in enumerate(zip(hours, games, strict=True)):
            shares[index % len(tablets)].append((hour, game))
        async with asyncio.TaskGroup() as entering:
            for tablet, share in zip(tablets, shares, strict=True):
                entering.create_task(enter(made.port, tablet, share, begin, watch))
        costs.append(await asyncio.to_thread(Costs, made))
        watch.phase = "after"
        await asyncio.sleep(asked.after)
        over.set()
    for one in people:
        one.browser.close()
    return watch, costs


def share(times: list[float], part: float) -> float:
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))] * 1000 if ordered else float("nan")


def delays(watch: Watch, first: int) -> tuple[float, float]:
    """Return (the longest an answer was behind a result that had been acknowledged, until everybody had the last)."""
    acknowledged = sorted(watch.acknowledged)
    behind = 0.0
    for asked_at, version in watch.seen:
        index = version - first  # the result that made this version old
        if 0 <= index < len(acknowledged) and acknowledged[index] < asked_at:
            behind = max(behind, asked_at - acknowledged[index])
    final = first + len(acknowledged)
    late = [at for at, version in watch.last.values() if version >= final]
    everybody = len(late) == len(watch.last)
    return behind, (max(late) - acknowledged[-1] if late and everybody else float("inf"))


def _of_web(quiet: dict[str, float], idle: dict[str, float], times: float) -> float:
    name = "web" if "web" in quiet else "serve"
    return quiet.get(name, 0.0) - idle.get(name, 0.0) * times


def report(made: Hall, watch: Watch, costs: list[Costs], first: int, spectators: int) -> bool:
    idle_s, idle, _, idle_sql = costs[1].since(costs[0])
    quiet_s, quiet, _, asked_sql = costs[3].since(costs[2])
    busy_s, busy, own, _ = costs[4].since(costs[3])
    polls = watch.polls.get("results", [])
    unchanged = watch.unchanged.get("quiet", 0)
    # What the programs do anyhow (the worker's clock) is no part of an answer.
    quiet_cpu = sum(quiet.values()) - sum(idle.values()) / idle_s * quiet_s
    behind, everybody = delays(watch, first)
    free = 1 - sum(busy.values()) / busy_s / CORES
    per_quiet = quiet_cpu / max(1, unchanged) * 1000
    sql = max(0.0, asked_sql - idle_sql / idle_s * quiet_s) / max(1, unchanged)
    rows = [
        ("errors", f"{len(watch.errors)}", len(watch.errors) == 0),
        ("pages opened, p50 / p95", f"{share(watch.pages, 0.5):.0f} / {share(watch.pages, 0.95):.0f} ms", True),
        ("polls in the busy minute", f"{len(polls)} ({len(polls) / busy_s:.0f}/s)", True),
        ("  of them unchanged", f"{watch.unchanged.get('results', 0)}", True),
        ("standings p50", f"{share(polls, 0.5):.0f} ms", True),
        ("standings p95", f"{share(polls, 0.95):.0f} ms", share(polls, 0.95) < 150),
        ("standings most", f"{share(polls, 1):.0f} ms", True),
        ("results", f"{len(watch.entries)}", True),
        ("result p50", f"{share(watch.entries, 0.5):.0f} ms", True),
        ("result p95", f"{share(watch.entries, 0.95):.0f} ms", share(watch.entries, 0.95) < 150),
        ("lists of tablets p95", f"{share(watch.lists, 0.95):.0f} ms", True),
        ("answer behind a result, most", f"{behind:.2f} s", behind < 5),
        ("everybody saw the last after", f"{everybody:.2f} s", everybody < 5),
        ("cores free in that minute", f"{free * 100:.0f} %", free > 0.5),
        *((f"  {name}", f"{value / busy_s / CORES * 100:.1f} %", True) for name, value in sorted(busy.items())),
        ("visitors' own processor", f"{own / busy_s / CORES * 100:.1f} %", True),
        ("idle: CPU of all a second", f"{sum(idle.values()) / idle_s * 1000:.1f} ms", True),
        ("idle: transactions a second", f"{idle_sql / idle_s:.1f}", True),
        ("quiet: unchanged answers", f"{unchanged} ({unchanged / quiet_s:.0f}/s)", True),
        ("quiet: CPU of all per answer", f"{per_quiet:.2f} ms", per_quiet <= 2),
        (
            "quiet: CPU of web per answer",
            f"{_of_web(quiet, idle, quiet_s / idle_s) / max(1, unchanged) * 1000:.2f} ms",
            True,
        ),
        ("quiet: transactions per answer", f"{sql:.4f}", sql < 0.05),
    ]
    print(f"\n{spectators} spectators, {'laptop' if made.laptop else 'server'} mode, {CORES} cores")
    for what, value, good in rows:
        print(f"{what:32} {value:>22}{'' if good else '   ← misses its bar'}")
    for error in sorted(set(watch.errors))[:8]:
        print(f"  {watch.errors.count(error)} × {error}")
    return all(good for _, _, good in rows)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--spectators", type=int, nargs="+", default=[1000], help="one or more runs")
    parser.add_argument("--players", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=4, help="rounds played before")
    parser.add_argument("--results", type=int, default=150)
    parser.add_argument("--within", type=float, default=60, help="seconds in which the results come")
    parser.add_argument("--tablets", type=int, default=12)
    parser.add_argument("--arrive", type=float, default=30, help="seconds in which the spectators open their pages")
    parser.add_argument(
        "--idle", type=float, default=10, help="seconds before anybody comes, to see what is spent anyhow"
    )
    parser.add_argument("--quiet", type=float, default=20)
    parser.add_argument("--after", type=float, default=14)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--laptop", action="store_true")
    parser.add_argument("--plain", action="store_true", help="spectators poll every 10 s whatever the server says")
    parser.add_argument("--keep", action="store_true", help="leave the folder with its logs")
    asked = parser.parse_args()
    good = True
    with hall(laptop=asked.laptop, workers=asked.workers, threads=asked.threads, keep=asked.keep) as made:
        if not asked.laptop:
            made.start_web()
            made.start_worker()
        for spectators in asked.spectators:
            asked.spectators = spectators
            stage, arbiter = event_of(asked.players, asked.rounds)
            tablets = tablets_of(stage, arbiter, asked.tablets)
            stage.refresh_from_db(fields=["version", "state"])
            first = stage.version
            watch, costs = asyncio.run(run(made, asked, stage, tablets))
            good = report(made, watch, costs, first, spectators) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
