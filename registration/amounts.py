"""An amount in words, as a receipt needs it: uk, ru and en, hryvnias and roubles."""

from __future__ import annotations

from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _
from num2words import num2words

from tourney.kernel.money import MINOR_UNITS, Money

CAN_SPEAK = {"uk": {"UAH", "RUB", "USD", "EUR"}, "ru": {"UAH", "RUB", "USD", "EUR"}}


def amount_words(amount: Money) -> str:
    """Return ``Шістсот гривень, 00 коп.`` – the whole part in words, the minor units in figures."""
    language = (get_language() or "uk")[:2]
    whole, minor = divmod(abs(amount.minor), MINOR_UNITS)
    if amount.currency in CAN_SPEAK.get(language, ()):
        words = num2words(f"{whole}.00", lang=language, to="currency", currency=amount.currency)
        text = str(words).split(",")[0]  # the language's own words for the minor units follow the comma
        cents = _("kop.")
        return f"{text[:1].upper()}{text[1:]}, {minor:02d} {cents}"
    text = str(num2words(whole, lang="en"))
    unit = {
        "UAH": ngettext("hryvnia", "hryvnias", whole),
        "RUB": ngettext("rouble", "roubles", whole),
    }.get(amount.currency, amount.currency)
    return f"{text[:1].upper()}{text[1:]} {unit}, {minor:02d}/100"
