"""The envelope of a regulation: named blocks of plain data, each parsed by the engine that owns it.

A regulation is a mapping read from TOML (a preset) or JSON (an event's numbered version). This module knows the names
of the blocks and the stages. What a block means is the business of its engine, which reads it with a `Node`.

Presets write dates relative to the event: ``start-5d`` (a day), ``start-3d 20:00`` (a local time), ``year-9`` (a birth
year). `resolve_dates` makes them absolute when an event is created; an event's own regulation has absolute dates only.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, TypeVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from tourney.kernel.errors import RuleError
from tourney.kernel.node import Node
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
    "categories": "prizes",
    "prizes": "prizes",
    "lotteries": "prizes",
    "awards": "prizes",
    "fund": "prizes",
    "broadcast": "tourney",
    "clauses": "tourney",
    "readings": "tourney",
}

T = TypeVar("T")


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

    @property
    def zone(self) -> ZoneInfo:
        """The event's time zone; RuleError ``rule.unknown_time_zone``."""
        return read_zone(self.time_zone)

    def stages(self) -> tuple[StageChoice, ...]:
        """Return the steps every section goes through, in order."""
        return tuple(
            _stage(Node(value, f"stages[{index}]")) for index, value in enumerate(self.blocks.get("stages", []))
        )


def read_zone(name: str, path: str = "time_zone") -> ZoneInfo:
    """Return the time zone of that name; RuleError ``rule.unknown_time_zone``."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise RuleError(path, "rule.unknown_time_zone", got=name) from error


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


_DAY = re.compile(r"^start(?:([+-]\d{1,4})d)?(?: (\d\d:\d\d))?$")
_YEAR = re.compile(r"^year([+-]\d{1,4})?$")


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
