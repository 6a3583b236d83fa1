"""What this app adds to core pages (see `tourney.panels`)."""

from __future__ import annotations

from brackets.placings import placings_of
from brackets.services import play_step, rebuild_event, replace_seed
from brackets.services.sanctions import carry_out
from tourney import panels


def register() -> None:
    """Add this app's providers."""
    panels.register("play", play_step)
    panels.register("rebuild", rebuild_event)
    panels.register("entry_replaced", replace_seed)
    panels.register("placings", placings_of)
    panels.register("sanctioned", carry_out)
