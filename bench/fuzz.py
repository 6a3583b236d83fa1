"""Requests at random, to every address, by everybody: no server error, nothing that hangs, nothing private in public.

    python bench/fuzz.py [--requests 10000] [--seed 1] [--seeds 1] [--slow 10] [--tally FILE]
    python bench/fuzz.py --sum FILE

In process, on the test database of its own (`DATABASE_URL` or the embedded server), with the events of
`tourney.tests.world`: rounds, a knockout in play, prizes, planted personal data. A request is made of an address of the
program, with what stands in it kept, mangled or another event's; a method; fields a page of that address has, or any;
values that are right, empty, huge, foreign, of another type, in other scripts, or hostile; files that are none; headers
that lie. Each is taken back after it. Every fault is printed with the seed and number that repeat it (`--only N`).

A long run can be made in pieces: `--seeds 5` goes on with the next seeds, `--tally` adds a line for each to a file, and
`--sum` tells what all of them say together.
"""

# ruff: noqa: E501, PLC0415, S311, T201 -- a script: settings first, chance is what it is made of
from __future__ import annotations

import argparse
import gc
import json
import os
import random
import signal
import sys
import time
import warnings
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ["DJANGO_SETTINGS_MODULE"] = "tourney.testing.settings"

HOSTILE = (
    "", " ", "0", "-1", "1", "2", "99999999999999999999", "1e309", "NaN", "٣", "½", "²", "true", "null", "[]", "{}",
    "<script>alert(1)</script>", "\"'><img src=x onerror=alert(1)>", "{{ 7*7 }}", "{x.__class__.__init__}", "%s%d%n",
    "=HYPERLINK(\"http://evil\")", "'; DROP TABLE tourney_entry; --", "../../../../etc/passwd", "javascript:alert(1)",
    "//evil.example", "http://169.254.169.254/", "a" * 5000, "я" * 300, "\U0001f47e" * 50, "\u202eabc", "\x00x", "\ud7ff",
    "2027-02-30", "0000-00-00", "9999-12-31", "2027-01-25T25:61", "1.5", "1,5", "1-0", "1/2", "+-", "\r\nSet-Cookie: a=b",
    "Ŕ́̂̃", "somebody@birds.example", "00000000-0000-0000-0000-000000000000", "a\tb", "on", "uk", "xx",
)  # fmt: skip
FILES = (
    b"", b"%PDF-1.4\n%%EOF", b"PK\x03\x04" + b"\0" * 40, b"\xff\xd8\xff\xe0" + b"\0" * 60, b"\x89PNG\r\n\x1a\n" + b"\0" * 30,
    "Дата;Сума\n2027-01-01;5".encode("cp1251"), b"<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>",
    b"[Event \"x\"]\n\n1. e4 e5 {" + b"(" * 500, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, b"012 XXR\n001    1\n",
    "name,year\n=1+1,2010\n".encode("utf-16"), b"a,b\n" + b"\"" * 999,
)  # fmt: skip
LONG = {"load_demo"}  # plays three events, a minute here: asked for by a button that says so
HEADERS = (
    {}, {}, {}, {}, {"HX-Request": "true"}, {"If-None-Match": '"x"'}, {"If-None-Match": "\""}, {"Accept": "application/json"},
    {"X-Forwarded-For": "1, 2, x"}, {"Accept-Language": "xx;q=9"}, {"Referer": "http://evil.example/"},
    {"X-Requested-With": "XMLHttpRequest"}, {"Range": "bytes=0-1"}, {"User-Agent": "\u00e9" * 400},
)  # fmt: skip


class Hangs(BaseException):
    """A request that gets no answer; the run ends with it."""


def _hangs(*_: Any) -> None:
    raise Hangs


class Fuzz:
    """A world, its people, and what has been found so far."""

    def __init__(self, seed: int, slow: float) -> None:
        from django.test import Client

        from tourney.devices import COOKIE
        from tourney.tests import world as worlds

        self.seed, self.slow = seed, slow
        self.own, self.other = worlds.build("own"), worlds.build("other")
        self.addresses = [address for address in worlds.addresses() if address.page not in LONG]
        self.canaries = worlds.CANARIES
        self.table, self.sends = self._table()
        people = {"nobody": None, "stranger": worlds.builders.user("a-stranger"), **self.own.people}
        self.clients: dict[str, Any] = {}
        for name, user in people.items():
            client = Client(raise_request_exception=False)
            if user is not None:
                client.force_login(user)
            self.clients[name] = client
        self.clients["tablet"] = Client(raise_request_exception=False)
        self.clients["tablet"].cookies[COOKIE] = worlds.DEVICE_SECRET
        self.cookies = {name: client.cookies.copy() for name, client in self.clients.items()}
        self.fields = self._fields()
        self.answers: Counter[int] = Counter()
        self.reached: set[str] = set()
        self.faults: dict[str, str] = {}

    @staticmethod
    def _table() -> tuple[dict[str, str], dict[str, str]]:
        """Return who may open each page, and who may send to it."""
        lines = (ROOT / "tourney/tests/data/permissions.txt").read_text().splitlines()
        rows = [line.split() for line in lines if line[:1] not in ("", "#")]
        return {row[0]: row[1] for row in rows}, {row[0]: row[2] for row in rows}

    def _fields(self) -> dict[str, list[dict[str, Any]]]:
        """Return what the forms of the program send, by address: read from the pages of everybody."""
        from django.urls import Resolver404, resolve, reverse

        from tourney.testing.pages import forms_of

        found: dict[str, list[dict[str, Any]]] = {}
        for address in self.addresses:
            url = reverse(address.name, kwargs=self.own.kwargs(address.page, address.wanted))
            for who in ("organizer", "tablet", "nobody"):
                answer = self.clients[who].get(url)
                if answer.status_code != 200 or not answer.get("Content-Type", "").startswith("text/html"):
                    continue
                for form in forms_of(answer.content.decode()):
                    try:
                        target = resolve(urljoin(url, form.action).partition("#")[0].partition("?")[0]).url_name
                    except Resolver404:
                        continue
                    for name, value in form.buttons or [("", "")]:
                        data = dict.fromkeys(form.names, "") | form.data({}) | ({name: value} if name else {})
                        found.setdefault(str(target), []).append({key: one for key, one in data.items() if key})
        return found

    # -- one request -------------------------------------------------------------------------------------------------

    def ask(self, number: int) -> None:
        from django.db import transaction

        chance = random.Random(f"{self.seed}-{number}")
        address = chance.choice(self.addresses)
        who = "organizer" if chance.random() < 0.25 else chance.choice(list(self.clients))
        client = self.clients[who]
        client.cookies.clear()
        client.cookies.update(self.cookies[who])
        url = self._url(address, chance)
        method, data, headers = self._sent(address, chance)
        told = f"{who} {method} {url[:200]} {str(data)[:300]} {headers}"
        started = time.perf_counter()
        signal.alarm(int(self.slow * 6))
        try:
            with transaction.atomic():
                answer = getattr(client, method)(url, data, headers=headers)
                content = answer.getvalue() if answer.streaming else answer.content
                transaction.set_rollback(True)
        except Hangs:
            self._fault("hangs", address.page, number, told)
            raise
        except Exception as error:  # noqa: BLE001 -- whatever it is, it is what is looked for
            self._fault(f"raises {type(error).__name__}: {str(error)[:150]}", address.page, number, told)
            return
        finally:
            signal.alarm(0)
        seconds = time.perf_counter() - started
        self.answers[answer.status_code] += 1
        self.reached.add(address.page)
        if answer.status_code >= 500 and answer.status_code != 503:
            error = answer.exc_info[1] if getattr(answer, "exc_info", None) else ""
            self._fault(
                f"answers {answer.status_code}: {type(error).__name__}: {str(error)[:150]}", address.page, number, told
            )
        if seconds > self.slow:
            self._fault(f"takes {seconds:.1f} s", address.page, number, told)
        if who in ("nobody", "stranger") and self.table.get(address.page) != "token":
            text = content.decode(errors="replace")
            for name, words in self.canaries.items():
                if words in text and words not in str(data) and words not in url:
                    self._fault(f"tells {name}", address.page, number, told)

    def _url(self, address: Any, chance: random.Random) -> str:
        from urllib.parse import quote

        from django.urls import NoReverseMatch, reverse

        world = self.own if chance.random() < 0.9 else self.other
        kwargs = world.kwargs(address.page, address.wanted)
        for key in list(kwargs):
            dice = chance.random()
            if dice < 0.06:
                kwargs[key] = self.other.kwargs(address.page, address.wanted)[key]
            elif dice < 0.14:
                kwargs[key] = chance.choice(
                    (0, 1, 7, 10**15, 2**63, 10**40, "x", "1", "u11-boys", "main", "U1.2", "L9")
                )
        try:
            url = reverse(address.name, kwargs=kwargs)
        except NoReverseMatch:
            url = reverse(address.name, kwargs=world.kwargs(address.page, address.wanted))
        if chance.random() < 0.05:
            at = chance.randrange(len(url))
            url = url[:at] + quote(chance.choice(HOSTILE)[:60], safe="") + url[at:]
        if chance.random() < 0.35:
            words = (
                "q",
                "page",
                "order",
                "by",
                "part",
                "step",
                "next",
                "show",
                "a",
                "b",
                "lang",
                "round",
                "section",
                "at",
                "from",
            )
            asked = [
                f"{chance.choice(words)}={quote(self._value(chance)[:800], safe='')}"
                for _ in range(chance.randint(1, 3))
            ]
            url += "?" + "&".join(asked)
        return url

    def _sent(self, address: Any, chance: random.Random) -> tuple[str, dict[str, Any], dict[str, str]]:
        headers = dict(chance.choice(HEADERS))
        known = self.fields.get(address.name)
        if chance.random() < 0.03:
            return chance.choice(("put", "patch", "delete", "options", "head", "get")), {}, headers
        reads, sends = self.table.get(address.page) != "-", self.sends.get(address.page) != "-"
        if (reads and chance.random() < (0.35 if known else 0.5)) or (not sends and chance.random() < 0.95):
            return "get", {}, headers
        data = dict(chance.choice(known)) if known else {}
        for name in list(data):
            mangle = chance.random()
            if mangle < 0.12:
                data[name] = self._value(chance)
            elif mangle < 0.16:
                del data[name]
            elif mangle < 0.18:
                data[name] = [self._value(chance), self._value(chance)]
        if chance.random() < 0.25:
            data[chance.choice(("act", "entry", "pk", "id", "section", "amount", "file", "photo", "operation"))] = (
                self._value(chance)
            )
        if chance.random() < 0.12:
            from django.core.files.uploadedfile import SimpleUploadedFile

            content, name = (
                chance.choice(FILES),
                chance.choice(("a.csv", "a.xlsx", "..\\a.pgn", "a.jpg", "я" * 90, "a.zip")),
            )
            data[chance.choice([*data, "file", "photo", "picture"])] = SimpleUploadedFile(name, content)
        return "post", {name: "" if value is None else value for name, value in data.items()}, headers

    def _value(self, chance: random.Random) -> str:
        dice = chance.random()
        if dice < 0.7:
            return chance.choice(HOSTILE)
        if dice < 0.85:
            return str(chance.choice((self.own, self.other)).objects["entry"])
        return "".join(
            chr(chance.choice((chance.randrange(32, 127), chance.randrange(0x400, 0x460)))) for _ in range(12)
        )

    def _fault(self, what: str, page: str, number: int, told: str) -> None:
        key = f"{page}: {what}"
        if key not in self.faults:
            self.faults[key] = told
            print(f"FAULT seed {self.seed} number {number}: {key}\n      {told}", flush=True)


def run(asked: argparse.Namespace) -> list[dict[str, Any]]:
    """Ask what is to be asked, of one world; return what each seed has found."""
    from django.core.cache import cache

    fuzz, pieces = Fuzz(asked.seed, asked.slow), []
    signal.signal(signal.SIGALRM, _hangs)
    gc.collect()
    gc.freeze()  # the world stays: it need not be looked through again and again
    gc.set_threshold(50_000, 20, 20)
    for seed in range(asked.seed, asked.seed + asked.seeds):
        fuzz.seed, started = seed, time.perf_counter()
        fuzz.answers, fuzz.reached, fuzz.faults = Counter(), set(), {}
        for number in range(asked.requests) if asked.only is None else [asked.only]:
            if number % 50 == 0:
                cache.clear()  # what counts tries, and pages kept for the public
            fuzz.ask(number)
            if number and number % 2000 == 0:
                print(f"{number} requests, {time.perf_counter() - started:.0f} s", flush=True)
        pieces.append(
            {
                "seed": seed,
                "answers": {str(status): count for status, count in fuzz.answers.items()},
                "addresses": sorted(fuzz.reached),
                "faults": fuzz.faults,
                "forms": len(fuzz.fields),
                "seconds": round(time.perf_counter() - started),
            }
        )
        tell(pieces[-1:])
        if asked.tally:
            with asked.tally.open("a") as file:
                file.write(json.dumps(pieces[-1], ensure_ascii=False) + "\n")
    return pieces


def tell(pieces: list[dict[str, Any]]) -> int:
    """Print what pieces have found together; return how many kinds of faults."""
    answers: Counter[str] = Counter()
    for one in pieces:
        answers.update(one["answers"])
    faults = {kind: told for one in pieces for kind, told in one["faults"].items()}
    addresses = {name for one in pieces for name in one["addresses"]}
    print(
        f"seeds {[one['seed'] for one in pieces]}: {answers.total()} requests to {len(addresses)} addresses with"
        f" {pieces[0]['forms']} kinds of forms in {sum(one['seconds'] for one in pieces)} s,"
        f" answers {dict(sorted(answers.items()))}, kinds of faults {len(faults)}",
        flush=True,
    )
    return len(faults)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--slow", type=float, default=10, help="seconds after which a request counts as one that hangs")
    parser.add_argument("--only", type=int, help="one request again")
    parser.add_argument("--seeds", type=int, default=1, help="how many seeds, from --seed on")
    parser.add_argument("--tally", type=Path, help="add what each seed has found to a file")
    parser.add_argument("--sum", type=Path, help="only tell what all seeds in such a file have found")
    asked = parser.parse_args()
    if asked.sum:
        return 1 if tell([json.loads(line) for line in asked.sum.read_text().splitlines()]) else 0
    warnings.simplefilter("ignore")

    import django

    django.setup()
    from django.conf import settings
    from django.db import connection, transaction
    from django.test.utils import setup_test_environment, teardown_test_environment

    server = None
    if settings.EMBEDDED_DATABASE:
        from tourney.laptop.postgres import EmbeddedPostgres

        settings.TEST_CLUSTER.parent.mkdir(exist_ok=True)
        server = EmbeddedPostgres(
            settings.TEST_CLUSTER, settings.TEST_SOCKET, settings.TEST_CLUSTER.parent / "log", throwaway=True
        )
        server.start("tourney")
    setup_test_environment()
    settings.KEEP_PAGES = True
    import logging

    logging.disable(logging.CRITICAL)
    name = connection.creation.create_test_db(verbosity=0, autoclobber=True)
    try:
        with transaction.atomic():
            pieces = run(asked)
            transaction.set_rollback(True)
    finally:
        connection.creation.destroy_test_db(name, verbosity=0)
        teardown_test_environment()
        if server is not None:
            server.stop()
    return 1 if any(one["faults"] for one in pieces) else 0


if __name__ == "__main__":
    sys.exit(main())
