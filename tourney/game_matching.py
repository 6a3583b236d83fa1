"""Which game of an event a game record belongs to. Pure: names, numbers and dates as plain values.

A record is placed at once only when one game fits and no other could be meant: both players by name or FIDE number, no
fact of the record (match, number in it, round) against it, and the worse a name is written, the more facts for it.
Everything else gets a code that says why, and the games that might be meant, the likeliest first. A result never
decides where a record belongs: a result that differs from the arbiter's is what somebody must get to see.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date

from tourney.game_names import Likeness, Names, sounds

MOST_SUGGESTIONS = 5


@dataclass(frozen=True, slots=True)
class Candidate:
    """A game of the event. `result` is that of a record ("1-0", "1/2-1/2", "0-1"), "" while there is none."""

    pk: int
    white: int
    black: int
    section: str = ""
    round: int | None = None
    board: int | None = None
    match: str = ""
    number: int = 1
    result: str = ""
    day: date | None = None
    clock: str = ""  # as the tag TimeControl has it; "?" for one the tag has no words for


@dataclass(frozen=True, slots=True)
class Match:
    """Where a record belongs: the game, or a code (`no_player`, `no_game`, `colors`, `several`, `unsure`).

    `fitting` is how many games fit; `suggestions` are those worth a look, the likeliest first.
    """

    pk: int | None
    code: str = ""
    fitting: int = 0
    result_differs: bool = False
    suggestions: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class _Told:
    """What a record says besides the names; None and "" where it says nothing."""

    round: int | None
    part: int | None  # the number of the game in its match
    match: str
    section: str
    board: int | None
    day: date | None
    clock: str
    result: str

    @classmethod
    def of(cls, tags: Mapping[str, str], result: str) -> _Told:
        round_, part = _numbers(tags.get("Round", ""))
        number, board = tags.get("MatchGame", ""), tags.get("Board", "").strip()
        return cls(
            round=round_,
            part=int(number) if _is_number(number) else part,
            match=tags.get("Match", "").strip().casefold(),
            section=tags.get("Section", ""),
            board=int(board) if _is_number(board) else None,
            day=_day(tags.get("Date", "")),
            clock=tags.get("TimeControl", "").strip(),
            result=result,
        )

    def contradicts(self, one: Candidate) -> bool:
        """Return whether a firm fact says that another game is meant."""
        if self.match and one.match.casefold() != self.match:
            return True
        if one.match:
            return self.part is not None and one.number != self.part
        return None not in (self.round, one.round) and self.round != one.round

    def agrees(self, one: Candidate) -> bool:
        """Return whether a firm fact says that this very game is meant."""
        return self.part == one.number if one.match else self.round is not None and self.round == one.round

    def facts(self, one: Candidate) -> tuple[int, int]:
        """Return how many facts speak for a game, and how many of the soft ones against it."""
        soft = ((self.board, one.board), (self.day, one.day), (self.clock, one.clock))
        said = [told == known for told, known in soft if told and known]
        # The group is no fact for a game, as all of its games share it; only one against the games of others.
        other_group = bool(self.section and one.section and self.section != one.section)
        return self.agrees(one) + sum(said), len(said) - sum(said) + other_group


class Finder:
    """Finds games for records; every name is looked at once. `ids`: FIDE numbers to players."""

    def __init__(
        self,
        candidates: Iterable[Candidate],
        names: Mapping[int, Iterable[str]],
        ids: Mapping[str, int] | None = None,
    ) -> None:
        self._names = Names(names)
        self._ids = dict(ids or {})
        self._by_pair: dict[tuple[int, int], list[Candidate]] = defaultdict(list)
        self._by_player: dict[int, list[Candidate]] = defaultdict(list)
        self._by_pk: dict[int, Candidate] = {}
        for one in candidates:
            self._by_pk[one.pk] = one
            self._by_pair[one.white, one.black].append(one)
            self._by_player[one.white].append(one)
            self._by_player[one.black].append(one)

    def players(self, name: str) -> frozenset[int]:
        """Return the players a name of a record means without any slip."""
        return frozenset(pk for pk, like in self._names.called(name).items() if like is Likeness.WHOLE)

    def most_likely(self, name: str) -> int | None:
        """Return the only player a name most likely means, a slip or two forgiven; None for nobody, or for several."""
        called = self._names.called(name)
        best = max(called.values(), default=Likeness.PART)
        likely = [pk for pk, like in called.items() if like == best >= Likeness.NEAR]
        return likely[0] if len(likely) == 1 else None

    def may_name(self, player: int, tags: Mapping[str, str]) -> bool:
        """Return whether a record may be one of a player's games: a name or a number of it is at least like theirs."""
        return any(player in self._called(tags, side) for side in ("White", "Black"))

    def told(self, pk: int, result: str) -> Match:
        """Return the match for a game somebody has named."""
        one = self._by_pk.get(pk)
        return Match(pk, "", 1, bool(one and result and one.result and result != one.result))

    def find(self, tags: Mapping[str, str], result: str) -> Match:
        """Return where a record belongs."""
        whites, blacks = self._called(tags, "White"), self._called(tags, "Black")
        told = _Told.of(tags, result)
        fitting = list(self._fitting(whites, blacks))
        kept = [(one, likes) for one, likes in fitting if not told.contradicts(one)]
        if len(kept) > 1:
            # Both names whole, in that very round: what is only alike can't be meant as well.
            exact = [(one, likes) for one, likes in kept if min(likes) is Likeness.WHOLE and told.agrees(one)]
            kept = exact if len(exact) == 1 else kept
        if len(kept) > 1:
            # Soft facts choose only when they speak against all the others.
            kept = [(one, likes) for one, likes in kept if not told.facts(one)[1]] or kept
        if len(kept) == 1:
            one, likes = kept[0]
            if _is_sure(*likes, told, one):
                return Match(one.pk, "", 1, bool(result and one.result and result != one.result))
            code = "unsure"
        elif kept:
            code = "several"
        elif not any(like >= Likeness.FAR for like in whites.values()) or not any(
            like >= Likeness.FAR for like in blacks.values()
        ):
            code = "no_player"
        elif not fitting and any(not told.contradicts(one) for one, _ in self._fitting(blacks, whites)):
            code = "colors"
        else:
            code = "no_game"
        return Match(None, code, len(kept), suggestions=self._suggestions(whites, blacks, told))

    def _called(self, tags: Mapping[str, str], side: str) -> dict[int, Likeness]:
        """Return who may be meant by the tags of one side; a FIDE number outweighs a name unless they quarrel."""
        name = tags.get(side, "")
        called = self._names.called(name)
        owner = self._ids.get(tags.get(f"{side}FideId", "").strip())
        if owner is None:
            return called
        if owner in called or not sounds(name):
            return {owner: Likeness.WHOLE}
        return dict.fromkeys((*called, owner), Likeness.PART)

    def _fitting(
        self, whites: Mapping[int, Likeness], blacks: Mapping[int, Likeness]
    ) -> Iterator[tuple[Candidate, tuple[Likeness, Likeness]]]:
        """Yield the games of players who are called like that, with both likenesses, the weaker one first."""
        for white, of_white in whites.items():
            for black, of_black in blacks.items():
                weaker, stronger = sorted((of_white, of_black))
                if weaker >= Likeness.FAR:
                    for one in self._by_pair.get((white, black), ()):
                        yield one, (weaker, stronger)

    def _suggestions(
        self, whites: Mapping[int, Likeness], blacks: Mapping[int, Likeness], told: _Told
    ) -> tuple[int, ...]:
        """Return the games that might be meant: both names, colours turned, or one name and a fact."""
        weights: dict[int, tuple[int, ...]] = {}
        for pk in sorted({*whites, *blacks}):
            for one in self._by_player.get(pk, ()):
                straight = (whites.get(one.white, 0), blacks.get(one.black, 0))
                turned = (blacks.get(one.white, 0), whites.get(one.black, 0))
                likes = max(straight, turned, key=sum)
                speaking, against = told.facts(one)
                if not min(likes) and (not speaking or told.contradicts(one) or max(likes) < Likeness.FAR):
                    continue
                same_result = int(bool(told.result) and told.result == one.result)
                weight = sum(likes) + 2 * speaking - against - 3 * told.contradicts(one)
                weights[one.pk] = (-weight, likes != straight, -same_result, one.pk)
        return tuple(sorted(weights, key=lambda pk: weights[pk])[:MOST_SUGGESTIONS])


def _is_sure(weaker: Likeness, stronger: Likeness, told: _Told, one: Candidate) -> bool:
    """Return whether the only game that fits is the one that is meant."""
    speaking, against = told.facts(one)
    if weaker is Likeness.WHOLE:
        return speaking > 0 or against < 2
    if stronger is Likeness.WHOLE and told.agrees(one):
        # This player has one game in that round: of the other name enough is there.
        return against < 2
    if weaker is Likeness.NEAR:
        return speaking > against or (stronger is Likeness.WHOLE and not against)
    return False


def _numbers(round_: str) -> tuple[int | None, int | None]:
    """Return the round and its part of a tag like 3, 3.2 or L2.3.1 (the last number is the part)."""
    parts = round_.strip().split(".")
    first = int(parts[0]) if _is_number(parts[0]) else None
    part = int(parts[-1]) if len(parts) > 1 and _is_number(parts[-1]) else None
    return first, part


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 10


def _day(text: str) -> date | None:
    found = re.fullmatch(r"(\d{4})\.(\d{2})\.(\d{2})", text.strip())
    try:
        return date(int(found[1]), int(found[2]), int(found[3])) if found else None
    except ValueError:
        return None
