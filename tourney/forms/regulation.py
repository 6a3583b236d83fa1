"""Small forms of the editor: the text view of a block, the open questions, publishing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from tourney.kernel.paths import block_of, has_path, set_at, value_at
from tourney.kernel.text import in_language


class PublishForm(forms.Form):
    """Why the rules change, and which version the organizer compared them with."""

    seen = forms.IntegerField(widget=forms.HiddenInput)
    reason = forms.CharField(
        label=gettext_lazy("Reason for the change"),
        required=False,
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=gettext_lazy("Everybody can read it beside the list of changes."),
    )


class TextForm(forms.Form):
    """A block as text (JSON), for those who like it; errors name the line."""

    text = forms.CharField(
        label=gettext_lazy("Rules as text (JSON)"),
        strip=False,
        required=False,
        max_length=200_000,
        widget=forms.Textarea(attrs={"rows": 24, "class": "rule-text", "spellcheck": "false", "autocomplete": "off"}),
    )

    def clean_text(self) -> Any:
        text = self.cleaned_data["text"]
        try:
            value = json.loads(text, parse_float=_no_fractions) if text.strip() else None
        except json.JSONDecodeError as wrong:
            raise ValidationError(
                _("Line %(line)s, column %(column)s: %(what)s.")
                % {"line": wrong.lineno, "column": wrong.colno, "what": wrong.msg}
            ) from wrong
        if value is not None and not isinstance(value, dict | list):
            raise ValidationError(_("A table or a list is expected."))
        return value


def _no_fractions(text: str) -> Any:
    raise ValidationError(
        _("Write %(number)s in quotes: amounts and percentages with decimals are texts.") % {"number": text}
    )


class ReadingsForm(forms.Form):
    """The questions a text leaves open, each a choice among the options the regulation names.

    A reading's answer is what stands at its path; an option may change further paths with it (`also`; without a value
    the path is removed).
    """

    def __init__(self, *args: Any, data_of: Mapping[str, Any], prefix_name: str = "reading", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.rules = data_of
        self.names: dict[str, int] = {}
        for index, reading in enumerate(data_of.get("readings") or []):
            if not has_path(data_of, str(reading.get("path", ""))):
                continue
            options = reading.get("options") or []
            now = value_at(data_of, reading["path"])
            chosen = next((str(i) for i, option in enumerate(options) if option.get("value") == now), None)
            choices = [(str(i), words(option.get("label"))) for i, option in enumerate(options)]
            name = f"{prefix_name}_{index}"
            if chosen is None:
                choices.append(("", _("as it is now: something else")))
            self.fields[name] = forms.ChoiceField(
                label=words(reading.get("question")),
                choices=choices,
                initial=chosen or "",
                required=chosen is not None,
                widget=forms.RadioSelect,
            )
            self.names[name] = index

    def rows(self) -> list[dict[str, Any]]:
        """Return what the page shows: field, clause, note, and every option with its own note."""
        found = []
        for name, index in self.names.items():
            reading = self.rules["readings"][index]
            bound = self[name]
            notes = [words(option.get("note")) for option in reading.get("options") or []]
            found.append(
                {
                    "field": bound,
                    "clause": reading.get("clause", ""),
                    "note": words(reading.get("note")),
                    "block": block_of(str(reading["path"])),
                    "options": [
                        {"radio": radio, "note": notes[place] if place < len(notes) else ""}
                        for place, radio in enumerate(bound)
                    ],
                }
            )
        return found

    def applied(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """Return rule data with every answer put at its path."""
        result = dict(data)
        for name, index in self.names.items():
            answer = self.cleaned_data.get(name)
            if answer in (None, ""):
                continue
            reading = self.rules["readings"][index]
            option = reading["options"][int(answer)]
            if value_at(result, reading["path"]) == option.get("value"):
                continue
            result = set_at(result, reading["path"], option.get("value"))
            for also in option.get("also") or []:
                result = set_at(result, also["path"], also.get("value"))
        return result

    def name_of(self, path: str) -> str | None:
        """Return the field that answers for a path, for errors found by the check."""
        for name, index in self.names.items():
            asked = str(self.rules["readings"][index]["path"])
            if path == asked or path.startswith((f"{asked}.", f"{asked}[")):
                return name
        return None


def words(text: Any) -> str:
    return in_language(text, (get_language() or "uk")[:2]) if isinstance(text, Mapping) else ""
