"""Tie-breaks made of ratings: averages and performances (C.07 article 10), pairing number and lots.

All numbers are whole: averages are rounded with one half going up, percentages to a whole percent likewise. Only
opponents really met over the board count; who met nobody has no value.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from prizes.engine.tiebreaks.codes import TieBreak
from prizes.engine.tiebreaks.crosstable import Crosstable
from prizes.engine.tiebreaks.fide_tables import mean
from prizes.engine.tiebreaks.values import Cut, Part, Source, ValueColumn, halves

Numbers = Sequence[int | None]


def average_rating(table: Crosstable, tiebreak: TieBreak) -> ValueColumn:
    """Return ARO: the mean rating of the opponents met; a cut leaves the lowest ratings out."""
    count = tiebreak.low_cuts
    numbers = [mean(sorted(ratings)[count:] if count else ratings) for ratings in table.met_ratings]
    return ValueColumn(tiebreak.code, numbers, partial(_rating_parts, table, count))


def performance(table: Crosstable, tiebreak: TieBreak) -> ValueColumn:
    """Return TPR or PTP."""
    numbers = table.performances if tiebreak.kind.name == "TPR" else table.perfect_performances
    return ValueColumn(tiebreak.code, numbers, partial(_rating_parts, table, 0))


def average_performance(table: Crosstable, tiebreak: TieBreak) -> ValueColumn:
    """Return APRO or APPO: the mean performance of the opponents met, those without one left out."""
    theirs = table.performances if tiebreak.kind.name == "APRO" else table.perfect_performances
    numbers = [mean([number for cell in met if (number := theirs[cell.opponent]) is not None]) for met in table.met]
    return ValueColumn(tiebreak.code, numbers, partial(_performance_parts, table, theirs))


def given(tiebreak: TieBreak, numbers: Numbers) -> ValueColumn:
    """Return RTNG, TPN or LOT: a number each entry simply has."""
    return ValueColumn(tiebreak.code, numbers, partial(_given_parts, numbers))


def _rating_parts(table: Crosstable, cuts: int, index: int) -> tuple[Part, ...]:
    ratings = table.met_ratings[index]
    cut = frozenset(sorted(range(len(ratings)), key=ratings.__getitem__)[:cuts])
    return tuple(
        Part(
            Source.OPPONENT,
            round=cell.round,
            opponent=cell.record.opponent,
            kind=cell.kind,
            result=halves(cell.points),
            score=halves(table.scores[cell.opponent]),
            adjusted=rating,
            counted=rating,
            cut=Cut.LOWEST if place in cut else None,
        )
        for place, (cell, rating) in enumerate(zip(table.met[index], ratings, strict=True))
    )


def _performance_parts(table: Crosstable, theirs: Numbers, index: int) -> tuple[Part, ...]:
    return tuple(
        Part(
            Source.OPPONENT,
            round=cell.round,
            opponent=cell.record.opponent,
            kind=cell.kind,
            result=halves(cell.points),
            adjusted=theirs[cell.opponent],
            counted=theirs[cell.opponent],
            cut=Cut.UNDEFINED if theirs[cell.opponent] is None else None,
        )
        for cell in table.met[index]
    )


def _given_parts(numbers: Numbers, index: int) -> tuple[Part, ...]:
    number = numbers[index]
    return () if number is None else (Part(Source.GIVEN, counted=number),)
