"""How heavy the tablet's page is when it comes for the first time, and how soon it can be used on a slow line.

    python bench/tablet_start.py [--players 300] [--boards 20]

Starts an installation of its own, opens a tablet's link in Chromium and weighs every answer as it came over the line
(compressed). Then the page is opened again, as after lunch, on two throttled lines of Chromium's own profiles; "usable"
is the moment at which results can be tapped. Ends with status 1 over 150 kB, or over a second the second time.
"""

# ruff: noqa: PLC0415, T201 -- a script: Django comes after its settings
from __future__ import annotations

import argparse
import os
import sys
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from hall import Hall, event_of, hall

# Bytes a second down and up, and the delay of an answer in ms: Chromium's "Fast 3G" and "Slow 3G".
LINES = {"fast 3G": (1.6e6 * 0.9 / 8, 750e3 * 0.9 / 8, 562.5), "slow 3G": (500e3 * 0.8 / 8, 500e3 * 0.8 / 8, 2000.0)}
BAR_BYTES, BAR_SECONDS = 150_000, 1.0


def link_to(stage: Any, arbiter: Any, boards: int) -> str:
    from django.urls import reverse
    from django.utils import timezone

    from tourney.services.devices import issue_link

    until = timezone.now() + timedelta(hours=8)
    limits = {"first_board": 1, "last_board": boards} if boards else {}
    _, token = issue_link(
        stage.section.tournament, actor=arbiter, label="Tablet", valid_until=until, section=stage.section, **limits
    )
    return reverse("device_join", args=[token])


def opened(page: Any, address: str) -> float:
    """Return the seconds from the wish to see the page until results can be tapped."""
    started = time.perf_counter()
    page.goto(address, wait_until="commit")
    page.wait_for_selector("[data-ready]", state="attached")
    return time.perf_counter() - started


def measure(made: Hall, join: str) -> bool:
    from playwright.sync_api import sync_playwright

    from tourney.testing.browser import ARGUMENTS, find

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find(), args=ARGUMENTS)
        context = browser.new_context(
            base_url=f"http://localhost:{made.port}", locale="uk-UA", viewport={"width": 820, "height": 1100}
        )
        page = context.new_page()
        page.goto(join)
        first = page.locator("main form button")
        cdp = context.new_cdp_session(page)
        cdp.send("Network.enable")
        cdp.send("Network.setCacheDisabled", {"cacheDisabled": True})
        weighed: dict[str, list[Any]] = {}
        cdp.on(
            "Network.responseReceived",
            lambda event: weighed.setdefault(event["requestId"], [event["response"]["url"], 0]),
        )
        cdp.on(
            "Network.loadingFinished",
            lambda event: weighed.get(event["requestId"], ["", 0]).__setitem__(1, event["encodedDataLength"]),
        )
        first.click()
        page.wait_for_selector("[data-ready]", state="attached")
        page.wait_for_timeout(4000)  # what is fetched afterwards counts as well
        tablet = page.url
        seen: dict[str, int] = {}
        for url, size in weighed.values():
            seen[url] = max(seen.get(url, 0), size)
        for url, size in sorted(seen.items(), key=lambda item: -item[1]):
            print(f"  {size / 1000:8.1f} kB  {url.split('/', 3)[-1][:80]}")
        total = sum(seen.values())
        print(f"first time: {total / 1000:.0f} kB over the line in {len(seen)} answers")
        good = total < BAR_BYTES
        cdp.send("Network.setCacheDisabled", {"cacheDisabled": False})
        opened(page, tablet)  # the worker has taken the page over by now
        for name, (down, up, delay) in LINES.items():
            page.close()
            page = context.new_page()
            cdp = context.new_cdp_session(page)
            cdp.send("Network.enable")
            cdp.send(
                "Network.emulateNetworkConditions",
                {"offline": False, "latency": delay, "downloadThroughput": down, "uploadThroughput": up},
            )
            seconds = opened(page, tablet)
            good = good and seconds < BAR_SECONDS
            print(f"second time, {name}: usable after {seconds * 1000:.0f} ms")
        context.set_offline(True)
        print(f"without a network: usable after {opened(page, tablet) * 1000:.0f} ms")
        browser.close()
    return good


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--players", type=int, default=300)
    parser.add_argument("--boards", type=int, default=20, help="boards of the tablet; 0: all")
    asked = parser.parse_args()
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"  # Playwright runs an event loop in this thread
    with hall() as made:
        made.start_web()
        stage, arbiter = event_of(asked.players, 1)
        return 0 if measure(made, link_to(stage, arbiter, asked.boards)) else 1


if __name__ == "__main__":
    sys.exit(main())
