"""Compile and check the translations without gettext's own programs, so that a bare machine needs none.

`python -m tourney.translations LOCALE` compiles every `.po` file below a folder into the `.mo` file Django reads.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import polib

_PLACEHOLDER = re.compile(r"%(?:\([^)]+\))?[sdr]")


def catalogues(locale: Path) -> list[Path]:
    """Return the `.po` files of a locale folder."""
    return sorted(locale.glob("*/LC_MESSAGES/*.po"))


def compile_catalogue(source: Path) -> bool:
    """Write the `.mo` file beside a `.po` file unless it is newer; return whether it was written."""
    target = source.with_suffix(".mo")
    if target.exists() and target.stat().st_mtime >= source.stat().st_mtime:
        return False
    fresh = target.with_suffix(".mo.new")
    polib.pofile(str(source)).save_as_mofile(str(fresh))
    fresh.replace(target)
    return True


def keys(catalogue: polib.POFile) -> set[tuple[str, str]]:
    """Return what identifies the strings of a catalogue: context and text."""
    return {(entry.msgctxt or "", entry.msgid) for entry in catalogue if not entry.obsolete}


def faults(source: Path) -> Iterator[str]:
    """Yield what is wrong with a catalogue: missing, fuzzy, or with other placeholders than the original."""
    for entry in polib.pofile(str(source)):
        if entry.obsolete:
            continue
        where = f"{source.parent.parent.name}: {entry.msgid!r}"
        if entry.fuzzy:
            yield f"{where} is marked fuzzy"
        elif not entry.translated():
            yield f"{where} has no translation"
        elif "python-format" in entry.flags:
            yield from (f"{where}: {wrong}" for wrong in _wrong_placeholders(entry))


def _wrong_placeholders(entry: polib.POEntry) -> Iterator[str]:
    expected = _placeholders(entry.msgid_plural or entry.msgid)
    optional = _placeholders(entry.msgid) ^ expected  # "one game" may leave the number out
    for text in entry.msgstr_plural.values() if entry.msgid_plural else [entry.msgstr]:
        found = _placeholders(text)
        number = {"%(count)s", "%(count)d", "%(n)s", "%(n)d", "%d"} if entry.msgid_plural else set()
        if found - expected or expected - found - optional - number:
            yield f"placeholders {sorted(found)} instead of {sorted(expected)}"


def _placeholders(text: str) -> set[str]:
    return set(_PLACEHOLDER.findall(text.replace("%%", "")))


def main(arguments: list[str]) -> int:
    """Compile everything below the given folder."""
    if len(arguments) != 1:
        print("usage: python -m tourney.translations LOCALE", file=sys.stderr)
        return 2
    for source in catalogues(Path(arguments[0])):
        if compile_catalogue(source):
            print(f"compiled {source.parent.parent.name}/{source.stem}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
