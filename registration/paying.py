"""How an entry is paid: what is asked for now, whom a transfer goes to, its purpose, the codes a bank reads."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from registration.accounts import Account
from registration.engine import purpose as purposes
from registration.engine.fee_rules import Early
from registration.engine.payment_codes import PaymentOrder, russian_code, ukrainian_link
from registration.engine.purpose import FullName
from registration.qr import HRYVNIA, drawn
from registration.regulations import payee_of, rules_of
from registration.words import METHODS, deadline_words
from tourney.formatting import money_text
from tourney.kernel.errors import TourneyError
from tourney.kernel.money import Money
from tourney.models import Entry

REQUISITES: dict[str, Any] = {
    "name": gettext_lazy("Payee"),
    "iban": "IBAN",
    "edrpou": gettext_lazy("Tax number (EDRPOU)"),
    "inn": gettext_lazy("Tax number (INN)"),
    "kpp": gettext_lazy("Tax registration code (KPP)"),
    "account": gettext_lazy("Account number"),
    "bank": gettext_lazy("Bank"),
    "bic": gettext_lazy("Bank code (BIC)"),
    "correspondent": gettext_lazy("Correspondent account"),
}

COPIED = frozenset({"iban", "edrpou", "inn", "account", "bic"})  # figures nobody should have to type


@dataclass(frozen=True, slots=True)
class PaymentCode:
    """A square for a bank's app; the Ukrainian one is a link too, which opens the app on the telephone itself."""

    text: str
    title: str
    link: str = ""
    sign: str = ""

    @property
    def picture(self) -> SafeString:
        return drawn(self.text, self.title, sign=self.sign)


@dataclass(frozen=True, slots=True)
class PaymentWords:
    """How an entry is paid, for its page, its letter and its slip; empty parts are left out."""

    ask: Money  # what is asked for now: the deposit first, then the rest
    ask_words: str
    later: Money | None
    deadline: str
    methods: list[Any]
    reference: str
    purpose: str
    requisites: list[dict[str, Any]] = field(default_factory=list)
    codes: tuple[PaymentCode, ...] = ()  # the one to show first, then another for banks that don't know it


def payment_words(account: Account) -> PaymentWords | None:
    """Return how to pay what an entry owes; None when nothing is to be paid (any more, or yet)."""
    entry, quote = account.entry, account.quote
    if entry.state not in ("awaiting_deposit", "confirmed", "offered", "reserve") or not account.to_ask:
        return None
    tournament = entry.tournament
    known = rules_of(tournament)
    deposit = bool(quote.deposit_due) and entry.state == Entry.State.AWAITING_DEPOSIT
    if entry.state == Entry.State.RESERVE and not quote.deposit_due:
        return None  # who waits on the reserve list pays the rest when there is a place
    ask = quote.deposit_due if deposit else quote.remainder
    early = account.version.policy.first(Early, entry.section.code)
    deadline = ""
    if early is not None and quote.early and deposit:
        deadline = _("by %(when)s the fee is %(saved)s lower") % {
            "when": deadline_words(early.until, tournament),
            "saved": money_text(early.amount),
        }
    reference = account.application.reference if account.application else ""
    payee = payee_of(tournament, known) if "transfer" in known.payment.methods else None
    purpose = purpose_text(entry, reference)
    return PaymentWords(
        ask=ask,
        ask_words=_("deposit") if deposit else _("entry fee"),
        later=quote.remainder - ask if deposit and quote.remainder != ask else None,
        deadline=deadline,
        methods=[METHODS[method] for method in known.payment.methods],
        reference=reference,
        purpose=purpose,
        requisites=[
            {
                "key": key,
                "label": label,
                "value": getattr(payee, key),
                "copy": f"requisite-{key}" if key in COPIED else "",
            }
            for key, label in REQUISITES.items()
            if getattr(payee, key)
        ]
        if payee
        else [],
        codes=payment_codes(PaymentOrder(payee, ask, purpose, reference)) if payee else (),
    )


def payment_codes(order: PaymentOrder) -> tuple[PaymentCode, ...]:
    """Return the codes of an order, by the payee's country; none where the details don't make one.

    Requisites to copy stand beside them in any case: not every bank reads every code.
    """
    try:
        if order.payee.iban:
            link, older = ukrainian_link(order, "003"), ukrainian_link(order, "002")
            title = _("Payment code of the National Bank of Ukraine")
            return (
                PaymentCode(link, title, link=link, sign=HRYVNIA),
                PaymentCode(older, _("The same payment in the older form of the code"), link=older, sign=HRYVNIA),
            )
        return (PaymentCode(russian_code(order), _("Payment code for the bank’s app")),)
    except TourneyError:
        return ()


def purpose_text(entry: Entry, reference: str) -> str:
    """Return what the payer writes into a transfer (M10.3.5), with the reference it is found by."""
    tournament = entry.tournament
    template = tournament.in_words(dict(rules_of(tournament).payment.purpose)) or "{name}"
    player = entry.player
    name = FullName(player.surname, player.given_name, player.patronymic)
    try:
        return purposes.purpose(
            template, name, reference=reference, event=tournament.title_text, section=entry.section.title_text
        )
    except TourneyError:
        return reference
