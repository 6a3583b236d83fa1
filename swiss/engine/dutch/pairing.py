"""A whole round by the FIDE (Dutch) system: C.04.3 in force from 1 February 2026.

Brackets are paired from the top; whoever isn't paired moves down. The score of the bye (C5) is settled first, and no
bracket is paired in a way that leaves the others without a complete pairing (C4).
"""

from __future__ import annotations

from dataclasses import dataclass

from swiss.engine.dutch.bracket import Bracket, Paired
from swiss.engine.dutch.exact import pair_bracket
from swiss.engine.dutch.field import Field
from swiss.engine.dutch.quick import quick_pairing


@dataclass(frozen=True, slots=True)
class BracketStep:
    """One bracket as it was paired, for whoever wants to know why."""

    bracket: Bracket
    paired: Paired


@dataclass(frozen=True, slots=True)
class FieldPairing:
    """The pairs of a field (indexes, higher ranked first), who gets the bye (−1: nobody), and how it came about."""

    pairs: tuple[tuple[int, int], ...]
    bye: int
    steps: tuple[BracketStep, ...]


def pair_field(field: Field) -> FieldPairing:
    """Return the pairing of everybody in the field; NoValidPairing when there is none."""
    field.choose_bye_score()
    pairs: list[tuple[int, int]] = []
    steps = []
    moved: tuple[int, ...] = ()
    for number, group in enumerate(field.groups):
        following = field.groups[number + 1] if number + 1 < len(field.groups) else range(0)
        behind = following.stop if following else field.size
        bracket = Bracket(
            moved_down=moved,
            residents=tuple(group),
            next_group=tuple(following),
            below=field.everybody >> behind << behind,
            bye_candidates=field.bye_candidates,
        )
        paired = quick_pairing(field, bracket) or pair_bracket(field, bracket)
        pairs.extend(paired.pairs)
        steps.append(BracketStep(bracket, paired))
        moved = paired.floaters
    bye = moved[0] if moved else -1
    if len(moved) > 1:
        raise AssertionError("more than one player is left over")
    return FieldPairing(tuple(pairs), bye, tuple(steps))
