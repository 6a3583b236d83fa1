"""Public beacons: values nobody can know before a named moment and everybody can read after it.

drand quicknet gives a value every three seconds: round r belongs to the moment genesis + 3·(r − 1), and its randomness
is SHA-256 of the round's signature. Here only that hash and the form of the digits are looked at. That the signature
is the network's own (BLS12-381, with the public key of the chain) is not checked, so a value typed in by hand is a
claim until somebody compares it with the round, whose address stands beside it.
"""

from __future__ import annotations

import hashlib
import re
from datetime import UTC, datetime, timedelta
from typing import Final

from tourney.kernel.errors import TourneyError

DRAND_CHAIN: Final = "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971"
DRAND_GENESIS: Final = datetime(2023, 8, 23, 15, 9, 27, tzinfo=UTC)  # Unix time 1692803367
DRAND_PERIOD: Final = 3  # seconds
_RANDOMNESS = re.compile(r"[0-9a-f]{64}")
_SIGNATURE = re.compile(r"[0-9a-f]{96}")


def drand_round(moment: datetime) -> int:
    """Return the first round of drand quicknet that is not known before `moment`."""
    seconds = (moment - DRAND_GENESIS).total_seconds()
    whole = int(seconds // DRAND_PERIOD)
    return whole + 1 + (1 if seconds > whole * DRAND_PERIOD else 0)


def drand_time(number: int) -> datetime:
    """Return the moment at which a round becomes known."""
    return DRAND_GENESIS + timedelta(seconds=DRAND_PERIOD * (number - 1))


def drand_value(text: str) -> str:
    """Return the randomness a round's value names: 64 hexadecimal digits, or the signature it is the hash of (96).

    Raises TourneyError ``lottery.bad_beacon`` for anything else.
    """
    cleaned = "".join(text.split()).lower()
    if _RANDOMNESS.fullmatch(cleaned):
        return cleaned
    if _SIGNATURE.fullmatch(cleaned):
        return hashlib.sha256(bytes.fromhex(cleaned)).hexdigest()
    raise TourneyError("lottery.bad_beacon", value=text[:40])
