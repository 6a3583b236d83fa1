"""From facts to what pages read: the columns of matches, the slots, the state of the stage."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from brackets.engine.facts import How
from brackets.engine.match_fold import (
    AwaitClaim,
    AwaitColor,
    AwaitDecision,
    AwaitGame,
    Awaiting,
    AwaitLot,
    Finished,
)
from brackets.engine.match_format import Armageddon
from brackets.engine.match_play import MatchState
from brackets.engine.resolve import BYE, MatchStatus, MatchView
from brackets.models import Match, MatchEvent, MatchSlot
from brackets.selectors import STEP_KINDS, Row, Table
from tourney.kernel.clocks import Clock
from tourney.kernel.ids import MatchKey

Kind = MatchEvent.Kind
State = Match.State

COLUMNS: Final = (
    "state",
    "board",
    "called_at",
    "started_at",
    "finished_at",
    "winner_side",
    "how",
    "score",
    "awaits",
    "version",
)
_SETTLED: Final[Mapping[MatchStatus, str]] = {
    MatchStatus.LOCKED: State.LOCKED,
    MatchStatus.DONE: State.DONE,
    MatchStatus.WALKOVER: State.WALKOVER,
    MatchStatus.BYE: State.BYE,
    MatchStatus.NOT_NEEDED: State.SKIPPED,
    MatchStatus.CUT: State.CUT,
}
# What the bracket itself knows better than the match: decided without the match's own steps.
_FROM_BRACKET: Final = frozenset({How.BYE, How.OPPONENT_LEFT, How.BOTH_LEFT, How.NOT_NEEDED, How.DECISION})


def columns_of(table: Table, key: MatchKey, versions: Mapping[MatchKey, int]) -> dict[str, Any]:
    """Return the projected columns of a match. `versions`: how many rows each match has, taken back or not."""
    view = table.state.matches[key]
    rows = table.rows_of(key)
    columns: dict[str, Any] = {
        "state": _SETTLED.get(view.status, State.READY),
        "board": None,
        "called_at": None,
        "started_at": None,
        "finished_at": None,
        "winner_side": _winner_side(view),
        "how": view.how.value if view.how is not None else "",
        "score": {},
        "awaits": {},
        "version": versions.get(key, 0),
    }
    over = False
    for row in rows:
        if row.kind == Kind.CALLED:
            columns["board"], columns["called_at"], over = row.data["board"], row.at, False
        elif row.kind == Kind.BOARD_LEFT:
            columns["board"] = None
        elif row.kind == Kind.RESULT:
            columns["finished_at"], over = row.at, True
        elif row.kind == Kind.VOIDED:
            columns["finished_at"] = None
            if over:
                # Its board went to others when it was over; an open match needs a new one.
                columns["board"], columns["called_at"] = None, None
            over = False
        elif row.kind in STEP_KINDS and columns["started_at"] is None:
            columns["started_at"] = row.at
    if view.a is None or view.b is None or view.a is BYE or view.b is BYE:
        return columns
    match = table.match_state(key)
    if view.is_open:
        if columns["started_at"] is not None:
            columns["state"] = State.PLAYING
        elif columns["called_at"] is not None:
            columns["state"] = State.CALLED
        columns["awaits"] = awaits_json(match.awaiting)
    elif isinstance(match.awaiting, Finished) and view.how not in _FROM_BRACKET:
        columns["how"] = match.awaiting.how.value
    if not view.is_open and view.status is not MatchStatus.DONE and not rows:
        columns["started_at"] = None
    columns["score"] = score_json(match)
    return columns


def _winner_side(view: MatchView) -> str:
    if view.winner is None or view.winner is BYE or view.how is How.NOT_NEEDED:
        return ""
    return "a" if view.winner == view.a else "b"


def score_json(match: MatchState) -> dict[str, Any]:
    """Return a match's score: half-points in all and by phase; an Armageddon says who had White."""
    if not match.games:
        return {}
    phases: list[dict[str, Any]] = [
        {"a": score.score["a"], "b": score.score["b"], "armageddon": _white_of_armageddon(match, score.phase)}
        for score in match.scores
    ]
    kept = bool(match.scores) and match.score is match.scores[-1].score
    if not kept and any(match.score.values()):
        phases.append({"a": match.score["a"], "b": match.score["b"], "armageddon": ""})
    return {
        "a": sum(phase["a"] for phase in phases),
        "b": sum(phase["b"] for phase in phases),
        "phases": phases,
        "games": len(match.games),
    }


def _white_of_armageddon(match: MatchState, phase: int) -> str:
    return match.games[-1].white if isinstance(match.rules.phases[phase], Armageddon) else ""


def awaits_json(awaiting: Awaiting) -> dict[str, Any]:
    """Return the next step as the tablet wants it."""
    match awaiting:
        case AwaitColor(number=number, by=by):
            return {"kind": "color", "number": number, "by": by}
        case AwaitLot(number=number, gives=gives):
            return {"kind": "lot", "number": number, "gives": gives.value}
        case AwaitGame() as game:
            return {
                "kind": "game",
                "number": game.number,
                "white": game.white,
                "black": game.black,
                "clock": clock_text(game.white_clock, game.black_clock),
                "armageddon": game.armageddon,
            }
        case AwaitDecision():
            return {"kind": "decision"}
        case AwaitClaim(by=by):
            return {"kind": "claim", "by": by}
    return {}


def clock_text(white: Clock | None, black: Clock | None) -> str:
    """Return a game's clock: ``3+2``, or ``5/4`` when White and Black have different ones."""
    if white is None and black is None:
        return ""
    if white == black:
        return str(white)
    return f"{white or '?'}/{black or '?'}"


def versions_of(rows: Iterable[Row]) -> dict[MatchKey, int]:
    """Return how many rows each match has ever had."""
    found: dict[MatchKey, int] = {}
    for row in rows:
        if row.match is not None:
            found[row.match] = found.get(row.match, 0) + 1
    return found


def project_matches(table: Table, keys: Iterable[MatchKey]) -> list[Match]:
    """Set the projected columns of some matches; return those that changed (not saved)."""
    versions = versions_of(table.rows)
    changed = []
    for key in keys:
        match = table.matches[key]
        columns = columns_of(table, key, versions)
        if any(getattr(match, name) != value for name, value in columns.items()):
            for name, value in columns.items():
                setattr(match, name, value)
            changed.append(match)
    return changed


def project_slots(table: Table, keys: Iterable[MatchKey]) -> None:
    """Write who stands on the sides of some matches, as far as it changed."""
    wanted = {}
    for key in keys:
        view = table.state.matches[key]
        for side, occupant in (("a", view.a), ("b", view.b)):
            wanted[table.matches[key].pk, side] = (occupant if isinstance(occupant, int) else None, occupant is BYE)
    slots = MatchSlot.objects.filter(match__in={match for match, _ in wanted})
    changed = []
    for slot in slots:
        entry, is_bye = wanted[slot.match_id, slot.side]
        if (slot.entry_id, slot.is_bye) != (entry, is_bye):
            slot.entry_id, slot.is_bye = entry, is_bye
            changed.append(slot)
    if changed:
        MatchSlot.objects.bulk_update(changed, ["entry", "is_bye"])


def new_slots(table: Table) -> list[MatchSlot]:
    """Return the slots of every match, for a bracket that has none yet."""
    made = []
    for key, view in table.state.matches.items():
        for side, occupant in (("a", view.a), ("b", view.b)):
            made.append(
                MatchSlot(
                    match=table.matches[key],
                    side=side,
                    entry_id=occupant if isinstance(occupant, int) else None,
                    is_bye=occupant is BYE,
                )
            )
    return made
