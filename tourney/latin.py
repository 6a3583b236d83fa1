"""Cyrillic words in Latin letters, for web addresses: the Ukrainian passport table, with Russian letters beside it."""

from __future__ import annotations

_LETTERS = {
    "а": "a", "б": "b", "в": "v", "г": "h", "ґ": "g", "д": "d", "е": "e", "є": "ie", "ж": "zh", "з": "z", "и": "y",
    "і": "i", "ї": "i", "й": "i", "к": "k", "л": "l", "м": "m", "н": "n", "о": "o", "п": "p", "р": "r", "с": "s",
    "т": "t", "у": "u", "ф": "f", "х": "kh", "ц": "ts", "ч": "ch", "ш": "sh", "щ": "shch", "ь": "", "ю": "iu",
    "я": "ia", "ʼ": "", "’": "", "'": "", "ё": "e", "ы": "y", "э": "e", "ъ": "",
}  # fmt: skip
_RUSSIAN = {"г": "g", "и": "i"}
_FIRST = {"є": "ye", "ї": "yi", "й": "y", "ю": "yu", "я": "ya"}  # at the beginning of a word


def latin(text: str, language: str = "uk") -> str:
    """Return a text with its Cyrillic letters written in Latin ones; everything else stays."""
    letters = {**_LETTERS, **_RUSSIAN} if language == "ru" else _LETTERS
    written: list[str] = []
    before = " "
    for character in text.lower():
        at_start = not before.isalpha() and before not in "ʼ’'"
        written.append(_FIRST[character] if at_start and character in _FIRST else letters.get(character, character))
        before = character
    return "".join(written)
