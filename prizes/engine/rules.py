"""The blocks of a regulation this engine owns, read from plain data with the path of everything that is wrong.

| block | becomes |
|---|---|
| `stages[].options[].tie_breaks` | a checked order, points first (`parse_tie_breaks`) |
| `categories` | `CategoryRule`s, which prizes and awards may name |
| `prizes` | `PrizeList`s |
| `lotteries` | `Lottery`s |
| `awards` | `AwardRule`s |
| `fund` | `FundRules` |
| `playoff`, with `match_formats` | `PlayoffRules` |

What a text leaves open is a key with a default: `ties`, `unplayed`, `withdrawn`, `disqualified`, `level_again`,
`lower_places`, `absences_cut_first`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from prizes.engine.allocation import AwardRule, Base, PrizeList, Several, Ties, Unplayed
from prizes.engine.lottery import Lottery
from prizes.engine.playoff import ArmageddonPlan, PlayoffRules
from prizes.engine.shares import WHOLE
from prizes.engine.tiebreaks import EDITIONS, RankingOptions
from prizes.engine.tiebreaks.codes import SYSTEMS, Edition, System, parse_order
from tourney.kernel.categories import CategoryRule, check_known, overlap, parse_categories
from tourney.kernel.colors import Color
from tourney.kernel.errors import RuleError
from tourney.kernel.money import MINOR_UNITS
from tourney.kernel.node import Node
from tourney.kernel.regulation import RegulationSpec

THINGS = ("cup", "diploma", "medal", "book", "gift", "title")
FUND_SOURCES = ("fees", "sponsors", "subsidy", "other")
COLORS = ("lot", "lot_winner_chooses", "higher_rated_chooses", "lower_rated_chooses", "higher_rated_white")
POINTS = "PTS"


@dataclass(frozen=True, slots=True)
class FundRules:
    """Where the prize money comes from."""

    sources: tuple[str, ...] = ("fees",)


@dataclass(frozen=True, slots=True)
class RankingRules:
    """How one stage is ranked: everything `rank` needs beside the games."""

    order: tuple[str, ...]
    system: System
    edition: Edition | None  # None: by the date of the event
    unrated: int | None
    options: RankingOptions
    rating: str = ""  # which rating the rating tie-breaks take; empty: the one pairing goes by


@dataclass(frozen=True, slots=True)
class PrizeRules:
    """All blocks together."""

    categories: tuple[CategoryRule, ...]
    prizes: tuple[PrizeList, ...]
    lotteries: tuple[Lottery, ...]
    awards: tuple[AwardRule, ...]
    fund: FundRules
    playoff: PlayoffRules | None


def parse_tie_breaks(order: Sequence[str], system: System, path: str = "tie_breaks") -> tuple[str, ...]:
    """Return the canonical codes of a list, with the points put first where the list leaves them unsaid.

    Raises RuleError as `tiebreaks.parse_order`, with paths such as ``stages[0].options[1].tie_breaks[2]``.
    """
    if isinstance(order, str) or not isinstance(order, Sequence):
        raise RuleError(path, "rule.expected_list", got=type(order).__name__)
    codes = tuple(tiebreak.code for tiebreak in parse_order(order, system, path)) if order else ()
    if POINTS in codes[1:]:
        raise RuleError(f"{path}[{codes.index(POINTS)}]", "tiebreak.points_not_first")
    return codes if POINTS in codes else (POINTS, *codes)


def parse_ranking(option: Mapping[str, Any], path: str, rating: Mapping[str, Any] | None = None) -> RankingRules | None:
    """Return how a stage option (``kind`` swiss or round_robin) is ranked; None for any other kind.

    Only the keys about ranking are read; the engine that owns the stage refuses unknown ones. `rating` is the block of
    that name: its `unrated` stands in for players without a rating, its `tie_breaks` names another rating than that of
    the pairing.
    """
    node = Node(option, path)
    kind = node.text("kind", "")
    if kind not in SYSTEMS:
        return None
    system: System = "swiss" if kind == "swiss" else "round_robin"
    order = parse_tie_breaks(node.raw("tie_breaks") or (), system, node.at("tie_breaks"))
    # The virtual opponent stands in for opponents of unplayed rounds, which a round robin doesn't have.
    editions = EDITIONS if system == "swiss" else EDITIONS[:2]
    edition = node.choice("tie_break_rules", editions) if node.has("tie_break_rules") else None
    options = RankingOptions(absences_cut_first=node.flag("absences_cut_first", True))
    ratings = Node(rating or {}, "rating")
    unrated = ratings.optional_integer("unrated", low=1, high=4000)
    return RankingRules(order, system, edition, unrated, options, ratings.text("tie_breaks", ""))


def parse_prizes(
    block: Any,
    currency: str,
    path: str = "prizes",
    *,
    capacity: int | None = None,
    categories: Collection[CategoryRule] | None = None,
) -> tuple[PrizeList, ...]:
    """Return the prize lists of a regulation; `categories` are the known ones (None: not looked at).

    Raises RuleError ``prize.place`` (not a place of the field), ``prize.place_twice``, ``prize.empty``,
    ``prize.places_and_percent``, ``prize.order`` (a worse place pays more than a better one of the same list),
    ``prize.percent`` (not a whole number from 1 to 100), ``prize.unknown_category``, ``rule.negative_money`` and the
    codes of `Node`.
    """
    lists = []
    for node in _tables(block, path):
        lists.append(_prize_list(node, currency, capacity))
        if categories is not None:
            check_known(lists[-1].category, lists[-1].sections, categories, node.at("category"))
    for index, prize in enumerate(lists):
        for earlier in lists[:index]:
            same = prize.category == earlier.category and overlap(prize.sections, earlier.sections)
            twice = sorted(set(prize.numbers) & set(earlier.numbers)) if same else []
            if twice:
                key = "percent" if prize.percent else "places"
                raise RuleError(f"{path}[{index}].{key}.{twice[0]}", "prize.place_twice", place=twice[0])
    return tuple(lists)


def _prize_list(node: Node, currency: str, capacity: int | None) -> PrizeList:
    places, shares = node.node("places"), node.node("percent")
    if places.value and shares.value:
        raise node.fail("percent", "prize.places_and_percent")
    if not places.value and not shares.value:
        raise node.fail("places", "prize.empty")
    amounts = {place: places.money(key, currency) for place, key in _places_of(places, capacity)}
    percent = {place: _percent(shares, key) for place, key in _places_of(shares, capacity)}
    _check_order(places, {place: money.minor for place, money in amounts.items()})
    _check_order(shares, percent)
    # Before `several` a list could only say that earlier prizes are in the way of a further one.
    before = Several.ALL if node.flag("cumulative", True) else Several.EARLIER
    prize = PrizeList(
        amounts,
        currency,
        ties=node.choice("ties", Ties, Ties.PLACE),
        unplayed=node.choice("unplayed", Unplayed, Unplayed.KEPT),
        several=node.choice("several", Several, before),
        unit=MINOR_UNITS if node.flag("whole_units", False) else 1,
        sections=node.texts("sections", ()),
        category=node.text("category", ""),
        clause=node.text("clause", ""),
        percent=percent,
        base=node.choice("percent_of", Base, Base.FEES),
    )
    node.finish()
    return prize


def _places_of(table: Node, capacity: int | None) -> list[tuple[int, str]]:
    """Return the places a table names with their keys, the best first."""
    found: dict[int, str] = {}
    for key in table.value:
        place = int(key) if isinstance(key, int) or (isinstance(key, str) and key.isdecimal()) else 0
        if place < 1 or (capacity is not None and place > capacity):
            raise RuleError(table.at(str(key)), "prize.place", got=str(key), capacity=capacity)
        if place in found:
            raise RuleError(table.at(str(key)), "prize.place_twice", place=place)
        found[place] = key
    return sorted(found.items())


def _percent(table: Node, key: str) -> int:
    value = table.value[key]
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= WHOLE:
        raise RuleError(table.at(str(key)), "prize.percent", got=str(value))
    return value


def _check_order(table: Node, worth: Mapping[int, int]) -> None:
    for better, worse in pairwise(worth):
        if worth[worse] > worth[better]:
            raise RuleError(table.at(str(worse)), "prize.order", place=worse, better=better)


def parse_lotteries(
    block: Any, currency: str, path: str = "lotteries", *, capacity: int | None = None
) -> tuple[Lottery, ...]:
    """Return the lotteries of a regulation.

    Raises RuleError ``lottery.place`` (outside the field), ``lottery.place_twice`` (in one lottery or in two),
    ``lottery.too_many_winners``, ``lottery.no_places``, ``lottery.no_amount`` and the codes of `Node`.
    """
    lotteries = []
    taken: dict[int, list[tuple[str, ...]]] = {}
    for node in _tables(block, path):
        places = node.integers("places", low=1)
        sections = node.texts("sections", ())
        if not places:
            raise node.fail("places", "lottery.no_places")
        for index, place in enumerate(places):
            here = f"{node.at('places')}[{index}]"
            if capacity is not None and place > capacity:
                raise RuleError(here, "lottery.place", got=place, capacity=capacity)
            if place in places[:index] or any(overlap(sections, other) for other in taken.get(place, [])):
                raise RuleError(here, "lottery.place_twice", place=place)
        for place in places:
            taken.setdefault(place, []).append(sections)
        winners = node.integer("winners", 1, low=1)
        if winners > len(places):
            raise node.fail("winners", "lottery.too_many_winners", winners=winners, places=len(places))
        amount = node.money("amount", currency)
        if not amount:
            raise node.fail("amount", "lottery.no_amount")
        lotteries.append(
            Lottery(
                places,
                amount,
                winners,
                withdrawn_keep=node.choice("withdrawn", ("keep", "lose"), "keep") == "keep",
                disqualified_keep=node.choice("disqualified", ("keep", "lose"), "lose") == "keep",
                sections=sections,
                clause=node.text("clause", ""),
            )
        )
        node.finish()
    return tuple(lotteries)


def parse_awards(
    block: Any, path: str = "awards", *, categories: Collection[CategoryRule] | None = None
) -> tuple[AwardRule, ...]:
    """Return who gets which things; `categories` are the known ones (None: not looked at).

    Raises RuleError ``award.nothing``, ``award.thing`` (unknown or named twice), ``award.place_twice``,
    ``prize.unknown_category``.
    """
    rules: list[AwardRule] = []
    for node in _tables(block, path):
        places = node.integers("places", low=1) if node.has("places") else (node.integer("place", low=1),)
        things = node.texts("things")
        if not things:
            raise node.fail("things", "award.nothing")
        for index, thing in enumerate(things):
            if thing not in THINGS or thing in things[:index]:
                raise RuleError(f"{node.at('things')}[{index}]", "award.thing", got=thing, options=list(THINGS))
        sections, category = node.texts("sections", ()), node.text("category", "")
        clause = node.text("clause", "")
        if categories is not None:
            check_known(category, sections, categories, node.at("category"))
        for place in places:
            for rule in rules:
                if rule.place == place and rule.category == category and overlap(rule.sections, sections):
                    raise RuleError(node.path, "award.place_twice", place=place)
            rules.append(AwardRule(place, things, sections, category, clause))
        node.finish()
    return tuple(rules)


def parse_fund(block: Any, path: str = "fund") -> FundRules:
    """Return where the money comes from. Raises RuleError ``fund.source`` for an unknown or doubled source."""
    node = Node(block or {}, path)
    sources = node.texts("sources", ("fees",))
    for index, source in enumerate(sources):
        if source not in FUND_SOURCES or source in sources[:index]:
            raise RuleError(f"{node.at('sources')}[{index}]", "fund.source", got=source, options=list(FUND_SOURCES))
    node.finish()
    return FundRules(sources)


def parse_playoff(block: Any, formats: Mapping[str, Any], path: str = "playoff") -> PlayoffRules | None:
    """Return the rules for playing off first place, or None when the regulation has none.

    `two` and `three.decider` name match formats of the regulation; of the decider only the Armageddon is played.
    Raises RuleError ``playoff.format`` (no such match format) and ``playoff.no_armageddon`` (it can't decide).
    """
    if not block:
        return None
    node = Node(block, path)
    two = node.text("two")
    games, clock = _first_phase(formats, two, node.at("two"))
    armageddon = _armageddon(formats, two, node.at("two"))
    three = node.node("three")
    decider = three.text("decider", two)
    rules = PlayoffRules(
        two_format=two,
        two_games=games,
        two_clock=clock,
        two_armageddon=armageddon,
        three_clock=three.text("clock"),
        decider_format=decider,
        decider=_armageddon(formats, decider, three.at("decider")),
        three_cycles=three.integer("cycles", 1, low=1, high=2),
        pause_minutes=node.integer("pause_minutes", 15, low=0, high=600),
        level_again=three.choice("level_again", ("repeat_blitz", "drawing_of_lots"), "repeat_blitz"),
        lower_places=node.choice("lower_places", ("shared_place", "drawing_of_lots"), "shared_place"),
    )
    three.finish()
    node.finish()
    return rules


def _phases(formats: Mapping[str, Any], name: str, path: str) -> Iterator[Node]:
    if name not in formats:
        raise RuleError(path, "playoff.format", got=name, options=sorted(formats))
    return Node(formats[name], f"match_formats.{name}").nodes("phases")


def _first_phase(formats: Mapping[str, Any], name: str, path: str) -> tuple[int, str]:
    for phase in _phases(formats, name, path):
        if phase.has("games"):
            return phase.integer("games", low=1), phase.text("clock")
    raise RuleError(path, "playoff.no_games", got=name)


def _armageddon(formats: Mapping[str, Any], name: str, path: str) -> ArmageddonPlan:
    for phase in _phases(formats, name, path):
        if phase.has("armageddon"):
            clocks = phase.node("armageddon")
            draw = Color.WHITE if phase.choice("draw", ("white", "black"), "black") == "white" else Color.BLACK
            color = phase.choice("color", COLORS, "lot_winner_chooses")
            return ArmageddonPlan(clocks.text("white"), clocks.text("black"), color, draw)
    raise RuleError(path, "playoff.no_armageddon", got=name)


def parse_rules(spec: RegulationSpec) -> PrizeRules:
    """Return every block of this engine, checked; the tie-breaks of all stages are checked with them."""
    rankings_of(spec)
    capacity = field_size(spec)
    return PrizeRules(
        parse_categories(spec.block("categories") or ()),
        parse_prizes(spec.block("prizes") or (), spec.currency, capacity=capacity),
        parse_lotteries(spec.block("lotteries") or (), spec.currency, capacity=capacity),
        parse_awards(spec.block("awards") or ()),
        parse_fund(spec.block("fund")),
        parse_playoff(spec.block("playoff"), spec.block("match_formats")),
    )


def field_size(spec: RegulationSpec) -> int | None:
    """Return how many places the largest section can have; None when a section has no limit."""
    sizes = [
        Node(section, f"sections[{index}]").optional_integer("capacity", low=1)
        for index, section in enumerate(spec.block("sections") or ())
    ]
    known = [size for size in sizes if size is not None]
    return max(known) if known and len(known) == len(sizes) else None


def rankings_of(spec: RegulationSpec) -> tuple[RankingRules, ...]:
    """Return the ranking rules of every stage option played in rounds, in the order of the regulation."""
    rating = spec.block("rating")
    found = []
    for stage in spec.stages():
        for index, option in enumerate(stage.options):
            ranking = parse_ranking(option, f"{stage.path}.options[{index}]", rating)
            if ranking is not None:
                found.append(ranking)
    return tuple(found)


def _tables(block: Any, path: str) -> list[Node]:
    if isinstance(block, (str, Mapping)) or not isinstance(block, Sequence):
        raise RuleError(path, "rule.expected_list", got=type(block).__name__)
    return [Node(value, f"{path}[{index}]") for index, value in enumerate(block)]
