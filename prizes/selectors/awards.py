"""Awards: who gets what by the newest list and the draws, and what has become of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from prizes.engine.allocation import Award as EngineAward
from prizes.engine.allocation import Field, Source, allocate
from prizes.engine.lottery import Lottery, awards_of_draw
from prizes.engine.lottery import Ticket as EngineTicket
from prizes.engine.placings import Placing
from prizes.engine.rules import PrizeRules
from prizes.models import Award, AwardEvent, Draw
from prizes.selectors.prize_rules import fits_category
from tourney.kernel.ids import EntryId
from tourney.kernel.money import Money
from tourney.models import Entry, Placement, PlacementList, Section, Tournament

HANDED = (AwardEvent.Kind.HANDED, AwardEvent.Kind.REPRESENTATIVE)


def subject_of(award: EngineAward) -> str:
    """Return the name by which an award is known for ever: the place it was meant for (in a category) or its draw."""
    place = award.prize_place or award.place
    match award.source:
        case Source.LOTTERY:
            return str(award.index)
        case Source.CATEGORY:
            return f"{award.category}:{place}"
        case _:
            return str(place)


def newest_list(section: Section) -> PlacementList | None:
    """Return the newest list of a group (not of a category)."""
    return PlacementList.objects.filter(section=section, category=None).order_by("-number").first()


def placings_in(lines: Iterable[Placement]) -> tuple[Placing, ...]:
    """Return a published list as the engine wants it; players without a place are not in it."""
    return tuple(Placing(EntryId(line.entry_id), line.place, line.points) for line in lines if line.place is not None)


def computed_awards(section: Section, published: PlacementList, rules: PrizeRules) -> list[Award]:
    """Return the awards that follow from a list, the rules and the draws, as unsaved rows: one for each subject."""
    lines = list(published.lines.select_related("entry__player").order_by("place", "id"))
    categories = {
        category.code: [EntryId(line.entry_id) for line in lines if fits_category(line.entry, category)]
        for category in section.categories.all()
    }
    field = Field(placings_in(lines), section.code, categories)
    rows: dict[tuple[int, str, str], Award] = {}
    given = [(award, None) for award in allocate(field, rules.prizes, rules.awards)]
    given += [pair for draw in valid_draws(section) for pair in _of_draw(draw, rules)]
    for award, draw in given:
        _merge(rows, award, draw, section, published)
    return list(rows.values())


def _merge(
    rows: dict[tuple[int, str, str], Award],
    award: EngineAward,
    draw: Draw | None,
    section: Section,
    published: PlacementList,
) -> None:
    """Lay an award into its row: money and things for one place are handed over together."""
    key = (int(award.entry), award.source.value, subject_of(award))
    row = rows.get(key)
    if row is None:
        row = rows[key] = Award(
            section=section,
            placement_list=published,
            entry_id=award.entry,
            source=award.source.value,
            subject=key[2],
            place=award.place,
            currency=section.tournament.currency,
            things=[],
            draw=draw,
        )
    row.minor += award.amount.minor if award.amount else 0
    row.things = [*row.things, *(thing for thing in award.things if thing not in row.things)]
    clauses = [*row.clause.split(", "), award.clause] if row.clause else [award.clause]
    row.clause = ", ".join(dict.fromkeys(clause for clause in clauses if clause))[:12]


def valid_draws(section: Section) -> list[Draw]:
    """Return the draw that counts of every lottery of a group: the newest decided one that was not dropped."""
    draws = (
        Draw.objects.filter(section=section, lot__outcome__isnull=False, lot__outcome__void_reason="")
        .select_related("lot__outcome")
        .prefetch_related("tickets")
        .order_by("index", "-id")
    )
    newest: dict[int, Draw] = {}
    for draw in draws:
        newest.setdefault(draw.index, draw)
    return list(newest.values())


def _of_draw(draw: Draw, rules: PrizeRules) -> list[tuple[EngineAward, Draw | None]]:
    held = [EngineTicket(EntryId(ticket.entry_id), ticket.place) for ticket in draw.tickets.all()]
    labels = {EntryId(ticket.entry_id): ticket.label for ticket in draw.tickets.all()}
    clause = rules.lotteries[draw.index].clause if draw.index < len(rules.lotteries) else ""
    lottery = Lottery(
        tuple(ticket.place for ticket in held), Money(draw.minor, draw.currency), draw.winners, clause=clause
    )
    return [(award, draw) for award in awards_of_draw(lottery, held, draw.lot.outcome.result, labels, draw.index)]


# -- what became of them ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AwardStatus:
    """An award and its story. `state`: due, handed, representative or absent."""

    award: Award
    events: tuple[AwardEvent, ...] = ()

    @property
    def last(self) -> AwardEvent | None:
        """The event that decides the state."""
        deciding = [event for event in self.events if event.kind != AwardEvent.Kind.NOTIFIED]
        return deciding[-1] if deciding else None

    @property
    def state(self) -> str:
        last = self.last
        return "due" if last is None or last.kind == AwardEvent.Kind.UNDONE else str(last.kind)

    @property
    def is_handed(self) -> bool:
        return self.state in HANDED

    @property
    def notified(self) -> AwardEvent | None:
        told = [event for event in self.events if event.kind == AwardEvent.Kind.NOTIFIED]
        return told[-1] if told else None

    @property
    def money(self) -> Money | None:
        return Money(self.award.minor, self.award.currency) if self.award.minor else None


@dataclass(frozen=True, slots=True)
class HandedForNothing:
    """Something that was handed over and is no longer due: a newer list gives it to somebody else."""

    entry: Entry
    event: AwardEvent


@dataclass(frozen=True, slots=True)
class AwardsOfEvent:
    """Every award of an event with its story, by group and place, and what was handed over for nothing."""

    statuses: tuple[AwardStatus, ...]
    stray: tuple[HandedForNothing, ...]

    @property
    def open(self) -> tuple[AwardStatus, ...]:
        return tuple(one for one in self.statuses if one.state == "due")

    @property
    def handed(self) -> tuple[AwardStatus, ...]:
        return tuple(one for one in self.statuses if one.is_handed)


def awards_of(tournament: Tournament, section: Section | None = None, entry: Entry | None = None) -> AwardsOfEvent:
    """Return the awards of an event, of one group or of one player. Two queries."""
    awards = Award.objects.filter(section__tournament=tournament).select_related("entry__player", "section")
    events = AwardEvent.objects.filter(section__tournament=tournament).select_related("entry__player", "by")
    if section is not None:
        awards, events = awards.filter(section=section), events.filter(section=section)
    if entry is not None:
        awards, events = awards.filter(entry=entry), events.filter(entry=entry)
    stories: dict[tuple[int, int, str, str], list[AwardEvent]] = {}
    for event in events.order_by("id"):
        stories.setdefault((event.section_id, event.entry_id, event.source, event.subject), []).append(event)
    statuses = []
    for award in awards:
        award.section.tournament = tournament
        award.entry.section, award.entry.tournament = award.section, tournament
        story = stories.pop((award.section_id, award.entry_id, award.source, award.subject), [])
        statuses.append(AwardStatus(award, tuple(story)))
    statuses.sort(key=_order)
    return AwardsOfEvent(tuple(statuses), tuple(_stray(stories)))


def _order(status: AwardStatus) -> tuple[Any, ...]:
    award = status.award
    rank = [Source.PLACE, Source.CATEGORY, Source.LOTTERY].index(Source(award.source))
    return (award.section.ordinal, award.section_id, rank, award.place or 0, award.subject, award.entry_id)


def _stray(stories: Mapping[tuple[int, int, str, str], Sequence[AwardEvent]]) -> Iterable[HandedForNothing]:
    for story in stories.values():
        deciding = [event for event in story if event.kind != AwardEvent.Kind.NOTIFIED]
        if deciding and deciding[-1].kind in HANDED:
            yield HandedForNothing(deciding[-1].entry, deciding[-1])
