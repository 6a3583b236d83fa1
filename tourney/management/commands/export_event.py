"""`manage.py export_event SLUG FILE`: write an event's archive; with --move-to it can only be read here afterwards."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import translation

from tourney.archives import moving
from tourney.kernel.errors import TourneyError
from tourney.labels import sentence
from tourney.models import Tournament


class Command(BaseCommand):
    help = "Writes an event with everything in it into one file; BACKUP_PASSPHRASE closes it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="the event's address, as in /t/<slug>/")
        parser.add_argument("file", type=Path)
        parser.add_argument("--move-to", default="", metavar="ADDRESS", help="where the event goes on from now on")

    def handle(self, *args: Any, slug: str, file: Path, move_to: str, **options: Any) -> None:
        tournament = Tournament.objects.filter(slug=slug).first()
        if tournament is None:
            raise CommandError(f"There is no event with the address {slug!r}.")
        closed = {"passphrase": settings.BACKUP_PASSPHRASE, "actor": None}
        try:
            if move_to:
                written = moving.move_away(tournament, file, to=move_to, **closed)
            else:
                written = moving.export(tournament, file, **closed)
        except TourneyError as refused:
            with translation.override("en"):
                raise CommandError(sentence(refused)) from refused
        except OSError as error:
            raise CommandError(f"{file}: {error.strerror or error}") from error
        self.stdout.write(f"{file}: {sum(written.values())} rows of {len(written)} tables")
