"""The letters, figures and dates of bank files, which come in three encodings, two scripts and many notations."""

from __future__ import annotations

import re
import unicodedata
from datetime import date, datetime, time, tzinfo
from decimal import Decimal, InvalidOperation

# Letters of one script that look like those of another: headings and words mix them ("Дата i час" with a Latin i).
_CYRILLIC = str.maketrans("abcehikmoptxyïë'`ʼ’", "авсенікмортхуїе''''")
_SPACES = re.compile(r"[\s\u00a0\u202f\u2009]+")
_DATE = re.compile(r"(\d{1,2})[./-](\d{1,2})[./-](\d{4}|\d{2})(?:[ T]+(\d{1,2}):(\d{2})(?::(\d{2}))?)?")
_ISO_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?:[ T]+(\d{1,2}):(\d{2})(?::(\d{2}))?)?")
_EMPTY = ("", "-", "–", "—")


def composed(text: str) -> str:
    """Return a text with letters in one piece and single spaces."""
    return _SPACES.sub(" ", unicodedata.normalize("NFC", text)).strip()


def folded(text: str) -> str:
    """Return a text for comparing: case, look-alikes of the two scripts, apostrophes and ё make no difference."""
    return composed(text).casefold().translate(_CYRILLIC).replace("ё", "е")


def decoded(raw: bytes) -> str:
    """Return the text of a file: by its byte order mark, else strict UTF-8, else windows-1251; nothing is guessed."""
    for mark, codec in ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if raw.startswith(mark):
            return raw[len(mark) :].decode(codec, errors="replace")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("cp1251", errors="replace")


def minor_units(text: str) -> int | None:
    """Return an amount in minor units (``10 000,50`` → 1000050); None for an empty cell; ValueError for no amount."""
    plain = _SPACES.sub("", text).replace("−", "-").replace("'", "").replace("’", "")
    if plain in _EMPTY:
        return None
    if "," in plain and "." in plain:  # the last of the two parts off the minor units
        thousands = "," if plain.rindex(".") > plain.rindex(",") else "."
        plain = plain.replace(thousands, "")
    try:
        minor = Decimal(plain.replace(",", ".")) * 100
    except InvalidOperation as error:
        raise ValueError(text) from error
    if not minor.is_finite() or minor != minor.to_integral_value() or abs(minor) >= 10**15:
        raise ValueError(text)
    return int(minor)


def moment(text: str, zone: tzinfo) -> datetime | date | None:
    """Return a day, or a moment where there is an hour; None for an empty cell; ValueError for neither."""
    plain = composed(text)
    if plain in _EMPTY:
        return None
    if found := _ISO_DATE.fullmatch(plain):
        year, month, day = int(found[1]), int(found[2]), int(found[3])
    elif found := _DATE.fullmatch(plain):
        day, month, year = int(found[1]), int(found[2]), int(found[3])
        year += 2000 if year < 100 else 0
    else:
        raise ValueError(text)
    on = date(year, month, day)
    if found[4] is None:
        return on
    return datetime.combine(on, time(int(found[4]), int(found[5]), int(found[6] or 0)), zone)
