"""Finding somebody in the lists while he types: by name in either script, by number, with the year, with a slip.

Looks, each only if the ones before found too few: the words as they stand; the last one as a beginning, because it is
still being typed; all as beginnings; one word a slip away; if still nobody, all words a slip away, and of three or more
the first two alone (a patronymic the FIDE list does not know). All are answered by indexes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from registration.ratings.folding import cuts, far_slips, fold_word, fold_words, is_one_slip_apart
from registration.ratings.models import NameCut, NameWord, RatedPerson, Source

MOST = 10
_LONGEST = 120
_SHORTEST = 3  # letters a search needs
_LOOKED_AT = 1_500  # a beginning of three letters fits tens of thousands; nobody reads on
_MOST_SLIPS = 60  # of one word; the nearest
_SHORTEST_SLIP = 3  # letters a word needs to be taken for another one
_YEAR = re.compile(r"(19|20)\d\d")
_TABLE = RatedPerson._meta.db_table
_COLUMNS = ", ".join(one.column for one in RatedPerson._meta.concrete_fields if one.column != "words")


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
    for query in _queries(words):
        if len(found) >= most:
            break
        found |= {one.pk: one for one in _ask(query, year, most * 3)}
    if len(found) < most:
        slips = _slips(words, raw)
        for query in _queries_with_slips(words, slips):
            if query:
                found |= {one.pk: one for one in _ask(query, year, most * 3) if one.pk not in found}
            if found:
                break
    return sorted(found.values(), key=lambda one: _rank(one, words))[:most]


def _queries(words: Sequence[str]) -> Iterator[str]:
    """Yield ever wider questions in PostgreSQL's language of text search; folded words have nothing to escape."""
    yield " & ".join(words)
    yield " & ".join([*words[:-1], f"{words[-1]}:*"])
    if len(words) > 1:
        yield " & ".join(f"{word}:*" for word in words)


def _queries_with_slips(words: Sequence[str], slips: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield questions that forgive: a slip in one of the words; in each of them; in the first two alone."""
    one_wrong = [
        " & ".join(_any(slips[word]) if word == wrong else f"{word}:*" for word in words)
        for wrong in words
        if slips[wrong]
    ]
    yield " | ".join(f"({query})" for query in one_wrong)
    yield " & ".join(_any([f"{word}:*", *slips[word]]) for word in words) if len(one_wrong) > 1 else ""
    if len(words) > 2:
        yield " & ".join(_any([f"{word}:*", *slips[word]]) for word in words[:2])


def _any(words: Sequence[str]) -> str:
    return "(" + " | ".join(words) + ")"


def _by_number(number: str) -> list[RatedPerson]:
    by_own = RatedPerson.objects.filter(source__in=Source.values, number=number)  # the index begins with the source
    return list(by_own.defer("words")) or list(RatedPerson.objects.filter(fide_number=number).defer("words")[:MOST])


def _ask(query: str, year: int | None, most: int) -> list[RatedPerson]:
    """Return the strongest of the first people a question finds: enough is looked at, never all of a common name.

    Each name comes once before any comes twice, so that namesakes of one spelling do not hide another.
    """
    where = "words @@ %s::tsquery" + ("" if year is None else " AND birth_year = %s")
    strength = "greatest(standard, rapid, blitz) DESC NULLS LAST"
    return list(
        RatedPerson.objects.raw(
            f"SELECT {_COLUMNS} FROM (SELECT {_COLUMNS} FROM {_TABLE} WHERE {where} LIMIT {_LOOKED_AT}) AS p"  # noqa: S608
            f" ORDER BY row_number() OVER (PARTITION BY name ORDER BY {strength}), {strength} LIMIT %s",
            [query, *([] if year is None else [year]), most],
        )
    )


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
