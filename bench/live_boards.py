"""Viewers follow 64 boards that write a file as board programs do: delays, errors, and what it costs.

    python bench/live_boards.py [--viewers 1000] [--boards 64] [--seconds 30] [--laptop]

Starts an installation of its own (`bench/hall.py`) with a round of a Swiss whose boards write one file again and again.
Every viewer polls as `static/tourney/live_boards.js` does: every second give or take, with If-None-Match, less often
where the server says so. First nothing moves, then boards move all the time (about 1.5 moves a second in all). The
viewers are one process on the same machine. Ends with status 1 when a bar is missed.
"""

# ruff: noqa: PLC0415, S311, T201 -- a script: Django comes after its settings, chance only spreads viewers
from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import os
import random
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from hall import Browser, Hall, event_of, hall

POLL = 1.0
CORES = os.cpu_count() or 1


@dataclass
class Watch:
    phase: str = "arrive"
    times: dict[str, list[float]] = field(default_factory=dict)
    unchanged: dict[str, int] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    written: dict[tuple[int, str], float] = field(default_factory=dict)  # (board's place in the list, move) → when
    delays: list[float] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)


def rows_of(answer: Any) -> list[dict[str, Any]]:
    packed = answer.headers.get("content-encoding") == "gzip"
    found: list[dict[str, Any]] = json.loads(gzip.decompress(answer.body) if packed else answer.body)
    return found


class Viewer:
    def __init__(self, port: int, path: str, watch: Watch) -> None:
        self.path, self.watch = path, watch
        self.browser = Browser(port)
        self.known: list[str] = []

    async def follow(self, arrive: float, until: asyncio.Event) -> None:
        wait, etag = arrive, ""
        while not until.is_set():
            try:
                await asyncio.wait_for(until.wait(), wait)
                break
            except TimeoutError:
                pass
            headers = {"Accept-Encoding": "gzip", "Accept-Language": "uk"} | ({"If-None-Match": etag} if etag else {})
            started = time.perf_counter()
            try:
                async with asyncio.timeout(10):
                    answer = await self.browser.ask("GET", self.path, headers)
            except (OSError, TimeoutError, asyncio.IncompleteReadError) as error:
                self.watch.errors.append(type(error).__name__)
                continue
            self._note(answer, time.perf_counter() - started)
            etag = answer.headers.get("etag", etag)
            pace = min(1.2, max(1.0, float(answer.headers.get("live-pace", "1"))))
            wait = POLL * pace * random.uniform(0.85, 1.15)
        self.browser.close()

    def _note(self, answer: Any, took: float) -> None:
        watch = self.watch
        if answer.status not in (200, 304):
            watch.errors.append(f"poll {answer.status}")
            return
        watch.times.setdefault(watch.phase, []).append(took)
        if answer.status == 304:
            watch.unchanged[watch.phase] = watch.unchanged.get(watch.phase, 0) + 1
            return
        watch.sizes.append(len(answer.body))
        moves = [row["m"] for row in rows_of(answer)]
        now = time.perf_counter()
        if self.known:
            for index, (old, new) in enumerate(zip(self.known, moves, strict=True)):
                if old != new and (index, new) in watch.written:
                    watch.delays.append(now - watch.written[index, new])
        self.known = moves


class Boards:
    """The boards' program: keeps every game and writes all of them into one file."""

    def __init__(self, stage: Any, folder: Path, watch: Watch) -> None:
        import chess

        from tourney.game_records import games_of, tags_of

        tournament = stage.section.tournament
        newest = max(stage.rounds.values_list("number", flat=True))
        games = sorted(games_of(tournament).filter(stage=stage, round_number=newest), key=lambda one: one.board)
        self.tags = [tags_of(game, tournament, several=False) for game in games]
        self.boards = [chess.Board() for _ in games]
        self.sans: list[list[str]] = [[] for _ in games]
        self.path, self.watch, self.chance = folder / "games.pgn", watch, random.Random(8)

    def move(self, index: int) -> None:
        board = self.boards[index]
        legal = list(board.legal_moves)
        if not legal:
            return
        move = self.chance.choice(legal)
        san = board.san(move)
        shown = f"{board.fullmove_number}{'.' if board.turn else '…'} {san}"
        self.sans[index].append(f"{board.fullmove_number}. {san}" if board.turn else san)
        board.push(move)
        self.watch.written[index, shown] = time.perf_counter()

    def write(self) -> None:
        from tourney import pgn

        texts = (
            pgn.write({**tags, "Result": "*"}, " ".join(sans)) for tags, sans in zip(self.tags, self.sans, strict=True)
        )
        self.path.write_text("\n".join(texts), encoding="utf-8")

    async def play(self, seconds: float) -> None:
        ends = time.perf_counter() + seconds
        while time.perf_counter() < ends:
            for index in self.chance.sample(range(len(self.boards)), self.chance.choice((0, 1, 1, 2, 3))):
                self.move(index)
            self.write()
            await asyncio.sleep(1.0)


async def run(made: Hall, stage: Any, asked: argparse.Namespace, folder: Path) -> tuple[Watch, dict[str, Any]]:
    watch, over = Watch(), asyncio.Event()
    boards = await asyncio.to_thread(Boards, stage, folder, watch)
    for index in range(len(boards.boards)):
        for _ in range(20):
            boards.move(index)
    watch.written.clear()
    boards.write()
    path = f"/t/{stage.section.tournament.slug}/live/_live/"
    viewer = Browser(made.port)
    ends = time.monotonic() + 40
    while len(rows_of(await viewer.ask("GET", path, {}))) < len(boards.boards):
        if time.monotonic() > ends:
            raise SystemExit("the boards are not followed")
        await asyncio.sleep(0.5)
    viewer.close()
    costs: dict[str, Any] = {}
    async with asyncio.TaskGroup() as group:
        for _ in range(asked.viewers):
            group.create_task(Viewer(made.port, path, watch).follow(random.uniform(0, 8), over))
        await asyncio.sleep(12)
        for phase in ("rest", "moves"):
            watch.phase = phase
            before, own, at = made.cpu(), time.process_time(), time.perf_counter()
            await (asyncio.sleep(asked.seconds) if phase == "rest" else boards.play(asked.seconds))
            spent = {name: value - before.get(name, 0.0) for name, value in made.cpu().items()}
            costs[phase] = (time.perf_counter() - at, spent, time.process_time() - own)
        await asyncio.sleep(4)
        over.set()
    return watch, costs


def share(times: list[float], part: float) -> float:
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))] if ordered else float("nan")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--viewers", type=int, default=1000)
    parser.add_argument("--boards", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--laptop", action="store_true")
    parser.add_argument("--keep", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="boards-") as root:
        os.environ["BOARD_FOLDERS"] = root
        with hall(laptop=asked.laptop, keep=asked.keep) as made:
            if not asked.laptop:
                made.start_web()
                made.start_worker()
            from tourney.services import feeds

            stage, _arbiter = event_of(2 * asked.boards, 0)
            feeds.add_feed(stage.section.tournament, kind="folder", place="", actor=None)
            folder = Path(root, stage.section.tournament.slug)
            watch, costs = asyncio.run(run(made, stage, asked, folder))
    good = not watch.errors
    print(f"\n{asked.viewers} viewers, {asked.boards} boards, {'laptop' if made.laptop else 'server'}, {CORES} cores")
    for phase, words in (("rest", "nothing moves"), ("moves", "boards move")):
        times = watch.times.get(phase, [])
        seconds, spent, own = costs[phase]
        p95 = share(times, 0.95) * 1000
        good &= p95 < 150
        print(f"{words}: {len(times) / seconds:.0f} polls/s, 304: {watch.unchanged.get(phase, 0) / len(times):.0%},")
        print(f"  p50 {share(times, 0.5) * 1000:.0f} ms, p95 {p95:.0f} ms, most {share(times, 1) * 1000:.0f} ms")
        cpu = ", ".join(f"{name} {value / seconds / CORES:.0%}" for name, value in sorted(spent.items()))
        print(f"  of both cores: {cpu}, viewers {own / seconds / CORES:.0%}")
    print(f"an answer with news: {share([float(size) for size in watch.sizes], 0.5) / 1000:.1f} kB")
    late = share(watch.delays, 0.95)
    print(
        f"from the file to the viewer: p50 {share(watch.delays, 0.5):.2f} s, p95 {late:.2f} s, {len(watch.delays)} seen"
    )
    print(f"errors: {len(watch.errors)} {sorted(set(watch.errors))[:5]}")
    return 0 if good and late < 2 else 1


if __name__ == "__main__":
    raise SystemExit(main())
