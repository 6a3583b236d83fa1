"""Who runs on a data folder: one server at a time, and no leftovers of a killed one.

`serve` holds a lock on the folder as long as it lives and writes down its children. The kernel drops the lock when
the process dies, however it dies; the next start then ends the children that were left alone.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import psutil

from tourney.laptop.folder import DataFolder
from tourney.laptop.postgres import EmbeddedPostgres


class AlreadyServed(RuntimeError):
    """Another `serve` runs on this folder; `address` is where."""

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self.address = address


def embedded_database(folder: DataFolder, say: Callable[[str], None]) -> EmbeddedPostgres:
    """Return the folder's database server (not started)."""
    return EmbeddedPostgres(folder.postgres, folder.socket_folder, folder.logs / "postgres.log", say=say)


def is_being_served(folder: DataFolder) -> bool:
    """Return whether a living `serve` holds the folder."""
    try:
        with _lock_file(folder) as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False


@contextmanager
def sole_server(folder: DataFolder) -> Iterator[None]:
    """Be the only server of the folder while inside; raises AlreadyServed."""
    with _lock_file(folder) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise AlreadyServed(_noted(folder).get("address", "")) from error
        end_leftovers(folder)
        yield
        folder.running.unlink(missing_ok=True)


def note(folder: DataFolder, address: str, children: dict[str, int]) -> None:
    """Write down the address and the children (name and process id) of this server."""
    started = {}
    for name, pid in children.items():
        with contextlib.suppress(psutil.NoSuchProcess):
            started[name] = [pid, psutil.Process(pid).create_time()]
    fresh = folder.running.with_suffix(".new")
    fresh.write_text(json.dumps({"address": address, "children": started}), encoding="utf-8")
    fresh.replace(folder.running)


def end_leftovers(folder: DataFolder) -> None:
    """End the web server and the worker of a `serve` that was killed, so that they don't hold its port."""
    left = []
    for pid, created in _noted(folder).get("children", {}).values():
        with contextlib.suppress(psutil.NoSuchProcess):
            process = psutil.Process(pid)
            if abs(process.create_time() - created) < 1:  # else the number belongs to somebody else by now
                left += [process, *process.children(recursive=True)]
    for process in left:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.terminate()
    _, alive = psutil.wait_procs(left, timeout=3)
    for process in alive:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(alive, timeout=5)


def _lock_file(folder: DataFolder) -> IO[str]:
    folder.make()
    return Path(folder.root / "serve.lock").open("w")


def _noted(folder: DataFolder) -> dict[str, Any]:
    try:
        found = json.loads(folder.running.read_text(encoding="utf-8"))
    except (FileNotFoundError, json.JSONDecodeError):
        return {}
    return found if isinstance(found, dict) else {}
