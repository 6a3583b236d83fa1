"""How often strangers may knock: a count per address in the cache, before any work is done.

A hall shares one address, so the limits are wide for a queue of parents and narrow for a program. Without a cache
nobody is refused: these limits spare the server, they guard no secret.
"""

from __future__ import annotations

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest

# What -> (how many, in how many seconds).
LIMITS = {
    "find": (120, 60),  # searches in the rating lists
    "fee": (300, 60),  # the fee beside the form
    "send": (300, 600),  # entries sent
    "table": (10, 600),  # tables of a trainer
    "document": (30, 600),
}


def address_of(request: HttpRequest) -> str:
    """Return the visitor's address: as the last of our own proxies saw it, never as the visitor says."""
    forwarded = [part.strip() for part in request.headers.get("X-Forwarded-For", "").split(",") if part.strip()]
    proxies = settings.TRUSTED_PROXIES
    if proxies and len(forwarded) >= proxies:
        return forwarded[-proxies]
    return str(request.META.get("REMOTE_ADDR", ""))


def allows(request: HttpRequest, what: str) -> bool:
    """Count a knock; return False when there were too many."""
    most, seconds = LIMITS[what]
    key = f"knock-{what}-{address_of(request)}"
    if cache.add(key, 1, seconds):
        return True
    try:
        return cache.incr(key) <= most
    except ValueError:  # it ran out in this moment
        return True
