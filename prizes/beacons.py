"""Reading the public beacon drand; a hall without a network goes on without it: the arbiter types the value."""

from __future__ import annotations

import hashlib
import json
import logging
import urllib.request
from typing import Any

from prizes.engine.beacon import DRAND_CHAIN
from tourney.kernel.errors import TourneyError

HOSTS = ("https://api.drand.sh", "https://drand.cloudflare.com")
TIMEOUT = 5  # seconds for each host
MOST_BYTES = 10_000
log = logging.getLogger(__name__)


def drand_url(number: int, host: str = HOSTS[0]) -> str:
    """Return where everybody can read a round."""
    return f"{host}/{DRAND_CHAIN}/public/{number}"


def fetch_drand(number: int) -> tuple[str, str]:
    """Return the randomness of a round and the address it was read at; OSError when no host answers as it should."""
    for host in HOSTS:
        url = drand_url(number, host)
        try:
            with urllib.request.urlopen(url, timeout=TIMEOUT) as answer:  # noqa: S310 -- a fixed https address
                return _checked(json.loads(answer.read(MOST_BYTES)), number), url
        except (OSError, ValueError, TourneyError) as error:
            log.warning("%s did not give round %s: %s", host, number, error)
    raise OSError(f"no host of drand gave round {number}")


def _checked(told: Any, number: int) -> str:
    if not isinstance(told, dict) or told.get("round") != number:
        raise ValueError("not the round that was asked for")
    signature, randomness = str(told.get("signature", "")), str(told.get("randomness", ""))
    if hashlib.sha256(bytes.fromhex(signature)).hexdigest() != randomness:
        raise ValueError("the randomness is not the hash of the signature")
    return randomness
