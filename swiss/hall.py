"""What a stage in rounds shows on the screens of the hall: pairings by board and by name, standings, the next start."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from swiss.boards import boards_of, by_name
from swiss.models import Round
from swiss.plans import scheduled_start
from swiss.selectors import PUBLIC_STATES, public_rounds, round_stage
from swiss.tables import standings
from tourney.hall import NAMES, ROWS, HallKind, HallPage, RotationLine, numbered, parts
from tourney.models import Section, Stage, Tournament
from tourney.schedules import clock_words


def hall_kinds(_tournament: Tournament) -> list[HallKind]:
    """Return the kinds of pages of groups that play in rounds."""
    return [
        HallKind("countdown", gettext_lazy("Start of the next round"), _countdown, _has_rounds, 10, by_minute=True),
        HallKind("pairings", gettext_lazy("Pairings by board"), _pairings, _has_rounds, 20),
        HallKind("names", gettext_lazy("Pairings by name"), _names, _has_rounds, 22, usual=False),
        HallKind("standings", gettext_lazy("Standings"), _standings, _has_table, 30),
    ]


def _has_rounds(section: Section) -> bool:
    """Say whether a group has rounds of its own; a merged one is on the pages of its host."""
    return section.merged_into_id is None and round_stage(section) is not None


def _has_table(section: Section) -> bool:
    return round_stage(section) is not None


def _newest(section: Section | None) -> tuple[Stage, Round] | None:
    """Return the stage and its newest public round."""
    stage = round_stage(section) if section is not None else None
    if stage is None or section is None:
        return None
    stage.section.tournament = section.tournament
    rounds = public_rounds(stage)
    return (stage, rounds[-1]) if rounds else None


def _group(section: Section | None) -> str:
    return section.title_text if section is not None else ""


def _stopped(stage: Stage) -> bool:
    return stage.pauses.filter(ended_at=None).exists()


def _pairings(_tournament: Tournament, section: Section | None, _line: RotationLine, _now: datetime) -> list[HallPage]:
    found = _newest(section)
    if found is None:
        return []
    stage, round_ = found
    title = _("Round %(round)s") % {"round": round_.number}
    boards = boards_of(round_, stage)
    stopped = _stopped(stage)
    cut = parts(boards, ROWS)
    return [
        HallPage(
            f"{_group(section)} · {numbered(title, index, len(cut))}",
            "swiss/hall_boards.html",
            {"boards": rows, "stopped": stopped, "played": round_.number > 1},
            note=_open_words(boards),
        )
        for index, rows in enumerate(cut)
    ]


def _open_words(boards: list[Any]) -> str:
    games = [board for board in boards if board.black is not None]
    left = sum(1 for board in games if board.open)
    if not games or left == len(games):
        return ""
    return _("Still played: %(n)s of %(all)s") % {"n": left, "all": len(games)} if left else _("All results are in")


def _names(_tournament: Tournament, section: Section | None, _line: RotationLine, _now: datetime) -> list[HallPage]:
    found = _newest(section)
    if found is None:
        return []
    stage, round_ = found
    title = _("Round %(round)s") % {"round": round_.number}
    cut = parts(by_name(boards_of(round_, stage)), 2 * NAMES)
    return [
        HallPage(
            f"{_group(section)} · {numbered(title, index, len(cut))}",
            "swiss/hall_names.html",
            {"columns": parts(rows, NAMES)},
            note=f"{rows[0]['side'].name} – {rows[-1]['side'].name}",
        )
        for index, rows in enumerate(cut)
    ]


def _standings(_tournament: Tournament, section: Section | None, _line: RotationLine, _now: datetime) -> list[HallPage]:
    found = _newest(section)
    if found is None or section is None:
        return []
    stage, round_ = found
    merged = section.merged_into_id is not None or section.guests.exists()
    table = standings(stage, round_.number, of=section if merged else None)
    cut = parts(table.lines, ROWS)
    columns = table.columns[:2]
    title = _("Standings")
    return [
        HallPage(
            f"{_group(section)} · {numbered(title, index, len(cut))}",
            "swiss/hall_standings.html",
            {"lines": [(line, line.cells[: len(columns)]) for line in rows], "columns": columns},
            note=_after_words(stage, round_),
        )
        for index, rows in enumerate(cut)
    ]


def _after_words(stage: Stage, round_: Round) -> str:
    return _("After round %(round)s of %(rounds)s") % {
        "round": round_.number,
        "rounds": stage.rounds_total or round_.number,
    }


def _countdown(tournament: Tournament, section: Section | None, _line: RotationLine, now: datetime) -> list[HallPage]:
    """When the next round begins: one page while it is still to come, nothing while a round is played."""
    stage = round_stage(section) if section is not None else None
    if stage is None or section is None:
        return []
    stage.section.tournament = section.tournament
    if stage.state not in (Stage.State.READY, Stage.State.RUNNING) or _stopped(stage):
        return []
    newest = stage.rounds.order_by("-number").first()
    if newest is not None and newest.state in PUBLIC_STATES and newest.started_at is None and _waits(newest):
        number, at = newest.number, newest.scheduled_at
    elif newest is None or newest.state == Round.State.DONE or newest.state == Round.State.DRAFT:
        number = newest.number if newest and newest.state == Round.State.DRAFT else (newest.number if newest else 0) + 1
        if stage.rounds_total and number > stage.rounds_total:
            return []
        at = newest.scheduled_at if newest and newest.state == Round.State.DRAFT else scheduled_start(stage, number)
    else:
        return []
    if at is None or at <= now:
        return []
    clock = clock_words(str(stage.rules.get("clock", {}).get("main", "")))
    return [
        HallPage(
            f"{section.title_text} · " + _("Round %(round)s") % {"round": number},
            "swiss/hall_countdown.html",
            {
                "at": at,
                "tournament": tournament,
                "seconds_left": int((at - now).total_seconds()),
                "is_near": (at - now).total_seconds() < 24 * 3600,
                "clock": clock,
            },
        )
    ]


def _waits(round_: Round) -> bool:
    """Say whether a round has begun to be played: one result is enough."""
    return not round_.pairings.filter(game__isnull=False).exclude(game__outcome="").exists()
