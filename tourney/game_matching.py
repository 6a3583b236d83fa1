"""Which game of an event a game record belongs to. Pure: names, numbers and dates as plain values.

A record is placed only when one game fits: both players (Cyrillic or Latin letters, swapped order, initials), then what
the record says of section, match, round, board, number and date. Where several games fit, or none, a code says why.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from tourney.latin import latin

# Letters written differently by different tables of transliteration come together; the order matters.
_SOUNDS = (
    ("shch", "s"),
    ("sch", "s"),
    ("tch", "c"),
    ("sh", "s"),
    ("ch", "c"),
    ("zh", "z"),
    ("kh", "h"),
    ("ts", "c"),
    ("tz", "c"),
    ("ck", "k"),
    ("ph", "f"),
    ("x", "ks"),
    ("w", "v"),
    ("q", "k"),
    ("ju", "u"),
    ("yu", "u"),
    ("iu", "u"),
    ("ja", "a"),
    ("ya", "a"),
    ("ia", "a"),
    ("je", "e"),
    ("ye", "e"),
    ("ie", "e"),
    ("io", "e"),
    ("yo", "e"),
    ("g", "h"),
    ("y", "i"),
    ("j", "i"),
)
_WORD = re.compile(r"[^\W\d_]+")


def sounds(name: str) -> tuple[str, ...]:
    """Return the words of a name in letters that don't depend on the table of transliteration."""
    words = []
    for word in _WORD.findall(re.sub(r"['’ʼ`]", "", name)):
        plain = latin(word).replace("é", "e").replace("ö", "o").replace("ü", "u")
        for written, sound in _SOUNDS:
            plain = plain.replace(written, sound)
        words.append(re.sub(r"(.)\1+", r"\1", re.sub("i+(?=[aeou])", "", plain)))
    return tuple(word for word in words if word)


def fits(asked: tuple[str, ...], known: tuple[str, ...]) -> bool:
    """Return whether the words of a record name this player: each is a word of the name or an initial of one.

    At least one word must be whole; a patronymic or a second given name the event doesn't know is forgiven when two
    other words are whole.
    """
    left = list(known)
    whole = unknown = 0
    for word in sorted(asked, key=len, reverse=True):
        if word in left:
            left.remove(word)
            whole += len(word) > 1
        elif len(word) <= 2 and any(other.startswith(word[0]) for other in left):
            left.remove(next(other for other in left if other.startswith(word[0])))
        else:
            unknown += 1
    return whole > 0 and (not unknown or (unknown == 1 and whole >= 2))


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
    has_moves: bool = False


@dataclass(frozen=True, slots=True)
class Match:
    """Where a record belongs: the game, or a code (`no_player`, `no_game`, `colors`, `several`) and how many fit."""

    pk: int | None
    code: str = ""
    fitting: int = 0
    result_differs: bool = False


class Finder:
    """Finds games for records; every name is looked at once."""

    def __init__(self, candidates: Iterable[Candidate], names: Mapping[int, Iterable[str]]) -> None:
        self._known = {pk: [sounds(name) for name in many if name] for pk, many in names.items()}
        self._by_pair: dict[tuple[int, int], list[Candidate]] = defaultdict(list)
        for one in candidates:
            self._by_pair[one.white, one.black].append(one)
        self._players: dict[str, frozenset[int]] = {}

    def players(self, name: str) -> frozenset[int]:
        """Return the players a name of a record may mean."""
        if name not in self._players:
            asked = sounds(name)
            self._players[name] = frozenset(
                pk for pk, many in self._known.items() if any(fits(asked, known) for known in many)
            )
        return self._players[name]

    def find(self, tags: Mapping[str, str], result: str) -> Match:
        """Return where a record belongs."""
        whites, blacks = self.players(tags.get("White", "")), self.players(tags.get("Black", ""))
        if not whites or not blacks:
            return Match(None, "no_player")
        fitting = [one for white in whites for black in blacks for one in self._by_pair.get((white, black), ())]
        if not fitting:
            turned = any((black, white) in self._by_pair for white in whites for black in blacks)
            return Match(None, "colors" if turned else "no_game")
        fitting = self._narrowed(fitting, tags, result)
        if len(fitting) != 1:
            return Match(None, "several" if fitting else "no_game", len(fitting))
        one = fitting[0]
        return Match(one.pk, "", 1, bool(result and one.result and result != one.result))

    @staticmethod
    def _narrowed(fitting: list[Candidate], tags: Mapping[str, str], result: str) -> list[Candidate]:
        """Use what the record says besides the names: firm facts always, soft ones to choose among several."""
        round_, part = _numbers(tags.get("Round", ""))
        match = tags.get("Match", "").strip().casefold()
        if match:
            fitting = [one for one in fitting if one.match.casefold() == match]
            if tags.get("MatchGame", "").isdigit():
                part = int(tags["MatchGame"])
        in_match = [one for one in fitting if one.match]
        if part is not None and in_match:
            fitting = [one for one in fitting if one.number == part]
        if len(fitting) < 2:
            # One game of these two: a round number of the record that contradicts it speaks of another game.
            return [one for one in fitting if one.match or one.round is None or round_ is None or one.round == round_]
        day = _day(tags.get("Date", ""))
        tests: tuple[Callable[[Candidate], object], ...] = (
            lambda one: round_ is None or one.match or one.round == round_,
            lambda one: not tags.get("Section") or one.section == tags["Section"],
            lambda one: not tags.get("Board", "").isdigit() or one.board == int(tags["Board"]),
            lambda one: day is None or one.day == day,
            lambda one: not result or not one.result or one.result == result,
        )
        for test in tests:
            kept = [one for one in fitting if test(one)]
            fitting = kept or fitting
            if len(fitting) == 1:
                break
        return fitting


def _numbers(round_: str) -> tuple[int | None, int | None]:
    """Return the round and its part of a tag like 3, 3.2 or L2.3.1 (the last number is the part)."""
    parts = round_.strip().split(".")
    first = int(parts[0]) if parts[0].isdigit() else None
    part = int(parts[-1]) if len(parts) > 1 and parts[-1].isdigit() else None
    return first, part


def _day(text: str) -> date | None:
    found = re.fullmatch(r"(\d{4})\.(\d{2})\.(\d{2})", text.strip())
    try:
        return date(int(found[1]), int(found[2]), int(found[3])) if found else None
    except ValueError:
        return None
