"""Build a bracket from a few parameters.

The default is double elimination with one final and a match for every place: 96 matches for 32 players. Variants:
return of the lower bracket's survivors to the upper one when 4, 8, 16 … are left (then one knock-out), no second
chance at all (`return_at` = `size`), a second final, an advantage in the final, fewer placement matches, small bands
as little tables in which everybody plays everybody.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from brackets.engine import orders
from brackets.engine.topology import (
    Bracket,
    BracketSpec,
    LoserOf,
    MatchSpec,
    Places,
    Seed,
    Side,
    SideOf,
    Source,
    TableSpec,
    Target,
    Ties,
    WinnerOf,
)
from tourney.kernel.errors import RuleError
from tourney.kernel.ids import MatchKey

SIZES: Final = (4, 8, 16, 32, 64, 128)
Final_ = Literal["single", "reset", "advantage"]
FINALS: Final[tuple[Final_, ...]] = ("single", "reset", "advantage")
# A table of nine would take more rounds than the day has.
TABLE_SIZES: Final = (0, 3, 4, 5, 6, 7, 8)
_BRACKET_ORDER: Final = (Bracket.UPPER, Bracket.LOWER, Bracket.KNOCKOUT, Bracket.PLACE, Bracket.FINAL)


@dataclass(frozen=True)
class BracketParams:
    """What an organizer chooses.

    `return_at`: so many players are left when the lower bracket's survivors return (2: only in the final; `size`: no
    second chance). `places`: the last place that is played out (None: all; 2: none but the bracket's own).
    `drop_in`: a named order, or for each lower round with droppers which upper match each of its matches takes the
    loser of. `placement_order`: for each placement block (``"P17"``) the order its players stand in. `table_up_to`: a
    band with at most so many players is a little table (0: never; two play one match anyway); `table_ties`: who stands
    first there if neither the matches won nor those between the players part them.
    """

    size: int = 32
    return_at: int = 2
    final: Final_ = "single"
    places: int | None = None
    drop_in: str | Mapping[str, Sequence[int]] = "tourney"
    placement_order: Mapping[str, Sequence[int]] = field(default_factory=dict)
    return_order: Sequence[int] | None = None
    table_up_to: int = 0
    table_ties: Ties = Ties.SEED

    def __post_init__(self) -> None:
        if self.size not in SIZES:
            raise RuleError("size", "rule.not_one_of", value=self.size, allowed=list(SIZES))
        allowed = [2**n for n in range(1, self.size.bit_length()) if 2**n <= self.size // 2 or 2**n == self.size]
        if self.return_at not in allowed:
            raise RuleError("return_at", "rule.not_one_of", value=self.return_at, allowed=allowed)
        if self.final not in FINALS:
            raise RuleError("final", "rule.not_one_of", value=self.final, allowed=list(FINALS))
        if self.final != "single" and self.return_at != 2:
            # After the return both finalists come from one knock-out, nobody has a life to spare.
            raise RuleError("final", "bracket.final_needs_lower_bracket", value=self.final)
        if self.places is not None and not 2 <= self.places <= self.size:
            raise RuleError("places", "rule.out_of_range", got=self.places, low=2, high=self.size)
        if isinstance(self.drop_in, str) and self.drop_in not in orders.NAMES:
            raise RuleError("drop_in", "rule.not_one_of", value=self.drop_in, allowed=list(orders.NAMES))
        if self.table_up_to not in TABLE_SIZES:
            raise RuleError("table_up_to", "rule.not_one_of", value=self.table_up_to, allowed=list(TABLE_SIZES))

    @property
    def has_second_chance(self) -> bool:
        return self.return_at < self.size


def build(params: BracketParams, players: int | None = None) -> BracketSpec:
    """Return the bracket with these parameters; RuleError if an explicit order doesn't fit.

    `players` (default: all seeds are taken) matters for little tables alone: they are made for the players who really
    come to a band, and byes take the last places there.
    """
    draft = _Draft(params, params.size if players is None else players)
    if params.has_second_chance:
        draft.second_chance()
    else:
        draft.block("K", f"K{params.size}", Bracket.KNOCKOUT, draft.seeds(), 1)
    draft.check_names()
    return BracketSpec(params.size, draft.finished(), tuple(draft.tables))


@dataclass
class _Row:
    """A match while the graph is still growing."""

    bracket: Bracket
    stage: str
    a: Source
    b: Source
    second_final_of: MatchKey | None = None
    advantage: Side | None = None
    table: str = ""


class _Draft:
    def __init__(self, params: BracketParams, players: int) -> None:
        self.params = params
        self.players = players
        self.tables: list[TableSpec] = []
        self.real: dict[Source, bool] = {}
        self.last_place = params.places or params.size
        self.rows: dict[MatchKey, _Row] = {}
        self.sinks: dict[Source, Places] = {}
        self.orders_used: set[str] = set()

    def seeds(self) -> list[Source]:
        return [Seed(number) for number in orders.first_round(self.params.size)]

    def round(self, name: str, stage: str, bracket: Bracket, pairs: Sequence[tuple[Source, Source]]) -> list[MatchKey]:
        """Add the matches ``name.1``, ``name.2`` … and return their keys."""
        keys = []
        for number, (a, b) in enumerate(pairs, start=1):
            key = MatchKey(f"{name}.{number}")
            self.rows[key] = _Row(bracket, stage, a, b)
            keys.append(key)
        return keys

    def second_chance(self) -> None:
        """Add the upper and lower bracket up to the final or the return, and the placement blocks."""
        size = self.params.size
        upper = self.round("U1", "U1", Bracket.UPPER, _pairs(self.seeds()))
        lower = self.round("L1", "L1", Bracket.LOWER, _pairs([LoserOf(key) for key in upper]))
        next_place = self.placement(lower, size)
        number = 1
        while len(upper) > self.params.return_at // 2:
            upper = self.round(
                f"U{number + 1}", f"U{number + 1}", Bracket.UPPER, _pairs([WinnerOf(key) for key in upper])
            )
            name = f"L{2 * number}"
            order = self.drop_in(name, len(upper))
            pairs: list[tuple[Source, Source]] = [
                (WinnerOf(key), LoserOf(upper[index - 1])) for key, index in zip(lower, order, strict=True)
            ]
            lower = self.round(name, name, Bracket.LOWER, pairs)
            next_place = self.placement(lower, next_place)
            if len(upper) > self.params.return_at // 2:
                name = f"L{2 * number + 1}"
                lower = self.round(name, name, Bracket.LOWER, _pairs([WinnerOf(key) for key in lower]))
                next_place = self.placement(lower, next_place)
            number += 1
        if self.params.return_at == 2:
            self.final(WinnerOf(upper[0]), WinnerOf(lower[0]))
        else:
            self.knockout(upper, lower)

    def drop_in(self, name: str, count: int) -> tuple[int, ...]:
        chosen = self.params.drop_in
        if isinstance(chosen, str):
            return orders.drop_in(chosen, self.params.size, name, count)
        self.orders_used.add(name)
        if name not in chosen:
            return orders.drop_in("tourney", self.params.size, name, count)
        return _permutation(chosen[name], count, f"drop_in.{name}")

    def placement(self, lower: Sequence[MatchKey], last: int) -> int:
        """Add the matches for the places up to `last` between the losers of a lower round; return the next place."""
        first = last - len(lower) + 1
        name = f"P{first}"
        if len(lower) > 1 and first <= self.last_place:
            self.orders_used.add(name)
        if name in self.params.placement_order:
            order = _permutation(self.params.placement_order[name], len(lower), f"placement_order.{name}")
        else:
            preset = self.params.drop_in if isinstance(self.params.drop_in, str) else "tourney"
            order = orders.placement(preset, self.params.size, name, len(lower))
        self.block(name, name, Bracket.PLACE, [LoserOf(lower[index - 1]) for index in order], first)
        return first - 1

    def block(self, name: str, stage: str, bracket: Bracket, sources: Sequence[Source], first: int) -> None:
        """Play out the places from `first` between these; who would play for places after the last played one ties."""
        if len(sources) == 1 or first > self.last_place:
            for source in sources:
                self.sinks[source] = Places(first, first + len(sources) - 1)
            return
        if first > 1 and self.params.table_up_to:
            real = [source for source in sources if self.is_real(source)]
            if 3 <= len(real) <= self.params.table_up_to:
                self.table(name, stage, bracket, real, first)
                byes = [source for source in sources if source not in real]
                for place, source in enumerate(byes, start=first + len(real)):
                    self.sinks[source] = Places(place, place)
                return
        keys = self.round(name, stage, bracket, _pairs(sources))
        self.block(f"{name}u", stage, bracket, [WinnerOf(key) for key in keys], first)
        self.block(f"{name}d", stage, bracket, [LoserOf(key) for key in keys], first + len(keys))

    def is_real(self, source: Source) -> bool:
        """Whether a player comes from there, not a bye; that doesn't depend on results."""
        if source not in self.real:
            match source:
                case Seed(number):
                    self.real[source] = number <= self.players
                case WinnerOf(key):
                    self.real[source] = self.is_real(self.rows[key].a) or self.is_real(self.rows[key].b)
                case LoserOf(key):
                    self.real[source] = self.is_real(self.rows[key].a) and self.is_real(self.rows[key].b)
                case SideOf(key, side):
                    self.real[source] = self.is_real(self.rows[key].a if side is Side.A else self.rows[key].b)
        return self.real[source]

    def table(self, name: str, stage: str, bracket: Bracket, sources: Sequence[Source], first: int) -> None:
        """Add the matches of a little table, round after round; a player's next match waits for the one before."""
        here: list[Source] = list(sources)
        members: dict[int, Target] = {}
        keys: list[MatchKey] = []
        for pair in _everybody_once(len(sources)):
            key = MatchKey(f"{name}.{len(keys) + 1}")
            keys.append(key)
            self.rows[key] = _Row(bracket, stage, here[pair[0]], here[pair[1]], table=name)
            for number, side in zip(pair, Side, strict=True):
                members.setdefault(number, Target(key, side))
                here[number] = SideOf(key, side)
        places = Places(first, first + len(sources) - 1)
        self.tables.append(
            TableSpec(name, tuple(members[n] for n in sorted(members)), tuple(keys), places, self.params.table_ties)
        )

    def knockout(self, upper: Sequence[MatchKey], lower: Sequence[MatchKey]) -> None:
        chosen = self.params.return_order
        if chosen is None:
            order = orders.return_order(self.params.size, len(upper))
        else:
            order = _permutation(chosen, len(upper), "return_order")
        sources: list[Source] = []
        for key, index in zip(upper, order, strict=True):
            sources += [WinnerOf(key), WinnerOf(lower[index - 1])]
        self.block("K", f"K{self.params.return_at}", Bracket.KNOCKOUT, sources, 1)

    def final(self, upper: Source, lower: Source) -> None:
        first = MatchKey("GF.1")
        advantage = Side.A if self.params.final == "advantage" else None
        self.rows[first] = _Row(Bracket.FINAL, "GF", upper, lower, advantage=advantage)
        last = first
        if self.params.final == "reset":
            last = MatchKey("GF.2")
            self.rows[last] = _Row(Bracket.FINAL, "GF", LoserOf(first), WinnerOf(first), second_final_of=first)
        self.sinks[WinnerOf(last)] = Places(1, 1)
        self.sinks[LoserOf(last)] = Places(2, 2)

    def check_names(self) -> None:
        """Refuse orders for rounds that this bracket hasn't got: a typing error must not pass unseen."""
        for path, chosen in (("drop_in", self.params.drop_in), ("placement_order", self.params.placement_order)):
            for name in () if isinstance(chosen, str) else chosen:
                if name not in self.orders_used:
                    raise RuleError(f"{path}.{name}", "bracket.no_such_round", round=name)

    def finished(self) -> tuple[MatchSpec, ...]:
        """Return the matches with slots, ways out and open places, numbered in order of time."""
        targets: dict[Source, Target] = {}
        slots: dict[MatchKey, int] = {}
        for key, row in self.rows.items():
            for side, source in ((Side.A, row.a), (Side.B, row.b)):
                targets[source] = Target(key, side)

        def slot(key: MatchKey) -> int:
            if key not in slots:
                row = self.rows[key]
                slots[key] = 1 + max(0 if isinstance(side, Seed) else slot(side.match) for side in (row.a, row.b))
            return slots[key]

        ordered = sorted(self.rows, key=lambda key: (slot(key), _BRACKET_ORDER.index(self.rows[key].bracket)))
        reach: dict[MatchKey, Places] = {key: table.places for table in self.tables for key in table.matches}
        for key in reversed(ordered):
            if self.rows[key].table:
                continue
            ways = [
                reach[targets[way].match] if way in targets else self.sinks[way]
                for way in (WinnerOf(key), LoserOf(key))
            ]
            reach[key] = Places(min(way.first for way in ways), max(way.last for way in ways))
        return tuple(
            MatchSpec(
                key=key,
                number=number,
                bracket=(row := self.rows[key]).bracket,
                stage=row.stage,
                slot=slots[key],
                a=row.a,
                b=row.b,
                winner_to=targets.get(WinnerOf(key)),
                loser_to=targets.get(LoserOf(key)),
                winner_place=self.sinks.get(WinnerOf(key)),
                loser_place=self.sinks.get(LoserOf(key)),
                places_open=reach[key],
                second_final_of=row.second_final_of,
                advantage=row.advantage,
                table=row.table,
                a_to=targets.get(SideOf(key, Side.A)),
                b_to=targets.get(SideOf(key, Side.B)),
            )
            for number, key in enumerate(ordered, start=1)
        )


def _pairs(sources: Sequence[Source]) -> list[tuple[Source, Source]]:
    return list(zip(sources[::2], sources[1::2], strict=True))


def _everybody_once(players: int) -> list[tuple[int, int]]:
    """Return the pairs of a round robin, round after round, counted from 0: the first stays, the others go round."""
    circle = list(range(players + players % 2))  # with an odd number the last one is nobody: a round of rest
    pairs = []
    for _ in range(len(circle) - 1):
        for a, b in zip(circle[: len(circle) // 2], reversed(circle), strict=False):
            if max(a, b) < players:
                pairs.append((a, b))
        circle = [circle[0], circle[-1], *circle[1:-1]]
    return pairs


def _permutation(numbers: Sequence[int], count: int, path: str) -> tuple[int, ...]:
    if sorted(numbers) != list(range(1, count + 1)):
        raise RuleError(path, "bracket.not_an_order", count=count, value=list(numbers))
    return tuple(numbers)
