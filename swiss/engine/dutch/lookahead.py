"""Looking one bracket ahead (C8): can the next one be paired as well as its number of players allows?"""

from __future__ import annotations

from swiss.engine.dutch.bits import bit_set, bits
from swiss.engine.dutch.bracket import Bracket
from swiss.engine.dutch.field import Field


def takeable(field: Field, bracket: Bracket, following: int) -> int:
    """Return who of the next group may be left over by it: for those below, or for the bye."""
    if bye := bracket.bye_candidates & following:
        return bye if field.completes(bracket.below, 0) else 0
    need = (bracket.below.bit_count() + 1) / 2
    if bracket.below and field.least_degree(bracket.below) - 1 >= need:
        odd = bracket.below.bit_count() % 2 == 0
        if not odd or bracket.bye_candidates & bracket.below:
            easy = (index for index in bits(following) if (field.legal[index] & bracket.below).bit_count() - 1 >= need)
            return sum(1 << index for index in easy)
    return sum(1 << index for index in bits(following) if field.rest_completes(bracket.below | 1 << index))


def next_is_best(field: Field, bracket: Bracket, floaters: int) -> bool:
    """Return whether with these floaters the next bracket is paired whole, or but for one of the next score group.

    Whoever is left over must be taken by those below or get the bye, so that everybody is paired in the end (C4).
    """
    following = bit_set(bracket.next_group)
    group = following | floaters
    if group.bit_count() % 2 == 0:
        return field.completes(group, 0) and field.rest_completes(bracket.below)
    spare = takeable(field, bracket, following)
    return bool(spare) and field.completes(group, spare)
