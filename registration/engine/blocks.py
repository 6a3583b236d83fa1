"""Reads the values that only the rules of entering and paying need: percentages, deadlines, codes, clauses.

Everything else (unknown keys, paths, money, words) is the kernel's `Node`.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import tzinfo
from decimal import Decimal, InvalidOperation
from typing import Any, TypeVar

from registration.engine.moments import Deadline, deadline
from tourney.kernel.errors import RuleError
from tourney.kernel.money import Money
from tourney.kernel.node import Node
from tourney.kernel.text import is_code

E = TypeVar("E", bound=str)
LONGEST_CLAUSE = 12


class Block(Node):
    """A table of rule data with the readers of this app."""

    def clause(self) -> str:
        """Return the clause of the regulation a rule answers to ("" where the text is silent); always required."""
        clause = self.text("clause")
        if len(clause) > LONGEST_CLAUSE:
            raise self.fail("clause", "rule.too_long", longest=LONGEST_CLAUSE)
        return clause

    def code(self, key: str, default: Any = ...) -> str:
        """Return a code: Latin letters, digits, a few signs."""
        value = self.text(key, default)
        if not is_code(value):
            raise self.fail(key, "rule.not_a_code", got=value)
        return value

    def codes(self, key: str, default: Any = ...) -> tuple[str, ...]:
        """Return a list of codes, each only once."""
        values = self.texts(key, default)
        for index, value in enumerate(values):
            path = f"{self.at(key)}[{index}]"
            if not is_code(value):
                raise RuleError(path, "rule.not_a_code", got=value)
            if value in values[:index]:
                raise RuleError(path, "rule.twice", got=value)
        return values

    def optional_flag(self, key: str) -> bool | None:
        """Return yes or no, or None when absent."""
        return self.flag(key) if self.has(key) else None

    def percent(self, key: str) -> Decimal:
        """Return a percentage from 0 to 100; one with decimals is written as text, never as a float."""
        value = self.raw(key)
        if value is None:
            raise self.fail(key, "rule.missing")
        try:
            percent = Decimal(value) if isinstance(value, int | str) and not isinstance(value, bool) else Decimal("NaN")
        except InvalidOperation:
            percent = Decimal("NaN")
        if not percent.is_finite() or not 0 <= percent <= 100:
            raise self.fail(key, "rule.not_a_percentage", got=str(value))
        return percent

    def amount(self, key: str, currency: str) -> Money:
        """Return an amount of zero or more, written in major units as text or a whole number, never as a float."""
        if isinstance(self.raw(key), bool | float):
            raise self.fail(key, "rule.expected_money", got=str(self.raw(key)))
        return self.money(key, currency)

    def deadline(self, key: str, zone: tzinfo, *, inclusive: bool) -> Deadline:
        """Return a day or a moment by the event's clock; `inclusive`: that day or moment still counts."""
        value = self.text(key)
        try:
            return deadline(value, zone, inclusive=inclusive)
        except ValueError as error:
            raise self.fail(key, "rule.not_a_moment", got=value) from error

    def optional_deadline(self, key: str, zone: tzinfo, *, inclusive: bool = True) -> Deadline | None:
        """Return a deadline, or None when absent."""
        return self.deadline(key, zone, inclusive=inclusive) if self.has(key) else None

    def titles(self, key: str) -> Mapping[str, Mapping[str, str]]:
        """Return a table of codes and their words, for instance the levels or claims a form offers."""
        block = self.node(key)
        for code in block.value:
            if not is_code(code):
                raise block.fail(code, "rule.not_a_code", got=code)
        return {code: block.words(code) for code in block.value}
