"""Asking an address somebody has named: public ones only, by their number, within limits."""

from __future__ import annotations

import contextlib
import http.server
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tourney import outside
from tourney.kernel.errors import TourneyError


class Answers(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.headers.get("If-None-Match") == '"a"':
            self.send_response(304)
            self.end_headers()
        elif self.path == "/away":
            self.send_response(302)
            self.send_header("Location", "http://169.254.169.254/latest/")
            self.end_headers()
        elif self.path == "/large":
            self.send_response(200)
            self.end_headers()
            with contextlib.suppress(ConnectionError):  # who asks goes away when it has enough
                for _ in range(40):
                    self.wfile.write(b"x" * 100_000)
        elif self.path == "/slow":
            with contextlib.suppress(OSError):
                for _ in range(100):
                    self.wfile.write(b"H")
                    time.sleep(0.05)
        elif self.path == "/":
            self.send_response(200)
            self.send_header("ETag", '"a"')
            self.send_header("Last-Modified", "Mon, 30 Nov 2026 09:00:00 GMT")
            self.end_headers()
            self.wfile.write(b"1. e4 *")
        else:
            self.send_error(404)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_address[1]}"
        running.shutdown()


def code(url: str, *, private: bool = False) -> str:
    with pytest.raises(TourneyError) as refused:
        outside.fetch(url, private=private)
    return refused.value.code


def test_an_answer_comes_once_and_then_nothing_new(server: str) -> None:
    first = outside.fetch(server, private=True)
    assert first == outside.Fetched(b"1. e4 *", '"a"', "Mon, 30 Nov 2026 09:00:00 GMT")
    assert outside.fetch(server, etag=first.etag, private=True).content is None


def test_what_goes_wrong_has_a_name(server: str) -> None:
    assert code(f"{server}/missing", private=True) == "outside.status"
    assert code(f"{server}/large", private=True) == "outside.too_large"
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        assert code(f"http://127.0.0.1:{closed.getsockname()[1]}/", private=True) == "outside.no_answer"


def test_a_head_that_comes_letter_by_letter_is_not_waited_for(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outside, "TIMEOUT", 0.3)
    began = time.monotonic()
    assert code(f"{server}/slow", private=True) == "outside.no_answer"
    assert time.monotonic() - began < 2


def test_the_own_network_is_not_asked(server: str) -> None:
    port = server.rpartition(":")[2]
    assert code(server) == "outside.not_public"
    for host in ("127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "10.1.2.3", "0.0.0.0", "2130706433"):
        assert code(f"http://{host}/") == "outside.not_public", host
    assert code(f"http://127.0.0.1:{port}@example.org/") == "outside.bad_address"


def test_a_redirect_leads_nowhere_a_link_may_not(server: str) -> None:
    assert code(f"{server}/away", private=True) == "outside.not_public"


@pytest.mark.parametrize(
    "url",
    ["", "ftp://example.org/", "file:///etc/passwd", "http://", "http://a b/", "http://x:99999/", "//example.org"],
)
def test_other_addresses_are_none(url: str) -> None:
    assert code(url) == "outside.bad_address"


@pytest.mark.parametrize(
    ("address", "public", "private"),
    [
        ("93.184.216.34", True, True),
        ("2606:2800:220:1::1", True, True),
        ("192.168.1.5", False, True),
        ("fd00::1", False, True),
        ("100.64.0.1", False, False),
        ("169.254.169.254", False, False),
        ("fe80::1%eth0", False, False),
        ("64:ff9b::a00:1", False, False),
        ("2002:a00:1::", False, False),
        ("224.0.0.1", False, False),
        ("255.255.255.255", False, False),
    ],
)
def test_which_numbers_may_be_asked(address: str, public: bool, private: bool) -> None:
    assert (outside.may_ask(address, private=False), outside.may_ask(address, private=True)) == (public, private)
