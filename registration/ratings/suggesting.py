"""What the lists say about a person, brought together from several lists by the ID FIDE: what a form fills in.

Only what federations publish: name, federation, year, title, numbers and ratings. Nothing here looks at anybody who is
registered.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Q

from registration.ratings.models import RatedPerson, RatingList, Source
from registration.ratings.searching import MOST, search
from registration.regulations import rating_kinds, regulation_in_force
from tourney.kernel.errors import TourneyError
from tourney.models import Tournament

_BY_CURRENCY = {"UAH": Source.UKRAINE, "RUB": Source.RUSSIA}
_BY_FEDERATION = {"UKR": Source.UKRAINE, "RUS": Source.RUSSIA}


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One person. `ratings` are of the kinds the event asks for; `key` finds the person again: "fide-14100010"."""

    key: str
    name: str  # as the event's own list writes it where there is one, else as FIDE's
    surname: str
    given_name: str
    patronymic: str
    latin_name: str
    federation: str
    birth_year: int | None
    sex: str
    title: str
    fide_id: str
    national_id: str
    ratings: Mapping[str, int] = field(default_factory=dict)


def any_list() -> bool:
    """Return whether a list is loaded: only then there is something to find."""
    return RatingList.objects.filter(state=RatingList.State.LOADED).exists()


def suggest(tournament: Tournament, typed: str, *, most: int = MOST) -> list[Suggestion]:
    """Return whom a text typed into an event's form may mean, the likeliest first."""
    return _together(tournament, search(typed, most=most * 2))[:most]


def by_key(tournament: Tournament, key: str) -> Suggestion | None:
    """Return the person of a suggestion's key, if a list still has him."""
    source, _dash, number = key.partition("-")
    found = RatedPerson.objects.filter(source=source, number=number[:12]).defer("words")
    return next(iter(_together(tournament, list(found))), None)


def by_numbers(tournament: Tournament, fide_ids: Iterable[str], national_ids: Iterable[str]) -> list[Suggestion]:
    """Return the people with these numbers, in a constant number of queries."""
    national = national_source(tournament)
    wanted = Q(source=Source.FIDE, number__in=list(fide_ids)) | Q(fide_number__in=list(fide_ids))
    wanted |= Q(source=national, number__in=list(national_ids))
    return _together(tournament, list(RatedPerson.objects.filter(wanted).exclude(number="").defer("words")))


def national_source(tournament: Tournament) -> str:
    """Return whose list an event's national ratings come from: the regulation's federation, else by the currency."""
    try:
        block: dict[str, Any] = regulation_in_force(tournament).spec.get("rating") or {}
    except TourneyError:
        block = {}
    named = _BY_FEDERATION.get(str(block.get("national", "")))
    return named or _BY_CURRENCY.get(tournament.currency, Source.RUSSIA)


def _together(tournament: Tournament, found: Sequence[RatedPerson]) -> list[Suggestion]:
    """Join what several lists say about one person, in the order in which people were found."""
    fide_ids = {fide for one in found if (fide := _fide_id(one))}
    others = RatedPerson.objects.filter(Q(source=Source.FIDE, number__in=fide_ids) | Q(fide_number__in=fide_ids))
    people: dict[str, dict[str, RatedPerson]] = {}
    for one in [*found, *(others.defer("words") if fide_ids else [])]:
        people.setdefault(_fide_id(one) or f"{one.source}-{one.number}", {}).setdefault(one.source, one)
    kinds = rating_kinds(tournament)
    national = national_source(tournament)
    return [_suggestion(lists, national, kinds) for lists in people.values()]


def _fide_id(person: RatedPerson) -> str:
    return person.number if person.source == Source.FIDE else person.fide_number


def _suggestion(lists: Mapping[str, RatedPerson], national: str, kinds: Sequence[str]) -> Suggestion:
    own, fide = lists.get(national), lists.get(Source.FIDE)
    shown = own or fide or next(iter(lists.values()))
    surname, given_name, patronymic = _parts(shown.name)
    fide_id = fide.number if fide else next((one.fide_number for one in lists.values() if one.fide_number), "")
    return Suggestion(
        key=f"{shown.source}-{shown.number}",
        name=shown.name,
        surname=surname,
        given_name=given_name,
        patronymic=patronymic,
        latin_name=fide.name if fide else "",
        federation=shown.federation,
        birth_year=next((one.birth_year for one in (shown, *lists.values()) if one.birth_year), None),
        sex=fide.sex if fide and fide.sex else shown.sex,
        title=(fide.title if fide else "") or shown.title,
        fide_id=fide_id,
        national_id=own.number if own and own.source == Source.RUSSIA else "",
        ratings={kind: value for kind in kinds if (value := _rating(kind, own, fide, lists))},
    )


def _rating(
    kind: str, own: RatedPerson | None, fide: RatedPerson | None, lists: Mapping[str, RatedPerson]
) -> int | None:
    if kind == "national":
        return own.standard if own and own.source != Source.FIDE else None
    column = kind.removeprefix("fide_")
    if fide is not None:
        return getattr(fide, column)  # type: ignore[no-any-return]  # a column of small numbers
    return next((value for one in lists.values() if (value := getattr(one, kind, None))), None)


def _parts(name: str) -> tuple[str, str, str]:
    """Return surname, given name and patronymic of "Ivanov, Petr" and of "Иванов Петр Сергеевич"."""
    if "," in name:
        surname, given = name.split(",", 1)
        return surname.strip(), given.strip(), ""
    words = name.split()
    return words[0], words[1] if len(words) > 1 else "", " ".join(words[2:])
