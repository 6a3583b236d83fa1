"""The order a bracket ends in, as other apps want it."""

from __future__ import annotations

from brackets.engine.placings import final_places
from brackets.selectors import bracket_stage, load_table
from tourney.models import Section

Placing = tuple[int, int, int | None, int | None]  # entry, place, last shared place, points: a bracket has none


def placings_of(section: Section) -> list[Placing] | None:
    """Return everybody's final place, or None while the bracket isn't complete (or the section has none).

    Who was disqualified has no place; who left, the one the regulation says. Shared places carry their last one.
    """
    stage = bracket_stage(section)
    table = load_table(stage, facts_only=True) if stage is not None else None
    if table is None or table.bracket.drawn_at is None or not table.state.is_complete:
        return None
    order = final_places(table.spec, table.state, table.rules.left_place, table.rules.disqualified_place)
    return [(entry, places.first, places.last if places.last > places.first else None, None) for places, entry in order]
