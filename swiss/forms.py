"""Forms of the staff pages of rounds."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.utils.translation import gettext_lazy as _

from tourney.models import Entry

LOG_HELP = _("Stays in the event's log.")


def _names(entries: Iterable[Entry]) -> list[tuple[Any, str]]:
    """Return entries as choices: start number and name, in alphabetical order."""
    ordered = sorted(entries, key=lambda entry: entry.player.name.casefold())
    return [(entry.pk, f"{entry.player.name} ({entry.start_number})") for entry in ordered]


class _Reason(forms.Form):
    reason = forms.CharField(
        label=_("Reason"),
        max_length=500,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        help_text=LOG_HELP,
        error_messages={"required": _("Say why: the reason stays in the event's log.")},
    )


class ReasonForm(_Reason):
    """A reason alone."""


class HourForm(forms.Form):
    """When a round begins, by the wall clock of the event."""

    scheduled_at = forms.DateTimeField(
        label=_("Start of the round"),
        required=False,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
        input_formats=["%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%d.%m.%Y %H:%M"],
        error_messages={"invalid": _("Give a date and an hour, like 25.01.2027 14:00.")},
    )

    def __init__(self, *args: Any, zone: ZoneInfo, required: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.zone = zone
        self.fields["scheduled_at"].required = required
        self.fields["scheduled_at"].help_text = _("By the clock of the event (%(zone)s).") % {"zone": zone.key}

    def clean_scheduled_at(self) -> datetime | None:
        moment: datetime | None = self.cleaned_data["scheduled_at"]
        return moment.replace(tzinfo=self.zone) if moment else None


class LatePairForm(_Reason):
    """A board more for a late player."""

    newcomer = forms.TypedChoiceField(label=_("Late player"), coerce=int)
    opponent = forms.TypedChoiceField(label=_("Opponent"), coerce=int, required=False, empty_value=None)

    field_order = ("newcomer", "opponent", "reason")

    def __init__(self, *args: Any, free: Iterable[Entry], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = _names(free)
        self.fields["newcomer"].choices = choices  # type: ignore[attr-defined]
        self.fields["opponent"].choices = [("", _("nobody: does not play this round")), *choices]  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if data.get("newcomer") and data.get("newcomer") == data.get("opponent"):
            self.add_error("opponent", _("Choose two different players."))
        return data


class ForbidForm(_Reason):
    """Two players who must not meet."""

    first = forms.TypedChoiceField(label=_("Player"), coerce=int)
    second = forms.TypedChoiceField(label=_("Must not meet"), coerce=int)
    from_round = forms.IntegerField(label=_("From round"), min_value=1, max_value=99, initial=1)
    to_round = forms.IntegerField(
        label=_("To round"), min_value=1, max_value=99, required=False, help_text=_("Empty: to the end.")
    )

    field_order = ("first", "second", "from_round", "to_round", "reason")

    def __init__(self, *args: Any, entries: Iterable[Entry], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = [("", "–"), *_names(entries)]
        for name in ("first", "second"):
            self.fields[name].choices = choices  # type: ignore[attr-defined]


class WithdrawForm(_Reason):
    """Who leaves, and after which round."""

    entry = forms.TypedChoiceField(label=_("Player"), coerce=int)
    after_round = forms.TypedChoiceField(label=_("Leaves"), coerce=int)

    field_order = ("entry", "after_round", "reason")

    def __init__(self, *args: Any, entries: Iterable[Entry], last: int, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["entry"].choices = [("", "–"), *_names(entries)]  # type: ignore[attr-defined]
        rounds = [(number, _("after round %(round)s") % {"round": number}) for number in range(last, 0, -1)]
        self.fields["after_round"].choices = [*rounds, (0, _("before the first round"))]  # type: ignore[attr-defined]


class MovesForm(forms.Form):
    """How many moves a drawn game had (M7.6)."""

    moves = forms.IntegerField(label=_("Draw at move"), min_value=1, max_value=400, required=False)
