"""How heavy the page of a game is, and how soon its board stands there on a slow line.

    python bench/game_page.py [--moves 80]

Starts an installation of its own with a game of so many moves with clocks, and weighs every answer as it came over the
line (compressed, nothing known before). Then the page is opened on throttled lines: at a first visit, and as the next
game of a visitor who has looked at one. "Board" is the moment its pieces are visible. Ends with status 1 over 120 kB,
or when the first board takes a second or more on what tools for web pages call a mobile line (1.6 Mbit/s, 150 ms).
"""

# ruff: noqa: PLC0415, S311, T201 -- a script: Django comes after its settings, chance only makes up moves
from __future__ import annotations

import argparse
import os
import random
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from hall import Hall, event_of, hall

# Bytes a second down and up, and the delay of each answer in ms. Chromium's "Fast 3G" delays every answer by 562 ms:
# the page and then its stylesheet take more than a second there whatever they weigh.
LINES = {
    "mobile (1.6 Mbit/s, 150 ms)": (1.6e6 / 8, 750e3 / 8, 150.0),
    "Chromium's fast 3G (562 ms)": (1.6e6 * 0.9 / 8, 750e3 * 0.9 / 8, 562.5),
}
BARRED = "mobile (1.6 Mbit/s, 150 ms)"
BAR_BYTES, BAR_SECONDS = 120_000, 1.0


def recorded(stage: Any, moves: int) -> list[str]:
    """Give two games of the event moves with clocks; return the addresses of their pages."""
    import chess
    from django.urls import reverse

    from tourney.models import Game
    from tourney.services.games import set_moves

    addresses = []
    for number, game in enumerate(Game.objects.filter(stage=stage, outcome__in=["1-0", "0-1", "1/2"])[:2]):
        chance, board, parts = random.Random(f"game page {number}"), chess.Board(), []
        for ply in range(2 * moves):
            legal = list(board.legal_moves)
            if not legal:
                break
            move = chance.choice(legal)
            parts.append(f"{board.fullmove_number}{'.' if board.turn else '...'} {board.san(move)}")
            parts.append(f"{{[%clk 1:{59 - ply % 60:02}:{ply % 60:02}]}}")
            board.push(move)
        set_moves(game, " ".join(parts), actor=None)
        addresses.append(reverse("game", args=[stage.section.tournament.slug, game.pk]))
    return addresses


def opened(page: Any, address: str) -> float:
    """Return the seconds from the wish to see the page until the board's pieces are painted."""
    started = time.perf_counter()
    page.goto(address, wait_until="commit")
    page.wait_for_selector(".chessboard use", state="visible")
    while not page.evaluate("performance.getEntriesByName('first-contentful-paint').length"):
        page.wait_for_timeout(20)  # the page's own rules let nothing be polled in it
    return time.perf_counter() - started


def measure(made: Hall, addresses: list[str]) -> bool:
    from playwright.sync_api import sync_playwright

    from tourney.testing.browser import ARGUMENTS, find

    first, second = addresses
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find(), args=ARGUMENTS)
        look = {
            "base_url": f"http://localhost:{made.port}",
            "locale": "uk-UA",
            "viewport": {"width": 390, "height": 800},
        }
        context = browser.new_context(**look)
        page = context.new_page()
        cdp = context.new_cdp_session(page)
        cdp.send("Network.enable")
        urls: dict[str, str] = {}
        sizes: dict[str, int] = {}
        cdp.on("Network.responseReceived", lambda event: urls.update({event["requestId"]: event["response"]["url"]}))
        cdp.on(
            "Network.loadingFinished", lambda event: sizes.__setitem__(event["requestId"], event["encodedDataLength"])
        )
        page.goto(first)
        page.wait_for_timeout(2000)
        for request, size in sorted(sizes.items(), key=lambda item: -item[1]):
            print(f"  {size / 1000:8.1f} kB  {urls.get(request, '?').split('/', 3)[-1][:80]}")
        total = sum(sizes.values())
        print(f"{total / 1000:.0f} kB over the line in {len(sizes)} answers")
        good = total < BAR_BYTES
        for name, (down, up, delay) in LINES.items():
            times: dict[str, list[float]] = {"first visit": [], "next game": []}
            for _ in range(5):
                context = browser.new_context(**look)
                page = context.new_page()
                cdp = context.new_cdp_session(page)
                cdp.send("Network.enable")
                cdp.send(
                    "Network.emulateNetworkConditions",
                    {"offline": False, "latency": delay, "downloadThroughput": down, "uploadThroughput": up},
                )
                times["first visit"].append(opened(page, first))
                page.wait_for_load_state("load")
                times["next game"].append(opened(page, second))
                context.close()
            for words, found in times.items():
                middle = sorted(found)[len(found) // 2]
                print(f"{name}, {words}: board after {middle * 1000:.0f} ms (best {min(found) * 1000:.0f})")
                good = good and (name != BARRED or middle < BAR_SECONDS)
        browser.close()
    return good


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--moves", type=int, default=80)
    asked = parser.parse_args()
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"  # Playwright runs an event loop in this thread
    with hall() as made:
        made.start_web()
        stage, _arbiter = event_of(20, 1)
        return 0 if measure(made, recorded(stage, asked.moves)) else 1


if __name__ == "__main__":
    sys.exit(main())
