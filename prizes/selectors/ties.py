"""Players equal on everything, where the regulation lets a lot order them (M8.2, or LOT among the tie-breaks)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from prizes.engine.placings import Placing, groups, settled
from prizes.engine.rules import PrizeRules
from tourney.kernel.ids import EntryId
from tourney.models import Lot, Section, Stage, Tournament

Group = tuple[EntryId, ...]


def orders_by_lot(rules: PrizeRules, stage: Stage) -> bool:
    """Return whether a lot orders equals at the end: below a play-off, or as the last tie-break of the stage."""
    below = rules.playoff is not None and rules.playoff.lower_places == "drawing_of_lots"
    return below or "LOT" in (stage.rules.get("tie_breaks") or ())


def tie_subject(section: Section, place: int, tied: Sequence[EntryId], lots: Mapping[str, Sequence[Group]]) -> str:
    """Return what the lot of a shared place is called: a tie of other players is another thing, not a repetition."""
    shared = _place(section, place)
    known: list[frozenset[EntryId]] = []
    for group in reversed(lots.get(shared, ())):  # in the order they were drawn
        if frozenset(group) not in known:
            known.append(frozenset(group))
    mine = frozenset(tied)
    number = known.index(mine) if mine in known else len(known)
    return shared + (f".{number + 1}" if number else "")


def _place(section: Section, place: int) -> str:
    return f"{section.code}:tie:{place}"


def tie_lots(tournament: Tournament) -> dict[str, list[Group]]:
    """Return the orders drawn so far, newest first, by the shared place (whoever shared it). One query."""
    found: dict[str, list[Group]] = {}
    lots = Lot.objects.filter(tournament=tournament, purpose=Lot.Purpose.TIE, outcome__void_reason="")
    for lot in lots.select_related("outcome").order_by("-number"):
        if lot.manifest["kind"] == "pots":
            what, _colon, place = lot.subject.rpartition(":")
            found.setdefault(f"{what}:{place.partition('.')[0]}", []).append(
                tuple(EntryId(lot.entry_id(one)) for one in lot.outcome.result[0])
            )
    return found


def in_order_of_lots(
    placings: Sequence[Placing], section: Section, lots: Mapping[str, Sequence[Group]], *, first: bool = False
) -> tuple[tuple[Placing, ...], tuple[tuple[int, Group], ...]]:
    """Return the placings with every drawn order laid in, and the shared places whose lot is still to be drawn.

    First place is drawn only where nothing is played off for it (`first`).
    """
    open_ties: list[tuple[int, Group]] = []
    ordered = tuple(placings)
    for group in groups(placings):
        place = group[0].place
        if len(group) < 2 or (place == 1 and not first):
            continue
        tied = tuple(placing.entry for placing in group)
        drawn = next((one for one in lots.get(_place(section, place), ()) if set(one) == set(tied)), None)
        if drawn is None:
            open_ties.append((place, tied))
        else:
            ordered = settled(ordered, [[entry] for entry in drawn])
    return ordered, tuple(open_ties)
