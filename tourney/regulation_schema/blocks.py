"""The blocks of a regulation by name: title and schema, in the order in which they are edited."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _

from tourney.regulation_schema import fees, money, people, play, stages
from tourney.regulation_schema.nodes import Node, Rows, Table

BLOCK_TITLES: Mapping[str, Any] = {
    "general": _("Title, language, currency"),
    "event": _("Time and place"),
    "sections": _("Groups"),
    "eligibility": _("Who may play, for all groups"),
    "registration": _("Registration"),
    "fees": _("Fees"),
    "payment": _("Payment"),
    "stages": _("System"),
    "match_formats": _("Match formats"),
    "rating": _("Rating"),
    "clock": _("Time control"),
    "schedule": _("Schedule of rounds"),
    "lateness": _("Late players"),
    "conduct": _("Conduct"),
    "sanctions": _("Sanctions"),
    "appeals": _("Appeals"),
    "playoff": _("Play-off for first place"),
    "categories": _("Categories"),
    "prizes": _("Money prizes"),
    "lotteries": _("Prize draws"),
    "awards": _("Awards"),
    "fund": _("Prize fund"),
    "broadcast": _("Broadcast and games"),
    "clauses": _("Clauses in your own words"),
    "readings": _("Open questions"),
}

# Not a block of the data, but the few single values at its head.
GENERAL_KEYS = tuple(node.key for node in people.GENERAL)

_TABLES: Mapping[str, tuple[Node, ...]] = {
    "general": people.GENERAL,
    "event": people.EVENT,
    "eligibility": people.ELIGIBILITY,
    "registration": people.REGISTRATION,
    "fees": fees.FEES,
    "payment": fees.PAYMENT,
    "rating": play.RATING,
    "clock": play.CLOCK,
    "schedule": play.SCHEDULE,
    "lateness": play.LATENESS,
    "conduct": people.CONDUCT,
    "sanctions": people.SANCTIONS,
    "appeals": people.APPEALS,
    "playoff": play.PLAYOFF,
    "fund": money.FUND,
    "broadcast": money.BROADCAST,
}
_LISTS: Mapping[str, Rows] = {
    "sections": people.SECTIONS,
    "stages": stages.STAGES,
    "match_formats": play.MATCH_FORMATS,
    "categories": money.CATEGORIES,
    "prizes": money.PRIZES,
    "lotteries": money.LOTTERIES,
    "awards": money.AWARDS,
    "clauses": money.CLAUSES,
}

EDITABLE: tuple[str, ...] = tuple(BLOCK_TITLES)


def block_schema(name: str) -> Table | Rows:
    """Return the schema of a block; KeyError for one without a form of its own (``readings``)."""
    if name in _LISTS:
        return _LISTS[name]
    switch = "committee" if name == "appeals" else ""
    return Table(key=name, label=BLOCK_TITLES[name], fields=_TABLES[name], switch=switch)


def has_schema(name: str) -> bool:
    """Return whether a block has a form of its own."""
    return name in _LISTS or name in _TABLES
