"""Where followed players of a knockout are: their match, its board and likely hour, where a win and a loss lead."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext as _

from brackets.cards import Cards
from brackets.day import Ending, ending, prospects_of
from brackets.engine.calls import Destination
from brackets.labels import places_words
from brackets.match_page import way_to
from brackets.selectors import Table, bracket_stage, load_table
from tourney.following import Following, Way
from tourney.models import Entry


def followings(entries: Sequence[Entry]) -> dict[int, Following]:
    """Return what is to be said of players of one event: one table is read for each group they play in."""
    found: dict[int, Following] = {}
    hosts: dict[int, list[Entry]] = {}
    for entry in entries:
        hosts.setdefault(entry.section.merged_into_id or entry.section_id, []).append(entry)
    for mine in hosts.values():
        stage = bracket_stage(mine[0].section)
        if stage is None:
            continue
        stage.section.tournament = mine[0].tournament
        table = load_table(stage, facts_only=True)
        if table is None or table.bracket.drawn_at is None:
            continue
        cards = Cards(table)
        forecast = ending(table)
        found |= {entry.pk: _of(entry, cards, table, forecast) for entry in mine if entry.pk in table.state.seeds}
    return found


def _of(entry: Entry, cards: Cards, table: Table, forecast: Ending | None) -> Following:
    prospects = prospects_of(table, entry.pk)
    places = str(places_words(prospects.places))
    if prospects.match is None:
        return Following(now=places)
    card = cards.card(prospects.match)
    opponent = card.side("b" if card.view.a == entry.pk else "a")
    values = {"key": card.key, "board": card.board}
    where = _("Match %(key)s, board %(board)s") % values if card.board else _("Match %(key)s") % values
    now = f"{where}: " + _("against %(name)s") % {"name": opponent.name}
    starts = forecast.starts.get(prospects.match) if forecast and not card.is_live else None
    if starts is not None:
        now += f" · ≈ {starts.astimezone(entry.tournament.zone):%H:%M}"
    ways = (
        _way(cards, _("If you win"), prospects.if_wins),
        _way(cards, _("If you lose"), prospects.if_loses),
    )
    still = _("Still possible: %(places)s") % {"places": places}
    return Following(now, card.href, still, "", tuple(way for way in ways if way is not None), is_playing=card.is_live)


def _way(cards: Cards, label: str, fork: Destination | None) -> Way | None:
    if fork is None:
        return None
    way = way_to(cards, label, fork.match, fork.places)
    words = f"{way.key}, {way.words}" if way.key else way.words
    if fork.opponent is not None:
        words += " · " + _("against %(name)s") % {"name": cards.name_of(fork.opponent)}
    return Way(label, words, way.href)
