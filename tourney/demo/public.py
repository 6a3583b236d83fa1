"""What an event shows beside its results: news, and a screen of the hall."""

from __future__ import annotations

from typing import Any

from tourney.models import Tournament
from tourney.services.news import tell_news
from tourney.services.screens import make_screen

_LUNCH = (
    {"uk": "Обід о 13:00", "ru": "Обед в 13:00", "en": "Lunch at 13:00"},
    {
        "uk": "Їдальня на першому поверсі, вхід зі двору.",
        "ru": "Столовая на первом этаже, вход со двора.",
        "en": "The canteen is on the ground floor, entrance from the yard.",
    },
)
_QUIET = (
    {
        "uk": "Глядачі: тихо, будь ласка",
        "ru": "Зрители: тихо, пожалуйста",
        "en": "Spectators: quiet, please",
    },
    {
        "uk": "Пари й результати є на екрані біля входу та на цій сторінці.",
        "ru": "Пары и результаты есть на экране у входа и на этой странице.",
        "en": "Pairings and results are on the screen at the entrance and on this page.",
    },
)
_SCREEN = {"uk": "Екран біля входу", "ru": "Экран у входа"}


def show(tournament: Tournament, actor: Any) -> None:
    """Tell two pieces of news and hang up a screen, once the event is being played."""
    tournament = Tournament.objects.get(pk=tournament.pk)  # playing has moved its state since it was made
    if tournament.state != Tournament.State.RUNNING:
        return
    for title, text in (_QUIET, _LUNCH):
        tell_news(tournament, title=title, text=text, actor=actor, pinned=title is _LUNCH[0])
    make_screen(tournament, name=_SCREEN[tournament.language], actor=actor)
