"""Stages: the lock every result goes through, the version live pages watch, and the close of entries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from django.db import connection, transaction
from django.db.models import QuerySet
from django.utils import timezone

from tourney.kernel.errors import TourneyError
from tourney.kernel.regulation import RegulationSpec
from tourney.kernel.systems import choose_option, rounds_of
from tourney.live import stage_changed
from tourney.models import Entry, Section, Stage, Tournament
from tourney.selectors import current_spec, playing_entries
from tourney.services.log import log


def lock_stage(stage_id: int, *, event_first: bool = False) -> Stage:
    """Return the stage under the row lock: the first and only lock of a transaction that changes play.

    `event_first` is for an act that also draws a lot or moves the event to another state: it locks the event's row
    before the stage's, so that two such acts never wait for each other.
    """
    if event_first:
        Tournament.objects.select_for_update(no_key=True).get(sections__stages=stage_id)
    return _locking().get(pk=stage_id)


def lock_stage_in_play(stage_id: int) -> Stage:
    """Return the stage under the row lock, in one statement; before its first act, the event's row is locked too.

    The first act of all moves the event too. Once play has begun a stage of matches never waits again.
    """
    waits = (Stage.State.PLANNED, Stage.State.READY)
    return _locking().exclude(state__in=waits).filter(pk=stage_id).first() or lock_stage(stage_id, event_first=True)


def _locking() -> QuerySet[Stage]:
    return Stage.objects.select_for_update(of=("self",)).select_related("section__tournament")


def bump(stage: Stage) -> None:
    """Say that something the public can see has changed; kept pages of the stage are old from the commit on."""
    with connection.cursor() as cursor:
        cursor.execute("UPDATE tourney_stage SET version = version + 1 WHERE id = %s RETURNING version", [stage.pk])
        row = cursor.fetchone()
    if row is not None:  # else the stage is gone, with its pages
        stage.version = row[0]
        stage_changed(stage.pk, stage.version)


def bump_all_of(entry: Entry) -> None:
    """Say that what pages call a player has changed: whatever follows the versions of the group's stages shows it.

    Screens of the hall, open pages and pictures to share do; a name that may be published no more must not stay there.
    """
    section = entry.section
    for stage in Stage.objects.filter(section__in=[section.pk, section.merged_into_id or section.pk]).order_by("pk"):
        bump(stage)


def proposed_stages(spec: RegulationSpec, players: int) -> list[tuple[str, dict[str, Any], dict[str, str]]]:
    """Return (code, chosen option, title) of every step for a head-count; the first option that fits wins (M7.2).

    Raises TourneyError ``stage.no_system`` when a step has no option for this number of players.
    """
    chosen = [(step, choose_option(step.options, players, f"{step.path}.options")[1]) for step in spec.stages()]
    return [(step.code, dict(option), dict(step.title)) for step, option in chosen]


def rules_of(spec: RegulationSpec, option: dict[str, Any]) -> dict[str, Any]:
    """Return everything a stage needs to know, copied from the regulation: the option and the blocks around it."""
    around = {
        name: spec.block(name)
        for name in (
            "rating",
            "clock",
            "schedule",
            "lateness",
            "match_formats",
            "conduct",
        )
    }
    return {**option, **{name: block for name, block in around.items() if block}}


class Numbering(Protocol):
    """Gives the players of a stage that is closed now their start numbers; they come numbered by rating."""

    def __call__(self, stage: Stage, entries: Sequence[Entry], *, actor: Any) -> None: ...


_NUMBERINGS: dict[str, Numbering] = {}


def register_numbering(kind: str, numbering: Numbering) -> None:
    """Let an app number the players of a system itself when entries close."""
    _NUMBERINGS[kind] = numbering


@transaction.atomic
def close_entries(
    section: Section,
    *,
    actor: Any,
    system: str = "",
    rounds: int | None = None,
    reason: str = "",
    numbered: bool = True,
) -> list[Stage]:
    """Freeze the start list and fix the system by the head-count rule, or by the chief arbiter's override.

    `system` ("swiss", "round_robin") and `rounds` override the rule and then need a `reason` (M7.2). Start numbers
    follow the rating the regulation pairs by now, unrated last, equals by title, class and name, unless the system
    numbers its players itself (`register_numbering`; not when `numbered` is False: the caller does it). Raises
    TourneyError ``stage.already_closed``, ``stage.merged``, ``stage.too_few``, ``stage.override_needs_reason``,
    ``stage.no_system``.
    """
    # Numbers may be drawn by lot, and the chain of draws is the event's: its row comes first.
    Tournament.objects.select_for_update(no_key=True).get(pk=section.tournament_id)
    section = Section.objects.select_for_update(of=("self",)).select_related("tournament").get(pk=section.pk)
    if section.merged_into_id:
        raise TourneyError("stage.merged")
    if section.stages.exclude(state=Stage.State.PLANNED).exists():
        raise TourneyError("stage.already_closed")
    entries = list(playing_entries(section))
    if len(entries) < 2:
        raise TourneyError("stage.too_few", players=len(entries))
    if (system or rounds) and not reason.strip():
        raise TourneyError("stage.override_needs_reason")

    spec = current_spec(section.tournament)
    steps = _overridden(spec, proposed_stages(spec, len(entries)), system, rounds)
    _freeze_ratings(entries, str(spec.block("rating").get("use", "")))
    number_by_rating(entries)
    section.stages.all().delete()
    stages = [
        Stage.objects.create(
            section=section,
            ordinal=ordinal,
            code=code,
            title=title,
            kind=option["kind"],
            rules=rules_of(spec, option),
            rounds_total=rounds_of(option, len(entries)),
            override_reason=reason if (system or rounds) else "",
            state=Stage.State.READY if ordinal == 1 else Stage.State.PLANNED,
        )
        for ordinal, (code, option, title) in enumerate(steps, start=1)
    ]
    now = timezone.now()
    Section.objects.filter(pk=section.pk).update(entries_closed_at=now)
    Section.objects.filter(merged_into=section).update(entries_closed_at=now)
    log(
        section.tournament,
        "stage.entries_closed",
        actor=actor,
        reason=reason,
        section=section.code,
        players=len(entries),
        system=stages[0].kind if stages else "",
        rounds=stages[0].rounds_total if stages else 0,
    )
    numbering = _NUMBERINGS.get(stages[0].kind) if stages and numbered else None
    if numbering is not None:
        numbering(stages[0], entries, actor=actor)
    return stages


@transaction.atomic
def reopen_entries(section: Section, *, actor: Any, reason: str) -> None:
    """Open a start list again while nothing has been paired or drawn (TourneyError ``stage.already_started``)."""
    section = Section.objects.select_for_update(of=("self",)).select_related("tournament").get(pk=section.pk)
    if section.stages.exclude(state__in=[Stage.State.PLANNED, Stage.State.READY]).exists():
        raise TourneyError("stage.already_started")
    section.stages.all().delete()
    Section.objects.filter(pk=section.pk).update(entries_closed_at=None)
    Section.objects.filter(merged_into=section).update(entries_closed_at=None)
    log(
        section.tournament,
        "stage.entries_reopened",
        actor=actor,
        reason=reason,
        section=section.code,
    )


def _overridden(
    spec: RegulationSpec,
    steps: list[tuple[str, dict[str, Any], dict[str, str]]],
    system: str,
    rounds: int | None,
) -> list[tuple[str, dict[str, Any], dict[str, str]]]:
    if not system and not rounds:
        return steps
    code, option, title = steps[0]
    if system and system != option["kind"]:
        options = [dict(o) for choice in spec.stages() if choice.code == code for o in choice.options]
        option = next((o for o in options if o["kind"] == system), {"kind": system})
    option = {key: value for key, value in option.items() if key != "when"}
    if rounds and option["kind"] == Stage.Kind.SWISS:
        option["rounds"] = rounds
    return [(code, option, title), *steps[1:]]


def _freeze_ratings(entries: list[Entry], use: str) -> None:
    """Take over the rating the regulation pairs by: the rule may have changed since people entered."""
    known = [entry for entry in entries if entry.ratings and use not in ("", "none")]
    for entry in known:
        value = entry.ratings.get(use)
        entry.rating = int(value) if value else None
    Entry.objects.bulk_update(known, ["rating"])


TITLES = ("GM", "IM", "WGM", "FM", "WIM", "CM", "WFM", "WCM")


def number_by_rating(entries: list[Entry]) -> None:
    """Give start numbers by rating; the two passes keep the unique constraint content."""

    def order(entry: Entry) -> tuple[int, int, str, str]:
        title = entry.player.title
        return (
            -(entry.rating or 0),
            TITLES.index(title) if title in TITLES else len(TITLES),
            entry.player.surname,
            entry.player.given_name,
        )

    Entry.objects.filter(pk__in=[entry.pk for entry in entries]).update(start_number=None)
    for number, entry in enumerate(sorted(entries, key=order), start=1):
        entry.start_number = number
    Entry.objects.bulk_update(entries, ["start_number"])


def set_tournament_state(tournament: Tournament, state: str, *, actor: Any, reason: str = "") -> None:
    """Move an event to another state and say so in the log."""
    if tournament.state == state:
        return
    old, tournament.state = tournament.state, state
    tournament.save(update_fields=["state"])
    log(
        tournament,
        "event.state_changed",
        actor=actor,
        reason=reason,
        old=old,
        new=state,
    )
