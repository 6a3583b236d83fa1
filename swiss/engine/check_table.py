"""Checking a report of any system we pair: Swiss rounds by the engine, rounds of a table by the table."""

from __future__ import annotations

from collections.abc import Iterator

from swiss.engine.berger import berger_table
from swiss.engine.check import BYE, RoundCheck, check, pair_next, played_pairs
from swiss.engine.plan import RoundPlan
from swiss.engine.rounds import pair_round
from swiss.engine.rules import RoundRobinRules
from tourney.kernel.trf import Trf

_TABLE_WORDS = ("ROUNDROBIN", "ROUND-ROBIN", "ROUND ROBIN")
_SWISS_CODES = ("FIDE_DUTCH", "FIDE_DUTCH_2025", "FIDE_DUTCH_2026", "FIDE_DUTCH_BAKU", "FIDE_DUTCH_2026_BAKU")


def is_table(trf: Trf) -> bool:
    """Return whether a report says that it is a round robin (records 192 and 092)."""
    said = f"{trf.header.get('192', '')} {trf.header.get('092', '')}".upper()
    return any(word in said for word in _TABLE_WORDS)


def other_system(trf: Trf) -> str:
    """Return the code of a system whose rounds the engine can't pair again, "" when it can (or none is named)."""
    code = trf.header.get("192", "").strip().upper()
    return "" if not code or is_table(trf) or code in _SWISS_CODES else code


def cycles_of(trf: Trf) -> int:
    """Return how many times everybody meets in a round robin's report."""
    size = len(trf.players)
    total = trf.rounds_total or trf.rounds_done
    return max(1, total // max(1, size - 1 + size % 2))


def pair_report(trf: Trf, number: int, *, open_as_draws: bool = False) -> RoundPlan:
    """Return a round of a report: of a round robin the table's, else the engine's (see `check.pair_next`)."""
    if not is_table(trf):
        return pair_next(trf, number, open_as_draws=open_as_draws)
    return pair_round(trf.history(number - 1, open_as_draws=True), RoundRobinRules(cycles_of(trf), scoring=trf.scoring))


def check_report(trf: Trf) -> Iterator[RoundCheck]:
    """Yield the comparison of every round that was paired."""
    if not is_table(trf):
        yield from check(trf)
        return
    numbers = [player.number for player in trf.players]
    table = berger_table(len(numbers), cycles_of(trf)) if len(numbers) > 1 else ()
    dense = numbers == list(range(1, len(numbers) + 1))
    for number in range(1, trf.rounds_done + 1):
        in_file, unknown = played_pairs(trf, number)
        if not dense or number > len(table):
            error = "roundrobin.numbers_not_dense" if not dense else "pairing.no_more_rounds"
            yield RoundCheck(number, in_file, frozenset(), unknown, error)
            continue
        # Who is free in a table has no bye of the pairing; some programs write one all the same.
        games = frozenset(pair for pair in in_file if pair[1] != BYE)
        yield RoundCheck(number, games, frozenset(table[number - 1].pairs), unknown)
