"""Games of play-offs as rows beside all others, so that they have moves: matched, replayed, shown live, downloaded.

A play-off is kept as its steps; the rows are a projection of them. They hang on a stage of their own kind, which is
nothing to whoever counts points, rounds or boards. A row with moves is never deleted: when its game is taken back it
waits without a result, and when the colours have become others it steps aside (as games of brackets do).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db.models import Max
from django.utils.translation import gettext, override

from brackets.engine.match_fold import AwaitGame
from brackets.engine.match_format import Armageddon
from brackets.engine.match_play import MatchState
from prizes.models import PlayoffMatch
from prizes.selectors.playoffs import PlayoffView, due_games
from tourney import panels
from tourney.kernel.clocks import Clock
from tourney.models import Game, LiveGame, Section, Stage
from tourney.services.stages import bump, lock_stage

CODE = "playoff"


def match_key(match: PlayoffMatch) -> str:
    """Return how the games of a play-off name it: PO1 is a group's first one."""
    before = PlayoffMatch.objects.filter(section=match.section_id, pk__lt=match.pk).count()
    return f"PO{before + 1}"


def stage_of(section: Section) -> Stage | None:
    """Return the stage the games of a group's play-offs hang on; None before the first one."""
    return Stage.objects.filter(section=section, kind=Stage.Kind.PLAYOFF).order_by("ordinal").first()


def ensure_stage(section: Section) -> Stage:
    """Return that stage, made if there is none. The section's last stage is locked."""
    found = stage_of(section)
    if found is not None:
        return found
    last = Stage.objects.filter(section=section).aggregate(last=Max("ordinal"))["last"] or 0
    title = {}
    for language, _name in settings.LANGUAGES:
        with override(language):
            title[language] = gettext("Play-off for first place")
    return Stage.objects.create(
        section=section,
        ordinal=last + 1,
        code=CODE,
        title=title,
        kind=Stage.Kind.PLAYOFF,
        state=Stage.State.CLOSED,  # there is nothing to pair, start or close in it
    )


def project_games(view: PlayoffView) -> None:
    """Write the rows of a play-off's games anew from its steps."""
    match = view.match
    if match.dropped_at is not None:
        return
    # Who stores moves holds this stage, not the group's: rows are read when nobody does.
    stage, key = lock_stage(ensure_stage(match.section).pk), match_key(match)
    known = {game.game_number: game for game in Game.objects.filter(stage=stage, match_key=key)}
    changed = False
    for number, played in _played(view).items():
        row = known.pop(number, None)
        people = int(played.white), int(played.black)
        if row is not None and (row.white_id, row.black_id) != people:
            _step_aside(row)
            row = None
        values = {"outcome": played.result, "time_control": played.clock, "finished_at": played.at}
        if row is None:
            row = Game(stage=stage, match_key=key, game_number=number, white_id=people[0], black_id=people[1])
            row.scheduled_at, row.finished_at, row.version = match.started_at, played.at, 1
            row.outcome, row.time_control = played.result, played.clock
            row.save()
            _claim_live(row)
            changed = True
        elif any(getattr(row, name) != value for name, value in values.items()):
            Game.objects.filter(pk=row.pk).update(**values, version=row.version + 1)
            changed = True
    for row in known.values():  # taken back, or struck by a correction
        if not row.pgn:
            row.delete()
            changed = True
        elif row.outcome or row.finished_at:
            Game.objects.filter(pk=row.pk).update(outcome="", finished_at=None, version=row.version + 1)
            changed = True
    if changed:
        bump(stage)


def drop_games(match: PlayoffMatch) -> None:
    """Take the rows of a play-off that was dropped away; games with moves were played, and stay."""
    stage = stage_of(match.section)
    if stage is not None:
        stage = lock_stage(stage.pk)
        Game.objects.filter(stage=stage, match_key=match_key(match), pgn="").delete()
        bump(stage)


@dataclass(frozen=True, slots=True)
class _Played:
    """A game of a play-off with its clock and the moment its result was entered."""

    white: str
    black: str
    result: str
    clock: str
    at: datetime


def _played(view: PlayoffView) -> dict[int, _Played]:
    """Return the games that count by their numbers."""
    state = view.state
    moments = [event.at for event in view.events if event.step and event.step["do"] in ("game", "group_game")]
    numbers = sorted(game.number for game in (*state.games, *state.struck))
    entered = dict(zip(numbers, moments, strict=False))
    return {
        game.number: _Played(
            game.white,
            game.black,
            game.result.value,
            _clock_of(state, index),
            entered.get(game.number, view.match.started_at),
        )
        for index, game in enumerate(state.games)
    }


def _clock_of(state: MatchState, index: int) -> str:
    """Return the clock of a game: that of the last part for an Armageddon, else of the first one."""
    last = state.rules.phases[-1]
    is_last = index == len(state.games) - 1 and any(
        score.phase == len(state.rules.phases) - 1 for score in state.scores
    )
    if isinstance(last, Armageddon) and is_last:
        return clock_text(last.white_clock, last.black_clock)
    return _first_clock(state)


def _first_clock(state: MatchState) -> str:
    first = state.rules.phases[0]
    return "" if isinstance(first, Armageddon) else str(first.clock)


def clock_text(white: Clock | None, black: Clock | None) -> str:
    """Return a game's clock: ``3+2``, or ``5/4`` when White and Black have different ones."""
    if white is None and black is None:
        return ""
    return str(white) if white == black else f"{white or '?'}/{black or '?'}"


def _step_aside(row: Game) -> None:
    if row.pgn:
        Game.objects.filter(pk=row.pk).update(match_key=f"~{row.pk}", outcome="", finished_at=None)
    else:
        row.delete()


def _claim_live(row: Game) -> None:
    """Give a game what boards have sent of it: games of a table get their number with their result."""
    waiting = LiveGame.objects.filter(
        stage=row.stage_id, match_key=row.match_key, white=row.white_id, black=row.black_id, game=None
    )
    live = waiting.filter(game_number=row.game_number).first() or waiting.order_by("pk").first()
    if live is not None:
        live.game, live.game_number = row, row.game_number
        live.save(update_fields=["game", "game_number"])


def awaited_games(views: Iterable[PlayoffView]) -> list[panels.AwaitedGame]:
    """Return the games that are due: of a table all that are left, numbered on from those played."""
    found = []
    for view in views:
        stage = stage_of(view.match.section)
        if stage is None or view.state.is_done:
            continue
        key, code = match_key(view.match), view.match.section.code
        awaited = view.state.awaiting
        if isinstance(awaited, AwaitGame):
            due = [(awaited.white, awaited.black, clock_text(awaited.white_clock, awaited.black_clock))]
            first = awaited.number
        else:
            due = [(game.white, game.black, _first_clock(view.state)) for game in due_games(view.state)]
            first = max((game.number for game in view.state.games), default=0) + 1
        found += [
            panels.AwaitedGame(stage.pk, code, key, number, int(white), int(black), None, clock)
            for number, (white, black, clock) in enumerate(due, first)
        ]
    return found
