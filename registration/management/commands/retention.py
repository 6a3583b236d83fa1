"""`manage.py retention`: throw away what has been kept long enough; after a restore, erase the erased again."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from registration.privacy.erasing import erase_again, keep_no_longer


class Command(BaseCommand):
    """What the worker does every few hours, at once; with --after-restore also for the erased of a backup."""

    help = "Erase personal data whose time is over (KEEP_PAPERS_DAYS, …_CONTACTS_…, …_NAMES_…, KEEP_PAYERS_DAYS)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--after-restore", action="store_true", help="a backup was restored: erase again whoever was erased"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["after_restore"]:
            self.stdout.write(f"erased again: {erase_again()}")
        for what, count in keep_no_longer().items():
            self.stdout.write(f"{what}: {count}")
