"""Closing a file by a passphrase, piece by piece, so that a large one needs no large memory.

    "TOURNEY-SEALED-1\n" | 16 bytes of salt | 7 bytes of nonce | pieces

The key is scrypt of the passphrase (RFC 7914, n=2^16, r=8, p=1). Each piece of 64 KiB is AES-256-GCM (from
`cryptography`) with the nonce, the piece's number and whether it is the last: pieces can't be changed, exchanged, left
out, nor the end cut off (the STREAM construction of Hoang, Reyhanitabar, Rogaway and Vizár, 2015).
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import IO

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from tourney.kernel.errors import TourneyError

MAGIC = b"TOURNEY-SEALED-1\n"
PIECE = 64 * 1024
_TAG = 16
_SALT = 16
_PREFIX = 7


@dataclass(slots=True)
class Sealer:
    """A file to write into; `close` writes the last piece."""

    raw: IO[bytes]
    cipher: AESGCM
    prefix: bytes
    header: bytes
    number: int = 0
    waiting: bytearray = field(default_factory=bytearray)
    written: int = 0

    def write(self, data: bytes | memoryview) -> int:
        self.waiting += data
        self.written += len(data)
        while len(self.waiting) > PIECE:  # one is kept back: only the last may be short, and it is marked
            self._put(bytes(self.waiting[:PIECE]), last=False)
            del self.waiting[:PIECE]
        return len(data)

    def flush(self) -> None:
        """Nothing: a piece goes when it is full."""

    def close(self) -> None:
        self._put(bytes(self.waiting), last=True)

    def _put(self, piece: bytes, *, last: bool) -> None:
        nonce = _nonce(self.prefix, self.number, last)
        self.raw.write(self.cipher.encrypt(nonce, piece, self.header))
        self.number += 1


@contextmanager
def sealed(raw: IO[bytes], passphrase: str) -> Iterator[Sealer]:
    """Give a file whose contents go into `raw` sealed."""
    salt, prefix = os.urandom(_SALT), os.urandom(_PREFIX)
    header = MAGIC + salt + prefix
    raw.write(header)
    sealer = Sealer(raw, AESGCM(_key(passphrase, salt)), prefix, header)
    yield sealer
    sealer.close()


def sealed_size(size: int) -> int:
    """Return how large a file of `size` bytes is when it is sealed."""
    pieces = max(1, -(-size // PIECE))  # an empty file has one piece too: the last
    return len(MAGIC) + _SALT + _PREFIX + size + pieces * _TAG


def is_sealed(file: IO[bytes]) -> bool:
    """Return whether a file was closed by a passphrase; it stands at its beginning afterwards."""
    file.seek(0)
    found = file.read(len(MAGIC)) == MAGIC
    file.seek(0)
    return found


def unseal(file: IO[bytes], into: IO[bytes], passphrase: str) -> None:
    """Write what is sealed in `file`. TourneyError ``backup.wrong_passphrase`` (also for the first piece damaged),
    ``backup.damaged``.
    """
    header = file.read(len(MAGIC) + _SALT + _PREFIX)
    if len(header) != len(MAGIC) + _SALT + _PREFIX:
        raise TourneyError("backup.damaged", member="")
    salt, prefix = header[len(MAGIC) : len(MAGIC) + _SALT], header[-_PREFIX:]
    cipher, number = AESGCM(_key(passphrase, salt)), 0
    piece = file.read(PIECE + _TAG)
    while True:
        following = file.read(PIECE + _TAG)
        try:
            into.write(cipher.decrypt(_nonce(prefix, number, not following), piece, header))
        except (InvalidTag, ValueError) as error:
            raise (
                TourneyError("backup.damaged", member="") if number else TourneyError("backup.wrong_passphrase")
            ) from error
        if not following:
            return
        piece, number = following, number + 1


def _key(passphrase: str, salt: bytes) -> bytes:
    return Scrypt(salt=salt, length=32, n=2**16, r=8, p=1).derive(passphrase.encode())


def _nonce(prefix: bytes, number: int, last: bool) -> bytes:
    return prefix + struct.pack(">IB", number, last)
