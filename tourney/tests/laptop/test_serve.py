"""The whole program as a person starts it: a page, a busy port, a kill of everything, a clean stop."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from tourney.laptop import processes, running
from tourney.laptop.folder import DataFolder
from tourney.laptop.postgres import EmbeddedPostgres

ROOT = Path(__file__).resolve().parents[3]


_runs: list[Run] = []  # what a failing test left behind is ended by the fixture


class Run:
    """One `manage.py serve` on a data folder."""

    def __init__(self, data: Path, port: int, *more: str) -> None:
        _runs.append(self)
        self.data = data
        kept = ("PATH", "HOME", "LANG", "TMPDIR")
        environment = {name: os.environ[name] for name in kept if name in os.environ}
        environment |= {"TOURNEY_DATA": str(data), "PYTHONUNBUFFERED": "1"}
        self.process = subprocess.Popen(
            [sys.executable, "manage.py", "serve", "--no-demo", "--port", str(port), *more],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.said = ""

    def address(self) -> str:
        """Wait until it says where it is."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said += line
            if found := re.match(r"Tourney is ready: (\S+)", line):
                return found.group(1)
        raise AssertionError(self.said)

    def rest(self) -> str:
        """Wait for its end; return what else it said."""
        said, _ = self.process.communicate(timeout=60)
        return said

    def pids(self) -> list[int]:
        noted = json.loads((self.data / "running.json").read_text())["children"]
        server = int((self.data / "postgres" / "postmaster.pid").read_text().split()[0])
        return [*(pid for pid, _ in noted.values()), server]

    def kill_everything(self) -> None:
        family = [psutil.Process(pid) for pid in [*self.pids(), self.process.pid]]
        family += [child for process in family for child in process.children(recursive=True)]
        for process in family:
            if process.is_running():
                process.kill()
        self.process.communicate(timeout=20)


@pytest.fixture
def data(tmp_path: Path) -> Iterator[Path]:
    """A data folder with a blank in its name, in a path longer than a socket's name may be."""
    folder = tmp_path / ("long" * 25) / "with a blank"
    yield folder
    layout = DataFolder(folder)
    for run in _runs:
        run.process.kill()
        run.process.communicate(timeout=20)
    _runs.clear()
    running.end_leftovers(layout)
    EmbeddedPostgres(layout.postgres, layout.socket_folder, layout.logs / "postgres.log").stop()


def page(address: str) -> tuple[int, str]:
    with urllib.request.urlopen(address, timeout=30) as answer:
        return answer.status, answer.headers["Content-Security-Policy"]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def gone(pids: list[int]) -> bool:
    """Return whether all processes end within some seconds."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        if not any(psutil.pid_exists(pid) and psutil.Process(pid).status() != "zombie" for pid in pids):
            return True
        time.sleep(0.1)
    return False


@pytest.mark.slow
def test_serve_starts_survives_a_kill_and_stops_cleanly(data: Path) -> None:
    port = free_port()
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", port))
        busy.listen()
        first = Run(data, port)
        address = first.address()
        assert f"port {port} is busy" in first.said
        status, policy = page(address)
        assert status == 200
        assert "default-src 'none'" in policy

        second = Run(data, port)
        assert f"already runs on this data folder: {address}" in second.rest()
        assert second.process.returncode == 1

        first.kill_everything()

    again = Run(data, port)
    again_address = again.address()
    assert again_address == f"http://127.0.0.1:{port}/"
    assert page(again_address)[0] == 200
    assert "tables" not in again.said  # what was done the first time is not done again
    pids = again.pids()
    again.process.send_signal(signal.SIGTERM)
    assert again.rest().rstrip().endswith("Tourney has stopped; everything is kept.")
    assert again.process.returncode == 0
    assert gone(pids)


def test_web_server_that_dies_is_started_again(tmp_path: Path) -> None:
    said: list[str] = []
    log = tmp_path / "log"
    child = processes.Child("sleeper", [sys.executable, "-c", "import time; time.sleep(60)"], {}, log, tmp_path)
    child.start()
    first: Any = child.process
    first.kill()
    first.wait()
    deadline = time.monotonic() + 10

    def until() -> bool:
        return child.process is not first or time.monotonic() > deadline

    processes.watch([child], until=until, say=said.append, look_around=lambda: None)
    alive = child.is_alive()
    processes.stop([child])

    assert (alive, child.is_alive()) == (True, False)
    assert said == ["the sleeper ended unexpectedly and is started again; its last words:\n"]


@pytest.mark.slow
def test_a_hall_is_served_by_https_with_an_authority_tablets_can_trust(data: Path) -> None:
    run = Run(data, free_port(), "--lan")
    address = run.address()
    authority = data / "authority" / "authority.pem"
    with urllib.request.urlopen(f"{address}trust/certificate.crt", timeout=20) as answer:
        assert answer.read() == authority.read_bytes()
    with urllib.request.urlopen(f"{address}trust/", timeout=20) as answer:
        secure = re.search(r'href="https://[^:"]+:(\d+)/"', answer.read().decode())
    assert secure is not None

    trusting = ssl.create_default_context(cafile=str(authority))
    assert "Tourney" in greeting(f"https://127.0.0.1:{secure[1]}/", trusting)
    with pytest.raises(urllib.error.URLError, match="CERTIFICATE_VERIFY_FAILED"):
        urllib.request.urlopen(f"https://127.0.0.1:{secure[1]}/", timeout=20)

    run.process.send_signal(signal.SIGTERM)
    assert run.rest().rstrip().endswith("Tourney has stopped; everything is kept.")


def greeting(address: str, trusting: ssl.SSLContext) -> str:
    """Return a page of a server that is just starting."""
    deadline = time.monotonic() + 60
    while True:
        try:
            with urllib.request.urlopen(address, context=trusting, timeout=20) as answer:
                return str(answer.read().decode())
        except urllib.error.URLError as refused:
            if not isinstance(refused.reason, ConnectionError | TimeoutError) or time.monotonic() > deadline:
                raise
            time.sleep(0.3)
