"""One person as a form tells of him: what the rules ask about, and whether he is entered already."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from django.db.models import Q

from registration.accounts import ALIVE
from registration.engine import eligibility
from registration.engine.eligibility import Person, Verdict
from registration.engine.rules import RegistrationRules
from registration.models import Application
from registration.ratings.folding import fold_words
from registration.regulations import rating_by_rule, section_rules
from tourney.models import Entry, Section, Tournament


@dataclass(frozen=True, slots=True, kw_only=True)
class Applicant:
    """One person as a form tells of him. Only the surname is always needed; the regulation may ask for more."""

    surname: str
    given_name: str = ""
    patronymic: str = ""
    latin_name: str = ""
    sex: str = ""  # "M" or "F"
    birth_date: date | None = None
    birth_year: int | None = None  # where the day is not known
    level: str = ""
    title: str = ""
    club: str = ""
    city: str = ""
    district: str = ""
    coach: str = ""
    federation: str = ""
    fide_id: str = ""
    national_id: str = ""
    ratings: Mapping[str, int] = field(default_factory=dict)  # {"national": 1650, "fide_blitz": 1712}
    email: str = ""
    phone: str = ""
    guardian_name: str = ""
    guardian_relation: str = ""
    lives_in_region: bool = False
    registered_in_region: bool = False
    grounds: tuple[str, ...] = ()  # claimed rights to play up, checked by the organizer
    claims: tuple[str, ...] = ()  # claimed reasons for a lower fee, checked at the desk
    family_key: str = ""  # children of one family share it
    note: str = ""
    language: str = ""  # of letters; empty: the event's
    address: str = ""  # the network address consents came from, for their record
    consent_regulation: bool = True
    consent_processing: bool = True
    consent_publication: bool = True
    consent_media: bool = False

    @property
    def year(self) -> int | None:
        return self.birth_date.year if self.birth_date else self.birth_year


def judge(
    section: Section, rules: RegistrationRules, applicant: Applicant, tournament: Tournament, proven: Any = ()
) -> Verdict:
    """Return whether a person may enter a section; claimed grounds prove nothing until somebody has checked them."""
    return eligibility.judge(section_rules(rules, section).who, person_of(applicant, tournament, proven))


def person_of(applicant: Applicant, tournament: Tournament, proven: Any = ()) -> Person:
    """Return what the engine of eligibility asks about."""
    return Person(
        birth_year=applicant.year,
        sex=applicant.sex,
        level=applicant.level,
        rating=rating_by_rule(tournament, dict(applicant.ratings)),
        lives_in_region=applicant.lives_in_region,
        registered_in_region=applicant.registered_in_region,
        grounds=frozenset(proven),
    )


def fold_name(text: str) -> str:
    """Return a name for comparing: case, ё and е, and the kinds of apostrophe make no difference."""
    plain = unicodedata.normalize("NFKC", text).casefold().replace("ё", "е")
    return " ".join("".join("'" if sign in "ʼ’`ˈ" else sign for sign in plain).split())


def find_same_person(tournament: Tournament, applicant: Applicant) -> Entry | None:
    """Return the living entry of the same person, in any section of the event.

    The same is who has the same number of a federation, or the same birth and name: in either script, with or without
    the patronymic, with the surname and the given name exchanged.
    """
    living = Entry.objects.filter(tournament=tournament, state__in=ALIVE).select_related("player").order_by("pk")
    numbers = Q()
    for column in ("fide_id", "national_id"):
        if number := getattr(applicant, column):
            numbers |= Q(**{f"player__{column}": number})
    if numbers and (found := living.filter(numbers).first()):
        return found
    born = (
        Q(player__birth_date=applicant.birth_date)
        if applicant.birth_date
        else Q(player__birth_year=applicant.birth_year)
    )
    wanted = _name_key(applicant.surname, applicant.given_name)
    # Only the names are read: hundreds may be born in one year.
    for pk, surname, given_name in living.filter(born).values_list("pk", "player__surname", "player__given_name"):
        if _name_key(surname, given_name) == wanted:
            return living.get(pk=pk)
    return None


def _name_key(surname: str, given_name: str) -> frozenset[str]:
    """Return a name for comparing; a name with a word in a script that does not fold is compared as it is written."""
    written = fold_name(f"{surname} {given_name}").split()
    folded = [fold_words(word) for word in written]
    return frozenset(written) if not all(folded) else frozenset(part for parts in folded for part in parts)


def applicant_of(entry: Entry, application: Application | None) -> Applicant:
    """Return what a form told about an entry, from the rows it left."""
    player, answers = entry.player, application.answers if application else {}
    return Applicant(
        surname=player.surname,
        given_name=player.given_name,
        patronymic=player.patronymic,
        sex=player.sex,
        birth_date=player.birth_date,
        birth_year=player.birth_year,
        level=entry.level,
        ratings=entry.ratings or {},
        lives_in_region=bool(answers.get("lives_in_region")),
        registered_in_region=bool(answers.get("registered_in_region")),
    )
