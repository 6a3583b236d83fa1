"""A hall to measure in: Tourney with a database (and Redis) of its own in a folder of its own, an event, tablets.

Shared by `load.py` and `chaos.py`. Nothing that runs on the machine already is used or disturbed: PostgreSQL is the
embedded one with its usual (durable) settings, Redis is started on a free port, and everything is removed at the end.
"""

# ruff: noqa: PLC0415 -- settings are read from the environment this module sets, so Django comes after it
from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import psutil

ROOT = Path(__file__).resolve().parent.parent
START_SECONDS = 90.0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass
class Hall:
    """The programs of one installation: server mode (gunicorn, worker, Redis, PostgreSQL) or `manage.py serve`."""

    folder: Path
    laptop: bool = False
    workers: int = 2
    threads: int = 4
    cables: tuple[Any, ...] = ()  # `machines.Cable`s on whose near ends database and Redis listen as well
    port: int = field(default_factory=free_port)
    programs: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    database: Any = None

    def prepare(self) -> None:
        """Start the database, load Django into this process, make tables and static files."""
        os.environ["DJANGO_SETTINGS_MODULE"] = "tourney.settings"
        for name in ("DATABASE_URL", "REDIS_URL", "DEBUG", "PUBLIC_URL"):
            os.environ.pop(name, None)
        os.environ |= {
            "TOURNEY_DATA": str(self.folder / "data"),
            "ALLOWED_HOSTS": "localhost,127.0.0.1",
            "HTTPS": "0",
            "LOG_LEVEL": "WARNING",
        }
        sys.path.insert(0, str(ROOT))
        if self.laptop:
            self.start_web()
        else:
            self.start_database()
            self.redis_port = free_port()
            os.environ |= {
                "DATABASE_URL": f"postgres://postgres@/tourney?host={self.database.socket_folder}",
                "REDIS_URL": f"redis://127.0.0.1:{self.redis_port}/0",
                "SECRET_KEY": "only-for-measuring-" + "0" * 50,
                "STATIC_ROOT": str(self.folder / "static"),
                "TRUSTED_PROXIES": "0",
            }
            self.start_redis()
        import django

        django.setup()
        if not self.laptop:
            from django.core.management import call_command

            call_command("migrate", verbosity=0)
            call_command("collectstatic", interactive=False, verbosity=0)

    # -- programs ----------------------------------------------------------------------------------------------------

    def start_database(self) -> None:
        from tourney.laptop.postgres import EmbeddedPostgres

        if self.database is None:
            sockets = Path(tempfile.gettempdir()) / f"tourney-bench-{os.getpid()}"
            place = (self.folder / "postgres", sockets, self.folder / "postgres.log")
            if self.cables:
                from machines import NetworkPostgres

                self.database = NetworkPostgres(*place)
                self.database.cables = self.cables
            else:
                self.database = EmbeddedPostgres(*place)
        self.database.start("tourney")

    def start_redis(self) -> None:
        addresses = ["127.0.0.1", *(cable.here for cable in self.cables)]
        command = ["redis-server", "--port", str(self.redis_port), "--save", "", "--appendonly", "no"]
        self._start("redis", [*command, "--protected-mode", "no", "--bind", *addresses])

    def start_web(self) -> None:
        """Start the web server and wait until it answers."""
        python = sys.executable
        if self.laptop:
            self._start("serve", [python, "manage.py", "serve", "--no-demo", "--port", str(self.port)])
        else:
            self._start(
                "web",
                [
                    *(python, "-m", "gunicorn", "tourney.wsgi", "--bind", f"127.0.0.1:{self.port}"),
                    *("--workers", str(self.workers), "--threads", str(self.threads), "--no-control-socket"),
                    *("--keep-alive", "15", "--worker-connections", "4000", "--backlog", "4096"),
                ],
            )
        self.wait()

    def start_worker(self) -> None:
        if not self.laptop:
            command = ["-m", "celery", "-A", "tourney", "worker", "--beat", "--concurrency", "1", "--loglevel", "ERROR"]
            schedule = ["--scheduler", "tourney.ticking:Scheduler", "--without-gossip", "--without-mingle"]
            self._start("worker", [sys.executable, *command, *schedule])

    def _start(self, name: str, command: list[str]) -> None:
        log = (self.folder / f"{name}.log").open("ab")
        self.programs[name] = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
        )

    def wait(self) -> None:
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError, ValueError):
                if asyncio.run(get(self.port, "/")).status < 500:
                    return
            time.sleep(0.2)
        raise SystemExit(f"no page within {START_SECONDS:.0f} s; see {self.folder}")

    def kill(self, name: str) -> None:
        """End a program and all its children at once, as a power cut would (-9)."""
        with contextlib.suppress(psutil.NoSuchProcess):
            top = psutil.Process(self.programs[name].pid)
            for process in [top, *top.children(recursive=True)]:
                with contextlib.suppress(psutil.NoSuchProcess):
                    process.kill()
        self.programs[name].wait()

    def kill_database(self) -> None:
        process = self.database._process()
        if process is not None:
            for one in [process, *process.children(recursive=True)]:
                with contextlib.suppress(psutil.NoSuchProcess):
                    one.kill()
            with contextlib.suppress(psutil.TimeoutExpired):
                process.wait(5)

    def stop(self) -> None:
        from django.db import connections

        connections.close_all()
        for name in reversed(self.programs):
            program = self.programs[name]
            if program.poll() is None:
                program.send_signal(signal.SIGTERM)
                try:
                    program.wait(30)
                except subprocess.TimeoutExpired:
                    self.kill(name)
        if self.database is not None:
            self.database.stop()

    # -- what it costs -----------------------------------------------------------------------------------------------

    def cpu(self) -> dict[str, float]:
        """Return the seconds of processor each program has used so far, with those of its ended children."""
        tops = {name: psutil.Process(program.pid) for name, program in self.programs.items() if program.poll() is None}
        if self.database is not None and (found := self.database._process()) is not None:
            tops["postgres"] = found
        spent = {}
        for name, top in tops.items():
            total = 0.0
            for process in [top, *top.children(recursive=True)]:
                with contextlib.suppress(psutil.NoSuchProcess):
                    total += sum(process.cpu_times()[:4])
            spent[name] = total
        return spent


@contextlib.contextmanager
def hall(
    *, laptop: bool = False, workers: int = 2, threads: int = 4, keep: bool = False, cables: tuple[Any, ...] = ()
) -> Iterator[Hall]:
    """Yield an installation whose database is ready; it and its folder are gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="tourney-hall-"))
    made = Hall(folder, laptop, workers, threads, cables)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # whose time is up leaves nothing running either
    try:
        made.prepare()
        yield made
    finally:
        made.stop()
        if keep:
            print(f"kept: {folder}")  # noqa: T201 -- asked for
        else:
            shutil.rmtree(folder, ignore_errors=True)


# -- the event ---------------------------------------------------------------------------------------------------------


@dataclass
class Tablet:
    """A tablet as the server knows it: the address of its page and the secret of its cookie."""

    address: str
    secret: str
    label: str
    csrf: str = ""

    @property
    def headers(self) -> dict[str, str]:
        cookie = f"tourney_device={self.secret}" + (f"; csrftoken={self.csrf}" if self.csrf else "")
        more = {"X-CSRFToken": self.csrf} if self.csrf else {}
        return {"Cookie": cookie, "HX-Request": "true", "Accept-Language": "uk", **more}

    async def open(self, port: int) -> Answer:
        """Load the page as a browser does, for the token its entries carry."""
        answer = await get(port, self.address, {"Cookie": f"tourney_device={self.secret}"})
        for cookie in answer.cookies:
            if cookie.startswith("csrftoken="):
                self.csrf = cookie.split(";")[0].removeprefix("csrftoken=")
        return answer


def event_of(players: int, rounds: int) -> tuple[Any, Any]:
    """Return a public running Swiss whose next round is out, some rounds of it played, and its arbiter."""
    sys.path.insert(0, str(ROOT / "bench"))
    from result_entry import event_of as running_event

    from swiss.services import pair_next_round, publish_round

    stage, arbiter = running_event(players, rounds)
    type(stage.section.tournament).objects.filter(pk=stage.section.tournament_id).update(public=True)
    publish_round(pair_next_round(stage.pk, actor=arbiter).pk, actor=arbiter)
    stage.refresh_from_db(fields=["version", "state"])
    return stage, arbiter


def tablets_of(stage: Any, arbiter: Any, number: int) -> list[Tablet]:
    """Hand out links for all boards of the group and bind each to a device."""
    from django.urls import reverse
    from django.utils import timezone

    from tourney.services.devices import bind_link, issue_link

    made = []
    for index in range(number):
        label = f"Tablet {index + 1}"
        until = timezone.now() + timedelta(hours=8)
        link, token = issue_link(
            stage.section.tournament, actor=arbiter, label=label, valid_until=until, section=stage.section
        )
        secret = uuid4().hex
        bind_link(token, secret=secret, browser="Chrome · Android")
        made.append(Tablet(reverse("tablet", args=[link.pk]), secret, label))
    return made


def games_of(stage: Any) -> list[dict[str, Any]]:
    """Return the boards of the newest round as a tablet's page names them: the fields an entry carries."""
    from swiss.models import Pairing

    rows = Pairing.objects.filter(round__stage=stage, game__isnull=False).order_by("-round__number", "board")
    newest = None
    boards = []
    for pairing in rows.select_related("round", "game"):
        newest = newest or pairing.round.number
        if pairing.round.number == newest:
            game = pairing.game
            boards.append(
                {
                    "game": game.pk,
                    "version": game.version,
                    "round": newest,
                    "board": pairing.board,
                    "white": game.white_id,
                    "black": game.black_id,
                }
            )
    return boards


# -- a lean browser ----------------------------------------------------------------------------------------------------


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    cookies: list[str]
    body: bytes


async def request(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    method: str,
    path: str,
    headers: dict[str, str],
    body: bytes = b"",
) -> Answer:
    """Send one HTTP/1.1 request on an open connection and read its answer."""
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", "Accept-Encoding: gzip"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    if body:
        lines += ["Content-Type: application/x-www-form-urlencoded", f"Content-Length: {len(body)}"]
    writer.write(("\r\n".join(lines) + "\r\n\r\n").encode() + body)
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    found: dict[str, str] = {}
    cookies = []
    for line in head[1:]:
        name, _, value = line.partition(": ")
        if name.lower() == "set-cookie":
            cookies.append(value)
        elif name:
            found[name.lower()] = value
    status = int(head[0].split(" ")[1])
    content = b""
    if status not in (204, 304):
        if "content-length" in found:
            content = await reader.readexactly(int(found["content-length"]))
        elif found.get("transfer-encoding") == "chunked":
            while size := int(await reader.readline(), 16):
                content += await reader.readexactly(size)
                await reader.readexactly(2)
            await reader.readexactly(2)
        else:
            content = await reader.read()
    return Answer(status, found, cookies, content)


class Browser:
    """One visitor's connection: kept open between requests, opened again when the server has closed it."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self.opened = 0

    async def ask(self, method: str, path: str, headers: dict[str, str], body: bytes = b"") -> Answer:
        if self.streams is not None and (self.streams[0].at_eof() or self.streams[1].is_closing()):
            self.close()
        fresh = self.streams is None
        if self.streams is None:
            self.streams = await asyncio.open_connection("127.0.0.1", self.port)
            self.opened += 1
        try:
            answer = await request(*self.streams, method, path, headers, body)
        except (OSError, asyncio.IncompleteReadError):
            self.close()
            if fresh:
                raise
            return await self.ask(method, path, headers, body)  # the server closed it at that moment: browsers retry
        except BaseException:
            self.close()
            raise
        if answer.headers.get("connection", "").lower() == "close":
            self.close()
        return answer

    def close(self) -> None:
        if self.streams is not None:
            self.streams[1].close()
            self.streams = None


async def get(port: int, path: str, headers: dict[str, str] | None = None) -> Answer:
    browser = Browser(port)
    try:
        return await browser.ask("GET", path, headers or {})
    finally:
        browser.close()
