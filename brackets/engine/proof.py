"""What is certain about a bracket before the first game: counted on the graph, over every possible course of the event.

A player's way depends on nothing but his own results (win or lose, each match anew), so least and most matches come
from going through all ways at once, from the last match backwards. Two players can meet again if one of the ways of a
match's winner and one of the ways of its loser end on the two sides of one match; the earliest such match is exact,
because ways that crossed sooner would be a meeting sooner. Byes go a way that doesn't depend on results, so all of it
holds for any number of players.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from brackets.engine.topology import BracketSpec, LoserOf, MatchSpec, Places, Seed, Side, SideOf, Target, WinnerOf
from tourney.kernel.errors import TourneyError
from tourney.kernel.ids import MatchKey


class Span(NamedTuple):
    """Least and most of something."""

    least: int
    most: int

    def after(self, played: int) -> Span:
        """Return the span with so many matches more."""
        return Span(self.least + played, self.most + played)


def _joined(spans: Iterable[Span]) -> Span:
    listed = list(spans)
    return Span(min(span.least for span in listed), max(span.most for span in listed))


@dataclass(frozen=True, slots=True)
class Proof:
    """The promises of a bracket for a number of players."""

    size: int
    players: int
    matches: Span  # that are really played (a second final is played or not)
    slots: int
    per_player: Span
    by_seed: Mapping[int, Span]
    by_place: Mapping[Places, Span]
    places: tuple[Places, ...]  # every band decided, best first
    bye_places: tuple[Places, ...]
    each_place_once: bool
    each_way_once: bool  # every way out of a match leads to one side of one match, or decides a place
    below_five: tuple[int, ...]  # seeds whose least is under five matches
    rematch_slot: int | None  # earliest time slot in which two players can meet again
    rematch_matches: tuple[MatchKey, ...]  # the matches of that slot where they can

    def as_json(self) -> dict[str, Any]:
        """Return the proof as plain data."""
        return {
            "size": self.size,
            "players": self.players,
            "matches": {"least": self.matches.least, "most": self.matches.most},
            "slots": self.slots,
            "matches_per_player": {"least": self.per_player.least, "most": self.per_player.most},
            "by_seed": {str(seed): list(span) for seed, span in self.by_seed.items()},
            "by_place": {_places_text(places): list(span) for places, span in sorted(self.by_place.items())},
            "places": [_places_text(places) for places in self.places],
            "bye_places": [_places_text(places) for places in self.bye_places],
            "each_place_once": self.each_place_once,
            "each_way_once": self.each_way_once,
            "seeds_below_five": list(self.below_five),
            "earliest_rematch_slot": self.rematch_slot,
            "earliest_rematch_matches": list(self.rematch_matches),
        }


def _places_text(places: Places) -> str:
    return str(places.first) if places.first == places.last else f"{places.first}-{places.last}"


@dataclass(frozen=True, slots=True)
class _Sides:
    """Whether a real player comes to each side of a match (a bye otherwise); it doesn't depend on results."""

    a: bool
    b: bool

    @property
    def real(self) -> bool:
        return self.a and self.b


def real_sides(spec: BracketSpec, players: int) -> dict[MatchKey, _Sides]:
    """Return for every match which sides get a real player when the seeds after `players` are byes."""
    found: dict[MatchKey, _Sides] = {}
    for match in spec.matches:
        sides = []
        for source in (match.a, match.b):
            match source:
                case Seed(number):
                    sides.append(number <= players)
                case WinnerOf(key):
                    sides.append(found[key].a or found[key].b)
                case LoserOf(key):
                    sides.append(found[key].real)
                case SideOf(key, side):
                    sides.append(found[key].a if side is Side.A else found[key].b)
        found[match.key] = _Sides(*sides)
    return found


Way = Target | Places


def ways_out(match: MatchSpec, spec: BracketSpec, side: Side) -> tuple[Way, Way]:
    """Return where the winner and the loser go if it is the player on `side` who wins or loses.

    The side matters before a second final, where the upper finalist's win ends the event, and in a little table, where
    both go on to their next match whatever the result, and at its end to the table's places.
    """
    win: Way | None = match.winner_to or match.winner_place
    lose: Way | None = match.loser_to or match.loser_place
    if match.winner_to is not None:
        second = spec.by_key[match.winner_to.match]
        if second.second_final_of == match.key:
            win = second.winner_place if side is Side.A else win
            lose = second.loser_place if side is Side.B else lose
    if match.table:
        after: Way = (match.a_to if side is Side.A else match.b_to) or match.places_open
        return after, after
    if win is None or lose is None:
        raise TourneyError("bracket.way_leads_nowhere", match=match.key)
    return win, lose


def prove(spec: BracketSpec, players: int | None = None) -> Proof:
    """Return what is certain about a bracket for a number of players (default: all seeds taken)."""
    count = spec.size if players is None else players
    if not 2 <= count <= spec.size:
        code = "bracket.too_many_players" if count > spec.size else "bracket.too_few_players"
        raise TourneyError(code, players=count, size=spec.size)
    sides = real_sides(spec, count)
    real = frozenset(key for key, both in sides.items() if both.real)
    ahead = matches_ahead(spec, real)
    by_seed = {number: ahead[spec.seed_targets[number]] for number in range(1, count + 1)}
    bands, bye_bands = _bands(spec, sides)
    second = sum(1 for match in spec.matches if match.second_final_of and match.key in real)
    slot, again = _earliest_rematch(spec, real)
    return Proof(
        size=spec.size,
        players=count,
        matches=Span(len(real) - second, len(real)),
        slots=_slots(spec, real),
        per_player=_joined(by_seed.values()),
        by_seed=by_seed,
        by_place=_by_place(spec, real, count),
        places=bands,
        bye_places=bye_bands,
        each_place_once=_each_place_once(spec.size, (*bands, *bye_bands)),
        each_way_once=_each_way_once(spec),
        below_five=tuple(seed for seed, span in by_seed.items() if span.least < 5),
        rematch_slot=slot,
        rematch_matches=again,
    )


def matches_ahead(
    spec: BracketSpec, real: frozenset[MatchKey], stopped: frozenset[MatchKey] = frozenset()
) -> dict[Target, Span]:
    """Return for a player on any side of any match how many real matches he still has, that one included.

    At a match that is `stopped` (the bracket was cut short) everybody's way ends.
    """
    ahead: dict[Target, Span] = {}

    def of(way: Way) -> Span:
        return ahead[way] if isinstance(way, Target) else Span(0, 0)

    for match in reversed(spec.matches):
        for side in Side:
            if match.key in stopped:
                ahead[Target(match.key, side)] = Span(0, 0)
                continue
            win, lose = ways_out(match, spec, side)
            # Against a bye there is no match and only one way: the winner's.
            ahead[Target(match.key, side)] = _joined((of(win), of(lose))).after(1) if match.key in real else of(win)
    return ahead


def _by_place(spec: BracketSpec, real: frozenset[MatchKey], players: int) -> dict[Places, Span]:
    """Return for each band of places how many matches the player who ends there has played."""
    done: dict[Target, Span] = {spec.seed_targets[number]: Span(0, 0) for number in range(1, players + 1)}
    found: dict[Places, Span] = {}
    for match in spec.matches:
        for side in Side:
            here = done.get(Target(match.key, side))
            if here is None:
                continue
            ways = ways_out(match, spec, side)
            played = here.after(1) if match.key in real else here
            for way in ways if match.key in real else ways[:1]:
                if isinstance(way, Target):
                    done[way] = _joined((done[way], played)) if way in done else played
                else:
                    found[way] = _joined((found[way], played)) if way in found else played
    return found


def _bands(spec: BracketSpec, sides: Mapping[MatchKey, _Sides]) -> tuple[tuple[Places, ...], tuple[Places, ...]]:
    """Return the places decided by real players and those that byes sink to, one entry for each who ends there."""
    people: list[Places] = []
    byes: list[Places] = []
    for match in spec.matches:
        here = sides[match.key]
        for place, somebody in ((match.winner_place, here.a or here.b), (match.loser_place, here.real)):
            if place is not None:
                (people if somebody else byes).append(place)
    for table in spec.tables:
        there = sum(1 for key, side in table.members if (sides[key].a if side is Side.A else sides[key].b))
        played_for = range(table.places.first, table.places.last + 1)
        people += [Places(number, number) for number in played_for[:there]]
        byes += [Places(number, number) for number in played_for[there:]]
    return tuple(sorted(people)), tuple(sorted(byes))


def _each_place_once(size: int, bands: tuple[Places, ...]) -> bool:
    """Whether the bands cover 1…size without a gap, and as many end in each band as it has places."""
    ends = {band: bands.count(band) for band in bands}
    next_place = 1
    for band in sorted(ends):
        if band.first != next_place or ends[band] != band.last - band.first + 1:
            return False
        next_place = band.last + 1
    return next_place == size + 1


def _each_way_once(spec: BracketSpec) -> bool:
    """Whether the ways out of all matches and the seeds fill every side exactly once and agree with its sources."""
    entered: list[Target] = list(spec.seed_targets.values())
    for match in spec.matches:
        if match.table:
            for side, way in ((Side.A, match.a_to), (Side.B, match.b_to)):
                if way is not None:
                    if spec.by_key[way.match].source(way.side) != SideOf(match.key, side):
                        return False
                    entered.append(way)
            continue
        for way, place, source in (
            (match.winner_to, match.winner_place, WinnerOf(match.key)),
            (match.loser_to, match.loser_place, LoserOf(match.key)),
        ):
            if (way is None) == (place is None):
                return False
            if way is not None:
                if spec.by_key[way.match].source(way.side) != source:
                    return False
                entered.append(way)
    every = {Target(match.key, side) for match in spec.matches for side in Side}
    return len(entered) == len(every) and set(entered) == every and len(spec.seed_targets) == spec.size


def place_bounds(spec: BracketSpec, real: frozenset[MatchKey]) -> dict[Target, Places]:
    """Return the best and the worst place of a player on any side of any match."""
    bounds: dict[Target, Places] = {}
    for match in reversed(spec.matches):
        for side in Side:
            win, lose = ways_out(match, spec, side)
            ways = (win, lose) if match.key in real else (win,)
            found = [bounds[way] if isinstance(way, Target) else way for way in ways]
            bounds[Target(match.key, side)] = Places(
                min(band.first for band in found), max(band.last for band in found)
            )
    return bounds


def _slots(spec: BracketSpec, real: frozenset[MatchKey]) -> int:
    """Return the slots needed when matches without play take no time."""
    slot: dict[MatchKey, int] = {}
    for match in spec.matches:
        feeders = [slot[source.match] for source in (match.a, match.b) if not isinstance(source, Seed)]
        slot[match.key] = max(feeders, default=0) + (1 if match.key in real else 0)
    return max(slot.values())


def _earliest_rematch(spec: BracketSpec, real: frozenset[MatchKey]) -> tuple[int | None, tuple[MatchKey, ...]]:
    """Return the earliest slot where a pair can meet for the second time, and in which matches."""
    reach = _reach(spec, real)
    again = {key for match in spec.matches if match.key in real for key in _meeting_again(spec, match, reach, real)}
    if not again:
        return None, ()
    slot = min(spec.by_key[key].slot for key in again)
    return slot, tuple(match.key for match in spec.matches if match.key in again and match.slot == slot)


def _reach(spec: BracketSpec, real: frozenset[MatchKey]) -> dict[Target, frozenset[Target]]:
    """Return for a player on any side of any match every side he can still come to, that one included."""
    reach: dict[Target, frozenset[Target]] = {}
    for match in reversed(spec.matches):
        for side in Side:
            here = Target(match.key, side)
            ways = ways_out(match, spec, side)
            found = {here}
            for way in ways if match.key in real else ways[:1]:
                if isinstance(way, Target):
                    found |= reach[way]
            reach[here] = frozenset(found)
    return reach


def _meeting_again(
    spec: BracketSpec, match: MatchSpec, reach: Mapping[Target, frozenset[Target]], real: frozenset[MatchKey]
) -> set[MatchKey]:
    found: set[MatchKey] = set()
    for winning in Side:
        win, _ = ways_out(match, spec, winning)
        _, lose = ways_out(match, spec, winning.other)
        if not isinstance(win, Target) or not isinstance(lose, Target):
            continue
        for key, side in reach[win]:
            if key in real and Target(key, side.other) in reach[lose]:
                found.add(key)
    return found
