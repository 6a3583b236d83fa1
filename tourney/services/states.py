"""The way of an event: draft, registration, closed, running, finished – each step with what it needs and what follows.

A step is allowed from certain states only, may need a reason, and says in words (codes, see `tourney.labels`) what
will happen when it is taken, so that the page can tell before the button is pressed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils import timezone

from tourney.kernel.errors import TourneyError
from tourney.models import Stage, Tournament
from tourney.services.log import log
from tourney.services.stages import set_tournament_state

State = Tournament.State


@dataclass(frozen=True, slots=True)
class Move:
    """One step. `target` is the state it leads to ("" for showing and hiding, which change no state)."""

    code: str
    sources: frozenset[str]
    target: str = ""
    need: str = "organize"
    reason: bool = False
    danger: bool = False


def _from(*states: str) -> frozenset[str]:
    return frozenset(states)


MOVES: tuple[Move, ...] = (
    Move("publish", _from(*State.values)),
    Move("open", _from(State.DRAFT, State.CLOSED), State.REGISTRATION),
    Move("close", _from(State.REGISTRATION), State.CLOSED),
    Move(
        "start",
        _from(State.DRAFT, State.REGISTRATION, State.CLOSED),
        State.RUNNING,
        need="arbitrate",
    ),
    Move("finish", _from(State.RUNNING), State.FINISHED, need="arbitrate"),
    Move("resume", _from(State.FINISHED), State.RUNNING, need="arbitrate", reason=True),
    Move("hide", _from(*State.values), reason=True),
    Move(
        "cancel",
        _from(State.DRAFT, State.REGISTRATION, State.CLOSED, State.RUNNING),
        State.CANCELLED,
        reason=True,
        danger=True,
    ),
    Move("revive", _from(State.CANCELLED), State.DRAFT, reason=True),
)
BY_CODE = {move.code: move for move in MOVES}


def possible_moves(tournament: Tournament) -> list[Move]:
    """Return the steps that can be taken now, the usual next one first."""
    moves = [move for move in MOVES if tournament.state in move.sources]
    hidden = "publish" if tournament.public or tournament.is_rehearsal else "hide"
    return [move for move in moves if move.code != hidden and not (tournament.is_rehearsal and move.code == "hide")]


@transaction.atomic
def take(tournament: Tournament, code: str, *, actor: Any, reason: str = "") -> Tournament:
    """Take a step. Raises TourneyError ``event.no_such_step``, ``event.step_not_now``, ``event.reason_needed``,
    ``event.rehearsal_not_public``, ``event.still_playing``.
    """
    move = BY_CODE.get(code)
    if move is None:
        raise TourneyError("event.no_such_step")
    locked = Tournament.objects.select_for_update(no_key=True).get(pk=tournament.pk)
    if code == "publish" and locked.is_rehearsal:
        raise TourneyError("event.rehearsal_not_public")
    if move.target and move.target == locked.state:
        return locked  # the form was sent twice
    if locked.state not in move.sources:
        raise TourneyError("event.step_not_now")
    if move.reason and not reason.strip():
        raise TourneyError("event.reason_needed")
    if code == "finish":
        playing = Stage.objects.filter(section__tournament=locked, state=Stage.State.RUNNING).count()
        if playing:
            raise TourneyError("event.still_playing", groups=playing)
    if code in ("publish", "hide"):
        if locked.public != (code == "publish"):
            locked.public = code == "publish"
            locked.save(update_fields=["public"])
            log(
                locked,
                "event.published" if locked.public else "event.hidden",
                actor=actor,
                reason=reason,
            )
        return locked
    set_tournament_state(locked, move.target, actor=actor, reason=reason)
    return locked


def is_event_day(tournament: Tournament) -> bool:
    """Return whether the first day has come, by the event's own clock."""
    return timezone.localtime(timezone.now(), tournament.zone).date() >= tournament.starts_on
