"""Forms of the hall's screens: a new one, its pages, a message."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from tourney.hall import FEWEST_SECONDS, MOST_PAGES, MOST_SECONDS, SECONDS, RotationLine, kinds_of, sections_of
from tourney.models import HallScreen, Tournament
from tourney.services.screens import MOST_MESSAGE
from tourney.staff_forms import LANGUAGE_NAMES

SPARE = 3  # empty lines for more pages


class NewScreenForm(forms.Form):
    """A screen needs a name; its pages come by themselves."""

    name = forms.CharField(
        label=_("Name of the screen"),
        max_length=60,
        help_text=_("As people will find it: “Entrance”, “Hall 2, left”."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )


class MessageForm(forms.Form):
    """What stands above the pages until it is taken away."""

    message = forms.CharField(
        label=_("Message on the screen"),
        max_length=MOST_MESSAGE,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "off", "enterkeyhint": "send"}),
    )


class LineForm(forms.Form):
    """A line of the rotation. Without a kind it is left out; lines go by their numbers."""

    order = forms.IntegerField(label=pgettext_lazy("order of pages", "No."), min_value=1, max_value=999, required=False)
    kind = forms.ChoiceField(label=_("Page"), required=False)
    section = forms.ChoiceField(label=_("Group"), required=False)
    seconds = forms.IntegerField(
        label=_("Seconds"), min_value=FEWEST_SECONDS, max_value=MOST_SECONDS, required=False, initial=SECONDS
    )
    text = forms.CharField(
        label=_("Text (the first line large)"), required=False, max_length=600, widget=forms.Textarea(attrs={"rows": 2})
    )

    def __init__(self, *args: Any, kinds: list[tuple[str, Any]], groups: list[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["kind"].choices = kinds  # type: ignore[attr-defined]
        self.fields["section"].choices = groups  # type: ignore[attr-defined]
        self.one_group = len(groups) < 3

    def line(self) -> RotationLine | None:
        """Return the line, None for an empty one."""
        data = self.cleaned_data
        if not data["kind"]:
            return None
        return RotationLine(data["kind"], data["section"], data["seconds"] or SECONDS, data["text"])


class ScreenForm(forms.Form):
    """Everything of a screen: name, language, look, and the lines of its rotation."""

    name = NewScreenForm.base_fields["name"]
    language = forms.ChoiceField(label=_("Language"), choices=list(LANGUAGE_NAMES.items()))
    look = forms.ChoiceField(label=pgettext_lazy("of a screen", "Look"), choices=HallScreen.Look.choices)

    def __init__(self, data: Any = None, *, tournament: Tournament, screen: HallScreen) -> None:
        initial = {"name": screen.name, "language": screen.language, "look": screen.look}
        super().__init__(data, initial=initial)
        kinds = [("", "–"), *((kind.key, kind.label) for kind in kinds_of(tournament).values())]
        groups = [("", _("all groups")), *((one.code, one.title_text) for one in sections_of(tournament))]
        stored = list(screen.pages)
        number = min(len(stored) + SPARE, MOST_PAGES)
        if data is not None:
            number = min(max(number, _lines_sent(data)), MOST_PAGES)
        self.lines = [
            LineForm(
                data,
                prefix=f"line{index}",
                kinds=kinds,
                groups=groups,
                initial={**(stored[index] if index < len(stored) else {}), "order": index + 1},
            )
            for index in range(number)
        ]

    def is_valid(self) -> bool:
        lines = [line.is_valid() for line in self.lines]  # all of them, so that every fault is shown
        return super().is_valid() and all(lines)

    def chosen(self) -> dict[str, Any]:
        """Return the arguments of `change_screen`."""
        ordered = sorted(enumerate(self.lines), key=lambda one: (one[1].cleaned_data["order"] or 999, one[0]))
        return {**self.cleaned_data, "pages": [found for _n, form in ordered if (found := form.line()) is not None]}


def _lines_sent(data: Any) -> int:
    """Return up to which line a form was filled in."""
    numbers = [key[4:].partition("-")[0] for key in data if key.startswith("line")]
    return max((int(text) + 1 for text in numbers if text.isdecimal() and len(text) < 4), default=0)
