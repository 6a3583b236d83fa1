"""What a changed result would do, said before anything is saved.

The new result is resolved, and every recorded result that no longer belongs to its pair is taken back, round after
round, until none is left: that list is exactly the matches the change reaches. Matches whose two players stay the same
keep their results, and a score that changes no winner reaches nothing.

What an arbiter may do then (matches after this one, in the worst state found):

* nothing called – the players change places;
* called, no result – the calls must be taken back first;
* something was played – blocked: the result is corrected on paper only and the bracket stands, or the listed matches
  are cancelled and played again.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from brackets.engine.facts import Fact, OnPaper, Result, Voided
from brackets.engine.resolve import BracketState, MatchStatus, MatchView, resolve
from brackets.engine.topology import BracketSpec, Places, Side, Target
from tourney.kernel.errors import TourneyError
from tourney.kernel.ids import EntryId, MatchKey


class Effect(StrEnum):
    """How far a correction reaches."""

    SCORE_ONLY = "score_only"  # the winner stays: change it and log it
    MOVES_PLAYERS = "moves_players"  # nobody below has been called: players change places
    TAKE_BACK_CALLS = "take_back_calls"  # refused until the calls are taken back
    BLOCKED = "blocked"  # something below was played: on paper only, or the cascade


@dataclass(frozen=True, slots=True)
class PlayerMove:
    """A player leaves one side of a later match, another one comes (None: not known any more)."""

    target: Target
    before: EntryId | None
    after: EntryId | None


@dataclass(frozen=True, slots=True)
class CorrectionPlan:
    """What a correction does. `cascade` and `on_paper` are the facts of either choice, for `entering.enter_all`."""

    match: MatchKey
    effect: Effect
    winner: EntryId | None  # None: the match is open again
    void: tuple[MatchKey, ...]  # recorded results of later matches that would be taken back, in order of play
    take_back: tuple[MatchKey, ...]  # later matches that were called but have no game
    stop: tuple[MatchKey, ...]  # later matches that are being played
    automatic: tuple[MatchKey, ...]  # walkovers the bracket made itself and that change or go with it
    moves: tuple[PlayerMove, ...]
    places: tuple[tuple[EntryId, Places | None, Places | None], ...]  # decided places that change: before, after
    cascade: tuple[Fact, ...]
    on_paper: tuple[Fact, ...]

    @property
    def needs_choice(self) -> bool:
        return self.effect is Effect.BLOCKED


def plan_correction(
    spec: BracketSpec,
    seeds: Sequence[EntryId | None],
    facts: Sequence[Fact],
    match: MatchKey,
    new: Result | None,
    *,
    reason: str,
    called: Collection[MatchKey] = (),
    playing: Collection[MatchKey] = (),
) -> CorrectionPlan:
    """Return what happens if a settled match gets another result, or is open again (`new` None: level once more).

    `called` and `playing` name the matches that are called, and those with a game that counts, without a result yet.
    Raises TourneyError ``bracket.match_open``, ``bracket.automatic_result``, ``bracket.not_in_match``,
    ``bracket.reason_needed``.
    """
    if not reason.strip():
        raise TourneyError("bracket.reason_needed")
    before = resolve(spec, seeds, facts)
    view = before.matches[spec.match(match).key]
    _check(view, match, new)
    changed: tuple[Fact, ...] = (Voided(match, reason),) if new is None else (replace(new, reason=reason),)
    after, void = _settled_again(spec, seeds, (*facts, *changed), reason)
    same_winner = new is not None and new.winner == view.winner
    reached = [key for key, now in after.matches.items() if key != match and _sides(now) != _sides(before.matches[key])]
    take_back = tuple(key for key in reached if key in called and key not in playing)
    stop = tuple(key for key in reached if key in playing)
    if same_winner:
        effect = Effect.SCORE_ONLY
    elif void or stop:
        effect = Effect.BLOCKED
    else:
        effect = Effect.TAKE_BACK_CALLS if take_back else Effect.MOVES_PLAYERS
    winner = None if new is None else new.winner
    return CorrectionPlan(
        match=match,
        effect=effect,
        winner=winner,
        void=tuple(void),
        take_back=take_back,
        stop=stop,
        automatic=tuple(_automatic(before, after)),
        moves=tuple(_moves(before, after, reached)),
        places=tuple(_place_changes(before, after)),
        cascade=(*(Voided(key, reason) for key in reversed(void)), *changed),
        on_paper=() if winner is None else (OnPaper(match, winner, reason),),
    )


def _check(view: MatchView, match: MatchKey, new: Result | None) -> None:
    if view.status is MatchStatus.CUT:
        raise TourneyError("bracket.cut_short", match=match)
    if view.status not in (MatchStatus.DONE, MatchStatus.WALKOVER):
        raise TourneyError("bracket.match_open", match=match)
    if view.how is not None and not view.how.is_recorded:
        # An automatic walkover ends when the player returns, not by a correction.
        raise TourneyError("bracket.automatic_result", match=match)
    if new is not None and (new.match != match or {new.winner, new.loser} != {view.a, view.b}):
        raise TourneyError("bracket.not_in_match", match=match, player=new.winner)


def _settled_again(
    spec: BracketSpec, seeds: Sequence[EntryId | None], facts: tuple[Fact, ...], reason: str
) -> tuple[BracketState, list[MatchKey]]:
    """Return the state after taking back every result that lost its pair, and those matches in order of play."""
    void: set[MatchKey] = set()
    state = resolve(spec, seeds, facts)
    while state.stale:
        void |= set(state.stale)
        facts = (*facts, *(Voided(key, reason) for key in state.stale))
        state = resolve(spec, seeds, facts)
    return state, [match.key for match in spec.matches if match.key in void]


def _sides(view: MatchView) -> tuple[object, object]:
    return view.a, view.b


def _automatic(before: BracketState, after: BracketState) -> list[MatchKey]:
    changed = []
    for key, old in before.matches.items():
        new = after.matches[key]
        automatic = old.how is not None and not old.how.is_recorded and old.status is MatchStatus.WALKOVER
        if automatic and (new.winner, new.loser) != (old.winner, old.loser):
            changed.append(key)
    return changed


def _moves(before: BracketState, after: BracketState, reached: Sequence[MatchKey]) -> list[PlayerMove]:
    found = []
    for key in reached:
        old, new = before.matches[key], after.matches[key]
        for side, was, now in ((Side.A, old.a, new.a), (Side.B, old.b, new.b)):
            if was != now:
                found.append(PlayerMove(Target(key, side), _player(was), _player(now)))
    return found


def _player(occupant: object) -> EntryId | None:
    return EntryId(occupant) if isinstance(occupant, int) else None


def _place_changes(before: BracketState, after: BracketState) -> list[tuple[EntryId, Places | None, Places | None]]:
    players = sorted({*before.places, *after.places})
    return [
        (player, before.places.get(player), after.places.get(player))
        for player in players
        if before.places.get(player) != after.places.get(player)
    ]


def reach(spec: BracketSpec, match: MatchKey) -> tuple[MatchKey, ...]:
    """Return every later match that a change of this one's winner could touch at the most, in order of play."""
    found: set[MatchKey] = set()
    waiting = [spec.match(match)]
    while waiting:
        here = waiting.pop()
        for way in here.leads_to:
            if way.match not in found:
                found.add(way.match)
                waiting.append(spec.by_key[way.match])
    return tuple(other.key for other in spec.matches if other.key in found)
