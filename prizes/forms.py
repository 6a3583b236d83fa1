"""Forms of this app. What they ask is checked here; what the rules refuse, the services say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from crispy_forms.helper import FormHelper
from crispy_forms.layout import Layout
from django import forms
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from prizes.models import DiplomaDesign, FundLine
from tourney.kernel.money import Money
from tourney.models import Entry, Tournament
from tourney.moments import clean_hall_moment

MOST_MINOR = 10**12  # more money than any event has; keeps a slip of the finger out of the fund


def helper(*fields: Any) -> FormHelper:
    """Return a layout for `components/form.html`, which writes the form tag and the token itself."""
    made = FormHelper()
    made.form_tag = False
    made.disable_csrf = True
    made.layout = Layout(*fields)
    return made


class PublishForm(forms.Form):
    """Why a list changes; the first one needs no reason."""

    reason = forms.CharField(
        label=_("Reason"),
        required=False,
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("Everybody can read it above the corrected list."),
    )

    def __init__(self, *args: Any, again: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["reason"].required = again


class PlayoffForm(forms.Form):
    """How first place was played off, in the arbiter's words (M8.2)."""

    winner = forms.ChoiceField(label=_("Won by"), widget=forms.RadioSelect)
    runner_up = forms.ChoiceField(
        label=_("Lost the deciding game"), required=False, help_text=_("The others go on sharing their places.")
    )
    started_at = forms.DateTimeField(
        label=_("Began at"),
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
    )
    games = forms.CharField(
        label=_("Games"),
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("For instance: 1–0, ½–½; or Armageddon: 0–1"),
    )
    by_lot = forms.BooleanField(label=_("Settled by a drawing of lots"), required=False)
    reason = forms.CharField(
        label=_("Remark"), required=False, max_length=500, help_text=_("Needed if it began earlier than allowed.")
    )
    operation = forms.UUIDField(widget=forms.HiddenInput)

    def __init__(self, *args: Any, tournament: Tournament, players: Sequence[Entry], **kwargs: Any) -> None:
        now = timezone.localtime(timezone.now(), tournament.zone).replace(second=0, microsecond=0)
        kwargs.setdefault("initial", {"operation": uuid4(), "started_at": now.replace(tzinfo=None)})
        super().__init__(*args, **kwargs)
        self.zone = tournament.zone
        choices = [(str(entry.pk), entry.name) for entry in players]
        self.fields["winner"].choices = choices
        self.fields["runner_up"].choices = [("", _("nobody in particular")), *choices]
        names = ["winner", "runner_up", "started_at", "games", "by_lot", "reason", "operation"]
        if len(players) == 2:
            # The other one of two is second anyway.
            del self.fields["runner_up"]
            names.remove("runner_up")
        self.helper = helper(*names)

    def clean_started_at(self) -> Any:
        # Django reads the field in the server's zone; people write the hall's hour.
        words = self.fields["started_at"].error_messages["invalid"]
        return clean_hall_moment(self.cleaned_data["started_at"], self.zone, words)


class TellForm(forms.Form):
    """Place and time of the prize-giving, as the letter says them (M9.2)."""

    where = forms.CharField(label=_("Where"), max_length=160)
    when = forms.CharField(
        label=_("When"), max_length=80, help_text=_("Day and hour in words: Sunday, 25 January, 16:00")
    )
    awards = forms.MultipleChoiceField(label=_("Who is told"), widget=forms.CheckboxSelectMultiple)

    def __init__(self, *args: Any, choices: Sequence[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["awards"].choices = list(choices)
        self.helper = helper("where", "when", "awards")


class FundLineForm(forms.Form):
    """A line of the fund beside the fees (M10.7)."""

    kind = forms.ChoiceField(label=_("Kind"), choices=FundLine.Kind.choices)
    label = forms.CharField(label=_("What for or from whom"), max_length=160)
    amount = forms.CharField(label=_("Amount"), max_length=20, widget=forms.TextInput(attrs={"inputmode": "decimal"}))
    operation = forms.UUIDField(widget=forms.HiddenInput)

    def __init__(self, *args: Any, currency: str, **kwargs: Any) -> None:
        kwargs.setdefault("initial", {"operation": uuid4()})
        super().__init__(*args, **kwargs)
        self.currency = currency
        self.fields["amount"].help_text = currency
        self.helper = helper("kind", "label", "amount", "operation")

    def clean_amount(self) -> Money:
        try:
            amount = Money.parse(self.cleaned_data["amount"], self.currency)
        except ValueError as wrong:
            raise forms.ValidationError(_("This is not an amount of money. Write it as 1200 or 1200.50.")) from wrong
        if amount.minor <= 0:
            raise forms.ValidationError(_("The amount must be above zero."))
        if amount.minor > MOST_MINOR:
            raise forms.ValidationError(_("This amount is too large to be true."))
        return amount


class DiplomaForm(forms.Form):
    """The event's own words on its diplomas and a picture behind them; empty words are the usual ones."""

    shape = forms.ChoiceField(label=_("Sheet"), choices=DiplomaDesign.Shape.choices, widget=forms.RadioSelect)
    heading = forms.CharField(label=_("Heading"), max_length=60, required=False)
    intro = forms.CharField(label=_("Above the name"), max_length=160, required=False)
    body = forms.CharField(
        label=_("Below the name"), max_length=300, required=False, widget=forms.Textarea(attrs={"rows": 2})
    )
    closing = forms.CharField(label=_("Last line"), max_length=160, required=False)
    left_signer = forms.CharField(label=_("Who signs on the left"), max_length=80, required=False)
    right_signer = forms.CharField(label=_("Who signs on the right"), max_length=80, required=False)
    picture = forms.FileField(
        label=_("Picture behind the words"),
        required=False,
        help_text=_("PNG or JPEG, 8 MB at most. It covers the whole sheet."),
        widget=forms.ClearableFileInput(attrs={"accept": "image/png,image/jpeg"}),
    )
    drop_picture = forms.BooleanField(label=_("Without a picture"), required=False)

    def __init__(self, *args: Any, design: DiplomaDesign, **kwargs: Any) -> None:
        names = ["shape", "heading", "intro", "body", "closing", "left_signer", "right_signer"]
        kwargs.setdefault("initial", {name: getattr(design, name) for name in names})
        super().__init__(*args, **kwargs)
        self.fields["heading"].widget.attrs["placeholder"] = gettext("Diploma")
        self.fields["intro"].widget.attrs["placeholder"] = gettext("is awarded to")
        self.fields["body"].widget.attrs["placeholder"] = gettext("for place {place} in the group “{group}”")
        self.fields["closing"].widget.attrs["placeholder"] = "{days} · {venue}"
        self.fields["left_signer"].widget.attrs["placeholder"] = gettext("Organizer")
        self.fields["right_signer"].widget.attrs["placeholder"] = gettext("Chief arbiter")
        shown = [*names, "picture"]
        if design.picture:
            shown.append("drop_picture")
        else:
            del self.fields["drop_picture"]
        self.helper = helper(*shown)

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        data.setdefault("drop_picture", False)
        return data


class ReasonForm(forms.Form):
    """A reason that is kept."""

    reason = forms.CharField(label=_("Reason"), max_length=500)
