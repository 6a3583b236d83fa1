"""Pairing a round: the one door through which Django, the command line and the tests come in."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from swiss.engine.baku import baku_points
from swiss.engine.berger import berger_table
from swiss.engine.dutch.cards import Card, VirtualPoints, build_cards
from swiss.engine.dutch.colors import allocate
from swiss.engine.dutch.field import Field
from swiss.engine.dutch.pairing import FieldPairing, pair_field
from swiss.engine.plan import Bye, NoValidPairing, Pairing, RoundPlan
from swiss.engine.rules import Acceleration, RoundRobinRules, StageRules, SwissRules
from tourney.kernel.colors import Color
from tourney.kernel.errors import TourneyError
from tourney.kernel.ids import EntryId
from tourney.kernel.outcomes import ByeKind
from tourney.kernel.records import History, RoundKind, RoundRecord

Absent = Mapping[EntryId, ByeKind]
ForbiddenPairs = Collection[frozenset[EntryId]]
Wishes = tuple[frozenset[EntryId], ...]
_BYE_ORDER = (ByeKind.PAIRING, ByeKind.FULL, ByeKind.HALF, ByeKind.ZERO)


def pair_round(
    history: History,
    rules: StageRules,
    *,
    absent: Absent | None = None,
    first_color: Color | None = None,
    forbidden: ForbiddenPairs = (),
    wishes: Sequence[frozenset[EntryId]] = (),
    virtual_points: VirtualPoints | None = None,
) -> RoundPlan:
    """Return the next round of a stage.

    `absent` are those who won't play it, each with the bye he gets (asked for or not). `first_color` is the lot: the
    colour of the first board's higher ranked player in round 1 (a Swiss stage whose rules fix it needs none).
    `forbidden` pairs never meet; `wishes` are pairs kept apart as long as the round can be paired, the first the most
    important: those that can't be kept together with more important ones are given up and named in the plan.
    `virtual_points` go before the ones the rules would compute. Raises NoValidPairing, and TourneyError
    ``pairing.first_color_needed``, ``pairing.unknown_entry``, ``pairing.no_more_rounds``, ``pairing.results_missing``.
    """
    absent = absent or {}
    for entry in absent:
        if entry not in history.by_entry:
            raise TourneyError("pairing.unknown_entry", entry=entry)
    if isinstance(rules, RoundRobinRules):
        return _table_round(history, rules, absent)
    first = rules.first_color.color or first_color
    if first is None:
        raise TourneyError("pairing.first_color_needed")
    if history.rounds_done >= rules.rounds:
        raise TourneyError("pairing.no_more_rounds", rounds=rules.rounds)
    pending = [player.entry for player in history.players if any(_is_pending(record) for record in player.rounds)]
    if pending:
        raise TourneyError("pairing.results_missing", entries=pending)

    def field_with(kept: Wishes) -> Field:
        apart = [*forbidden, *kept]
        return swiss_field(history, rules, absent=absent, forbidden=apart, virtual_points=virtual_points)

    kept, given_up = _sorted_wishes(field_with, tuple(wishes))
    field = field_with(kept)
    plan = plan_of(field, pair_field(field), first, history.rounds_done + 1, absent)
    return replace(plan, given_up=given_up)


def _is_pending(record: RoundRecord) -> bool:
    return record.kind is RoundKind.PENDING


def _sorted_wishes(field_with: Callable[[Wishes], Field], wishes: Wishes) -> tuple[Wishes, Wishes]:
    """Return the wishes that can be kept and those that can't, each decided in the order of their importance.

    A wish is given up only when no pairing keeps it together with the more important ones that are kept. More wishes
    never make a round easier to pair, so each one that can't be kept is found by halving.
    """

    def possible(kept: Wishes) -> bool:
        try:
            field_with(kept).choose_bye_score()
        except NoValidPairing:
            return False
        return True

    kept: Wishes = ()
    given_up: Wishes = ()
    rest = wishes
    if rest and not possible(kept):
        return kept, rest
    while rest and not possible((*kept, *rest)):
        low, high = 0, len(rest) - 1  # rest[:low] can be kept, rest[: high + 1] can't
        while low < high:
            middle = (low + high + 1) // 2
            if possible((*kept, *rest[:middle])):
                low = middle
            else:
                high = middle - 1
        kept, given_up, rest = (*kept, *rest[:low]), (*given_up, rest[low]), rest[low + 1 :]
    return (*kept, *rest), given_up


def virtual_points_of(history: History, rules: SwissRules) -> VirtualPoints:
    """Return the virtual points that the rules of a stage give."""
    if rules.acceleration is Acceleration.NONE:
        return {}
    return baku_points({player.entry: player.number for player in history.players}, rules.rounds, rules.scoring)


def swiss_field(
    history: History,
    rules: SwissRules,
    *,
    absent: Absent,
    forbidden: ForbiddenPairs = (),
    virtual_points: VirtualPoints | None = None,
) -> Field:
    """Return the field of the next round: cards of those present, and who may meet whom."""
    virtual = virtual_points_of(history, rules) if virtual_points is None else virtual_points
    present = frozenset(player.entry for player in history.players if player.entry not in absent)
    return Field(
        build_cards(history, present, virtual),
        rounds_done=history.rounds_done,
        is_last_round=history.rounds_done + 1 >= rules.rounds,
        win=max(history.scoring.win, history.scoring.draw),
        forbidden=forbidden,
    )


def solve_round(
    history: History,
    rules: SwissRules,
    *,
    absent: Absent,
    forbidden: ForbiddenPairs = (),
    virtual_points: VirtualPoints | None = None,
) -> tuple[Field, FieldPairing]:
    """Return the field of the next Swiss round and its pairing, bracket by bracket."""
    field = swiss_field(history, rules, absent=absent, forbidden=forbidden, virtual_points=virtual_points)
    return field, pair_field(field)


def plan_of(field: Field, pairing: FieldPairing, first_color: Color, number: int, absent: Absent) -> RoundPlan:
    """Return the round with colours and boards: higher scores first (C.04.2, 3.6), the byes at the end."""
    cards = field.cards
    games = []
    for higher_index, lower_index in pairing.pairs:
        higher, lower = cards[higher_index], cards[lower_index]
        color, _ = allocate(higher, lower, first_color)
        white, black = (higher, lower) if color is Color.WHITE else (lower, higher)
        games.append((board_key(higher, lower), white.entry, black.entry))
    games.sort()
    byes = [Bye(entry, kind) for entry, kind in absent.items()]
    if pairing.bye >= 0:
        byes.append(Bye(cards[pairing.bye].entry, ByeKind.PAIRING))
    byes.sort(key=lambda bye: (_BYE_ORDER.index(bye.kind), bye.entry))
    return RoundPlan(
        number,
        tuple(Pairing(board, white, black) for board, (_, white, black) in enumerate(games, 1)),
        tuple(byes),
    )


def board_key(higher: Card, lower: Card) -> tuple[int, int, int]:
    """Return the place of a pair among the boards: higher score, then the sum of both, then the pairing number."""
    return (-higher.score, -(higher.score + lower.score), higher.number)


def _table_round(history: History, rules: RoundRobinRules, absent: Absent) -> RoundPlan:
    """Return a round of the table: start numbers are the pairing numbers 1 to n.

    The table stands whatever happens: who is absent is paired all the same and loses by forfeit when nobody comes, so
    `absent` only says who has no game at all because his opponent left the event with him.
    """
    by_number = {player.number: player.entry for player in history.players}
    size = len(by_number)
    if sorted(by_number) != list(range(1, size + 1)):
        raise TourneyError("roundrobin.numbers_not_dense", players=size)
    if size < 2:
        raise NoValidPairing("pairing.too_few", players=size)
    table = berger_table(size, rules.cycles)
    if history.rounds_done >= len(table):
        raise TourneyError("pairing.no_more_rounds", rounds=len(table))
    row = table[history.rounds_done]
    pairings = tuple(
        Pairing(board, by_number[white], by_number[black]) for board, (white, black) in enumerate(row.pairs, 1)
    )
    byes = () if row.free is None else (Bye(by_number[row.free], ByeKind.ZERO),)
    return RoundPlan(row.number, pairings, byes)
