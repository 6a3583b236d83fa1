"""Schema of the blocks about the money an entrant pays: fee rules of every kind, ways to pay, bank details."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from tourney.regulation_schema.nodes import (
    Amount,
    Choice,
    Code,
    Flag,
    Kind,
    Many,
    MaybeFlag,
    Moment,
    Node,
    Number,
    Percent,
    Rows,
    Table,
    Text,
    Words,
)
from tourney.regulation_schema.people import CLAUSE, CLAUSE_SAID

OUTCOMES = {
    "no_show": _("did not come"),
    "withdrawn": _("withdrew"),
    "disqualified": _("was disqualified"),
    "event_cancelled": _("the event is cancelled"),
    "rejected": _("was not admitted"),
    "not_admitted": _("stayed on the reserve list"),
}
KEEPS = {
    "nothing": _("everything paid is returned"),
    "deposit": _("the deposit is kept, the rest is returned"),
    "paid_fee": _("what was paid of the fee is kept"),
    "all_paid": _("everything paid is kept"),
    "fee": _("the whole fee stays due"),
}
_FOR_SECTIONS = Many(key="sections", label=_("Only for the groups"), source="sections", help=_("None marked: all."))
_COMMON: tuple[Node, ...] = (_FOR_SECTIONS, CLAUSE_SAID)
_AMOUNT = Amount(key="amount", label=_("Amount"), required=True)
_CLAIMS = Many(key="claims", label=_("Reasons"), source="claims", required=True)

FEES: tuple[Node, ...] = (
    Rows(
        key="claims",
        label=_("Reasons for a lower fee"),
        item=_("Reason"),
        help=_("The entry form offers them; the desk checks the document."),
        named_by=Code(key="_name", label=_("Code"), required=True),
        scalar=Words(key="_value", label=_("Name"), required=True),
    ),
    Rows(
        key="rules",
        label=_("Rules"),
        item=_("Rule"),
        tag="kind",
        help=_("Of several rules of one kind the first that fits counts."),
        kinds=(
            Kind(name="base", label=_("Fee"), fields=(_AMOUNT, *_COMMON)),
            Kind(name="deposit", label=_("Deposit that confirms a place"), fields=(_AMOUNT, *_COMMON)),
            Kind(
                name="early",
                label=_("Discount for early payment"),
                fields=(
                    _AMOUNT,
                    Moment(key="until", label=_("Up to"), required=True),
                    Flag(key="inclusive", label=_("That moment is still in time"), default=True),
                    Choice(
                        key="requires",
                        label=_("Needed by then"),
                        options={
                            "registration_and_deposit": _("registration and deposit"),
                            "deposit_only": _("deposit"),
                            "registration_only": pgettext_lazy("needed", "registration"),
                            "registration_and_full_payment": _("registration and the whole fee"),
                        },
                        default="registration_and_deposit",
                    ),
                    *_COMMON,
                ),
            ),
            Kind(
                name="discount",
                label=_("Discount by reason, in per cent"),
                fields=(
                    Percent(key="percent", label=_("Per cent")),
                    Rows(
                        key="bullets",
                        label=_("Lines"),
                        item=_("Line"),
                        fields=(
                            Code(key="code", label=_("Code"), required=True),
                            _CLAIMS,
                            Percent(key="percent", label=_("Per cent, if another")),
                        ),
                    ),
                    Choice(
                        key="combine",
                        label=_("Several discounts"),
                        options={
                            "sum": _("add up"),
                            "best_single": _("only the best counts"),
                            "multiply": _("are taken one after the other"),
                        },
                        default="sum",
                    ),
                    Choice(
                        key="unit",
                        label=_("Counted by"),
                        options={
                            "bullet": _("line: several reasons of one line count once"),
                            "reason": _("reason: every reason counts"),
                        },
                        default="bullet",
                    ),
                    *_COMMON,
                ),
            ),
            Kind(name="special", label=_("Price for a reason"), fields=(_AMOUNT, _CLAIMS, *_COMMON)),
            Kind(
                name="sibling",
                label=_("Price for children of one family"),
                fields=(
                    _AMOUNT,
                    Number(key="at_least", label=_("From so many children"), low=2, high=20, default=2),
                    Number(key="at_most", label=_("Up to so many children"), low=2, high=20),
                    Choice(
                        key="combine",
                        label=_("With other discounts"),
                        options={
                            "min": _("the lower price counts"),
                            "discount_on_sibling": _("the discount is taken off the family price"),
                            "sibling_only": _("the family price only"),
                        },
                        default="min",
                    ),
                    *_COMMON,
                ),
            ),
            Kind(name="exempt", label=_("Free of the fee"), fields=(_CLAIMS, *_COMMON)),
            Kind(
                name="late",
                label=_("Price for late entries"),
                fields=(
                    _AMOUNT,
                    Moment(key="registered_until", label=_("Registered later than")),
                    Moment(key="arrived_until", label=_("Arrived later than")),
                    Flag(key="inclusive", label=_("That moment is still in time"), default=True),
                    Choice(
                        key="mode",
                        label=_("This price"),
                        options={
                            "flat": _("is the whole price, without discounts"),
                            "base": _("replaces the fee; discounts are taken off it"),
                            "surcharge": _("adds the difference to the fee to any price"),
                        },
                        default="flat",
                    ),
                    Flag(key="applies_to_exempt", label=_("Also for who is free of the fee")),
                    *_COMMON,
                ),
            ),
            Kind(
                name="outcome",
                label=_("Money of an entry that didn't play"),
                fields=(
                    Choice(key="when", label=_("The entrant"), options=OUTCOMES, required=True),
                    MaybeFlag(key="valid_reason", label=_("With a valid reason")),
                    MaybeFlag(key="before_start", label=_("Before the start")),
                    MaybeFlag(key="replaced", label=_("Somebody took the place")),
                    Choice(key="keep", label=_("Then"), options=KEEPS, required=True),
                    *_COMMON,
                ),
            ),
        ),
    ),
)

PAYEE_LABELS = {
    "name": _("Recipient"),
    "short_name": _("Recipient, short"),
    "bank": _("Bank"),
    "iban": _("IBAN"),
    "edrpou": _("EDRPOU or RNOKPP"),
    "inn": _("INN"),
    "kpp": _("KPP"),
    "ogrn": _("OGRN"),
    "bic": _("BIK"),
    "account": _("Account"),
    "correspondent": _("Correspondent account"),
}

PAYMENT: tuple[Node, ...] = (
    Many(
        key="methods",
        label=_("Ways to pay"),
        options={"cash": _("cash at the desk"), "transfer": _("bank transfer"), "card": _("card at the desk")},
        default=["cash"],
    ),
    Words(
        key="purpose",
        label=_("Purpose of the payment"),
        help=_("{name} becomes the entrant's name; {event}, {section} and {reference} are possible, too."),
    ),
    Table(
        key="payee",
        label=_("Bank details"),
        fields=tuple(Text(key=key, label=label) for key, label in PAYEE_LABELS.items()),
    ),
    CLAUSE,
)
