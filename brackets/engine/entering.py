"""Which facts may be recorded now. Everything a person can do wrong is refused here with a code; nothing is changed."""

from __future__ import annotations

from collections.abc import Sequence

from brackets.engine.facts import (
    Cut,
    CutScope,
    Fact,
    How,
    Left,
    OnPaper,
    Replaced,
    Result,
    Retracted,
    Returned,
    SeedsSwapped,
    Voided,
)
from brackets.engine.resolve import BYE, SETTLED, BracketState, MatchStatus, MatchView, resolve, side_of
from brackets.engine.topology import BracketSpec
from tourney.kernel.errors import TourneyError
from tourney.kernel.ids import EntryId


def enter(
    spec: BracketSpec,
    seeds: Sequence[EntryId | None],
    facts: Sequence[Fact],
    new: Fact,
    before: BracketState | None = None,
) -> tuple[tuple[Fact, ...], BracketState]:
    """Return the facts with the new one and the state they give, or raise TourneyError.

    `before` is the state of `facts`, if the caller has it already.

    Codes: ``bracket.match_locked``, ``match_settled``, ``match_open``, ``automatic_result``, ``unknown_match``,
    ``not_in_match``, ``unknown_player``, ``already_left``, ``not_left``, ``already_played``, ``player_twice``,
    ``table_waits``, ``unknown_seed``, ``unknown_fact``, ``reason_needed``, ``cut_short``, ``nothing_to_cut``,
    ``bye_fixed``, ``downstream_played`` (values: ``matches``).
    """
    before = resolve(spec, seeds, facts) if before is None else before
    _check(spec, before, facts, new)
    after_facts = (*facts, new)
    after = resolve(spec, seeds, after_facts)
    _check_downstream(before, after)
    return after_facts, after


def enter_all(
    spec: BracketSpec, seeds: Sequence[EntryId | None], facts: Sequence[Fact], new: Sequence[Fact]
) -> tuple[tuple[Fact, ...], BracketState]:
    """Return the facts with several new ones that belong together (a correction and what it takes back), or refuse all.

    Each is checked in its turn as by `enter`; that no result is left without its pair is asked at the end.
    """
    entered = tuple(facts)
    before = state = resolve(spec, seeds, entered)
    for fact in new:
        _check(spec, state, entered, fact)
        entered = (*entered, fact)
        state = resolve(spec, seeds, entered)
    _check_downstream(before, state)
    return entered, state


def _check_downstream(before: BracketState, after: BracketState) -> None:
    downstream = [key for key in after.stale if key not in before.stale]
    if downstream:
        raise TourneyError("bracket.downstream_played", matches=downstream)


def _check(spec: BracketSpec, state: BracketState, facts: Sequence[Fact], new: Fact) -> None:
    match new:
        case Result():
            view = state.matches[spec.match(new.match).key]
            # A result with a reason may replace a recorded one: that is a correction.
            if not (view.how is not None and view.how.is_recorded and new.reason.strip()):
                _check_open(view)
            side_of(view, new.winner)
            side_of(view, new.loser)
            if new.winner == new.loser:
                raise TourneyError("bracket.not_in_match", match=new.match, player=new.loser)
        case Voided():
            _check_recorded(state, spec, new.match)
            _check_reason(new.reason)
        case OnPaper():
            view = _check_recorded(state, spec, new.match)
            side_of(view, new.winner)
            _check_reason(new.reason)
        case Left():
            _check_player(state, new.player)
            # A withdrawal may still become a disqualification, nothing else may be said twice.
            if new.player in state.left and (state.left[new.player] or not new.disqualified):
                raise TourneyError("bracket.already_left", player=new.player)
        case Returned():
            _check_player(state, new.player)
            if new.player not in state.left:
                raise TourneyError("bracket.not_left", player=new.player)
        case SeedsSwapped():
            for number in (new.first, new.second):
                if not 1 <= number <= spec.size:
                    raise TourneyError("bracket.unknown_seed", seed=number)
                _check_not_started(spec, state, number)
            if spec.tables and None in (state.seeds[new.first - 1], state.seeds[new.second - 1]):
                raise TourneyError("bracket.bye_fixed")
        case Replaced():
            _check_player(state, new.player)
            if new.by in state.seeds:
                raise TourneyError("bracket.player_twice", player=new.by)
            _check_not_started(spec, state, state.seeds.index(new.player) + 1)
        case Cut():
            _check_reason(new.reason)
            if not cut_matches(spec, state, new.scope):
                raise TourneyError("bracket.nothing_to_cut")
        case Retracted():
            if not 0 <= new.number < len(facts):
                raise TourneyError("bracket.unknown_fact", fact=new.number)
            _check_reason(new.reason)


def cut_matches(spec: BracketSpec, state: BracketState, scope: CutScope) -> list[MatchView]:
    """Return the matches that would not be played if the bracket were cut short now."""
    return [
        view
        for key, view in state.matches.items()
        if view.status not in SETTLED and (scope is CutScope.EVERYTHING or spec.by_key[key].places_open.first > 1)
    ]


def locked(view: MatchView) -> TourneyError:
    """Return why nobody can play a locked match yet."""
    known = view.a is not None and view.b is not None
    return TourneyError("bracket.table_waits" if known else "bracket.match_locked", match=view.key)


def _check_open(view: MatchView) -> None:
    if view.status is MatchStatus.CUT:
        raise TourneyError("bracket.cut_short", match=view.key)
    if view.status is MatchStatus.LOCKED:
        raise locked(view)
    if view.status in SETTLED:
        raise TourneyError("bracket.match_settled", match=view.key)


def _check_recorded(state: BracketState, spec: BracketSpec, key: str) -> MatchView:
    view = state.matches[spec.match(key).key]
    if view.status is MatchStatus.CUT:
        raise TourneyError("bracket.cut_short", match=view.key)
    if view.status not in (MatchStatus.DONE, MatchStatus.WALKOVER):
        raise TourneyError("bracket.match_open", match=key)
    if view.how in (How.OPPONENT_LEFT, How.BOTH_LEFT):
        raise TourneyError("bracket.automatic_result", match=key)
    return view


def _check_reason(reason: str) -> None:
    if not reason.strip():
        raise TourneyError("bracket.reason_needed")


def _check_player(state: BracketState, player: EntryId) -> None:
    if player not in state.seeds:
        raise TourneyError("bracket.unknown_player", player=player)


def _check_not_started(spec: BracketSpec, state: BracketState, seed: int) -> None:
    """A seed is free to move until its first match against a real player is decided."""
    view = state.matches[spec.seed_targets[seed].match]
    if view.status is MatchStatus.CUT:
        raise TourneyError("bracket.cut_short", match=view.key)
    if view.status in (MatchStatus.DONE, MatchStatus.WALKOVER):
        raise TourneyError("bracket.already_played", match=view.key, seed=seed)
    player = state.seeds[seed - 1]
    if view.status is MatchStatus.BYE and player is not None:
        later = [other for other in state.matches.values() if player in (other.a, other.b) and other.winner is not None]
        for other in later:
            if other.a is not BYE and other.b is not BYE:
                raise TourneyError("bracket.already_played", match=other.key, seed=seed)
