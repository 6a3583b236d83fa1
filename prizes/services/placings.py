"""Publishing places: a closed stage becomes a numbered list; what changes afterwards is the next list, with its reason.

A list is never edited. A disqualification within the days the regulation allows after the end (M7.9) writes the next
one: the others move up, prizes are worked out anew, and the public page says what changed and why.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from prizes.engine.playoff import Kind
from prizes.models import PlayoffRecord
from prizes.selectors.ends import event_ended_at
from prizes.selectors.places import DraftList, Standing, standing_of
from prizes.selectors.ties import tie_lots, tie_subject
from prizes.services.awards import rebuild_awards
from prizes.services.fund import fix_pots
from registration.engine import sanctions
from tourney.kernel.errors import TourneyError
from tourney.models import Entry, EntryEvent, Lot, Placement, PlacementList, Sanction, Section, Stage, Tournament
from tourney.selectors import current_regulation, current_spec, host_of
from tourney.services.log import log
from tourney.services.lots import draw_now
from tourney.services.stages import bump, lock_stage


@transaction.atomic
def publish_placings(section: Section, *, actor: Any, reason: str = "") -> list[PlacementList]:
    """Close the group's stages and publish its places: one list for each group of a merge and for each category.

    The first list needs no reason, every later one does. Raises TourneyError ``placing.no_start_list``,
    ``placing.not_started``, ``placing.games_open``, ``placing.not_played_out``, ``placing.no_results``,
    ``placing.playoff_due``, ``placing.reason_needed``, ``placing.nothing_changed``, ``placing.disqualified_too_late``.
    """
    standing = _locked(section)
    if standing.obstacles:
        raise standing.obstacles[0]
    again = standing.is_published
    changed = standing.changed
    if again and not changed:
        raise TourneyError("placing.nothing_changed")
    if again and not reason.strip():
        raise TourneyError("placing.reason_needed")
    if again:
        _check_disqualified(standing)
    rules = fix_pots(standing.host.tournament)
    lists = [_write(one, standing, actor, reason) for one in changed]
    _close(standing)
    for home in (standing.host, *standing.guests):
        rebuild_awards(home, rules=rules)
    log(
        standing.host.tournament,
        "prizes.placings_corrected" if again else "prizes.placings_published",
        actor=actor,
        reason=reason,
        section=standing.host.code,
        number=max((one.number for one in lists if one.category_id is None), default=lists[0].number),
        lists=[one.pk for one in lists],
    )
    return lists


@transaction.atomic
def draw_ties(section: Section, *, actor: Any) -> list[Lot]:
    """Draw the order of players equal on everything, for every shared place that waits for it; return the lots.

    Only where the regulation says so, and when all is played. Raises TourneyError ``placing.still_playing``,
    ``placing.no_lots_due``.
    """
    Tournament.objects.select_for_update(no_key=True).get(pk=section.tournament_id)  # the chain of lots comes first
    standing = _locked(section)
    if any(stage.state not in (Stage.State.FINISHED, Stage.State.CLOSED) for stage in standing.stages):
        raise TourneyError("placing.still_playing")
    before = tie_lots(section.tournament)
    drawn = [
        draw_now(
            section.tournament,
            purpose=Lot.Purpose.TIE,
            subject=tie_subject(draft.section, place, tied, before),
            kind="pots",
            pots=[[str(entry) for entry in tied]],
            actor=actor,
        ).lot
        for draft in standing.own_lists
        for place, tied in draft.ties
        if draft.playoff is None  # who shares first place may still come down to a lower one
    ]
    if not drawn:
        raise TourneyError("placing.no_lots_due")
    if standing.stage is not None:
        bump(standing.stage)
    log(
        section.tournament,
        "prizes.ties_drawn",
        actor=actor,
        section=section.code,
        numbers=", ".join(str(lot.number) for lot in drawn),
    )
    return drawn


def _locked(section: Section) -> Standing:
    """Return where a group stands, under the lock of the stage that decides it."""
    host = host_of(section)
    last = host.stages.exclude(kind=Stage.Kind.PLAYOFF).order_by("-ordinal").values_list("pk", flat=True).first()
    if last is not None:
        lock_stage(last)
    return standing_of(host)


def _write(draft: DraftList, standing: Standing, actor: Any, reason: str) -> PlacementList:
    made = PlacementList.objects.create(
        section=draft.section,
        category=draft.category,
        stage=standing.stage,
        number=(draft.published.number if draft.published else 0) + 1,
        regulation=current_regulation(standing.host.tournament),
        reason=reason,
        author=actor if getattr(actor, "is_authenticated", False) else None,
        published_at=timezone.now(),
    )
    Placement.objects.bulk_create(
        Placement(
            list=made, entry=line.entry, place=line.place, place_to=line.place_to, points=line.points, note=line.note
        )
        for line in draft.lines
    )
    return made


def _close(standing: Standing) -> None:
    for stage in standing.stages:
        if stage.state != Stage.State.CLOSED:
            stage.state = Stage.State.CLOSED
            stage.save(update_fields=["state"])
        bump(stage)


def _check_disqualified(standing: Standing) -> None:
    """Refuse a list that leaves out somebody who was disqualified after the days the regulation allows (M7.9)."""
    out = {
        line.entry.pk: line.entry
        for one in standing.own_lists
        for line in one.lines
        if line.note == "disqualified" and _had_place(one, line.entry)
    }
    if not out:
        return
    spec = current_spec(standing.host.tournament)
    rules = sanctions.parse(spec.block("sanctions") or {}, spec.time_zone)
    ended = event_ended_at(standing.host.tournament)
    decided = _decided_at(out)
    late = [
        entry.name
        for pk, entry in out.items()
        if not sanctions.may_disqualify(rules, decided.get(pk) or timezone.now(), ended)
    ]
    if late:
        raise TourneyError("placing.disqualified_too_late", players=late)


def _had_place(draft: DraftList, entry: Entry) -> bool:
    lines = draft.published.lines.all() if draft.published else ()
    return any(line.entry_id == entry.pk and line.place is not None for line in lines)


def _decided_at(entries: Collection[int]) -> dict[int, datetime]:
    """Return when each of these was disqualified: by the decision itself, else by what happened to the entry."""
    found: dict[int, datetime] = dict(
        EntryEvent.objects.filter(entry__in=entries, state=Entry.State.DISQUALIFIED)
        .values_list("entry")
        .annotate(last=Max("at"))
    )
    decisions = Sanction.objects.filter(
        entry__in=entries, kind=Sanction.Kind.REMOVAL, revokes=None, revoked_by=None
    ).values_list("entry")
    found.update(decisions.annotate(last=Max("at")))
    return found


# -- playing off first place (M8.2) ----------------------------------------------------------------------------------


@transaction.atomic
def record_playoff(
    section: Section,
    *,
    winner: int,
    games: str,
    started_at: datetime,
    actor: Any,
    runner_up: int | None = None,
    reason: str = "",
    by_lot: bool = False,
    operation: UUID | None = None,
) -> PlayoffRecord:
    """Write down how the tie for first place of a group was settled, in the arbiter's words.

    Earlier than the pause after the claimants' last game only with a reason. Raises TourneyError
    ``placing.no_playoff_due``, ``placing.still_playing``, ``placing.not_a_claimant``, ``placing.same_player_twice``,
    ``placing.playoff_games_missing``, ``placing.playoff_too_early``, ``placing.playoff_in_future``, ``playoff.is_on``
    (what is played game by game is not told in words beside it).
    """
    done = PlayoffRecord.objects.filter(operation=operation).first() if operation else None
    if done is not None:
        return done
    standing = _locked(section)
    if any(stage.state not in (Stage.State.FINISHED, Stage.State.CLOSED) for stage in standing.stages):
        raise TourneyError("placing.still_playing")
    draft = next((one for one in standing.own_lists if one.section.pk == section.pk), None)
    if draft is None or draft.playoff is None:
        raise TourneyError("placing.no_playoff_due")
    if draft.match is not None:
        raise TourneyError("playoff.is_on")
    between = [int(entry) for entry in draft.playoff.between]
    _check_result(between, winner, runner_up)
    if not games.strip():
        raise TourneyError("placing.playoff_games_missing")
    if started_at > timezone.now():
        raise TourneyError("placing.playoff_in_future")
    earliest = draft.playoff.earliest_start
    if earliest is not None and started_at < earliest and not reason.strip():
        local = timezone.localtime(earliest, section.tournament.zone)
        raise TourneyError("placing.playoff_too_early", earliest=f"{local:%H:%M}")
    kind = PlayoffRecord.Kind.TWO_GAMES if draft.playoff.kind is Kind.TWO_GAMES else PlayoffRecord.Kind.BLITZ_TOURNAMENT
    record = PlayoffRecord.objects.create(
        section=draft.section,
        stage=standing.stage,
        kind=PlayoffRecord.Kind.LOTS if by_lot else kind,
        between=between,
        winner_id=winner,
        runner_up_id=runner_up,
        started_at=started_at,
        games=games.strip(),
        reason=reason.strip(),
        by=actor if getattr(actor, "is_authenticated", False) else None,
        at=timezone.now(),
        operation=operation,
    )
    if standing.stage is not None:
        bump(standing.stage)
    log(
        section.tournament,
        "prizes.playoff_recorded",
        actor=actor,
        reason=reason,
        section=section.code,
        winner=record.winner.name,
        games=record.games,
    )
    return record


def _check_result(between: Sequence[int], winner: int, runner_up: int | None) -> None:
    if winner not in between or (runner_up is not None and runner_up not in between):
        raise TourneyError("placing.not_a_claimant")
    if winner == runner_up:
        raise TourneyError("placing.same_player_twice")
