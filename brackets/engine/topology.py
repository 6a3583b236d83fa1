"""What a bracket is: a graph of matches, generated once and then only read.

Every side of a match names where its player comes from (`Seed`, `WinnerOf`, `LoserOf`); every way out of a match leads
to another match or to a place. Byes, absences and the second final need nothing more. There is no arithmetic with
rounds and positions anywhere else: to advance players is to resolve this graph again.

A little table (a small band played as everybody against everybody) is part of the same graph: its matches stand in
rounds, and a side of a later round is taken by whoever stood on a side of an earlier one, whatever the result
(`SideOf`). Only the places at its end come from the whole table (`tables.ranked`).

Keys: upper ``U<round>.<n>``, lower ``L<round>.<n>``, final ``GF.1`` (second final ``GF.2``), placement
``P<first place><path>.<n>``, knock-out after the return ``K<path>.<n>``; in a path ``u`` is the winners' way and
``d`` the losers' way.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, NamedTuple

from tourney.kernel.errors import TourneyError
from tourney.kernel.ids import MatchKey

VERSION: Final = 1


class Side(StrEnum):
    """One of the two sides of a match. They mean nothing but order (the final: ``a`` comes from the upper bracket)."""

    A = "a"
    B = "b"

    @property
    def other(self) -> Side:
        return Side.B if self is Side.A else Side.A


class Bracket(StrEnum):
    """The part of the event a match belongs to."""

    UPPER = "upper"
    LOWER = "lower"
    KNOCKOUT = "knockout"  # after the return to the upper bracket, or the whole event without a second chance
    FINAL = "final"
    PLACE = "place"


@dataclass(frozen=True, slots=True)
class Seed:
    """The player with this seed number, or a bye if there are fewer players."""

    number: int


@dataclass(frozen=True, slots=True)
class WinnerOf:
    """The slot belongs to the winner of a match."""

    match: MatchKey


@dataclass(frozen=True, slots=True)
class LoserOf:
    """The slot belongs to the loser of a match."""

    match: MatchKey


@dataclass(frozen=True, slots=True)
class SideOf:
    """The slot belongs to whoever stood on a side of a match, won or lost: the next round of a little table."""

    match: MatchKey
    side: Side


Source = Seed | WinnerOf | LoserOf | SideOf


class Target(NamedTuple):
    """The side of a match a player goes to."""

    match: MatchKey
    side: Side


class Places(NamedTuple):
    """A band of places; one place when first and last are equal, else shared by those who end here."""

    first: int
    last: int


class Ties(StrEnum):
    """What becomes of players whom nothing parts: in a little table, or where a bracket is cut short."""

    SEED = "seed"  # the better seed stands before the other
    SHARED = "shared"  # they share their places


@dataclass(frozen=True, slots=True)
class MatchSpec:
    """One match of the graph. `slot` is the earliest time slot if every match took one.

    `second_final_of`: played only if side ``b`` won that match. `advantage`: this side needs only a level match.
    A match of a little table (`table`: its code) has no ways of winner and loser but one for each side, `a_to` and
    `b_to`; None: that player's last match there.
    """

    key: MatchKey
    number: int
    bracket: Bracket
    stage: str
    slot: int
    a: Source
    b: Source
    winner_to: Target | None
    loser_to: Target | None
    winner_place: Places | None
    loser_place: Places | None
    places_open: Places
    second_final_of: MatchKey | None = None
    advantage: Side | None = None
    table: str = ""
    a_to: Target | None = None
    b_to: Target | None = None

    @property
    def leads_to(self) -> tuple[Target, ...]:
        """Every side of a later match somebody goes to from here."""
        return tuple(way for way in (self.winner_to, self.loser_to, self.a_to, self.b_to) if way is not None)

    def source(self, side: Side) -> Source:
        """Return where the player of a side comes from."""
        return self.a if side is Side.A else self.b


@dataclass(frozen=True, slots=True)
class TableSpec:
    """A little table: a band of places everybody plays everybody for. `members`: the first side each stands on.

    Places go by matches won; those level by the matches won between them; who is level even then as `ties` says.
    """

    code: str  # what its matches are named after: "P13" for P13.1, P13.2 …
    members: tuple[Target, ...]
    matches: tuple[MatchKey, ...]
    places: Places
    ties: Ties


@dataclass(frozen=True)
class BracketSpec:
    """A whole bracket; matches are in an order in which every match comes after its feeders."""

    size: int
    matches: tuple[MatchSpec, ...]
    tables: tuple[TableSpec, ...] = ()

    @functools.cached_property
    def by_key(self) -> Mapping[MatchKey, MatchSpec]:
        return {match.key: match for match in self.matches}

    def match(self, key: str) -> MatchSpec:
        """Return the match with that key; TourneyError ``bracket.unknown_match`` if there is none."""
        try:
            return self.by_key[MatchKey(key)]
        except KeyError:
            raise TourneyError("bracket.unknown_match", match=str(key)) from None

    @functools.cached_property
    def slots(self) -> int:
        """Time slots the event needs when every match takes one slot and boards are enough."""
        return max(match.slot for match in self.matches)

    @functools.cached_property
    def seed_targets(self) -> Mapping[int, Target]:
        """Where each seed plays first."""
        return {
            source.number: Target(match.key, side)
            for match in self.matches
            for side, source in ((Side.A, match.a), (Side.B, match.b))
            if isinstance(source, Seed)
        }

    @functools.cached_property
    def bands(self) -> tuple[Places, ...]:
        """The bands of elimination, best first: places between which somebody who is out of the race for first ends."""
        found = {Places(1, 1)}
        for match in self.matches:
            if match.places_open.first != 1:
                continue
            if match.loser_to is None:
                found.add(match.loser_place or match.places_open)
            elif self.by_key[match.loser_to.match].places_open.first != 1:
                found.add(self.by_key[match.loser_to.match].places_open)
        return tuple(sorted(found))

    def to_json(self) -> dict[str, Any]:
        """Return the bracket as plain data, with the number of its form."""
        stored = {"version": VERSION, "size": self.size, "matches": [_match_json(match) for match in self.matches]}
        return {**stored, "tables": [_table_json(table) for table in self.tables]} if self.tables else stored

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> BracketSpec:
        """Return the bracket written by `to_json`; TourneyError ``bracket.unknown_version`` for another format."""
        if stored.get("version") != VERSION:
            raise TourneyError("bracket.unknown_version", version=stored.get("version"))
        tables = tuple(_table_of(row) for row in stored.get("tables", ()))
        return cls(stored["size"], tuple(_match_of(row) for row in stored["matches"]), tables)


def _source_json(source: Source) -> dict[str, int | str]:
    match source:
        case Seed(number):
            return {"seed": number}
        case WinnerOf(key):
            return {"winner_of": key}
        case LoserOf(key):
            return {"loser_of": key}
        case SideOf(key, side):
            return {f"{side.value}_of": key}


def _source_of(stored: Mapping[str, Any]) -> Source:
    ((kind, value),) = stored.items()
    if kind == "seed":
        return Seed(value)
    if kind in ("a_of", "b_of"):
        return SideOf(MatchKey(value), Side(kind[0]))
    return WinnerOf(MatchKey(value)) if kind == "winner_of" else LoserOf(MatchKey(value))


def _target_json(target: Target) -> dict[str, str]:
    return {"match": target.match, "side": target.side.value}


def _target_of(stored: Mapping[str, str]) -> Target:
    return Target(MatchKey(stored["match"]), Side(stored["side"]))


def _table_json(table: TableSpec) -> dict[str, Any]:
    return {
        "id": table.code,
        "members": [_target_json(member) for member in table.members],
        "matches": list(table.matches),
        "places": list(table.places),
        "ties": table.ties.value,
    }


def _table_of(row: Mapping[str, Any]) -> TableSpec:
    return TableSpec(
        code=row["id"],
        members=tuple(_target_of(member) for member in row["members"]),
        matches=tuple(MatchKey(key) for key in row["matches"]),
        places=Places(*row["places"]),
        ties=Ties(row["ties"]),
    )


def _places_json(places: Places | None) -> int | list[int] | None:
    if places is None:
        return None
    return places.first if places.first == places.last else list(places)


def _places_of(stored: int | list[int] | None) -> Places | None:
    if stored is None:
        return None
    return Places(stored, stored) if isinstance(stored, int) else Places(*stored)


def _match_json(match: MatchSpec) -> dict[str, Any]:
    row: dict[str, Any] = {
        "n": match.number,
        "id": match.key,
        "bracket": match.bracket.value,
        "stage": match.stage,
        "slot": match.slot,
        "a": _source_json(match.a),
        "b": _source_json(match.b),
        "winner_to": match.winner_to and _target_json(match.winner_to),
        "loser_to": match.loser_to and _target_json(match.loser_to),
        "winner_place": _places_json(match.winner_place),
        "loser_place": _places_json(match.loser_place),
        "places_open": list(match.places_open),
    }
    if match.second_final_of:
        row["second_final_of"] = match.second_final_of
    if match.advantage:
        row["advantage"] = match.advantage.value
    if match.table:
        row["table"] = match.table
        row["a_to"] = match.a_to and _target_json(match.a_to)
        row["b_to"] = match.b_to and _target_json(match.b_to)
    return row


def _match_of(row: Mapping[str, Any]) -> MatchSpec:
    def target(stored: Mapping[str, str] | None) -> Target | None:
        return _target_of(stored) if stored else None

    return MatchSpec(
        key=MatchKey(row["id"]),
        number=row["n"],
        bracket=Bracket(row["bracket"]),
        stage=row["stage"],
        slot=row["slot"],
        a=_source_of(row["a"]),
        b=_source_of(row["b"]),
        winner_to=target(row["winner_to"]),
        loser_to=target(row["loser_to"]),
        winner_place=_places_of(row["winner_place"]),
        loser_place=_places_of(row["loser_place"]),
        places_open=Places(*row["places_open"]),
        second_final_of=MatchKey(row["second_final_of"]) if "second_final_of" in row else None,
        advantage=Side(row["advantage"]) if "advantage" in row else None,
        table=row.get("table", ""),
        a_to=target(row.get("a_to")),
        b_to=target(row.get("b_to")),
    )
