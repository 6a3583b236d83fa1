"""The product behind a shared cache, nginx by `deploy/nginx-cache.conf`: what it promises and spares.

    python bench/shared_cache.py [--spectators 1000 2500] [--without] [--no-load] [--players 300]

Starts an installation of its own as `load.py` does, with nginx in front (it must be installed). First the promises,
each proved by asking through the cache: languages never mix, a signed-in organizer neither gets nor leaves a shared
page, a result, a hidden event and a changed name are through within the seconds the program says, and so long is the
last page shown while the program is away. Then the load of `load.py`: so many spectators ask the cache (`--without`:
the program) while 150 boards report. Ends with status 1 when a promise is broken.
"""

# ruff: noqa: PLC0415, S311, T201 -- a script: Django comes after its settings, chance only spreads visitors
from __future__ import annotations

import argparse
import asyncio
import os
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from hall import ROOT, Answer, Browser, Hall, event_of, free_port, games_of, hall, tablets_of
from load import report, run

CONF = ROOT / "deploy" / "nginx-cache.conf"
LANGUAGES = ("uk", "ru", "en")
# One line for each request, those in the background too; what the program answered stands in the third word.
LINE = "log_format line '$msec $upstream_cache_status $upstream_status $uri'; log_subrequest on;"


@dataclass
class Front:
    """The cache, and beside it a door to the program that only counts who comes."""

    made: Hall
    program: int  # the program's port
    cache: int = field(default_factory=free_port)
    door: int = field(default_factory=free_port)

    def start(self) -> None:
        folder = self.made.folder / "nginx"
        folder.mkdir(exist_ok=True)
        text = CONF.read_text()
        for old, new in (
            ("/var/cache/nginx", str(folder / "cache")),
            ("listen 8000;", f"listen 127.0.0.1:{self.cache} backlog=4096; access_log {self.log} line;"),
            ("web:8000", f"127.0.0.1:{self.program}"),
        ):
            if old not in text:
                raise SystemExit(f"{CONF} has no {old} any more")
            text = text.replace(old, new)
        text = re.sub(r"^ *resolver .*\n", "", text, flags=re.MULTILINE)
        places = " ".join(
            f"{kind}_temp_path {folder / kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        door = f"""
            upstream program {{ server 127.0.0.1:{self.program} max_fails=0; keepalive 64; }}
            server {{
                listen 127.0.0.1:{self.door} backlog=4096;
                access_log {self.door_log} line;
                proxy_http_version 1.1;
                proxy_set_header Connection "";
                proxy_set_header Host $host;
                location / {{ proxy_pass http://program; }}
            }}"""
        main = folder / "nginx.conf"
        main.write_text(f"""
            {"user root;" if os.geteuid() == 0 else ""}  # the folder is nobody else's
            daemon off; pid {folder}/pid; error_log {folder}/errors; worker_rlimit_nofile 20000;
            events {{ worker_connections 9000; }}
            http {{ keepalive_requests 100000; {LINE} {places} {text} {door} }}""")
        self.made._start("cache", ["nginx", "-c", str(main)])
        self.made.port = self.cache
        self.made.wait()

    @property
    def log(self) -> Path:
        return self.made.folder / "visitors.log"

    @property
    def door_log(self) -> Path:
        return self.made.folder / "door.log"

    def asked(self, log: Path, since: float, until: float) -> tuple[int, int, int]:
        """Return how many asked between two moments, how many the cache answered, how often the program was asked."""
        states: Counter[str] = Counter()
        passed = 0
        for line in log.read_text().splitlines():
            at, state, answered, *_ = line.split(" ")
            if since <= float(at) < until:
                states[state] += 1
                passed += answered != "-"
        # Who begins a fetch in the background gets the old page (STALE), and the fetch has a line of its own.
        by_cache = sum(states[state] for state in ("HIT", "STALE", "UPDATING"))
        return states.total() - states["STALE"], by_cache, passed


# -- promises ----------------------------------------------------------------------------------------------------------


class Promises:
    """Each is proved by answers of the cache, while others ask the same addresses ten times a second."""

    def __init__(self, front: Front, stage: Any) -> None:
        self.front, self.stage = front, stage
        self.event = stage.section.tournament
        self.broken = 0
        self.browser = Browser(front.cache)

    def say(self, what: str, good: bool, value: str) -> None:
        self.broken += not good
        print(f"{what:64} {value:>22}{'' if good else '   ← broken'}")

    async def ask(self, path: str, **headers: str) -> Answer:
        return await self.browser.ask("GET", path, {name.replace("_", "-"): text for name, text in headers.items()})

    def page(self, name: str) -> str:
        return f"/t/{self.event.slug}/{self.stage.section.code}/{name}/" if name else f"/t/{self.event.slug}/"

    async def seconds_until(self, path: str, act: Callable[[], Any], seen: Callable[[Answer], bool]) -> float:
        """Do something while visitors ask, and return after how many seconds the last who did not hear of it asked."""
        done, last = float("inf"), 0.0

        async def doing() -> None:
            nonlocal done
            await asyncio.sleep(1.5)
            await asyncio.to_thread(act)
            done = time.perf_counter()

        task = asyncio.create_task(doing())
        end = time.perf_counter() + 45
        while time.perf_counter() < end and (asked := time.perf_counter()) < max(done, last) + 3:
            if not seen(await self.ask(path, Accept_Language="uk")):
                last = asked  # and none later, for three seconds
            await asyncio.sleep(0.05)
        await task
        return max(0.0, last - done)

    async def languages(self) -> None:
        wrong, shared = 0, 0
        for _ in range(400):
            wanted, browser = random.choice(LANGUAGES), random.choice((*LANGUAGES, "de", "de,{}", "{}-XX,en;q=0.5"))
            chosen = browser not in LANGUAGES or browser != wanted
            asked = browser.format(wanted)
            cookie = {"Cookie": f"other=1; django_language={wanted}"} if chosen else {}
            answer = await self.ask(self.page("standings"), Accept_Language=asked, **cookie)
            shared += answer.headers.get("x-cache") in ("HIT", "UPDATING", "STALE")
            wrong += f'<html lang="{wanted}"'.encode() not in unpacked(answer)
        self.say("400 visitors with three languages: in another one's", wrong == 0 and shared > 300, str(wrong))
        self.say("  answered by the cache", shared > 300, str(shared))

    async def organizer(self, cookie: str) -> None:
        mark = f"/manage/{self.event.slug}/".encode()
        own = others = held = 0
        for _ in range(100):
            answer = await self.ask(self.page("standings"), Accept_Language="uk", Cookie=cookie)
            own += mark in unpacked(answer)
            held += answer.headers.get("x-cache") != "BYPASS" or "private" not in answer.headers["cache-control"]
            others += mark in unpacked(await self.ask(self.page("standings"), Accept_Language="uk"))
        self.say("of 100 answers an organizer's own", own == 100 and held == 0, str(own))
        self.say("  of 100 visitors in between who got one of those", others == 0, str(others))

    async def results(self) -> None:
        from swiss.services import enter_result

        late = []
        for game in (await asyncio.to_thread(games_of, self.stage))[:12]:
            known = [await self._version()]
            act = partial(enter_result, stage_id=self.stage.pk, game_id=game["game"], outcome="1-0")

            def seen(answer: Answer, known: list[int] = known) -> bool:
                return version_of(answer) > known[0]

            late.append(await self.seconds_until(f"{self.page('standings')}_live/?lang=uk", act, seen))
        self.say("12 results: the last answer without it after, most", max(late) < 4, f"{max(late):.1f} s")

    async def _version(self) -> int:
        await asyncio.sleep(3)  # every copy of before is gone
        return version_of(await self.ask(f"{self.page('standings')}_live/?lang=uk"))

    async def names(self) -> None:
        from tourney.models import Entry
        from tourney.services.log import log

        entry = await asyncio.to_thread(
            Entry.objects.select_related("player").get, section=self.stage.section, start_number=1
        )
        for number, page in enumerate(("standings", "", "pairings")):
            path = self.page(page) if page else f"/t/{self.event.slug}/{self.stage.section.code}/"
            surname = f"Zabutenko{chr(97 + number)}"

            def act(surname: str = surname) -> None:
                entry.player.surname = surname
                entry.player.save()
                log(self.event, "event.settings_changed")

            late = await self.seconds_until(path, act, partial(shows, surname.encode()))
            self.say(f"a name changed: gone from {page or 'the start list'} after", late < 11, f"{late:.1f} s")

    async def hidden(self) -> None:
        from tourney.services.states import take

        for page, most in (("standings", 3.5), ("", 11.0)):
            late = await self.seconds_until(
                self.page(page), partial(take, self.event, "hide", actor=None, reason="measured"), is_refused
            )
            self.say(f"an event hidden: {page or 'its page'} gone after", late < most, f"{late:.1f} s")
            await self.seconds_until(self.page(page), partial(take, self.event, "publish", actor=None), is_shown)

    async def away(self) -> None:
        pages = {page: self.page(page) for page in ("standings", "")}
        for path in pages.values():
            await self.ask(path, Accept_Language="uk")
        await asyncio.to_thread(self.front.made.kill, "web")
        begun, last = time.perf_counter(), dict.fromkeys(pages, 0.0)
        while time.perf_counter() - begun < 50:
            for page, path in pages.items():
                if (await self.ask(path, Accept_Language="uk")).status == 200:
                    last[page] = time.perf_counter() - begun
            await asyncio.sleep(0.5)
        for page, seconds in last.items():
            self.say(f"the program away: {page or 'the event'} shown for", 25 < seconds < 42, f"{seconds:.0f} s")
        await asyncio.to_thread(start_program, self.front)


def is_refused(answer: Answer) -> bool:
    return answer.status == 404


def shows(name: bytes, answer: Answer) -> bool:
    return name in unpacked(answer)


def is_shown(answer: Answer) -> bool:
    return answer.status == 200


def unpacked(answer: Answer) -> bytes:
    import gzip

    return gzip.decompress(answer.body) if answer.headers.get("content-encoding") == "gzip" else answer.body


def version_of(answer: Answer) -> int:
    found = re.search(r"\.(\d+)\.", answer.headers.get("etag", ""))
    return int(found[1]) if found else -1


def signed_in(arbiter: Any) -> str:
    """Return the cookie of somebody who organizes the event."""
    from django.test import Client

    client = Client()
    client.force_login(arbiter)
    return f"sessionid={client.cookies['sessionid'].value}"


async def prove(front: Front, stage: Any, arbiter: Any) -> int:
    promises = Promises(front, stage)
    await promises.languages()
    await promises.organizer(await asyncio.to_thread(signed_in, arbiter))
    await promises.results()
    await promises.names()
    await promises.hidden()
    await promises.away()
    promises.browser.close()
    return promises.broken


# -- load --------------------------------------------------------------------------------------------------------------


def start_program(front: Front) -> None:
    """Start the web server at its own port, whatever port visitors use."""
    front.made.port = front.program
    front.made.start_web()
    front.made.port = front.cache


def loaded(front: Front, asked: argparse.Namespace, spectators: int, *, cached: bool) -> None:
    stage, arbiter = event_of(asked.players, 4)
    tablets = tablets_of(stage, arbiter, 12)
    stage.refresh_from_db(fields=["version", "state"])
    first = stage.version
    front.made.port = front.cache if cached else front.door
    how = SimpleNamespace(
        spectators=spectators, results=150, within=60, arrive=30, idle=10, quiet=20, after=14, plain=False
    )
    watch, costs = asyncio.run(run(front.made, how, stage, tablets))  # type: ignore[arg-type]
    report(front.made, watch, costs, first, spectators)
    epoch = time.time() - time.perf_counter()
    for name, one, other in (("quiet", costs[2], costs[3]), ("results", costs[3], costs[4])):
        since, until, seconds = one.at + epoch, other.at + epoch, other.at - one.at
        polls, by_cache, passed = front.asked(front.log if cached else front.door_log, since, until)
        print(
            f"{name}: {'through the cache' if cached else 'without a cache'} {polls / seconds:.0f} requests/s, "
            f"{passed / seconds:.1f} reach the program, {by_cache / max(1, polls) * 100:.1f} % answered by the cache"
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--spectators", type=int, nargs="+", default=[1000])
    parser.add_argument("--players", type=int, default=300)
    parser.add_argument("--without", action="store_true", help="spectators ask the program, past the cache")
    parser.add_argument("--no-load", action="store_true")
    parser.add_argument("--no-promises", action="store_true")
    parser.add_argument("--keep", action="store_true", help="leave the folder with its logs")
    asked = parser.parse_args()
    os.environ["SHARED_CACHE"] = "0" if asked.without else "1"
    broken = 0
    with hall(workers=4, threads=4, keep=asked.keep) as made:
        front = Front(made, made.port)
        start_program(front)
        made.start_worker()
        front.start()
        if not asked.no_promises:
            broken = asyncio.run(prove(front, *event_of(asked.players, 4)))
        for spectators in [] if asked.no_load else asked.spectators:
            loaded(front, asked, spectators, cached=not asked.without)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
