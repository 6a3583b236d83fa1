"""The stage block of a regulation, read into what the engine needs; every error names its path.

::

    kind = "bracket"
    size = 32                    # or "fit": the smallest bracket with a seed for everybody
    return_at = 2                # only in the final; 4, 8, 16 …: when so many are left; "never": no second chance
    final = "single"
    places = "all"               # "none", or the last place that is played out
    drop_in = "tourney"          # a named order, or a table: L2 = [4, 3, 2, 1, …]
    placement_order = { P17 = [1, 2, 7, 8, 3, 4, 5, 6] }
    table_up_to = 4              # bands of at most so many players are little tables: everybody against everybody
    table_ties = "seed"          # or "shared": who is level there even by the matches between the players
    minimum_matches = 5          # a promise the proof is checked against
    match = "blitz"              # a name in match_formats
    final_match = "blitz"        # another format for the final
    left_place = "keep"
    disqualified_place = "move_up"
    rest_minutes = 5
    seeding = { method = "rank_pots", ranks = ["KMS", "1", "2"], apart = ["club"] }
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from brackets.engine import orders
from brackets.engine.build import FINALS, SIZES, TABLE_SIZES, BracketParams, build
from brackets.engine.match_format import MatchFormat, RoundRobinPhase, parse_formats
from brackets.engine.placings import DisqualifiedPlace, LeftPlace
from brackets.engine.proof import Proof, prove
from brackets.engine.seeding import SeedingMethod, SeedingRules
from brackets.engine.topology import BracketSpec, Ties
from tourney.kernel.errors import RuleError, TourneyError
from tourney.kernel.node import Node
from tourney.kernel.systems import fits


@dataclass(frozen=True)
class StageRules:
    """Everything a regulation says about a bracket stage. When `size_fits`, `params` are those of the largest size."""

    params: BracketParams
    size_fits: bool
    seeding: SeedingRules
    match_format: MatchFormat
    final_format: MatchFormat
    minimum_matches: int
    left_place: LeftPlace
    disqualified_place: DisqualifiedPlace
    rest_minutes: int

    def params_for(self, players: int) -> BracketParams:
        """Return the parameters for a head-count; TourneyError ``bracket.too_many_players`` / ``too_few_players``."""
        size = size_for(players) if self.size_fits else self.params.size
        if players > size:
            raise TourneyError("bracket.too_many_players", players=players, size=size)
        if players < 2:
            raise TourneyError("bracket.too_few_players", players=players)
        if size == self.params.size:
            return self.params
        places = self.params.places and min(self.params.places, size)
        # A return that a smaller bracket hasn't got comes as early as the smaller bracket allows.
        return_at = min(self.params.return_at, max(2, size // 2)) if self.params.has_second_chance else size
        return replace(self.params, size=size, places=places, return_at=return_at)

    def build_for(self, players: int) -> BracketSpec:
        """Return the bracket for a head-count."""
        return build(self.params_for(players), players)

    def format_of(self, bracket: str) -> MatchFormat:
        """Return the format of matches of a part of the event (``"final"`` may have its own)."""
        return self.final_format if bracket == "final" else self.match_format


@dataclass(frozen=True, slots=True)
class Promise:
    """Whether the promised least number of matches is kept: for how many seeds not, and what is certain instead."""

    promised: int
    least: int
    seeds_below: tuple[int, ...]

    @property
    def is_kept(self) -> bool:
        return not self.seeds_below


def check_promise(rules: StageRules, players: int, proof: Proof | None = None) -> Promise:
    """Return whether everybody is sure of the promised number of matches with so many players."""
    proof = proof or prove(rules.build_for(players), players)
    below = tuple(seed for seed, span in proof.by_seed.items() if span.least < rules.minimum_matches)
    return Promise(rules.minimum_matches, proof.per_player.least, below)


def size_for(players: int) -> int:
    """Return the smallest bracket with a seed for everybody; the largest if there is none."""
    return next((size for size in SIZES if size >= players), SIZES[-1])


def parse_stage(data: Any, formats: Mapping[str, MatchFormat], path: str = "stage") -> StageRules:
    """Return the rules of a stage of kind ``bracket``; RuleError with the exact path of what is wrong."""
    node = Node(data, path)
    node.choice("kind", ("bracket",))
    if node.has("when"):
        fits(node.raw("when"), 0, node.at("when"))  # read for its errors only: who plays what is chosen elsewhere
    size_fits = node.raw("size") == "fit"
    size = SIZES[-1] if size_fits else node.integer("size", 32)
    match_format = _format(node, "match", formats)
    final_format = _format(node, "final_match", formats) if node.has("final_match") else match_format
    rules = StageRules(
        params=_params(node, size),
        size_fits=size_fits,
        seeding=_seeding(node.node("seeding")),
        match_format=match_format,
        final_format=final_format,
        minimum_matches=node.integer("minimum_matches", 0, low=0),
        left_place=node.choice("left_place", LeftPlace, LeftPlace.KEEP),
        disqualified_place=node.choice("disqualified_place", DisqualifiedPlace, DisqualifiedPlace.MOVE_UP),
        rest_minutes=node.integer("rest_minutes", 0, low=0),
    )
    node.finish()
    return rules


def _format(node: Node, key: str, formats: Mapping[str, MatchFormat]) -> MatchFormat:
    name = node.text(key)
    if name not in formats:
        raise node.fail(key, "match.unknown_format", got=name, known=sorted(formats))
    if isinstance(formats[name].phases[0], RoundRobinPhase):
        raise node.fail(key, "match.format_for_three", got=name)
    return formats[name]


def _params(node: Node, size: int) -> BracketParams:
    places = node.raw("places")
    last_place: int | None
    if places in (None, "all"):
        last_place = None
    else:
        last_place = 2 if places == "none" else node.integer("places", low=2, high=size)
    drop_in: str | dict[str, tuple[int, ...]]
    if isinstance(node.raw("drop_in"), Mapping):
        drop_in = _orders(node.node("drop_in"))
    else:
        drop_in = node.choice("drop_in", orders.NAMES, "tourney")
    if node.raw("size") == "fit":
        for key in ("placement_order", "return_order", *(("drop_in",) if not isinstance(drop_in, str) else ())):
            if node.has(key):
                raise node.fail(key, "bracket.order_needs_size")
    return_at = size if node.raw("return_at") == "never" else node.integer("return_at", 2)
    final = node.choice("final", FINALS, "single")
    placement_order = _orders(node.node("placement_order"))
    return_order = node.integers("return_order", low=1) if node.has("return_order") else None
    table_up_to = node.integer("table_up_to", 0, low=0, high=TABLE_SIZES[-1])
    table_ties = node.choice("table_ties", Ties, Ties.SEED)
    try:
        params = BracketParams(
            size, return_at, final, last_place, drop_in, placement_order, return_order, table_up_to, table_ties
        )
        build(params)
    except RuleError as error:
        # The builder knows the names of its parameters; here they get their path in the regulation.
        values = {key: value for key, value in error.values.items() if key != "path"}
        raise RuleError(node.at(error.path), error.code, **values) from None
    return params


def _orders(node: Node) -> dict[str, tuple[int, ...]]:
    found = {name: node.integers(name, low=1) for name in node.value}
    node.finish()
    return found


def _seeding(node: Node) -> SeedingRules:
    method = node.choice("method", SeedingMethod, SeedingMethod.FOLD)
    ranks = node.texts("ranks", ())
    if method is SeedingMethod.RANK_POTS and not ranks:
        raise node.fail("ranks", "rule.missing")
    if len(set(ranks)) != len(ranks):
        raise node.fail("ranks", "rule.twice", got=", ".join(ranks))
    apart = node.texts("apart", ())
    node.finish()
    return SeedingRules(method, ranks, apart)


def parse_regulation_stage(regulation: Mapping[str, Any], data: Any, path: str) -> StageRules:
    """Return the rules of a bracket stage together with the match formats of its regulation."""
    return parse_stage(data, parse_formats(regulation.get("match_formats", {})), path)
