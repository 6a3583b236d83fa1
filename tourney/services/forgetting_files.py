"""Names on their way out of kept files of games: part after part, by any worker, as often as it takes.

A file is kept as it was handed in, so that it can be read again; of a person who is erased it keeps the moves only. A
part is cleaned in one transaction with the note how far the name is out (`NameToForget.up_to`): a killed worker's
successor begins with the part it had in hand, and a message that comes twice finds the row held, or the next part. The
row goes, and with it the name, when no part is left. Whoever needs clean files before that (reading one again, writing
an archive) does the work itself instead of waiting for somebody who may not come.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db import transaction
from django.db.models import Min, Sum

from tourney import queue
from tourney.game_matching import Finder
from tourney.models import GameImport, GameImportPart, GamePlacing, Job, NameToForget, Tournament
from tourney.services.forgetting import TASK
from tourney.services.forgetting_words import Forgotten, finder_as_before, forgotten, records

_LOCK_CLASS = 7_060_520  # the first half of the two-number advisory lock; the second is the event's id
SLICE = 15.0  # seconds a worker gives an event before others have their turn
_Sides = dict[int, str]  # record, numbered from 1 → which side of it is the player's


def names_go(tournament: Tournament) -> bool:
    """Return whether kept files of an event may still hold a name that must be known no longer."""
    return NameToForget.objects.filter(tournament=tournament).exists()


def progress(tournament: Tournament) -> dict[str, Any] | None:
    """Return how far the names are out, in bytes, and whether that has stopped; None when no name is left."""
    rows = list(NameToForget.objects.filter(tournament=tournament).select_related("job"))
    if not rows:
        return None
    parts = GameImportPart.objects.filter(game_import__tournament=tournament)
    clean = parts.filter(pk__lte=min(row.up_to for row in rows))
    jobs = [row.job for row in rows if row.job is not None]
    return {
        "done": clean.aggregate(size=Sum("size"))["size"] or 0,
        "total": parts.aggregate(size=Sum("size"))["size"] or 0,
        "people": len({row.entry_id for row in rows}),
        "failed": not any(job.is_open for job in jobs),
    }


@transaction.atomic
def ask_again(tournament: Tournament) -> None:
    """Ask workers once more, after the work has failed."""
    rows = NameToForget.objects.filter(tournament=tournament)
    if rows.exists():
        rows.update(job=queue.enqueue(TASK, tournament.pk))


def run_slice(event: int, *, seconds: float = SLICE) -> None:
    """Take names out of an event's files until none is left or the slice is over, and ask for the next slice then."""
    tournament = Tournament.objects.filter(pk=event).first()
    if tournament is None:
        return
    # One worker for an event: several people erased at once must not keep every worker from what has its hour.
    with queue.alone(_LOCK_CLASS, tournament.pk % 2**31) as is_ours:
        if not is_ours:
            raise queue.Busy
        done = take_out(tournament, until=time.monotonic() + seconds)
    if not done:
        ask_again(tournament)


def ask_where_it_stopped() -> int:
    """Ask again for every event whose work was given up, and return how many: a name is never left to stay."""
    stopped = NameToForget.objects.exclude(job__state__in=Job.OPEN)
    events = Tournament.objects.filter(pk__in=stopped.values("tournament"))
    for tournament in events:
        ask_again(tournament)
    return len(events)


def take_out(tournament: Tournament, *, until: float | None = None) -> bool:
    """Take the names out of part after part; return whether none is left. `until` is of the monotonic clock."""
    work = _Work(tournament)
    while work.next_part():
        if until is not None and time.monotonic() > until:
            return not names_go(tournament)
    return True


def clean_part(pk: int) -> None:
    """Take the names out of one part that is needed now. In a transaction; the others stay to be done."""
    event = Tournament.objects.get(game_imports__parts=pk)
    names = _oldest(NameToForget.objects.filter(tournament=event))
    _Work(event).clean(pk, [one for one in names if one.up_to < pk])


def _oldest(names: Iterable[NameToForget]) -> list[NameToForget]:
    """Return the names that can go at once: of a player who was renamed twice the first one."""
    found: dict[int, NameToForget] = {}
    for one in names:
        found.setdefault(one.entry_id, one)
    return list(found.values())


class _Work:
    """What is read once for many parts: the finder, and each file's records placed by hand."""

    def __init__(self, tournament: Tournament) -> None:
        self._tournament = tournament
        self._for: tuple[int, ...] = ()
        self._finder: Finder | None = None
        self._players: dict[int, Forgotten] = {}
        self._placings: dict[int, Mapping[int, int | None]] = {}

    @transaction.atomic
    def next_part(self) -> bool:
        """Clean the first part a name is still in, or let go of the names that are in none; False: no name is left."""
        asked = NameToForget.objects.filter(tournament=self._tournament).order_by("pk")
        names = _oldest(asked.select_for_update(of=("self",)).select_related("entry"))
        if not names:
            return False
        parts = GameImportPart.objects.filter(game_import__tournament=self._tournament)
        last = min(one.up_to for one in names)
        pk = parts.filter(pk__gt=last).aggregate(first=Min("pk"))["first"]
        if pk is None:
            self._in_reports(names)
            NameToForget.objects.filter(pk__in=[one.pk for one in names]).delete()
            return True
        here = [one for one in names if one.up_to < pk]
        self.clean(pk, here)
        NameToForget.objects.filter(pk__in=[one.pk for one in here]).update(up_to=pk)
        return True

    def clean(self, pk: int, names: Sequence[NameToForget]) -> None:
        """Rename players in a part and in what is reported of it."""
        players, finder = self._people(names)
        part = GameImportPart.objects.select_for_update(of=("self",)).filter(pk=pk).first()
        if part is None or not players:
            return
        earlier = GameImportPart.objects.filter(game_import=part.game_import_id, number__lt=part.number)
        before = earlier.aggregate(games=Sum("games"))["games"] or 0
        text = bytes(part.content).decode(errors="replace")
        sides: dict[int, _Sides] = {player.entry: {} for player in players}
        pieces = []
        for number, (tags, piece) in enumerate(records(text), 1):
            game = self._game(part.game_import_id, before + number, tags, players, finder)
            for player in players:
                side = player.mine.get(game or 0, "") or player.side_in(tags)
                if side:
                    sides[player.entry][number] = side
                piece = player.in_record(piece, side)
            pieces.append(piece)
        after = "".join(pieces)
        lines = part.lines
        for player in players:
            lines = [player.in_line(line, sides[player.entry].get(line["number"], "")) for line in lines]
        if after != text or lines != part.lines:
            part.content, part.lines = after.encode(), lines
            part.save(update_fields=["content", "lines"])
        _in_report(part.game_import_id, players, sides, before)

    def _people(self, names: Sequence[NameToForget]) -> tuple[list[Forgotten], Finder]:
        """Return whose names go, and the finder that still knows them."""
        asked = tuple(one.pk for one in names)
        if asked != self._for or self._finder is None:
            self._for = asked
            self._finder = finder_as_before(self._tournament, {one.entry_id: one.known for one in names})
            self._players = {one.entry_id: forgotten(one.entry, one.known, one.instead, self._finder) for one in names}
        return list(self._players.values()), self._finder

    def _game(
        self, file: int, number: int, tags: Mapping[str, str], players: Sequence[Forgotten], finder: Finder
    ) -> int | None:
        """Return the game of a record: where somebody put it, else where it belongs by what it says."""
        if file not in self._placings:
            told = GamePlacing.objects.filter(game_import=file).order_by("pk").values_list("number", "game_id")
            self._placings[file] = dict(told)
        if number in self._placings[file]:
            return self._placings[file][number]
        if any(finder.may_name(player.entry, tags) for player in players):
            return finder.find(tags, "").pk
        return None

    def _in_reports(self, names: Sequence[NameToForget]) -> None:
        """Rename players in lines of reports that stand for no part that is still there."""
        players, _finder = self._people(names)
        for pk in GameImport.objects.filter(tournament=self._tournament).values_list("pk", flat=True):
            _in_report(pk, players, {player.entry: {} for player in players}, None)


def _in_report(pk: int, players: Sequence[Forgotten], sides: Mapping[int, _Sides], before: int | None) -> None:
    """Rename players in a file's report: in the lines of one part (after `before` records), or in all of them."""
    known = GameImport.objects.select_for_update(no_key=True).only("pk", "report").get(pk=pk)
    problems = was = known.report.get("problems", [])
    for player in players:
        mine = {number + (before or 0): side for number, side in sides[player.entry].items()}
        problems = [
            player.in_line(line, mine.get(line["number"], "")) if before is None or line["number"] in mine else line
            for line in problems
        ]
    if problems != was:
        known.report = {**known.report, "problems": problems}
        known.save(update_fields=["report"])
