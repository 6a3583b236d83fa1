"""An archive that is sent while it is written: a large one begins to arrive at once, and nobody on the way gives up.

A thread of its own writes into a file without a name, as fast as the disk takes it, and the visitor gets what is there,
as fast as the network takes it: a slow download holds no transaction open. A download that ends early is refused where
it is brought, because a box says at its end what must be in it.
"""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Callable, Generator, Iterator
from typing import Any

from django.db import connection, connections

_PIECE = 1 << 18


class _GivenUp(Exception):
    """The visitor has left: nobody waits for the rest."""


class Spool:
    """What one thread writes and another reads as it grows. It can only be written to, from beginning to end."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 -- closed by whoever is done last
        self._changed = threading.Condition()
        self._written = 0
        self._is_whole = self._is_left = False
        self._error: BaseException | None = None

    def write(self, piece: bytes | memoryview) -> int:
        with self._changed:
            if self._is_left:
                raise _GivenUp
            number = os.pwrite(self._file.fileno(), piece, self._written)
            self._written += number
            self._changed.notify()
            return number

    def flush(self) -> None:
        """Nothing: what is written is there."""

    def fill(self, write: Callable[[Spool], Any]) -> None:
        """Let something be written; what goes wrong is the reader's to tell."""
        try:
            write(self)
        except _GivenUp:
            pass
        except BaseException as error:  # noqa: BLE001 -- raised where the visitor is answered
            self._error = error
        with self._changed:
            self._is_whole = True
            self._changed.notify()
            if self._is_left:
                self._file.close()

    def pieces(self) -> Generator[bytes]:
        """Give what is written, until it is whole. What the writer raised is raised here: the answer breaks off."""
        position = 0
        try:
            while True:
                with self._changed:
                    while position == self._written and not self._is_whole:
                        self._changed.wait()
                    until, is_whole = self._written, self._is_whole
                while position < until:
                    piece = os.pread(self._file.fileno(), min(_PIECE, until - position), position)
                    position += len(piece)
                    yield piece
                if is_whole:
                    if self._error is not None:
                        raise self._error
                    return
        finally:
            with self._changed:
                self._is_left = True
                if self._is_whole:
                    self._file.close()


def as_it_is_written(write: Callable[[Spool], Any]) -> Iterator[bytes]:
    """Begin to write, and give it piece by piece. What goes wrong before the first one is raised at once."""
    spool = Spool()
    if connection.in_atomic_block:  # nobody else sees what this transaction sees
        spool.fill(write)
    else:
        threading.Thread(target=_beside, args=(spool, write), name="archive", daemon=True).start()
    return _Begun(spool.pieces())


class _Begun(Iterator[bytes]):
    """Pieces of which the first has come. Closed, as a visitor's answer is who leaves, it ends the writing."""

    def __init__(self, pieces: Generator[bytes]) -> None:
        self._pieces = pieces
        self._first: bytes | None = next(pieces, b"")

    def __next__(self) -> bytes:
        first, self._first = self._first, None
        return next(self._pieces) if first is None else first

    def close(self) -> None:
        self._pieces.close()


def _beside(spool: Spool, write: Callable[[Spool], Any]) -> None:
    try:
        spool.fill(write)
    finally:
        connections.close_all()
