"""Two players of the standings side by side: every criterion in turn, the one that parts them, and its parts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _

from prizes.engine.ranking import RankedEntry, parted_by
from prizes.engine.tiebreaks.values import TieBreakValue
from swiss.selectors import ranking_of, stage_facts
from swiss.tables import DIRECT
from swiss.tie_break_words import meaning_of, title_of
from swiss.unpublished import Unpublished, of_history
from swiss.why_place import WhyCell, against_words, cell_of, direct_games, upper, value_text
from tourney.kernel.ids import EntryId
from tourney.kernel.records import PlayerRecord
from tourney.models import Entry, Section, Stage

LEVEL, DECIDES, LATER = "level", "decides", "later"
BAR = 100  # the longest bar, in units of the drawing
_MEASURED = ("PTS", "BH", "FB", "AOB", "SB", "KS", "WIN", "WON", "BPG", "BWG", "PS", "REP", "STD")  # from nothing up


@dataclass(frozen=True, slots=True)
class Row:
    """One criterion: both values, and what it does for these two."""

    code: str
    title: str
    meaning: str
    first: str
    second: str
    state: str  # LEVEL, DECIDES or LATER (no longer asked)


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two: the place, and the parts of the value that decides (round, opponent, number)."""

    entry: Entry
    place: int
    shared: bool
    parts: tuple[tuple[int, str, WhyCell], ...]
    games: tuple[str, ...]  # of a direct encounter
    total: str
    bar: int  # 0 to BAR; 0: nothing to draw
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SideBySide:
    """The comparison, the higher one first."""

    first: Side
    second: Side
    verdict: tuple[str, ...]  # a few sentences
    rows: tuple[Row, ...]
    deciding: str  # the name of the criterion that parts them; empty when none does
    meaning: str
    rounds: tuple[tuple[int, tuple[str, WhyCell], tuple[str, WhyCell]], ...]  # by round, what the value is made of


def side_by_side(stage: Stage, a: int, b: int, after_round: int, *, of: Section | None = None) -> SideBySide | None:
    """Return two entries compared after a round; None when one of them isn't in the standings. Two queries."""
    facts = stage_facts(stage)
    history = facts.record.history(after_round)
    ranking = ranking_of(stage, history)
    if of is not None:
        ranking = ranking.among({EntryId(pk) for pk, entry in facts.entries.items() if entry.section_id == of.pk})
    if EntryId(a) not in ranking.by_entry or EntryId(b) not in ranking.by_entry:
        return None
    lines = sorted((ranking.by_entry[EntryId(a)], ranking.by_entry[EntryId(b)]), key=lambda line: line.rank)
    parting = parted_by(ranking, EntryId(a), EntryId(b))
    position = parting.position if parting else len(ranking.order)
    code = parting.code if parting else ""
    private = of_history(facts.entries, history)
    rows = tuple(
        Row(
            name,
            upper(title_of(name)),
            meaning_of(name),
            *(value_text(line.values[index], line.entry, private) for line in lines),
            LEVEL if index < position else DECIDES if index == position else LATER,
        )
        for index, name in enumerate(ranking.order)
    )
    virtual = ranking.edition == "virtual_opponent"
    values = [line.values[position] if parting else None for line in lines]
    first, second = (
        _side(line, value, values, history.by_entry[line.entry], facts.entries, private, virtual=virtual)
        for line, value in zip(lines, values, strict=True)
    )
    by_round = {number: (name, cell) for number, name, cell in second.parts}
    return SideBySide(
        first,
        second,
        tuple(_verdict(first, second, rows, code)),
        rows,
        upper(title_of(code)) if code else "",
        meaning_of(code) if code else "",
        tuple((number, (name, cell), by_round[number]) for number, name, cell in first.parts if number in by_round),
    )


def _side(
    line: RankedEntry,
    value: TieBreakValue | None,
    both: list[TieBreakValue | None],
    record: PlayerRecord,
    entries: Mapping[int, Entry],
    private: Unpublished,
    *,
    virtual: bool,
) -> Side:
    notes: dict[str, None] = {}
    parts: list[tuple[int, str, WhyCell]] = []
    games: list[str] = []
    if value is not None and value.code in DIRECT:
        games = direct_games(value, entries)
    elif value is not None and any(part.round for one in both if one for part in one.parts):
        by_round = {part.round: part for part in value.parts}
        parts = [
            (
                number,
                against_words(played, entries),
                cell_of(value.code, by_round.get(number), notes, private, virtual=virtual),
            )
            for number, played in enumerate(record.rounds, start=1)
        ]
    return Side(
        entries[line.entry],
        line.rank,
        line.shared,
        tuple(parts),
        tuple(games),
        value_text(value, line.entry, private) if value is not None else "",
        _bar(value, both),
        tuple(notes),
    )


def _bar(value: TieBreakValue | None, both: list[TieBreakValue | None]) -> int:
    """Return the length of a bar for a value that is counted from nothing, the larger one being the longest."""
    if value is None or not value.value or value.code.split("/")[0] not in _MEASURED:
        return 0
    most = max(one.value or 0 for one in both if one is not None)
    return int(BAR * value.value / most) if most > 0 and value.value > 0 else 0


def _verdict(first: Side, second: Side, rows: tuple[Row, ...], code: str) -> list[str]:
    names = {"first": first.entry.name, "second": second.entry.name}
    if not code:
        return [_("%(first)s and %(second)s are level on everything: they share the place.") % names]
    level = [row for row in rows if row.state == LEVEL]
    deciding = next(row for row in rows if row.state == DECIDES)
    said = []
    if level:
        said.append(_("Both have %(points)s points.") % {"points": level[0].first})
        after = ", ".join(title_of(row.code) for row in level[1:])
        if after:
            said.append(_("Level on that, too: %(criteria)s.") % {"criteria": after})
    said.append(
        _("%(first)s stands higher by this: %(criterion)s, %(better)s against %(worse)s.")
        % {
            "first": first.entry.name,
            "criterion": title_of(deciding.code),
            "better": deciding.first,
            "worse": deciding.second,
        }
    )
    return said
