"""Child processes that live as long as their parent: started, watched, restarted, stopped."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

STEADY_SECONDS = 20.0  # a child that lived this long is started again at once
LONGEST_PAUSE = 30.0


@dataclass(slots=True)
class Child:
    """One program: its command, its environment, and the file its output goes to."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str]
    log: Path
    folder: Path
    keep_open: tuple[int, ...] = ()
    grace: float = 10.0  # seconds from the polite signal to the last one
    process: subprocess.Popen[bytes] | None = field(default=None, init=False)
    started: float = field(default=0.0, init=False)
    failures: int = field(default=0, init=False)

    def start(self) -> None:
        """Start the program in a session of its own, so that Ctrl-C reaches it through its parent only."""
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                list(self.command),
                cwd=self.folder,
                env=dict(self.environment),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=self.keep_open,
                start_new_session=True,
            )
        self.started = time.monotonic()

    def is_alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def pause(self) -> float:
        """Return how long to wait before the next start: nothing after a steady life, then ever longer."""
        if time.monotonic() - self.started >= STEADY_SECONDS:
            self.failures = 0
        self.failures += 1
        return min(LONGEST_PAUSE, 2.0 ** (self.failures - 1) if self.failures > 1 else 0.5)

    def last_words(self, lines: int = 15) -> str:
        """Return the end of its log."""
        if not self.log.exists():
            return ""
        return "\n".join(self.log.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])


def stop(children: Sequence[Child]) -> None:
    """Ask all to end, wait, and end with force what did not; their own children go with them."""
    for child in children:
        _signal(child, signal.SIGTERM, group=False)  # the leader tells its workers in its own way
    for child in children:
        if child.process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.process.wait(child.grace)
        _signal(child, signal.SIGKILL, group=True)  # what is left of its session


def watch(
    children: Sequence[Child], *, until: Callable[[], bool], say: Callable[[str], None], look_around: Callable[[], None]
) -> None:
    """Start again whatever dies, until told to end; `look_around` is called a few times a second."""
    due: dict[str, float] = {}
    while not until():
        for child in children:
            if child.is_alive():
                continue
            now = time.monotonic()
            if child.name not in due:
                due[child.name] = now + child.pause()
                say(f"the {child.name} ended unexpectedly and is started again; its last words:\n{child.last_words()}")
            elif now >= due[child.name]:
                del due[child.name]
                child.start()
        look_around()
        time.sleep(0.2)


def _signal(child: Child, number: signal.Signals, *, group: bool) -> None:
    if child.process is None:
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if group:
            os.killpg(child.process.pid, number)
        elif child.process.poll() is None:
            child.process.send_signal(number)
