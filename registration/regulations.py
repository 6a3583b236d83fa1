"""The rules of entering and paying that are in force, parsed once per published version."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import Any

from registration.engine import payee, rules
from registration.engine.capacity import PlaceRules
from registration.engine.fee_rules import FeePolicy
from registration.engine.rules import RegistrationRules, SectionPlaces
from tourney.kernel.errors import RuleError, TourneyError
from tourney.models import Regulation, Section, Tournament
from tourney.requisites import requisites_of
from tourney.selectors import current_regulation

# The ratings an entry may carry, in the order a form asks for them.
RATING_KINDS = ("national", "fide_standard", "fide_rapid", "fide_blitz")


@lru_cache(maxsize=256)
def _parsed(number: int, published_at: datetime) -> tuple[RegistrationRules, dict[str, Any]]:
    # A published version never changes, so its parsed form is kept; the moment tells two databases apart.
    spec = Regulation.objects.values_list("spec", flat=True).get(pk=number)
    return rules.parse(spec), spec.get("rating") or {}


def regulation_in_force(tournament: Tournament) -> Regulation:
    """Return the newest published version. TourneyError ``entry.no_regulation`` while there is none."""
    regulation = current_regulation(tournament)
    if regulation is None:
        raise TourneyError("entry.no_regulation")
    return regulation


def _in_force(tournament: Tournament) -> tuple[int, datetime]:
    """Return the key of the newest published version without its text, which is long and parsed already."""
    found = tournament.regulations.order_by("-number").values_list("pk", "published_at").first()
    if found is None:
        raise TourneyError("entry.no_regulation")
    return found


def rules_of(tournament: Tournament) -> RegistrationRules:
    """Return what the regulation in force says about entering and paying."""
    return _parsed(*_in_force(tournament))[0]


@dataclass(frozen=True, slots=True)
class FeeVersion:
    """The fee rules of one published version of an event's regulation."""

    number: int
    since: datetime
    policy: FeePolicy


def fee_versions(tournament: Tournament) -> list[FeeVersion]:
    """Return the fee rules of every published version, the oldest first. TourneyError ``entry.no_regulation``."""
    versions = tournament.regulations.order_by("number").values_list("pk", "number", "published_at")
    found = [FeeVersion(number, since, _parsed(pk, since)[0].fees) for pk, number, since in versions]
    if not found:
        raise TourneyError("entry.no_regulation")
    return found


def rating_kinds(tournament: Tournament) -> tuple[str, ...]:
    """Return the ratings the regulation uses or shows; the one pairings go by comes first."""
    block = _parsed(*_in_force(tournament))[1]
    wanted = [block.get("use", ""), *block.get("show", ())]
    return tuple(dict.fromkeys(kind for kind in wanted if kind in RATING_KINDS))


def rating_by_rule(tournament: Tournament, ratings: dict[str, Any]) -> int | None:
    """Return the rating the regulation pairs by (`rating.use`); None for somebody without one."""
    kinds = rating_kinds(tournament)
    value = ratings.get(kinds[0]) if kinds else None
    return int(value) if value else None


def section_rules(known: RegistrationRules, section: Section) -> SectionPlaces:
    """Return who may enter a section and how many. TourneyError ``entry.section_closed`` when no rule names it."""
    try:
        found = known.section(section.code)
    except KeyError as error:
        raise TourneyError("entry.section_closed", section=section.title_text) from error
    places: PlaceRules = replace(found.places, capacity=section.capacity or found.places.capacity)
    return replace(found, places=places)


def payee_of(tournament: Tournament, known: RegistrationRules) -> payee.Payee | None:
    """Return whom to pay by transfer (`tourney.requisites` says whose details count); None: unknown or wrong."""
    found = requisites_of(tournament, {"payee": asdict(known.payment.payee)})
    try:
        parsed = payee.parse(found, "requisites")
    except RuleError:
        return None  # the settings page says which number can't be right; nobody must pay with it
    return parsed if parsed.iban or parsed.account else None
