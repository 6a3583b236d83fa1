"""`manage.py secret_key`: what of this installation was made with another SECRET_KEY, and making it good."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.db import transaction

from tourney import panels
from tourney.sign_in.keys import of_another_key


class Command(BaseCommand):
    help = (
        "Tells what the present SECRET_KEY can't read: after it was changed, or a backup came back without it. "
        "With --mend personal links are made anew (those given out go on), and second factors nobody can read are "
        "taken away."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--mend", action="store_true")

    def handle(self, *args: Any, mend: bool, **options: Any) -> None:
        with transaction.atomic():
            for line in told(mend=mend) or ["Everything was made with the present SECRET_KEY."]:
                self.stdout.write(line)


def told(*, mend: bool = False) -> list[str]:
    """Return a line for each kind of thing that was made with another key; nothing when all is well."""
    lines = []
    links = sum(panels.collect("other_key", mend))
    if links:
        done = "made anew; those given out go on" if mend else "those given out open, but letters and staff show others"
        lines.append(f"Personal links of another SECRET_KEY: {links} ({done}).")
    factors = of_another_key(mend=mend)
    if factors:
        done = "taken away; their owners set up new ones" if mend else "their owners can't sign in with them"
        lines.append(f"Second factors (apps, recovery codes) of another SECRET_KEY: {factors} ({done}).")
    return lines
