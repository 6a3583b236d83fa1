"""The power cord: the program is killed while results are entered, again and again; what it had confirmed is there."""

from __future__ import annotations

import http.client
import http.cookiejar
import json
import os
import re
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

import psutil
import pytest

from tourney.testing.pages import SIGN_IN, forms_of
from tourney.tests.laptop.test_serve import ROOT, Run, data, free_port  # noqa: F401 -- `data` is a fixture

PLAYERS = 240
RESULTS = ("1-0", "1/2", "0-1")
ROUND = "/manage/kill/open/rounds/1/results/"
# What an organizer has done before the test begins; the pages for it have tests of their own.
BEFORE = f"""
from django.contrib.auth import get_user_model
from swiss.services import pair_next_round, publish_round
from tourney.services.stages import close_entries
from tourney.testing import builders
get_user_model().objects.create_superuser("arbiter", password="only for this test")
section = builders.event("open-swiss", slug="kill").sections.get()
builders.entries(section, {PLAYERS}, step=5)
publish_round(pair_next_round(close_entries(section, actor=None)[0].pk, actor=None).pk, actor=None)
"""


class Arbiter:
    """A browser without scripts: reads the page, presses results one after another, remembers the confirmed ones."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.confirmed: dict[str, str] = {}
        self.stop = threading.Event()
        cookies = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self._opener = urllib.request.build_opener(cookies)

    def get(self, path: str) -> str:
        with self._opener.open(self.address.rstrip("/") + path, timeout=20) as answer:
            return str(answer.read().decode())

    def post(self, path: str, values: dict[str, Any]) -> str:
        sent = urllib.parse.urlencode(values, doseq=True).encode()
        request = urllib.request.Request(self.address.rstrip("/") + path, sent, {"HX-Request": "true"})
        with self._opener.open(request, timeout=20) as answer:
            return str(answer.read().decode())

    def sign_in(self) -> None:
        form = next(form for form in forms_of(self.get(SIGN_IN)) if "password" in form.names)
        self.post(SIGN_IN, form.data({"username": "arbiter", "password": "only for this test"}))

    def boards(self) -> dict[str, str]:
        """Return what the page shows: board and result."""
        return dict(re.findall(r'data-board="(\d+)" data-result="([^"]*)"', self.get(ROUND + "?show=all")))

    def work(self) -> None:
        """Enter results until told to stop; a server that is gone is tried again, as people do."""
        while not self.stop.is_set():
            try:
                self._enter_all()
            except (OSError, http.client.HTTPException):
                time.sleep(0.1)

    def _enter_all(self) -> None:
        for form in forms_of(self.get(ROUND)):
            if self.stop.is_set():
                return
            if not form.has({"outcome": "1-0", "game": None}):
                continue
            outcome = RESULTS[len(self.confirmed) % len(RESULTS)]
            piece = self.post(ROUND, form.data({"outcome": outcome}))
            found = re.search(r'data-board="(\d+)" data-result="([^"]*)"', piece)
            if found and found.group(2) == outcome:
                self.confirmed[found.group(1)] = outcome
        time.sleep(0.1)


def wait_for(number: int, arbiter: Arbiter, seconds: int = 60) -> None:
    """Wait until so many results are confirmed."""
    deadline = time.monotonic() + seconds
    while len(arbiter.confirmed) < number:
        assert time.monotonic() < deadline, f"only {len(arbiter.confirmed)} of {number} results are confirmed"
        time.sleep(0.005)


def web_server(run: Run) -> psutil.Process:
    """Return the process that is noted as the web server; one that has just been killed is noted no longer."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        noted = json.loads((run.data / "running.json").read_text())["children"].get("web server")
        if noted and psutil.pid_exists(noted[0]) and psutil.Process(noted[0]).status() != psutil.STATUS_ZOMBIE:
            return psutil.Process(noted[0])
        time.sleep(0.05)
    raise AssertionError("the web server is not started again")


def kill_web_server(run: Run) -> int:
    """Kill the processes that answer, without a warning, in whatever they are doing; return the first one's number."""
    server = web_server(run)
    for process in [server, *server.children(recursive=True)]:
        process.kill()
    return server.pid


def prepare(folder: Path, before: str = BEFORE) -> None:
    """Do what an organizer has done before the test begins."""
    environment = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    done = subprocess.run(
        [sys.executable, "manage.py", "shell", "-v", "0", "-c", before],
        cwd=ROOT,
        env=environment | {"TOURNEY_DATA": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_no_confirmed_result_is_lost_when_the_server_is_killed(data: Path) -> None:  # noqa: F811 -- the fixture
    port = free_port()
    run = Run(data, port)
    arbiter = Arbiter(run.address())
    prepare(data)
    arbiter.sign_in()
    worker = threading.Thread(target=arbiter.work)
    worker.start()
    try:
        killed = set()
        for kills in range(1, 4):
            wait_for(12 * kills, arbiter)
            killed.add(kill_web_server(run))
        wait_for(48, arbiter)
        assert len(killed) == 3
        run.kill_everything()  # the database too
        run = Run(data, port)
        assert run.address() == arbiter.address
        wait_for(60, arbiter)
    finally:
        arbiter.stop.set()
        worker.join(timeout=30)
    shown = arbiter.boards()
    assert len(shown) == PLAYERS // 2
    lost = {board: outcome for board, outcome in arbiter.confirmed.items() if shown[board] != outcome}
    assert lost == {}
