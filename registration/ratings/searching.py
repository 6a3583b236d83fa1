"""Finding somebody in the lists while he types: by name in either script, by number, with the year, with a slip.

Three looks, each only if the one before found too few: words as typed (each may be the beginning of one), words one
slip away, and the first two words alone (a patronymic the FIDE list does not know). All are answered by indexes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from registration.ratings.folding import cuts, fold_words, is_one_slip_apart
from registration.ratings.models import NameCut, RatedPerson, Source

MOST = 10
_LONGEST = 120
_SHORTEST = 3  # letters a search needs
_LOOKED_AT = 1_500  # a beginning of three letters fits tens of thousands; nobody reads on
_MOST_SLIPS = 30
_YEAR = re.compile(r"(19|20)\d\d")


def search(typed: str, *, most: int = MOST) -> list[RatedPerson]:
    """Return the people a text may mean, the likeliest first; empty for too short a text."""
    parts = typed[:_LONGEST].split()
    years = [int(part) for part in parts if _YEAR.fullmatch(part)]
    digits = [part for part in parts if part.isascii() and part.isdecimal() and not _YEAR.fullmatch(part)]
    words = fold_words(" ".join(part for part in parts if not any(sign.isdecimal() for sign in part)))[:4]
    if digits or (years and not words):
        return _by_number(digits[0] if digits else str(years[0]))
    if sum(map(len, words)) < _SHORTEST:
        return []
    year = years[0] if years else None
    found = _by_words([[word] for word in words], year)
    if len(found) < most:
        found += _by_words([[word, *_slips(word)] for word in words], year, besides=found)
    if not found and len(words) > 2:
        found = _by_words([[word, *_slips(word)] for word in words[:2]], year)
    return sorted(found, key=lambda one: _rank(one, words))[:most]


def _by_number(number: str) -> list[RatedPerson]:
    by_own = RatedPerson.objects.filter(source__in=Source.values, number=number)  # the index begins with the source
    return list(by_own) or list(RatedPerson.objects.filter(fide_number=number).exclude(fide_number=""))


def _by_words(
    choices: Sequence[Sequence[str]], year: int | None, besides: Sequence[RatedPerson] = ()
) -> list[RatedPerson]:
    """Return people with one of the choices for every word, begun or whole."""
    query = " & ".join("(" + " | ".join(f"{word}:*" for word in words) + ")" for words in choices)
    known = {one.pk for one in besides}
    people: Any = RatedPerson.objects.extra(where=["words @@ %s::tsquery"], params=[query])
    if year is not None:
        people = people.filter(birth_year=year)
    return [one for one in people.defer("words").order_by()[:_LOOKED_AT] if one.pk not in known]


def _slips(word: str) -> list[str]:
    """Return words of the lists one slip away; two equal letters in the middle weigh nothing, they were folded."""
    if len(word) < 4:
        return []
    near = NameCut.objects.filter(cut__in=cuts(word)).values_list("word__word", flat=True)
    return sorted({one for one in near if one != word and is_one_slip_apart(one, word)})[:_MOST_SLIPS]


def _rank(person: RatedPerson, words: Sequence[str]) -> tuple[int, int, int, str]:
    """Order: more words met exactly, then begun; then the stronger; then by name."""
    own = fold_words(person.name)
    met = sum(word in own for word in words)
    begun = sum(any(one.startswith(word) for one in own) for word in words)
    strength = max(person.standard or 0, person.rapid or 0, person.blitz or 0)
    return -met, -begun, -strength, person.name
