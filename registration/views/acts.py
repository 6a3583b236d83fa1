"""The acts on an entry's page: who may do each, in which states, with which form, and what it does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy

from registration import services
from registration import staff_forms as forms
from registration.privacy.erasing import erase
from tourney.models import Entry

State = Entry.State
Data = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Act:
    """One act: who may do it, in which states, with which form, and what is done."""

    needs: tuple[str, ...]
    states: tuple[str, ...]
    form: type[forms.ActForm]
    run: Callable[[Entry, Data, Any], Any]
    title: Any
    button: Any
    done: Any
    danger: bool = False


ALIVE = (State.APPLIED, State.AWAITING_DEPOSIT, State.CONFIRMED, State.RESERVE, State.OFFERED)
EVERY = tuple(State.values)
DESK, MONEY, PEOPLE, WORD = ("desk",), ("money",), ("desk", "arbitrate"), ("organize",)

ACTS: dict[str, Act] = {
    "admit": Act(
        WORD,
        (State.APPLIED,),
        forms.ReasonOnlyForm,
        lambda entry, data, by: services.decide_application(entry, accept=True, actor=by, **data),
        gettext_lazy("Let in"),
        gettext_lazy("Let in"),
        gettext_lazy("Let in."),
    ),
    "reject": Act(
        WORD,
        (State.APPLIED,),
        forms.ReasonOnlyForm,
        lambda entry, data, by: services.decide_application(entry, accept=False, actor=by, **data),
        gettext_lazy("Refuse"),
        gettext_lazy("Refuse the entry"),
        gettext_lazy("Refused; whatever was paid goes back."),
        danger=True,
    ),
    "payment": Act(
        MONEY,
        EVERY,
        forms.PaymentForm,
        lambda entry, data, by: services.record_payment(
            entry,
            data["amount"],
            channel=data["channel"],
            paid_at=data["paid_on"],
            note=data["note"],
            operation=data["operation"],
            seen=data["seen"],
            actor=by,
        ),
        gettext_lazy("Take a payment"),
        gettext_lazy("Book the payment"),
        gettext_lazy("Payment booked."),
    ),
    "refund": Act(
        MONEY,
        EVERY,
        forms.RefundForm,
        lambda entry, data, by: services.record_refund(
            entry,
            data["amount"],
            channel=data["channel"],
            reason=data["reason"],
            operation=data["operation"],
            actor=by,
        ),
        gettext_lazy("Give money back"),
        gettext_lazy("Book the refund"),
        gettext_lazy("Refund booked."),
        danger=True,
    ),
    "move_money": Act(
        MONEY,
        EVERY,
        forms.MoveMoneyForm,
        lambda entry, data, by: services.move_money(
            entry,
            data["other"],
            data["amount"],
            reason=data["reason"],
            operation=data["operation"],
            actor=by,
        ),
        gettext_lazy("Move money to another entry"),
        gettext_lazy("Move it"),
        gettext_lazy("Moved."),
        danger=True,
    ),
    "price": Act(
        WORD,
        EVERY,
        forms.PriceForm,
        lambda entry, data, by: services.set_price(entry, data["amount"], reason=data["reason"], actor=by),
        gettext_lazy("Set the price by hand"),
        gettext_lazy("Set the price"),
        gettext_lazy("Price set."),
    ),
    "arrived": Act(
        DESK,
        ALIVE,
        forms.ArrivedForm,
        lambda entry, data, by: services.mark_arrived(entry, actor=by, **data),
        gettext_lazy("Mark as here"),
        gettext_lazy("Mark as here"),
        gettext_lazy("Marked as here."),
    ),
    "not_here": Act(
        DESK,
        ALIVE,
        forms.ActForm,
        lambda entry, data, by: services.take_back_arrival(entry, actor=by),
        gettext_lazy("Not here after all"),
        gettext_lazy("Take the mark back"),
        gettext_lazy("Mark taken back."),
    ),
    "claim": Act(
        DESK,
        EVERY,
        forms.ClaimForm,
        lambda entry, data, by: services.add_claim(entry, data["code"], actor=by),
        gettext_lazy("Add grounds"),
        gettext_lazy("Add"),
        gettext_lazy("Added; now check the document."),
    ),
    "family": Act(
        DESK,
        EVERY,
        forms.FamilyForm,
        lambda entry, data, by: services.join_family(entry, data["other"], actor=by),
        gettext_lazy("Join with a brother or sister"),
        gettext_lazy("Join"),
        gettext_lazy("Joined: the family price follows."),
    ),
    "no_family": Act(
        DESK,
        EVERY,
        forms.ActForm,
        lambda entry, data, by: services.join_family(entry, None, actor=by),
        gettext_lazy("Not of this family"),
        gettext_lazy("Take the family link away"),
        gettext_lazy("Family link taken away."),
    ),
    "promote": Act(
        PEOPLE,
        (State.RESERVE, State.OFFERED),
        forms.OptionalReasonForm,
        lambda entry, data, by: services.promote_by_hand(entry, actor=by, **data),
        gettext_lazy("Move up into a free place"),
        gettext_lazy("Give the place"),
        gettext_lazy("Moved up."),
    ),
    "no_show": Act(
        PEOPLE,
        (State.CONFIRMED,),
        forms.NoShowForm,
        lambda entry, data, by: services.mark_no_show(entry, actor=by, **data),
        gettext_lazy("Did not come"),
        gettext_lazy("Record the no-show"),
        gettext_lazy("Recorded."),
        danger=True,
    ),
    "replace": Act(
        PEOPLE,
        (State.CONFIRMED, State.NO_SHOW, State.WITHDRAWN),
        forms.ReplaceForm,
        lambda entry, data, by: services.replace_in_place(entry, data["reserve"], reason=data["reason"], actor=by),
        gettext_lazy("Let a reserve take this place"),
        gettext_lazy("Replace"),
        gettext_lazy("Replaced."),
    ),
    "withdraw": Act(
        PEOPLE,
        ALIVE,
        forms.WithdrawForm,
        lambda entry, data, by: services.withdraw_entry(entry, actor=by, **data),
        gettext_lazy("Withdraw"),
        gettext_lazy("Withdraw the entry"),
        gettext_lazy("Withdrawn."),
        danger=True,
    ),
    "return": Act(
        PEOPLE,
        (State.WITHDRAWN, State.EXPIRED, State.NO_SHOW),
        forms.OptionalReasonForm,
        lambda entry, data, by: services.return_entry(entry, actor=by, **data),
        gettext_lazy("Take back in"),
        gettext_lazy("Take back in"),
        gettext_lazy("Back in."),
    ),
    "new_link": Act(
        DESK,
        EVERY,
        forms.ActForm,
        lambda entry, data, by: services.revoke_link(entry, actor=by),
        gettext_lazy("New personal link"),
        gettext_lazy("Make a new link"),
        gettext_lazy("The old links no longer work."),
    ),
    "erase": Act(
        WORD,
        EVERY,
        forms.ActForm,
        lambda entry, data, by: erase(entry, actor=by),
        gettext_lazy("Erase personal data"),
        gettext_lazy("Erase for good"),
        gettext_lazy("Erased. Results stay under a number."),
        danger=True,
    ),
}
