"""A stage as a report file for other programs: the rating report (`swiss.reports`) with what a pairing program needs.

Added to it are the system, the colour that was drawn, forbidden pairs, virtual points, byes of rounds to come and a
comment for every round changed by hand. Names are in Latin letters or as they are written.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from django.utils.translation import gettext as _

from swiss.engine.rounds import virtual_points_of
from swiss.engine.rules import SwissRules
from swiss.models import ByeRequest, ForbiddenPair
from swiss.plans import COLORS, given_points, stage_rules
from swiss.questions import first_color_of
from swiss.reports import report_of
from swiss.selectors import entries_of, stage_record
from swiss.services.hand import HAND
from tourney.kernel.outcomes import ByeKind
from tourney.kernel.trf import ForbiddenGroup, Trf
from tourney.models import Entry, Player, Stage

LATIN, OWN = "latin", "own"
LETTERS: Final = (LATIN, OWN)
PROGRAM = "Tourney"


def exchange_report(stage: Stage, *, letters: str = LATIN, national: bool = True) -> Trf:
    """Return a stage as a report that another program can go on with."""
    report = report_of(stage)
    entries = {entry.start_number: entry for entry in entries_of(stage).values()}
    use = str((stage.rules.get("rating") or {}).get("use", ""))
    players = tuple(
        replace(
            player,
            name=written_name(entries[player.number].player) if letters == OWN else player.name,
            rating=_fide_rating(entries[player.number], use) or player.rating,
            national=player.national if national else (),
        )
        for player in report.players
    )
    comments = (*_hand_comments(stage), *_wish_comments(stage))
    report = replace(report, players=players, header=_header(report, stage), comments=comments)
    return _with_settings(report, stage) if stage.kind == Stage.Kind.SWISS else report


def _fide_rating(entry: Entry, use: str) -> int | None:
    """Return the FIDE rating an event is played by; the report for the federation has the standard one."""
    value = (entry.ratings or {}).get(use) if use.startswith("fide_") else None
    return value if isinstance(value, int) and value > 0 else None


def written_name(player: Player) -> str:
    """Return a name as reports have it: surname, comma, given name."""
    return ", ".join(part for part in (player.surname, player.given_name) if part)


def _header(report: Trf, stage: Stage) -> dict[str, str]:
    if stage.kind == Stage.Kind.SWISS:
        system = "FIDE_DUTCH"
    else:
        size = len(report.players)
        double = report.rounds_total > size - 1 + size % 2
        system = "FIDE_DOUBLEROUNDROBIN" if double else "FIDE_ROUNDROBIN"
    return {**report.header, "182": PROGRAM, "192": system}


def _hand_comments(stage: Stage) -> tuple[str, ...]:
    """Say which rounds the arbiter changed by hand, so that a check by another program isn't a riddle."""
    changed = [
        (number, explanation[HAND])
        for number, explanation in stage.rounds.order_by("number").values_list("number", "explanation")
        if explanation.get(HAND)
    ]
    return tuple(
        _("Round %(round)s was changed by hand, exchanges: %(exchanges)s.")
        % {"round": number, "exchanges": len(session.get("exchanges", ()))}
        for number, session in changed
    )


def _wish_comments(stage: Stage) -> tuple[str, ...]:
    """Say which pairs are kept apart only while a pairing allows it: record 260 knows pairs that never meet."""
    wishes = ForbiddenPair.objects.filter(stage=stage, soft=True).order_by("pk")
    found = []
    for first, second, start, end in wishes.values_list(
        "first__start_number", "second__start_number", "from_round", "to_round"
    ):
        if first and second:
            low, high = sorted((first, second))
            text = _("Nos. %(first)s and %(second)s: kept apart if possible, rounds %(from)s–%(to)s (a wish).")
            found.append(text % {"first": low, "second": high, "from": start, "to": end or stage.rounds_total})
    return tuple(found)


def _with_settings(report: Trf, stage: Stage) -> Trf:
    record = stage_record(stage)
    number_of = {one.pk: one.number for one in record.people}
    rules = stage_rules(stage, len(record.people))
    virtual = given_points(record, stage.rounds_total)
    if virtual is None and isinstance(rules, SwissRules):
        virtual = virtual_points_of(record.history(), rules)
    # A wish that may be given up has no record of its own and is a comment: as a hard pair it could block a program.
    forbidden = ForbiddenPair.objects.filter(stage=stage, soft=False).values_list(
        "first_id", "second_id", "from_round", "to_round"
    )
    byes: dict[int, dict[int, ByeKind]] = {}
    coming = ByeRequest.objects.filter(stage=stage, round_number__gt=report.rounds_done)
    for pk, number, kind in coming.values_list("entry_id", "round_number", "kind"):
        if pk in number_of:
            byes.setdefault(number, {})[number_of[pk]] = ByeKind(kind)
    return replace(
        report,
        first_color=COLORS[first_color_of(stage)],
        accelerations={
            number_of[int(entry)]: tuple(points) for entry, points in (virtual or {}).items() if any(points)
        },
        forbidden=tuple(
            ForbiddenGroup((number_of[first], number_of[second]), start, end or 0)
            for first, second, start, end in forbidden
            if first in number_of and second in number_of
        ),
        byes=byes,
    )
