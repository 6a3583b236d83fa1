"""Screens of the hall: made, changed, deleted, and told what to do by the organizer's remote control.

A command changes counters of the screen's row (see `HallScreen`); the browser at the screen does what it has not done
yet. What only turns pages is no act of the event and writes no line of its log; what people read does.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from tourney.hall import (
    FEWEST_SECONDS,
    MOST_PAGES,
    MOST_SECONDS,
    RotationLine,
    kinds_of,
    rotation,
    sections_of,
    usual_rotation,
)
from tourney.kernel.errors import TourneyError
from tourney.models import HallScreen, Tournament
from tourney.services.log import log

MOST_MESSAGE = 160
SEEN_EVERY = timedelta(seconds=15)  # how exactly "last seen" is kept
_DIGITS = (4, 5, 6, 8, 10)  # an address is as short as there are free ones


@transaction.atomic
def make_screen(tournament: Tournament, *, name: str, actor: Any, language: str = "") -> HallScreen:
    """Make a screen that shows what the event's groups have (``screen.no_name``)."""
    screen = HallScreen.objects.create(
        tournament=tournament,
        code=free_code(),
        name=_named(name),
        language=language or tournament.language,
        pages=[line.stored() for line in usual_rotation(tournament)],
    )
    log(tournament, "screens.made", actor=actor, screen=screen.name)
    return screen


@transaction.atomic
def change_screen(
    tournament: Tournament,
    screen_id: int,
    *,
    name: str,
    language: str,
    look: str,
    pages: Sequence[RotationLine],
    actor: Any,
) -> HallScreen:
    """Give a screen other pages, another name, language or look.

    TourneyError ``screen.unknown``, ``screen.no_name``, ``screen.no_pages``, ``screen.too_many_pages``,
    ``screen.unknown_page`` (a kind or group the event doesn't have).
    """
    screen = _locked(tournament, screen_id)
    kinds = kinds_of(tournament)
    codes = {"", *(section.code for section in sections_of(tournament))}
    if not pages:
        raise TourneyError("screen.no_pages")
    if len(pages) > MOST_PAGES:
        raise TourneyError("screen.too_many_pages", most=MOST_PAGES)
    if any(line.kind not in kinds or line.section not in codes for line in pages):
        raise TourneyError("screen.unknown_page")
    screen.name, screen.language, screen.look = _named(name), language, look
    screen.pages = [
        RotationLine(
            line.kind, line.section, min(max(line.seconds, FEWEST_SECONDS), MOST_SECONDS), line.text.strip()
        ).stored()
        for line in pages
    ]
    if screen.jump not in {line.key for line in rotation(screen)}:
        screen.jump, screen.held = "", False
    _save(screen)
    log(tournament, "screens.changed", actor=actor, screen=screen.name)
    return screen


@transaction.atomic
def delete_screen(tournament: Tournament, screen_id: int, *, actor: Any) -> None:
    """Delete a screen; its address leads nowhere then (``screen.unknown``)."""
    screen = _locked(tournament, screen_id)
    log(tournament, "screens.deleted", actor=actor, screen=screen.name)
    screen.delete()


@transaction.atomic
def turn(tournament: Tournament, screen_id: int, *, by: int) -> HallScreen:
    """Go on so many screenfuls (back: less than 0); a held screen is held on the new one (``screen.unknown``)."""
    screen = _locked(tournament, screen_id)
    screen.steps += by
    screen.blank = False
    return _save(screen)


@transaction.atomic
def hold(tournament: Tournament, screen_id: int, *, held: bool) -> HallScreen:
    """Stop the rotation, or let it go on (``screen.unknown``)."""
    screen = _locked(tournament, screen_id)
    screen.held = held
    return _save(screen)


@transaction.atomic
def show_page(tournament: Tournament, screen_id: int, *, page: str, held: bool = False) -> HallScreen:
    """Show a page of the rotation now (``screen.unknown``, ``screen.unknown_page``)."""
    screen = _locked(tournament, screen_id)
    if page not in {line.key for line in rotation(screen)}:
        raise TourneyError("screen.unknown_page")
    screen.jump, screen.jumps, screen.held, screen.blank = page, screen.jumps + 1, held, False
    return _save(screen)


@transaction.atomic
def blank(tournament: Tournament, screen_id: int, *, is_blank: bool) -> HallScreen:
    """Show nothing but the message, or the pages again (``screen.unknown``)."""
    screen = _locked(tournament, screen_id)
    screen.blank = is_blank
    return _save(screen)


@transaction.atomic
def say(tournament: Tournament, screen_id: int, *, message: str, actor: Any) -> HallScreen:
    """Show a message above the pages; an empty one takes it away (``screen.unknown``)."""
    screen = _locked(tournament, screen_id)
    screen.message = " ".join(message.split())[:MOST_MESSAGE]
    if screen.message:
        log(tournament, "screens.told", actor=actor, screen=screen.name, message=screen.message)
    return _save(screen)


def note_seen(screen: HallScreen) -> None:
    """Keep when a browser last showed the screen; its `version` stays."""
    now = timezone.now()
    if screen.seen_at is None or now - screen.seen_at > SEEN_EVERY:
        HallScreen.objects.filter(pk=screen.pk).update(seen_at=now)


def _named(name: str) -> str:
    found = " ".join(name.split())[:60]
    if not found:
        raise TourneyError("screen.no_name")
    return found


def free_code() -> str:
    """Return digits nobody uses yet: an address that can be entered with a television's remote control."""
    for digits in _DIGITS:
        for _attempt in range(20):
            code = str(secrets.randbelow(9 * 10 ** (digits - 1)) + 10 ** (digits - 1))
            if not HallScreen.objects.filter(code=code).exists():
                return code
    raise RuntimeError("no free address for a screen")


def _locked(tournament: Tournament, screen_id: int) -> HallScreen:
    screen = HallScreen.objects.select_for_update(of=("self",)).filter(tournament=tournament, pk=screen_id).first()
    if screen is None:
        raise TourneyError("screen.unknown")
    screen.tournament = tournament
    return screen


def _save(screen: HallScreen) -> HallScreen:
    screen.version += 1
    screen.save()
    return screen
