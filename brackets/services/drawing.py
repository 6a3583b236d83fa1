"""The initial draw (K7.1): committed in public, decided by numbers nobody knew, exchanged on record, confirmed.

Until it is confirmed a draw is a proposal the public does not see. A lot once committed stays in the chain: it is
decided, or dropped with a reason, and another draw has the next number.

Nobody can steer it: secret, pots and method are bound before anybody gives a number, no page shows the secret until
the draw is decided, and it is decided by one press. Seeds exchanged by hand afterwards stay on record.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db import transaction
from django.utils import timezone

from brackets.engine.facts import SeedsSwapped
from brackets.engine.proof import Proof, prove
from brackets.engine.rules import Promise, StageRules, check_promise
from brackets.engine.seeding import (
    Entrant,
    SeedingMethod,
    SeedingPlan,
    SeedingRules,
    by_rating,
    family_of,
    first_round_pairs,
    keep_apart,
    prepare,
    rating_ties,
    seed_order,
)
from brackets.engine.topology import BracketSpec
from brackets.models import Bracket, BracketSeed, Match, MatchEvent, MatchSlot
from brackets.selectors import Table, load_table, rules_of
from brackets.services.acts import Act
from brackets.services.projecting import new_slots, project_matches
from tourney.kernel.errors import TourneyError
from tourney.kernel.ids import EntryId, MatchKey
from tourney.models import Entry, Lot, Stage
from tourney.selectors import playing_entries
from tourney.services.log import log
from tourney.services.lots import commit_lot, reveal_lot, void_lot
from tourney.services.stages import bump, lock_stage

Kind = MatchEvent.Kind
APART = ("club",)  # what `seeding.apart` of the regulation may add to: city, district


@dataclass
class DrawPlan:
    """Who is drawn and how, and what is certain about the bracket before anybody sits down."""

    stage: Stage
    rules: StageRules
    entries: Mapping[int, Entry]
    method: SeedingMethod

    @property
    def players(self) -> int:
        return len(self.entries)

    @cached_property
    def entrants(self) -> list[Entrant]:
        """The entrants in the published order: by rating, unrated last, then by start number."""
        return by_rating(
            Entrant(EntryId(entry.pk), entry.rating, entry.level, self.groups.get(EntryId(entry.pk), frozenset()))
            for entry in self.entries.values()
        )

    @cached_property
    def groups(self) -> dict[EntryId, frozenset[str]]:
        """What to keep apart in the first round: club, and what the regulation names besides."""
        kinds = dict.fromkeys((*APART, *self.rules.seeding.apart))
        return {
            EntryId(entry.pk): frozenset(f"{kind}:{value}" for kind in kinds if (value := _shared(entry, kind)))
            for entry in self.entries.values()
        }

    @cached_property
    def spec(self) -> BracketSpec:
        return self.rules.build_for(self.players)

    @cached_property
    def proof(self) -> Proof:
        return prove(self.spec, self.players)

    @cached_property
    def promise(self) -> Promise:
        return check_promise(self.rules, self.players, self.proof)

    def seeding(self, by_hand: Sequence[int] | None = None) -> SeedingPlan:
        """Return the pots; TourneyError ``seeding.unknown_rank``, ``seeding.not_everybody_once``."""
        rules = SeedingRules(self.method, self.rules.seeding.ranks, self.rules.seeding.apart)
        order = [EntryId(entry) for entry in by_hand] if by_hand is not None else None
        return prepare(self.entrants, rules, order)

    @cached_property
    def ties(self) -> list[tuple[EntryId, ...]]:
        """Players with one rating, where the order follows the rating."""
        return [group for group in rating_ties(self.entrants) if self.entries[group[0]].rating is not None]


def _shared(entry: Entry, kind: str) -> str:
    """Return what an entry shares with others of its club, town, district or family; "" for none."""
    if kind == "family":
        return family_of(entry.player.surname)
    return str(getattr(entry.player, kind, "")).strip().casefold()


def draw_plan(stage: Stage, method: str = "") -> DrawPlan:
    """Return the plan of a draw; `method` overrides the regulation's. TourneyError ``seeding.unknown_method``."""
    rules = rules_of(stage)
    try:
        chosen = SeedingMethod(method) if method else rules.seeding.method
    except ValueError:
        raise TourneyError("seeding.unknown_method", got=method) from None
    entries = {entry.pk: entry for entry in playing_entries(stage.section) if entry.start_number is not None}
    return DrawPlan(stage, rules, entries, chosen)


def subject_of(stage: Stage) -> str:
    """Return what the lots of this draw are about."""
    return f"{stage.section.code}:{stage.code}"


def draw_lots(stage: Stage) -> list[Lot]:
    """Return every lot of this stage's draw, newest first: a repeated one is seen by everybody."""
    return list(
        Lot.objects.filter(
            tournament=stage.section.tournament, purpose=Lot.Purpose.INITIAL_DRAW, subject=subject_of(stage)
        )
        .select_related("outcome")
        .order_by("-number")
    )


def open_lot(lots: Sequence[Lot]) -> Lot | None:
    """Return the lot that is committed and not decided."""
    return next((lot for lot in lots if not hasattr(lot, "outcome")), None)


def committed_method(lot: Lot | None) -> str:
    """Return the method that was published together with the pots; empty where none is committed."""
    return str(lot.manifest.get("method", "")) if lot is not None else ""


@transaction.atomic
def commit_draw(stage_id: int, *, actor: Any = None, method: str = "", reason: str = "") -> Lot:
    """Publish the pots and the commitment; return the lot.

    Another method than the regulation's needs a reason. Refusals: ``stage.not_ready``, ``draw.drawn_already``,
    ``draw.committed_already``, ``draw.method_needs_reason``, ``draw.no_lot_needed``, ``seeding.unknown_rank``,
    ``bracket.too_many_players``, ``bracket.too_few_players``.
    """
    stage = _stage_to_draw(stage_id)
    plan = _checked_plan(stage, method, reason)
    seeding = plan.seeding()
    if not seeding.needs_lot:
        raise TourneyError("draw.no_lot_needed")
    lot = commit_lot(
        stage.section.tournament,
        purpose=Lot.Purpose.INITIAL_DRAW,
        subject=subject_of(stage),
        kind="pots",
        pots=[[str(entry) for entry in pot] for pot in seeding.pots],
        method=plan.method.value,
        actor=actor,
    )
    bump(stage)
    _log(stage, "brackets.draw_committed", actor, reason, number=lot.number, method=plan.method.value)
    return lot


@transaction.atomic
def reveal_draw(stage_id: int, *, numbers: Mapping[str, str], actor: Any = None) -> Table:
    """Decide the committed draw with the public numbers (who gave it -> number) and lay out the bracket as a proposal.

    Refusals: ``draw.not_committed``, ``draw.numbers_needed``, ``draw.field_changed`` (somebody left or came since).
    """
    stage = _stage_to_draw(stage_id, committed=True)
    lot = open_lot(draw_lots(stage))
    if lot is None:
        raise TourneyError("draw.not_committed")
    given = {name.strip(): number.strip() for name, number in numbers.items() if name.strip() and number.strip()}
    if not given:
        raise TourneyError("draw.numbers_needed")
    pots = tuple(tuple(EntryId(lot.entry_id(name)) for name in pot) for pot in lot.manifest["pots"])
    plan = draw_plan(stage, committed_method(lot))
    if sorted(entry for pot in pots for entry in pot) != sorted(plan.entries):
        raise TourneyError("draw.field_changed", number=lot.number)
    outcome = reveal_lot(lot, entropy=given, actor=actor)
    seeding = SeedingPlan(plan.method, pots)
    drawn = [[str(lot.entry_id(name)) for name in pot] for pot in outcome.result]
    table = _lay_out(stage, plan, seeding, seed_order(seeding, drawn), lot)
    _log(stage, "brackets.draw_decided", actor, "", number=lot.number, players=plan.players)
    return table


@transaction.atomic
def seed_without_lot(
    stage_id: int, *, actor: Any = None, method: str = "", order: Sequence[int] | None = None, reason: str = ""
) -> Table:
    """Lay out the bracket where nothing is drawn: by rating, or by hand in the given order of entries.

    Refusals: ``seeding.lot_needed``, ``seeding.order_needed``, ``seeding.not_everybody_once``,
    ``draw.method_needs_reason`` and those of `commit_draw`.
    """
    stage = _stage_to_draw(stage_id)
    plan = _checked_plan(stage, method, reason)
    seeding = plan.seeding(order)
    table = _lay_out(stage, plan, seeding, seed_order(seeding), None)
    _log(stage, "brackets.seeded", actor, reason, method=plan.method.value, players=plan.players)
    return table


def _checked_plan(stage: Stage, method: str, reason: str) -> DrawPlan:
    plan = draw_plan(stage, method)
    if plan.method is not plan.rules.seeding.method and not reason.strip():
        raise TourneyError("draw.method_needs_reason")
    plan.rules.params_for(plan.players)  # refuses too many and too few
    return plan


def _stage_to_draw(stage_id: int, *, committed: bool = False) -> Stage:
    stage = lock_stage(stage_id, event_first=True)
    if stage.kind != Stage.Kind.BRACKET:
        raise TourneyError("draw.no_bracket")
    if stage.state != Stage.State.READY:
        raise TourneyError("stage.not_ready" if stage.state == Stage.State.PLANNED else "stage.already_started")
    if Bracket.objects.filter(stage=stage).exists():
        raise TourneyError("draw.drawn_already")
    if not committed and open_lot(draw_lots(stage)) is not None:
        raise TourneyError("draw.committed_already")
    return stage


def _lay_out(stage: Stage, plan: DrawPlan, seeding: SeedingPlan, order: Sequence[EntryId], lot: Lot | None) -> Table:
    """Write the graph, the seeds, the matches and who stands where."""
    bracket = Bracket.objects.create(
        stage=stage,
        spec=plan.spec.to_json(),
        params={
            "players": plan.players,
            "method": seeding.method.value if lot is None else plan.method.value,
            "pots": [list(pot) for pot in seeding.pots],
        },
        draw_lot=lot,
    )
    BracketSeed.objects.bulk_create(
        BracketSeed(bracket=bracket, seed=seed, entry_id=entry) for seed, entry in enumerate(order, start=1)
    )
    Match.objects.bulk_create(Match(bracket=bracket, key=match.key, number=match.number) for match in plan.spec.matches)
    table = load_table(stage)
    if table is None:
        raise TourneyError("bracket.not_drawn")
    changed = project_matches(table, [MatchKey(match.key) for match in plan.spec.matches])
    if changed:
        Match.objects.bulk_update(changed, ["state", "winner_side", "how", "awaits"])
    MatchSlot.objects.bulk_create(new_slots(table))
    bump(stage)
    return table


@transaction.atomic
def exchange_seeds(stage_id: int, first: int, second: int, *, reason: str, actor: Any = None) -> None:
    """Exchange two seeds by hand; who did it and why stays on record. Possible until one of the two has played.

    Refusals: ``bracket.reason_needed``, ``bracket.unknown_seed``, ``bracket.already_played``, ``seeding.same_seed``.
    """
    act = Act(stage_id, actor, proposed=True)
    if not reason.strip():
        raise TourneyError("bracket.reason_needed")
    if first == second:
        raise TourneyError("seeding.same_seed")
    act.add_fact(SeedsSwapped(first, second, reason))
    act.finish("brackets.seeds_exchanged", reason=reason, first=first, second=second)


@dataclass(frozen=True, slots=True)
class Apart:
    """What keeping clubs apart would do: exchanges of seeds, and pairs that can't be helped."""

    swaps: tuple[tuple[int, int], ...]
    clashes: tuple[tuple[EntryId, EntryId], ...]  # as the order stands now
    left: tuple[tuple[EntryId, EntryId], ...]  # after the exchanges


def apart_plan(table: Table, plan: DrawPlan) -> Apart:
    """Return the exchanges inside the pots after which club-mates don't meet in round 1, as far as possible."""
    order = [entry for entry in table.state.seeds if entry is not None]
    pots = tuple(tuple(EntryId(entry) for entry in pot) for pot in table.bracket.params["pots"])
    if any(len(pot) > 1 for pot in pots):
        seeding = SeedingPlan(plan.method, pots)
    else:
        # Where nothing was drawn, seeds next to each other may change places: one pot of everybody would move too much.
        seeding = SeedingPlan(plan.method, tuple(tuple(order[at : at + 4]) for at in range(0, len(order), 4)))
    known = {entry for pot in seeding.pots for entry in pot}
    if known != set(order):  # a reserve has come since: he stands in nobody's pot
        seeding = SeedingPlan(plan.method, (tuple(order),))
    groups = {entry: plan.groups.get(entry, frozenset()) for entry in order}
    found = keep_apart(order, table.spec.size, groups, seeding)
    return Apart(_swaps(order, found.order), tuple(_clashes(order, table.spec.size, groups)), found.clashes)


def _clashes(
    order: Sequence[EntryId], size: int, groups: Mapping[EntryId, frozenset[str]]
) -> list[tuple[EntryId, EntryId]]:
    pairs = [(a, b) for a, b in first_round_pairs(size) if max(a, b) <= len(order)]
    return [(order[a - 1], order[b - 1]) for a, b in pairs if groups[order[a - 1]] & groups[order[b - 1]]]


def _swaps(before: Sequence[EntryId], after: Sequence[EntryId]) -> tuple[tuple[int, int], ...]:
    """Return the exchanges of two seeds that turn one order into the other."""
    current, swaps = list(before), []
    for seed, entry in enumerate(after, start=1):
        if current[seed - 1] != entry:
            other = current.index(entry) + 1
            current[seed - 1], current[other - 1] = current[other - 1], current[seed - 1]
            swaps.append((seed, other))
    return tuple(swaps)


@transaction.atomic
def separate_clubs(stage_id: int, *, actor: Any = None, reason: str = "club") -> Apart:
    """Exchange seeds so that club-mates don't meet in round 1; every exchange is on record (``draw.nothing_to_do``)."""
    act = Act(stage_id, actor, proposed=True)
    found = apart_plan(act.table, draw_plan(act.stage, str(act.table.bracket.params["method"])))
    if not found.swaps:
        raise TourneyError("draw.nothing_to_do")
    for first, second in found.swaps:
        act.add_fact(SeedsSwapped(first, second, reason))
    act.finish("brackets.clubs_apart", exchanges=len(found.swaps))
    return found


@transaction.atomic
def confirm_draw(stage_id: int, *, actor: Any = None) -> Bracket:
    """Show the draw to everybody: matches can be called (``bracket.not_drawn``, ``draw.confirmed_already``)."""
    stage = lock_stage(stage_id, event_first=True)
    bracket = Bracket.objects.filter(stage=stage).first()
    if bracket is None:
        raise TourneyError("bracket.not_drawn")
    if bracket.drawn_at is not None:
        raise TourneyError("draw.confirmed_already")
    bracket.drawn_at = timezone.now()
    bracket.save(update_fields=["drawn_at"])
    bump(stage)
    _log(stage, "brackets.draw_confirmed", actor, "", players=bracket.params["players"])
    return bracket


@transaction.atomic
def drop_draw(stage_id: int, *, reason: str, actor: Any = None) -> None:
    """Drop a draw in the open, before the first call or result: the next one has a new number in the chain.

    Refusals: ``bracket.reason_needed``, ``stage.already_started``, ``bracket.not_drawn``.
    """
    stage = lock_stage(stage_id, event_first=True)
    if not reason.strip():
        raise TourneyError("bracket.reason_needed")
    if stage.state not in (Stage.State.PLANNED, Stage.State.READY):
        raise TourneyError("stage.already_started")
    committed = open_lot(draw_lots(stage))
    bracket = Bracket.objects.filter(stage=stage).first()
    if committed is None and bracket is None:
        raise TourneyError("bracket.not_drawn")
    if committed is not None:
        void_lot(committed, reason=reason, actor=actor)
    if bracket is not None:
        bracket.events.exclude(voids=None).delete()
        bracket.delete()
    bump(stage)
    _log(stage, "brackets.draw_dropped", actor, reason)


def _log(stage: Stage, action: str, actor: Any, reason: str, **values: Any) -> None:
    log(stage.section.tournament, action, actor=actor, reason=reason, section=stage.section.code, **values)
