"""How long reading and placing a file of games takes, beside reading the same file with `chess` alone.

    python bench/pgn_import.py [games] [--workers 4] [--runs 3]

The file is cut into parts as an upload is; each is read and its games find their places. Prints processor seconds (the
best of so many runs), the ratio and the peak of memory in a process of its own for each, then how much faster several
processes are, each taking the next part: by the clock, and by processor seconds, which tell what more cores would give.
"""

# ruff: noqa: T201 -- a script
from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, ".")

import chess
import chess.pgn

from tourney import pgn, pgn_files
from tourney.game_matching import Finder
from tourney.tests.engine.damaged_records import Event, swiss

ROUNDS = 9


def moves(chance: random.Random) -> str:
    """Return 80 half-moves played at random, as text."""
    board = chess.Board()
    sans: list[str] = []
    while len(sans) < 80 and not board.is_game_over():
        move = chance.choice(list(board.legal_moves))
        sans.append(f"{board.fullmove_number}. {board.san(move)}" if board.turn else board.san(move))
        board.push(move)
    return " ".join(sans)


def make(games: int, path: Path) -> Event:
    """Write a file of so many games of one made-up event, about 40 moves each."""
    texts = [moves(random.Random(seed)) for seed in range(100)]  # noqa: S311 -- repeatable games
    event = swiss(300, ROUNDS, "bench")
    parts = []
    for index in range(games):
        one = event.games[index % len(event.games)]
        tags = {
            "Event": "Cup",
            "Round": str(one.round),
            "White": event.names[one.white][0],
            "Black": event.names[one.black][0],
            "Result": one.result,
        }
        parts.append(pgn.write(tags, texts[index % len(texts)]))
    path.write_text("\n".join(parts), encoding="utf-8")
    return event


def with_chess(path: Path, event: Event) -> int:
    """Read with the package alone."""
    del event
    count = 0
    with path.open(encoding="utf-8") as text:
        while chess.pgn.read_game(text) is not None:
            count += 1
    return count


def with_tourney(path: Path, event: Event) -> int:
    """Cut, read, keep as stored text, and find each game's place."""
    finder, placed = Finder(event.games, event.names), 0
    with path.open("rb") as file:
        for part in pgn_files.parts(file):
            placed += placed_in(part, finder)
    return placed


def placed_in(part: pgn_files.Part, finder: Finder) -> int:
    return sum(bool(game.stored and finder.find(game.tags, game.result).pk) for game in pgn.read_part(part))


def measure(act: Callable[[Path, Event], int], path: Path, event: Event, runs: int) -> tuple[int, float, int]:
    """Return the count, the best processor seconds, and the peak of memory in megabytes."""
    best, count = float("inf"), 0
    for _ in range(runs):
        begun = time.process_time()
        count = act(path, event)
        best = min(best, time.process_time() - begun)
    return count, best, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def alone(act: Callable[[Path, Event], int], path: Path, event: Event, runs: int) -> tuple[int, float, int]:
    """Measure in a fresh process, so that one's memory isn't the other's."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(measure, (act, path, event, runs))


_finder: list[Finder] = []


def _begin(event: Event) -> None:
    _finder.append(Finder(event.games, event.names))


def _work(part: pgn_files.Part) -> tuple[int, float]:
    begun = time.process_time()
    return placed_in(part, _finder[0]), time.process_time() - begun


def together(path: Path, event: Event, workers: int) -> tuple[int, float, float]:
    """Return the count, the seconds by the clock, and the processor seconds of several processes."""
    with multiprocessing.get_context("spawn").Pool(workers, _begin, (event,)) as pool, path.open("rb") as file:
        pool.map(_work, [pgn_files.Part(1, b"1. e4 *")] * workers * 4, chunksize=1)  # they have begun
        begun = time.perf_counter()
        done = list(pool.imap_unordered(_work, pgn_files.parts(file)))
        return sum(count for count, _ in done), time.perf_counter() - begun, sum(spent for _, spent in done)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", type=int, nargs="?", default=2_000)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--runs", type=int, default=3)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "games.pgn")
        event = make(asked.games, path)
        print(f"{asked.games} games, {path.stat().st_size / 1e6:.1f} MB, {os.cpu_count()} cores")
        results = {}
        for name, act in (("chess alone", with_chess), ("tourney", with_tourney)):
            count, seconds, memory = alone(act, path, event, asked.runs)
            results[name] = seconds
            print(f"{name:12} {count:6} games {seconds:7.2f} s {memory:5} MB")
        print(f"ratio {results['tourney'] / results['chess alone']:.2f}")
        once, clock_once = 0.0, 0.0
        for workers in dict.fromkeys((1, 2, asked.workers)):
            count, clock, spent = together(path, event, workers)
            once, clock_once = once or spent, clock_once or clock
            print(
                f"{workers} processes {count:6} games {clock:6.2f} s by the clock "
                f"({clock_once / clock:.2f} times as fast), "
                f"{spent:.2f} processor seconds ({workers * once / spent:.2f} times as fast on {workers} free cores)"
            )


if __name__ == "__main__":
    main()
