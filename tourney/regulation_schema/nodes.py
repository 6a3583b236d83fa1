"""The kinds of values rule data is made of, and how they nest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Options = Mapping[Any, Any]  # value -> label; the values are those of the rule data, whatever their type


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """One value. `default` is what the engine takes when the key is absent."""

    key: str
    label: Any
    help: Any = ""
    required: bool = False
    default: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Text(Leaf):
    """`blank`: written even when it is empty, because the engine wants it said."""

    wide: bool = True
    blank: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Code(Leaf):
    """A short name for machines, in Latin letters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Number(Leaf):
    low: int = 0
    high: int = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount(Leaf):
    """Money in the event's currency, kept as text in major units."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Percent(Leaf):
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class Points(Leaf):
    """Points for a result: 0, ½, 1, 3."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag(Leaf):
    default: Any = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MaybeFlag(Leaf):
    """A condition that may be yes, no, or not asked at all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice(Leaf):
    """One of some options. `source` names options that come from the regulation itself."""

    options: Options = field(default_factory=dict)
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Many(Leaf):
    """Some of the options, in the order of the options."""

    options: Options = field(default_factory=dict)
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order(Leaf):
    """Options in an order that matters (tie-breaks, ranks)."""

    options: Options = field(default_factory=dict)
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Codes(Leaf):
    """A free list of short words, written with commas."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers(Leaf):
    """A list of whole numbers, written with commas."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Words(Leaf):
    """Text in up to three languages."""

    long: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment(Leaf):
    """A day, or a day with a local time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeOfDay(Leaf):
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock(Leaf):
    """A time control: 90+30, 3+2, 5."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table of values. `keep_empty`: an empty table still means something. `switch`: a flag without which only the
    clause of the table is kept."""

    key: str
    label: Any
    fields: tuple[Node, ...]
    help: Any = ""
    keep_empty: bool = False
    switch: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One sort of row: its name, what it is called, its values."""

    name: str
    label: Any
    fields: tuple[Node, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """A list of tables.

    `kinds`: rows are of different sorts, told apart by their key `tag`, or (no `tag`) by which kind's name is a key.
    `named_by`: not a list but a table of tables; its keys become a first field of that type. `scalar`: the values of
    such a table are no tables but single values.
    """

    key: str
    label: Any
    item: Any
    fields: tuple[Node, ...] = ()
    kinds: tuple[Kind, ...] = ()
    tag: str = ""
    named_by: Leaf | None = None
    scalar: Leaf | None = None
    help: Any = ""

    def kind_of(self, row: Mapping[str, Any]) -> Kind | None:
        for kind in self.kinds:
            if (row.get(self.tag) == kind.name) if self.tag else (kind.name in row):
                return kind
        return None

    def fields_of(self, row: Mapping[str, Any]) -> tuple[Node, ...]:
        if self.scalar is not None:
            return (self.scalar,)
        kind = self.kind_of(row)
        return kind.fields if kind else self.fields


Node = Leaf | Table | Rows
NAME = "_name"  # the key a row of a named table keeps its name under while it is edited
