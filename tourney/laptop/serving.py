"""Laptop mode from start to stop: the steps of `manage.py serve`, each skipped when it has nothing to do.

Order matters: the database first, then what changes it (migrations, demo), then the web server and the worker. They
stop in the opposite order, so an answer that was given is always written.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from socket import socket
from typing import Any, Protocol

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command, get_commands
from django.db import connections
from django.db.migrations.executor import MigrationExecutor

from tourney.laptop import ports, processes, running
from tourney.laptop.authority import Authority
from tourney.laptop.folder import DataFolder
from tourney.laptop.postgres import EmbeddedPostgres

FIRST_PAGE_SECONDS = 60.0
SECURE_PORT = 8443  # tried first for https in a hall's network


class Say(Protocol):
    """Print a line."""

    def __call__(self, line: str) -> None: ...


class ServeError(RuntimeError):
    """The program can't be started; the message says why."""


@dataclass(slots=True)
class Server:
    """One run on one data folder."""

    folder: DataFolder
    host: str
    port: int
    demo: bool
    say: Say
    stopping: bool = field(default=False, init=False)
    children: list[processes.Child] = field(default_factory=list, init=False)

    def run(self) -> None:
        """Start everything, keep it running, and stop it cleanly on SIGINT, SIGTERM or SIGHUP."""
        with running.sole_server(self.folder), self._signals():
            database = running.embedded_database(self.folder, say=self._note)
            try:
                with self._step("database"):
                    database.start("tourney")
                self._prepare()
                if not self.stopping:
                    self._serve(database)
            finally:
                processes.stop(self.children)
                connections.close_all()
                database.stop()
        self.say("Tourney has stopped; everything is kept.")

    @property
    def _is_open(self) -> bool:
        """Other machines are let in."""
        return self.host == "0.0.0.0"  # noqa: S104 -- compared, and only ever set on demand

    # -- before the first page -----------------------------------------------------------------------------------

    def _prepare(self) -> None:
        for step in (self._migrate, self._collect_static, self._load_demo):
            if not self.stopping:
                step()
        connections.close_all()

    def _migrate(self) -> None:
        executor = MigrationExecutor(connections["default"])
        if executor.migration_plan(executor.loader.graph.leaf_nodes()):
            with self._step("tables"):
                call_command("migrate", interactive=False, verbosity=0)

    def _collect_static(self) -> None:
        stamp = self.folder.static / ".collected"
        digest = _static_digest()
        if stamp.exists() and stamp.read_text(encoding="ascii") == digest:
            return
        with self._step("static files"):
            call_command("collectstatic", interactive=False, verbosity=0)
            stamp.write_text(digest, encoding="ascii")

    def _load_demo(self) -> None:
        stamp = self.folder.root / "demo-loaded"
        if not self.demo or stamp.exists() or "demo" not in get_commands():
            return
        with self._step("demo events"):
            call_command("demo", verbosity=0)
            stamp.touch()

    # -- serving -------------------------------------------------------------------------------------------------

    def _serve(self, database: EmbeddedPostgres) -> None:
        with ports.listen(self.host, self.port) as listener, self._secure_listener() as secure:
            port = listener.getsockname()[1]
            if port != self.port:
                self.say(f"· port {self.port} is busy, taking {port}")
            address = f"http://{'127.0.0.1' if self._is_open else self.host}:{port}/"
            self.children = self._programs(listener, secure)
            web, *others = self.children
            with self._step("web server"):
                web.start()
                self._note_children(address)
                self._wait_for_page(port)
            if self.stopping:
                return
            for child in others:  # only now: they start on the same two cores, and a person waits for the page
                child.start()
            self._note_children(address)
            self._greet(address, port, secure)
            noted = {"at": time.monotonic()}

            def look_around() -> None:
                if time.monotonic() - noted["at"] < 1:
                    return
                noted["at"] = time.monotonic()
                self._note_children(address)
                if not database.is_running() and not self.stopping:
                    self._note("the database ended unexpectedly and is started again")
                    database.start()

            processes.watch(self.children, until=lambda: self.stopping, say=self._note, look_around=look_around)
        self.say("\nstopping …")

    @contextmanager
    def _secure_listener(self) -> Iterator[socket | None]:
        """Listen for https too where other machines are let in; None otherwise."""
        if not self._is_open:
            yield None
            return
        with self._step("certificates"):
            self._authority.prepare(ports.addresses())
        with ports.listen(self.host, SECURE_PORT) as secure:
            yield secure

    @property
    def _authority(self) -> Authority:
        return Authority(self.folder.authority)

    def _programs(self, listener: socket, secure: socket | None) -> list[processes.Child]:
        python = sys.executable
        environment = {**os.environ, "TOURNEY_DATA": str(self.folder.root), "PYTHONUNBUFFERED": "1"}
        hosts = [*settings.ALLOWED_HOSTS, *(ports.addresses() if self._is_open else [self.host])]
        environment["ALLOWED_HOSTS"] = ",".join(dict.fromkeys(hosts))
        if secure is not None:
            # Codes for tablets lead to the secure address, whichever one the arbiter's own browser uses.
            here = next(iter(ports.addresses()), "127.0.0.1")
            environment.setdefault("PUBLIC_URL", f"https://{here}:{secure.getsockname()[1]}")
            environment["TRUST_URL"] = f"http://{here}:{listener.getsockname()[1]}"
        scratch = ["--worker-tmp-dir", "/dev/shm"] if Path("/dev/shm").is_dir() else []  # noqa: S108 -- memory, not disk
        web = [
            *(python, "-m", "gunicorn", "tourney.wsgi:application"),
            *("--worker-class", "gthread", "--workers", str(min(2, os.cpu_count() or 1)), "--threads", "8"),
            *("--preload", "--timeout", "60", "--graceful-timeout", "8", "--keep-alive", "15", *scratch),
            "--no-control-socket",
        ]
        worker = [
            # Three at a time: one of them may follow boards.
            *(python, "-m", "celery", "-A", "tourney.celery", "worker", "--beat", "--concurrency", "3"),
            # The schedule holds only short intervals, so it is kept in memory: no file that a kill could spoil.
            *("--scheduler", "tourney.ticking:Scheduler", "--loglevel", "INFO"),
            *("--without-gossip", "--without-mingle", "--without-heartbeat"),
        ]
        logs = self.folder.logs

        def server(name: str, log: str, to: socket, *more: str) -> processes.Child:
            command = [*web, "--bind", f"fd://{to.fileno()}", *more]
            return processes.Child(name, command, environment, logs / log, settings.BASE_DIR, (to.fileno(),), grace=10)

        children = [
            server("web server", "web.log", listener),
            processes.Child("worker", worker, environment, logs / "worker.log", settings.BASE_DIR, grace=15),
        ]
        if secure is not None:
            authority = self._authority
            keys = ("--certfile", str(authority.server_certificate), "--keyfile", str(authority.server_key))
            children.append(server("secure web server", "web-secure.log", secure, *keys))
        return children

    def _wait_for_page(self, port: int) -> None:
        web = self.children[0]
        deadline = time.monotonic() + FIRST_PAGE_SECONDS
        while not self.stopping and time.monotonic() < deadline:
            if not web.is_alive():
                raise ServeError(f"the web server did not start. Its last words:\n{web.last_words(30)}")
            status = _status("127.0.0.1" if self._is_open else self.host, port)
            if status is not None:
                if status >= 500:
                    self._note(f"the first page answers with an error ({status}), see {web.log}")
                return
            time.sleep(0.05)
        if not self.stopping:
            raise ServeError(f"no page within {FIRST_PAGE_SECONDS:.0f} s. The web server says:\n{web.last_words(30)}")

    def _greet(self, address: str, port: int, secure: socket | None) -> None:
        self.say(f"\nTourney is ready: {address}")
        for other in ports.addresses() if secure is not None else []:
            self.say(f"      in this network: http://{other}:{port}/")
            if secure is not None:
                self.say(f"      for tablets:     https://{other}:{secure.getsockname()[1]}/")
                self.say(f"                       (trust it once: http://{other}:{port}/trust/)")
        if self.folder.demo_logins.exists():
            self.say("\n" + self.folder.demo_logins.read_text(encoding="utf-8").rstrip())
        self.say(f"\nData and logs: {self.folder.root}\nStop with Ctrl-C.")

    # -- small things --------------------------------------------------------------------------------------------

    def _note_children(self, address: str) -> None:
        alive = {child.name: child.process.pid for child in self.children if child.process and child.is_alive()}
        running.note(self.folder, address, alive)

    def _note(self, line: str) -> None:
        self.say(f"  {line}")

    @contextmanager
    def _step(self, title: str) -> Any:
        started = time.monotonic()
        yield
        self.say(f"· {title}: {time.monotonic() - started:.1f} s")

    @contextmanager
    def _signals(self) -> Any:
        """Turn the signals that mean "end" into a wish, so that every step ends in order."""

        def wish(*_: object) -> None:
            self.stopping = True

        wanted = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        before: dict[signal.Signals, Any] = {number: signal.signal(number, wish) for number in wanted}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def _static_digest() -> str:
    """Return a mark that changes when any static file does (name, size or time) or the way they are stored."""
    together = hashlib.sha256(json.dumps(settings.STORAGES["staticfiles"]).encode())
    for finder in get_finders():
        for name, storage in sorted(finder.list([]), key=lambda found: found[0]):
            found = Path(storage.path(name)).stat()
            together.update(f"{name}\0{found.st_size}\0{found.st_mtime_ns}\n".encode())
    return together.hexdigest()


def _status(host: str, port: int) -> int | None:
    """Return the status of the first page, or None while nobody answers."""
    connection = http.client.HTTPConnection(host, port, timeout=30)
    try:
        connection.request("GET", "/", headers={"Host": "localhost"})
        return connection.getresponse().status
    except OSError:
        return None
    finally:
        connection.close()
