"""Buchholz and Sonneborn-Berger with their cuts (C.07 articles 8, 9.1, 14, 16.5)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial

from prizes.engine.tiebreaks.codes import TieBreak
from prizes.engine.tiebreaks.crosstable import OVER_THE_BOARD, Contribution, Crosstable, Worth
from prizes.engine.tiebreaks.values import (
    HALVES,
    QUARTERS,
    Cut,
    Part,
    Source,
    Value,
    ValueColumn,
    halves,
    quarters,
)

Cuts = dict[int, Cut]


def buchholz(table: Crosstable, tiebreak: TieBreak, *, exception: bool) -> ValueColumn:
    """Return BH with its cuts; `exception` False switches off the rule that absences are cut first (16.6)."""
    rows = table.worth_forfeits_met if tiebreak.forfeits_met else table.worth
    if tiebreak.low_cuts:
        numbers = [_sum_of_kept(worth, tiebreak, exception=exception) for worth in rows]
    else:
        numbers = [sum(worth.values) for worth in rows]
    return ValueColumn(tiebreak.code, numbers, partial(_parts, table, tiebreak, exception, False), HALVES)


def fore_buchholz(table: Crosstable, tiebreak: TieBreak, *, exception: bool) -> ValueColumn:
    """Return FB: Buchholz before the last round's results, all of them taken as draws (8.3)."""
    return buchholz(table.fore, tiebreak, exception=exception)


def sonneborn_berger(table: Crosstable, tiebreak: TieBreak, *, exception: bool) -> ValueColumn:
    """Return SB: every result times the opponent's adjusted score or the dummy."""
    rows = table.worth_forfeits_met if tiebreak.forfeits_met else table.worth
    numbers = []
    for worth, cells in zip(rows, table.cells, strict=True):
        products = [value * cell.points for value, cell in zip(worth.values, cells, strict=True)]
        total = sum(products)
        if tiebreak.low_cuts:
            total -= sum([products[index] for index in berger_cuts(worth, products, tiebreak, exception=exception)])
        numbers.append(total)
    return ValueColumn(tiebreak.code, numbers, partial(_parts, table, tiebreak, exception, True), QUARTERS)


def average_of_opponents(table: Crosstable, tiebreak: TieBreak) -> ValueColumn:
    """Return AOB: the mean Buchholz of the opponents met over the board, exact; undefined without any."""
    buchholzes = [sum(worth.values) for worth in table.worth]
    numbers: list[Value | None] = []
    for cells in table.cells:
        met = [buchholzes[cell.opponent] for cell in cells if cell.kind in OVER_THE_BOARD]
        numbers.append(Fraction(sum(met), 2 * len(met)) if met else None)
    return ValueColumn(tiebreak.code, numbers, partial(_average_parts, table, buchholzes))


def _sum_of_kept(worth: Worth, tiebreak: TieBreak, *, exception: bool) -> int:
    """Return what is left of a row by `buchholz_cuts`, without asking which rounds they are."""
    low, high = tiebreak.low_cuts, tiebreak.high_cuts
    kept = sorted(worth.values)
    if exception and worth.absences:
        for value in sorted([worth.values[index] for index in worth.absences])[:low]:
            kept.remove(value)
            low -= 1
    return sum(kept[low : max(low, len(kept) - high)])


def buchholz_cuts(worth: Worth, tiebreak: TieBreak, *, exception: bool) -> Cuts:
    """Return which rounds are cut and why; the low end first, an absence before anything else (16.5)."""
    values, absences = worth
    ascending = sorted(range(len(values)), key=values.__getitem__)
    first = [index for index in ascending if index in absences] if exception else []
    lowest = [*first, *[index for index in ascending if index not in first]]
    cuts = {
        index: Cut.LOWEST_ABSENCE if place < len(first) else Cut.LOWEST
        for place, index in enumerate(lowest[: tiebreak.low_cuts])
    }
    if tiebreak.high_cuts:
        left = [index for index in ascending if index not in cuts]
        cuts.update(dict.fromkeys(left[-tiebreak.high_cuts :], Cut.HIGHEST))
    return cuts


def berger_cuts(worth: Worth, products: Sequence[int], tiebreak: TieBreak, *, exception: bool) -> Cuts:
    """Return which products are cut: the one of the opponent with the lowest score, not the smallest product.

    After an absence the larger of that product and the smallest product of an absence goes, so that staying away
    never pays (16.5); of equal absences the one with the lower score. A median then cuts the highest score.
    """
    cuts: Cuts = {}
    values = worth.values
    for _ in range(min(tiebreak.low_cuts, len(values))):
        left = [index for index in range(len(values)) if index not in cuts]
        chosen = min(left, key=lambda index: (values[index], products[index]))
        reason = Cut.LOWEST
        absences = [index for index in left if index in worth.absences] if exception else []
        if absences:
            absence = min(absences, key=lambda index: (products[index], values[index]))
            if products[absence] >= products[chosen]:
                chosen, reason = absence, Cut.LOWEST_ABSENCE
        cuts[chosen] = reason
    for _ in range(min(tiebreak.high_cuts, len(values) - len(cuts))):
        left = [index for index in range(len(values)) if index not in cuts]
        cuts[max(left, key=lambda index: (values[index], products[index]))] = Cut.HIGHEST
    return cuts


def _parts(table: Crosstable, tiebreak: TieBreak, exception: bool, berger: bool, index: int) -> tuple[Part, ...]:
    row = table.contributions(index, forfeits_met=tiebreak.forfeits_met)
    worth = (table.worth_forfeits_met if tiebreak.forfeits_met else table.worth)[index]
    cuts: Cuts = {}
    if tiebreak.low_cuts and berger:
        products = [contribution.value * contribution.cell.points for contribution in row]
        cuts = berger_cuts(worth, products, tiebreak, exception=exception)
    elif tiebreak.low_cuts:
        cuts = buchholz_cuts(worth, tiebreak, exception=exception)
    return tuple(_part(table, one, cuts.get(place), berger) for place, one in enumerate(row))


def _part(table: Crosstable, contribution: Contribution, cut: Cut | None, berger: bool) -> Part:
    cell, value, source, _ = contribution
    return Part(
        source,
        round=cell.round,
        opponent=cell.record.opponent,
        kind=cell.kind,
        result=halves(cell.points),
        score=halves(table.scores[cell.opponent]) if cell.opponent >= 0 else None,
        adjusted=halves(value),
        counted=quarters(value * cell.points) if berger else halves(value),
        cut=cut,
    )


def _average_parts(table: Crosstable, buchholzes: Sequence[int], index: int) -> tuple[Part, ...]:
    return tuple(
        Part(
            Source.OPPONENT,
            round=cell.round,
            opponent=cell.record.opponent,
            kind=cell.kind,
            result=halves(cell.points),
            score=halves(table.scores[cell.opponent]),
            adjusted=halves(buchholzes[cell.opponent]),
            counted=halves(buchholzes[cell.opponent]),
        )
        for cell in table.cells[index]
        if cell.kind in OVER_THE_BOARD
    )
