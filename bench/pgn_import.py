"""How long reading and placing a file of games takes, beside reading the same file with `chess` alone.

    python bench/pgn_import.py [games]

Prints seconds (the best of three), the ratio and the peak of memory in a process of its own for each.
"""

from __future__ import annotations

import io
import multiprocessing
import random
import resource
import sys
import time
from collections.abc import Callable

sys.path.insert(0, ".")

import chess
import chess.pgn

from tourney import pgn
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


def make(games: int) -> tuple[bytes, Event]:
    """Return a file of so many games of one made-up event, about 40 moves each."""
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
    return "\n".join(parts).encode(), event


def with_chess(content: bytes, event: Event) -> int:
    """Read with the package alone."""
    del event
    text, count = io.StringIO(content.decode()), 0
    while chess.pgn.read_game(text) is not None:
        count += 1
    return count


def with_tourney(content: bytes, event: Event) -> int:
    """Read, keep as stored text, and find each game's place."""
    finder, placed = Finder(event.games, event.names), 0
    for game in pgn.read(content):
        placed += bool(game.stored and finder.find(game.tags, game.result).pk)
    return placed


def measure(act: Callable[[bytes, Event], int], content: bytes, event: Event) -> tuple[int, float, int]:
    """Return the count, the best seconds of three, and the peak of memory in megabytes."""
    pgn.MAX_BYTES = max(pgn.MAX_BYTES, len(content))  # the file of 10,000 games is longer than an upload may be
    best, count = float("inf"), 0
    for _ in range(3):
        begun = time.process_time()
        count = act(content, event)
        best = min(best, time.process_time() - begun)
    return count, best, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def alone(act: Callable[[bytes, Event], int], content: bytes, event: Event) -> tuple[int, float, int]:
    """Measure in a fresh process, so that one's memory isn't the other's."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(measure, (act, content, event))


def main() -> None:
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
    content, event = make(games)
    sys.stdout.write(f"{games} games, {len(content) / 1e6:.1f} MB\n")
    results = {}
    for name, act in (("chess alone", with_chess), ("tourney", with_tourney)):
        count, seconds, memory = alone(act, content, event)
        results[name] = seconds
        sys.stdout.write(f"{name:12} {count:6} games {seconds:7.2f} s {memory:5} MB\n")
    sys.stdout.write(f"ratio {results['tourney'] / results['chess alone']:.2f}\n")


if __name__ == "__main__":
    main()
