"""The envelope of a regulation: named blocks of plain data, each parsed by the engine that owns it.

A regulation is a mapping read from TOML (a preset) or JSON (an event's numbered version). This module knows the names
of the blocks, the stages and how to read a value *with its path*, so that every error says where it is:
``fees.discounts[2].percent``. What a block means is the business of its engine.

Presets write dates relative to the event: ``start-5d`` (a day), ``start-3d 20:00`` (a local time), ``year-9`` (a birth
year). `resolve_dates` makes them absolute when an event is created; an event's own regulation has absolute dates only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, TypeVar

from tourney.kernel.errors import RuleError
from tourney.kernel.money import Money
from tourney.kernel.text import LANGUAGES

SCHEMA = 1

# Block name -> who parses it. The order is the order of the regulation's text.
BLOCKS: Mapping[str, str] = {
    "schema": "kernel",
    "code": "kernel",
    "currency": "kernel",
    "time_zone": "kernel",
    "language": "kernel",
    "title": "kernel",
    "summary": "kernel",
    "event": "tourney",
    "sections": "registration",
    "eligibility": "registration",
    "registration": "registration",
    "fees": "registration",
    "payment": "registration",
    "stages": "swiss, brackets",
    "match_formats": "brackets",
    "rating": "swiss",
    "clock": "swiss",
    "schedule": "swiss",
    "lateness": "swiss",
    "conduct": "tourney",
    "sanctions": "registration",
    "appeals": "registration",
    "playoff": "prizes",
    "prizes": "prizes",
    "lotteries": "prizes",
    "awards": "prizes",
    "fund": "prizes",
    "broadcast": "tourney",
    "clauses": "tourney",
    "readings": "tourney",
}

T = TypeVar("T")
E = TypeVar("E", bound=str)


class Node:
    """One place in rule data, with its path; reading a value checks its type and remembers that the key was known."""

    def __init__(self, value: Any, path: str = "") -> None:
        if not isinstance(value, Mapping):
            raise RuleError(path, "rule.expected_table", got=_kind(value))
        self.value: Mapping[str, Any] = value
        self.path = path
        self._seen: set[str] = set()

    def at(self, key: str) -> str:
        """Return the path of a key of this table."""
        return f"{self.path}.{key}" if self.path else key

    def has(self, key: str) -> bool:
        self._seen.add(key)
        return self.value.get(key) is not None

    def raw(self, key: str) -> Any:
        """Return the value as it is (None when absent)."""
        self._seen.add(key)
        return self.value.get(key)

    def fail(self, key: str, code: str, **values: Any) -> RuleError:
        """Return (not raise) an error at a key of this table."""
        return RuleError(self.at(key), code, **values)

    def _get(self, key: str, default: Any) -> Any:
        self._seen.add(key)
        value = self.value.get(key)
        if value is None:
            if default is _REQUIRED:
                raise self.fail(key, "rule.missing")
            return default
        return value

    def text(self, key: str, default: Any = ...) -> str:
        value = self._get(key, _REQUIRED if default is ... else default)
        if not isinstance(value, str):
            raise self.fail(key, "rule.expected_text", got=_kind(value))
        return value

    def integer(self, key: str, default: Any = ..., *, low: int | None = None, high: int | None = None) -> int:
        value = self._get(key, _REQUIRED if default is ... else default)
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.fail(key, "rule.expected_number", got=_kind(value))
        if (low is not None and value < low) or (high is not None and value > high):
            raise self.fail(key, "rule.out_of_range", got=value, low=low, high=high)
        return value

    def optional_integer(self, key: str, *, low: int | None = None, high: int | None = None) -> int | None:
        return self.integer(key, low=low, high=high) if self.has(key) else None

    def flag(self, key: str, default: Any = ...) -> bool:
        value = self._get(key, _REQUIRED if default is ... else default)
        if not isinstance(value, bool):
            raise self.fail(key, "rule.expected_flag", got=_kind(value))
        return value

    def choice(self, key: str, options: Iterable[E], default: Any = ...) -> E:
        value = self._get(key, _REQUIRED if default is ... else default)
        known = list(options)
        for option in known:
            if value == option:
                return option
        raise self.fail(key, "rule.not_an_option", got=value, options=[str(option) for option in known])

    def money(self, key: str, currency: str, default: Any = ..., *, low: int | None = 0) -> Money:
        value = self._get(key, _REQUIRED if default is ... else default)
        if isinstance(value, Money):
            return value
        try:
            amount = Money.parse(value, currency)
        except ValueError as error:
            raise self.fail(key, "rule.expected_money", got=str(value)) from error
        if low is not None and amount.minor < low:
            raise self.fail(key, "rule.negative_money", got=str(value))
        return amount

    def words(self, key: str, default: Any = ...) -> dict[str, str]:
        """Return text in up to three languages: a table of uk, ru, en."""
        value = self._get(key, _REQUIRED if default is ... else default)
        if not isinstance(value, Mapping) or not all(
            code in LANGUAGES and isinstance(text, str) for code, text in value.items()
        ):
            raise self.fail(key, "rule.expected_words", got=_kind(value))
        return dict(value)

    def integers(self, key: str, default: Any = ..., *, low: int | None = None) -> tuple[int, ...]:
        values = self._list(key, default)
        for index, value in enumerate(values):
            if isinstance(value, bool) or not isinstance(value, int) or (low is not None and value < low):
                raise RuleError(f"{self.at(key)}[{index}]", "rule.expected_number", got=str(value))
        return tuple(values)

    def texts(self, key: str, default: Any = ...) -> tuple[str, ...]:
        values = self._list(key, default)
        for index, value in enumerate(values):
            if not isinstance(value, str):
                raise RuleError(f"{self.at(key)}[{index}]", "rule.expected_text", got=_kind(value))
        return tuple(values)

    def node(self, key: str) -> Node:
        """Return a table inside this one (an empty one when absent)."""
        return Node(self._get(key, {}), self.at(key))

    def nodes(self, key: str) -> Iterator[Node]:
        """Yield the tables of a list of tables."""
        for index, value in enumerate(self._list(key, [])):
            yield Node(value, f"{self.at(key)}[{index}]")

    def _list(self, key: str, default: Any) -> Sequence[Any]:
        value = self._get(key, _REQUIRED if default is ... else default)
        if isinstance(value, str) or not isinstance(value, Sequence):
            raise self.fail(key, "rule.expected_list", got=_kind(value))
        return value

    def finish(self) -> None:
        """Refuse keys nobody asked for: a misspelt rule must not be silently without effect."""
        for key in self.value:
            if key not in self._seen:
                raise self.fail(key, "rule.unknown_key", known=sorted(self._seen))


_REQUIRED = object()


def _kind(value: Any) -> str:
    return type(value).__name__


@dataclass(frozen=True, slots=True)
class StageChoice:
    """One step of a section: the first option whose `when` fits the head-count is played."""

    code: str
    title: Mapping[str, str]
    options: tuple[Mapping[str, Any], ...]
    path: str


@dataclass(frozen=True, slots=True)
class RegulationSpec:
    """A parsed envelope; `blocks` keeps every block as plain data for its engine."""

    code: str
    currency: str
    time_zone: str
    language: str
    title: Mapping[str, str]
    blocks: Mapping[str, Any]

    def block(self, name: str) -> Any:
        """Return a block's plain data (an empty table when the regulation is silent)."""
        return self.blocks.get(name, {})

    def stages(self) -> tuple[StageChoice, ...]:
        """Return the steps every section goes through, in order."""
        return tuple(
            _stage(Node(value, f"stages[{index}]")) for index, value in enumerate(self.blocks.get("stages", []))
        )


def _stage(node: Node) -> StageChoice:
    options = node.raw("options")
    if not isinstance(options, Sequence) or not options:
        raise node.fail("options", "rule.missing")
    choice = StageChoice(node.text("code"), node.words("title", {}), tuple(options), node.path)
    node.finish()
    return choice


def parse(data: Mapping[str, Any]) -> RegulationSpec:
    """Return the envelope of a regulation; RuleError names the path of what is wrong."""
    for key in data:
        if key not in BLOCKS:
            raise RuleError(key, "rule.unknown_key", known=sorted(BLOCKS))
    node = Node(data)
    node.integer("schema", low=SCHEMA, high=SCHEMA)
    spec = RegulationSpec(
        code=node.text("code"),
        currency=node.text("currency", "UAH"),
        time_zone=node.text("time_zone", "Europe/Kyiv"),
        language=node.choice("language", LANGUAGES, "uk"),
        title=node.words("title"),
        blocks=data,
    )
    codes = [stage.code for stage in spec.stages()]
    for index, code in enumerate(codes):
        if code in codes[:index]:
            raise RuleError(f"stages[{index}].code", "rule.twice", got=code)
    return spec


_DAY = re.compile(r"^start(?:([+-]\d+)d)?(?: (\d\d:\d\d))?$")
_YEAR = re.compile(r"^year([+-]\d+)?$")


def resolve_dates(value: T, start: date) -> T:
    """Return rule data with every relative date made absolute for an event that begins on `start`."""

    def resolve(item: Any) -> Any:
        if isinstance(item, str):
            if match := _DAY.match(item):
                day = start + timedelta(days=int(match[1] or 0))
                return f"{day.isoformat()}T{match[2]}" if match[2] else day.isoformat()
            if match := _YEAR.match(item):
                return start.year + int(match[1] or 0)
            return item
        if isinstance(item, Mapping):
            return {key: resolve(inner) for key, inner in item.items()}
        if isinstance(item, Sequence):
            return [resolve(inner) for inner in item]
        return item

    resolved: T = resolve(value)
    return resolved


@dataclass(frozen=True, slots=True)
class Change:
    """One difference between two versions of a regulation: what a path was and what it is."""

    path: str
    old: Any
    new: Any


def diff(old: Any, new: Any, path: str = "") -> list[Change]:
    """Return the differences of two versions, in the order of the text; a missing value is None."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        keys = sorted({*old, *new}, key=_block_order)
        return [c for key in keys for c in diff(old.get(key), new.get(key), f"{path}.{key}" if path else key)]
    if isinstance(old, list) and isinstance(new, list) and (_has_tables(old) or _has_tables(new)):
        longest = max(len(old), len(new))
        padded = [[*items, *([None] * (longest - len(items)))] for items in (old, new)]
        return [c for i in range(longest) for c in diff(padded[0][i], padded[1][i], f"{path}[{i}]")]
    return [] if old == new else [Change(path, old, new)]


def _has_tables(items: list[Any]) -> bool:
    return any(isinstance(item, Mapping) for item in items)


def _block_order(key: str) -> tuple[int, str]:
    order = list(BLOCKS)
    return (order.index(key) if key in order else len(order), key)


def set_at(data: Mapping[str, Any], path: str, value: Any) -> dict[str, Any]:
    """Return a copy of rule data with the value at a path replaced (None removes a key); KeyError for a bad path."""
    steps: list[str | int] = [int(i) if i else k for k, i in re.findall(r"([^.\[\]]+)|\[(\d+)\]", path)]

    def put(item: Any, rest: list[str | int]) -> Any:
        if not rest:
            return value
        step, *after = rest
        if isinstance(step, int):
            if not isinstance(item, list) or step >= len(item):
                raise KeyError(path)
            return [put(inner, after) if i == step else inner for i, inner in enumerate(item)]
        if not isinstance(item, Mapping):
            raise KeyError(path)
        changed = dict(item)
        new = put(item.get(step, {}), after)
        if new is None:
            changed.pop(step, None)
        else:
            changed[step] = new
        return changed

    result: dict[str, Any] = put(data, steps)
    return result


def fits(when: Mapping[str, Any] | None, players: int, path: str) -> bool:
    """Return whether a head-count satisfies a `when` table: a closed set of predicates, all must hold."""
    node = Node(when or {}, path)
    least = node.optional_integer("players_at_least", low=0)
    most = node.optional_integer("players_at_most", low=0)
    node.finish()
    return (least is None or players >= least) and (most is None or players <= most)
