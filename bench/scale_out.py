"""Two hosts against one: how much more is done, what it costs, and what happens when one of two is cut off.

    python bench/scale_out.py [--seconds 30] [--clients 8] [--events 4] [--share 0.4] [--apart]

A host is a web server of one process and a worker of one, with a data folder of its own; all hosts share one PostgreSQL
and one Redis. Clients open staff and public pages (built anew each time) and tablets enter results, each client as fast
as it is answered. First one host, then two. Then both again, and the second is stopped dead (SIGSTOP: it answers
nothing and hangs up on nobody, as behind a cut cable) in the middle of what it does; clients give it three seconds and
go to the other. Every acknowledged result must be there once.

`--apart` gives each host a network namespace of its own, with a cable to database, Redis and clients; the cable of the
second is pulled instead, and after a while plugged in again: the host must serve by itself then.

Where the machine has fewer cores than the hosts want, the clock tells about the machine: so processor time is measured
too. What two hosts could do on cores of their own follows from the processor time of one answer with one and with two.
`--share` gives each host that part of a core and no more (the kernel's quota; as root), and everything else what is
left: then the clock tells about the hosts. It says how much of its part each has used: much less than all of it means
that the machine was busy with something else.
"""

# ruff: noqa: PLC0415, S311, T201 -- a script: Django comes after its settings, chance only mixes
from __future__ import annotations

import argparse
import contextlib
import http.client
import os
import random
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit, urlunsplit

import psutil

sys.path.insert(0, str(Path(__file__).resolve().parent))

from hall import ROOT, Hall, event_of, free_port, games_of, hall, tablets_of
from machines import Cable, Part, can_be_made

MUST = 1.7
PATIENCE = 3.0  # seconds a client gives a host that does not answer, as a proxy would
CSRF = "s" * 32


@dataclass
class Host:
    """One machine: a web server and a worker with a data folder of their own."""

    number: int
    folder: Path
    cable: Cable | None = None
    part: Part | None = None
    port: int = field(default_factory=free_port)
    programs: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def address(self) -> str:
        return self.cable.there if self.cable else "127.0.0.1"

    def start(self) -> None:
        environment = {**os.environ, "TOURNEY_DATA": str(self.folder / f"host-{self.number}"), "KEEP_PAGES": "0"}
        environment |= {"WEB_BIND": f"{self.address}:{self.port}", "WEB_WORKERS": "1", "WEB_THREADS": "4"}
        environment["PROMETHEUS_MULTIPROC_DIR"] = str(self.folder / f"figures-{self.number}")
        if self.cable:
            redis = urlsplit(os.environ["REDIS_URL"])._replace(netloc=f"{self.cable.here}:{self._redis_port()}")
            environment |= {"DATABASE_URL": f"postgres://postgres@{self.cable.here}:5432/tourney"}
            environment |= {"REDIS_URL": urlunsplit(redis)}
        python = sys.executable
        web = [python, "-m", "gunicorn", "-c", "deploy/gunicorn.conf.py", "tourney.wsgi:application"]
        worker = [python, "-m", "celery", "-A", "tourney", "worker", "--concurrency", "1", "--loglevel", "ERROR"]
        worker += ["--hostname", f"host{self.number}@%h", "--without-gossip", "--without-mingle"]
        for name, command in (("web", web), ("worker", worker)):
            log = (self.folder / f"{name}-{self.number}.log").open("ab")
            if self.cable:
                command = self.cable.inside(command)
            self.programs.append(
                subprocess.Popen(
                    command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                    start_new_session=True,
                )
            )  # fmt: skip
        end = time.monotonic() + 90
        while time.monotonic() < end:
            with contextlib.suppress(OSError, http.client.HTTPException):
                if ask(self, "GET", "/readyz/", {})[0] == 200:
                    if self.part:
                        self.part.take(process.pid for process in self.family())
                    return
            time.sleep(0.2)
        raise SystemExit(f"host {self.number} is not ready; see {self.folder}")

    def family(self) -> list[psutil.Process]:
        found = []
        for program in self.programs:
            with contextlib.suppress(psutil.NoSuchProcess):
                top = psutil.Process(program.pid)
                found += [top, *top.children(recursive=True)]
        return found

    def cpu(self) -> float:
        total = 0.0
        for process in self.family():
            with contextlib.suppress(psutil.NoSuchProcess):
                total += sum(process.cpu_times()[:2])
        return total

    @staticmethod
    def _redis_port() -> int:
        return urlsplit(os.environ["REDIS_URL"]).port or 6379

    def cut_off(self) -> None:
        if self.cable:
            self.cable.pull()
            return
        for process in self.family():
            with contextlib.suppress(psutil.NoSuchProcess):
                process.send_signal(signal.SIGSTOP)

    def stop(self) -> None:
        for process in self.family():
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        for program in self.programs:
            program.wait()
        self.programs.clear()


def ask(host: Host, method: str, path: str, headers: dict[str, str], values: dict[str, Any] | None = None) -> Any:
    connection = http.client.HTTPConnection(host.address, host.port, timeout=PATIENCE if values is None else 10)
    try:
        body = urlencode(values) if values is not None else None
        connection.request(method, path, body, {"Host": "localhost", **headers})
        answer = connection.getresponse()
        answer.read()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}
    finally:
        connection.close()


@dataclass
class Load:
    """The clients of one phase, and what they were answered."""

    hosts: list[Host]
    pages: list[tuple[str, dict[str, str]]]
    done: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    results: dict[str, tuple[int, str]] = field(default_factory=dict)
    slow: float = 0.0
    over: threading.Event = field(default_factory=threading.Event)
    away: dict[int, float] = field(default_factory=dict)  # port → until when it is left alone

    def host(self, turn: int) -> Host:
        now = time.monotonic()
        well = [host for host in self.hosts if self.away.get(host.port, 0) < now] or self.hosts
        return well[turn % len(well)]

    def look(self, number: int) -> None:
        turn = number
        while not self.over.is_set():
            path, headers = self.pages[turn % len(self.pages)]
            turn += 1
            self.send("page", turn, "GET", path, headers, None, lambda status, _: status == 200)

    def enter(self, tablet: Any, stage: Any, number: int) -> None:
        headers = {
            "Cookie": f"tourney_device={tablet.secret}; csrftoken={CSRF}",
            "X-CSRFToken": CSRF,
            "HX-Request": "true",
            "Content-Type": "application/x-www-form-urlencoded",
        }
        turn, dice = number, random.Random(number)
        for game in games_of(stage):
            outcome, operation = dice.choice(("1-0", "1/2", "0-1")), str(uuid.uuid4())
            values = {**game, "outcome": outcome, "operation": operation}
            while not self.over.is_set():
                turn += 1
                now = int(time.time() * 1000)
                good = lambda _, found: found.get("x-entry") in ("applied", "same")  # noqa: E731
                sent = {**values, "entered": now, "sent": now}
                if self.send("result", turn, "POST", tablet.address, headers, sent, good):
                    self.results[operation] = (game["game"], outcome)
                    break

    def send(
        self, kind: str, turn: int, method: str, path: str, headers: dict[str, str], values: Any, good: Any
    ) -> bool:
        host, begun = self.host(turn), time.monotonic()
        try:
            status, found = ask(host, method, path, headers, values)
        except (OSError, http.client.HTTPException):
            self.failed[f"{kind}, host {host.number}"] += 1
            self.away[host.port] = time.monotonic() + 5
            return False
        self.slow = max(self.slow, time.monotonic() - begun)
        if not good(status, found):
            self.failed[f"{kind} {status} {found.get('x-entry', '')}"] += 1
            return False
        self.done[kind] += 1
        return True


@dataclass(frozen=True)
class Spent:
    """What a phase took: seconds by the clock, and of processor in the hosts and in the database."""

    seconds: float
    hosts: float
    database: float


def phase(
    made: Hall, hosts: list[Host], pages: Any, places: Any, asked: Any, cut: Host | None = None
) -> tuple[Load, Spent]:
    """Let the clients work, and cut a host off after a third of the time; return what they did and what it took."""
    load = Load(hosts, pages)
    threads = [threading.Thread(target=load.look, args=(n,), daemon=True) for n in range(asked.clients)]
    threads += [
        threading.Thread(target=load.enter, args=(tablet, stage, n), daemon=True)
        for n, (stage, tablet) in enumerate(places)
    ]
    before, database, begun = sum(host.cpu() for host in hosts), made.cpu().get("postgres", 0), time.monotonic()
    for thread in threads:
        thread.start()
    if cut is not None:
        time.sleep(asked.seconds / 3)
        cut.cut_off()
    time.sleep(asked.seconds if cut is None else asked.seconds * 2 / 3)
    load.over.set()
    for thread in threads:
        thread.join(20)
    seconds = time.monotonic() - begun
    return load, Spent(seconds, sum(host.cpu() for host in hosts) - before, made.cpu().get("postgres", 0) - database)


def prepare(asked: argparse.Namespace) -> tuple[list[Any], list[tuple[str, dict[str, str]]]]:
    """Make the events; return the boards to enter at, and the pages to look at."""
    from django.conf import settings
    from django.db import connections
    from django.test import Client

    places, pages = [], []
    for _ in range(asked.events * 3):  # each phase enters into events of its own
        stage, arbiter = event_of(120, 1)
        places.append((stage, tablets_of(stage, arbiter, 1)[0]))
    arbiter.is_superuser = True
    arbiter.save()
    browser = Client()
    browser.force_login(arbiter)
    cookie = {"Cookie": f"{settings.SESSION_COOKIE_NAME}={browser.cookies[settings.SESSION_COOKIE_NAME].value}"}
    for stage, _tablet in places[: asked.events]:
        slug, code = stage.section.tournament.slug, stage.section.code
        pages += [(f"/t/{slug}/{code}/{page}/", {}) for page in ("standings", "pairings", "crosstable")]
        pages += [(f"/manage/{slug}/", cookie), (f"/manage/{slug}/entries/", cookie)]
    connections.close_all()
    return places, pages


def run(made: Hall, asked: argparse.Namespace) -> int:
    from tourney.models import ResultRecord

    places, pages = prepare(asked)
    parts = [Part(f"host-{number}", asked.share) for number in (1, 2)] if asked.share else [None, None]
    rest = Part("rest", (os.cpu_count() or 2) - 2 * asked.share) if asked.share else None
    cables = made.cables or (None, None)
    first, second = (Host(n, made.folder, cable, part) for n, cable, part in zip((1, 2), cables, parts, strict=True))
    found: list[tuple[Load, Spent]] = []
    good = True
    try:
        if rest:
            everybody = [os.getpid(), made.database._process().pid, made.programs["redis"].pid]
            rest.take(pid for top in everybody for pid in _family(top))
        for index, hosts in enumerate(([first], [first, second])):
            hosts[-1].start()
            mine = places[index * asked.events : (index + 1) * asked.events]
            load, spent = phase(made, hosts, pages, mine, asked)
            found.append((load, spent))
            tell(hosts, load, spent, asked.share)
            # A page that waits longer than a proxy would, where a host is full, is no fault; a result is.
            good = check(load, ResultRecord) and not any(one.startswith("result") for one in load.failed) and good
        load, spent = phase(made, [first, second], pages, places[2 * asked.events :], asked, cut=second)
        print(f"cut off: {sum(load.done.values())} answers in {spent.seconds:.0f} s, slowest {load.slow:.1f} s,")
        print(f"         unanswered {dict(load.failed)}")
        good = check(load, ResultRecord) and good
        if second.cable:
            good = comes_back(second, second.cable) and good
    finally:
        first.stop()
        second.stop()
        for part in (*parts, rest):
            if part:
                part.leave()
    return verdict(found, asked) if good else verdict(found, asked) or 1


def _family(pid: int) -> list[int]:
    return [pid, *(child.pid for child in psutil.Process(pid).children(recursive=True))]


def tell(hosts: list[Host], load: Load, spent: Spent, share: float) -> None:
    answers = sum(load.done.values())
    print(
        f"{len(hosts)} + {len(hosts)}: {answers} answers in {spent.seconds:.0f} s, {answers / spent.seconds:.1f}/s;"
        f" processor per answer: hosts {spent.hosts / answers * 1000:.1f} ms,"
        f" database {spent.database / answers * 1000:.1f} ms; failed {sum(load.failed.values())} {dict(load.failed)}",
        flush=True,
    )
    if share:
        used = spent.hosts / spent.seconds / len(hosts) / share
        print(f"         each host used {used:.0%} of its {share} of a core", flush=True)


def comes_back(host: Host, cable: Cable) -> bool:
    """Plug a host in again and wait until it may have visitors."""
    cable.plug_in()
    begun = time.monotonic()
    while time.monotonic() - begun < 60:
        with contextlib.suppress(OSError, http.client.HTTPException):
            if ask(host, "GET", "/readyz/", {})[0] == 200:
                print(f"plugged in again: ready after {time.monotonic() - begun:.1f} s", flush=True)
                return True
        time.sleep(0.1)
    print("plugged in again: not ready within a minute", flush=True)
    return False


def verdict(found: list[tuple[Load, Spent]], asked: argparse.Namespace) -> int:
    """Print how many times as much two hosts have done; return 0 where it is enough."""
    rates = [sum(load.done.values()) / spent.seconds for load, spent in found]
    costs = [spent.hosts / sum(load.done.values()) for load, spent in found]
    clock, per_core = rates[1] / rates[0], 2 * costs[0] / costs[1]
    load, spent = found[1]
    database = spent.database / sum(load.done.values())
    shared = f"each host {asked.share} of a core" if asked.share else "database, clients and hosts share them"
    print(f"by the clock on {os.cpu_count()} cores ({shared}): {clock:.2f} times")
    print(f"by processor time, each host on a core of its own: {per_core:.2f} times (must reach {MUST})")
    print("answers for each second of a host's processor: " + ", then ".join(f"{1 / cost:.1f}" for cost in costs))
    print(f"the database would be full at {1 / database:.0f} answers a second for each of its cores")
    return 0 if min(clock if asked.share else MUST, per_core) >= MUST else 1


def check(load: Load, records: Any) -> bool:
    """Return whether every acknowledged result is there, once, as it was told."""
    found = {
        str(operation): (game, outcome)
        for operation, game, outcome in records.objects.filter(operation__in=load.results).values_list(
            "operation", "game_id", "outcome"
        )
    }
    print(f"         results: {len(load.results)} acknowledged, {len(found)} there", flush=True)
    return found == load.results


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--events", type=int, default=4)
    parser.add_argument("--share", type=float, default=0, help="the part of a core each host gets (0: no limit)")
    parser.add_argument("--apart", action="store_true", help="each host in a network namespace of its own")
    asked = parser.parse_args()
    if (asked.share or asked.apart) and not can_be_made():
        raise SystemExit("--share and --apart want root and the program ip")
    cables = (Cable(1), Cable(2)) if asked.apart else ()
    try:
        for cable in cables:
            cable.lay()
        with hall(workers=1, cables=cables) as made:
            return run(made, asked)
    finally:
        for cable in cables:
            cable.remove()


if __name__ == "__main__":
    sys.exit(main())
