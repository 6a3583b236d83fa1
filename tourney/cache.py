"""A cache that may be away: pages are computed then, never refused.

The cache only saves work (pages built before, the version a live page is at). When Redis does not answer, reading
finds nothing and writing is skipped; this process then asks it again after `REST_SECONDS`, so that a server that is
away costs neither each page its patience nor the log a line a page.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any

from django.core.cache.backends.redis import RedisCache, RedisCacheClient
from redis.exceptions import RedisError

log = logging.getLogger(__name__)

REST_SECONDS = 1.0


class _OneClient(RedisCacheClient):
    """Django makes a client for every call, which costs more than the call; one serves all threads as well."""

    _made: Any = None

    def get_client(self, key: Any = None, *, write: bool = False) -> Any:
        if self._made is None:
            self._made = super().get_client(key, write=write)
        return self._made


class ForgivingRedisCache(RedisCache):
    """Django's Redis cache, except that an unreachable server counts as an empty one."""

    def __init__(self, server: Any, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self._class = _OneClient

    def add(self, *args: Any, **options: Any) -> bool:
        return bool(_or(False, super().add, *args, **options))

    def get(self, key: str, default: Any = None, version: int | None = None) -> Any:
        return _or(default, super().get, key, default, version)

    def set(self, *args: Any, **options: Any) -> None:
        _or(None, super().set, *args, **options)

    def incr(self, *args: Any, **options: Any) -> int:
        return int(_or(0, super().incr, *args, **options))

    def touch(self, *args: Any, **options: Any) -> bool:
        return bool(_or(False, super().touch, *args, **options))

    def delete(self, *args: Any, **options: Any) -> bool:
        return bool(_or(False, super().delete, *args, **options))

    def get_many(self, *args: Any, **options: Any) -> dict[str, Any]:
        found: dict[str, Any] = _or({}, super().get_many, *args, **options)
        return found

    def has_key(self, *args: Any, **options: Any) -> bool:
        return bool(_or(False, super().has_key, *args, **options))

    def set_many(self, *args: Any, **options: Any) -> list[str]:
        skipped: list[str] = _or([], super().set_many, *args, **options)
        return skipped

    def delete_many(self, *args: Any, **options: Any) -> None:
        _or(None, super().delete_many, *args, **options)


_rests_until = 0.0


def _or(fallback: Any, call: Callable[..., Any], *args: Any, **options: Any) -> Any:
    global _rests_until  # one for the process: whoever finds the server away tells the others
    if time.monotonic() < _rests_until:
        return fallback
    try:
        return call(*args, **options)
    except RedisError as error:
        _rests_until = time.monotonic() + REST_SECONDS
        log.warning("the cache does not answer: %s", error)
        return fallback
