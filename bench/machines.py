"""Machines to measure on, made of one: a part of the processor for each, and a network cable that can be pulled.

A part is the kernel's own quota (control groups of either kind), a cable a pair of interfaces between this machine and
a network namespace. Both want root, and are gone afterwards.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tourney.laptop.postgres import EmbeddedPostgres

_GROUPS = Path("/sys/fs/cgroup")
_PERIOD = 20_000  # microseconds: short, so that a quota that is used up holds an answer up for little


@dataclass
class Part:
    """A group of processes that together get so many cores and no more."""

    name: str
    cores: float
    _folder: Path = field(init=False)

    def __post_init__(self) -> None:
        old = (_GROUPS / "cpu" / "cpu.cfs_quota_us").exists()
        self._folder = (_GROUPS / "cpu" if old else _GROUPS) / f"tourney-{os.getpid()}-{self.name}"
        self._folder.mkdir()
        quota = int(self.cores * _PERIOD)
        if old:
            (self._folder / "cpu.cfs_period_us").write_text(str(_PERIOD))
            (self._folder / "cpu.cfs_quota_us").write_text(str(quota))
            (self._folder / "cpu.shares").write_text("20480")  # before whatever else the machine has to do
        else:
            (self._folder / "cpu.max").write_text(f"{quota} {_PERIOD}")
            (self._folder / "cpu.weight").write_text("2000")

    def take(self, pids: Iterable[int]) -> None:
        """Let processes live in this part from now on; children they make later too."""
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                (self._folder / "cgroup.procs").write_text(str(pid))

    def leave(self) -> None:
        """Give everybody in it the whole machine again, and remove the part."""
        end = time.monotonic() + 5
        for pid in (self._folder / "cgroup.procs").read_text().split():
            with contextlib.suppress(OSError):
                (self._folder.parent / "cgroup.procs").write_text(pid)
        while time.monotonic() < end:
            with contextlib.suppress(OSError):
                self._folder.rmdir()
                return
            time.sleep(0.1)


@dataclass
class Cable:
    """The only way between this machine and a network namespace of its own: `here` and `there` are its two ends.

    The addresses are of the range that is set apart for measuring (RFC 2544), so they are nobody's.
    """

    number: int
    up: bool = field(default=False, init=False)

    @property
    def name(self) -> str:
        return f"tourney-{self.number}"

    @property
    def here(self) -> str:
        return f"198.18.{self.number}.1"

    @property
    def there(self) -> str:
        return f"198.18.{self.number}.2"

    def lay(self) -> None:
        _ip("netns", "add", self.name)
        _ip("link", "add", self.name, "type", "veth", "peer", "name", "eth0", "netns", self.name)
        _ip("addr", "add", f"{self.here}/30", "dev", self.name)
        self.plug_in()
        inside = ("netns", "exec", self.name, "ip")
        _ip(*inside, "link", "set", "lo", "up")
        _ip(*inside, "addr", "add", f"{self.there}/30", "dev", "eth0")
        _ip(*inside, "link", "set", "eth0", "up")

    def plug_in(self) -> None:
        _ip("link", "set", self.name, "up")
        self.up = True

    def pull(self) -> None:
        """Let nothing through any more, and tell nobody: what is on the way is lost."""
        _ip("link", "set", self.name, "down")
        self.up = False

    def inside(self, command: list[str]) -> list[str]:
        """Return the command that runs another one on the far side."""
        return ["ip", "netns", "exec", self.name, *command]

    def remove(self) -> None:
        with contextlib.suppress(subprocess.CalledProcessError):
            _ip("link", "del", self.name)
        with contextlib.suppress(subprocess.CalledProcessError):
            _ip("netns", "del", self.name)


class NetworkPostgres(EmbeddedPostgres):
    """The embedded PostgreSQL, reached through the near ends of cables as well."""

    cables: tuple[Cable, ...] = ()

    def settings(self) -> tuple[str, ...]:
        addresses = ",".join(cable.here for cable in self.cables)
        return (*(one for one in super().settings() if not one.startswith("listen_")), f"listen_addresses={addresses}")

    def start(self, database: str | None = None) -> bool:
        if not (self.data / "PG_VERSION").exists():
            self.data.parent.mkdir(parents=True, exist_ok=True)
            self._make()
            with (self.data / "pg_hba.conf").open("a") as rules:
                rules.writelines(f"host all all {cable.there}/32 trust\n" for cable in self.cables)
        return super().start(database)


def can_be_made() -> bool:
    """Return whether this machine lets us: root, and the program `ip`."""
    return os.geteuid() == 0 and shutil.which("ip") is not None


def _ip(*words: str) -> Any:
    return subprocess.run(["ip", *words], check=True, capture_output=True)
