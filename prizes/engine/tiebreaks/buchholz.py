"""Buchholz and Sonneborn-Berger with their cuts (C.07 articles 8, 9.1, 14, 16.5)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial

from prizes.engine.tiebreaks.codes import TieBreak
from prizes.engine.tiebreaks.crosstable import OVER_THE_BOARD, Contribution, Crosstable
from prizes.engine.tiebreaks.values import Cut, Part, Source, TieBreakValue, halves, quarters

Cuts = dict[int, Cut]


def buchholz(table: Crosstable, tiebreak: TieBreak, *, exception: bool) -> list[TieBreakValue]:
    """Return BH with its cuts; `exception` False switches off the rule that absences are cut first (16.6)."""
    rows = table.contributions_forfeits_met if tiebreak.forfeits_met else table.contributions
    code = tiebreak.code
    values = []
    for row in rows:
        total = sum([contribution.value for contribution in row])
        cuts: Cuts = {}
        if tiebreak.low_cuts:
            cuts = buchholz_cuts(row, tiebreak, exception=exception)
            total -= sum([row[index].value for index in cuts])
        values.append(TieBreakValue(code, halves(total), partial(_parts, table, row, cuts, False)))
    return values


def fore_buchholz(table: Crosstable, tiebreak: TieBreak, *, exception: bool) -> list[TieBreakValue]:
    """Return FB: Buchholz before the last round's results, all of them taken as draws (8.3)."""
    return buchholz(table.fore, tiebreak, exception=exception)


def sonneborn_berger(table: Crosstable, tiebreak: TieBreak, *, exception: bool) -> list[TieBreakValue]:
    """Return SB: every result times the opponent's adjusted score or the dummy."""
    rows = table.contributions_forfeits_met if tiebreak.forfeits_met else table.contributions
    code = tiebreak.code
    values = []
    for row in rows:
        total = sum([contribution.value * contribution.cell.points for contribution in row])
        cuts: Cuts = {}
        if tiebreak.low_cuts:
            cuts = berger_cuts(row, tiebreak.low_cuts, exception=exception)
            total -= sum([row[index].value * row[index].cell.points for index in cuts])
        values.append(TieBreakValue(code, quarters(total), partial(_parts, table, row, cuts, True)))
    return values


def average_of_opponents(table: Crosstable, tiebreak: TieBreak) -> list[TieBreakValue]:
    """Return AOB: the mean Buchholz of the opponents met over the board, exact; undefined without any."""
    buchholzes = [sum([contribution.value for contribution in row]) for row in table.contributions]
    code = tiebreak.code
    values = []
    for row in table.contributions:
        met = [contribution for contribution in row if contribution.cell.kind in OVER_THE_BOARD]
        total = sum(buchholzes[contribution.cell.opponent] for contribution in met)
        mean = Fraction(total, 2 * len(met)) if met else None
        values.append(TieBreakValue(code, mean, partial(_average_parts, table, met, buchholzes)))
    return values


def buchholz_cuts(row: Sequence[Contribution], tiebreak: TieBreak, *, exception: bool) -> Cuts:
    """Return which rounds are cut and why; the low end first, an absence before anything else (16.5)."""
    ascending = sorted([(contribution.value, index) for index, contribution in enumerate(row)])
    absences = [index for _, index in ascending if row[index].voluntary] if exception else []
    lowest = [*absences, *[index for _, index in ascending if index not in absences]]
    cuts = {
        index: Cut.LOWEST_ABSENCE if place < len(absences) else Cut.LOWEST
        for place, index in enumerate(lowest[: tiebreak.low_cuts])
    }
    if tiebreak.high_cuts:
        left = [index for _, index in ascending if index not in cuts]
        cuts.update(dict.fromkeys(left[-tiebreak.high_cuts :], Cut.HIGHEST))
    return cuts


def berger_cuts(row: Sequence[Contribution], count: int, *, exception: bool) -> Cuts:
    """Return which products are cut: the one of the opponent with the lowest score, not the smallest product.

    After an absence the larger of that product and the smallest product of an absence goes, so that staying away
    never pays (16.5); of equal absences the one with the lower score.
    """
    cuts: Cuts = {}

    def product(index: int) -> int:
        return row[index].value * row[index].cell.points

    for _ in range(min(count, len(row))):
        left = [index for index in range(len(row)) if index not in cuts]
        chosen = min(left, key=lambda index: (row[index].value, product(index)))
        reason = Cut.LOWEST
        absences = [index for index in left if row[index].voluntary] if exception else []
        if absences:
            absence = min(absences, key=lambda index: (product(index), row[index].value))
            if product(absence) >= product(chosen):
                chosen, reason = absence, Cut.LOWEST_ABSENCE
        cuts[chosen] = reason
    return cuts


def _parts(table: Crosstable, row: Sequence[Contribution], cuts: Cuts, products: bool) -> tuple[Part, ...]:
    parts = []
    for index, (cell, value, source, _) in enumerate(row):
        counted = quarters(value * cell.points) if products else halves(value)
        parts.append(
            Part(
                source,
                round=cell.round,
                opponent=cell.record.opponent,
                kind=cell.kind,
                result=halves(cell.points),
                score=halves(table.scores[cell.opponent]) if cell.opponent >= 0 else None,
                adjusted=halves(value),
                counted=counted,
                cut=cuts.get(index),
            )
        )
    return tuple(parts)


def _average_parts(table: Crosstable, met: Sequence[Contribution], buchholzes: Sequence[int]) -> tuple[Part, ...]:
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
        for cell, _, _, _ in met
    )
