"""One spelling for a name however it is written, so that Григорьєв, Grigoriev and Hryhoriev are found by one another.

Not a transliteration anybody should read: a skeleton for comparing. Cyrillic letters (Ukrainian and Russian alike)
become Latin ones, then what the usual ways of writing Slavic names in Latin letters disagree about is made equal:
h/g/kh, zh/z, y/j/i, ya/ia/ja, ye/ie/e, w/v, double letters. Two people may fold alike; a list of suggestions bears it.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_CYRILLIC = str.maketrans(
    {
        "а": "a", "б": "b", "в": "v", "г": "g", "ґ": "g", "д": "d", "е": "e", "є": "ie", "ё": "e", "ж": "zh",
        "з": "z", "и": "i", "і": "i", "ї": "i", "й": "i", "к": "k", "л": "l", "м": "m", "н": "n", "о": "o", "п": "p",
        "р": "r", "с": "s", "т": "t", "у": "u", "ф": "f", "х": "kh", "ц": "ts", "ч": "ch", "ш": "sh", "щ": "shch",
        "ь": "", "ъ": "", "ы": "i", "э": "e", "ю": "iu", "я": "ia", "ў": "u", "љ": "l", "њ": "n", "ј": "i", "ђ": "d",
        "ß": "s", "ł": "l", "ø": "o", "đ": "d", "ı": "i", "æ": "e", "œ": "e", "þ": "t", "ð": "d",
    }
)  # fmt: skip
# Longer pieces first: "shch" must not be read as "sh" and "ch".
_PIECES = {
    "shch": "s", "tsch": "c", "sch": "s", "tch": "c", "ch": "c", "cz": "c", "sh": "s", "sz": "s", "zh": "z",
    "kh": "g", "gh": "g", "ts": "c", "tz": "c", "ph": "f", "th": "t", "ck": "k", "ks": "ks", "x": "ks", "ce": "ce",
    "ci": "ci", "cy": "ci", "c": "k", "q": "k", "w": "v", "h": "g", "y": "i", "j": "i",
}  # fmt: skip
_PIECE = re.compile("|".join(sorted(_PIECES, key=lambda one: (-len(one), one))))
_YO = re.compile(r"(?<=[bdfgklmnprstvz])yo")  # Fyodorov, Artyom: the letter ё after a consonant
_RUN = re.compile(r"([a-z])\1+")
_SOFT = re.compile(r"i(?=[aeou])")  # ia, ie, io, iu: я, є, ьо, ю
_WORD = re.compile(r"[^\W_]+")
_JOINED = re.compile("[ʼ’'`´ˈ]")  # marks inside a word: Мар'яна, D'Arcy


_LATIN_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_CYRILLIC_LETTERS = "абвгґдежзийклмнопрстуфхцчшщьыэюяєії"
_LONGEST_TRIED = 24  # letters; each is a hundred folded words


@lru_cache(maxsize=60_000)
def fold_word(word: str) -> str:
    """Return the skeleton of one word, in the letters a–z and digits; may be empty ("ь")."""
    return _fold(word)


def _fold(word: str) -> str:
    plain = word.casefold().translate(_CYRILLIC)
    if not plain.isascii():
        plain = unicodedata.normalize("NFKD", plain).translate(_CYRILLIC)
        plain = "".join(sign for sign in plain if sign.isascii() and sign.isalnum())
    plain = _PIECE.sub(lambda found: _PIECES[found[0]], _YO.sub("e", plain))
    return _RUN.sub(r"\1", _SOFT.sub("", _RUN.sub(r"\1", plain)))


def fold_words(name: str) -> tuple[str, ...]:
    """Return the skeletons of a name's words in their order, without repetitions: Mar'iana-Anna gives marana, ana."""
    composed = name if name.isascii() else unicodedata.normalize("NFC", name)
    found = (fold_word(word) for word in _WORD.findall(_JOINED.sub("", composed)))
    return tuple(dict.fromkeys(word for word in found if word))


def cuts(word: str) -> set[str]:
    """Return a word and every word it becomes without one letter.

    Two words one slip apart (a letter missing, added, replaced, or two neighbours exchanged) always share one of these:
    so a slip is found by equality in an index.
    """
    return {word, *(word[:at] + word[at + 1 :] for at in range(len(word)))}


def far_slips(typed: str) -> set[str]:
    """Return the skeletons one typed letter away from a word that `cuts` of its own skeleton do not lead to.

    Folding joins letters, so one slip may change several letters of the skeleton: "Kolola" without its second "o" folds
    to "kola", "Fisaveez" without "s" to "favez". Every letter is therefore left out, exchanged with the next, replaced
    and put in as it was typed, in the script it was typed in; what ends up near the skeleton anyway is not returned.
    """
    word = typed.casefold()
    if len(word) > _LONGEST_TRIED:
        return set()
    letters = _LATIN_LETTERS if word.isascii() else _CYRILLIC_LETTERS
    parts = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    near = {head + rest[1:] for head, rest in parts}
    near |= {head + rest[1] + rest[0] + rest[2:] for head, rest in parts if len(rest) > 1}
    near |= {head + one + rest for head, rest in parts for one in letters}
    near |= {head + one + rest[1:] for head, rest in parts if rest for one in letters}
    own = fold_word(word)
    return {one for one in set(map(_fold, near)) if one and not is_one_slip_apart(one, own)}


def is_one_slip_apart(first: str, second: str) -> bool:
    """Return whether one letter missing, added or replaced, or two neighbours exchanged, makes one word the other."""
    if first == second:
        return True
    if abs(len(first) - len(second)) > 1:
        return False
    start = 0
    while start < min(len(first), len(second)) and first[start] == second[start]:
        start += 1
    a, b = first[start:], second[start:]
    if len(a) == len(b):
        return a[1:] == b[1:] or (a[:2] == b[1::-1] and a[2:] == b[2:])
    return a[1:] == b if len(a) > len(b) else a == b[1:]
