"""`manage.py rebuild <slug>`: delete an event's projections and rebuild them from the facts."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from tourney.models import Tournament
from tourney.services.rebuilding import rebuild


class Command(BaseCommand):
    help = "Deletes and rebuilds standings, brackets, balances and entry states of an event from its facts."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", nargs="+", help="the event's address, as in /t/<slug>/")

    def handle(self, *args: Any, **options: Any) -> None:
        for slug in options["slug"]:
            tournament = Tournament.objects.filter(slug=slug).first()
            if tournament is None:
                raise CommandError(f"There is no event with the address {slug!r}.")
            differing = rebuild(tournament)
            self.stdout.write(f"{slug}: rebuilt; entry states that had been wrong: {differing}")
