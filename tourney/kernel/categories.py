"""Categories inside a group: best girl, best under 12, best of a district – places among some, from the same games.

A category is conditions that must all hold. What isn't known of a player fulfils none (no birth year: not under 12),
but who has no rating is below every rating.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tourney.kernel.errors import RuleError
from tourney.kernel.node import Node

SEXES = ("", "M", "F")


@dataclass(frozen=True, slots=True)
class Person:
    """What conditions look at."""

    sex: str = ""
    birth_year: int | None = None
    district: str = ""
    level: str = ""
    rating: int | None = None


@dataclass(frozen=True, slots=True)
class CategoryRule:
    """One category. `sections` empty: every group has it. Years are the first and the last one that belong to it."""

    code: str
    title: Mapping[str, str]
    sections: tuple[str, ...] = ()
    sex: str = ""
    birth_years: tuple[int, ...] = ()
    district: str = ""
    level: str = ""
    rating_below: int | None = None
    clause: str = ""

    @property
    def conditions(self) -> dict[str, Any]:
        """The conditions as plain data, without those that ask for nothing."""
        every = {
            "sex": self.sex,
            "birth_years": list(self.birth_years),
            "district": self.district,
            "level": self.level,
            "rating_below": self.rating_below,
        }
        return {key: value for key, value in every.items() if value}

    def is_in(self, section: str) -> bool:
        """Return whether a group has this category."""
        return not self.sections or section in self.sections


def belongs(person: Person, conditions: Mapping[str, Any]) -> bool:
    """Return whether a person fulfils conditions as `CategoryRule.conditions` writes them."""
    years = conditions.get("birth_years")
    below = conditions.get("rating_below")
    return (
        (not conditions.get("sex") or person.sex == conditions["sex"])
        and (not years or (person.birth_year is not None and years[0] <= person.birth_year <= years[-1]))
        and (not conditions.get("district") or _plain(person.district) == _plain(conditions["district"]))
        and (not conditions.get("level") or person.level == conditions["level"])
        and (not below or person.rating is None or person.rating < below)
    )


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def parse_categories(block: Any, path: str = "categories") -> tuple[CategoryRule, ...]:
    """Return the categories of a regulation.

    Raises RuleError ``category.everybody`` (no condition: it would be the group itself), ``rule.twice`` (two of one
    code in a group), ``rule.not_a_range`` (birth years) and the codes of `Node`.
    """
    if isinstance(block, (str, Mapping)) or not isinstance(block, Sequence):
        raise RuleError(path, "rule.expected_list", got=type(block).__name__)
    found: list[CategoryRule] = []
    for index, value in enumerate(block):
        node = Node(value, f"{path}[{index}]")
        years = node.integers("birth_years", (), low=1900)
        if years and (len(years) > 2 or years[0] > years[-1]):
            raise node.fail("birth_years", "rule.not_a_range", got=str(list(years)))
        rule = CategoryRule(
            node.text("code"),
            node.words("title", {}),
            node.texts("sections", ()),
            node.choice("sex", SEXES, ""),
            years,
            node.text("district", "").strip(),
            node.text("level", ""),
            node.optional_integer("rating_below", low=1, high=4000),
            node.text("clause", ""),
        )
        node.finish()
        if not rule.conditions:
            raise node.fail("code", "category.everybody", got=rule.code)
        for other in found:
            if other.code == rule.code and overlap(other.sections, rule.sections):
                raise node.fail("code", "rule.twice", got=rule.code)
        found.append(rule)
    return tuple(found)


def check_known(category: str, sections: Sequence[str], known: Collection[CategoryRule], path: str) -> None:
    """Raise RuleError ``prize.unknown_category`` when a prize names a category none of its groups has."""
    if category and not any(rule.code == category and overlap(rule.sections, tuple(sections)) for rule in known):
        raise RuleError(path, "prize.unknown_category", got=category, options=sorted({rule.code for rule in known}))


def overlap(one: Sequence[str], other: Sequence[str]) -> bool:
    """Return whether two lists of groups have one in common; an empty list means all."""
    return not one or not other or bool(set(one) & set(other))
