"""A draw of lots told step by step: what `tourney.kernel.chance` does with a transcript, so that a person can follow.

The steps are the same stream of choices as the draw itself; a test holds both against each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tourney.kernel.chance import Chance, canonical, manifest_hash, seed_of


@dataclass(frozen=True, slots=True)
class Choice:
    """One choice: the 64-bit words looked at (all but the last were rejected), the limit, and the number below it."""

    words: tuple[str, ...]
    limit: int
    number: int
    pot: int  # which pot, from 1; 0 where there are no pots
    position: int  # the place in the list that is decided, from 1
    chosen: str
    order: tuple[str, ...]  # the list after the choice


@dataclass(frozen=True, slots=True)
class Steps:
    """Everything between the published list and the result."""

    manifest: str
    manifest_sha256: str
    entropy: str
    seed: str
    choices: tuple[Choice, ...]
    result: Any


class _Watched(Chance):
    """A stream that remembers which words it has given out."""

    def __init__(self, seed: bytes) -> None:
        super().__init__(seed)
        self.taken: list[str] = []
        self._words = self._watched(self._words)

    def _watched(self, words: Iterator[int]) -> Iterator[int]:
        for word in words:
            self.taken.append(f"{word:016x}")
            yield word

    def look(self, limit: int) -> tuple[int, tuple[str, ...]]:
        self.taken.clear()
        return self.below(limit), tuple(self.taken)


def steps_of(manifest: Mapping[str, Any], secret: str, entropy: Any) -> Steps:
    """Return how a decided draw came to its result."""
    seed = seed_of(secret, manifest, entropy)
    chance = _Watched(seed)
    choices: list[Choice] = []
    match manifest["kind"]:
        case "pots":
            result: Any = [
                _shuffled(chance, pot, number, choices) for number, pot in enumerate(manifest["pots"], start=1)
            ]
        case "pick":
            result = _shuffled(chance, manifest["entrants"], 0, choices)[: manifest["k"]]
        case _:
            entrants = list(manifest["entrants"])
            number, words = chance.look(2)
            result = entrants[number]
            choices.append(Choice(words, 2, number, 0, 1, result, (result,)))
    return Steps(
        canonical(manifest).decode(),
        manifest_hash(manifest),
        canonical(entropy).decode(),
        seed.hex(),
        tuple(choices),
        result,
    )


def _shuffled(chance: _Watched, items: Sequence[str], pot: int, choices: list[Choice]) -> list[str]:
    """Return the items in random order, from the last place to the first, as `Chance.shuffle` does."""
    order = list(items)
    for last in range(len(order) - 1, 0, -1):
        number, words = chance.look(last + 1)
        order[last], order[number] = order[number], order[last]
        choices.append(Choice(words, last + 1, number, pot, last + 1, order[last], tuple(order)))
    return order
