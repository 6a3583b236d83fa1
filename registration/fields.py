"""Fields of this app's forms: a line of text, a name, a date; cleaned of what nobody can see."""

from __future__ import annotations

import unicodedata
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

RATING_WORDS = {
    "national": gettext_lazy("National rating"),
    "fide_standard": gettext_lazy("FIDE rating, standard"),
    "fide_rapid": gettext_lazy("FIDE rating, rapid"),
    "fide_blitz": gettext_lazy("FIDE rating, blitz"),
}
# Signs that turn the direction of writing: harmless in a chat, in a start list they move other people's names.
_DIRECTION = dict.fromkeys([*range(0x200E, 0x2010), *range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x061C, 0xFEFF])


def clean_line(text: str) -> str:
    """Return a text on one line without control characters and signs that turn the direction of writing."""
    plain = unicodedata.normalize("NFC", text.translate(_DIRECTION))
    return " ".join("".join(" " if unicodedata.category(sign) == "Cc" else sign for sign in plain).split())


def check_name(text: str) -> None:
    """Refuse what can't be a name: it has letters, and besides them only marks, spaces, hyphens, apostrophes, dots."""
    letters = sum(1 for sign in text if unicodedata.category(sign)[0] == "L")
    others = [s for s in text if unicodedata.category(s)[0] not in "LM" and s not in " -–‐'’ʼ`´."]
    if text and (not letters or others):
        raise ValidationError(_("Write the name in letters; spaces, hyphens and apostrophes are fine."))


class Line(forms.CharField):
    """One line of text, cleaned of what can't be seen."""

    def to_python(self, value: Any) -> str:
        return clean_line(super().to_python(value) or "")


class Name(Line):
    """A part of a person's name."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=80, validators=[check_name], **kwargs)


def text_field(label: Any, *, longest: int = 80, auto: str = "off", kind: str = "text", help_text: Any = "") -> Line:
    attributes = {"autocomplete": auto, "type": kind}
    return Line(
        label=label, max_length=longest, required=False, widget=forms.TextInput(attrs=attributes), help_text=help_text
    )


def date_input() -> forms.DateInput:
    return forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"})
