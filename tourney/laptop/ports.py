"""A free port: the one asked for, else one of the next, else any."""

from __future__ import annotations

import contextlib
import socket

TRIES = 20


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens on `host`, on `port` if that is free.

    The socket itself is handed to the web server, so nobody can take the port in between.
    """
    for candidate in [*range(port, min(port + TRIES, 65_536)), 0]:
        with contextlib.suppress(OSError):
            return _listen(host, candidate)
    raise OSError(f"no port is free on {host}")


def addresses() -> list[str]:
    """Return this machine's addresses in its local network (for `--lan`), most likely one first."""
    found = []
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # a documentation address: nothing is sent, the system only picks a way out
        found.append(probe.getsockname()[0])
    with contextlib.suppress(OSError):
        found += [str(info[4][0]) for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)]
    return [address for address in dict.fromkeys(found) if not address.startswith("127.")]


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    server = socket.socket(family, socket.SOCK_STREAM)
    try:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind((host, port))
        server.listen(256)
    except OSError:
        server.close()
        raise
    return server
