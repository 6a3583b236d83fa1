"""The numbers in the table of a round robin, as the regulation says: by lot, by Varma tables, by rating or by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from swiss.engine.berger import varma_numbers
from swiss.engine.rules import RoundRobinRules, StartNumbers, parse_stage
from tourney.models import Entry, Lot, Stage
from tourney.services.log import log
from tourney.services.lots import draw_now
from tourney.services.sections import number_by_lot

MOST_BY_VARMA = 24
FEWEST_BY_VARMA = 9


def number_table(stage: Stage, entries: Sequence[Entry], *, actor: Any) -> None:
    """Number the players of a table whose start list is closed now; they come numbered by rating.

    By hand that order stays till the arbiter changes it. There are Varma tables for 9 to 24 players: fewer or more
    draw plain lots. Who calls holds the event's row, which the chain of draws needs.
    """
    rules = parse_stage(_own(stage))
    way = rules.start_numbers if isinstance(rules, RoundRobinRules) else StartNumbers.HAND
    if way is StartNumbers.VARMA and FEWEST_BY_VARMA <= len(entries) <= MOST_BY_VARMA:
        _number_by_varma(stage, entries, actor)
    elif way in (StartNumbers.LOT, StartNumbers.VARMA):
        number_by_lot(stage, actor=actor)


def _own(stage: Stage) -> dict[str, Any]:
    """Return the keys of a stage's rules that say how the table is numbered."""
    return {key: stage.rules[key] for key in ("kind", "start_numbers") if key in stage.rules}


def _number_by_varma(stage: Stage, entries: Sequence[Entry], actor: Any) -> None:
    """Draw the order of the numbers; by it every federation (or club) gets its group of the table."""
    listed = sorted(entries, key=lambda entry: entry.start_number or 0)
    outcome = draw_now(
        stage.section.tournament,
        actor=actor,
        purpose=Lot.Purpose.START_NUMBERS,
        subject=stage.section.code,
        kind="pick",
        entrants=[str(number) for number in range(1, len(listed) + 1)],
        k=len(listed),
    )
    numbers = varma_numbers(_origins(listed), [int(text) for text in outcome.result])
    Entry.objects.filter(pk__in=[entry.pk for entry in listed]).update(start_number=None)
    for entry, number in zip(listed, numbers, strict=True):
        entry.start_number = number
    Entry.objects.bulk_update(listed, ["start_number"])
    log(
        stage.section.tournament,
        "section.numbers_drawn",
        actor=actor,
        section=stage.section.code,
        lot=outcome.lot_id,
        number=outcome.lot.number,
    )


def _origins(entries: Sequence[Entry]) -> list[str]:
    """Return where everybody comes from: the federation where there are several, else the club."""
    federations = [entry.player.federation for entry in entries]
    if len(set(federations)) > 1:
        return federations
    return [entry.player.club.strip().casefold() for entry in entries]
