"""What notices add to pages: the link to Telegram on a player's page."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from registration.telling import telegram
from registration.telling.services import by_letter, is_open_for, note_published, start_code
from tourney import panels
from tourney.models import Entry


def register() -> None:
    """Add the providers."""
    panels.register("player", telegram_panel)
    panels.register("pairings_published", note_published)


def telegram_panel(_request: HttpRequest, entry: Entry) -> panels.Panel | None:
    """The link that tells a player's pairings by Telegram; nothing without a bot."""
    if not telegram.is_set_up() or not is_open_for(entry):
        return None
    link = telegram.start_link(start_code(entry))
    return panels.Panel("registration/_telegram_panel.html", {"link": link}, order=90)


def choices_of(entry: Entry, email: str) -> dict[str, Any] | None:
    """Return what the entrant's page offers: letters (and whether they are on), Telegram. None: nothing to tell."""
    if not is_open_for(entry):
        return None
    link = telegram.start_link(start_code(entry)) if telegram.is_set_up() else ""
    if not email and not link:
        return None
    return {"email": email, "is_on": bool(email) and by_letter(entry) is not None, "telegram": link}
