"""News of the organizer: told, changed, taken back. Each act is a line of the event's log."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.utils import timezone

from tourney.kernel.errors import TourneyError
from tourney.kernel.text import LANGUAGES, in_language
from tourney.models import NewsItem, Tournament
from tourney.services.log import log

Words = Mapping[str, str]  # {"uk": …, "ru": …, "en": …}; a language may be missing
MOST_TITLE, MOST_TEXT = 120, 4000


@transaction.atomic
def tell_news(tournament: Tournament, *, title: Words, text: Words, pinned: bool = False, actor: Any) -> NewsItem:
    """Tell everybody something (``news.no_title``)."""
    now = timezone.now()
    item = NewsItem.objects.create(
        tournament=tournament,
        title=_cleaned_title(title),
        text=_cleaned(text, MOST_TEXT),
        pinned=pinned,
        published_at=now,
        changed_at=now,
        author=actor if getattr(actor, "is_authenticated", False) else None,
    )
    log(tournament, "news.told", actor=actor, title=_shown(item))
    return item


@transaction.atomic
def change_news(
    tournament: Tournament, item_id: int, *, title: Words, text: Words, pinned: bool, actor: Any
) -> NewsItem:
    """Change what was told; the page says when (``news.unknown``, ``news.no_title``)."""
    item = _locked(tournament, item_id)
    changed = (_cleaned_title(title), _cleaned(text, MOST_TEXT), pinned)
    if changed == (item.title, item.text, item.pinned):
        return item
    item.title, item.text, item.pinned = changed
    item.changed_at = timezone.now()
    item.save(update_fields=["title", "text", "pinned", "changed_at"])
    log(tournament, "news.changed", actor=actor, title=_shown(item))
    return item


@transaction.atomic
def withdraw_news(tournament: Tournament, item_id: int, *, actor: Any) -> NewsItem:
    """Take a piece of news off all pages; telling it again is a new one (``news.unknown``)."""
    item = _locked(tournament, item_id)
    item.withdrawn_at = item.changed_at = timezone.now()
    item.save(update_fields=["withdrawn_at", "changed_at"])
    log(tournament, "news.withdrawn", actor=actor, title=_shown(item))
    return item


def news_of(tournament: Tournament) -> list[NewsItem]:
    """Return what is told now, pinned first, then the newest. One query."""
    items = list(tournament.news.filter(withdrawn_at=None))
    for item in items:
        item.tournament = tournament
    return items


def _cleaned(words: Words, most: int) -> dict[str, str]:
    return {code: words[code].strip()[:most] for code in LANGUAGES if words.get(code, "").strip()}


def _cleaned_title(words: Words) -> dict[str, str]:
    title = {code: " ".join(text.split()) for code, text in _cleaned(words, MOST_TITLE).items()}
    if not title:
        raise TourneyError("news.no_title")
    return title


def _shown(item: NewsItem) -> str:
    return in_language(item.title, item.tournament.language)


def _locked(tournament: Tournament, item_id: int) -> NewsItem:
    item = (
        NewsItem.objects.select_for_update(of=("self",))
        .filter(tournament=tournament, pk=item_id, withdrawn_at=None)
        .first()
    )
    if item is None:
        raise TourneyError("news.unknown")
    item.tournament = tournament
    return item
