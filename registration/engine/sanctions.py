"""Sanctions: which kinds a regulation knows, what each does, and how long after the end one may be disqualified."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from enum import StrEnum
from typing import Any

from registration.engine.blocks import Block
from registration.engine.moments import Deadline, start_of_day
from tourney.kernel.errors import TourneyError
from tourney.kernel.regulation import read_zone


class SanctionKind(StrEnum):
    """From mild to severe. The first two are no sanctions: what an arbiter notes, under every regulation."""

    INCIDENT = "incident"
    ILLEGAL_MOVE = "illegal_move"
    WARNING = "warning"
    GAME_LOSS = "game_loss"
    MATCH_LOSS = "match_loss"
    REMOVAL = "removal"


class WindowMode(StrEnum):
    """How the days after the end are counted: whole local days after the last one, or hours from the very end."""

    CALENDAR_DAYS = "calendar_days_after_end_day"
    HOURS = "hours"


@dataclass(frozen=True, slots=True)
class Effect:
    """What a sanction does: to the game or match it was given in, and to the player's place in the event."""

    loses_game: bool = False
    loses_match: bool = False
    leaves_event: bool = False
    needs_game: bool = False


NOTES = (SanctionKind.INCIDENT, SanctionKind.ILLEGAL_MOVE)
ILLEGAL_MOVES_LOSE = 2  # the second illegal move of a player loses the game (Laws of Chess 7.5.5)

EFFECTS: Mapping[SanctionKind, Effect] = {
    SanctionKind.INCIDENT: Effect(),
    SanctionKind.ILLEGAL_MOVE: Effect(),
    SanctionKind.WARNING: Effect(),
    SanctionKind.GAME_LOSS: Effect(loses_game=True, needs_game=True),
    SanctionKind.MATCH_LOSS: Effect(loses_match=True, needs_game=True),
    SanctionKind.REMOVAL: Effect(leaves_event=True),
}


@dataclass(frozen=True, slots=True)
class Window:
    """How long after the end of the event a player may still be disqualified."""

    mode: WindowMode
    length: int
    clause: str

    def closes(self, ended_at: datetime, zone: tzinfo) -> Deadline:
        """Return the last moment for a disqualification after the end of the event."""
        if self.mode is WindowMode.HOURS:
            return Deadline(ended_at + timedelta(hours=self.length), closed=True)
        last_day = ended_at.astimezone(zone).date() + timedelta(days=self.length)
        return Deadline(start_of_day(last_day + timedelta(days=1), zone), closed=False, is_day=True)


@dataclass(frozen=True, slots=True)
class SanctionRules:
    """`after_end` None: nobody is disqualified once the event is over."""

    kinds: tuple[SanctionKind, ...]
    zone: tzinfo
    after_end: Window | None = None
    clause: str = ""


def parse(block: Mapping[str, Any], time_zone: str, path: str = "sanctions") -> SanctionRules:
    """Return the rules of a regulation's ``sanctions`` block; an empty one allows warnings only."""
    node = Block(block, path)
    kinds = node.choices("kinds", SanctionKind, [SanctionKind.WARNING.value])
    window = _window(node.node("after_end")) if node.has("after_end") else None
    rules = SanctionRules(kinds, read_zone(time_zone), window, node.text("clause", ""))
    node.finish()
    if window is not None and SanctionKind.REMOVAL not in rules.kinds:
        raise node.fail("after_end", "rule.never_applies")
    return rules


def _window(node: Block) -> Window:
    mode = node.choice("mode", WindowMode, WindowMode.CALENDAR_DAYS)
    key = "hours" if mode is WindowMode.HOURS else "days"
    window = Window(mode, node.integer(key, low=0, high=10_000), node.clause())
    node.finish()
    return window


def may_disqualify(rules: SanctionRules, decided_at: datetime, ended_at: datetime | None) -> bool:
    """Return whether a disqualification decided then is valid; `ended_at` None: the event is still running."""
    if ended_at is None or decided_at <= ended_at:
        return SanctionKind.REMOVAL in rules.kinds
    return rules.after_end is not None and rules.after_end.closes(ended_at, rules.zone).allows(decided_at)


def effect_of(
    rules: SanctionRules, kind: SanctionKind, *, decided_at: datetime, ended_at: datetime | None, has_game: bool
) -> Effect:
    """Return what a sanction does, or refuse it. What is only noted is refused by no regulation and at no time.

    Raises TourneyError ``sanction.not_in_regulation``, ``sanction.needs_game``, ``sanction.too_late``.
    """
    if kind in NOTES:
        return EFFECTS[kind]
    if kind not in rules.kinds:
        raise TourneyError("sanction.not_in_regulation", kind=kind.value)
    effect = EFFECTS[kind]
    if effect.needs_game and not has_game:
        raise TourneyError("sanction.needs_game", kind=kind.value)
    over = ended_at is not None and decided_at > ended_at
    if over and not (kind is SanctionKind.REMOVAL and may_disqualify(rules, decided_at, ended_at)):
        raise TourneyError("sanction.too_late", kind=kind.value)
    return effect
