"""`manage.py restore FILE`: bring everything back from a backup into an empty installation."""

from __future__ import annotations

import getpass
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import translation

from tourney.backups.making import restore
from tourney.kernel.errors import TourneyError
from tourney.labels import sentence


class Command(BaseCommand):
    help = "Brings all tables and files back from a backup. The database must hold no event and no account."
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, file: Path, **options: Any) -> None:
        passphrase = settings.BACKUP_PASSPHRASE
        try:
            try:
                back = restore(file, passphrase=passphrase)
            except TourneyError as refused:
                if refused.code != "backup.needs_passphrase" or not sys.stdin.isatty():
                    raise
                back = restore(file, passphrase=getpass.getpass("Passphrase: "))
        except TourneyError as refused:
            with translation.override("en"):
                raise CommandError(sentence(refused)) from refused
        except OSError as error:
            raise CommandError(f"{file}: {error.strerror or error}") from error
        self.stdout.write(f"Back as of {back.made_at:%Y-%m-%d %H:%M:%S %Z}: {back.rows} rows, {back.files} files.")
        self.stdout.write("If people were erased after that moment: manage.py retention --after-restore")
