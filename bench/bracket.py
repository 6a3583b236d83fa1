"""What a bracket costs, what is proved of it, and how good its forecast is.

    python bench/bracket.py proof                 every size, return, final and band rule: the promises, exhaustively
    python bench/bracket.py resolve [--runs 300]  the state of a bracket after one more result, 32 and 128 players
    python bench/bracket.py forecast [--days 30] [--boards 16]   the forecast against days played game by game
    python bench/bracket.py page [--requests 40]  the page of the tree on the server, and the weight of its drawings

`page` makes an event of its own on `DATABASE_URL` when that is set, else on the embedded database, and deletes it.
"""

# ruff: noqa: T201 -- a script prints
from __future__ import annotations

import argparse
import gzip
import re
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from brackets.engine.build import FINALS, SIZES, TABLE_SIZES, BracketParams, build
from brackets.engine.cases import KYIV
from brackets.engine.days import PlayedDay, end_errors, percent_in_range, play_day, slot_errors, start_errors
from brackets.engine.facts import Fact, Result
from brackets.engine.orders import NAMES
from brackets.engine.proof import prove
from brackets.engine.resolve import resolve
from tourney.kernel.chance import Chance
from tourney.kernel.ids import EntryId


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    proof = commands.add_parser("proof")
    proof.add_argument("--most", type=int, default=64, help="the largest size")
    proof.set_defaults(run=prove_all)
    resolving = commands.add_parser("resolve")
    resolving.add_argument("--runs", type=int, default=300)
    resolving.set_defaults(run=time_resolve)
    days = commands.add_parser("forecast")
    days.add_argument("--days", type=int, default=30)
    days.add_argument("--boards", type=int, default=16)
    days.add_argument("--return-at", type=int, default=2)
    days.set_defaults(run=hold_forecast)
    page = commands.add_parser("page")
    page.add_argument("--requests", type=int, default=40)
    page.set_defaults(run=time_page)
    asked = parser.parse_args()
    return int(asked.run(asked))


# -- proof -----------------------------------------------------------------------------------------------------------


def variants(size: int) -> Iterator[BracketParams]:
    """Every variant of a size: returns, finals, places played out, orders of the droppers, little tables."""
    returns = [2**n for n in range(1, size.bit_length()) if 2**n <= size // 2 or 2**n == size]
    for return_at in returns:
        for final in FINALS if return_at == 2 else FINALS[:1]:
            for places in (None, 2, *(2**n for n in range(2, size.bit_length() - 1))):
                for drop_in in NAMES:
                    for table_up_to in TABLE_SIZES:
                        yield BracketParams(size, return_at, final, places, drop_in, table_up_to=table_up_to)


def prove_all(asked: argparse.Namespace) -> int:
    """Prove every variant with all seeds taken, and the default ones with every number of players."""
    wrong = 0
    for size in (size for size in SIZES if size <= asked.most):
        proved = least = 0
        begun = time.perf_counter()
        for params in variants(size):
            found = prove(build(params))
            proved += 1
            if not (found.each_place_once and found.each_way_once):
                wrong += 1
                print(f"BROKEN: {params}")
        for players in range(size // 2 + 1, size + 1):
            for table_up_to in TABLE_SIZES:
                found = prove(build(BracketParams(size, table_up_to=table_up_to), players), players)
                proved += 1
                wrong += not (found.each_place_once and found.each_way_once)
        plain = prove(build(BracketParams(size)))
        least = plain.per_player.least
        print(
            f"size {size}: {proved} brackets, every way leads to one place and every place is decided once; default: "
            f"{plain.matches.most} matches, {plain.slots} slots, {least}-{plain.per_player.most} matches each, "
            f"earliest rematch slot {plain.rematch_slot} ({time.perf_counter() - begun:.1f} s)"
        )
    print("every promise holds" if not wrong else f"{wrong} broken")
    return 1 if wrong else 0


# -- resolve ---------------------------------------------------------------------------------------------------------


def time_resolve(asked: argparse.Namespace) -> int:
    """Time the resolution of a bracket as it fills: the median over the whole event."""
    for size, limit in ((32, 2.0), (128, 10.0)):
        for name, params in (("default", BracketParams(size)), ("little tables", BracketParams(size, table_up_to=4))):
            spec = build(params)
            seeds = [EntryId(number) for number in range(1, size + 1)]
            facts: list[Fact] = []
            times: list[float] = []
            while True:
                begun = time.process_time_ns()
                state = resolve(spec, seeds, facts)
                times.append((time.process_time_ns() - begun) / 1e6)
                if not state.open_matches or len(times) >= asked.runs:
                    break
                view = state.open_matches[0]
                winner, loser = view.players
                facts.append(Result(view.key, winner, loser))
            print(
                f"resolve {size}, {name}: median {statistics.median(times):.2f} ms, slowest {max(times):.2f} ms "
                f"over {len(times)} states (limit {limit:.0f} ms)"
            )
    return 0


# -- forecast --------------------------------------------------------------------------------------------------------

ASKED_AFTER = (0, 16, 32, 48, 64, 80, 88, 92, 94, 95)


def hold_forecast(asked: argparse.Namespace) -> int:
    """Play days game by game and say how far the forecast was off, by how far ahead it looked."""
    spec = build(BracketParams(return_at=asked.return_at))
    days: list[PlayedDay] = []
    for seed in range(asked.days):
        chance = Chance.labelled(seed, "day")
        days.append(play_day(spec, 32, KYIV, boards=asked.boards, rest=300, chance=chance, ask_after=ASKED_AFTER))
    ends = [day.end / 60 for day in days]
    print(
        f"{len(days)} days of {len(spec.matches)} matches on {asked.boards} boards: over after "
        f"{statistics.mean(ends):.0f} minutes on average, standard deviation {statistics.pstdev(ends):.0f}"
    )
    print(f"the end lay in the range given: {percent_in_range(days)} % of all forecasts (meant: 90 %)")
    print("within 15 minutes, by how far ahead (end of the event | ends of slots | starts of matches):")
    for low, high in ((0, 30), (30, 60), (0, 60), (60, 120), (120, 180), (180, 600)):
        ahead = range(low * 60, high * 60)
        found = [errors(days, ahead) for errors in (end_errors, slot_errors, start_errors)]
        cells = [f"{one.percent_within(900):3} % (bias {one.bias / 60:+.1f} min)" for one in found]
        print(f"  {low:3}-{high:3} min: " + " | ".join(cells))
    return 0


# -- the page --------------------------------------------------------------------------------------------------------


def time_page(asked: argparse.Namespace) -> int:
    from result_entry import connect  # noqa: PLC0415 -- starts the database when it is called

    stop: Callable[[], None] = connect()
    try:
        _page(asked.requests)
    finally:
        stop()
    return 0


def _page(requests: int) -> None:
    from django.db import transaction  # noqa: PLC0415 -- after `connect`
    from django.test import Client  # noqa: PLC0415
    from django.urls import reverse  # noqa: PLC0415

    from tourney.services.rehearsal import delete_with_everything  # noqa: PLC0415
    from tourney.testing import builders  # noqa: PLC0415

    event = builders.event("second-chance-32", slug=f"bench-{int(time.time())}", public=True)
    try:
        stage = _drawn(event)
        for share in (0, 48, 96):
            _play(stage, share)
            client = Client()
            url = reverse("bracket", args=[event.slug, stage.section.code])
            times = []
            for number in range(requests + 5):
                begun = time.process_time_ns()
                answer = client.get(url, {"fresh": str(number)})
                times.append((time.process_time_ns() - begun) / 1e6)
                if answer.status_code != 200:
                    raise SystemExit(f"{url}: {answer.status_code}")
            text = answer.content.decode()
            drawings = re.findall(
                r"<svg class=\"full\".*?</svg>|<svg[^>]*viewBox[^>]*role=\"group\".*?</svg>", text, re.S
            )
            weights = [len(gzip.compress(drawing.encode(), 9)) for drawing in drawings]
            print(
                f"tree page after {share} matches: median {statistics.median(times[5:]):.1f} ms of the server's own "
                f"time, page {len(gzip.compress(text.encode(), 9))} bytes compressed; drawings: {weights}"
            )
    finally:
        with transaction.atomic():
            delete_with_everything(event)


def _drawn(event: Any) -> Any:
    from brackets.services import confirm_draw, seed_without_lot  # noqa: PLC0415
    from tourney.services.stages import close_entries  # noqa: PLC0415
    from tourney.testing import builders  # noqa: PLC0415

    section = event.sections.get()
    section.tournament = event
    for number in range(32):
        builders.entry(section, rating=2200 - 20 * number, level="1")
    (stage, *_) = close_entries(section, actor=None)
    seed_without_lot(stage.pk, method="fold", reason="bench")
    confirm_draw(stage.pk)
    stage.section = section
    return stage


def _play(stage: Any, matches: int) -> None:
    """Play until so many matches are decided."""
    from brackets.tests.builders import fresh, play_all, table  # noqa: PLC0415

    done = sum(view.how is not None for view in table(fresh(stage)).state.matches.values())
    play_all(fresh(stage), most=max(0, matches - done))


if __name__ == "__main__":
    sys.exit(main())
