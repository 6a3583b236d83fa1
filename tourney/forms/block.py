"""The form of one block of a regulation, made from its schema, and the data that comes out of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from crispy_forms.helper import FormHelper
from crispy_forms.layout import Div, Field, Fieldset, Layout
from django import forms
from django.utils.html import format_html
from django.utils.translation import gettext as _

from tourney.forms.parts import adders, details, html, kept, row_buttons, row_head
from tourney.forms.tree import COUNT, KIND, REST, SET, VALUE, Branch, join, order_rows
from tourney.forms.values import PLACEHOLDERS, READERS, RuleField, read_time
from tourney.kernel.paths import steps
from tourney.kernel.text import LANGUAGES
from tourney.labels import sentence
from tourney.regulation_checks import Problem
from tourney.regulation_schema.nodes import (
    NAME,
    Choice,
    Codes,
    Flag,
    Leaf,
    Many,
    MaybeFlag,
    Node,
    Number,
    Numbers,
    Order,
    Rows,
    Table,
    Text,
    TimeOfDay,
    Words,
)
from tourney.regulation_schema.paths import options_of, path_label

LANGUAGE_NAMES = {"uk": "Українська", "ru": "Русский", "en": "English"}


class BlockForm(forms.Form):
    """A form over a tree. Unbound it shows what is typed so far; bound it checks every value by itself.

    What values mean together is the business of `check_spec`; its problems come back to the fields by
    `show_problems`.
    """

    def __init__(
        self, schema: Table | Rows, tree: Branch | list[Branch], data: Mapping[str, Any], *, check: bool
    ) -> None:
        self.schema, self.tree, self.regulation = schema, tree, data
        self.main_language = str(data.get("language", "uk"))
        self._made: dict[str, forms.Field] = {}
        self._typed: dict[str, Any] = {}
        layout = self._build(schema, tree, "", top=True)
        super().__init__(data=self._typed if check else None, initial=None if check else self._typed)
        self.fields.update(self._made)
        self.helper = FormHelper()
        self.helper.form_tag = False
        self.helper.disable_csrf = True
        self.helper.layout = Layout(*layout)

    # -- building ------------------------------------------------------------------------------------------------------

    def _build(self, node: Node, tree: Any, name: str, *, top: bool = False) -> list[Any]:
        match node:
            case Rows():
                return [self._rows(node, tree, name, top=top)]
            case Table():
                parts = self._table(node.fields, tree, name)
                if top:
                    return parts
                open_now = any(_filled(tree.texts.get(field.key)) for field in node.fields if isinstance(field, Leaf))
                return [details(node, parts, name, open_now=open_now)]
        return []

    def _table(self, fields: tuple[Node, ...], branch: Branch, name: str) -> list[Any]:
        parts: list[Any] = [
            self._hidden(join(name, REST), json.dumps(branch.rest, ensure_ascii=False) if branch.rest else ""),
            self._hidden(join(name, SET), ",".join(sorted(branch.had))),
        ]
        small: list[Any] = []
        for node in fields:
            if node.key in branch.rest:
                small.append(kept(node, branch.rest[node.key], self.regulation))
            elif self._pointless(node, branch):
                continue
            elif isinstance(node, Leaf) and not isinstance(node, Order):
                part, wide = self._leaf(node, branch, join(name, node.key))
                if wide:
                    parts += [Div(*small, css_class="rule-fields")] if small else []
                    parts.append(part)
                    small = []
                else:
                    small.append(part)
            else:
                parts += [Div(*small, css_class="rule-fields")] if small else []
                small = []
                inner = branch.inside.get(node.key, [])
                schema = order_rows(node) if isinstance(node, Order) else node
                parts += self._build(schema, inner, join(name, node.key))
        return parts + ([Div(*small, css_class="rule-fields")] if small else [])

    def _pointless(self, node: Node, branch: Branch) -> bool:
        """Return whether there is nothing to choose: a rule for some groups where there is only one."""
        one_group = isinstance(node, Many) and node.source == "sections" and len(options_of(node, self.regulation)) < 2
        return one_group and not branch.texts.get(node.key)

    def _leaf(self, leaf: Leaf, branch: Branch, name: str) -> tuple[Any, bool]:
        typed = branch.texts.get(leaf.key, "")
        if isinstance(leaf, Words):
            return self._words(leaf, typed or {}, name), True
        self._add(name, self._field(leaf, typed), typed)
        wide = isinstance(leaf, Many) or (isinstance(leaf, Text) and leaf.wide)
        return Field(name, wrapper_class="rule-field"), wide

    def _words(self, leaf: Words, typed: Mapping[str, str], name: str) -> Any:
        codes = sorted(LANGUAGES, key=lambda code: code != self.main_language)
        for code in codes:
            widget = forms.Textarea(attrs={"rows": 3}) if leaf.long else forms.TextInput()
            self._add(
                join(name, code),
                forms.CharField(
                    label=LANGUAGE_NAMES[code],
                    required=leaf.required and code == self.main_language,
                    widget=widget,
                    max_length=2000 if leaf.long else 300,
                ),
                typed.get(code, ""),
            )
        legend = format_html(
            "{}{}", leaf.label, format_html('<span class="quiet"> {}</span>', leaf.help) if leaf.help else ""
        )
        return Fieldset(
            legend,
            *(Field(join(name, code), wrapper_class="rule-field", lang=code) for code in codes),
            css_class="rule-words",
        )

    def _rows(self, node: Rows, rows: list[Branch], name: str, *, top: bool) -> Any:
        parts: list[Any] = [self._hidden(join(name, COUNT), str(len(rows)))]
        if node.help:
            parts.append(html('<p class="form-text">{}</p>', node.help))
        for index, row in enumerate(rows):
            parts.append(self._row(node, row, index, join(name, index), last=index == len(rows) - 1))
        parts.append(adders(node, name))
        return Fieldset(
            str(node.label), *parts, css_class="rule-rows rule-rows-top" if top else "rule-rows", css_id=f"rows-{name}"
        )

    def _row(self, node: Rows, row: Branch, index: int, name: str, *, last: bool) -> Any:
        kind = next((each for each in node.kinds if each.name == row.kind), None)
        inner: list[Any] = []
        if node.named_by is not None:
            typed = row.texts.get(NAME, "")
            self._add(join(name, NAME), self._field(node.named_by, typed), typed)
            inner.append(Field(join(name, NAME), wrapper_class="rule-field rule-name"))
        if node.scalar is not None:
            part, _wide = self._leaf(node.scalar, row, join(name, VALUE))
            inner.append(part)
            simple = not isinstance(node.scalar, Words)
        else:
            inner.append(self._hidden(join(name, KIND), row.kind))
            inner += self._table(kind.fields if kind else node.fields, row, name)
            simple = False
        head = row_head(node, kind, index, row, self.main_language)
        buttons = row_buttons(name, head, first=index == 0, last=last, ordered=node.named_by is None)
        if simple:
            return Div(*inner, buttons, css_class="rule-row rule-row-simple", css_id=f"row-{name}")
        return Div(
            Div(html('<h3 class="rule-row-title">{}</h3>', head), buttons, css_class="rule-row-head"),
            *inner,
            css_class="rule-row",
            css_id=f"row-{name}",
        )

    def _hidden(self, name: str, value: str) -> Any:
        self._add(name, forms.CharField(required=False, widget=forms.HiddenInput, strip=False), value)
        return Field(name)

    def _add(self, name: str, made: forms.Field, typed: Any) -> None:
        self._made[name] = made
        self._typed[name] = typed

    def _field(self, leaf: Leaf, typed: Any) -> forms.Field:
        common: dict[str, Any] = {"label": leaf.label, "help_text": leaf.help, "required": leaf.required}
        match leaf:
            case Flag():
                return forms.BooleanField(**{**common, "required": False})
            case Choice():
                return forms.ChoiceField(**common, choices=self._choices(leaf, typed))
            case MaybeFlag():
                answers = [("", _("either way")), ("yes", _("yes")), ("no", _("no"))]
                return forms.ChoiceField(**common, choices=answers)
            case Many():
                options = {str(key): str(label) for key, label in options_of(leaf, self.regulation).items()}
                # What is chosen stands first, in its own order: a list of the data keeps its order through the form.
                options = {**{value: options.get(value, value) for value in typed}, **options}
                return forms.MultipleChoiceField(
                    **common, choices=list(options.items()), widget=forms.CheckboxSelectMultiple
                )
            case Number():
                return forms.IntegerField(
                    **common,
                    min_value=leaf.low,
                    max_value=leaf.high,
                    widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
                )
            case TimeOfDay():
                return RuleField(**common, read=read_time, widget=forms.TextInput(attrs={"type": "time"}))
        reader = READERS.get(type(leaf))
        placeholder = PLACEHOLDERS.get(type(leaf), "")
        widget = forms.TextInput(attrs={"placeholder": placeholder} if placeholder else {})
        return RuleField(**common, read=reader, widget=widget, max_length=300)

    def _choices(self, leaf: Choice, typed: Any) -> list[tuple[str, str]]:
        options = {str(key): str(label) for key, label in options_of(leaf, self.regulation).items()}
        if typed and typed not in options:
            options[str(typed)] = str(typed)
        if leaf.required and typed:
            return list(options.items())
        usual = options.get(str(leaf.default)) if leaf.default is not None else None
        empty = _("as usual: %(value)s") % {"value": usual} if usual else "—"
        if "" in options:
            return list(options.items())
        return [("", empty), *options.items()]

    # -- what comes out ------------------------------------------------------------------------------------------------

    def value(self) -> Any:
        """Return the block's rule data; only of a form that is valid."""
        return self._value(self.schema, self.tree, "")

    def _value(self, node: Node, tree: Any, name: str) -> Any:
        if isinstance(node, Rows):
            return self._rows_value(node, tree, name)
        fields = node.fields if isinstance(node, Table) else ()
        value = self._table_value(fields, tree, name)
        if isinstance(node, Table) and node.switch and not value.get(node.switch):
            kept = {key: value[key] for key in (node.switch, "clause") if key in value}
            return {node.switch: False, **kept} if any(kept.values()) or tree.had else {}
        return value

    def _table_value(self, fields: tuple[Node, ...], branch: Branch, name: str) -> dict[str, Any]:
        value: dict[str, Any] = {}
        for node in fields:
            inner_name = join(name, node.key)
            if node.key in branch.rest:
                value[node.key] = branch.rest[node.key]
            elif isinstance(node, Leaf) and not isinstance(node, Order):
                found = self._leaf_value(node, inner_name, had=node.key in branch.had)
                if found is not None:
                    value[node.key] = found
            else:
                schema = order_rows(node) if isinstance(node, Order) else node
                found = self._value(schema, branch.inside.get(node.key, []), inner_name)
                kept = isinstance(node, Table) and node.keep_empty
                stood = node.key in branch.had and not isinstance(node, Table)
                if kept or stood or _says(found):
                    value[node.key] = found
        return {**value, **{key: inner for key, inner in branch.rest.items() if key not in value}}

    def _rows_value(self, node: Rows, rows: list[Branch], name: str) -> Any:
        found: list[tuple[str, Any]] = []
        for index, row in enumerate(rows):
            inner = join(name, index)
            if node.scalar is not None:
                value = self._leaf_value(node.scalar, join(inner, VALUE), had=True)
                if value in (None, "") and node.named_by is None:
                    continue
            else:
                kind = next((each for each in node.kinds if each.name == row.kind), None)
                value = self._table_value(kind.fields if kind else node.fields, row, inner)
                if kind and node.tag:
                    value = {node.tag: kind.name, **value}
            found.append((str(self.cleaned_data.get(join(inner, NAME), "")), value))
        if node.named_by is not None:
            return dict(found)
        return [value for _name, value in found]

    def _leaf_value(self, leaf: Leaf, name: str, *, had: bool) -> Any:
        if isinstance(leaf, Words):
            words = {code: self.cleaned_data.get(join(name, code), "").strip() for code in LANGUAGES}
            return {code: text for code, text in words.items() if text} or None
        cleaned = self.cleaned_data.get(name)
        match leaf:
            case Flag():
                return cleaned if had or cleaned != bool(leaf.default) else None
            case MaybeFlag():
                return {"yes": True, "no": False}.get(cleaned or "")
            case Choice():
                return self._option(leaf, cleaned)
            case Many():
                chosen = [self._option(leaf, item) for item in cleaned or []]
                if not chosen:
                    return [] if leaf.default and not had else ([] if had and leaf.default else None)
                return None if not had and chosen == leaf.default else chosen
            case Codes() | Numbers():
                return cleaned if cleaned or had else None
            case Text(blank=True):
                return cleaned or ""
        return None if cleaned in (None, "") else cleaned

    def _option(self, leaf: Choice | Many, typed: str | None) -> Any:
        options = options_of(leaf, self.regulation)
        for option in options:
            if str(option) == typed:
                return option if option != "" else None
        return typed or None

    # -- problems ------------------------------------------------------------------------------------------------------

    def show_problems(self, problems: list[Problem], block: str) -> None:
        """Put what the check found where the person can see it: at the field, else at the head with its path."""
        for problem in problems:
            words = sentence(problem.as_error())
            name = self._name_of(problem.path, block)
            if name is not None:
                self.add_error(name, words)
            else:
                self.add_error(None, f"{path_label(problem.path, self.regulation)}: {words}")

    def _name_of(self, path: str, block: str) -> str | None:
        name, tree = "", self.tree
        for step in map(str, steps(path)[0 if block == "general" else 1 :]):
            if isinstance(tree, list) and any(NAME in row.texts for row in tree):
                step = next((str(i) for i, row in enumerate(tree) if row.texts.get(NAME) == step), step)
            candidate = join(name, step)
            if candidate in self.fields and not isinstance(self.fields[candidate].widget, forms.HiddenInput):
                return candidate
            tree = _step_into(tree, step)
            name = candidate
            if tree is None:
                break
        for ending in (VALUE, self.main_language, NAME):
            if join(name, ending) in self.fields:
                return join(name, ending)
        return None


def _step_into(tree: Any, step: str) -> Any:
    if isinstance(tree, list):
        return tree[int(step)] if step.isdecimal() and int(step) < len(tree) else None
    return tree.inside.get(step) if isinstance(tree, Branch) else None


def _filled(typed: Any) -> bool:
    return any(typed.values()) if isinstance(typed, Mapping) else bool(typed)


def _says(value: Any) -> bool:
    """Return whether a table says anything at all."""
    if isinstance(value, Mapping):
        return any(_says(inner) for inner in value.values())
    return value not in (None, "", [])
