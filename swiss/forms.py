"""Forms of the staff pages of rounds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from swiss.engine.virtual import Run, run_of
from tourney.kernel.errors import TourneyError
from tourney.labels import sentence
from tourney.models import Entry
from tourney.moments import clean_hall_moment

_RUN = re.compile(r"([0-9.,½]{1,6})\s+(\d{1,2})(?:\s*[-–]\s*(\d{1,2}))?\s+(\d{1,4})(?:\s*[-–]\s*(\d{1,4}))?")
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


class ReportResultForm(_Reason):
    """A result for the rating report only: which game of a closed round, and what the report is to say."""

    game = forms.TypedChoiceField(label=_("Game"), coerce=int)
    outcome = forms.ChoiceField(label=_("Result in the report"))

    field_order = ("game", "outcome", "reason")

    def __init__(self, *args: Any, games: Iterable[tuple[int, str]], results: Iterable[tuple[str, str]], **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.fields["game"].choices = list(games)  # type: ignore[attr-defined]
        self.fields["outcome"].choices = list(results)  # type: ignore[attr-defined]


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
        words = self.fields["scheduled_at"].error_messages["invalid"]
        return clean_hall_moment(moment, self.zone, words) if moment else None


class TakeBackForm(_Reason):
    """A round taken back: why, and a tick when results go with it."""

    with_results = forms.BooleanField(
        error_messages={"required": _("Tick this: results were entered, and they are put aside with the round.")}
    )

    field_order = ("reason", "with_results")

    def __init__(self, *args: Any, results: Sequence[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not results:
            del self.fields["with_results"]
            return
        words = ngettext("Put %(n)d result aside as well", "Put %(n)d results aside as well", len(results))
        self.fields["with_results"].label = words % {"n": len(results)}


class AdjournForm(_Reason):
    """A game that is finished another time."""

    pairing = forms.TypedChoiceField(label=_("Board"), coerce=int)

    field_order = ("pairing", "reason")

    def __init__(self, *args: Any, boards: Sequence[tuple[int, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["pairing"].choices = boards  # type: ignore[attr-defined]


class LatePairForm(_Reason):
    """A board more for a late player."""

    newcomer = forms.TypedChoiceField(label=_("Late player"), coerce=int)
    opponent = forms.TypedChoiceField(label=_("Opponent"), coerce=int, required=False, empty_value=None)
    knowingly = forms.BooleanField(label=_("I know: pair them all the same"), required=False)

    field_order = ("newcomer", "opponent", "reason", "knowingly")

    def __init__(self, *args: Any, free: Iterable[Entry], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._tick = self.fields["knowingly"]
        if not self.data.get("knowingly"):
            del self.fields["knowingly"]
        choices = _names(free)
        self.fields["newcomer"].choices = choices  # type: ignore[attr-defined]
        self.fields["opponent"].choices = [("", _("nobody: does not play this round")), *choices]  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if data.get("newcomer") and data.get("newcomer") == data.get("opponent"):
            self.add_error("opponent", _("Choose two different players."))
        return data

    def warn(self, sentence: str) -> None:
        """Show what speaks against the two, and ask for a tick."""
        self.add_error(None, sentence)
        self.fields["knowingly"] = self._tick


class ForbidForm(_Reason):
    """Two players who must not meet."""

    first = forms.TypedChoiceField(label=_("Player"), coerce=int)
    second = forms.TypedChoiceField(label=_("Must not meet"), coerce=int)
    from_round = forms.IntegerField(label=_("From round"), min_value=1, max_value=99, initial=1)
    to_round = forms.IntegerField(
        label=_("To round"), min_value=1, max_value=99, required=False, help_text=_("Empty: to the end.")
    )
    soft = forms.TypedChoiceField(
        label=_("When no pairing keeps them apart"),
        choices=[("", _("the round can't be paired, until somebody lifts it")), ("1", _("they may meet after all"))],
        coerce=bool,
        empty_value=False,
        required=False,
        widget=forms.RadioSelect,
        initial="",
        help_text=_("Of several wishes the newest is given up first; the draft names it."),
    )

    field_order = ("first", "second", "from_round", "to_round", "soft", "reason")

    def __init__(self, *args: Any, entries: Iterable[Entry], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = [("", "–"), *_names(entries)]
        for name in ("first", "second"):
            self.fields[name].choices = choices  # type: ignore[attr-defined]


class FixedBoardForm(_Reason):
    """A player who always sits at the same board."""

    entry = forms.TypedChoiceField(label=_("Player"), coerce=int)
    board = forms.IntegerField(label=_("Board"), min_value=1, max_value=9999)

    field_order = ("entry", "board", "reason")

    def __init__(self, *args: Any, entries: Iterable[Entry], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["entry"].choices = [("", "–"), *_names(entries)]  # type: ignore[attr-defined]


class VirtualPointsForm(_Reason):
    """Virtual points by start number: a line each, like record 250 of a report file."""

    runs = forms.CharField(
        label=_("Virtual points"),
        required=False,
        max_length=4000,
        widget=forms.Textarea(attrs={"rows": 4, "autocomplete": "off", "spellcheck": "false"}),
        help_text=_(
            "One line each: points, rounds, start numbers. Like “1  1-2  1-20”, then “½  3-4  1-20”. Empty: none."
        ),
    )

    field_order = ("runs", "reason")

    def clean_runs(self) -> list[Run]:
        found = []
        for number, line in enumerate(self.cleaned_data["runs"].splitlines(), 1):
            match = _RUN.fullmatch(line.strip())
            if not line.strip():
                continue
            try:
                if match is None:
                    raise TourneyError("virtual.bad_line", line=number, found=line.strip()[:40])
                points, first, last, low, high = match.groups()
                found.append(run_of(points, (int(first), int(last or first)), (int(low), int(high or low))))
            except TourneyError as refused:
                raise forms.ValidationError(sentence(refused)) from None
        return found


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
