"""Reading an address an organizer has named, without becoming a way into the network this server stands in.

Only http and https; the name is resolved once and the connection goes to that very address, which must be a public one
(`LIVE_PRIVATE_ADDRESSES` lets the laptop in a hall ask a board computer beside it). Every redirect is checked the same
way. The answer has a limit of bytes and of time.
"""

from __future__ import annotations

import http.client
import ipaddress
import socket
import ssl
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from urllib.parse import SplitResult, urljoin, urlsplit

from tourney.kernel.errors import TourneyError

LIMIT = 2_000_000  # bytes
TIMEOUT = 5.0  # seconds, for all of it
REDIRECTS = 3
PORTS = frozenset({80, 443, 8080, 8443})  # of public addresses

_TRANSLATED = tuple(ipaddress.ip_network(net) for net in ("64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32"))


@dataclass(frozen=True, slots=True)
class Fetched:
    """An answer; `content` is None when nothing has changed since the marks that were sent."""

    content: bytes | None
    etag: str = ""
    modified: str = ""


def check_address(url: str, *, private: bool) -> SplitResult:
    """Return the parts of an address (``outside.bad_address``, ``outside.not_public``); nothing is asked for."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise TourneyError("outside.bad_address") from None
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.password:
        raise TourneyError("outside.bad_address")
    if any(letter <= " " or letter == "\x7f" for letter in url):
        raise TourneyError("outside.bad_address")
    if not private and port is not None and port not in PORTS:
        raise TourneyError("outside.not_public", host=parts.hostname)
    return parts


def fetch(url: str, *, etag: str = "", modified: str = "", private: bool = False) -> Fetched:
    """Return what an address answers.

    Refusals: ``outside.bad_address``, ``outside.not_public``, ``outside.no_answer``, ``outside.status``,
    ``outside.too_large``.
    """
    ends = time.monotonic() + TIMEOUT
    known = {"If-None-Match": etag, "If-Modified-Since": modified}
    headers = {"Accept-Encoding": "identity", "User-Agent": "Tourney", **{k: v for k, v in known.items() if v}}
    for _ in range(REDIRECTS + 1):
        parts = check_address(url, private=private)
        connection = _connection(parts, private=private, ends=ends)
        # A head that comes letter by letter never meets the limit of one wait: what is left of all the time does.
        limit = threading.Timer(max(0.1, ends - time.monotonic()), _hang_up, [connection])
        limit.start()
        try:
            target = f"{parts.path or '/'}{'?' + parts.query if parts.query else ''}"
            connection.request("GET", target, headers=headers)
            with connection.getresponse() as answer:
                if answer.status == 304:
                    return Fetched(None, etag, modified)
                if answer.status in (301, 302, 303, 307, 308):
                    url = urljoin(url, answer.headers.get("Location", ""))
                    continue
                if answer.status != 200:
                    raise TourneyError("outside.status", status=answer.status)
                marks = answer.headers
                return Fetched(_read(answer, ends), marks.get("ETag", "")[:200], marks.get("Last-Modified", "")[:80])
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise TourneyError("outside.no_answer", host=parts.hostname) from error
        finally:
            limit.cancel()
            connection.close()
    raise TourneyError("outside.no_answer", host=urlsplit(url).hostname)


def _hang_up(connection: http.client.HTTPConnection) -> None:
    """End a conversation whose time is over; whoever waits for a word gets none."""
    talk = connection.sock
    with suppress(OSError):
        if talk is not None:
            talk.shutdown(socket.SHUT_RDWR)


def _read(answer: http.client.HTTPResponse, ends: float) -> bytes:
    pieces, size = [], 0
    while piece := answer.read1(65_536):
        size += len(piece)
        if size > LIMIT:
            raise TourneyError("outside.too_large", limit=LIMIT // 1_000_000)
        if time.monotonic() > ends:
            raise TimeoutError
        pieces.append(piece)
    return b"".join(pieces)


def _connection(parts: SplitResult, *, private: bool, ends: float) -> http.client.HTTPConnection:
    host = parts.hostname or ""
    secure = parts.scheme == "https"
    port = parts.port or (443 if secure else 80)
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise TourneyError("outside.no_answer", host=host) from error
    addresses = [str(one[4][0]) for one in found]
    if not addresses or not all(may_ask(address, private=private) for address in addresses):
        raise TourneyError("outside.not_public", host=host)
    left = max(0.1, ends - time.monotonic())
    make = (
        partial(http.client.HTTPSConnection, context=ssl.create_default_context())
        if secure
        else (http.client.HTTPConnection)
    )
    connection = make(host, port, timeout=left)
    # The name was resolved above; asking again could give another address than the one that was checked.
    connection._create_connection = lambda _address, *rest, **more: socket.create_connection(  # type: ignore[attr-defined]
        (addresses[0], port), *rest, **more
    )
    return connection


def may_ask(address: str, *, private: bool) -> bool:
    """Return whether an IP address may be asked. Never: link-local ones, where clouds keep their secrets."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        if ip.ipv4_mapped is not None:
            return may_ask(str(ip.ipv4_mapped), private=private)
        if any(ip in net for net in _TRANSLATED):
            return False
    if ip.is_link_local or ip.is_multicast or ip.is_unspecified or ip.is_reserved:
        return False
    return ip.is_global or (private and (ip.is_private or ip.is_loopback))
