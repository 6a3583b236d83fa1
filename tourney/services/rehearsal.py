"""Rehearsals: a copy of an event that is played with random results and thrown away.

The copy holds the regulation, groups, players and entries; it starts before the close of entries and is never public.
What playing means is the business of the apps that own the stages: they register `play` (`tourney.panels`).
"""

from __future__ import annotations

import secrets
import time
import uuid
from collections.abc import Callable, Iterable
from typing import Any

from django.db import transaction
from django.utils import timezone

from tourney import panels
from tourney.kernel.chance import Chance
from tourney.kernel.errors import TourneyError
from tourney.models import (
    CommitteeMember,
    Entry,
    Player,
    Regulation,
    Section,
    StaffRole,
    Stage,
    Tournament,
)
from tourney.services.entries import record_entry_event
from tourney.services.log import log
from tourney.services.reach import everything_of
from tourney.services.stages import close_entries, set_tournament_state

MOST_STEPS = 5000  # far above any event; a provider that never ends is stopped here


@transaction.atomic
def copy_event(source: Tournament, *, actor: Any) -> Tournament:
    """Return a fresh rehearsal of an event. Its staff may practise in it too.

    Raises TourneyError ``rehearsal.of_rehearsal``.
    """
    if source.is_rehearsal:
        raise TourneyError("rehearsal.of_rehearsal")
    copy = Tournament.objects.get(pk=source.pk)
    copy.pk = None
    copy.slug = _free_slug(source.slug)
    copy.uid = uuid.uuid4()
    copy.moved_to, copy.moved_at = "", None
    copy.rehearsal_of = source
    copy.public = False
    copy.state = Tournament.State.CLOSED
    copy._state.adding = True
    copy.save()
    StaffRole.objects.bulk_create(
        StaffRole(tournament=copy, user_id=role.user_id, role=role.role) for role in source.staff.all()
    )
    for regulation in source.regulations.order_by("-number")[:1]:
        Regulation.objects.create(
            tournament=copy,
            number=1,
            spec=regulation.spec,
            author=regulation.author,
            published_at=timezone.now(),
        )
    _copy_committee(source, copy, _copy_entries(source, copy, _copy_sections(source, copy)))
    log(source, "rehearsal.created", actor=actor, copy=copy.slug)
    log(copy, "rehearsal.created", actor=actor, source=source.slug)
    return copy


def _free_slug(slug: str) -> str:
    base = slug[:48]
    taken = set(Tournament.objects.filter(slug__startswith=f"{base}-rehearsal").values_list("slug", flat=True))
    number = 1
    while (candidate := f"{base}-rehearsal-{number}") in taken:
        number += 1
    return candidate


def _copy_sections(source: Tournament, copy: Tournament) -> dict[int, Section]:
    copies: dict[int, Section] = {}
    originals = list(source.sections.prefetch_related("categories"))
    for original in originals:
        copies[original.pk] = Section.objects.create(
            tournament=copy,
            code=original.code,
            title=original.title,
            ordinal=original.ordinal,
            capacity=original.capacity,
            eligibility=original.eligibility,
            first_board=original.first_board,
            left_book_round=original.left_book_round,
        )
        for category in original.categories.all():
            copies[original.pk].categories.create(code=category.code, title=category.title, rule=category.rule)
    for original in originals:
        if original.merged_into_id:
            Section.objects.filter(pk=copies[original.pk].pk).update(merged_into=copies[original.merged_into_id])
    return copies


def _copy_committee(source: Tournament, copy: Tournament, entries: dict[int, Entry]) -> None:
    """Copy the appeals committee, with whose cases each member may not judge."""
    for member in source.committee.prefetch_related("related_entries"):
        made = CommitteeMember.objects.create(tournament=copy, name=member.name, reserve=member.reserve)
        made.related_entries.set(entries[entry.pk] for entry in member.related_entries.all())


def _copy_entries(source: Tournament, copy: Tournament, sections: dict[int, Section]) -> dict[int, Entry]:
    """Copy people and entries; return the copies by the original's id. Private contacts stay behind."""
    entries = list(source.entries.select_related("player").order_by("pk"))
    players = {entry.player_id: entry.player for entry in entries}
    fields = [
        field.attname
        for field in Player._meta.concrete_fields
        if field.attname not in ("id", "created_at", "birth_date")
    ]
    made = Player.objects.bulk_create(
        Player(**{name: getattr(player, name) for name in fields}) for player in players.values()
    )
    new_player = dict(zip(players, made, strict=True))
    copies = Entry.objects.bulk_create(
        Entry(
            tournament=copy,
            section=sections[entry.section_id],
            player=new_player[entry.player_id],
            state=Entry.State.APPLIED,
            seat=entry.seat,
            ratings=entry.ratings,
            rating=entry.rating,
            level=entry.level,
            registered_at=entry.registered_at,
            present=True,
            public_name=entry.public_name,
        )
        for entry in entries
    )
    for entry, original in zip(copies, entries, strict=True):
        record_entry_event(entry, "copied", state=original.state)
    return {original.pk: entry for entry, original in zip(copies, entries, strict=True)}


def play(
    rehearsal: Tournament,
    *,
    steps: int | None = 1,
    seconds: float = 15.0,
    seed: str = "",
) -> int:
    """Play random results: `steps` steps in every group, or (None) as far as the time allows; return steps played.

    0 means that nothing is left. Raises TourneyError ``rehearsal.not_a_rehearsal``.
    """
    if not rehearsal.is_rehearsal:
        raise TourneyError("rehearsal.not_a_rehearsal")
    return play_sections(
        list(rehearsal.sections.filter(merged_into=None).select_related("tournament")),
        steps=steps,
        until=time.monotonic() + seconds,
        seed=seed or secrets.token_hex(8),
    )


def play_sections(sections: Iterable[Section], *, steps: int | None, until: float, seed: str) -> int:
    """Play `steps` steps in each of the groups; the close of entries is a group's first step."""
    played = 0
    waiting = list(sections)
    for step in range(MOST_STEPS if steps is None else steps):
        going = []
        for section in waiting:
            if time.monotonic() > until:
                return played
            if _play_step(section, f"{seed}:{step}"):
                played += 1
                going.append(section)
        waiting = going
        if not waiting:
            break
    return played


def _play_step(section: Section, seed: str) -> bool:
    if section.entries_closed_at is None:
        try:
            close_entries(section, actor=None)
        except TourneyError:
            return False  # too few players, or no system for so many: this group has nothing to play
        section.refresh_from_db(fields=["entries_closed_at"])
        if section.tournament.state == Tournament.State.CLOSED:
            set_tournament_state(section.tournament, Tournament.State.RUNNING, actor=None)
        return True
    providers: list[Callable[..., Any]] = panels.providers("play")
    stages = Stage.objects.filter(section=section).exclude(kind=Stage.Kind.PLAYOFF)
    for stage in stages.select_related("section__tournament").order_by("ordinal"):
        for provider in providers:
            if provider(stage, Chance.labelled(seed, f"stage {stage.pk}")):
                return True
    return False


@transaction.atomic
def throw_away(rehearsal: Tournament, *, actor: Any) -> Tournament:
    """Delete a rehearsal with every row that hangs on it; return the event it was a copy of.

    The rows are facts elsewhere protected from deletion; here they are all part of a game of pretence. The tables are
    found through their foreign keys, so that a new table is never forgotten. Raises ``rehearsal.not_a_rehearsal``.
    """
    locked = Tournament.objects.select_for_update(of=("self",)).select_related("rehearsal_of").get(pk=rehearsal.pk)
    if locked.rehearsal_of is None:
        raise TourneyError("rehearsal.not_a_rehearsal")
    source, slug = locked.rehearsal_of, locked.slug
    players = set(Player.objects.filter(entries__tournament=locked).values_list("pk", flat=True))
    delete_with_everything(locked)
    Player.objects.filter(pk__in=players, entries__isnull=True).delete()
    log(source, "rehearsal.thrown_away", actor=actor, copy=slug)
    return source


def delete_with_everything(tournament: Tournament) -> int:
    """Delete an event and whatever refers to it, however indirectly; return the number of rows.

    PostgreSQL checks foreign keys at the end of the transaction (Django makes them deferrable), so the order of the
    deletions is free.
    """
    found = everything_of(tournament)
    for model, keys in found.items():
        doomed = model._default_manager.filter(pk__in=keys)
        doomed._raw_delete(doomed.db)
    return sum(len(keys) for keys in found.values())


def rehearsals_of(tournament: Tournament) -> list[Tournament]:
    """Return the rehearsals of an event, newest first."""
    return list(tournament.rehearsals.order_by("-created_at", "-pk"))
