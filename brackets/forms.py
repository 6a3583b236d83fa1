"""Forms of the staff pages of a knockout."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from brackets.labels import METHODS

LOG_HELP = _("Stays in the event's log.")
GIVERS = 6  # lines for public numbers on the draw page


class ReasonForm(forms.Form):
    """A reason alone."""

    reason = forms.CharField(
        label=_("Reason"),
        max_length=500,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        help_text=LOG_HELP,
        error_messages={"required": _("Say why: the reason stays in the event's log.")},
    )


class MethodForm(forms.Form):
    """Another way to seed than the regulation's."""

    method = forms.ChoiceField(label=_("Another method"), required=False)
    reason = forms.CharField(
        label=_("Reason"),
        required=False,
        max_length=500,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        help_text=_("Needed when the method differs from the regulation."),
    )

    def __init__(self, *args: Any, own: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["method"]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101 -- declared above
        field.choices = [("", _("as the regulation says"))] + [
            (code, words) for code, words in METHODS.items() if code != own and code != "manual"
        ]


class NumbersForm(forms.Form):
    """The public numbers of a draw: who gave which."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for index in range(1, GIVERS + 1):
            self.fields[f"who{index}"] = forms.CharField(
                label=_("Who"),
                required=False,
                max_length=60,
                widget=forms.TextInput(attrs={"autocomplete": "off", "class": "form-control"}),
            )
            self.fields[f"number{index}"] = forms.CharField(
                label=_("Number"),
                required=False,
                max_length=40,
                widget=forms.TextInput(attrs={"autocomplete": "off", "inputmode": "numeric", "class": "form-control"}),
            )

    @property
    def lines(self) -> Iterable[tuple[forms.BoundField, forms.BoundField]]:
        return [(self[f"who{index}"], self[f"number{index}"]) for index in range(1, GIVERS + 1)]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        seen: set[str] = set()
        for index in range(1, GIVERS + 1):
            who, number = data.get(f"who{index}", "").strip(), data.get(f"number{index}", "").strip()
            if number and not who:
                self.add_error(f"who{index}", _("Say who gave this number."))
            elif who and not number:
                self.add_error(f"number{index}", _("A number is missing."))
            elif who in seen and who:
                self.add_error(f"who{index}", _("This name occurs twice."))
            seen.add(who)
        if not self.errors and not self.numbers:
            self.add_error(None, _("Enter at least one number, with the name of who gave it."))
        return data

    @property
    def numbers(self) -> dict[str, str]:
        data = self.cleaned_data
        pairs = [(data.get(f"who{n}", "").strip(), data.get(f"number{n}", "").strip()) for n in range(1, GIVERS + 1)]
        return {who: number for who, number in pairs if who and number}


class SwapForm(ReasonForm):
    """Two seeds that change places."""

    first = forms.IntegerField(
        label=pgettext_lazy("bracket", "Seed"), min_value=1, widget=forms.NumberInput(attrs={"inputmode": "numeric"})
    )
    second = forms.IntegerField(
        label=_("changes with seed"), min_value=1, widget=forms.NumberInput(attrs={"inputmode": "numeric"})
    )
    field_order = ("first", "second", "reason")


class OrderForm(ReasonForm):
    """An order by hand: start numbers, one after another."""

    order = forms.CharField(
        label=_("Start numbers in the order of seeds"),
        widget=forms.Textarea(attrs={"rows": 3, "inputmode": "numeric"}),
        help_text=_("Numbers with spaces or commas between them, seed 1 first."),
    )
    field_order = ("order", "reason")

    def clean_order(self) -> list[int]:
        words = self.cleaned_data["order"].replace(",", " ").split()
        if not all(word.isdecimal() and len(word) < 6 for word in words):
            raise forms.ValidationError(_("Only numbers, please."))
        return [int(word) for word in words]


class VideoForm(forms.Form):
    """Where a match is shown."""

    video_url = forms.URLField(
        label=_("Address of the broadcast"), required=False, assume_scheme="https", max_length=200
    )
    featured = forms.BooleanField(label=_("Key match: shown first"), required=False)
