"""Words given by users in up to three languages, ``{"uk": "Тур", "en": "Round"}``, and short codes for machines."""

import re
from collections.abc import Mapping

LANGUAGES = ("uk", "ru", "en")
_CODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,39}")
_TIME = re.compile(r"([01]\d|2[0-3]):[0-5]\d")


def is_code(text: str) -> bool:
    """Return whether a text can name a group, a claim, a rank: Latin letters, digits, a few signs, no blanks."""
    return _CODE.fullmatch(text) is not None


def is_time_of_day(text: str) -> bool:
    """Return whether a text is a time such as ``10:00`` or ``09:30``."""
    return _TIME.fullmatch(text) is not None


def in_language(text: Mapping[str, str], language: str, default: str = "uk") -> str:
    """Return the text in a language, else in the event's default language, else in any (empty: "")."""
    for code in (language, default, *LANGUAGES):
        if text.get(code):
            return text[code]
    return ""
