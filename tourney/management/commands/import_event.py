"""`manage.py import_event FILE`: bring an event from an archive of another installation, whole or not at all."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import translation

from tourney.archives.reading import read_event
from tourney.kernel.errors import TourneyError
from tourney.labels import sentence


class Command(BaseCommand):
    help = "Brings an event from an archive; one that moved away from here comes back in its place."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--slug", default="", help="another address, where that of the archive is taken")

    def handle(self, *args: Any, file: Path, slug: str, **options: Any) -> None:
        try:
            with file.open("rb") as content:
                made = read_event(content, actor=None, slug=slug, passphrase=settings.BACKUP_PASSPHRASE)
        except TourneyError as refused:
            with translation.override("en"):
                raise CommandError(sentence(refused)) from refused
        except OSError as error:
            raise CommandError(f"{file}: {error.strerror or error}") from error
        self.stdout.write(f"/t/{made.slug}/  {made.title_text}")
