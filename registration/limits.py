"""How often strangers may knock: a count per address in the cache, before any work is done.

A hall shares one address, so the limits are wide for a queue of parents and narrow for a program. Without a cache
nobody is refused: these limits spare the server, they guard no secret.
"""

from __future__ import annotations

from django.core.cache import cache
from django.http import HttpRequest

from tourney.addresses import address_of, network_of

__all__ = ["LIMITS", "address_of", "allows"]

# What -> (how many, in how many seconds).
LIMITS = {
    "find": (120, 60),  # searches in the rating lists
    "fee": (300, 60),  # the fee beside the form
    "send": (300, 600),  # entries sent
    "table": (10, 600),  # tables of a trainer
    "document": (30, 600),
}


def allows(request: HttpRequest, what: str) -> bool:
    """Count a knock; return False when there were too many."""
    most, seconds = LIMITS[what]
    key = f"knock-{what}-{network_of(request).replace('/', '-')}"
    if cache.add(key, 1, seconds):
        return True
    try:
        return cache.incr(key) <= most
    except ValueError:  # it ran out in this moment
        return True
