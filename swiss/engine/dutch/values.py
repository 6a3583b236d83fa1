"""The criteria C6–C21 of a paired bracket as plain values, smaller is better, straight from their definitions.

The matching works with weights; this module doesn't, so the two can be held against each other, and an arbiter gets
numbers he can count himself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from swiss.engine.dutch.bits import bit_set
from swiss.engine.dutch.bracket import BYE, OUT, Bracket, Paired
from swiss.engine.dutch.cards import Card, Float
from swiss.engine.dutch.colors import cost
from swiss.engine.dutch.field import Field
from swiss.engine.dutch.lookahead import next_is_best

Value = int | tuple[int, ...]


def bracket_values(field: Field, bracket: Bracket, partners: Mapping[int, int]) -> dict[str, Value]:
    """Return the value of every criterion, in order of importance.

    `partners` are the pairs of the bracket and of the next one (as far as they show how well it can still be paired),
    by index; BYE for who gets the bye.
    """
    cards = field.cards
    members, moved = set(bracket.members), set(bracket.moved_down)
    following = set(bracket.next_group)
    pairs = [(index, other) for index in bracket.members if (other := partners[index]) in members and index < other]
    floaters = [index for index in bracket.members if partners[index] not in members]
    next_members = following | set(floaters)
    next_floaters = [index for index in sorted(next_members) if partners.get(index, BYE) not in next_members]
    moved_pairs = [(cards[first], cards[second]) for first, second in pairs if first in moved]
    resident_floaters = [cards[index] for index in floaters if index not in moved]
    moved_floaters = [cards[index] for index in floaters if index in moved]
    colors = [cost(cards[first], cards[second]) for first, second in pairs]
    values: dict[str, Value] = {
        "C6": len(floaters),
        "C7": _descending(cards[index].score for index in floaters),
        "C8": (len(next_floaters), *_descending(cards[index].score for index in next_floaters)),
    }
    if len(floaters) == 1 and partners[floaters[0]] == BYE:
        values["C9"] = field.rounds_done - cards[floaters[0]].games
    if field.topscorers:
        values["C10"] = sum(price.c10 for price in colors)
        values["C11"] = sum(price.c11 for price in colors)
    values["C12"] = sum(price.c12 for price in colors)
    values["C13"] = sum(price.c13 for price in colors)
    for repeated, upfloated, which in (("C14", "C15", _last), ("C16", "C17", _before)):
        values[repeated] = sum(which(card) is Float.DOWN for card in resident_floaters)
        values[upfloated] = sum(which(resident) is Float.UP for _, resident in moved_pairs)
    for repeated, upfloated, which in (("C18", "C19", _last), ("C20", "C21", _before)):
        values[repeated] = _descending(card.score for card in moved_floaters if which(card) is Float.DOWN)
        values[upfloated] = _descending(
            first.score - resident.score for first, resident in moved_pairs if which(resident) is Float.UP
        )
    return values


def near_values(field: Field, bracket: Bracket, paired: Paired) -> dict[str, Value] | None:
    """Return the values of a paired bracket without pairing those behind it, None when that can't be told.

    It can when the next bracket is known to be paired as well as its number of players allows: whole, or but for one of
    its own score group.
    """
    gets_bye = -1
    if bracket.bye_candidates & bit_set(bracket.members):
        if len(paired.floaters) != 1 or not bracket.bye_candidates >> paired.floaters[0] & 1:
            return None
        gets_bye = paired.floaters[0]
    going_on = [index for index in paired.floaters if index != gets_bye]
    if not bracket.next_group:
        partners = dict.fromkeys(going_on, BYE)
    elif not next_is_best(field, bracket, bit_set(going_on)):
        return None
    else:
        # Who is paired with whom behind the bracket doesn't matter, only who is left over there.
        following = bracket.next_group
        partners = dict.fromkeys((*following, *going_on), following[0])
        if (len(following) + len(going_on)) % 2:
            partners[following[-1]] = OUT
    if gets_bye >= 0:
        partners[gets_bye] = BYE
    for first, second in paired.pairs:
        partners[first], partners[second] = second, first
    return bracket_values(field, bracket, partners)


def _last(card: Card) -> Float:
    return card.last_float


def _before(card: Card) -> Float:
    return card.float_before


def _descending(numbers: Iterable[int]) -> tuple[int, ...]:
    return tuple(sorted(numbers, reverse=True))
