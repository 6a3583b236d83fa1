"""Where plain data of this app names rows by their keys: an event that moves to another installation gets new ones."""

from __future__ import annotations

from tourney.archives import ids

ENTRY = "tourney.Entry"


def register() -> None:
    """Called once from `brackets.panels`."""
    ids.register(
        "brackets.MatchEvent.data",
        ("pair.*", ENTRY),
        *((f"fact.{word}", ENTRY) for word in ("winner", "loser", "player", "by")),
    )
    ids.register("brackets.Bracket.params", ("pots.*.*", ENTRY))
