"""Names of players as files write them: any table of transliteration, any order, initials, slips of the hand. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from enum import IntEnum

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
# An initial is the first letter of a spelling: Y. may be Юрий, Ярослав or Євген; K. Харитон, T. Царьков.
_INITIALS = {"i": "iaue", "k": "kh", "t": "tc"}
_WORD = re.compile(r"[^\W\d_]+|\d+")
SHORTEST_SLIP = 4  # letters: in a shorter word another letter is another name
LONG_WORD = 9  # letters: from here on two slips are forgiven
MOST_SLIPS = 2  # in all words of a name together


class Likeness(IntEnum):
    """How sure a written name means a player.

    WHOLE is sure; NEAR has a slip; FAR has a word that is hardly readable, or another initial, beside a right one;
    PART has nothing but one word in common and is worth a suggestion.
    """

    PART = 1
    FAR = 2
    NEAR = 3
    WHOLE = 4


def sounds(name: str) -> tuple[str, ...]:
    """Return the words of a name in letters that don't depend on the table of transliteration, and its numbers."""
    words = []
    for word in _WORD.findall(re.sub(r"['’ʼ`]", "", name)):
        if word.isdecimal():
            words.append(word)
            continue
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
    return likeness(asked, known, {}) is Likeness.WHOLE


def likeness(asked: tuple[str, ...], known: tuple[str, ...], slips: Mapping[tuple[str, str], int]) -> Likeness | None:
    """Return how much the words of a record name this player. `slips`: pairs of words (asked, known) that are near.

    A number in a known name ("Player 5") must be the one asked for; a number beside a known name is only its row in
    somebody's table.
    """
    numbers = {word for word in asked if word.isdecimal()}
    if numbers != {word for word in known if word.isdecimal()} and any(word.isdecimal() for word in known):
        return None
    left = [word for word in known if not word.isdecimal()]
    whole = edits = 0
    rest, unknown = [], []
    for word in sorted((word for word in asked if word not in numbers), key=len, reverse=True):
        if word in left:
            left.remove(word)
            whole += len(word) > 1
        else:
            rest.append(word)
    near = 0
    for word in rest:
        near_words = [other for other in left if (word, other) in slips]
        if len(word) <= 2 and (meant := next((other for other in left if _begins(word, other)), "")):
            left.remove(meant)
        elif near_words:
            meant = min(near_words, key=lambda other: slips[word, other])
            left.remove(meant)
            near += 1
            edits += slips[word, meant]
        else:
            unknown.append(word)
    if not whole and not near:
        return None
    if edits <= MOST_SLIPS and (not unknown or (len(unknown) == 1 and whole + near >= 2)):
        return Likeness.NEAR if near else Likeness.WHOLE
    far = [word for word in unknown if any(_hardly(word, other) for other in left)]
    return Likeness.FAR if len(far) == 1 and len(unknown) <= 2 and edits <= MOST_SLIPS else Likeness.PART


def _hardly(word: str, other: str) -> bool:
    """Return whether a word can still be another one: a wrong initial, or half of the letters right."""
    if len(word) <= 2:
        return True
    return abs(len(word) - len(other)) <= 2 and slips_between(word, other) <= min(2, len(other) // 2)


def _begins(initial: str, word: str) -> bool:
    return word[0] in _INITIALS.get(initial[0], initial[0])


def slips_between(one: str, other: str) -> int:
    """Return how many slips lead from one word to the other: a letter left out, added, changed, or two exchanged."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        earlier, before, row = before, row, [i]
        for j, there in enumerate(other, 1):
            best = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != there))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == there:
                best = min(best, earlier[j - 2] + 1)
            row.append(best)
    return row[-1]


def _forgiven(word: str) -> int:
    return 0 if len(word) < SHORTEST_SLIP or word.isdecimal() else 2 if len(word) >= LONG_WORD else 1


class Names:
    """The names of an event's players, ready to be asked for. `names`: every way a player may be called.

    Words that lose the same letters are neighbours: so a word is compared with a few others, not with all.
    """

    def __init__(self, names: Mapping[int, Iterable[str]]) -> None:
        self._known = {pk: {sounds(name) for name in many if name} - {()} for pk, many in names.items()}
        self._bearers: dict[str, set[int]] = defaultdict(set)
        for pk, many in self._known.items():
            for word in {word for name in many for word in name}:
                self._bearers[word].add(pk)
        self._shortened: dict[str, set[str]] = defaultdict(set)
        for word in self._bearers:
            for short in _without_letters(word, _forgiven(word)):
                self._shortened[short].add(word)
        self._asked: dict[str, dict[int, Likeness]] = {}

    def called(self, name: str) -> dict[int, Likeness]:
        """Return who may be called like that."""
        if name not in self._asked:
            self._asked[name] = self._find(sounds(name))
        return self._asked[name]

    def _find(self, asked: tuple[str, ...]) -> dict[int, Likeness]:
        slips: dict[tuple[str, str], int] = {}
        bearers: set[int] = set()
        for word in asked:
            bearers |= self._bearers.get(word, set())
            for other in self._neighbours(word):
                slips[word, other] = slips_between(word, other)
                bearers |= self._bearers[other]
        found = {}
        for pk in bearers:
            best = max((likeness(asked, known, slips) or 0 for known in self._known[pk]), default=0)
            if best:
                found[pk] = Likeness(best)
        return found

    def _neighbours(self, word: str) -> Iterator[str]:
        most = _forgiven(word)
        others = {other for short in _without_letters(word, most) for other in self._shortened.get(short, ())}
        for other in sorted(others - {word}):
            if slips_between(word, other) <= min(most, _forgiven(other)):
                yield other


def _without_letters(word: str, most: int) -> set[str]:
    """Return a word and what is left of it without up to `most` letters (nothing of a word too short for a slip)."""
    if not most:
        return set()
    found, newest = {word}, {word}
    for _ in range(most):
        newest = {one[:i] + one[i + 1 :] for one in newest for i in range(len(one))}
        found |= newest
    return found
