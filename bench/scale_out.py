"""Two hosts against one: how much more is done, what it costs, and what happens when one of two is cut off.

    python bench/scale_out.py [--seconds 30] [--clients 8] [--events 4]

A host is a web server of one process and a worker of one, with a data folder of its own; all hosts share one PostgreSQL
and one Redis. Clients open staff and public pages (built anew each time) and tablets enter results, each client as fast
as it is answered. First one host, then two. Then both again, and the second is stopped dead (SIGSTOP: it answers
nothing and hangs up on nobody, as behind a cut cable) in the middle of what it does; clients give it three seconds and
go to the other. Every acknowledged result must be there once.

Where the machine has fewer cores than the hosts want, the clock tells about the machine: so processor time is measured
too. What two hosts could do on cores of their own follows from the processor time of one answer with one and with two.
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
from urllib.parse import urlencode

import psutil

sys.path.insert(0, str(Path(__file__).resolve().parent))

from hall import ROOT, Hall, event_of, free_port, games_of, hall, tablets_of

MUST = 1.7
PATIENCE = 3.0  # seconds a client gives a host that does not answer, as a proxy would
CSRF = "s" * 32


@dataclass
class Host:
    """One machine: a web server and a worker with a data folder of their own."""

    number: int
    folder: Path
    port: int = field(default_factory=free_port)
    programs: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start(self) -> None:
        environment = {**os.environ, "TOURNEY_DATA": str(self.folder / f"host-{self.number}"), "KEEP_PAGES": "0"}
        environment |= {"WEB_BIND": f"127.0.0.1:{self.port}", "WEB_WORKERS": "1", "WEB_THREADS": "4"}
        environment["PROMETHEUS_MULTIPROC_DIR"] = str(self.folder / f"figures-{self.number}")
        python = sys.executable
        web = [python, "-m", "gunicorn", "-c", "deploy/gunicorn.conf.py", "tourney.wsgi:application"]
        worker = [python, "-m", "celery", "-A", "tourney", "worker", "--concurrency", "1", "--loglevel", "ERROR"]
        worker += ["--hostname", f"host{self.number}@%h", "--without-gossip", "--without-mingle"]
        for name, command in (("web", web), ("worker", worker)):
            log = (self.folder / f"{name}-{self.number}.log").open("ab")
            self.programs.append(
                subprocess.Popen(
                    command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                    start_new_session=True,
                )
            )  # fmt: skip
        end = time.monotonic() + 90
        while time.monotonic() < end:
            with contextlib.suppress(OSError, http.client.HTTPException):
                if ask(self.port, "GET", "/readyz/", {})[0] == 200:
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

    def cut_off(self) -> None:
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


def ask(port: int, method: str, path: str, headers: dict[str, str], values: dict[str, Any] | None = None) -> Any:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE if values is None else 10)
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
            status, found = ask(host.port, method, path, headers, values)
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


def phase(
    made: Hall, hosts: list[Host], pages: Any, places: Any, asked: Any, cut: Host | None = None
) -> tuple[Load, float, float, float]:
    """Let the clients work; return what they did, the seconds, and the processor seconds of hosts and database."""
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
    return load, seconds, sum(host.cpu() for host in hosts) - before, made.cpu().get("postgres", 0) - database


def run(made: Hall, asked: argparse.Namespace) -> int:
    from django.conf import settings
    from django.db import connections
    from django.test import Client

    from tourney.models import ResultRecord

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
    first, second = Host(1, made.folder), Host(2, made.folder)
    share, good = [], True
    try:
        first.start()
        for index, hosts in enumerate(([first], [first, second])):
            if index:
                second.start()
            load, seconds, cpu, database = phase(
                made, hosts, pages, places[index * asked.events : (index + 1) * asked.events], asked
            )
            answers = sum(load.done.values())
            share.append((answers / seconds, cpu / answers * 1000, database / answers * 1000))
            print(
                f"{len(hosts)} + {len(hosts)}: {answers} answers in {seconds:.0f} s, {answers / seconds:.1f}/s;"
                f" processor per answer: hosts {share[-1][1]:.1f} ms, database {share[-1][2]:.1f} ms;"
                f" failed {sum(load.failed.values())} {dict(load.failed)}",
                flush=True,
            )
            good = good and check(load, ResultRecord) and not load.failed
        load, seconds, _, _ = phase(made, [first, second], pages, places[2 * asked.events :], asked, cut=second)
        print(f"cut off: {sum(load.done.values())} answers in {seconds:.0f} s, slowest {load.slow:.1f} s,")
        print(f"         unanswered {dict(load.failed)}")
        good = check(load, ResultRecord) and good
    finally:
        first.stop()
        second.stop()
    one, two = share
    per_core = 2 * one[1] / two[1]
    print(
        f"by the clock on {os.cpu_count()} cores (database, clients and hosts share them): {two[0] / one[0]:.2f} times"
    )
    print(f"by processor time, each host on a core of its own: {per_core:.2f} times (must reach {MUST})")
    print(f"the database would be full at {1000 / two[2]:.0f} answers a second for each of its cores")
    return 0 if good and per_core >= MUST else 1


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
    asked = parser.parse_args()
    with hall(workers=1) as made:
        return run(made, asked)


if __name__ == "__main__":
    sys.exit(main())
