"""Tie-breaks made of ratings: averages and performances (C.07 article 10), pairing number and lots.

All numbers are whole: averages are rounded with one half going up, percentages to a whole percent likewise. Only
opponents really met over the board count; who met nobody has no value.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from prizes.engine.tiebreaks.codes import TieBreak
from prizes.engine.tiebreaks.crosstable import Cell, Crosstable
from prizes.engine.tiebreaks.fide_tables import mean
from prizes.engine.tiebreaks.values import Cut, Part, Source, TieBreakValue, halves


def average_rating(table: Crosstable, tiebreak: TieBreak) -> list[TieBreakValue]:
    """Return ARO: the mean rating of the opponents met; a cut leaves the lowest ratings out."""
    code, count = tiebreak.code, tiebreak.low_cuts
    values = []
    for met, ratings in zip(table.met, table.met_ratings, strict=True):
        cuts = frozenset(sorted(range(len(ratings)), key=ratings.__getitem__)[:count])
        left = [rating for index, rating in enumerate(ratings) if index not in cuts]
        values.append(TieBreakValue(code, mean(left), partial(_rating_parts, table, met, ratings, cuts)))
    return values


def performance(table: Crosstable, tiebreak: TieBreak) -> list[TieBreakValue]:
    """Return TPR or PTP."""
    code = tiebreak.code
    numbers = table.performances if tiebreak.kind.name == "TPR" else table.perfect_performances
    return [
        TieBreakValue(code, number, partial(_rating_parts, table, met, ratings, frozenset()))
        for number, met, ratings in zip(numbers, table.met, table.met_ratings, strict=True)
    ]


def average_performance(table: Crosstable, tiebreak: TieBreak) -> list[TieBreakValue]:
    """Return APRO or APPO: the mean performance of the opponents met, those without one left out."""
    code = tiebreak.code
    numbers = table.performances if tiebreak.kind.name == "APRO" else table.perfect_performances
    values = []
    for met in table.met:
        known = [number for cell in met if (number := numbers[cell.opponent]) is not None]
        values.append(TieBreakValue(code, mean(known), partial(_performance_parts, met, numbers)))
    return values


def given(table: Crosstable, tiebreak: TieBreak, numbers: Sequence[int | None]) -> list[TieBreakValue]:
    """Return RTNG, TPN or LOT: a number each entry simply has."""
    code = tiebreak.code
    return [
        TieBreakValue(code, number, partial(_given_parts, number))
        for number, _ in zip(numbers, table.players, strict=True)
    ]


def _rating_parts(
    table: Crosstable, met: Sequence[Cell], ratings: Sequence[int], cuts: frozenset[int]
) -> tuple[Part, ...]:
    return tuple(
        Part(
            Source.OPPONENT,
            round=cell.round,
            opponent=cell.record.opponent,
            kind=cell.kind,
            result=halves(cell.points),
            score=halves(table.scores[cell.opponent]),
            adjusted=ratings[index],
            counted=ratings[index],
            cut=Cut.LOWEST if index in cuts else None,
        )
        for index, cell in enumerate(met)
    )


def _performance_parts(met: Sequence[Cell], performances: Sequence[int | None]) -> tuple[Part, ...]:
    return tuple(
        Part(
            Source.OPPONENT,
            round=cell.round,
            opponent=cell.record.opponent,
            kind=cell.kind,
            result=halves(cell.points),
            adjusted=performances[cell.opponent],
            counted=performances[cell.opponent],
            cut=Cut.UNDEFINED if performances[cell.opponent] is None else None,
        )
        for cell in met
    )


def _given_parts(number: int | None) -> tuple[Part, ...]:
    return () if number is None else (Part(Source.GIVEN, counted=number),)
