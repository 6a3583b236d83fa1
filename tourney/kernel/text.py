"""Words given by users in up to three languages: a small mapping such as ``{"uk": "Тур", "en": "Round"}``."""

from collections.abc import Mapping

LANGUAGES = ("uk", "ru", "en")


def in_language(text: Mapping[str, str], language: str, default: str = "uk") -> str:
    """Return the text in a language, else in the event's default language, else in any (empty: "")."""
    for code in (language, default, *LANGUAGES):
        if text.get(code):
            return text[code]
    return ""
