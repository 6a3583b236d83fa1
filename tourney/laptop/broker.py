"""The laptop's message broker: one small file per message in the data folder, no second server.

This is Celery's own file transport with the two things changed that matter on a machine that may lose power:

* a message appears whole or not at all (written aside, then renamed), so no reader meets half a message;
* taken messages are removed at once instead of being collected for ever.

A worker that is killed loses the message it works on, as with every such transport: `tourney.queue` keeps the truth in
rows and sends again.
"""

from __future__ import annotations

import contextlib
import os
import uuid
from pathlib import Path
from queue import Empty
from typing import Any, cast

from kombu.transport import TRANSPORT_ALIASES, filesystem, virtual
from kombu.utils.json import dumps, loads

ALIAS = "laptop"


class Channel(filesystem.Channel):
    """Puts and takes messages; finding queues and exchanges is inherited."""

    def _put(self, queue: str, payload: Any, **_: Any) -> None:
        folder = Path(self.data_folder_out)
        folder.mkdir(parents=True, exist_ok=True)
        name = uuid.uuid4().hex
        aside = folder / f".{name}.part"
        aside.write_text(dumps(payload), encoding="utf-8")
        # The name starts with the time, so that listing in order is first in, first out (also over a restart).
        aside.rename(folder / f"{os.stat(aside).st_mtime_ns:020d}-{name}.{queue}.msg")

    def _get(self, queue: str) -> Any:
        folder, taken = Path(self.data_folder_in), Path(self.processed_folder)
        taken.mkdir(parents=True, exist_ok=True)
        for found in self._waiting(folder, queue):
            mine = taken / found.name
            with contextlib.suppress(FileNotFoundError):  # another worker was faster
                found.rename(mine)
                payload = loads(mine.read_text(encoding="utf-8"))
                mine.unlink()
                return payload
        raise Empty

    def _size(self, queue: str) -> int:
        return len(self._waiting(Path(self.data_folder_in), queue))

    def _purge(self, queue: str) -> int:
        waiting = self._waiting(Path(self.data_folder_in), queue)
        for found in waiting:
            found.unlink(missing_ok=True)
        return len(waiting)

    def _waiting(self, folder: Path, queue: str) -> list[Path]:
        if not folder.is_dir():
            return []
        return sorted(path for path in folder.iterdir() if path.name.partition(".")[2] == f"{queue}.msg")


class Transport(filesystem.Transport):
    """The transport behind `laptop://`."""

    Channel = Channel
    driver_type = ALIAS
    driver_name = "tourney files"
    # The state is the class's in kombu: each transport needs its own, or two transports share their bindings.
    global_state = virtual.BrokerState()

    def __init__(self, client: Any, **options: Any) -> None:
        super().__init__(client, **options)
        folders = cast("dict[str, str]", client.transport_options)
        for key in ("data_folder_in", "control_folder", "processed_folder"):
            Path(folders[key]).mkdir(parents=True, exist_ok=True)


def register() -> None:
    """Make `laptop://` known as a broker address."""
    TRANSPORT_ALIASES[ALIAS] = f"{__name__}:Transport"
