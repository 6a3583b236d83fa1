"""Paths and values of rule data in words: ``fees.rules[2].amount`` becomes "Fees › rule 3 (early payment) › amount"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from django.utils.translation import get_language, ngettext, pgettext
from django.utils.translation import gettext as _

from tourney.formatting import day_text, money_text
from tourney.kernel.money import Money
from tourney.kernel.paths import into, steps
from tourney.kernel.text import in_language
from tourney.regulation_schema.blocks import BLOCK_TITLES, GENERAL_KEYS, block_schema, has_schema
from tourney.regulation_schema.nodes import (
    Amount,
    Choice,
    Flag,
    Leaf,
    Many,
    MaybeFlag,
    Moment,
    Node,
    Order,
    Percent,
    Rows,
    Table,
    Words,
)

SEPARATOR = " › "
NOTHING = "—"


def path_label(path: str, data: Mapping[str, Any] | None = None) -> str:
    """Return a path in words; `data` (the regulation it belongs to) lets rows be named by what they are."""
    return SEPARATOR.join(path_labels(path, data))


def path_labels(path: str, data: Mapping[str, Any] | None = None) -> list[str]:
    """Return the words of a path, step by step; a step nobody has described stays as it is."""
    labels: list[str] = []
    node: Node | None = None
    value: Any = data
    for depth, step in enumerate(steps(path)):
        value = into(value, step)
        if depth == 0:
            node = _root(str(step))
            labels.append(str(BLOCK_TITLES.get("general" if step in GENERAL_KEYS else str(step), step)))
            if step in GENERAL_KEYS and isinstance(node, Leaf):
                labels.append(str(node.label))
        else:
            inner = _inner(node, step, value)
            if isinstance(node, Rows):
                labels.append(item_label(node, value, step))
            elif isinstance(node, Table) and inner is not None:
                labels.append(str(inner.label))
            else:
                labels.append(str(step + 1) if isinstance(step, int) else step)
            node = inner
    return labels


def _root(key: str) -> Node | None:
    if key in GENERAL_KEYS:
        table = block_schema("general")
        return next((field for field in table.fields if field.key == key), None)
    return block_schema(key) if has_schema(key) else None


def _inner(node: Node | None, step: str | int, value: Any) -> Node | None:
    """Return the schema of what is one step further, where `value` stands."""
    match node:
        case Rows(scalar=None):
            return _row_table(node, value)
        case Rows(scalar=scalar):
            return scalar
        case Table(fields=fields):
            return next((field for field in fields if field.key == step), None)
    return node if isinstance(step, int) else None


def _row_table(rows: Rows, row: Any) -> Table:
    fields = rows.fields_of(row) if isinstance(row, Mapping) else rows.fields
    if not fields and rows.kinds:
        fields = tuple(field for kind in rows.kinds for field in kind.fields)
    return Table(key="", label="", fields=fields)


def item_label(rows: Rows, row: Any, position: int | str) -> str:
    """Return what one row of a list is called: by its kind, its name, or its number."""
    if isinstance(position, str):
        return f"{rows.item} {position}"
    name = f"{rows.item} {position + 1}"
    if isinstance(row, Mapping):
        kind = rows.kind_of(row)
        title = in_language(row["title"], _language()) if isinstance(row.get("title"), Mapping) else ""
        what = title or (str(kind.label) if kind else "") or str(row.get("code") or row.get("id") or "")
        if what:
            return f"{name} ({what})"
    return name


def _language() -> str:
    return (get_language() or "uk")[:2]


# -- values ------------------------------------------------------------------------------------------------------------


def value_words(path: str, value: Any, data: Mapping[str, Any]) -> str:
    """Return a value as people read it; nothing is a dash."""
    return node_words(node_at(path, data), value, data)


def node_at(path: str, data: Mapping[str, Any]) -> Node | None:
    """Return the schema of what stands at a path."""
    node: Node | None = None
    value: Any = data
    for depth, step in enumerate(steps(path)):
        value = into(value, step)
        node = _inner(node, step, value) if depth else _root(str(step))
    return node


def node_words(node: Node | None, value: Any, data: Mapping[str, Any]) -> str:
    """Return a value in the words of its schema; without one, as plainly as it can be read."""
    if value is None or value in ("", [], {}):
        return NOTHING
    if isinstance(node, Table) and isinstance(value, Mapping):
        return "; ".join(_parts(node.fields, value, data)) or NOTHING
    if isinstance(node, Rows):
        return _rows_words(node, value, data)
    if isinstance(node, Leaf):
        return _leaf_words(node, value, data)
    if isinstance(value, Mapping):
        return "; ".join(f"{key}: {node_words(None, inner, data)}" for key, inner in value.items())
    if isinstance(value, list):
        return ", ".join(node_words(None, inner, data) for inner in value)
    return _plain(value)


def _rows_words(rows: Rows, value: Any, data: Mapping[str, Any]) -> str:
    if isinstance(value, Mapping):
        items: Sequence[tuple[int | str, Any]] = list(value.items())
    else:
        items = list(enumerate(value)) if isinstance(value, list) else []
    words = []
    for position, row in items:
        inner = rows.scalar if rows.scalar is not None else _row_table(rows, row)
        words.append(f"{item_label(rows, row, position)}: {node_words(inner, row, data)}")
    return "; ".join(words) or NOTHING


def _parts(fields: Sequence[Node], value: Mapping[str, Any], data: Mapping[str, Any]) -> Iterator[str]:
    for field in fields:
        words = node_words(field, value.get(field.key), data)
        if words != NOTHING:
            yield f"{str(field.label).lower()} – {words}"


def _leaf_words(leaf: Leaf, value: Any, data: Mapping[str, Any]) -> str:
    match leaf:
        case Flag() | MaybeFlag():
            return (
                pgettext("answer", "yes")
                if value is True
                else pgettext("answer", "no")
                if value is False
                else str(value)
            )
        case Amount():
            return amount_words(value, data)
        case Percent():
            return f"{value} %"
        case Moment():
            return moment_words(value)
        case Words() if isinstance(value, Mapping):
            return in_language(value, _language()) or NOTHING
        case Choice() | Many() | Order():
            options = {**options_of(leaf, data), **leaf.options}
            values = value if isinstance(value, list) else [value]
            return ", ".join(str(options.get(item, item)) for item in values)
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return _plain(value)


def _plain(value: Any) -> str:
    if value is True:
        return pgettext("answer", "yes")
    if value is False:
        return pgettext("answer", "no")
    return str(value)


def amount_words(value: Any, data: Mapping[str, Any]) -> str:
    """Return an amount of the regulation with its currency; what is no amount stays as it was written."""
    try:
        return money_text(Money.parse(value, str(data.get("currency", "UAH"))))
    except ValueError:
        return str(value)


def moment_words(value: Any) -> str:
    """Return a deadline of the regulation: a day, a day with a time, or (in a preset) days before the event."""
    text = str(value)
    try:
        if len(text) == len("2026-01-20"):
            return day_text(date.fromisoformat(text), year=True)
        moment = datetime.fromisoformat(text)
    except ValueError:
        return relative_words(text)
    return f"{day_text(moment.date(), year=True)}, {moment:%H:%M}"


def relative_words(text: str) -> str:
    """Return ``start-5d 20:00`` as words; any other text as it is."""
    found = re.fullmatch(r"start(?:([+-])(\d+)d)?(?: (\d\d:\d\d))?", text)
    if not found:
        return text
    sign, days, clock = found.groups()
    if not days or int(days) == 0:
        words = _("the first day")
    elif sign == "-":
        words = ngettext("%(count)s day before the start", "%(count)s days before the start", int(days)) % {
            "count": days
        }
    else:
        words = ngettext("%(count)s day after the start", "%(count)s days after the start", int(days)) % {"count": days}
    return f"{words}, {clock}" if clock else words


def options_of(leaf: Choice | Many | Order, data: Mapping[str, Any]) -> Mapping[Any, Any]:
    """Return the options of a choice; some come from the regulation itself (its groups, levels, reasons, formats)."""
    if not leaf.source:
        return leaf.options
    language = _language()
    match leaf.source:
        case "sections":
            rows = data.get("sections") if isinstance(data.get("sections"), list) else []
            return {
                row.get("code"): in_language(row.get("title") or {}, language)
                for row in rows or []
                if isinstance(row, Mapping)
            }
        case "categories":
            listed = data.get("categories") if isinstance(data.get("categories"), list) else []
            return {
                row.get("code"): in_language(row.get("title") or {}, language) or row.get("code")
                for row in listed or []
                if isinstance(row, Mapping)
            }
        case "match_formats":
            block = data.get("match_formats")
            return {name: name for name in block} if isinstance(block, Mapping) else {}
        case "claims":
            found = _inside(data, "fees", "claims")
        case _:
            found = _inside(data, "registration", leaf.source)
    return {code: in_language(words, language) if isinstance(words, Mapping) else code for code, words in found.items()}


def _inside(data: Mapping[str, Any], block: str, key: str) -> Mapping[str, Any]:
    table = data.get(block)
    inner = table.get(key) if isinstance(table, Mapping) else None
    return inner if isinstance(inner, Mapping) else {}
