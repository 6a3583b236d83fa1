"""Forms of live boards: where they write, how long the public waits."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from tourney.models import BoardFeed


class FeedForm(forms.Form):
    """A folder or an address boards write to."""

    kind = forms.ChoiceField(
        label=_("Where the boards write"),
        choices=[
            (BoardFeed.Kind.FOLDER.value, _("a folder of this computer (DGT LiveChess, scanner apps)")),
            (BoardFeed.Kind.ADDRESS.value, _("an address on the internet")),
        ],
        widget=forms.RadioSelect,
        initial=BoardFeed.Kind.FOLDER.value,
    )
    place = forms.CharField(label=_("Folder or address"), max_length=500, required=False)
    seconds = forms.IntegerField(
        label=_("Ask an address every so many seconds"), min_value=2, max_value=60, initial=5, required=False
    )

    def __init__(self, *args: Any, event: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if settings.BOARD_FOLDERS:
            words = _("Let the boards write into this folder, and name nothing; or name a folder in it:")
            self.fields["place"].help_text = format_html("{} <code>{}/{}</code>", words, settings.BOARD_FOLDERS, event)
        else:
            self.fields["kind"].choices = self.fields["kind"].choices[1:]  # type: ignore[attr-defined]
            self.fields["kind"].initial = BoardFeed.Kind.ADDRESS.value
            self.fields["place"].label = _("Address")

    def values(self) -> dict[str, Any]:
        return {**self.cleaned_data, "seconds": self.cleaned_data.get("seconds") or 5}


class DelayForm(forms.Form):
    """How long the public waits for moves: against help from outside."""

    minutes = forms.IntegerField(label=_("Minutes after the move"), min_value=0, max_value=240)
    moves = forms.IntegerField(label=_("Moves behind the board"), min_value=0, max_value=20)
