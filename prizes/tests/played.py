"""Events whose games are over, for tests of places and prizes: standings as given, or a bracket's order."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from tourney import panels
from tourney.models import Entry, Game, ResultRecord, Section, Stage, StandingRow, Tournament
from tourney.services.stages import close_entries
from tourney.testing import builders

SURNAMES = """
Антонюк Бондар Вдовенко Гнатюк Дяченко Євтушенко Жук Зінченко Іваненко Ковальчук Лисенко Мельник Назаренко Олійник
Павленко Романюк Савченко Ткаченко Усенко Федорук Харченко Цимбал Черненко Шевчук Щербак Юрченко Яценко
""".split()  # noqa: SIM905 -- a list of names reads better so


def group(event: Tournament, code: str = "", *, players: int = 4, **person: Any) -> Section:
    """Return a group with that many confirmed players, the strongest first."""
    section = event.sections.get(code=code) if code else event.sections.order_by("ordinal")[0]
    section.tournament = event
    for number in range(players):
        name = SURNAMES[number % len(SURNAMES)] + ("" if number < len(SURNAMES) else f" {number}")
        builders.entry(section, name, rating=2000 - 10 * number, **person)
    return section


def finished(
    section: Section,
    ranks: Sequence[int] | None = None,
    *,
    ended: datetime | None = None,
    points: Sequence[int] | None = None,
) -> list[Entry]:
    """Close the list and lay down final standings; `ranks` by start number (default 1, 2, 3 …). Return the entries.

    One game between the first and each other player stands for all games; the last one ended at `ended`.
    """
    stages = close_entries(section, actor=None)
    stage = stages[-1]
    entries = list(Entry.objects.filter(section__in=[section, *section.guests.all()]).order_by("start_number"))
    ranks = ranks or list(range(1, len(entries) + 1))
    ended = ended or timezone.now() - timedelta(hours=1)
    for number, (entry, rank) in enumerate(zip(entries, ranks, strict=True)):
        score = points[number] if points else 2 * (len(entries) - rank)
        StandingRow.objects.create(
            stage=stage, after_round=1, entry=entry, rank=rank, points=score, shared=ranks.count(rank) > 1
        )
    for board, other in enumerate(entries[1:], start=1):
        game = Game.objects.create(
            stage=stage, round_number=1, board=board, white=entries[0], black=other, outcome="1-0", finished_at=ended
        )
        ResultRecord.objects.create(game=game, outcome="1-0", at=ended)
    stages_of(section).update(state=Stage.State.FINISHED, finished_at=ended)
    return entries


def stages_of(section: Section) -> Any:
    return Stage.objects.filter(section=section)


def last_stage(section: Section) -> Stage:
    return stages_of(section).latest("ordinal")


def bracket_order(monkeypatch: Any, order: Sequence[tuple[int, int, int]]) -> None:
    """Let a bracket end in this order of (entry, place, place_to), whoever owns brackets."""
    monkeypatch.setitem(
        panels._registered, "placings", [lambda section: [(pk, place, to, None) for pk, place, to in order]]
    )


def finished_bracket(section: Section, monkeypatch: Any) -> list[Entry]:
    """End a bracket with the players in the order of their start numbers."""
    close_entries(section, actor=None)
    entries = list(section.entries.filter(start_number__isnull=False).order_by("start_number"))
    bracket_order(monkeypatch, [(entry.pk, place, place) for place, entry in enumerate(entries, start=1)])
    stages_of(section).update(state=Stage.State.FINISHED, finished_at=timezone.now() - timedelta(hours=1))
    return entries
