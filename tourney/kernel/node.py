"""Reading rule data with its path, so that every error says where it is: ``fees.discounts[2].percent``.

An engine wraps its block in a `Node`, asks for the keys it knows, and calls `finish`: whatever nobody asked for is an
error, because a misspelt rule must not be silently without effect.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import time
from typing import Any, Self, TypeVar

from tourney.kernel.clocks import Clock
from tourney.kernel.errors import RuleError
from tourney.kernel.money import Money
from tourney.kernel.text import LANGUAGES, is_time_of_day

E = TypeVar("E", bound=str)
_REQUIRED = object()


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
        """Return whether the key has a value."""
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
        """Return a text."""
        value = self._get(key, _REQUIRED if default is ... else default)
        if not isinstance(value, str):
            raise self.fail(key, "rule.expected_text", got=_kind(value))
        return value

    def integer(self, key: str, default: Any = ..., *, low: int | None = None, high: int | None = None) -> int:
        """Return a whole number within its limits."""
        value = self._get(key, _REQUIRED if default is ... else default)
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.fail(key, "rule.expected_number", got=_kind(value))
        if (low is not None and value < low) or (high is not None and value > high):
            raise self.fail(key, "rule.out_of_range", got=value, low=low, high=high)
        return value

    def optional_integer(self, key: str, *, low: int | None = None, high: int | None = None) -> int | None:
        """Return a whole number, or None when absent."""
        return self.integer(key, low=low, high=high) if self.has(key) else None

    def flag(self, key: str, default: Any = ...) -> bool:
        """Return yes or no."""
        value = self._get(key, _REQUIRED if default is ... else default)
        if not isinstance(value, bool):
            raise self.fail(key, "rule.expected_flag", got=_kind(value))
        return value

    def choice(self, key: str, options: Iterable[E], default: Any = ...) -> E:
        """Return the option that is named."""
        value = self._get(key, _REQUIRED if default is ... else default)
        known = list(options)
        for option in known:
            if value == option:
                return option
        raise self.fail(key, "rule.not_an_option", got=value, options=[str(option) for option in known])

    def choices(self, key: str, options: Iterable[E], default: Any = ...) -> tuple[E, ...]:
        """Return a list of options, each at most once."""
        known = list(options)
        found: list[E] = []
        for index, value in enumerate(self.texts(key, default)):
            path = f"{self.at(key)}[{index}]"
            option = next((option for option in known if value == option), None)
            if option is None:
                raise RuleError(path, "rule.not_an_option", got=value, options=[str(option) for option in known])
            if option in found:
                raise RuleError(path, "rule.twice", got=value)
            found.append(option)
        return tuple(found)

    def time_of_day(self, key: str, default: Any = ...) -> time:
        """Return a local time written as ``10:00``."""
        text = self.text(key, default)
        if not is_time_of_day(text):
            raise self.fail(key, "rule.not_a_time", got=text)
        return time.fromisoformat(text)

    def clock(self, key: str) -> Clock:
        """Return a time control written as ``90+30`` or ``5``."""
        text = self.text(key)
        try:
            return Clock.parse(text)
        except ValueError as error:
            raise self.fail(key, "rule.not_a_clock", got=text) from error

    def money(self, key: str, currency: str, default: Any = ..., *, low: int | None = 0) -> Money:
        """Return an amount written in major units."""
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
        """Return a list of whole numbers."""
        values = self._list(key, default)
        for index, value in enumerate(values):
            if isinstance(value, bool) or not isinstance(value, int) or (low is not None and value < low):
                raise RuleError(f"{self.at(key)}[{index}]", "rule.expected_number", got=str(value))
        return tuple(values)

    def texts(self, key: str, default: Any = ...) -> tuple[str, ...]:
        """Return a list of texts."""
        values = self._list(key, default)
        for index, value in enumerate(values):
            if not isinstance(value, str):
                raise RuleError(f"{self.at(key)}[{index}]", "rule.expected_text", got=_kind(value))
        return tuple(values)

    def node(self, key: str) -> Self:
        """Return a table inside this one (an empty one when absent)."""
        return type(self)(self._get(key, {}), self.at(key))

    def nodes(self, key: str) -> Iterator[Self]:
        """Yield the tables of a list of tables."""
        for index, value in enumerate(self._list(key, [])):
            yield type(self)(value, f"{self.at(key)}[{index}]")

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


def _kind(value: Any) -> str:
    return type(value).__name__
