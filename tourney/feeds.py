"""What boards write: files in an event's folder below the configured root, or an address that is polled.

A reading is a text as it was at one moment, perhaps half written; `settled`: nobody has touched it for a while.
"""

from __future__ import annotations

import os
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from django.conf import settings

from tourney import outside
from tourney.kernel.errors import TourneyError
from tourney.kernel.trf.decoding import decode
from tourney.live_boards import SETTLED, without_torn_end
from tourney.pgn import ReadGame, read_chunk
from tourney.pgn_text import chunks

MOST_FILES = 300
MOST_GAMES = 500  # of a reading


@dataclass(frozen=True, slots=True)
class Reading:
    name: str
    text: str
    settled: bool


def folder_of(event: str, place: str) -> Path:
    """Return a watched folder: an event's boards write below a folder with its name, and nobody names another event's.

    The event's own folder (`place` ".") is made when it isn't there. Refusals: ``feed.no_root``, ``feed.outside_root``,
    ``feed.no_folder``.
    """
    if not settings.BOARD_FOLDERS:
        raise TourneyError("feed.no_root")
    root = Path(settings.BOARD_FOLDERS).resolve()
    named = f"{event}/{place}".removesuffix("/.")
    try:
        root.mkdir(exist_ok=True)
        own = root / event
        own.mkdir(exist_ok=True)
        own = own.resolve()
        folder = (own / place).resolve()
        is_there = folder.is_dir()
    except (OSError, ValueError):
        raise TourneyError("feed.no_folder", place=named) from None
    if own.parent != root or not folder.is_relative_to(own):
        raise TourneyError("feed.outside_root")
    if not is_there:
        raise TourneyError("feed.no_folder", place=named)
    return folder


@dataclass(slots=True)
class FolderSource:
    """The game files of a folder, each read when it has changed, and once more when it is settled."""

    event: str
    place: str
    _seen: dict[str, tuple[int, int]] = field(default_factory=dict)
    _unsettled: set[str] = field(default_factory=set)

    def readings(self, now: float) -> list[Reading]:
        """Return what has changed (refusals as `folder_of`, and ``outside.too_large``)."""
        folder = folder_of(self.event, self.place)
        found = []
        too_large = False
        for name, stat in self._files(folder):
            mark = (stat.st_mtime_ns, stat.st_size)
            settled = now - stat.st_mtime >= SETTLED
            if self._seen.get(name) == mark and not (settled and name in self._unsettled):
                continue
            if stat.st_size > outside.LIMIT:
                too_large = True
                continue
            try:
                content = (folder / name).read_bytes()
            except OSError:  # being replaced at this moment: the next look finds it
                continue
            self._seen[name] = mark
            (self._unsettled.discard if settled else self._unsettled.add)(name)
            found.append(Reading(name, decode(content)[0], settled))
        if too_large and not found:
            raise TourneyError("outside.too_large", limit=outside.LIMIT // 1_000_000)
        return found

    def _files(self, folder: Path) -> list[tuple[str, os.stat_result]]:
        try:
            with os.scandir(folder) as entries:
                files = [
                    (entry.name, entry.stat(follow_symlinks=False))
                    for entry in entries
                    if entry.name.lower().endswith(".pgn") and entry.is_file(follow_symlinks=False)
                ]
        except OSError:
            return []
        return sorted(files, key=lambda file: file[1].st_mtime_ns)[-MOST_FILES:]


@dataclass(slots=True)
class AddressSource:
    """An address, asked beside everything else so that a slow one keeps nobody waiting."""

    url: str
    seconds: int
    etag: str = ""
    modified: str = ""
    _due: float = 0.0
    _asked: Future[outside.Fetched] | None = None
    _last: bytes = b""

    def readings(self, now: float) -> list[Reading]:
        """Return what the last answer brought, if it is there (refusals as `outside.fetch`)."""
        if self._asked is None:
            if now >= self._due:
                self._due = now + self.seconds
                self._asked = _pool().submit(
                    outside.fetch,
                    self.url,
                    etag=self.etag,
                    modified=self.modified,
                    private=settings.LIVE_PRIVATE_ADDRESSES,
                )
            return []
        if not self._asked.done():
            return []
        asked, self._asked = self._asked, None
        answer = asked.result()
        self.etag, self.modified = answer.etag, answer.modified
        if answer.content is None or answer.content == self._last:
            return []
        self._last = answer.content
        return [Reading("", decode(answer.content)[0], settled=True)]


Source = FolderSource | AddressSource
_pools: list[ThreadPoolExecutor] = []


def _pool() -> ThreadPoolExecutor:
    if not _pools:
        _pools.append(ThreadPoolExecutor(4, thread_name_prefix="boards"))
    return _pools[0]


class ChangedGames:
    """Takes the games out of readings that were not in the one before: a file of 64 boards changes by one move."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, int], int] = {}
        self.games: dict[str, int] = {}

    def of(self, reading: Reading) -> list[ReadGame]:
        text = reading.text if reading.settled else without_torn_end(reading.text)
        found = []
        number = 0
        for number, chunk in enumerate(chunks(text), 1):
            if number > MOST_GAMES:
                break
            mark = hash((reading.settled, *chunk.tags.items(), *(line for _, line in chunk.moves)))
            if self._seen.get((reading.name, number)) != mark:
                self._seen[reading.name, number] = mark
                found.append(read_chunk(number, chunk))
        self.games[reading.name] = number
        return found
