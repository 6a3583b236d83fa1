"""Codes into words. Engines and services raise codes; here (and in each app's `labels.py`) they become sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _t
from django.utils.translation import gettext_lazy as _

from tourney.kernel.errors import TourneyError

MESSAGES: dict[str, Any] = {
    "rule.missing": _("This rule is missing."),
    "rule.expected_table": _("A table of rules is expected here."),
    "rule.expected_text": _("A text is expected here."),
    "rule.expected_number": _("A whole number is expected here."),
    "rule.out_of_range": _("%(got)s is out of range (%(low)s–%(high)s)."),
    "rule.expected_flag": _("Yes or no is expected here."),
    "rule.not_an_option": _("“%(got)s” is not one of: %(options)s."),
    "rule.expected_money": _("“%(got)s” is not an amount of money."),
    "rule.negative_money": _("An amount can't be below zero (“%(got)s”)."),
    "rule.expected_words": _("A text in Ukrainian, Russian or English is expected here."),
    "rule.expected_list": _("A list is expected here."),
    "rule.unknown_key": _("There is no rule with this name."),
    "rule.twice": _("“%(got)s” occurs twice."),
    "draw.no_entrants": _("A draw needs somebody to draw among."),
    "draw.entrant_twice": _("Somebody is in the list twice."),
    "draw.too_many_winners": _("%(winners)s winners can't be drawn among %(entrants)s."),
    "draw.coin_needs_two": _("A lot between two needs exactly two."),
    "draw.unknown_kind": _("This kind of draw is unknown."),
    "draw.already_decided": _("Draw № %(number)s has already been decided."),
    "draw.void_needs_reason": _("Say why the draw is dropped."),
    "draw.commitment_differs": _("The secret doesn't match the commitment."),
    "draw.result_differs": _("The result doesn't follow from the numbers."),
    "stage.no_system": _("The regulation has no system for %(players)s players."),
    "stage.merged": _("This group plays inside another one; close the entries there."),
    "stage.already_closed": _("The start list is already closed."),
    "stage.already_started": _("The tournament of this group has already begun."),
    "stage.too_few": _("At least two players are needed (there are %(players)s)."),
    "stage.override_needs_reason": _("Say why the system or the number of rounds is changed."),
}


def register_messages(messages: Mapping[str, Any]) -> None:
    """Add an app's sentences; call from its `AppConfig.ready()`."""
    MESSAGES.update(messages)


def sentence(error: TourneyError) -> str:
    """Return a refusal as a sentence in the user's language; rule errors say their path first."""
    message = MESSAGES.get(error.code)
    values = {key: ", ".join(map(str, v)) if isinstance(v, list) else v for key, v in error.values.items()}
    words = str(message) % values if message else _t("This was refused (%(code)s).") % {"code": error.code}
    path = error.values.get("path")
    return f"{path}: {words}" if path else words
