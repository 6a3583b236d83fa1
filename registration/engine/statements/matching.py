"""Whose payment is it? Only a whole payment reference with the right check character books by itself.

In this order: the reference; the account of a payer known from before, with the very sum; surname and initial in the
purpose, with the very sum or without. All but the first are suggestions to a person. Nothing is booked by itself that
is more than what is open, in another currency, or for somebody who has left.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from registration.engine import reference
from registration.engine.statements.movements import Movement
from registration.engine.statements.texts import folded
from tourney.kernel.money import Money

_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_STEM = 3  # letters two forms of a surname surely share
MOST_SUGGESTIONS = 5


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entry that money may be for. `asks` are sums it may be asked for now (deposit, rest), `open` the most."""

    key: str
    reference: str
    surname: str
    given: str
    open: Money
    asks: tuple[Money, ...] = ()
    alive: bool = True
    accounts: frozenset[str] = frozenset()  # from which it has been paid before


@dataclass(frozen=True, slots=True)
class Suggestion:
    """An entry it may be, and a code of the reason."""

    key: str
    why: str


@dataclass(frozen=True, slots=True)
class Decision:
    """`parts` are what is surely for whom; none: a person decides, `why` says what stopped us."""

    parts: tuple[tuple[str, Money], ...] = ()
    why: str = ""
    suggestions: tuple[Suggestion, ...] = ()


def match(movements: Iterable[Movement], candidates: Sequence[Candidate], currency: str) -> list[Decision]:
    """Return a decision for each movement, in order: what one books is no longer open for the next."""
    books = _Books(candidates, currency)
    return [books.decide(movement) for movement in movements]


class _Books:
    """The candidates by everything they are looked up by, and what is still open."""

    def __init__(self, candidates: Sequence[Candidate], currency: str) -> None:
        self.currency = currency
        self.by_reference = {one.reference: one for one in candidates if one.reference}
        self.open = {one.key: one.open for one in candidates}
        self.by_account: dict[str, list[Candidate]] = defaultdict(list)
        self.by_stem: dict[str, list[tuple[str, str, Candidate]]] = defaultdict(list)
        for one in candidates:
            for account in one.accounts:
                self.by_account[account].append(one)
            surname, given = folded(one.surname), folded(one.given)
            for part in _WORD.findall(surname):
                self.by_stem[part[:_STEM]].append((part, given, one))

    def decide(self, movement: Movement) -> Decision:
        named = [self.by_reference[text] for text in reference.find(movement.purpose) if text in self.by_reference]
        if not named:
            suggestions = self._suggestions(movement)
            why = "no_reference" if suggestions else "unknown"
            return Decision(why=why, suggestions=suggestions)
        why = self._refusal(movement, named)
        if why:
            return Decision(why=why, suggestions=tuple(Suggestion(one.key, "reference") for one in named))
        # Of several the open sums add up exactly, so each gets what is open for it.
        parts = tuple((one.key, movement.amount if len(named) == 1 else self.open[one.key]) for one in named)
        for key, amount in parts:
            self.open[key] = self.open[key] - amount
        return Decision(parts)

    def _refusal(self, movement: Movement, named: Sequence[Candidate]) -> str:
        """Return why a payment with references is not booked by itself; "" when it is."""
        if movement.amount.currency != self.currency:
            return "other_currency"
        if not all(one.alive for one in named):
            return "left"
        opened = sum(self.open[one.key].minor for one in named)
        if opened <= 0:
            return "paid_already"
        if movement.amount.minor > opened:
            return "too_much"
        if len(named) > 1 and (movement.amount.minor != opened or any(not self.open[one.key].minor for one in named)):
            return "several"
        return ""

    def _suggestions(self, movement: Movement) -> tuple[Suggestion, ...]:
        found: dict[str, tuple[int, str]] = {}

        def suggest(one: Candidate, rank: int, why: str) -> None:
            if one.key not in found or rank < found[one.key][0]:
                found[one.key] = (rank, why)

        for one in self.by_account.get(movement.payer_account, ()) if movement.payer_account else ():
            suggest(one, *((0, "account_and_sum") if self._asks(one, movement.amount) else (3, "account")))
        for one in self._named_in(movement.purpose):
            suggest(one, *((1, "name_and_sum") if self._asks(one, movement.amount) else (2, "name")))
        for one in self._named_in(movement.payer):  # an adult who pays for himself, or a parent of the same name
            suggest(one, *((1, "payer_and_sum") if self._asks(one, movement.amount) else (4, "payer")))
        ranked = sorted(found.items(), key=lambda item: item[1][0])
        return tuple(Suggestion(key, why) for key, (_rank, why) in ranked[:MOST_SUGGESTIONS])

    def _asks(self, one: Candidate, amount: Money) -> bool:
        """Say whether a sum is one the entry is asked for and still open."""
        return amount in one.asks and amount.currency == self.currency and amount.minor <= self.open[one.key].minor

    def _named_in(self, text: str) -> list[Candidate]:
        """Return who is named: the surname in any of its forms, and beside it the given name or its initial."""
        words = _WORD.findall(folded(text))
        found = []
        for place, word in enumerate(words):
            for surname, given, one in self.by_stem.get(word[:_STEM], ()):
                if _same_surname(word, surname) and (not given or _beside(words, place, given)):
                    found.append(one)
        return found


def _same_surname(word: str, surname: str) -> bool:
    """Say whether two words are forms of one surname: Иванов, Иванова, Иванову; Петровский, Петровского."""
    shared = 0
    for one, other in zip(word, surname, strict=False):
        if one != other:
            break
        shared += 1
    return shared >= max(_STEM, len(surname) - 2) and len(word) - shared <= 3


def _beside(words: Sequence[str], place: int, given: str) -> bool:
    """Say whether the given name, a form of it or its initial stands next to the surname."""
    near = [*words[max(0, place - 2) : place], *words[place + 1 : place + 2]]
    return any(word == given[0] or (len(word) > 2 and word[:_STEM] == given[:_STEM]) for word in near)
