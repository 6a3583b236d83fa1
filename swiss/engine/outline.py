"""The shape of a paired round for its readers: the bracket of a player, who came down into it, who goes on and why.

Unlike `Explanation.brackets` nothing is weighed here, so it takes no time; only `stays` asks the criteria.
"""

from __future__ import annotations

from dataclasses import dataclass

from swiss.engine.dutch.bits import bit_set
from swiss.engine.explain import Explanation, Reason
from tourney.kernel.ids import EntryId

# Why somebody isn't paired in a bracket.
NOBODY_LEFT = "nobody_left"  # nobody there whom he may meet
ODD = "odd"  # an odd number of players
FEWER = "fewer"  # rules leave fewer pairs than the number allows


@dataclass(frozen=True, slots=True)
class Floater:
    """A player who goes down from a bracket. `from_score` is what he came with, `reason` why he isn't paired."""

    entry: EntryId
    from_score: int
    reason: str
    gets_bye: bool


@dataclass(frozen=True, slots=True)
class Outline:
    """A bracket: the score of its residents, how many they are, who came down into it, who goes down from it."""

    number: int
    score: int
    residents: int
    moved_down: tuple[Floater, ...]
    floaters: tuple[Floater, ...]
    pairs: int


def outline(explanation: Explanation, number: int) -> Outline:
    """Return a bracket, counted from 1."""
    step = explanation.pairing.steps[number - 1]
    above = _floaters(explanation, number - 1) if number > 1 else ()
    return Outline(
        number,
        explanation.field.cards[step.bracket.residents[0]].score,
        len(step.bracket.residents),
        above,
        _floaters(explanation, number),
        len(step.paired.pairs),
    )


def _floaters(explanation: Explanation, number: int) -> tuple[Floater, ...]:
    step = explanation.pairing.steps[number - 1]
    members = bit_set(step.bracket.members)
    field = explanation.field
    found = []
    for index in step.paired.floaters:
        if not field.legal[index] & members:
            reason = NOBODY_LEFT
        elif len(step.paired.floaters) == 1:
            reason = ODD
        else:
            reason = FEWER
        card = field.cards[index]
        found.append(Floater(card.entry, card.score, reason, index == explanation.pairing.bye))
    return tuple(found)


def natural_opponent(explanation: Explanation, entry: EntryId) -> EntryId | None:
    """Return whom the plain order would give the higher ranked player of a pair; None when it gives the one he has.

    That is the same place of the other half, in a bracket with moved-down players of the other half of the remainder.
    """
    view = explanation.pair(entry)
    if view is None or not view.higher.half.startswith("S1") or view.higher.moved_down:
        return None
    step = explanation.pairing.steps[view.bracket - 1]
    moved = set(step.bracket.moved_down)
    with_moved = [pair for pair in step.paired.pairs if pair[0] in moved]
    opponents = {lower for _, lower in with_moved}
    rest = [index for index in step.bracket.residents if index not in opponents]
    position = len(step.paired.pairs) - len(with_moved) + view.higher.place - 1
    if position >= len(rest):
        return None
    natural = explanation.field.cards[rest[position]].entry
    return None if natural == view.lower.entry else natural


def stays(explanation: Explanation, number: int, most: int | None = None) -> tuple[tuple[EntryId, Reason], ...]:
    """Return who is ranked below the only floater of a bracket and stays, each with the reason why not he.

    Each costs a question to the engine: `most` asks about the first few only.
    """
    step = explanation.pairing.steps[number - 1]
    if len(step.paired.floaters) != 1:
        return ()
    floater = step.paired.floaters[0]
    cards = explanation.field.cards
    below = [
        index for index in step.bracket.residents if index > floater and cards[index].score <= cards[floater].score
    ]
    return tuple((cards[index].entry, explanation.against_floating(cards[index].entry)) for index in below[:most])
