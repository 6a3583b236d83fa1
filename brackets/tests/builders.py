"""Brackets ready to play, and matches in a few words: `play(stage, "U1.1", "1 1")` is two wins of side a."""

from __future__ import annotations

from typing import Any

from brackets.engine.match_fold import AwaitColor, AwaitGame, AwaitLot
from brackets.engine.match_play import MatchState
from brackets.models import Match, MatchSlot
from brackets.selectors import Table, load_table
from brackets.services import (
    choose_color,
    confirm_draw,
    draw_color_lot,
    enter_game_result,
    seed_without_lot,
)
from tourney.models import Entry, Section, Stage
from tourney.services.stages import close_entries
from tourney.testing import builders


def group(players: int = 32, *, preset: str = "second-chance-32", **fields: Any) -> Section:
    """Return a section with confirmed entries of falling ratings, start list open."""
    tournament = builders.event(preset, **fields)
    section = tournament.sections.get()
    section.tournament = tournament
    for number in range(players):
        builders.entry(section, rating=2200 - 20 * number, level="1")
    return section


def closed(players: int = 32, rules: dict[str, Any] | None = None, **fields: Any) -> Stage:
    """Return a stage whose start list is closed: it can be drawn. `rules` replaces keys of the regulation's option."""
    (stage, *_) = close_entries(group(players, **fields), actor=None)
    if rules:
        stage.rules = {**stage.rules, **rules}
        stage.save(update_fields=["rules"])
    return fresh(stage)


def drawn(players: int = 32, rules: dict[str, Any] | None = None, **fields: Any) -> Stage:
    """Return a stage with a confirmed bracket, seeded by rating: seed 1 is start number 1."""
    stage = closed(players, rules, **fields)
    seed_without_lot(stage.pk, method="fold", reason="test")
    confirm_draw(stage.pk)
    return fresh(stage)


def fresh(stage: Stage) -> Stage:
    return Stage.objects.select_related("section__tournament").get(pk=stage.pk)


def table(stage: Stage) -> Table:
    found = load_table(stage)
    assert found is not None
    return found


def match(stage: Stage, key: str) -> Match:
    return Match.objects.get(bracket__stage=stage, key=key)


def sides(stage: Stage, key: str) -> tuple[int | None, int | None]:
    """Return the start numbers on the two sides of a match."""
    slots = MatchSlot.objects.filter(match__bracket__stage=stage, match__key=key).order_by("side")
    a, b = slots.values_list("entry__start_number", flat=True)
    return a, b


def numbered(stage: Stage) -> dict[int, Entry]:
    return {entry.start_number or 0: entry for entry in Entry.objects.filter(section=stage.section)}


def play(stage: Stage, key: str, results: str = "1 1", *, actor: Any = None) -> MatchState:
    """Play games of a match: "1" side a wins, "0" side b wins, "=" a draw. Colours and lots are settled on the way."""
    state = table(stage).match_state(key)
    for result in results.split():
        state = _ready(stage, key, state, actor)
        awaited = state.awaiting
        assert isinstance(awaited, AwaitGame)
        outcome = {"1": "1-0", "0": "0-1", "=": "1/2"}[result]
        if awaited.white == "b" and result != "=":
            outcome = {"1-0": "0-1", "0-1": "1-0"}[outcome]
        state = enter_game_result(stage.pk, key, number=awaited.number, outcome=outcome, actor=actor)
    return state


def ready_for_game(stage: Stage, key: str, *, actor: Any = None) -> MatchState:
    """Settle colours and lots until the match waits for a game."""
    return _ready(stage, key, table(stage).match_state(key), actor)


def _ready(stage: Stage, key: str, state: MatchState, actor: Any) -> MatchState:
    while True:
        match state.awaiting:
            case AwaitColor():
                state = choose_color(stage.pk, key, color="w", actor=actor)
            case AwaitLot():
                state = draw_color_lot(stage.pk, key, actor=actor)
            case _:
                return state


def everything_shown(stage: Stage) -> dict[str, Any]:
    """Return all projections of a bracket as plain values, for comparing before and after."""
    columns = ["state", "board", "called_at", "started_at", "finished_at", "winner_side", "how", "score", "awaits"]
    return {
        "matches": list(Match.objects.filter(bracket__stage=stage).order_by("number").values_list("key", *columns)),
        "slots": list(
            MatchSlot.objects.filter(match__bracket__stage=stage)
            .order_by("match__number", "side")
            .values_list("match__key", "side", "entry", "is_bye")
        ),
        "games": list(stage.games.order_by("pk").values_list("pk", "match_key", "game_number", "outcome")),
        "entries": list(Entry.objects.filter(section=stage.section).order_by("pk").values_list("pk", "state")),
        "stage": fresh(stage).state,
    }


def versions(stage: Stage) -> list[tuple[str, int]]:
    return list(Match.objects.filter(bracket__stage=stage).order_by("number").values_list("key", "version"))


def play_all(stage: Stage, *, skip: frozenset[str] = frozenset(), most: int = 1000) -> int:
    """Let side a win every open match until nothing is open (or `most` matches are played); return how many."""
    played = 0
    while ready := [view.key for view in table(stage).state.open_matches if view.key not in skip]:
        for key in ready:
            if played == most:
                return played
            play(stage, key, "1 1")
            played += 1
    return played
