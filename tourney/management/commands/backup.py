"""`manage.py backup`: write everything into one file, while the program runs."""

from __future__ import annotations

import getpass
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from tourney.backups.making import make_backup


class Command(BaseCommand):
    help = "Writes all tables, as they are at one moment, and the files of the data folder into one file."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--to", type=Path, action="append", help="folder to write into, several times if you like")
        parser.add_argument("--keep", type=int, default=0, help="remove the oldest backups there beyond so many")
        parser.add_argument(
            "--encrypt", action="store_true", help="close it by BACKUP_PASSPHRASE, or by one you are asked for"
        )

    def handle(self, *args: Any, to: list[Path] | None, keep: int, encrypt: bool, **options: Any) -> None:
        passphrase = settings.BACKUP_PASSPHRASE
        if encrypt and not passphrase:
            passphrase = getpass.getpass("Passphrase: ")
            if not passphrase or getpass.getpass("The same again: ") != passphrase:
                raise CommandError("The two are not the same; nothing was written.")
        for folder in to or settings.BACKUP_FOLDERS or [settings.DATA_FOLDER.backups]:
            try:
                made = make_backup(folder, passphrase=passphrase, keep=keep)
            except OSError as error:
                raise CommandError(f"No backup in {folder}: {error.strerror or error}") from error
            self.stdout.write(f"{made.path}: {made.size / 1e6:.1f} MB in {made.seconds:.1f} s")
            for path in made.forgotten:
                self.stdout.write(f"removed: {path.name}")
        if not passphrase:
            self.stdout.write("Not closed by a passphrase: whoever has the file can read names and contacts in it.")
