"""Invented people: names put together at random, always the same for the same seed."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tourney.kernel.chance import Chance


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who doesn't exist."""

    surname: str
    given_name: str
    sex: str
    patronymic: str = ""
    town: str = ""
    district: str = ""
    club: str = ""
    email: str = ""
    phone: str = ""


@cache
def _words() -> dict[str, Any]:
    return tomllib.loads((Path(__file__).parent / "names.toml").read_text(encoding="utf-8"))


def _form(word: str, sex: str) -> str:
    """Return the form of a name for a sex: ``Левицький|Левицька``."""
    forms = word.split("|")
    return forms[-1] if sex == "F" else forms[0]


class Crowd:
    """An endless line of different people of one language."""

    def __init__(self, language: str, seed: str) -> None:
        self._words: dict[str, list[str]] = _words()[language]
        self._chance = Chance.labelled(seed, f"people {language}")
        self._known: set[tuple[str, str]] = set()
        self._count = 0

    def next(self, sex: str) -> Person:
        """Return somebody new of a sex."""
        words, chance = self._words, self._chance
        while True:
            surname = _form(chance.choice(words["surnames"]), sex)
            given = chance.choice(words["male" if sex == "M" else "female"])
            if (surname, given) not in self._known:
                break
        self._known.add((surname, given))
        self._count += 1
        return Person(
            surname=surname,
            given_name=given,
            sex=sex,
            patronymic=_form(chance.choice(words["fathers"]), sex) if "fathers" in words else "",
            town=chance.choice(words["towns"]) if "towns" in words else "",
            district=chance.choice(words["districts"]) if "districts" in words else "",
            club=chance.choice(words["clubs"]),
            email=f"demo{self._count}@example.org",
            phone=f"+380 00 000 {self._count:02d} {chance.below(90) + 10}" if "towns" in words else "",
        )

    def line(self, sex: str, number: int) -> Iterator[Person]:
        """Yield a number of people."""
        for _ in range(number):
            yield self.next(sex)
