"""Tablets enter 3,000 results while the network comes and goes and the server and its database are killed 50 times.

    python bench/chaos.py [--runs 10] [--seed 1] [--results 3000] [--kills 50] [--tablets 20]

Each run makes an installation of its own and a Swiss of 300 players and plays it round by round. Scripted tablets keep
what they enter and send it as the real ones do (`static/tourney/entry`): each with its number, again and again until
it is answered. Every now and then a tablet has no network, or loses it between sending and answer; some boards are
entered by two tablets that agree or disagree; some results are corrected. Meanwhile gunicorn with its workers,
PostgreSQL with its children, or both, are killed (-9) and started again.

At the end the tablets' own accounts are compared with the database: every acknowledged entry is there exactly once with
the state that was acknowledged, nothing is there that nobody sent, every board says what it must, every disagreement
waited for the arbiter, and the standings are those a rebuild from the facts gives. Ends with status 1 otherwise.
"""

# ruff: noqa: PLC0415, S311, T201 -- a script: Django comes after its settings, chance is seeded
from __future__ import annotations

import argparse
import asyncio
import random
import re
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

sys.path.insert(0, str(Path(__file__).resolve().parent))

from hall import Browser, Hall, Tablet, games_of, hall, tablets_of

OUTCOMES = ("1-0", "1/2", "0-1")
ROUND_SECONDS = 1200.0  # on a machine with much other work a round takes minutes


@dataclass
class Entry:
    """What a tablet has put down, and what it was told."""

    number: str
    tablet: str
    game: int
    outcome: str
    fields: dict[str, Any]
    sent: int = 0
    state: str = ""  # the answer
    version: int | None = None  # of the game, as the answer's row has it


@dataclass
class Account:
    """All entries of all tablets, and the troubles that were made."""

    chance: random.Random
    entries: list[Entry] = field(default_factory=list)
    troubles: Counter[str] = field(default_factory=Counter)
    waits: list[float] = field(default_factory=list)
    is_up: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def answered(self) -> int:
        return sum(1 for entry in self.entries if entry.state)

    def put_down(self, tablet: Tablet, game: dict[str, Any], outcome: str, **more: Any) -> Entry:
        number = str(UUID(int=self.chance.getrandbits(128), version=4))
        fields = {**game, "outcome": outcome, "entered": int(time.time() * 1000), **more}
        entry = Entry(number, tablet.label, game["game"], outcome, fields)
        self.entries.append(entry)
        return entry


class Sender:
    """A tablet: sends its entries one after the other until each is answered."""

    def __init__(self, made: Hall, tablet: Tablet, account: Account, seed: int) -> None:
        self.made, self.tablet, self.account = made, tablet, account
        self.chance = random.Random(seed)
        self.browser = Browser(made.port)
        self.offline_until = 0.0

    async def play(self, boards: list[dict[str, Any]], *, second: bool) -> None:
        """Enter results for boards; a `second` tablet enters boards that are somebody else's."""
        for board in boards:
            await asyncio.sleep(self.chance.uniform(0, 0.25))
            if self.chance.random() < 0.03:
                self.offline_until = time.monotonic() + self.chance.uniform(0.3, 4)
                self.account.troubles["network gone"] += 1
            entry = self.account.put_down(self.tablet, board, self.chance.choice(OUTCOMES))
            await self.deliver(entry)
            if not second and entry.state == "applied" and self.chance.random() < 0.08 and entry.version:
                other = self.chance.choice([one for one in OUTCOMES if one != entry.outcome])
                corrected = {**board, "version": entry.version}
                await self.deliver(self.account.put_down(self.tablet, corrected, other, reason="misread"))

    async def deliver(self, entry: Entry) -> None:
        started = time.monotonic()
        failures = 0
        while not entry.state:
            await asyncio.sleep(max(0.0, self.offline_until - time.monotonic()))
            await self.account.is_up.wait()
            try:
                await self._send(entry)
            except (OSError, TimeoutError, ValueError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
                self.browser.close()
                self.account.troubles["no answer"] += 1
            if not entry.state:
                failures = min(failures + 1, 4)
                await asyncio.sleep(0.1 * 2**failures * self.chance.uniform(0.8, 1.2))
        self.account.waits.append(time.monotonic() - started)

    async def _send(self, entry: Entry) -> None:
        if not self.tablet.csrf:
            await self.tablet.open(self.made.port)
        body = urlencode({**entry.fields, "operation": entry.number, "sent": int(time.time() * 1000)}).encode()
        entry.sent += 1
        if self.chance.random() < 0.04:  # the answer never arrives
            self.account.troubles["answer lost"] += 1
            asking = asyncio.create_task(self.browser.ask("POST", self.tablet.address, self.tablet.headers, body))
            await asyncio.wait([asking], timeout=self.chance.uniform(0, 0.1))
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)
            raise TimeoutError
        async with asyncio.timeout(15):
            answer = await self.browser.ask("POST", self.tablet.address, self.tablet.headers, body)
        state = answer.headers.get("x-entry", "")
        if not state:
            self.account.troubles[f"status {answer.status}"] += 1
            return
        entry.state = state
        found = re.search(rb'data-version="(\d+)"', unpacked(answer))
        entry.version = int(found[1]) if found else None


def unpacked(answer: Any) -> bytes:
    import gzip

    return gzip.decompress(answer.body) if answer.headers.get("content-encoding") == "gzip" else answer.body


async def killer(made: Hall, account: Account, kills: int, results: int, chance: random.Random) -> None:
    """Kill and start again, spread over the results."""
    done = 0
    while done < kills:
        if account.answered < results * (done + 0.3) / kills:
            await asyncio.sleep(0.02)
            continue
        what = chance.choice(["web", "web", "database", "database", "both"])
        await asyncio.sleep(chance.uniform(0, 0.3))
        account.is_up.clear() if chance.random() < 0.3 else None  # sometimes the tablets notice at once
        done += 1
        account.troubles[f"killed {what}"] += 1
        if what in ("web", "both"):
            await asyncio.to_thread(made.kill, "web")
        if what in ("database", "both"):
            await asyncio.to_thread(made.kill_database)
            await asyncio.to_thread(made.start_database)
        if what in ("web", "both"):
            await asyncio.to_thread(made.start_web)
        account.is_up.set()


# -- the event -----------------------------------------------------------------------------------------------------


def with_patience(act: Any) -> Any:
    """Do something in the database, again if a kill has come in between."""
    from django.db import OperationalError, connections

    for _ in range(40):
        try:
            return act()
        except OperationalError:
            connections.close_all()
            time.sleep(0.5)
    return act()


def group_of(name: str, players: int, rounds: int) -> tuple[Any, Any]:
    from django.contrib.auth import get_user_model

    from tourney.models import StaffRole, Stage
    from tourney.services.stages import close_entries
    from tourney.testing import builders

    arbiter = get_user_model().objects.create(username=name)
    tournament = builders.event("youth-championship", slug=name)
    StaffRole.objects.create(tournament=tournament, user=arbiter, role=StaffRole.Role.CHIEF_ARBITER)
    section = tournament.sections.first()
    section.tournament = tournament
    builders.entries(section, players, top=2400, step=3)
    (made, *_) = close_entries(section, actor=arbiter, system="swiss", rounds=rounds, reason="chaos")
    return Stage.objects.select_related("section__tournament").get(pk=made.pk), arbiter


def open_round(stage: Any, arbiter: Any) -> list[dict[str, Any]]:
    from swiss.models import Round
    from swiss.services import pair_next_round, publish_round

    draft = Round.objects.filter(stage=stage, state=Round.State.DRAFT).first()
    publish_round((draft or pair_next_round(stage.pk, actor=arbiter)).pk, actor=arbiter)
    return games_of(stage)


def close_round(stage: Any, arbiter: Any, account: Account, chance: random.Random) -> list[str]:
    """Look that every disagreement of the round waits for the arbiter, and decide it; return what is wrong."""
    from swiss.services import open_conflicts, resolve_conflict

    wrong = []
    shown = {operation.pk for one in open_conflicts([stage]) for operation in one.operations.all()}
    decided = getattr(account, "decided", set())
    for entry in account.entries:
        if entry.state == "conflict" and entry.number not in decided:
            decided.add(entry.number)
            if UUID(entry.number) not in shown:
                wrong.append(f"a disagreement about game {entry.game} is not shown")
    account.decided = decided  # type: ignore[attr-defined]
    for one in open_conflicts([stage]):
        if one.game.outcome:
            wrong.append(f"game {one.game_id} is in conflict and has the result {one.game.outcome}")
        outcome = chance.choice(OUTCOMES)
        account.troubles["conflict decided"] += 1
        account.__dict__.setdefault("final", {})[one.game_id] = outcome
        resolve_conflict(stage.section.tournament, one.pk, outcome=outcome, actor=arbiter, reason="as the sheet says")
    return wrong


def compare(stage: Any, account: Account) -> list[str]:
    """Return every difference between what the tablets were told and what is there."""
    from swiss.services import rebuild
    from tourney.models import Game, ResultOperation, ResultRecord, StandingRow

    wrong, tournament = [], stage.section.tournament
    kept = {str(operation.pk): operation for operation in ResultOperation.objects.filter(tournament=tournament)}
    records = ResultRecord.objects.filter(game__stage=stage)
    recorded = Counter(str(number) for number in records.values_list("operation", flat=True) if number)
    sent = {entry.number for entry in account.entries}
    if strangers := set(kept) - sent:
        wrong.append(f"{len(strangers)} entries nobody sent")
    last: dict[int, str] = {}
    for entry in account.entries:
        operation = kept.get(entry.number)
        if operation is None:
            wrong.append(f"entry {entry.number} of {entry.tablet} was acknowledged ({entry.state}) and is gone")
        elif (operation.state, operation.outcome, operation.game_id) != (entry.state, entry.outcome, entry.game):
            wrong.append(f"entry {entry.number}: told {entry.state}, kept {operation.state} {operation.outcome}")
        if recorded[entry.number] != (1 if entry.state == "applied" else 0):
            wrong.append(f"entry {entry.number} ({entry.state}) counts {recorded[entry.number]} times")
        if entry.state not in ("applied", "same", "conflict"):
            wrong.append(f"entry {entry.number} was answered with {entry.state}")
    order = records.filter(operation__isnull=False).order_by("pk").values_list("game_id", "outcome")
    last.update(order)
    last.update(account.__dict__.get("final", {}))
    for game in Game.objects.filter(stage=stage):
        heads = list(game.results.filter(successor__isnull=True))
        if len(heads) != 1 or game.outcome != heads[0].outcome or game.outcome != last.get(game.pk):
            wrong.append(f"game {game.pk} says {game.outcome!r}, must say {last.get(game.pk)!r} ({len(heads)} heads)")

    def standings() -> list[Any]:
        columns = ("after_round", "rank", "entry_id", "points")
        return list(StandingRow.objects.filter(stage=stage).order_by(*columns).values_list(*columns))

    before = standings()
    rebuild(stage.pk)
    if standings() != before:
        wrong.append("the standings differ from those of a rebuild")
    return wrong


async def run(made: Hall, asked: argparse.Namespace, seed: int, stage: Any, arbiter: Any, tablets: list[Tablet]) -> Any:
    chance = random.Random(seed)
    account = Account(chance)
    account.is_up.set()
    wrong: list[str] = []
    senders = [Sender(made, tablet, account, chance.getrandbits(32)) for tablet in tablets]
    killing = asyncio.create_task(killer(made, account, asked.kills, asked.results, random.Random(seed + 1)))
    while account.answered < asked.results:
        boards = await asyncio.to_thread(with_patience, lambda: open_round(stage, arbiter))
        shares: list[list[dict[str, Any]]] = [boards[index :: len(senders)] for index in range(len(senders))]
        doubled = [board for board in boards if chance.random() < 0.06]
        async with asyncio.timeout(ROUND_SECONDS), asyncio.TaskGroup() as group:
            for sender, share in zip(senders, shares, strict=True):
                group.create_task(sender.play(share, second=False))
            for board in doubled:
                other = Sender(made, chance.choice(tablets), account, chance.getrandbits(32))
                group.create_task(other.play([board], second=True))
        wrong += await asyncio.to_thread(with_patience, lambda: close_round(stage, arbiter, account, chance))
    killing.cancel()
    await asyncio.gather(killing, return_exceptions=True)
    return account, wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--players", type=int, default=300)
    parser.add_argument("--results", type=int, default=3000)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--tablets", type=int, default=20)
    parser.add_argument("--keep", action="store_true", help="leave the folder with its logs")
    asked = parser.parse_args()
    good = True
    with hall(workers=2, threads=8, keep=asked.keep) as made:
        made.start_web()
        for seed in range(asked.seed, asked.seed + asked.runs):
            good = one_run(made, asked, seed) and good
    return 0 if good else 1


def one_run(made: Hall, asked: argparse.Namespace, seed: int) -> bool:
    from django.db import connections

    stage, arbiter = group_of(f"chaos-{seed}", asked.players, 2 * asked.results // asked.players + 2)
    tablets = tablets_of(stage, arbiter, asked.tablets)
    connections.close_all()
    started = time.monotonic()
    account, wrong = asyncio.run(run(made, asked, seed, stage, arbiter, tablets))
    connections.close_all()
    wrong += with_patience(lambda: compare(stage, account))
    waits = sorted(account.waits)
    states = Counter(entry.state for entry in account.entries)
    again = sum(entry.sent - 1 for entry in account.entries)
    print(
        f"seed {seed}: {len(account.entries)} entries in {time.monotonic() - started:.0f} s, sent again {again} times"
    )
    print(f"  answers: {dict(states)}; longest wait {waits[-1]:.1f} s, median {waits[len(waits) // 2] * 1000:.0f} ms")
    print(f"  troubles: {dict(sorted(account.troubles.items()))}")
    for line in wrong[:10]:
        print(f"  WRONG: {line}")
    print(
        f"  {'every acknowledged result is there exactly once' if not wrong else f'{len(wrong)} differences'}",
        flush=True,
    )
    return not wrong


if __name__ == "__main__":
    sys.exit(main())
