"""How often somebody has knocked: counts that end by themselves and are the same in every process.

Redis counts on a server. Where there is none, or while it does not answer, a table counts: slower, but never without a
count, since these limits guard passwords. Keys are digests, so neither place holds a name or an address.
"""

from __future__ import annotations

import logging
import threading
import time
from datetime import timedelta
from functools import lru_cache

import redis
from django.conf import settings
from django.db import connection
from django.utils import timezone
from django.utils.crypto import salted_hmac
from redis.exceptions import RedisError

from tourney.sign_in.models import Knock

log = logging.getLogger(__name__)

PATIENCE = 0.3  # seconds a request waits for Redis
RESTS = 10.0  # seconds Redis is not asked again after it did not answer
_rest = threading.local()

# Keys known to be full, until when that is believed: in a flood nobody need be asked two hundred times a second.
_full: dict[str, float] = {}
_REMEMBERED = 0.5
_MOST_FULL = 10_000


# Each is one step for Redis: a count without an end would shut the door for good.
_COUNT = """
local number = redis.call('INCR', KEYS[1])
if redis.call('TTL', KEYS[1]) < 0 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
return number
"""
_TAKE_BACK = """
if tonumber(redis.call('GET', KEYS[1]) or '0') > 0 then return redis.call('DECR', KEYS[1]) end
return 0
"""


def key_of(*parts: str) -> str:
    """Return the key of what is counted: a digest nobody can turn back without this installation's secret."""
    return salted_hmac("tourney.knocks", "\n".join(parts), algorithm="sha256").hexdigest()


def count(key: str, seconds: int) -> int:
    """Count once more and return how often since the count began; it ends `seconds` after its first."""
    if _redis_answers():
        try:
            return int(_client(settings.KNOCKS_URL).eval(_COUNT, 1, f"tourney-knock-{key}", seconds))
        except RedisError as error:
            _let_redis_rest(error)
    return _count_in_table(key, seconds)


def full_of(counts: dict[str, int]) -> str:
    """Return a key whose count (its most) is reached, "" when none is; up to half a second old. Counts nothing."""
    now = time.monotonic()
    for key in counts:
        if _full.get(key, 0.0) > now:
            return key
    for key, number in zip(counts, _look(list(counts)), strict=True):
        if number >= counts[key]:
            if len(_full) >= _MOST_FULL:
                _full.clear()
            _full[key] = now + _REMEMBERED
            return key
    return ""


def forget_full() -> None:
    """Believe nothing any more of what was found full."""
    _full.clear()


def _look(keys: list[str]) -> list[int]:
    if _redis_answers():
        try:
            found = _client(settings.KNOCKS_URL).mget([f"tourney-knock-{key}" for key in keys])
            return [int(number or 0) for number in found]
        except RedisError as error:
            _let_redis_rest(error)
    rows = dict(Knock.objects.filter(key__in=keys, ends_at__gte=timezone.now()).values_list("key", "count"))
    return [rows.get(key, 0) for key in keys]


def take_back(key: str) -> None:
    """Count once less: what was counted turned out to be no failure."""
    _full.pop(key, None)
    if _redis_answers():
        try:
            _client(settings.KNOCKS_URL).eval(_TAKE_BACK, 1, f"tourney-knock-{key}")
        except RedisError as error:
            _let_redis_rest(error)
    with connection.cursor() as cursor:
        cursor.execute(f"UPDATE {Knock._meta.db_table} SET count = count - 1 WHERE key = %s AND count > 0", [key])  # noqa: S608


def forget_ended() -> int:
    """Throw away counts that have ended; return how many."""
    return Knock.objects.filter(ends_at__lt=timezone.now()).delete()[0]


def _count_in_table(key: str, seconds: int) -> int:
    now = timezone.now()
    table = Knock._meta.db_table
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {table} AS known (key, count, ends_at) VALUES (%s, 1, %s) "  # noqa: S608 -- a name of ours
            "ON CONFLICT (key) DO UPDATE SET "
            "count = CASE WHEN known.ends_at < %s THEN 1 ELSE known.count + 1 END, "
            "ends_at = CASE WHEN known.ends_at < %s THEN excluded.ends_at ELSE known.ends_at END "
            "RETURNING count",
            [key, now + timedelta(seconds=seconds), now, now],
        )
        return int(cursor.fetchone()[0])


# -- Redis -----------------------------------------------------------------------------------------------------------


@lru_cache
def _client(url: str) -> redis.Redis:
    return redis.Redis.from_url(url, socket_timeout=PATIENCE, socket_connect_timeout=PATIENCE)


def _redis_answers() -> bool:
    return bool(settings.KNOCKS_URL) and time.monotonic() >= getattr(_rest, "until", 0.0)


def _let_redis_rest(error: RedisError) -> None:
    """Ask the table for a while: the requests that come now must not wait one after the other."""
    _rest.until = time.monotonic() + RESTS
    log.warning("Redis does not count sign-ins, the database does: %s", type(error).__name__)
