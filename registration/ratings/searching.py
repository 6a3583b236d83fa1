"""Finding somebody in the lists while he types: by name in either script, by number, with the year, with a slip.

Looks, each only if the ones before found too few: the words as they stand; the last one as a beginning, because it is
still being typed; all as beginnings; words one slip away; the first two words alone (a patronymic the FIDE list does
not know). All are answered by indexes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from registration.ratings.folding import cuts, fold_word, fold_words, is_one_slip_apart
from registration.ratings.models import NameCut, RatedPerson, Source

MOST = 10
_LONGEST = 120
_SHORTEST = 3  # letters a search needs
_LOOKED_AT = 1_500  # a beginning of three letters fits tens of thousands; nobody reads on
_MOST_SLIPS = 30
_YEAR = re.compile(r"(19|20)\d\d")
_TABLE = RatedPerson._meta.db_table
_COLUMNS = ", ".join(one.column for one in RatedPerson._meta.concrete_fields if one.column != "words")


def search(typed: str, *, most: int = MOST) -> list[RatedPerson]:
    """Return the people a text may mean, the likeliest first; empty for too short a text."""
    parts = typed[:_LONGEST].split()
    years = [int(part) for part in parts if _YEAR.fullmatch(part)]
    digits = [part for part in parts if part.isascii() and part.isdecimal() and not _YEAR.fullmatch(part)]
    raw = [part for part in parts if not any(sign.isdecimal() for sign in part)]
    words = fold_words(" ".join(raw))[:4]
    if digits or (years and not words):
        return _by_number(digits[0] if digits else str(years[0]))
    if sum(map(len, words)) < _SHORTEST:
        return []
    year = years[0] if years else None
    found: dict[int, RatedPerson] = {}
    for query in _queries(words, raw):
        if len(found) >= most or (found and "|" in query):
            break
        found |= {one.pk: one for one in _ask(query, year, most * 3)}
    if not found and len(words) > 2:
        found = {one.pk: one for one in _ask(_with_slips(words[:2], raw), year, most * 3)}
    return sorted(found.values(), key=lambda one: _rank(one, words))[:most]


def _queries(words: Sequence[str], raw: Sequence[str]) -> Iterator[str]:
    """Yield ever wider questions in PostgreSQL's language of text search; folded words have nothing to escape."""
    yield " & ".join(words)
    yield " & ".join([*words[:-1], f"{words[-1]}:*"])
    if len(words) > 1:
        yield " & ".join(f"{word}:*" for word in words)
    yield _with_slips(words, raw)


def _with_slips(words: Sequence[str], raw: Sequence[str]) -> str:
    return " & ".join("(" + " | ".join([f"{word}:*", *_slips(word, raw)]) + ")" for word in words)


def _by_number(number: str) -> list[RatedPerson]:
    by_own = RatedPerson.objects.filter(source__in=Source.values, number=number)  # the index begins with the source
    return list(by_own.defer("words")) or list(RatedPerson.objects.filter(fide_number=number).defer("words")[:MOST])


def _ask(query: str, year: int | None, most: int) -> list[RatedPerson]:
    """Return the strongest of the first people a question finds: enough is looked at, never all of a common name."""
    where = "words @@ %s::tsquery" + ("" if year is None else " AND birth_year = %s")
    strength = "greatest(standard, rapid, blitz) DESC NULLS LAST"
    return list(
        RatedPerson.objects.raw(
            f"SELECT {_COLUMNS} FROM (SELECT {_COLUMNS} FROM {_TABLE} WHERE {where} LIMIT {_LOOKED_AT}) AS p"  # noqa: S608
            f" ORDER BY {strength} LIMIT %s",
            [query, *([] if year is None else [year]), most],
        )
    )


def _slips(word: str, raw: Sequence[str]) -> list[str]:
    """Return words of the lists one slip away from a folded word, or from what was typed before it was folded.

    Two letters exchanged inside "sh" fold to something far away; so exchanges are tried in the typed letters as well.
    """
    if len(word) < 4:
        return []
    typed = [part.casefold() for part in raw if fold_word(part) == word]
    turned = {
        fold_word(part[:at] + part[at + 1] + part[at] + part[at + 2 :]) for part in typed for at in range(len(part) - 1)
    }
    near = NameCut.objects.filter(cut__in=cuts(word) | turned).values_list("word__word", flat=True)
    return sorted({one for one in near if one != word and (one in turned or is_one_slip_apart(one, word))})[
        :_MOST_SLIPS
    ]


def _rank(person: RatedPerson, words: Sequence[str]) -> tuple[int, int, int, str]:
    """Order: more words met exactly, then begun; then the stronger; then by name."""
    own = fold_words(person.name)
    met = sum(word in own for word in words)
    begun = sum(any(one.startswith(word) for one in own) for word in words)
    strength = max(person.standard or 0, person.rapid or 0, person.blitz or 0)
    return -met, -begun, -strength, person.name
