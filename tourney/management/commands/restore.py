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

from tourney import environment
from tourney.backups.making import restore
from tourney.kernel.errors import TourneyError
from tourney.labels import sentence
from tourney.management.commands.secret_key import told


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
        self._tell_of_the_key()
        self.stdout.write("If people were erased after that moment: manage.py retention --after-restore")

    def _tell_of_the_key(self) -> None:
        """Say what the key here can't read: a backup of a server holds none, one of a laptop its own."""
        if settings.LAPTOP_MODE and not environment.text("SECRET_KEY"):
            settings.SECRET_KEY = settings.DATA_FOLDER.secret_key()  # the one that has just come back
        lost = told()
        if lost:
            self.stdout.write(
                "This installation has another SECRET_KEY than the one the backup comes from: everybody signs in anew. "
                "Set the old key (or name it in SECRET_KEY_FALLBACKS) and start again; if it is lost: "
                "manage.py secret_key --mend"
            )
        for line in lost:
            self.stdout.write(f"  {line}")
