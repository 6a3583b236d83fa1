"""`manage.py compile_translations`: write the `.mo` files; `--check` also fails on missing or fuzzy strings."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from tourney.translations import catalogues, compile_catalogue, faults


class Command(BaseCommand):
    help = "Compile the translations (no gettext programs needed)."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--check", action="store_true", help="fail on missing or fuzzy strings")

    def handle(self, *args: Any, check: bool, **options: Any) -> None:
        found = [source for locale in settings.LOCALE_PATHS for source in catalogues(Path(locale))]
        for source in found:
            if compile_catalogue(source):
                self.stdout.write(f"compiled {source.parent.parent.name}/{source.stem}")
        if check:
            wrong = [fault for source in found for fault in faults(source)]
            for fault in wrong[:20]:
                self.stderr.write(fault)
            if wrong:
                raise CommandError(f"{len(wrong)} strings are missing or wrong.")
