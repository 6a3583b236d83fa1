"""Finding somebody in the lists while he types: by name in either script, by number, with the year, with a slip.

Looks, each only if the ones before found too few: the words as they stand; the last one as a beginning, because it is
still being typed; all as beginnings; one word a slip away; if still nobody, all words a slip away, and of three or more
the first two alone (a patronymic the FIDE list does not know). All are answered by indexes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from django.core.cache import cache
from django.db import connection

from registration.ratings.folding import cuts, far_slips, fold_word, fold_words, is_one_slip_apart
from registration.ratings.models import NameCut, NameWord, RatedPerson, Source

MOST = 10
_LONGEST = 120
_SHORTEST = 3  # letters a search needs
_LOOKED_THROUGH = 4_000  # people of the rarest word, each of whom is looked at for the others
_COUNTED_FOR = 600  # seconds
_LOOKED_AT = 1_500  # a beginning of three letters fits tens of thousands; nobody reads on
_MOST_SLIPS = 60  # of one word; the nearest
_SHORTEST_SLIP = 3  # letters a word needs to be taken for another one
_YEAR = re.compile(r"(19|20)\d\d")
_TABLE = RatedPerson._meta.db_table
_COLUMNS = ", ".join(one.column for one in RatedPerson._meta.concrete_fields if one.column != "words")

# What somebody must have: of each term one word, whole or (":*") begun with.
Terms = Sequence[Sequence[str]]


def search(typed: str, *, most: int = MOST) -> list[RatedPerson]:
    """Return the people a text may mean, the likeliest first; empty for too short a text."""
    parts = typed[:_LONGEST].split()
    years = [int(part) for part in parts if _YEAR.fullmatch(part)]
    digits = [part for part in parts if part.isascii() and part.isdecimal() and not _YEAR.fullmatch(part)]
    raw = [piece for part in parts if not any(sign.isdecimal() for sign in part) for piece in part.split("-")]
    words = fold_words(" ".join(raw))[:4]
    if digits or (years and not words):
        return _by_number(digits[0] if digits else str(years[0]))
    if sum(map(len, words)) < _SHORTEST:
        return []
    year = years[0] if years else None
    found: dict[int, RatedPerson] = {}
    for terms in _queries(words):
        if len(found) >= most:
            break
        found |= {one.pk: one for one in _ask(terms, year, most * 3)}
    if len(found) < most:
        for questions in _queries_with_slips(words, _slips(words, raw)):
            for terms in questions:
                found |= {one.pk: one for one in _ask(terms, year, most * 3) if one.pk not in found}
            if found:
                break
    return sorted(found.values(), key=lambda one: _rank(one, words))[:most]


def _queries(words: Sequence[str]) -> Iterator[Terms]:
    """Yield ever wider questions; folded words have nothing to escape."""
    yield [[word] for word in words]
    yield [[word] for word in words[:-1]] + [[f"{words[-1]}:*"]]
    if len(words) > 1:
        yield [[f"{word}:*"] for word in words]


def _queries_with_slips(words: Sequence[str], slips: Mapping[str, Sequence[str]]) -> Iterator[Sequence[Terms]]:
    """Yield questions that forgive: a slip in one word, the others whole, then begun; in each; in the first two alone.

    Whole words cost little, so namesakes a slip away are looked for even where somebody is found as typed.
    """
    yield [[slips[word] if word == wrong else [word] for word in words] for wrong in words if slips[wrong]]
    one_wrong = [[slips[word] if word == wrong else [f"{word}:*"] for word in words] for wrong in words if slips[wrong]]
    yield one_wrong
    all_wrong = [[f"{word}:*", *slips[word]] for word in words]
    if len(one_wrong) > 1:
        yield [all_wrong]
    if len(words) > 2:
        yield [all_wrong[:2]]


def _by_number(number: str) -> list[RatedPerson]:
    by_own = RatedPerson.objects.filter(source__in=Source.values, number=number)  # the index begins with the source
    return list(by_own.defer("words")) or list(RatedPerson.objects.filter(fide_number=number).defer("words")[:MOST])


def _ask(terms: Terms, year: int | None, most: int) -> list[RatedPerson]:
    """Return the strongest of the first people a question finds: enough is looked at, never all of a common name.

    Each name comes once before any comes twice, so that namesakes of one spelling do not hide another. The index finds
    those of the rarest term, the others are then looked at one by one: that a common first name begins with three
    letters the index says of a hundred thousand people, and takes as long as that.
    """
    query = " & ".join(map(_any, terms))
    year_too, years = ("", []) if year is None else (" AND birth_year = %s", [year])
    few, rarest = min((_people(term), index) for index, term in enumerate(terms))
    if len(terms) > 1 and few < _LOOKED_THROUGH and ":*" in query:
        # OFFSET 0: not to be made one condition with the other again.
        by_index = f"(SELECT * FROM {_TABLE} WHERE words @@ %s::tsquery{year_too} OFFSET 0) AS near"  # noqa: S608
        where, values = f"{by_index} WHERE words @@ %s::tsquery", [_any(terms[rarest]), *years, query]
    else:
        where, values = f"{_TABLE} WHERE words @@ %s::tsquery{year_too}", [query, *years]
    strength = "greatest(standard, rapid, blitz) DESC NULLS LAST"
    return list(
        RatedPerson.objects.raw(
            f"SELECT {_COLUMNS} FROM (SELECT {_COLUMNS} FROM {where} LIMIT {_LOOKED_AT}) AS p"  # noqa: S608
            f" ORDER BY row_number() OVER (PARTITION BY name ORDER BY {strength}), {strength} LIMIT %s",
            [*values, most],
        )
    )


def _any(words: Sequence[str]) -> str:
    return "(" + " | ".join(words) + ")"


def _people(term: Sequence[str]) -> float:
    """Return about how many people have one of some words, as the database has counted; rare words count nothing."""
    common: dict[str, float] = cache.get_or_set("registration.common_name_words", _common, _COUNTED_FOR) or {}
    whole = {word for word in term if not word.endswith(":*")}
    begun = tuple(word[:-2] for word in term if word.endswith(":*"))
    return sum(number for word, number in common.items() if word in whole or (begun and word.startswith(begun)))


def _common() -> dict[str, float]:
    """Return the thousand commonest words of names with how many people have them; empty before the first ANALYZE."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT unnest(most_common_elems::text::text[]), unnest(most_common_elem_freqs) * reltuples"
            " FROM pg_stats JOIN pg_class ON relname = tablename AND relnamespace = schemaname::regnamespace"
            " WHERE schemaname = current_schema() AND tablename = %s AND attname = 'words'",
            [_TABLE],
        )
        return {word: number for word, number in cursor.fetchall() if word is not None}


def _slips(words: Sequence[str], raw: Sequence[str]) -> dict[str, list[str]]:
    """Return for each folded word the words of the lists one slip away, in its skeleton or as it was typed."""
    near = {word: cuts(word) for word in words if len(word) >= _SHORTEST_SLIP}
    far = {word: {one for part in raw if fold_word(part) == word for one in far_slips(part)} for word in near}
    wanted = set[str]().union(*near.values())
    met = set(NameCut.objects.filter(cut__in=wanted).values_list("word__word", flat=True)) if wanted else set()
    known = set(NameWord.objects.filter(word__in=set[str]().union(*far.values())).values_list("word", flat=True))
    found: dict[str, list[str]] = {word: [] for word in words}
    for word in near:
        close = [one for one in met if one != word and is_one_slip_apart(one, word)]
        found[word] = [*sorted(close), *sorted(known & far[word])][:_MOST_SLIPS]
    return found


def _rank(person: RatedPerson, words: Sequence[str]) -> tuple[int, int]:
    """Order: more words met exactly, then begun; within that as they were found."""
    own = fold_words(person.name)
    met = sum(word in own for word in words)
    begun = sum(any(one.startswith(word) for one in own) for word in words)
    return -met, -begun
