"""`manage.py compile_translations`: write the `.mo` files.

`--collect` first brings the strings of the source into the catalogues (needs gettext's programs); `--check` fails on
missing or fuzzy ones.
"""

from __future__ import annotations

import io
import shutil
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polib
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from tourney.translations import catalogues, compile_catalogue, faults, keys

SOURCE_LANGUAGE = "en"
NOT_OURS = (".venv", "node_modules", "var", "static/vendor", "*/tests/*", "*/testing/*", "conftest.py")
_SHOWN = 30


class Command(BaseCommand):
    help = "Compile the translations (no gettext programs needed)."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--collect", action="store_true", help="first bring the strings of the source in")
        parser.add_argument("--check", action="store_true", help="fail on missing or fuzzy strings")

    def handle(self, *args: Any, collect: bool, check: bool, **options: Any) -> None:
        if collect:
            _collect()
        found = [source for locale in settings.LOCALE_PATHS for source in catalogues(Path(locale))]
        for source in found:
            if compile_catalogue(source):
                self.stdout.write(f"compiled {source.parent.parent.name}/{source.stem}")
        if check:
            self._check(found)

    def _check(self, found: list[Path]) -> None:
        wrong = [fault for source in found for fault in faults(source)]
        wrong += self._absent(found)
        for fault in wrong[:_SHOWN]:
            self.stdout.write(fault)
        if wrong:
            raise CommandError(f"{len(wrong)} strings are missing or wrong.")

    def _absent(self, found: list[Path]) -> Iterator[str]:
        """Yield the strings of the source that a catalogue does not have at all (needs gettext's `xgettext`)."""
        present = {source.parent.parent.name: source for source in found if source.stem == "django"}
        for language, _ in settings.LANGUAGES:
            if language not in present and language != SOURCE_LANGUAGE:
                yield f"{language}: there is no catalogue"
        if not shutil.which("xgettext"):
            self.stdout.write("xgettext is not installed: strings new in the source were not looked for")
            return
        wanted = keys(_strings_of_the_source())
        for language, source in present.items():
            for key in sorted(wanted - keys(polib.pofile(str(source)))):
                yield f"{language}: {key[1]!r} is not in the catalogue"


def _collect() -> None:
    call_command(
        "makemessages",
        locale=[language for language, _ in settings.LANGUAGES if language != SOURCE_LANGUAGE],
        ignore_patterns=list(NOT_OURS),
        no_location=True,
        no_obsolete=True,
        no_wrap=True,
    )


def _strings_of_the_source() -> polib.POFile:
    """Return all marked strings, as `makemessages` finds them; no catalogue is touched."""
    template = Path(settings.LOCALE_PATHS[0]) / "django.pot"
    languages = [language for language, _ in settings.LANGUAGES]
    try:
        call_command(
            "makemessages", exclude=languages, ignore_patterns=list(NOT_OURS), keep_pot=True, stdout=io.StringIO()
        )
        return polib.pofile(str(template))
    finally:
        template.unlink(missing_ok=True)
