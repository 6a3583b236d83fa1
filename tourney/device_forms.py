"""The form a chief arbiter hands a tablet its link with."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from tourney.models import DeviceLink, Section, Tournament
from tourney.moments import clean_hall_moment

_HOUR = "%Y-%m-%dT%H:%M"


class DeviceForm(forms.Form):
    """What a tablet may do: whose boards, in which role, how long. Hours are those of the event's own clock."""

    label = forms.CharField(
        label=_("Name of the tablet"),
        max_length=40,
        help_text=_("As people will find it: “Hall 2, boards 1–20”."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    role = forms.ChoiceField(
        label=_("Who enters"),
        choices=DeviceLink.Role.choices,
        help_text=_("On a players' tablet both players confirm the result; only an arbiter's may correct one."),
    )
    section = forms.TypedChoiceField(label=_("Group"), coerce=int, required=False, empty_value=None)
    first_board = forms.IntegerField(label=_("From board"), min_value=1, max_value=9999, required=False)
    last_board = forms.IntegerField(
        label=_("To board"), min_value=1, max_value=9999, required=False, help_text=_("Empty: all boards.")
    )
    valid_until = forms.DateTimeField(
        label=_("Works until"),
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format=_HOUR),
        input_formats=[_HOUR, "%Y-%m-%d %H:%M", "%d.%m.%Y %H:%M"],
        help_text=_("Afterwards the page only shows."),
        error_messages={"invalid": _("Give a date and an hour, like 25.01.2027 14:00.")},
    )

    def __init__(self, *args: Any, tournament: Tournament, sections: list[Section], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.tournament = tournament
        self.sections = {one.pk: one for one in sections}
        choices = [("", _("all groups")), *((one.pk, one.title_text) for one in sections)]
        self.fields["section"].choices = choices  # type: ignore[attr-defined]
        if len(sections) < 2:
            del self.fields["section"]
        self.fields["valid_until"].initial = self._end_of_day()

    def _end_of_day(self) -> str:
        """Return the end of the day of play: this one, or the event's first if it hasn't begun."""
        zone = self.tournament.zone
        today = timezone.localtime(timezone=zone)
        day = max(today.date(), self.tournament.starts_on)
        end = datetime.combine(day, datetime.min.time(), zone) + timedelta(hours=23)
        return f"{max(end, today + timedelta(hours=4)):{_HOUR}}"

    def clean_valid_until(self) -> datetime:
        moment: datetime = self.cleaned_data["valid_until"]
        words = self.fields["valid_until"].error_messages["invalid"]
        return clean_hall_moment(moment, self.tournament.zone, words)

    def chosen(self) -> dict[str, Any]:
        """Return the arguments of `issue_link`."""
        data = self.cleaned_data
        return {
            "label": data["label"],
            "role": data["role"],
            "section": self.sections.get(data.get("section") or 0),
            "first_board": data["first_board"],
            "last_board": data["last_board"],
            "valid_until": data["valid_until"],
        }
