"""Standings and crosstables as pages show them, and what a line of the standings is made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from prizes.engine.ranking import Ranking, parted_by
from prizes.engine.tiebreaks.values import Part, Source, TieBreakValue, format_value
from swiss.boards import own_points
from swiss.labels import BYE_WORDS, CUTS, SOURCES
from swiss.models import Pairing
from swiss.selectors import PUBLIC_STATES, entries_of, ranking_of, ranking_rules, scoring_of, stage_facts
from tourney.kernel.ids import EntryId
from tourney.kernel.outcomes import ByeKind
from tourney.kernel.points import format_points
from tourney.kernel.records import RoundKind
from tourney.models import Entry, Section, Stage, StandingRow
from tourney.regulation_schema.play import TIE_BREAKS

DIRECT = ("DE", "DE/P")
# Columns that say nothing on most lines are short; the legend under the table has the words.
SHORT: dict[str, Any] = {"WIN": gettext_lazy("Win"), "BPG": gettext_lazy("Blk"), "DE": gettext_lazy("DE")}


@dataclass(frozen=True, slots=True)
class Column:
    """A tie-break as the head of a column."""

    code: str
    label: str
    title: str


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the standings. `place` counts inside the group that is shown."""

    entry: Entry
    place: int
    shared: bool
    points: int
    cells: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.entry.name

    @property
    def href(self) -> str:
        section = self.entry.section
        return reverse("player", args=[section.tournament.slug, section.code, self.entry.pk])


@dataclass(frozen=True, slots=True)
class Table:
    """The standings after a round."""

    after_round: int
    columns: tuple[Column, ...]
    lines: tuple[Line, ...]
    clubs: bool = field(default=False)
    out: tuple[Entry, ...] = ()  # left a round robin early: their results count for nobody


def tie_text(text: str) -> str:
    """Return a tie-break value as people write it: ``31.5`` is ``31½``, ``9.25`` keeps its digits."""
    if text.endswith(".5"):
        whole = text[:-2]
        return f"{'' if whole == '0' else whole}½"
    return text


def columns_of(stage: Stage) -> tuple[Column, ...]:
    """Return the tie-breaks of a stage as columns, without the points."""
    codes = [code for code in ranking_rules(stage).order if code != "PTS"]
    return tuple(
        Column(code, str(SHORT.get(code, code.replace("/", "-"))), str(TIE_BREAKS.get(code, code))) for code in codes
    )


def standings(stage: Stage, after_round: int, *, of: Section | None = None) -> Table:
    """Return the standings after a round; `of` keeps one group of a merged tournament, with its own places (M7.8).

    Two queries.
    """
    entries = entries_of(stage)
    columns = columns_of(stage)
    rows = list(
        StandingRow.objects.filter(stage=stage, after_round=after_round)
        .order_by("rank", "entry__start_number")
        .values_list("entry_id", "rank", "points", "values")
    )
    shown = [row for row in rows if row[0] in entries and (of is None or entries[row[0]].section_id == of.pk)]
    ranks = Counter(rank for _pk, rank, _points, _values in shown)
    place_of_rank: dict[int, int] = {}
    for index, (_pk, rank, _points, _values) in enumerate(shown, start=1):
        place_of_rank.setdefault(rank, index)
    texts = [
        (pk, rank, points, {value["code"]: tie_text(value["text"]) for value in values})
        for pk, rank, points, values in shown
    ]
    level = _level_before_direct(columns, texts)
    lines = []
    for pk, rank, points, values in texts:
        cells = [values.get(column.code, "") for column in columns]
        for index, column in enumerate(columns):
            # Direct encounter says nothing where it parts nobody.
            if column.code in DIRECT and len(level[index][_key(columns, index, points, values)]) < 2:
                cells[index] = ""
        lines.append(Line(entries[pk], place_of_rank[rank], ranks[rank] > 1, points, tuple(cells)))
    listed = {row[0] for row in rows}
    out = [entry for entry in entries.values() if entry.pk not in listed and (of is None or entry.section_id == of.pk)]
    return Table(
        after_round,
        columns,
        tuple(lines),
        clubs=any(line.entry.player.club or line.entry.player.city for line in lines),
        out=tuple(out) if rows else (),
    )


def _key(columns: Sequence[Column], index: int, points: int, values: Mapping[str, str]) -> tuple[Any, ...]:
    return (points, *(values.get(column.code, "") for column in columns[:index]))


def _level_before_direct(
    columns: Sequence[Column], texts: Iterable[tuple[int, int, int, Mapping[str, str]]]
) -> dict[int, dict[tuple[Any, ...], set[str]]]:
    """Return for each direct encounter the values among those who were level on everything before it."""
    found: dict[int, dict[tuple[Any, ...], set[str]]] = {}
    for index, column in enumerate(columns):
        if column.code in DIRECT:
            groups = found.setdefault(index, {})
            for _pk, _rank, points, values in texts:
                key = _key(columns, index, points, values)
                groups.setdefault(key, set()).add(values.get(column.code, ""))
    return found


# -- why this place --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class WhyCell:
    """One round's share of a tie-break: the number, struck out when it was left out, and the words."""

    text: str
    cut: bool = False
    words: str = ""


@dataclass(frozen=True, slots=True)
class Why:
    """What a line of the standings is made of."""

    entry: Entry
    place: int
    parted: str  # what parts it from the line above
    heads: tuple[Column, ...]  # points, then the tie-breaks that are sums over rounds
    rounds: tuple[tuple[int, str, tuple[WhyCell, ...]], ...]  # round, opponent or bye, one cell per head
    totals: tuple[str, ...]
    lines: tuple[str, ...]  # the tie-breaks that are no sums
    notes: tuple[str, ...]


def why(stage: Stage, entry_id: int, after_round: int, *, of: Section | None = None) -> Why | None:
    """Return what an entry's line is made of after a round, None when it has none. Two queries."""
    facts = stage_facts(stage)
    ranking = ranking_of(stage, facts.record.history(after_round))
    if of is not None:
        ranking = ranking.among({EntryId(pk) for pk, entry in facts.entries.items() if entry.section_id == of.pk})
    ranked = ranking.by_entry.get(EntryId(entry_id))
    if ranked is None:
        return None
    entries, names = facts.entries, {column.code: column for column in columns_of(stage)}
    names["PTS"] = Column("PTS", _("Points"), _("Points"))
    history = facts.record.history(after_round).by_entry[EntryId(entry_id)]

    summed = [value for value in ranked.values if value.code not in DIRECT and any(p.round for p in value.parts)]
    heads = tuple(names.get(value.code, Column(value.code, value.code, value.code)) for value in summed)
    notes: dict[str, None] = {}
    rounds = []
    for number, record in enumerate(history.rounds, start=1):
        if record.opponent is not None and record.opponent in entries:
            against = entries[record.opponent].name
        else:
            against = _no_opponent(record.kind)
        cells = []
        for value in summed:
            part = next((part for part in value.parts if part.round == number), None)
            cells.append(_cell(part, number, notes))
        rounds.append((number, against, tuple(cells)))
    return Why(
        entry=entries[entry_id],
        place=ranked.rank,
        parted=_parted(ranking, EntryId(entry_id), entries, names),
        heads=heads,
        rounds=tuple(rounds),
        totals=tuple(_value_text(value) for value in summed),
        lines=tuple(_plain_lines(ranked.values, summed, ranking, entries, names)),
        notes=tuple(notes),
    )


def _no_opponent(kind: RoundKind) -> str:
    return {
        RoundKind.PAIRING_BYE: str(BYE_WORDS[ByeKind.PAIRING]),
        RoundKind.HALF_BYE: str(BYE_WORDS[ByeKind.HALF]),
        RoundKind.FULL_BYE: str(BYE_WORDS[ByeKind.FULL]),
    }.get(kind, str(BYE_WORDS[ByeKind.ZERO]))


def _number(value: Fraction | int | None) -> str:
    return tie_text(format_value(value)) or "–"


def _value_text(value: TieBreakValue) -> str:
    return tie_text(str(value)) or "–"


def _cell(part: Part | None, number: int, notes: dict[str, None]) -> WhyCell:
    if part is None:
        return WhyCell("")
    words = []
    if part.source.value in SOURCES:
        words.append(str(SOURCES[part.source.value]))
    elif (
        part.source is Source.OPPONENT
        and isinstance(part.adjusted, Fraction)
        and part.score is not None
        and part.adjusted != part.score
    ):
        words.append(
            _("the opponent's %(score)s count as %(adjusted)s: byes at the end count as draws")
            % {"score": _number(part.score), "adjusted": _number(part.adjusted)}
        )
    if part.cut is not None:
        words.append(str(CUTS[part.cut.value]))
    said = "; ".join(words)
    if said:
        notes[_("Round %(round)s: %(words)s.") % {"round": number, "words": said}] = None
    return WhyCell(_number(part.counted), part.cut is not None, said)


def _plain_lines(
    values: Iterable[TieBreakValue],
    summed: Sequence[TieBreakValue],
    ranking: Ranking,
    entries: Mapping[int, Entry],
    names: Mapping[str, Column],
) -> Iterable[str]:
    """Say what the tie-breaks are that aren't sums over rounds: direct encounter, ratings, numbers, lots."""
    for value in values:
        if value in summed:
            continue
        title = names[value.code].title if value.code in names else value.code
        if value.code in DIRECT:
            met = [
                f"{entries[part.opponent].name} {_number(part.counted) if part.source is not Source.UNMET else '–'}"
                for part in value.parts
                if part.opponent is not None and part.opponent in entries
            ]
            if met:
                yield _("%(title)s: place %(place)s among those level; against %(games)s.") % {
                    "title": _upper(title),
                    "place": _number(value.value),
                    "games": ", ".join(met),
                }
        else:
            yield f"{_upper(title)}: {_number(value.value)}."
    for code in ranking.dropped:
        yield _("%(title)s is not used: not everybody has a rating.") % {
            "title": _upper(names[code].title if code in names else code)
        }


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _parted(ranking: Ranking, entry: EntryId, entries: Mapping[int, Entry], names: Mapping[str, Column]) -> str:
    order = [line.entry for line in ranking]
    index = order.index(entry)
    if index == 0:
        return ""
    above = order[index - 1]
    parting = parted_by(ranking, entry, above)
    name = entries[above].name
    if parting is None:
        return _("Level with %(name)s on everything: they share the place.") % {"name": name}
    if parting.code == "PTS":
        return _("Below %(name)s by points: %(worse)s against %(better)s.") % {
            "name": name,
            "worse": _value_text(parting.worse),
            "better": _value_text(parting.better),
        }
    level = [names[code].title for code in ranking.order[: parting.position] if code in names]
    return _("Below %(name)s: level on %(level)s; then %(title)s decides, %(worse)s against %(better)s.") % {
        "name": name,
        "level": ", ".join(title[:1].lower() + title[1:] for title in level),
        "title": names[parting.code].title if parting.code in names else parting.code,
        "worse": _value_text(parting.worse),
        "better": _value_text(parting.better),
    }


# -- crosstable ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Square:
    """A game in a crosstable: opponent's start number (0: none), own result, colour ("" for a bye or a forfeit)."""

    opponent: int
    text: str
    color: str
    words: str
    off: bool = False  # doesn't count: the opponent left a round robin early


@dataclass(frozen=True, slots=True)
class CrossRow:
    """A row of a crosstable: squares by round (Swiss) or by opponent (round robin, None on the diagonal)."""

    entry: Entry
    place: int | None
    points: int | None
    cells: tuple[tuple[Square, ...] | None, ...]
    tail: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.entry.name

    @property
    def href(self) -> str:
        section = self.entry.section
        return reverse("player", args=[section.tournament.slug, section.code, self.entry.pk])


@dataclass(frozen=True, slots=True)
class Crosstable:
    heads: tuple[str, ...]
    columns: tuple[Column, ...]
    rows: tuple[CrossRow, ...]
    grid: bool
    after_round: int


def crosstable(stage: Stage, after_round: int, *, of: Section | None = None) -> Crosstable:
    """Return the crosstable after a round: a square by start numbers for a round robin, rounds for a Swiss.

    Three queries.
    """
    table = standings(stage, after_round, of=of)
    facts_rows = (
        Pairing.objects.filter(round__stage=stage, round__state__in=PUBLIC_STATES, round__number__lte=after_round)
        .order_by("round__number")
        .values_list("round__number", "white_id", "black_id", "bye", "game__outcome")
    )
    lines = {line.entry.pk: line for line in table.lines}
    people = [line.entry for line in table.lines] + list(table.out)
    numbers = {line.entry.pk: line.entry.start_number or 0 for line in table.lines}
    numbers |= {entry.pk: entry.start_number or 0 for entry in table.out}
    rows = list(facts_rows)
    everyone = {pk for row in rows for pk in (row[1], row[2]) if pk}
    if not everyone <= numbers.keys():  # a merged tournament of which one group is shown
        numbers |= {pk: entry.start_number or 0 for pk, entry in entries_of(stage).items()}
    out = {entry.pk for entry in table.out}
    squares: dict[tuple[int, int], list[Square]] = {}
    grid = stage.kind == Stage.Kind.ROUND_ROBIN
    for number, white, black, bye, outcome in rows:
        if black is None:
            if not grid:
                squares.setdefault((white, number), []).append(_bye_square(bye, stage))
            continue
        off = grid and (white in out) != (black in out)
        for own, other, color in ((white, black, "w"), (black, white, "b")):
            key = (own, other if grid else number)
            squares.setdefault(key, []).append(_game_square(outcome or "", color, numbers.get(other, 0), off))
    if grid:
        people.sort(key=lambda entry: entry.start_number or 0)
        keys: list[int] = [entry.pk for entry in people]
        heads = tuple(str(entry.start_number or "") for entry in people)
    else:
        keys = sorted({row[0] for row in rows}) or []
        heads = tuple(str(number) for number in keys)
    result = []
    for entry in people:
        cells = tuple(None if grid and key == entry.pk else tuple(squares.get((entry.pk, key), ())) for key in keys)
        line = lines.get(entry.pk)
        result.append(
            CrossRow(
                entry,
                line.place if line else None,
                line.points if line else None,
                cells,
                line.cells if line else ("",) * len(table.columns),
            )
        )
    return Crosstable(heads, table.columns, tuple(result), grid, after_round)


def _bye_square(kind: str, stage: Stage) -> Square:

    points = scoring_of(stage).bye(ByeKind(kind))
    return Square(0, f"–{format_points(points)}", "", str(BYE_WORDS[ByeKind(kind)]))


def _game_square(outcome: str, color: str, opponent: int, off: bool) -> Square:

    text = own_points(outcome, color) if outcome else "·"
    played = outcome not in ("+-", "-+", "--")
    side = _("White") if color == "w" else _("Black")
    words = [side, _("against No. %(number)s") % {"number": opponent}, text if outcome else _("no result yet")]
    if off:
        words.append(_("does not count"))
    return Square(opponent, text, color if played else "", ", ".join(words), off)
