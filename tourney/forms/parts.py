"""The parts of the editor's page around the fields: tables that fold, heads of rows, buttons that change rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crispy_forms.bootstrap import StrictButton
from crispy_forms.layout import HTML, Div
from django.utils.html import format_html
from django.utils.translation import gettext as _

from tourney.forms.tree import Branch
from tourney.regulation_schema.nodes import NAME, Kind, Node, Rows, Table
from tourney.regulation_schema.paths import node_words


def html(template: str, *values: Any) -> HTML:
    """Return ready markup; braces of a value must not be read as template tags."""
    return HTML("{% verbatim rule %}" + format_html(template, *values) + "{% endverbatim rule %}")


def details(node: Table, parts: list[Any], name: str, *, open_now: bool) -> Div:
    opening = format_html(
        '<details class="rule-table"{}><summary>{}</summary>', " open" if open_now else "", node.label
    )
    note = format_html('<p class="form-text">{}</p>', node.help) if node.help else ""
    return Div(
        HTML("{% verbatim rule %}" + opening + note + "{% endverbatim rule %}"),
        *parts,
        HTML("</details>"),
        css_id=f"table-{name}",
    )


def kept(node: Node, value: Any, data: Mapping[str, Any]) -> HTML:
    words = _("Set in the text view: %(value)s") % {"value": node_words(None, value, data)}
    return html('<div class="rule-field"><p class="form-label">{}</p><p class="quiet">{}</p></div>', node.label, words)


def row_head(node: Rows, kind: Kind | None, index: int, row: Branch, language: str) -> str:
    if kind is not None:
        return f"{index + 1}. {kind.label}"
    title = row.texts.get("title")
    words = title.get(language, "") if isinstance(title, Mapping) else row.texts.get(NAME) or ""
    return f"{node.item} {index + 1}" + (f": {words}" if words else "")


def button(label: str, act: str, target: str, anchor: str, **more: Any) -> StrictButton:
    """A button that changes rows: a plain POST that comes back to its place; with htmx only the form is swapped."""
    return StrictButton(
        label,
        type="submit",
        name=f"_{act}",
        value=target,
        css_class="btn btn-secondary btn-sm",
        formnovalidate="",
        formaction=f"#{anchor}",
        hx_post="",
        hx_target="#block-form",
        hx_select="#block-form",
        hx_swap="outerHTML",
        **more,
    )


def row_buttons(name: str, head: str, *, first: bool, last: bool, ordered: bool) -> Div:
    anchor = f"row-{name}"
    buttons = []
    if ordered and not first:
        buttons.append(button(_("Up"), "up", name, anchor, aria_label=_("Up: %(row)s") % {"row": head}))
    if ordered and not last:
        buttons.append(button(_("Down"), "down", name, anchor, aria_label=_("Down: %(row)s") % {"row": head}))
    buttons.append(button(_("Remove"), "remove", name, anchor, aria_label=_("Remove: %(row)s") % {"row": head}))
    return Div(*buttons, css_class="rule-buttons")


def adders(node: Rows, name: str) -> Div:
    anchor = f"rows-{name}"
    if node.kinds:
        label = html('<span class="quiet">{}</span>', _("Add:"))
        return Div(
            label,
            *(button(str(kind.label), "add", f"{name}:{kind.name}", anchor) for kind in node.kinds),
            css_class="rule-buttons rule-add",
        )
    add = _("Add: %(what)s") % {"what": str(node.item).lower()}
    return Div(button(add, "add", name, anchor), css_class="rule-buttons rule-add")
