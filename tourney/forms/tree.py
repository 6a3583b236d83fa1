"""A block of rule data as a tree of typed texts: read from data, read from a posted form, changed by a button.

While a form is open, everything is text as a person typed it: nothing is lost when a row is added, moved or removed,
and nothing has to be right yet. Names of fields are the steps of the path joined by hyphens: ``rules-2-amount``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from tourney.kernel.text import LANGUAGES
from tourney.regulation_schema.nodes import (
    NAME,
    Choice,
    Codes,
    Flag,
    Leaf,
    Many,
    MaybeFlag,
    Node,
    Numbers,
    Order,
    Rows,
    Table,
    Words,
)

MOST_ROWS = 200
REST, SET, COUNT, KIND = "_rest", "_set", "_count", "_kind"
VALUE = "_value"  # the key of the one value in a row that is not a table


@dataclass
class Branch:
    """A table: typed texts by key, tables and lists inside it, and `rest`, the keys no form shows.

    `had` are the keys that stood in the data: a default that was written out stays written out.
    """

    texts: dict[str, Any] = field(default_factory=dict)
    inside: dict[str, Branch | list[Branch]] = field(default_factory=dict)
    rest: dict[str, Any] = field(default_factory=dict)
    had: set[str] = field(default_factory=set)
    kind: str = ""


def order_rows(node: Order) -> Rows:
    """Return the list of choices an ordered list is edited as."""
    choice = Choice(key=VALUE, label=node.label, options=node.options, source=node.source)
    return Rows(key=node.key, label=node.label, item=_("line"), help=node.help, scalar=choice)


# -- from data ---------------------------------------------------------------------------------------------------------


def from_data(node: Table | Rows, value: Any) -> Branch | list[Branch]:
    """Return the tree of a block; whatever has an unexpected form is kept aside, untouched."""
    if isinstance(node, Rows):
        return _rows_from_data(node, value)
    return _table_from_data(node.fields, value if isinstance(value, Mapping) else {})


def _table_from_data(fields: tuple[Node, ...], value: Mapping[str, Any], skip: tuple[str, ...] = ()) -> Branch:
    branch = Branch()
    known = set(skip)
    for node in fields:
        known.add(node.key)
        present = value.get(node.key) is not None
        if present:
            branch.had.add(node.key)
        inner = value.get(node.key)
        match node:
            case Order():
                rows = inner if isinstance(inner, list) else []
                branch.inside[node.key] = [Branch(texts={VALUE: str(item)}) for item in rows]
            case Rows():
                if present and not isinstance(inner, Mapping if node.named_by else list):
                    branch.rest[node.key] = inner
                else:
                    branch.inside[node.key] = _rows_from_data(node, inner)
            case Table():
                if present and not isinstance(inner, Mapping):
                    branch.rest[node.key] = inner
                else:
                    branch.inside[node.key] = _table_from_data(node.fields, inner or {})
            case _:
                if present and not _fits(node, inner):
                    branch.rest[node.key] = inner
                else:
                    branch.texts[node.key] = _typed(node, inner)
    branch.rest |= {key: inner for key, inner in value.items() if key not in known}
    return branch


def _rows_from_data(node: Rows, value: Any) -> list[Branch]:
    if node.named_by is not None:
        items = list(value.items()) if isinstance(value, Mapping) else []
        return [_named_row(node, name, inner) for name, inner in items]
    return [_row(node, inner) for inner in (value if isinstance(value, list) else [])]


def _named_row(node: Rows, name: Any, inner: Any) -> Branch:
    branch = _row(node, inner)
    branch.texts[NAME] = str(name)
    return branch


def _row(node: Rows, inner: Any) -> Branch:
    if node.scalar is not None:
        return Branch(texts={VALUE: _typed(node.scalar, inner)})
    row = inner if isinstance(inner, Mapping) else {}
    kind = node.kind_of(row)
    branch = _table_from_data(node.fields_of(row), row, (node.tag,) if node.tag and kind else ())
    branch.kind = kind.name if kind else ""
    return branch


def _fits(leaf: Leaf, value: Any) -> bool:
    """Return whether a form can show a value of the data."""
    match leaf:
        case Words():
            return isinstance(value, Mapping) and all(key in LANGUAGES for key in value)
        case Many() | Codes() | Numbers():
            return isinstance(value, list) and not any(isinstance(item, Mapping | list) for item in value)
        case Flag() | MaybeFlag():
            return isinstance(value, bool)
    return not isinstance(value, Mapping | list)


def _typed(leaf: Leaf, value: Any) -> Any:
    match leaf:
        case Words():
            return {code: str((value or {}).get(code, "")) for code in LANGUAGES}
        case Many():
            values = value if value is not None else (leaf.default or [])
            return [str(item) for item in values]
        case Codes() | Numbers():
            return ", ".join(str(item) for item in value or [])
        case Flag():
            return bool(leaf.default) if value is None else bool(value)
        case MaybeFlag():
            return "" if value is None else "yes" if value else "no"
    return "" if value is None else str(value)


# -- from a posted form ------------------------------------------------------------------------------------------------


def from_post(node: Table | Rows, post: QueryDict, name: str = "") -> Branch | list[Branch]:
    """Return the tree as it was typed."""
    if isinstance(node, Rows):
        return _rows_from_post(node, post, name)
    return _table_from_post(node.fields, post, name)


def join(name: str, key: Any) -> str:
    return f"{name}-{key}" if name else str(key)


def _table_from_post(fields: tuple[Node, ...], post: QueryDict, name: str) -> Branch:
    branch = Branch(rest=_rest(post.get(join(name, REST), "")))
    branch.had = set(filter(None, post.get(join(name, SET), "").split(",")))
    for node in fields:
        if node.key in branch.rest:
            continue
        inner = join(name, node.key)
        match node:
            case Order():
                branch.inside[node.key] = _rows_from_post(order_rows(node), post, inner)
            case Rows():
                branch.inside[node.key] = _rows_from_post(node, post, inner)
            case Table():
                branch.inside[node.key] = _table_from_post(node.fields, post, inner)
            case _:
                branch.texts[node.key] = _posted(node, post, inner)
    return branch


def _rows_from_post(node: Rows, post: QueryDict, name: str) -> list[Branch]:
    count = post.get(join(name, COUNT), "0")
    rows = []
    for index in range(min(int(count), MOST_ROWS) if count.isdecimal() else 0):
        inner = join(name, index)
        if node.scalar is not None:
            row = Branch(texts={VALUE: _posted(node.scalar, post, join(inner, VALUE))})
        else:
            kind = post.get(join(inner, KIND), "")
            fields = next((each.fields for each in node.kinds if each.name == kind), node.fields)
            row = _table_from_post(fields, post, inner)
            row.kind = kind
        if node.named_by is not None:
            row.texts[NAME] = post.get(join(inner, NAME), "")
        rows.append(row)
    return rows


def _posted(leaf: Leaf, post: QueryDict, name: str) -> Any:
    match leaf:
        case Words():
            return {code: post.get(join(name, code), "") for code in LANGUAGES}
        case Many():
            return post.getlist(name)
        case Flag():
            return name in post
    return post.get(name, "")


def _rest(text: str) -> dict[str, Any]:
    """Return the keys a form carries along unseen; they are rule data like any other and are checked as such."""
    try:
        value = json.loads(text) if text else {}
    except json.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}


# -- buttons -----------------------------------------------------------------------------------------------------------


def apply(node: Table | Rows, tree: Branch | list[Branch], act: str, target: str) -> None:
    """Add, remove or move a row. `target` is the name of the list (``rules:early`` to add) or of the row (``rules-2``).

    A target that isn't there has no effect: the page it came from was an old one.
    """
    name, _, kind = target.partition(":")
    steps = name.split("-") if name else []
    if act == "add":
        found = _find(node, tree, steps)
        if found is not None:
            rows, schema = found
            if len(rows) < MOST_ROWS:
                rows.append(_empty(schema, kind))
        return
    if not steps or not steps[-1].isdecimal():
        return
    index = int(steps[-1])
    found = _find(node, tree, steps[:-1])
    if found is None or index >= len(found[0]):
        return
    rows = found[0]
    if act == "remove":
        del rows[index]
    else:
        other = index + (1 if act == "down" else -1)
        if 0 <= other < len(rows):
            rows[index], rows[other] = rows[other], rows[index]


def _find(node: Node, tree: Any, steps: list[str]) -> tuple[list[Branch], Rows] | None:
    if isinstance(node, Order):
        node = order_rows(node)
    if not steps:
        return (tree, node) if isinstance(node, Rows) and isinstance(tree, list) else None
    step, *after = steps
    if isinstance(node, Rows):
        if not isinstance(tree, list) or not step.isdecimal() or int(step) >= len(tree):
            return None
        row = tree[int(step)]
        fields = next((kind.fields for kind in node.kinds if kind.name == row.kind), node.fields)
        return _find(Table(key="", label="", fields=fields), row, after)
    if isinstance(node, Table) and isinstance(tree, Branch):
        field_node = next((each for each in node.fields if each.key == step), None)
        inner = tree.inside.get(step)
        return _find(field_node, inner, after) if field_node is not None and inner is not None else None
    return None


def _empty(node: Rows, kind: str) -> Branch:
    if node.scalar is not None:
        return Branch(texts={VALUE: _typed(node.scalar, None), NAME: ""})
    chosen = next((each for each in node.kinds if each.name == kind), None)
    row = _table_from_data(chosen.fields if chosen else node.fields, {})
    row.kind = chosen.name if chosen else ""
    return row
