"""The chapter about money an entrant pays: one clause for every rule of the fee, then how to pay."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from tourney.regulation_schema.fees import PAYEE_LABELS
from tourney.regulation_text.writer import Writer, either, listed
from tourney.requisites import requisites_of

Rule = Mapping[str, Any]


def fees(w: Writer) -> None:
    rules = w.block("fees").get("rules") or []
    for index, rule in enumerate(rules):
        if isinstance(rule, Mapping) and rule.get("kind") in _SENTENCES:
            path = f"fees.rules[{index}]"
            text, lines = _SENTENCES[str(rule["kind"])](w, rule, path)
            w.say(_for_sections(w, text, rule, path), path, lines=lines, clause=rule.get("clause"))
    if not rules and "fees" in w.data:
        w.say(_("There is no entry fee."), "fees")
    w.own_clauses("fees")
    _payment(w)
    w.own_clauses("payment")


def _for_sections(w: Writer, text: str, rule: Rule, path: str) -> str:
    if not rule.get("sections"):
        return text
    sections = w.labels(f"{path}.sections", rule["sections"])
    return _("%(sentence)s Only for: %(groups)s.") % {"sentence": text, "groups": sections}


def _reasons(w: Writer, claims: Any, path: str) -> list[str]:
    return [w.label(f"{path}.claims", claim) for claim in claims or []]


def _base(w: Writer, rule: Rule, path: str) -> tuple[str, list[str]]:
    return _("The entry fee is %(amount)s.") % {"amount": w.money(rule.get("amount", 0))}, []


def _deposit(w: Writer, rule: Rule, path: str) -> tuple[str, list[str]]:
    text = _("A deposit of %(amount)s confirms the place; it counts towards the fee, the rest is paid at the desk.")
    return text % {"amount": w.money(rule.get("amount", 0))}, []


def _early(w: Writer, rule: Rule, path: str) -> tuple[str, list[str]]:
    inclusive = rule.get("inclusive", True)
    templates = {
        "deposit_only": (
            _("Who pays the deposit up to %(when)s inclusive gets %(amount)s off."),
            _("Who pays the deposit before %(when)s gets %(amount)s off."),
        ),
        "registration_only": (
            _("Who registers up to %(when)s inclusive gets %(amount)s off."),
            _("Who registers before %(when)s gets %(amount)s off."),
        ),
        "registration_and_full_payment": (
            _("Who registers and pays the whole fee up to %(when)s inclusive gets %(amount)s off."),
            _("Who registers and pays the whole fee before %(when)s gets %(amount)s off."),
        ),
    }
    both = (
        _("Who registers and pays the deposit up to %(when)s inclusive gets %(amount)s off."),
        _("Who registers and pays the deposit before %(when)s gets %(amount)s off."),
    )
    chosen = templates.get(str(rule.get("requires")), both)[0 if inclusive else 1]
    return chosen % {"when": w.moment(rule.get("until", "")), "amount": w.money(rule.get("amount", 0))}, []


def _discount(w: Writer, rule: Rule, path: str) -> tuple[str, list[str]]:
    usual = rule.get("percent")
    lines = []
    for index, bullet in enumerate(rule.get("bullets") or []):
        reasons = listed(_reasons(w, bullet.get("claims"), f"{path}.bullets[{index}]"))
        own = bullet.get("percent")
        lines.append(f"{reasons} – {own} %" if own is not None else reasons)
    together = {
        "sum": _("Several discounts add up."),
        "best_single": _("Of several discounts only the best counts."),
        "multiply": _("Several discounts are taken one after the other."),
    }[str(rule.get("combine", "sum"))]
    unit = _("Every reason counts.") if rule.get("unit") == "reason" else _("Several reasons of one line count once.")
    if usual is not None:
        head = _("A discount of %(percent)s %% for each of the lines below. %(together)s %(unit)s")
        return head % {"percent": usual, "together": together, "unit": unit}, lines
    head = _("Discounts for each of the lines below. %(together)s %(unit)s")
    return head % {"together": together, "unit": unit}, lines


def _special(w: Writer, rule: Rule, path: str) -> tuple[str, list[str]]:
    return _("The fee is %(amount)s for:") % {"amount": w.money(rule.get("amount", 0))}, _reasons(
        w, rule.get("claims"), path
    )


def _sibling(w: Writer, rule: Rule, path: str) -> tuple[str, list[str]]:
    least, most = int(rule.get("at_least", 2)), rule.get("at_most")
    values = {"amount": w.money(rule.get("amount", 0)), "count": least, "most": most}
    if most is None:
        head = ngettext(
            "With %(count)s child or more of one family the fee is %(amount)s each.",
            "With %(count)s children or more of one family the fee is %(amount)s each.",
            least,
        )
    elif int(most) == least:
        head = ngettext(
            "With exactly %(count)s child of one family the fee is %(amount)s each.",
            "With exactly %(count)s children of one family the fee is %(amount)s each.",
            least,
        )
    else:
        head = ngettext(
            "With %(count)s to %(most)s child of one family the fee is %(amount)s each.",
            "With %(count)s to %(most)s children of one family the fee is %(amount)s each.",
            int(most),
        )
    combine = {
        "min": _("If a discount applies as well, the lower price counts."),
        "discount_on_sibling": _("Discounts are taken off this price."),
        "sibling_only": _("No other discount is added."),
    }[str(rule.get("combine", "min"))]
    return f"{head % values} {combine}", []


def _exempt(w: Writer, rule: Rule, path: str) -> tuple[str, list[str]]:
    return _("These players pay no fee:"), _reasons(w, rule.get("claims"), path)


def _late(w: Writer, rule: Rule, path: str) -> tuple[str, list[str]]:
    late = []
    if rule.get("registered_until"):
        late.append(_("who has not registered by %(when)s") % {"when": w.moment(rule["registered_until"])})
    if rule.get("arrived_until"):
        late.append(
            _("who comes to the on-site registration after %(when)s") % {"when": w.moment(rule["arrived_until"])}
        )
    who = either(late)
    mode = {
        "flat": _("Discounts don't apply."),
        "base": _("Discounts are taken off this price."),
        "surcharge": _("Whoever has a discount pays the same difference to the ordinary fee on top."),
    }[str(rule.get("mode", "flat"))]
    exempt = (
        _("It is also paid by those free of the fee.")
        if rule.get("applies_to_exempt")
        else _("Those free of the fee stay free.")
    )
    head = _("For a late entry (%(who)s) the fee is %(amount)s.")
    return f"{head % {'who': who, 'amount': w.money(rule.get('amount', 0))}} {mode} {exempt}", []


def _outcome(w: Writer, rule: Rule, path: str) -> tuple[str, list[str]]:
    conditions = []
    if rule.get("valid_reason") is True:
        conditions.append(pgettext("condition", "with a valid reason"))
    elif rule.get("valid_reason") is False:
        conditions.append(pgettext("condition", "without a valid reason"))
    if rule.get("before_start") is True:
        conditions.append(pgettext("condition", "before the start"))
    elif rule.get("before_start") is False:
        conditions.append(pgettext("condition", "after the start"))
    if rule.get("replaced") is True:
        conditions.append(pgettext("condition", "somebody else took the place"))
    elif rule.get("replaced") is False:
        conditions.append(pgettext("condition", "nobody took the place"))
    case = {
        "no_show": _("No-show"),
        "withdrawn": _("Withdrawal"),
        "disqualified": _("Disqualification"),
        "event_cancelled": _("The event is cancelled"),
        "rejected": _("Entry not admitted"),
        "not_admitted": _("Reserve who never got a place"),
    }.get(str(rule.get("when")), "")
    if conditions:
        case = f"{case} ({', '.join(conditions)})"
    return _("%(case)s: %(keep)s.") % {"case": case, "keep": w.label(f"{path}.keep", rule.get("keep"))}, []


_SENTENCES = {
    "base": _base,
    "deposit": _deposit,
    "early": _early,
    "discount": _discount,
    "special": _special,
    "sibling": _sibling,
    "exempt": _exempt,
    "late": _late,
    "outcome": _outcome,
}


def _payment(w: Writer) -> None:
    block = w.block("payment")
    if not block:
        return
    clause = block.get("clause")
    methods = w.labels("payment.methods", block.get("methods") or ["cash"])
    w.say(_("Ways to pay: %(methods)s.") % {"methods": methods}, "payment.methods", clause=clause)
    if "transfer" not in (block.get("methods") or []):
        return
    purpose = w.words(block.get("purpose"))
    if purpose:
        shown = purpose.replace("{name}", _("[name of the entrant]")).replace("{reference}", _("[payment reference]"))
        w.say(_("Purpose of the payment: “%(purpose)s”.") % {"purpose": shown}, "payment.purpose", clause=clause)
    payee = requisites_of(w.event, block)
    if payee:
        w.say(
            _("Bank details:"),
            "payment.payee",
            lines=[f"{PAYEE_LABELS[key]}: {payee[key]}" for key in PAYEE_LABELS if payee.get(key)],
        )
