"""What this app adds to core pages (see `tourney.panels`)."""

from __future__ import annotations

from registration.rooms import rebuild_seats
from tourney import panels
from tourney.kernel.errors import TourneyError
from tourney.models import Tournament


def register() -> None:
    """Add this app's providers."""
    panels.register("rebuild", rebuild)


def rebuild(tournament: Tournament) -> None:
    """Give out seats anew; the states they follow the core has just rebuilt, and balances are sums anyway."""
    for section in tournament.sections.all():
        try:
            rebuild_seats(section)
        except TourneyError:
            continue  # a group the regulation no longer names has no places to give out
