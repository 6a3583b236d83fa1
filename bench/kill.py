"""Kill -9, again and again, while an event goes on: nothing that was acknowledged may be lost or counted twice.

    python bench/kill.py [--kills 50] [--minutes 9] [--seed 1] [--only web worker postgres redis] [--tally FILE]
    python bench/kill.py --sum FILE

Starts an installation of its own in server mode (gunicorn, a worker, PostgreSQL and Redis with their usual settings, a
mail server that notes what it took). A tablet enters results, the desk takes money and lets people go (each gets a
letter), an organizer commits, decides and drops draws: all by requests, each tried again with the same number until it
is answered. At random moments a program is killed with all its children and started again half a second later, as a
service manager does.

Afterwards every acknowledged result, payment and draw must be in the database exactly once, nothing beside them, and
every letter must have been taken by the mail server. A mail server that took a letter can't tell a worker that was
killed in that moment: the letter comes again with the same Message-ID, by which mail programs know it; those are
counted apart. Ends with status 1 when something was lost or doubled, or a service
was away longer than ten seconds.

A long run can be made in pieces, each with a seed of its own: `--tally` adds a line to a file, `--sum` tells what all
pieces in it say together.
"""

# ruff: noqa: PLC0415, S311, T201 -- a script: Django comes after its settings, chance picks victims
from __future__ import annotations

import argparse
import asyncio
import http.client
import json
import os
import random
import re
import socketserver
import statistics
import sys
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

sys.path.insert(0, str(Path(__file__).resolve().parent))

from hall import Hall, Tablet, event_of, games_of, hall, tablets_of

VICTIMS = ("web", "worker", "postgres", "redis")
BACK = 10.0  # seconds
NEVER = 60.0  # not waited for any longer
RESTART = 0.5  # after which a service manager starts a program again
CSRF = "k" * 32


@dataclass
class Notes:
    """What was acknowledged, and when each kind of act last succeeded."""

    results: dict[uuid.UUID, tuple[int, str]] = field(default_factory=dict)
    payments: dict[uuid.UUID, int] = field(default_factory=dict)
    draws: Counter[str] = field(default_factory=Counter)
    unsure: Counter[str] = field(default_factory=Counter)  # draws whose answer was lost
    seen: tuple[int, int] = (0, 0)  # draws committed and decided, as read after an answer
    left: list[int] = field(default_factory=list)  # entries let go: one letter each
    mails: Counter[str] = field(default_factory=Counter)
    well: dict[str, tuple[float, float]] = field(
        default_factory=dict
    )  # kind → begin and end of the last that succeeded
    tries: Counter[str] = field(default_factory=Counter)
    stop: threading.Event = field(default_factory=threading.Event)


class Client:
    """A browser that keeps at it."""

    def __init__(self, port: int, cookie: str, notes: Notes) -> None:
        self.port, self.notes = port, notes
        self.headers = {
            "Host": "localhost",
            "Cookie": f"{cookie}; csrftoken={CSRF}",
            "X-CSRFToken": CSRF,
            "Content-Type": "application/x-www-form-urlencoded",
            "Accept-Language": "uk",
        }

    def post(self, path: str, values: dict[str, Any]) -> tuple[int, dict[str, str]]:
        """Send a form once; OSError or HTTPException when no answer comes."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request("POST", path, urlencode(values), self.headers)
            answer = connection.getresponse()
            answer.read()
            return answer.status, {name.lower(): value for name, value in answer.getheaders()}
        finally:
            connection.close()

    def until(self, kind: str, path: str, values: dict[str, Any], good: Callable[[int, dict[str, str]], bool]) -> bool:
        """Send the same thing until it is acknowledged; False when the time is over."""
        while not self.notes.stop.is_set():
            begun = time.monotonic()
            self.notes.tries[kind] += 1
            try:
                if good(*self.post(path, values)):
                    self.notes.well[kind] = (begun, time.monotonic())
                    return True
            except (OSError, http.client.HTTPException):
                pass
            time.sleep(0.2)
        return False


# -- the event ---------------------------------------------------------------------------------------------------------


def enter_results(client: Client, tablet: Tablet, stage: Any, notes: Notes) -> None:
    from django.db import connections

    client.headers["Cookie"] = f"tourney_device={tablet.secret}; csrftoken={CSRF}"
    client.headers["HX-Request"] = "true"
    dice = random.Random(1)
    while not notes.stop.is_set():
        try:
            games = games_of(stage)
            open_games = [game for game in games if not _has_result(game["game"])]
            if not open_games:
                _next_round(stage)
                continue
        except Exception:  # noqa: BLE001 -- the database was killed: this process asks again
            connections.close_all()
            time.sleep(0.3)
            continue
        for game in open_games:
            operation, outcome = uuid.uuid4(), dice.choice(("1-0", "1/2", "0-1"))
            now = {"entered": int(time.time() * 1000), "sent": int(time.time() * 1000)}
            values = {**game, "outcome": outcome, "operation": str(operation), **now}
            good = lambda status, headers: headers.get("x-entry") in ("applied", "same")  # noqa: E731
            if not client.until("result", tablet.address, values, good):
                return
            notes.results[operation] = (game["game"], outcome)
            notes.stop.wait(0.35)


def _has_result(pk: int) -> bool:
    from tourney.models import Game

    return bool(Game.objects.values_list("outcome", flat=True).get(pk=pk))


def _next_round(stage: Any) -> None:
    from swiss.services import pair_next_round, publish_round

    publish_round(pair_next_round(stage.pk, actor=None).pk, actor=None)


def take_money(client: Client, slug: str, entries: list[int], notes: Notes) -> None:
    for pk in entries:
        operation = uuid.uuid4()
        values = {"act": "pay", "entry": pk, "amount": "1", "channel": "card", "operation": str(operation)}
        if not client.until("payment", f"/manage/{slug}/desk/", values, lambda status, _: status == 302):
            return
        notes.payments[operation] = pk
        leave = {"act": "withdraw", "reason": "measuring"}
        # Whose answer was lost is told that the person has left already: that answers it too. Letters are counted.
        good = lambda status, _: status in (302, 404, 409, 422)  # noqa: E731
        if not client.until("leaving", f"/manage/{slug}/entries/{pk}/", leave, good):
            return
        notes.left.append(pk)
        notes.stop.wait(0.4)


def draw_lots(client: Client, slug: str, code: str, notes: Notes) -> None:
    path = f"/manage/{slug}/{code}/draw/"
    steps = (
        ("commit", {"act": "commit", "method": "free", "reason": "measuring"}),
        ("reveal", {"act": "reveal", "who1": "Олена", "number1": "4815", "who2": "Ірина", "number2": "1623"}),
        ("drop", {"act": "drop", "reason": "measuring"}),
    )
    while not notes.stop.is_set():
        for step, values in steps:
            if notes.stop.is_set():
                return
            begun = time.monotonic()
            notes.tries["draw"] += 1
            try:
                status, _ = client.post(path, values)
                if status == 302:
                    notes.draws[step] += 1
                    notes.seen = max(notes.seen, lots_now(slug))
                    notes.well["draw"] = (begun, time.monotonic())
                else:
                    notes.unsure[f"{step} {status}"] += 1
            except (OSError, http.client.HTTPException):
                notes.unsure[step] += 1
            notes.stop.wait(0.5)


def lots_now(slug: str) -> tuple[int, int]:
    """Return how many draws are committed and decided; what an answer has told must never be fewer later."""
    from django.db import DatabaseError, connections

    from tourney.models import Lot, LotResult

    try:
        lots = Lot.objects.filter(tournament__slug=slug).count()
        return lots, LotResult.objects.filter(lot__tournament__slug=slug, result__isnull=False).count()
    except DatabaseError:
        connections.close_all()
        return 0, 0


# -- a mail server -----------------------------------------------------------------------------------------------------


def mail_server(notes: Notes) -> socketserver.ThreadingTCPServer:
    """Start a server that takes every letter and notes its Message-ID at the moment it says so."""

    class Session(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self.wfile.write(b"220 here\r\n")
            while line := self.rfile.readline():
                word = line[:4].upper()
                if word == b"DATA":
                    self.wfile.write(b"354 go on\r\n")
                    letter = b""
                    while (more := self.rfile.readline()) and more != b".\r\n":
                        letter += more
                    if more:
                        found = re.search(rb"(?im)^message-id:\s*<([^>]+)>", letter)
                        notes.mails[found[1].decode() if found else "none"] += 1
                        notes.well["mail"] = (time.monotonic(), time.monotonic())
                        self.wfile.write(b"250 taken\r\n")
                elif word == b"QUIT":
                    self.wfile.write(b"221 bye\r\n")
                    return
                else:
                    self.wfile.write(b"250 ok\r\n")

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = allow_reuse_address = True

        def handle_error(self, *_: Any) -> None:
            """Nothing: a worker that was killed hangs up."""

    server = Server(("127.0.0.1", 0), Session)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


# -- killing -----------------------------------------------------------------------------------------------------------

# What must work again after each victim's death.
SERVES = {
    "web": ("result", "payment", "draw"),
    "postgres": ("result", "payment", "draw"),
    "redis": ("result", "payment", "draw"),
    "worker": ("mail",),
}


def kill(made: Hall, victim: str) -> float:
    """Kill a program and start it again as a service manager does; return the moment of its death."""
    at = time.monotonic()
    if victim == "postgres":
        made.kill_database()
    else:
        made.kill(victim)
    time.sleep(RESTART)
    if victim == "postgres":
        made.start_database()
    elif victim == "redis":
        made.start_redis()
    elif victim == "worker":
        made.start_worker()
    else:
        made.start_web()
    return at


def away(notes: Notes, victim: str, at: float) -> float:
    """Return how long after a death it took until something of every kind the victim serves, begun since, was done."""
    done: dict[str, float] = {}
    while time.monotonic() - at < NEVER:
        for kind in SERVES[victim]:
            begun, ended = notes.well[kind]
            if begun > at + (RESTART if kind == "mail" else 0):  # a letter on its way when its worker died arrives
                done.setdefault(kind, ended)
        if len(done) == len(SERVES[victim]):
            return max(done.values()) - at
        time.sleep(0.02)
    return float("inf")


# -- the account -------------------------------------------------------------------------------------------------------


def account(notes: Notes, before: dict[str, int], slug: str) -> list[str]:
    """Return every fault: what was acknowledged and isn't there, or is there twice, or was asked of nobody."""
    from registration.models import LedgerLine, Letter
    from tourney.models import Lot, LotResult, ResultRecord

    faults = []
    records = dict(ResultRecord.objects.filter(operation__in=notes.results).values_list("operation", "outcome"))
    faults += [f"result lost: {one}" for one in notes.results if one not in records]
    faults += [f"result changed: {one}" for one, (_, told) in notes.results.items() if records.get(one, told) != told]
    counted = ResultRecord.objects.count() - before["results"]
    if counted != len(notes.results):
        faults.append(f"{counted} results for {len(notes.results)} acknowledged")
    lines = Counter(LedgerLine.objects.filter(operation__in=notes.payments).values_list("operation", flat=True))
    faults += [f"payment lost: {one}" for one in notes.payments if lines[one] != 1]
    counted = LedgerLine.objects.filter(tournament__slug=slug, kind="payment").count()
    if counted != len(notes.payments):
        faults.append(f"{counted} payments for {len(notes.payments)} acknowledged")
    lots = list(Lot.objects.filter(tournament__slug=slug).order_by("number").values_list("number", flat=True))
    if lots != list(range(1, len(lots) + 1)):
        faults.append(f"the draws' numbers have gaps: {lots}")
    decided = LotResult.objects.filter(lot__tournament__slug=slug, result__isnull=False).count()
    print(f"  draws: {len(lots)} committed, {decided} decided; answered {dict(notes.draws)}, lost {dict(notes.unsure)}")
    if (len(lots), decided) < notes.seen or not lots or not decided:
        faults.append(f"draws lost: {(len(lots), decided)} of {notes.seen}")
    letters = Letter.objects.filter(entry__tournament__slug=slug, kind="withdrawn")
    if letters.count() != len(notes.left):
        faults.append(f"{letters.count()} letters for {len(notes.left)} acts")
    unsent = letters.exclude(state="sent").count()
    if unsent:
        faults.append(f"{unsent} letters not sent")
    missing = [pk for pk in letters.values_list("pk", flat=True) if not notes.mails[f"letter-{pk}@tourney.invalid"]]
    faults += [f"letter {pk} never came" for pk in missing]
    return faults


def check_draws(slug: str) -> list[str]:
    """Verify every draw by its own transcript, and the chain."""
    from tourney.kernel import chance
    from tourney.models import Lot

    faults, previous = [], None
    for lot in Lot.objects.filter(tournament__slug=slug).order_by("number").select_related("outcome"):
        outcome = getattr(lot, "outcome", None)
        if chance.commitment(lot.secret, lot.manifest) != lot.commitment:
            faults.append(f"draw {lot.number}: not what was committed")
        if previous is not None and lot.previous_hash != previous:
            faults.append(f"draw {lot.number}: the chain is broken")
        decided = outcome is not None and outcome.result is not None
        if decided and chance.draw(lot.manifest, lot.secret, outcome.entropy) != outcome.result:
            faults.append(f"draw {lot.number}: another result")
        previous = outcome.transcript_hash if outcome else chance.manifest_hash(lot.manifest)
    return faults


def prepare(entries: int) -> tuple[Any, Tablet, str, str, list[int], Any]:
    """Make a running Swiss with a tablet, and a knockout to draw in whose other people pay and leave."""
    from datetime import timedelta

    from django.contrib.auth import get_user_model
    from django.utils import timezone

    from registration.models import Application
    from tourney.services.stages import close_entries
    from tourney.testing import builders

    stage, arbiter = event_of(300, 0)
    (tablet,) = tablets_of(stage, arbiter, 1)
    event = builders.event("second-chance-32", slug="kill", starts_on=timezone.localdate() + timedelta(days=3))
    boss = get_user_model().objects.create_superuser("kill", password=None)
    section = event.sections.get()
    section.tournament = event
    builders.entries(section, 16)
    close_entries(section, actor=None)
    waiting = []
    for number in range(entries):
        one = builders.entry(section, f"Чекач{number}", state="applied")
        Application.objects.create(entry=one, email=f"p{number}@example.org", language="uk", link_hash=f"{number:064d}")
        waiting.append(one.pk)
    return stage, tablet, event.slug, section.code, waiting, boss


def session_of(user: Any) -> str:
    from django.conf import settings
    from django.test import Client as TestClient

    browser = TestClient()
    browser.force_login(user)
    return f"{settings.SESSION_COOKIE_NAME}={browser.cookies[settings.SESSION_COOKIE_NAME].value}"


def run(made: Hall, asked: argparse.Namespace, notes: Notes) -> bool:
    from django.db import connections

    from tourney.models import ResultRecord

    stage, tablet, slug, code, waiting, boss = prepare(asked.entries)
    before = {"results": ResultRecord.objects.count()}
    cookie = session_of(boss)
    made.start_web()
    made.start_worker()
    asyncio.run(tablet.open(made.port))
    workers = [
        threading.Thread(target=enter_results, args=(Client(made.port, "", notes), tablet, stage, notes), daemon=True),
        threading.Thread(target=take_money, args=(Client(made.port, cookie, notes), slug, waiting, notes), daemon=True),
        threading.Thread(target=draw_lots, args=(Client(made.port, cookie, notes), slug, code, notes), daemon=True),
    ]
    for worker in workers:
        worker.start()
    while len(notes.well) < 5:
        time.sleep(0.2)
    dice = random.Random(asked.seed)
    times: dict[str, list[float]] = {victim: [] for victim in asked.only}
    started = time.monotonic()
    for number in range(asked.kills):
        if time.monotonic() - started > asked.minutes * 60:
            break
        victim = asked.only[number % len(asked.only)] if number < len(asked.only) else dice.choice(asked.only)
        time.sleep(dice.uniform(0.05, 1.5))
        times[victim].append(away(notes, victim, kill(made, victim)))
        print(f"{number + 1:4} {victim:9} back after {times[victim][-1]:5.1f} s", flush=True)
        if times[victim][-1] > NEVER and victim != "postgres":
            print((made.folder / f"{victim}.log").read_text(errors="replace")[-3000:], flush=True)
    time.sleep(2)
    notes.stop.set()
    for worker in workers:
        worker.join(30)
    connections.close_all()  # this process was hung up on as well
    wait_for_letters(slug)
    faults = [*account(notes, before, slug), *check_draws(slug)]
    found = piece(notes, times, faults, time.monotonic() - started, asked.seed)
    if asked.tally:
        with asked.tally.open("a") as file:
            file.write(json.dumps(found) + "\n")
    return report([found])


def wait_for_letters(slug: str) -> None:
    """Let the worker finish: what waits must go out by itself."""
    from registration.models import Letter

    end = time.monotonic() + 150
    while time.monotonic() < end:
        if not Letter.objects.filter(entry__tournament__slug=slug).exclude(state__in=("sent", "needless")).exists():
            return
        time.sleep(0.5)


def piece(notes: Notes, times: dict[str, list[float]], faults: list[str], seconds: float, seed: int) -> dict[str, Any]:
    """Return what one run found, as plain data."""
    return {
        "seed": seed,
        "seconds": round(seconds),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[1], 1),
        "times": {victim: [round(one, 2) for one in found] for victim, found in times.items()},
        "acknowledged": {
            "results": len(notes.results),
            "payments": len(notes.payments),
            "draws": sum(notes.draws.values()),
            "letters": len(notes.left),
        },
        "tries": sum(notes.tries.values()),
        "again": sum(number - 1 for number in notes.mails.values() if number > 1),
        "faults": faults,
    }


def report(pieces: list[dict[str, Any]]) -> bool:
    """Print what the pieces say together; return whether nothing was lost and nobody was away too long."""
    times: dict[str, list[float]] = {}
    acknowledged: Counter[str] = Counter()
    for one in pieces:
        acknowledged.update(one["acknowledged"])
        for victim, found in one["times"].items():
            times.setdefault(victim, []).extend(found)
    faults = [fault for one in pieces for fault in one["faults"]]
    loads = sorted(one["load"] for one in pieces)
    print(
        f"\n{sum(map(len, times.values()))} kills in {sum(one['seconds'] for one in pieces)} s"
        f" on {pieces[0]['cores']} cores with a load of {loads[0]} to {loads[-1]}"
        f"; seeds {[one['seed'] for one in pieces]}"
    )
    worst = 0.0
    for victim, found in times.items():
        if found:
            worst = max(worst, *found)
            late = sum(one > BACK for one in found)
            print(
                f"{victim:9} {len(found):3} times, back after {statistics.median(found):.1f} s, most {max(found):.1f} s"
                f" ({late} over {BACK:.0f})"
            )
    print(f"acknowledged {dict(acknowledged)}, in {sum(one['tries'] for one in pieces)} tries")
    print(f"letters delivered again with the same Message-ID: {sum(one['again'] for one in pieces)}")
    print(f"lost or doubled: {len(faults)}")
    for fault in faults[:20]:
        print(f"  {fault}")
    return not faults and worst <= BACK


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--minutes", type=float, default=60, help="end after so many even if there were fewer kills")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--entries", type=int, default=900, help="people who pay and leave")
    parser.add_argument("--only", nargs="+", choices=VICTIMS, default=list(VICTIMS))
    parser.add_argument("--keep", action="store_true", help="leave the folder with its logs")
    parser.add_argument("--tally", type=Path, help="add what this run found to a file")
    parser.add_argument("--sum", type=Path, help="only tell what the runs in such a file found together")
    asked = parser.parse_args()
    if asked.sum:
        return 0 if report([json.loads(line) for line in asked.sum.read_text().splitlines()]) else 1
    notes = Notes()
    server = mail_server(notes)
    os.environ |= {"EMAIL_HOST": "127.0.0.1", "EMAIL_PORT": str(server.server_address[1]), "EMAIL_USE_TLS": "0"}
    with hall(workers=2, keep=asked.keep) as made:
        good = run(made, asked, notes)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
