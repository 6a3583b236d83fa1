"""What a stage in rounds prints: pairings by board and by name, standings, crosstable, Berger table, slips."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from swiss.berger_plan import berger_plan
from swiss.boards import boards_of, by_name
from swiss.models import Round
from swiss.selectors import public_rounds, round_stage
from swiss.tables import crosstable, standings
from tourney.formatting import moment_text, result_text
from tourney.kernel.points import format_points
from tourney.models import Section, Stage
from tourney.paper import DARK, Column, Sheet, SheetKind, Slip, Table
from tourney.schedules import clock_words


def sheet_kinds(section: Section) -> list[SheetKind]:
    """Return the sheets of a group that plays in rounds."""
    stage = round_stage(section)
    if stage is None or section.merged_into_id is not None:
        return []
    table = stage.kind == Stage.Kind.ROUND_ROBIN
    return [
        SheetKind("pairings", gettext_lazy("Pairings by board"), _pairings, 20),
        SheetKind("names", gettext_lazy("Pairings by name"), _names, 22),
        SheetKind("standings", gettext_lazy("Standings"), _standings, 30),
        SheetKind("crosstable", gettext_lazy("Crosstable"), _crosstable, 40, usual=table),
        *([SheetKind("berger", gettext_lazy("Berger table"), _berger, 42, usual=False)] if table else []),
        SheetKind("slips", gettext_lazy("Result slips"), _slips, 60),
    ]


def _newest(section: Section) -> tuple[Stage, Round] | None:
    stage = round_stage(section)
    if stage is None:
        return None
    stage.section.tournament = section.tournament
    rounds = public_rounds(stage)
    return (stage, rounds[-1]) if rounds else None


def _round_title(round_: Round) -> str:
    return _("Round %(n)s") % {"n": round_.number}


def _when(stage: Stage, round_: Round) -> str:
    zone = stage.section.tournament.zone
    clock = clock_words(str(stage.rules.get("clock", {}).get("main", "")))
    moment = moment_text(round_.scheduled_at, zone) if round_.scheduled_at else ""
    return " · ".join(part for part in (moment, clock) if part)


def _points(value: int | None) -> str:
    return "" if value is None else format_points(value)


def _pairings(section: Section) -> list[Sheet]:
    found = _newest(section)
    if found is None:
        return []
    stage, round_ = found
    columns = (
        Column(_("Board"), "right", strong=True),
        Column("№", "right"),
        Column("○ " + _("White"), strong=True),
        Column(_("Rating"), "right"),
        Column(_("Points"), "right"),
        Column(_("Result"), "center", strong=True, write=True),
        Column(_("Points"), "right"),
        Column("● " + _("Black"), strong=True),
        Column(_("Rating"), "right"),
        Column("№", "right"),
    )
    rows = []
    for board in boards_of(round_, stage):
        white = (str(board.white.number or ""), board.white.name, str(board.white.rating or "–"))
        head = (str(board.number or ""), *white, _points(board.white.points))
        if board.black is None:
            rows.append((*head, "", "", board.bye, "", ""))
            continue
        black = (_points(board.black.points), board.black.name, str(board.black.rating or "–"))
        rows.append((*head, result_text(board.result) if board.result else "", *black, str(board.black.number or "")))
    key = f"{section.code}:pairings:{round_.number}"
    table = Table(columns, tuple(rows))
    return [Sheet(key, _round_title(round_), table, _when(stage, round_), section.title_text)]


def _names(section: Section) -> list[Sheet]:
    found = _newest(section)
    if found is None:
        return []
    stage, round_ = found
    columns = (
        Column(_("Player"), strong=True),
        Column(_("Board"), "right", strong=True),
        Column("", "center"),
        Column(_("Opponent")),
    )
    rows = tuple(
        (
            line["side"].name,
            str(line["board"] or "") if line["opponent"] else "",
            {"w": "○", "b": "●"}.get(line["color"], ""),
            line["opponent"].name if line["opponent"] else line["bye"],
        )
        for line in by_name(boards_of(round_, stage))
    )
    title = _("Round %(n)s, by name") % {"n": round_.number}
    table = Table(columns, rows, side_by_side=True, legend=("○ " + _("White"), "● " + _("Black")))
    key = f"{section.code}:names:{round_.number}"
    return [Sheet(key, title, table, _when(stage, round_), section.title_text)]


def _after(stage: Stage, round_: Round) -> str:
    return _("After round %(round)s of %(rounds)s") % {
        "round": round_.number,
        "rounds": stage.rounds_total or round_.number,
    }


def _standings(section: Section) -> list[Sheet]:
    found = _newest(section)
    if found is None:
        return []
    stage, round_ = found
    guests = list(section.guests.order_by("ordinal"))
    sheets = []
    for of in [None] if not guests else [section, *guests]:
        shown = of or section
        shown.tournament = section.tournament
        table = standings(stage, round_.number, of=of)
        columns = (
            Column(_("Place"), "right", strong=True),
            Column("№", "right"),
            Column(_("Player"), strong=True),
            Column(_("Rating"), "right"),
            *([Column(_("Club, town"))] if table.clubs else []),
            Column(_("Points"), "right", strong=True),
            *(Column(column.label, "right") for column in table.columns),
        )
        rows = tuple(
            (
                str(line.place),
                str(line.entry.start_number or ""),
                line.name,
                str(line.entry.shown.rating or "–"),
                *([line.entry.shown.from_where] if table.clubs else []),
                format_points(line.points),
                *line.cells,
            )
            for line in table.lines
        )
        legend = tuple(f"{column.label} – {column.title}" for column in table.columns)
        title = _("Standings")
        content = Table(columns, rows, legend=legend)
        if rows:
            key = f"{shown.code}:standings"
            sheets.append(Sheet(key, title, content, _after(stage, round_), shown.title_text))
    return sheets


def _square(square: Any) -> str:
    """Return a game as tables of the field write it: ``12w1``; a bye or a forfeit has no colour."""
    letter = {"w": pgettext("letter in a crosstable", "w"), "b": pgettext("letter in a crosstable", "b")}
    return f"{square.opponent or ''}{letter.get(square.color, '')}{square.text}"


def _crosstable(section: Section) -> list[Sheet]:
    found = _newest(section)
    if found is None:
        return []
    stage, round_ = found
    cross = crosstable(stage, round_.number)
    columns = (
        *([Column("№", "right")] if cross.grid else [Column(_("Place"), "right", strong=True), Column("№", "right")]),
        Column(_("Player"), strong=True),
        *(Column(head, "center") for head in cross.heads),
        Column(_("Points"), "right", strong=True),
        *(Column(column.label, "right") for column in cross.columns),
        *([Column(_("Place"), "right", strong=True)] if cross.grid else []),
    )
    rows = []
    for row in cross.rows:
        number, place = str(row.entry.start_number or ""), str(row.place or "")
        if cross.grid:
            cells = [DARK if cell is None else " ".join(one.text for one in cell) for cell in row.cells]
        else:
            cells = [" ".join(_square(one) for one in cell or ()) for cell in row.cells]
        head = (number,) if cross.grid else (place, number)
        end = (place,) if cross.grid else ()
        rows.append((*head, row.name, *cells, _points(row.points), *row.tail, *end))
    legend = tuple(f"{column.label} – {column.title}" for column in cross.columns)
    if not cross.grid:
        legend = (_("In the squares: start number of the opponent, colour, result"), *legend)
    table = Table(columns, tuple(rows), legend=legend)
    return [Sheet(f"{section.code}:crosstable", _("Crosstable"), table, _after(stage, round_), section.title_text)]


def _berger(section: Section) -> list[Sheet]:
    stage = round_stage(section)
    if stage is None:
        return []
    stage.section.tournament = section.tournament
    plan = berger_plan(stage)
    if plan is None:
        return []
    pairs = max(len(row[1]) for row in plan.rounds)
    free = any(row[2] for row in plan.rounds)
    columns = (
        Column(_("Round"), "right", strong=True),
        *(Column("", "center") for _index in range(pairs)),
        *([Column(pgettext("no game", "free"), "right")] if free else []),
    )
    rows = tuple(
        (str(number), *games, *[""] * (pairs - len(games)), *([str(idle or "")] if free else []))
        for number, games, idle in plan.rounds
    )
    names = tuple(f"{line.entry.start_number} {line.name}" for line in plan.lines)
    table = Table(columns, rows, legend=names)
    return [Sheet(f"{section.code}:berger", _("Berger table"), table, _("White – Black"), section.title_text)]


def _slips(section: Section) -> list[Sheet]:
    found = _newest(section)
    if found is None:
        return []
    stage, round_ = found
    signers = (_("White"), _("Black"), _("Arbiter"))
    slips = tuple(
        Slip(
            f"{section.title_text} · "
            + _("round %(n)s, board %(board)s") % {"n": round_.number, "board": board.number},
            board.white.name,
            board.black.name,
            ("1–0", "½–½", "0–1"),
            signers,
        )
        for board in boards_of(round_, stage, staff=True)
        if board.black is not None and board.open
    )
    title = _("Result slips, round %(n)s") % {"n": round_.number}
    return [Sheet("", title, slips, group=section.title_text)] if slips else []
