"""Typed readers of environment variables, so that a wrong value is an error at start and not a surprise at noon.

Every reader takes the name and a default. An empty value counts as unset. A value that can't be read raises
`ImproperlyConfigured` with the name of the variable.
"""

from __future__ import annotations

import ipaddress
import os
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

_TRUE = {"1", "true", "yes", "on"}
_FALSE = {"0", "false", "no", "off"}


def text(name: str, default: str = "") -> str:
    """Return the variable's text."""
    return os.environ.get(name, "").strip() or default


def required(name: str, why: str) -> str:
    """Return the variable's text, or refuse to start."""
    value = text(name)
    if not value:
        raise ImproperlyConfigured(f"{name} is not set: {why}")
    return value


def flag(name: str, default: bool = False) -> bool:
    """Return a yes or no (1/0, true/false, yes/no, on/off)."""
    value = text(name).lower()
    if not value:
        return default
    if value not in _TRUE | _FALSE:
        raise ImproperlyConfigured(f"{name}={value!r}: write yes or no")
    return value in _TRUE


def number(name: str, default: int) -> int:
    """Return a whole number, zero or more."""
    value = text(name)
    if not value:
        return default
    if not value.isdecimal():
        raise ImproperlyConfigured(f"{name}={value!r}: write a whole number")
    return int(value)


def words(name: str, default: tuple[str, ...] = ()) -> list[str]:
    """Return a list written with commas or blanks between."""
    return text(name).replace(",", " ").split() or list(default)


def networks(name: str) -> list[str]:
    """Return a list of networks, as in `10.0.0.0/8`; a single address is one too."""
    found = words(name)
    for one in found:
        try:
            ipaddress.ip_network(one)
        except ValueError as error:
            raise ImproperlyConfigured(
                f"{name}={one!r}: {_better(one) or 'write a network, as in 10.0.0.0/8'}"
            ) from error
    return found


def _better(network: str) -> str:
    """Return what was probably meant by a network that has bits of a host set."""
    try:
        return f"did you mean {ipaddress.ip_network(network, strict=False)}?"
    except ValueError:
        return ""


def folder(name: str, default: Path) -> Path:
    """Return an absolute folder path."""
    value = text(name)
    return Path(value).expanduser().resolve() if value else default


def folders(name: str, default: tuple[Path, ...] = ()) -> list[Path]:
    """Return absolute folder paths, written as in PATH (`/one:/another`)."""
    return [Path(one).expanduser().resolve() for one in text(name).split(os.pathsep) if one] or list(default)


def database(url: str) -> dict[str, Any]:
    """Return Django's settings for a `postgres://user:password@host:port/name?option=value` address.

    `?host=/folder` names a socket folder, as PostgreSQL's own tools read it. Only PostgreSQL is served: one dialect,
    one set of constraints, one thing to test.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("postgres", "postgresql"):
        raise ImproperlyConfigured("DATABASE_URL: only postgres:// addresses are served")
    options = dict(parse_qsl(parts.query))
    name = unquote(parts.path.lstrip("/"))
    if not name:
        raise ImproperlyConfigured("DATABASE_URL: the name of the database is missing")
    try:
        port = parts.port
    except ValueError as error:
        raise ImproperlyConfigured("DATABASE_URL: the port is not a number") from error
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": name,
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": options.pop("host", None) or unquote(parts.hostname or ""),
        "PORT": options.pop("port", None) or str(port or ""),
        "OPTIONS": options,
    }
