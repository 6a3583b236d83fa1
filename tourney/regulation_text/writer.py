"""What a text is made of, and the small helps every chapter uses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from tourney.kernel.paths import block_of
from tourney.kernel.text import in_language
from tourney.regulation_schema.nodes import Choice, Many, Order
from tourney.regulation_schema.paths import amount_words, moment_words, node_at, options_of


@dataclass(frozen=True, slots=True)
class Item:
    """A clause: its number in this text, its words, lines below it, and the path of the rule it tells.

    `clause` is the number in the organizer's own regulation ("": none).
    """

    text: str
    path: str
    lines: tuple[str, ...] = ()
    clause: str = ""
    number: str = ""

    @property
    def block(self) -> str:
        return block_of(self.path)


@dataclass(frozen=True, slots=True)
class Chapter:
    key: str
    title: str
    items: tuple[Item, ...]
    number: int = 0


@dataclass
class Writer:
    """Collects the clauses of one chapter. `event` is the Tournament when the text is that of a real event."""

    data: Mapping[str, Any]
    event: Any = None
    items: list[Item] = field(default_factory=list)

    def say(self, text: Any, path: str, *, lines: Iterable[Any] = (), clause: Any = "") -> None:
        self.items.append(Item(str(text), path, tuple(str(line) for line in lines), str(clause or "")))

    def block(self, name: str) -> Mapping[str, Any]:
        """Return a block that is a table (an empty one when the regulation is silent)."""
        value = self.data.get(name)
        return value if isinstance(value, Mapping) else {}

    def rows(self, name: str) -> list[Mapping[str, Any]]:
        """Return a block that is a list of tables."""
        value = self.data.get(name)
        return [row for row in value if isinstance(row, Mapping)] if isinstance(value, list) else []

    def words(self, text: Any) -> str:
        """Return user text in the reader's language, else in the event's."""
        if not isinstance(text, Mapping):
            return ""
        return in_language(text, (get_language() or "uk")[:2], str(self.data.get("language", "uk")))

    def money(self, value: Any) -> str:
        return amount_words(value, self.data)

    def moment(self, value: Any) -> str:
        return moment_words(value)

    def label(self, path: str, value: Any) -> str:
        """Return the word for one of the options at a path."""
        node = node_at(path, self.data)
        if isinstance(node, Choice | Many | Order):
            options = {**node.options, **options_of(node, self.data)}
            return str(options.get(value, value))
        return str(value)

    def labels(self, path: str, values: Any) -> str:
        """Return several options of a path as a list in words."""
        return listed([self.label(path, value) for value in values or []])

    def own_clauses(self, *blocks: str) -> None:
        """Add the clauses the organizer wrote by hand for these blocks."""
        for index, clause in enumerate(self.rows("clauses")):
            if clause.get("block", "general") in blocks:
                self.say(self.words(clause.get("text")), f"clauses[{index}]", clause=clause.get("id"))


def listed(words: Iterable[Any]) -> str:
    """Return ``a, b and c``."""
    items = [str(word) for word in words]
    if len(items) < 2:
        return "".join(items)
    return _("%(first)s and %(last)s") % {"first": ", ".join(items[:-1]), "last": items[-1]}


def either(words: Iterable[Any]) -> str:
    """Return ``a, b or c``."""
    items = [str(word) for word in words]
    if len(items) < 2:
        return "".join(items)
    return _("%(first)s or %(last)s") % {"first": ", ".join(items[:-1]), "last": items[-1]}


def minutes(value: Any) -> str:
    """Return ``30 minutes``."""
    return ngettext("%(count)s minute", "%(count)s minutes", int(value)) % {"count": value}


def clock_words(text: Any) -> str:
    """Return ``90 minutes + 30 seconds a move``, or ``5 minutes``."""
    main, _, increment = str(text).partition("+")
    if not main.isdigit() or (increment and not increment.isdigit()):
        return str(text)
    if not increment or int(increment) == 0:
        return minutes(main)
    return ngettext(
        "%(minutes)s + %(count)s second a move", "%(minutes)s + %(count)s seconds a move", int(increment)
    ) % {"minutes": minutes(main), "count": increment}
