"""Prize draws: who holds a ticket by the newest list, what has been drawn, and what stands in the way (K8.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from prizes.engine.lottery import Lottery, tickets
from prizes.engine.rules import PrizeRules
from prizes.models import Draw
from prizes.selectors.awards import placings_in
from prizes.selectors.prize_rules import prize_rules
from tourney.kernel.errors import TourneyError
from tourney.kernel.ids import EntryId
from tourney.kernel.money import Money
from tourney.models import Entry, Placement, PlacementList, Section, Tournament

# Where this many numbers come together, nobody who chose one of them decides alone; fewer ticket holders give one each.
ENOUGH_NUMBERS = 3
GONE = (Entry.State.WITHDRAWN, Entry.State.NO_SHOW)


@dataclass(frozen=True, slots=True)
class Holder:
    """A ticket: whose it is and by which place; `label` names it in the draw's manifest."""

    entry: Entry
    place: int

    @property
    def label(self) -> str:
        return f"{self.entry.name} ({self.place})"


@dataclass(frozen=True, slots=True)
class LotteryState:
    """One lottery of one group. `draws` newest first; the first that was not dropped counts."""

    section: Section
    index: int
    lottery: Lottery
    published: PlacementList | None
    holders: tuple[Holder, ...]
    draws: tuple[Draw, ...]
    obstacle: TourneyError | None = None

    @property
    def number(self) -> int:
        return self.index + 1

    @property
    def current(self) -> Draw | None:
        return next((draw for draw in self.draws if not is_void(draw)), None)

    @property
    def state(self) -> str:
        """Return waiting (places not final), void (nobody holds a ticket), ready, open (committed) or decided."""
        if self.current is not None:
            return "decided" if is_decided(self.current) else "open"
        if self.obstacle is not None:
            return "waiting"
        return "ready" if self.holders else "void"

    @property
    def is_outdated(self) -> bool:
        """Whether the draw that counts was held among others than hold the tickets now (M7.9)."""
        current = self.current
        if current is None or self.obstacle is not None:
            return False
        return {ticket.entry_id for ticket in current.tickets.all()} != {holder.entry.pk for holder in self.holders}

    @property
    def is_repeated(self) -> bool:
        return len(self.draws) > 1

    @property
    def subject(self) -> str:
        return subject_of(self.section, self.index)


def subject_of(section: Section, index: int) -> str:
    """Return what a lottery's lots are called: the same words mark a second draw of the same lottery."""
    return f"{section.code}:{index + 1}"


def outcome_of(draw: Draw) -> Any:
    return getattr(draw.lot, "outcome", None)


def is_void(draw: Draw) -> bool:
    outcome = outcome_of(draw)
    return outcome is not None and bool(outcome.void_reason)


def is_decided(draw: Draw) -> bool:
    outcome = outcome_of(draw)
    return outcome is not None and not outcome.void_reason


def lotteries_of(
    tournament: Tournament, section: Section | None = None, rules: PrizeRules | None = None
) -> list[LotteryState]:
    """Return every lottery of every group it applies to, or of one group. Five queries, however many there are."""
    rules = rules or prize_rules(tournament)
    if not rules.lotteries:
        return []
    sections = [section] if section is not None else list(tournament.sections.all())
    for one in sections:
        one.tournament = tournament
    lists: dict[int, PlacementList] = {}
    for published in PlacementList.objects.filter(section__in=sections, category=None).order_by("-number"):
        lists.setdefault(published.section_id, published)
    lines: dict[int, list[Placement]] = {}
    for line in Placement.objects.filter(list__in=list(lists.values())).select_related("entry__player"):
        lines.setdefault(line.list_id, []).append(line)
    draws: dict[tuple[int, int], list[Draw]] = {}
    found = Draw.objects.filter(section__in=sections).select_related("lot__outcome").order_by("-id")
    for draw in found.prefetch_related("tickets__entry__player"):
        draws.setdefault((draw.section_id, draw.index), []).append(draw)
    states = []
    for one in sections:
        published_list = lists.get(one.pk)
        if section is None and published_list is None and not _is_played(one):
            continue
        for index, lottery in enumerate(rules.lotteries):
            if not lottery.sections or one.code in lottery.sections:
                held = lines.get(published_list.pk, []) if published_list else []
                states.append(_state(one, index, lottery, published_list, held, draws.get((one.pk, index), [])))
    return states


def _is_played(section: Section) -> bool:
    return section.entries_closed_at is not None


def _state(
    section: Section,
    index: int,
    lottery: Lottery,
    published: PlacementList | None,
    lines: Sequence[Placement],
    draws: Sequence[Draw],
) -> LotteryState:
    if published is None:
        error = TourneyError("lottery.not_final", section=section.title_text)
        return LotteryState(section, index, lottery, None, (), tuple(draws), error)
    entries = {EntryId(line.entry_id): line.entry for line in lines}
    for entry in entries.values():
        entry.section, entry.tournament = section, section.tournament
    try:
        held = tickets(
            lottery,
            placings_in(lines),
            withdrawn=[pk for pk, entry in entries.items() if entry.state in GONE or entry.left_after_round],
            disqualified=[pk for pk, entry in entries.items() if entry.state == Entry.State.DISQUALIFIED],
        )
    except TourneyError as refused:
        named = TourneyError(refused.code, place=refused.values.get("place"))
        return LotteryState(section, index, lottery, published, (), tuple(draws), named)
    holders = tuple(Holder(entries[ticket.entry], ticket.place) for ticket in held)
    return LotteryState(section, index, lottery, published, holders, tuple(draws))


def lottery_of(section: Section, index: int) -> LotteryState:
    """Return one lottery of a group. Raises TourneyError ``lottery.unknown``."""
    for state in lotteries_of(section.tournament, section):
        if state.index == index:
            return state
    raise TourneyError("lottery.unknown")


def numbers_needed(draw: Draw) -> int:
    """Return how many people at least must give a number."""
    return min(ENOUGH_NUMBERS, draw.tickets.count())


def money_of(draw: Draw) -> Money:
    return Money(draw.minor, draw.currency)
