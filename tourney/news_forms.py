"""The form a piece of news is written in: the event's own language first, the others if wanted."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from tourney.kernel.text import LANGUAGES
from tourney.models import NewsItem, Tournament
from tourney.services.news import MOST_TEXT, MOST_TITLE
from tourney.staff_forms import LANGUAGE_NAMES


class NewsForm(forms.Form):
    """Title and text in the languages of the event, and whether it stays on top."""

    pinned = forms.BooleanField(label=_("Keep it on top"), required=False)

    def __init__(self, *args: Any, tournament: Tournament, item: NewsItem | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.languages = [tournament.language, *(code for code in LANGUAGES if code != tournament.language)]
        for code in self.languages:
            own = code == tournament.language
            self.fields[f"title_{code}"] = forms.CharField(
                label=_("Title") if own else LANGUAGE_NAMES[code],
                max_length=MOST_TITLE,
                required=own,
                initial=item.title.get(code, "") if item else "",
                widget=forms.TextInput(attrs={"autocomplete": "off", "lang": code}),
            )
            self.fields[f"text_{code}"] = forms.CharField(
                label=_("Text"),
                max_length=MOST_TEXT,
                required=False,
                initial=item.text.get(code, "") if item else "",
                widget=forms.Textarea(attrs={"rows": 4, "lang": code}),
                help_text=_("Plain text. Addresses (https://…, mail) become links.") if own else "",
            )
        self.fields["pinned"].initial = item.pinned if item else False

    def own(self) -> list[Any]:
        """Return the fields everybody fills in."""
        code = self.languages[0]
        return [self[f"title_{code}"], self[f"text_{code}"], self["pinned"]]

    def others(self) -> list[Any]:
        """Return the fields of the other languages."""
        return [self[f"{name}_{code}"] for code in self.languages[1:] for name in ("title", "text")]

    def has_others(self) -> bool:
        """Return whether another language has words or a fault, so that it is shown open."""
        return any(field.value() or field.errors for field in self.others())

    def chosen(self) -> dict[str, Any]:
        """Return the arguments of `tell_news`."""
        data = self.cleaned_data
        return {
            "title": {code: data.get(f"title_{code}", "") for code in self.languages},
            "text": {code: data.get(f"text_{code}", "") for code in self.languages},
            "pinned": data["pinned"],
        }
