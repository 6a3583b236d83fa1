"""What a match's page shows: games with colours and clocks, lots, where winner and loser go, what happened when."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from brackets.cards import Cards, format_words
from brackets.engine.match_format import Armageddon, GamesPhase
from brackets.engine.match_play import MatchState
from brackets.engine.resolve import BYE
from brackets.engine.topology import Places, Target
from brackets.labels import places_words
from brackets.models import MatchEvent
from brackets.selectors import Row
from brackets.services.acts import what_row_says
from brackets.services.projecting import clock_text
from tourney.formatting import result_text
from tourney.kernel.clocks import Clock
from tourney.kernel.ids import MatchKey
from tourney.models import Game, Lot

Kind = MatchEvent.Kind


@dataclass(frozen=True, slots=True)
class GameLine:
    """A game of a match as its table shows it."""

    number: int
    white: str  # side
    result: str
    clock: str
    phase: str
    game: Game | None
    struck: bool = False
    corrected: bool = False

    @property
    def result_words(self) -> str:
        return str(result_text(self.result))


@dataclass(frozen=True, slots=True)
class Way:
    """Where a player goes: a match with its page, or a place."""

    label: str
    key: str
    href: str
    words: str


@dataclass(frozen=True, slots=True)
class LotLine:
    words: str
    lot: Lot | None


def match_values(cards: Cards, key: str) -> dict[str, Any]:
    """Return the values of a match page. Two queries: the games with their moves, the lots."""
    table = cards.table
    card = cards.card(key)
    games = {game.pk: game for game in Game.objects.filter(stage=table.stage, match_key=key)}
    known = card.view.a is not None and card.view.b is not None and BYE not in (card.view.a, card.view.b)
    state = table.match_state(key) if known else None
    rows = table.rows_of(MatchKey(key))
    lot_rows = [row for row in rows if row.kind in (Kind.LOT, Kind.BOTH_ABSENT)]
    lots = {lot.pk: lot for lot in Lot.objects.filter(pk__in=[row.lot for row in lot_rows if row.lot])}
    return {
        "card": card,
        "match": card.match,
        "games": list(_games(state, rows, games)) if state is not None else [],
        "lots": [_lot_line(cards, card.key, row, lots) for row in lot_rows],
        "ways": ways(cards, key),
        "format_lines": format_words(table.format_of(card.spec)),
        "known": known,
    }


def _games(state: MatchState, rows: list[Row], games: dict[int, Game]) -> Iterable[GameLine]:
    by_number = {row.data["number"]: row for row in rows if row.kind == Kind.GAME}
    corrected = {row.data["number"] for row in rows if row.kind == Kind.CORRECTED}
    phase = 0
    in_phase = 0
    for index, game in enumerate(state.games):
        rules = state.rules.phases[phase]
        clock = clock_text(*_clocks(rules))
        words = _("Armageddon") if isinstance(rules, Armageddon) else str(clock)
        row = by_number.get(game.number)
        found = games.get(row.game) if row is not None and row.game is not None else None
        yield GameLine(
            game.number, game.white, game.result.value, clock, words, found, corrected=game.number in corrected
        )
        in_phase += 1
        if isinstance(rules, GamesPhase) and _phase_ends(state, phase, in_phase) and index + 1 < len(state.games):
            phase, in_phase = min(phase + (0 if rules.repeat else 1), len(state.rules.phases) - 1), 0
    for game in state.struck:
        row = by_number.get(game.number)
        found = games.get(row.game) if row is not None and row.game is not None else None
        yield GameLine(game.number, game.white, game.result.value, "", "", found, struck=True)


def _clocks(phase: Any) -> tuple[Clock | None, Clock | None]:
    if isinstance(phase, Armageddon):
        return phase.white_clock, phase.black_clock
    return phase.clock, phase.clock


def _phase_ends(state: MatchState, phase: int, games: int) -> bool:
    rules = state.rules.phases[phase]
    return isinstance(rules, GamesPhase) and games >= rules.games


def _lot_line(cards: Cards, key: str, row: Row, lots: dict[int, Lot]) -> LotLine:
    step = row.data["step"]
    sides = cards.table.sides(key)
    if "white" in step:
        words = _("White by lot: %(name)s") % {"name": cards.name_of(sides[step["white"]])}
    elif "chooser" in step:
        words = _("Chooses the colour by lot: %(name)s") % {"name": cards.name_of(sides[step["chooser"]])}
    else:
        words = _("Goes on by lot: %(name)s") % {"name": cards.name_of(sides[step["winner"]])}
    lot = lots.get(row.lot) if row.lot else None
    if lot is None and step.get("method"):
        words += f" ({step['method']})"
    return LotLine(words, lot)


def ways(cards: Cards, key: str) -> list[Way]:
    """Return where the winner and the loser of a match go; in a little table, where each of the two goes."""
    spec = cards.table.spec.by_key[MatchKey(key)]
    if spec.table:
        card = cards.card(key)
        return [
            way_to(cards, side.name, target, spec.places_open)
            for side, target in ((card.a, spec.a_to), (card.b, spec.b_to))
        ]
    found = []
    for label, target, places in (
        (_("Winner"), spec.winner_to, spec.winner_place),
        (_("Loser"), spec.loser_to, spec.loser_place),
    ):
        found.append(way_to(cards, label, target, places))
    return found


def way_to(cards: Cards, label: str, target: Target | str | None, places: Places | None) -> Way:
    """Return a way in words: the match it leads to with what is played for there, or the place."""
    key = target.match if isinstance(target, Target) else target
    if key is None:
        return Way(label, "", "", str(places_words(places)))
    open_places = cards.table.spec.by_key[MatchKey(key)].places_open
    return Way(label, str(key), cards.match_url(key), str(places_words(open_places)))


@dataclass(frozen=True, slots=True)
class HistoryLine:
    """A line of a match's history for the staff."""

    at: datetime
    who: int | None
    what: Any
    why: str
    undone: bool


def history_of(cards: Cards, key: str) -> list[HistoryLine]:
    """Return everything that happened to a match, newest first; what was taken back is marked."""
    standing = {row.pk for row in cards.table.standing_rows}
    return [
        HistoryLine(
            row.at,
            row.by,
            what_row_says(row) if row.kind != Kind.CALLED else _("board %(board)s") % {"board": row.data["board"]},
            row.reason,
            row.pk not in standing and row.kind != Kind.UNDONE,
        )
        for row in reversed(cards.table.rows)
        if row.match == key
    ]
