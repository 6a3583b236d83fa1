"""Standings and crosstables as pages show them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape  # of text alone: Django's own looks for lazy and safe strings in each of 3,000 cells
from typing import Any

from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from prizes.engine.tiebreaks import KINDS
from swiss.boards import own_points, player_addresses
from swiss.labels import BYE_WORDS
from swiss.models import Pairing
from swiss.selectors import PUBLIC_STATES, entries_of, ranking_rules, scoring_of
from swiss.unpublished import of_stage
from tourney.kernel.outcomes import ByeKind
from tourney.kernel.points import format_points
from tourney.models import Entry, Section, Stage, StandingRow
from tourney.regulation_schema.play import RATINGS
from tourney.regulation_schema.stages import TIE_BREAKS

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

    def rows_html(self, query: str) -> SafeString:
        """Return the body of the table: in one piece, for a template takes ten times as long over 3,000 cells.

        `query` is that of the page: a place leads to the same table with its line opened.
        """
        more, players = (
            escape(f"{query}&" if query else "?"),
            player_addresses(line.entry.section for line in self.lines),
        )
        rows = []
        for line in self.lines:
            entry, shown = line.entry, line.entry.shown
            rating = "–" if shown.rating is None else shown.rating
            cells = "".join(f'<td class="num">{escape(cell)}</td>' for cell in line.cells)
            rows.append(
                f'<tr id="e{entry.pk}"><td class="rank"><a href="{more}why={entry.pk}#why">{line.place}</a></td>'
                f'<th class="name" scope="row"><a href="{players[entry.section_id]}{entry.pk}/">'
                f'{escape(entry.name)}</a></th><td class="pts">{format_points(line.points)}</td>{cells}'
                f'<td class="num far">{entry.start_number}</td><td class="num far">{rating}</td>'
                + (f'<td class="far">{escape(shown.from_where)}</td></tr>' if self.clubs else "</tr>")
            )
        return mark_safe("\n".join(rows))  # noqa: S308 -- every text in it is escaped above


def tie_text(text: str) -> str:
    """Return a tie-break value as people write it: ``31.5`` is ``31½``, ``9.25`` keeps its digits."""
    if text.endswith(".5"):
        whole = text[:-2]
        return f"{'' if whole == '0' else whole}½"
    return text


def columns_of(stage: Stage) -> tuple[Column, ...]:
    """Return the tie-breaks of a stage as columns, without the points.

    A tie-break by rating says which rating it takes and how players without one count.
    """
    rules = ranking_rules(stage)
    said = []
    if rules.rating and rules.rating != stage.rules.get("rating", {}).get("use"):
        said.append(str(RATINGS.get(rules.rating, rules.rating)))
    if rules.unrated is not None:
        said.append(_("without a rating: %(rating)s") % {"rating": rules.unrated})
    columns = []
    for code in rules.order:
        if code in ("PTS", "LOT"):  # a lot is drawn at the end and no column
            continue
        title = str(TIE_BREAKS.get(code, code))
        if said and KINDS[code.split("/")[0]].needs_ratings:
            title = f"{title} ({'; '.join(said)})"
        columns.append(Column(code, str(SHORT.get(code, code.replace("/", "-"))), title))
    return tuple(columns)


def standings(stage: Stage, after_round: int, *, of: Section | None = None) -> Table:
    """Return the standings after a round; `of` keeps one group of a merged tournament, with its own places (M7.8).

    Two queries, and one more where somebody's rating is not published.
    """
    entries = entries_of(stage)
    private = of_stage(stage, entries)
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
            if private.hides(column.code, pk):
                cells[index] = "–"
        lines.append(Line(entries[pk], place_of_rank[rank], ranks[rank] > 1, points, tuple(cells)))
    listed = {row[0] for row in rows}
    out = [entry for entry in entries.values() if entry.pk not in listed and (of is None or entry.section_id == of.pk)]
    return Table(
        after_round,
        columns,
        tuple(lines),
        clubs=any(line.entry.shown.from_where for line in lines),
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
