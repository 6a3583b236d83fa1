"""The names of tie-breaks: what an event may put into its list, and in which system (C.07, edition of March 2026).

A code is a name with modifiers, as tournament report files write it: ``BH/C1`` is Buchholz without the lowest value,
``BH/M1`` without the lowest and the highest, ``DE/P`` a direct encounter in which forfeits count as met, ``RTNG/R`` the
lower rating first. ``GE`` is read as ``REP``, its name since 2024; ``BHC1`` and ``BH:C1`` as ``BH/C1``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from tourney.kernel.errors import RuleError

System = Literal["swiss", "round_robin"]
Edition = Literal["2026", "2023", "virtual_opponent"]

SYSTEMS: Final[tuple[System, ...]] = ("swiss", "round_robin")
EDITIONS: Final[tuple[Edition, ...]] = ("2026", "2023", "virtual_opponent")  # the last: as before September 2023


@dataclass(frozen=True, slots=True)
class Kind:
    """What is fixed about one tie-break: its article, the systems it may serve, the modifiers it understands."""

    name: str
    article: str
    systems: tuple[System, ...] = SYSTEMS
    modifiers: tuple[str, ...] = ()
    needs_ratings: bool = False
    lowest_first: bool = False  # the smaller value is the better one
    repeatable: bool = False  # may stand in a list more than once


_CUTS = ("C1", "C2")
_CUTS_AND_MEDIANS = ("C1", "C2", "M1", "M2")

KINDS: Final[dict[str, Kind]] = {
    kind.name: kind
    for kind in (
        Kind("PTS", "5"),
        Kind("DE", "6", modifiers=("P",), lowest_first=True, repeatable=True),
        Kind("WIN", "7.1"),
        Kind("WON", "7.2"),
        Kind("BPG", "7.3"),
        Kind("BWG", "7.4"),
        Kind("PS", "7.5", modifiers=("C1", "C2", "C3")),
        Kind("REP", "7.6", systems=("swiss",)),
        Kind("STD", "7.7"),
        Kind("BH", "8.1", systems=("swiss",), modifiers=(*_CUTS_AND_MEDIANS, "P")),
        Kind("AOB", "8.2", systems=("swiss",)),
        Kind("FB", "8.3", systems=("swiss",), modifiers=_CUTS_AND_MEDIANS),
        Kind("SB", "9.1", modifiers=(*_CUTS_AND_MEDIANS, "P")),
        Kind("KS", "9.2", systems=("round_robin",)),
        Kind("ARO", "10.1", modifiers=_CUTS, needs_ratings=True),
        Kind("TPR", "10.2", needs_ratings=True),
        Kind("PTP", "10.3", needs_ratings=True),
        Kind("APRO", "10.4", needs_ratings=True),
        Kind("APPO", "10.5", needs_ratings=True),
        Kind("RTNG", "10.6", modifiers=("R",), needs_ratings=True),
        Kind("TPN", "11", modifiers=("R",), lowest_first=True),
        Kind("LOT", "4.2", lowest_first=True),
    )
}

_OLD_NAMES: Final = {"GE": "REP"}
_GLUED = re.compile(r"^(BH|FB|SB|PS|ARO)([CM]\d)$")  # "BHC1", as some programs print it


@dataclass(frozen=True, slots=True)
class TieBreak:
    """One member of a tie-break list, understood."""

    kind: Kind
    low_cuts: int = 0
    high_cuts: int = 0
    forfeits_met: bool = False
    reverse: bool = False

    @property
    def code(self) -> str:
        """The canonical spelling: name, then modifiers."""
        cut = f"/M{self.high_cuts}" if self.high_cuts else f"/C{self.low_cuts}" if self.low_cuts else ""
        return self.kind.name + cut + ("/P" if self.forfeits_met else "") + ("/R" if self.reverse else "")

    @property
    def lowest_first(self) -> bool:
        return self.kind.lowest_first != self.reverse


def parse_tiebreak(text: str, path: str = "tie_breaks") -> TieBreak:
    """Return the tie-break a code names.

    Raises RuleError ``tiebreak.unknown`` or ``tiebreak.modifier`` (a modifier this tie-break doesn't have).
    """
    if not isinstance(text, str):
        raise RuleError(path, "rule.expected_text", got=type(text).__name__)
    cleaned = text.strip().upper().replace(":", "/")
    if glued := _GLUED.match(cleaned):
        cleaned = f"{glued[1]}/{glued[2]}"
    name, *modifiers = cleaned.split("/")
    kind = KINDS.get(_OLD_NAMES.get(name, name))
    if kind is None:
        raise RuleError(path, "tiebreak.unknown", got=text)
    low = high = 0
    for modifier in modifiers:
        if modifier not in kind.modifiers or modifiers.count(modifier) > 1:
            raise RuleError(path, "tiebreak.modifier", got=text, modifier=modifier)
        if modifier[0] in "CM":
            if low:
                raise RuleError(path, "tiebreak.modifier", got=text, modifier=modifier)
            low = int(modifier[1])
            high = low if modifier[0] == "M" else 0
    return TieBreak(kind, low, high, forfeits_met="P" in modifiers, reverse="R" in modifiers)


def parse_order(order: Sequence[str], system: System, path: str = "tie_breaks") -> tuple[TieBreak, ...]:
    """Return a whole list, checked: every member known, none twice (direct encounter apart), all fit the system.

    Raises RuleError ``tiebreak.unknown``, ``tiebreak.modifier``, ``tiebreak.twice``, ``tiebreak.not_in_system``,
    ``tiebreak.empty``, each with the path of the member.
    """
    if system not in SYSTEMS:
        raise RuleError("system", "rule.not_an_option", got=system, options=list(SYSTEMS))
    if not order:
        raise RuleError(path, "tiebreak.empty")
    known: set[str] = set()
    listed: list[TieBreak] = []
    for place, text in enumerate(order):
        here = f"{path}[{place}]"
        tiebreak = parse_tiebreak(text, here)
        if system not in tiebreak.kind.systems:
            raise RuleError(here, "tiebreak.not_in_system", got=tiebreak.code, system=system)
        code = tiebreak.code
        if code in known and not tiebreak.kind.repeatable:
            raise RuleError(here, "tiebreak.twice", got=code)
        known.add(code)
        listed.append(tiebreak)
    return tuple(listed)


def allowed_tiebreaks(system: System) -> tuple[str, ...]:
    """Return every code worth offering for that system, plain codes first, each followed by its variants.

    In a round robin forfeits count as games anyway, so P says nothing there.
    """
    codes: list[str] = []
    for kind in KINDS.values():
        if system in kind.systems:
            codes.append(kind.name)
            offered = [modifier for modifier in kind.modifiers if modifier != "P" or system == "swiss"]
            codes.extend(f"{kind.name}/{modifier}" for modifier in offered)
    return tuple(codes)
