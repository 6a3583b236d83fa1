"""Forms of game records: a file or pasted text, one game's moves, taking moves out."""

from __future__ import annotations

from io import BytesIO
from typing import Any, BinaryIO

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy


def _moves_area(rows: int) -> forms.Textarea:
    return forms.Textarea(attrs={"rows": rows, "spellcheck": "false", "autocomplete": "off", "autocapitalize": "off"})


class GameFileForm(forms.Form):
    """A PGN file, or its text."""

    file = forms.FileField(
        label=gettext_lazy("PGN file"),
        required=False,
        max_length=200,
        allow_empty_file=True,
        widget=forms.ClearableFileInput(attrs={"accept": ".pgn,.txt,application/x-chess-pgn,text/plain"}),
        help_text=gettext_lazy("One game or a hundred thousand. The same file twice changes nothing."),
    )
    text = forms.CharField(
        label=gettext_lazy("or the text of games"), required=False, strip=False, widget=_moves_area(6)
    )
    replace = forms.BooleanField(
        label=gettext_lazy("Put these moves in the place of others already stored"), required=False
    )

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        file, text = data.get("file"), (data.get("text") or "").strip()
        if not file and not text:
            self.add_error("file", _("Choose a file, or paste games below."))
        elif file and text:
            self.add_error("text", _("A file or text, not both."))
        elif file and file.size > settings.GAME_FILE_MB * 1_000_000:
            self.add_error("file", _("A file may have up to %(limit)s MB.") % {"limit": settings.GAME_FILE_MB})
        return data

    def content(self) -> tuple[BinaryIO, str]:
        """Return the file (a large one lies on the disk) and its name ("" for text)."""
        file = self.cleaned_data.get("file")
        if file:
            return file, file.name
        return BytesIO(self.cleaned_data["text"].encode()), ""


class MovesForm(forms.Form):
    """The moves of one game, with or without a head."""

    text = forms.CharField(label=gettext_lazy("Moves (PGN)"), strip=False, max_length=200_000, widget=_moves_area(10))


class RemoveForm(forms.Form):
    reason = forms.CharField(label=gettext_lazy("Why the moves are taken out"), max_length=300)

    def clean_reason(self) -> str:
        reason = " ".join(self.cleaned_data["reason"].split())
        if not reason:
            raise ValidationError(_("Say why: the reason stays in the event's log."))
        return reason
