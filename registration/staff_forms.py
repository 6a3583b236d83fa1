"""Small forms of the desk and of an entry's page: each is one act, with what the record needs to know about it."""

from __future__ import annotations

import datetime as dt
import uuid
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from registration.accounts import Account
from registration.asked_fields import claims_in_order
from registration.fields import Line
from registration.models import LedgerLine
from registration.regulations import rules_of
from registration.words import METHODS
from tourney.formatting import money_text
from tourney.kernel.money import Money
from tourney.models import Entry, Tournament
from tourney.moments import valid_day

Channel = LedgerLine.Channel
CHANNELS = [(code, METHODS[code]) for code in (Channel.CASH, Channel.TRANSFER, Channel.CARD)]


def reason_field(*, required: bool = True, label: Any = None, help_text: Any = "") -> Line:
    return Line(
        label=label or _("Reason"),
        max_length=500,
        required=required,
        help_text=help_text,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )


class MoneyField(forms.CharField):
    """An amount as people write it: 600, 600,50, 1 200."""

    def __init__(self, *, currency: str, **kwargs: Any) -> None:
        widget = forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off", "class": "amount"})
        super().__init__(max_length=14, widget=widget, **kwargs)
        self.currency = currency

    def to_python(self, value: Any) -> Any:
        text = (super().to_python(value) or "").strip()
        if not text:
            return None
        try:
            return Money.parse(text, self.currency)
        except ValueError as error:
            raise ValidationError(
                _("“%(text)s” is not an amount. Write it as 600 or 600,50.") % {"text": text}
            ) from error

    def validate(self, value: Any) -> None:
        if value is None and self.required:
            raise ValidationError(self.error_messages["required"])

    def run_validators(self, value: Any) -> None:
        """An amount has no length to check; its bounds are the service's business."""


def plain(amount: Money) -> str:
    """Return an amount as a field shows it."""
    return f"{amount.major.normalize():f}" if amount.minor % 100 == 0 else f"{amount.major:f}"


class ActForm(forms.Form):
    """One act on one entry."""

    def __init__(self, *args: Any, account: Account, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.account = account
        self.tournament: Tournament = account.entry.tournament
        self.build()

    def build(self) -> None:
        """Add the fields that depend on the entry."""


class ReasonOnlyForm(ActForm):
    def build(self) -> None:
        self.fields["reason"] = reason_field()


class OptionalReasonForm(ActForm):
    def build(self) -> None:
        self.fields["reason"] = reason_field(required=False)


class PaymentForm(ActForm):
    def build(self) -> None:
        ask = self.account.to_ask
        self.fields["amount"] = MoneyField(
            label=_("Amount"), currency=self.tournament.currency, initial=plain(ask) if ask else ""
        )
        self.fields["channel"] = forms.ChoiceField(label=_("How"), choices=CHANNELS, initial=Channel.CASH)
        self.fields["paid_on"] = forms.DateField(
            label=_("Day of the transfer"),
            required=False,
            widget=forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"}),
            validators=[valid_day],
            help_text=_("When the payer sent it, if that was earlier: it decides the early price."),
        )
        self.fields["note"] = reason_field(required=False, label=_("Note"))
        self.fields["operation"] = forms.UUIDField(widget=forms.HiddenInput, initial=uuid.uuid4)
        # The newest line of the account on this page: a payment taken elsewhere meanwhile is not taken twice.
        newest = self.account.lines[-1].pk if self.account.lines else 0
        self.fields["seen"] = forms.IntegerField(widget=forms.HiddenInput, initial=newest, required=False)

    def clean_paid_on(self) -> dt.datetime | None:
        day = self.cleaned_data["paid_on"]
        if day is None:
            return None
        # A day counts as a whole, in the payer's favour.
        start = dt.datetime.combine(day, dt.time(), self.tournament.zone)
        if start > timezone.now():
            raise ValidationError(_("A payment can't be dated in the future."))
        return start


class RefundForm(ActForm):
    def build(self) -> None:
        back = self.account.to_return
        self.fields["amount"] = MoneyField(
            label=_("Amount"),
            currency=self.tournament.currency,
            initial=plain(back) if back else "",
            help_text=_("By the rules %(sum)s goes back; for more write why.") % {"sum": money_text(back)},
        )
        self.fields["channel"] = forms.ChoiceField(label=_("How"), choices=CHANNELS, initial=Channel.CASH)
        self.fields["reason"] = reason_field(required=False)
        self.fields["operation"] = forms.UUIDField(widget=forms.HiddenInput, initial=uuid.uuid4)


class MoveMoneyForm(ActForm):
    """Which entry gets what this one has paid."""

    def build(self) -> None:
        entries = (
            self.tournament.entries.exclude(pk=self.account.entry.pk)
            .select_related("player", "section")
            .order_by("player__surname", "player__given_name")
        )
        family = self.account.family
        back = self.account.to_return
        self.fields["other"] = forms.ModelChoiceField(
            label=_("To whom"), queryset=entries, initial=family[0] if len(family) == 1 else None
        )
        self.fields["other"].label_from_instance = lambda entry: entry.player.name
        self.fields["amount"] = MoneyField(
            label=_("Amount"), currency=self.tournament.currency, initial=plain(back) if back else ""
        )
        self.fields["reason"] = reason_field()
        self.fields["operation"] = forms.UUIDField(widget=forms.HiddenInput, initial=uuid.uuid4)


class PriceForm(ActForm):
    def build(self) -> None:
        self.fields["amount"] = MoneyField(
            label=_("Price of this entry"),
            currency=self.tournament.currency,
            required=False,
            help_text=_("Empty: as the rules say."),
        )
        self.fields["reason"] = reason_field()


class NoShowForm(ActForm):
    valid_reason = forms.BooleanField(label=gettext_lazy("for a valid reason: the deposit goes back"), required=False)

    def build(self) -> None:
        self.fields["reason"] = reason_field(required=False, label=_("What the reason was"))
        self.fields["accepted_by"] = Line(label=_("Who accepted it"), max_length=120, required=False)


class WithdrawForm(ActForm):
    valid_reason = forms.BooleanField(label=gettext_lazy("for a valid reason"), required=False)

    def build(self) -> None:
        self.fields["reason"] = reason_field(required=False)


class ArrivedForm(ActForm):
    """Presence with an earlier moment than now."""

    def build(self) -> None:
        now = timezone.localtime(timezone.now(), self.tournament.zone)
        self.fields["at"] = forms.TimeField(
            label=_("Came at"),
            initial=f"{now:%H:%M}",
            widget=forms.TimeInput(format="%H:%M", attrs={"type": "time"}),
        )
        self.fields["reason"] = reason_field(
            required=False, help_text=_("Needed for an earlier moment: stood in the queue, for instance.")
        )

    def clean_at(self) -> dt.datetime:
        now = timezone.localtime(timezone.now(), self.tournament.zone)
        at = dt.datetime.combine(now.date(), self.cleaned_data["at"], self.tournament.zone)
        if at > now:
            raise ValidationError(_("This moment has not come yet."))
        # The form has no seconds: the minute that is running is now.
        return now if (now - at).total_seconds() < 60 else at


class ClaimForm(ActForm):
    def build(self) -> None:
        known = self.account.claims
        taken = {claim.code for claim in known}
        words = claim_words(self.tournament)
        self.fields["code"] = forms.ChoiceField(
            label=_("Grounds"), choices=[(code, text) for code, text in words.items() if code not in taken]
        )


class FamilyForm(ActForm):
    def build(self) -> None:
        entries = (
            self.tournament.entries.exclude(pk=self.account.entry.pk)
            .select_related("player")
            .order_by("player__surname", "player__given_name")
        )
        self.fields["other"] = forms.ModelChoiceField(label=_("Brother or sister"), queryset=entries)
        self.fields["other"].label_from_instance = lambda entry: entry.player.name


class ReplaceForm(ActForm):
    """Which reserve takes the place."""

    def build(self) -> None:
        entry = self.account.entry
        waiting = Entry.objects.filter(
            section=entry.section, state__in=[Entry.State.RESERVE, Entry.State.OFFERED]
        ).select_related("player")
        self.fields["reserve"] = forms.ModelChoiceField(label=_("Reserve"), queryset=waiting)
        self.fields["reserve"].label_from_instance = lambda one: one.player.name
        self.fields["reason"] = reason_field(required=False)


def claim_words(tournament: Tournament) -> dict[str, str]:
    """Return the grounds a regulation knows, fee and admission, in words."""
    known = rules_of(tournament)
    texts = {**claims_in_order(known), **known.entry.grounds}
    return {code: tournament.in_words(dict(text)) for code, text in texts.items()}
