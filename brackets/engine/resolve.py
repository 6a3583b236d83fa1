"""The state of a bracket: facts folded over the graph, once, in the graph's order.

Because every match comes after its feeders, one pass reaches the fixpoint: byes, players who left and the second final
settle by themselves, and a second pass would change nothing. So a bracket always ends, and every place is decided once.

A bracket that was cut short ends too: what isn't decided will not be played, and `cutting` shares its places. What was
won without play before counts as before; who leaves afterwards changes nothing there.

Rules for who goes which way without play: a bye loses to any player; a player who left loses to any player who is
there; of two who left the better seed goes the winner's way; a player who left beats a bye (so byes stay last); two
byes send a bye both ways. A result that was recorded stands whatever its players do later.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Final, Literal, NamedTuple

from brackets.engine.cutting import bounds_of, share
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
from brackets.engine.tables import members_of, ranked
from brackets.engine.topology import (
    BracketSpec,
    LoserOf,
    MatchSpec,
    Places,
    Side,
    SideOf,
    Source,
    TableSpec,
    WinnerOf,
)
from tourney.kernel.errors import TourneyError
from tourney.kernel.ids import EntryId, MatchKey


class _Bye(Enum):
    """The type of `BYE`."""

    BYE = "bye"

    def __repr__(self) -> str:
        return "BYE"


BYE: Final = _Bye.BYE
Occupant = EntryId | Literal[_Bye.BYE] | None  # None: not known yet


class MatchStatus(StrEnum):
    """What a match waits for."""

    LOCKED = "locked"  # a feeder is open; in a little table: a match before of one of the two
    READY = "ready"  # both players known and present
    DONE = "done"
    WALKOVER = "walkover"  # decided without play
    BYE = "bye"  # no game will ever be here
    NOT_NEEDED = "not_needed"
    CUT = "cut"  # the bracket was cut short: nobody plays here any more


SETTLED: Final = frozenset(
    {MatchStatus.DONE, MatchStatus.WALKOVER, MatchStatus.BYE, MatchStatus.NOT_NEEDED, MatchStatus.CUT}
)


class MatchView(NamedTuple):
    """One match as it stands. `winner` and `loser` are those who go the winner's and the loser's way.

    A tuple, because a hundred of them are made for every result.
    """

    key: MatchKey
    status: MatchStatus
    a: Occupant
    b: Occupant
    winner: Occupant = None
    loser: Occupant = None
    how: How | None = None
    played: bool = False
    on_paper: EntryId | None = None  # the true winner, if a wrong result was left standing
    rematch: bool = False  # these two have already met in a match that was decided

    @property
    def players(self) -> tuple[EntryId, ...]:
        """The real players known so far."""
        return tuple(side for side in (self.a, self.b) if side is not None and side is not BYE)

    @property
    def is_open(self) -> bool:
        return self.status is MatchStatus.READY


@dataclass(frozen=True, slots=True)
class BracketState:
    """Everything that follows from the facts."""

    matches: Mapping[MatchKey, MatchView]
    seeds: tuple[EntryId | None, ...]  # seed 1 first; None: bye
    places: Mapping[EntryId, Places]  # where players stand in the bracket, disqualified ones too
    bye_places: tuple[Places, ...]
    left: Mapping[EntryId, bool]  # who has left the event -> disqualified?
    stale: tuple[MatchKey, ...]  # matches whose recorded result belongs to another pair; empty unless facts contradict
    cut: CutScope | None = None  # what is not played any more

    @property
    def is_complete(self) -> bool:
        return all(view.status in SETTLED for view in self.matches.values())

    @property
    def open_matches(self) -> tuple[MatchView, ...]:
        return tuple(view for view in self.matches.values() if view.is_open)

    def match_of(self, player: EntryId) -> MatchView | None:
        """Return the one unsettled match the player is in, if any."""
        for view in self.matches.values():
            if view.status not in SETTLED and player in (view.a, view.b):
                return view
        return None

    def matches_played(self) -> dict[EntryId, int]:
        """Return how many matches each player has really played: no byes, no walkovers."""
        count = {player: 0 for player in self.seeds if player is not None}
        for view in self.matches.values():
            if view.played:
                for player in view.players:
                    count[player] += 1
        return count


@dataclass(slots=True)
class _Effect:
    """The facts that are in force, sorted by what they are about."""

    seeds: list[EntryId | None]
    results: dict[MatchKey, Result]
    on_paper: dict[MatchKey, EntryId]
    left: dict[EntryId, bool]
    cuts: list[tuple[Cut, frozenset[EntryId]]]  # with those who had left by then

    def cut_of(self, match: MatchSpec) -> frozenset[EntryId] | None:
        """Return who had left when a cut reached this match; None if none has."""
        for cut, left in self.cuts:
            if cut.scope is CutScope.EVERYTHING or match.places_open.first > 1:
                return left
        return None


def in_force(facts: Sequence[Fact]) -> list[Fact]:
    """Return the facts that were not taken back. A retraction can be taken back too."""
    gone: set[int] = set()
    for number in range(len(facts) - 1, -1, -1):
        fact = facts[number]
        if isinstance(fact, Retracted) and number not in gone:
            if not 0 <= fact.number < number:
                raise TourneyError("bracket.unknown_fact", fact=fact.number)
            gone.add(fact.number)
    return [fact for number, fact in enumerate(facts) if number not in gone and not isinstance(fact, Retracted)]


def _effect(size: int, seeds: Sequence[EntryId | None], facts: Sequence[Fact]) -> _Effect:
    if len(seeds) > size:
        raise TourneyError("bracket.too_many_players", players=len(seeds), size=size)
    order: list[EntryId | None] = [*seeds, *([None] * (size - len(seeds)))]
    effect = _Effect(order, {}, {}, {}, [])
    for fact in in_force(facts):
        match fact:
            case Result():
                effect.results[fact.match] = fact
                effect.on_paper.pop(fact.match, None)
            case Voided():
                effect.results.pop(fact.match, None)
                effect.on_paper.pop(fact.match, None)
            case OnPaper():
                effect.on_paper[fact.match] = fact.winner
            case Left():
                effect.left[fact.player] = fact.disqualified
            case Returned():
                effect.left.pop(fact.player, None)
            case SeedsSwapped(first, second):
                order[first - 1], order[second - 1] = order[second - 1], order[first - 1]
            case Replaced(player, by):
                if player not in order:
                    raise TourneyError("bracket.unknown_player", player=player)
                order[order.index(player)] = by
            case Cut():
                effect.cuts.append((fact, frozenset(effect.left)))
    real = [player for player in order if player is not None]
    if len(set(real)) != len(real):
        raise TourneyError("bracket.player_twice")
    return effect


def resolve(spec: BracketSpec, seeds: Sequence[EntryId | None], facts: Sequence[Fact]) -> BracketState:
    """Return the state of a bracket. `seeds` is in seed order; missing seeds are byes.

    Raises TourneyError ``bracket.too_many_players``, ``bracket.player_twice``, ``bracket.unknown_player``.
    """
    effect = _effect(spec.size, seeds, facts)
    rank = {player: number for number, player in enumerate(effect.seeds) if player is not None}
    views: dict[MatchKey, MatchView] = {}
    places: dict[EntryId, Places] = {}
    bye_places: list[Places] = []
    stale: list[MatchKey] = []
    met: set[frozenset[Occupant]] = set()
    for match in spec.matches:
        a = _occupant(match.a, effect.seeds, views)
        b = _occupant(match.b, effect.seeds, views)
        result = effect.results.get(match.key)
        view = _settle(match, a, b, result, effect, rank, views, spec)
        if result is not None and view.how is not result.how:
            stale.append(match.key)
        if a is not None and b is not None and view.status is not MatchStatus.BYE:
            pair = frozenset((a, b))
            on_paper = effect.on_paper.get(match.key) if view.how is not None else None
            if pair in met or on_paper is not None:
                view = view._replace(rematch=pair in met, on_paper=on_paper)
            if view.how is not None and view.how is not How.NOT_NEEDED:
                met.add(pair)
        views[match.key] = view
        if match.winner_place is not None and view.winner is not None:
            _place(match.winner_place, view.winner, places, bye_places)
        if match.loser_place is not None and view.loser is not None:
            _place(match.loser_place, view.loser, places, bye_places)
    for table in spec.tables:
        _place_table(table, views, rank, places, bye_places)
    cut = None
    if effect.cuts:
        cut = max((fact.scope for fact, _ in effect.cuts), key=lambda scope: scope is CutScope.EVERYTHING)
        places |= _shared_places(spec, effect, views, places, bye_places, rank)
    return BracketState(views, tuple(effect.seeds), places, tuple(bye_places), effect.left, tuple(stale), cut)


def _place_table(
    table: TableSpec,
    views: Mapping[MatchKey, MatchView],
    rank: Mapping[EntryId, int],
    places: dict[EntryId, Places],
    bye_places: list[Places],
) -> None:
    """Give the places of a little table once all its matches are decided; byes take the last ones."""
    here = [views[key] for key in table.matches]
    known = [views[key].a if side is Side.A else views[key].b for key, side in table.members]
    if None in known or any(view.how is None for view in here):
        return
    decided = [(view.winner, view.loser) for view in here if view.how is not How.BYE]
    pairs = [(winner, loser) for winner, loser in decided if isinstance(winner, int) and isinstance(loser, int)]
    place = table.places.first
    for level in ranked(members_of(table, views), pairs, rank, table.ties):
        places |= dict.fromkeys(level, Places(place, place + len(level) - 1))
        place += len(level)
    bye_places += [Places(number, number) for number in range(place, table.places.last + 1)]


def _shared_places(
    spec: BracketSpec,
    effect: _Effect,
    views: Mapping[MatchKey, MatchView],
    places: Mapping[EntryId, Places],
    bye_places: Sequence[Places],
    rank: Mapping[EntryId, int],
) -> dict[EntryId, Places]:
    """Return the places that follow from a cut: of everybody, or of each band whose players are all known."""
    cuts = [fact for fact, _ in effect.cuts]
    bands = [band for band in spec.bands if band.first > 1]
    # A later cut shares what is left by its own rule; places an earlier one has given stay.
    placement = next((cut for cut in cuts if cut.scope is CutScope.PLACEMENT), None)
    steps = [(bands, placement.ties)] if placement is not None else []
    if all(view.status in SETTLED for view in views.values()):
        steps.append(([Places(1, spec.size)], cuts[-1].ties))
    elif placement is None:
        steps.append((bands, cuts[-1].ties))
    found: dict[EntryId, Places] = {}
    for domains, ties in steps:
        known = {**places, **found}
        bounds = bounds_of(spec, views, known)
        for domain in domains:
            here = {player: band for player, band in bounds.items() if _inside(band, domain)}
            byes = [place for place in bye_places if _inside(place, domain)]
            if len(here) + len(byes) == domain.last - domain.first + 1:
                found |= share(domain, here, _defeats(spec, views), known, byes, rank, ties)
    return found


def _defeats(spec: BracketSpec, views: Mapping[MatchKey, MatchView]) -> dict[EntryId, int]:
    """Return how often each player went the loser's way; a little table is no such way."""
    lost: dict[EntryId, int] = {}
    for match in spec.matches:
        view = views[match.key]
        if not match.table and view.how not in (How.BYE, How.NOT_NEEDED) and isinstance(view.loser, int):
            lost[EntryId(view.loser)] = lost.get(EntryId(view.loser), 0) + 1
    return lost


def _inside(band: Places, domain: Places) -> bool:
    return domain.first <= band.first and band.last <= domain.last


def _occupant(source: Source, seeds: Sequence[EntryId | None], views: Mapping[MatchKey, MatchView]) -> Occupant:
    if isinstance(source, WinnerOf):
        return views[source.match].winner
    if isinstance(source, LoserOf):
        return views[source.match].loser
    if isinstance(source, SideOf):
        return views[source.match].a if source.side is Side.A else views[source.match].b
    player = seeds[source.number - 1]
    return BYE if player is None else player


def _place(place: Places, player: Occupant, places: dict[EntryId, Places], bye_places: list[Places]) -> None:
    if player is BYE:
        bye_places.append(place)
    elif player is not None:
        places[player] = place


def _settle(
    match: MatchSpec,
    a: Occupant,
    b: Occupant,
    result: Result | None,
    effect: _Effect,
    rank: Mapping[EntryId, int],
    views: Mapping[MatchKey, MatchView],
    spec: BracketSpec,
) -> MatchView:
    if a is BYE or b is BYE:
        # The loser is a bye even while the other side isn't known: nobody below has to wait for that.
        return MatchView(match.key, MatchStatus.BYE, a, b, b if a is BYE else a, BYE, How.BYE)
    cut_left = effect.cut_of(match) if effect.cuts else None
    if a is None or b is None:
        return MatchView(match.key, MatchStatus.LOCKED if cut_left is None else MatchStatus.CUT, a, b)
    if match.second_final_of is not None:
        first = views[match.second_final_of]
        if first.winner == first.a:
            return MatchView(match.key, MatchStatus.NOT_NEEDED, a, b, b, a, How.NOT_NEEDED)
    if result is not None and (a, b) in ((result.winner, result.loser), (result.loser, result.winner)):
        status = MatchStatus.DONE if result.played else MatchStatus.WALKOVER
        return MatchView(match.key, status, a, b, result.winner, result.loser, result.how, result.played)
    left = effect.left if cut_left is None else cut_left
    if a in left or b in left:
        both = a in left and b in left
        a_goes_on = rank[a] < rank[b] if both else b in left
        how = How.BOTH_LEFT if both else How.OPPONENT_LEFT
        return MatchView(match.key, MatchStatus.WALKOVER, a, b, a if a_goes_on else b, b if a_goes_on else a, how)
    if cut_left is not None:
        return MatchView(match.key, MatchStatus.CUT, a, b)
    waits = match.table and any(_plays_before(source, spec, views) for source in (match.a, match.b))
    return MatchView(match.key, MatchStatus.LOCKED if waits else MatchStatus.READY, a, b)


def _plays_before(source: Source, spec: BracketSpec, views: Mapping[MatchKey, MatchView]) -> bool:
    """Whether an earlier match of a player in his little table is open: nobody sits at two boards."""
    while isinstance(source, SideOf):
        if views[source.match].how is None:
            return True
        source = spec.by_key[source.match].source(source.side)
    return False


def side_of(view: MatchView, player: EntryId) -> Side:
    """Return the player's side; TourneyError ``bracket.not_in_match`` for anybody else."""
    if player == view.a:
        return Side.A
    if player == view.b:
        return Side.B
    raise TourneyError("bracket.not_in_match", match=view.key, player=player)
