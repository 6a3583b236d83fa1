"""Who plays with whom: merging groups, start numbers by hand or by lot, late entries, the number of rounds.

What may be merged is a rule of the regulation (`eligibility.merge`, M7.8): boys and girls of one age play in one
tournament and keep their own placings; two ages never do. Everything here ends when play has begun, except late
entries and the number of rounds of a Swiss.
"""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models import Max

from tourney.kernel.by_the_book import exchange_act
from tourney.kernel.errors import TourneyError
from tourney.kernel.systems import rounds_of
from tourney.models import Entry, Game, Lot, Section, Stage, Tournament
from tourney.selectors import played_together
from tourney.services.by_the_book import ask, note, rounds_paired
from tourney.services.entries import record_entry_event
from tourney.services.log import log
from tourney.services.lots import draw_now
from tourney.services.stages import bump, lock_stage, number_by_rating

# After this many rounds are paired, start numbers stay as they are (FIDE C.04.2): a late player gets the next one.
RENUMBER_UP_TO_ROUND = 3


def merge_obstacle(guest: Section, host: Section) -> TourneyError | None:
    """Return why two groups can't be merged, or None. Reads no rows: for a page that offers many pairs."""
    if guest.pk == host.pk:
        return TourneyError("section.merge_itself")
    if guest.entries_closed_at or host.entries_closed_at:
        return TourneyError("section.merge_closed")
    if host.merged_into_id or guest.merged_into_id:
        return TourneyError("section.merge_chain")
    rule = host.eligibility.get("merge", "never")
    if rule == "never" or guest.eligibility.get("merge", "never") == "never":
        return TourneyError("section.merge_not_allowed")
    ages = guest.eligibility.get("group", ""), host.eligibility.get("group", "")
    if rule == "same_group" and (not ages[0] or ages[0] != ages[1]):
        return TourneyError("section.merge_two_ages", guest=guest.title_text, host=host.title_text)
    return None


@transaction.atomic
def merge_sections(guest: Section, host: Section, *, actor: Any) -> None:
    """Let the guest group play inside the host's tournament; both keep their own placings (M7.8).

    Raises TourneyError ``section.merge_two_ages``, ``section.merge_not_allowed``, ``section.merge_closed``,
    ``section.merge_chain``, ``section.merge_itself``.
    """
    locked = {
        section.pk: section
        for section in Section.objects.select_for_update(of=("self",))
        .select_related("tournament")
        .filter(pk__in=[guest.pk, host.pk], tournament=host.tournament)
        .order_by("pk")
    }
    if guest.pk not in locked or host.pk not in locked:
        raise TourneyError("section.merge_not_allowed")
    obstacle = merge_obstacle(locked[guest.pk], locked[host.pk])
    if obstacle:
        raise obstacle
    if locked[guest.pk].guests.exists():
        raise TourneyError("section.merge_chain")
    Section.objects.filter(pk=guest.pk).update(merged_into=host)
    guest.merged_into = host
    log(host.tournament, "section.merged", actor=actor, guest=guest.code, host=host.code)


@transaction.atomic
def unmerge_section(guest: Section, *, actor: Any) -> None:
    """Take a merge back while the start list is open (TourneyError ``section.merge_closed``)."""
    locked = Section.objects.select_for_update(of=("self",)).select_related("tournament").get(pk=guest.pk)
    if locked.entries_closed_at:
        raise TourneyError("section.merge_closed")
    if locked.merged_into_id is None:
        return
    host = Section.objects.get(pk=locked.merged_into_id)
    Section.objects.filter(pk=guest.pk).update(merged_into=None)
    guest.merged_into = None
    log(
        locked.tournament,
        "section.unmerged",
        actor=actor,
        guest=locked.code,
        host=host.code,
    )


@transaction.atomic
def exchange_numbers(stage: Stage, first: int, second: int, *, reason: str, actor: Any, knowing: int = 0) -> None:
    """Exchange two start numbers before play, with a reason.

    Raises TourneyError ``stage.already_started``, ``section.number_unknown``, ``section.reason_needed``, and by the
    book `AskFirst` for two of unequal ratings, ``book.numbers`` once round 1 is paired.
    """
    stage = _not_started(stage)
    if not reason.strip():
        raise TourneyError("section.reason_needed")
    found = {entry.start_number: entry for entry in _entries(stage).filter(start_number__in=[first, second])}
    for number in (first, second):
        if number not in found:
            raise TourneyError("section.number_unknown", number=number)
    if first == second:
        return
    one, other = found[first], found[second]
    if rounds_paired(stage):
        ask(stage, "numbers")
    # The table of a round robin is numbered by lot or by hand: ratings give nobody a right to a number there.
    act = exchange_act(one.rating, other.rating) if stage.kind == Stage.Kind.SWISS else ""
    bends = ask(stage, act, knowing=knowing, first=first, second=second)
    Entry.objects.filter(pk=one.pk).update(start_number=None)
    Entry.objects.filter(pk=other.pk).update(start_number=first)
    Entry.objects.filter(pk=one.pk).update(start_number=second)
    bump(stage)
    log(
        stage.section.tournament,
        "section.numbers_exchanged",
        actor=actor,
        reason=reason,
        section=stage.section.code,
        first=first,
        second=second,
        first_entry=one.pk,
        second_entry=other.pk,
    )
    if bends:
        note(
            stage,
            act,
            round_number=0,
            actor=actor,
            reason=reason,
            before=[first, second],
            after=[second, first],
            snapshot={"numbers": [first, second]},
            first=first,
            second=second,
        )


@transaction.atomic
def number_by_lot(stage: Stage, *, actor: Any) -> Lot:
    """Draw the start numbers of a round robin by lot; the transcript stays with the event.

    Raises TourneyError ``stage.already_started``, ``section.lot_only_round_robin``.
    """
    # Drawing lots locks the event's chain; whoever needs both locks takes the event first.
    Tournament.objects.select_for_update(no_key=True).get(sections__stages=stage.pk)
    stage = _not_started(stage)
    if stage.kind != Stage.Kind.ROUND_ROBIN:
        raise TourneyError("section.lot_only_round_robin")
    if rounds_paired(stage):
        ask(stage, "numbers")
    entries = list(_entries(stage).select_related("player").order_by("start_number"))
    by_label = {f"{entry.start_number}. {entry.name}": entry for entry in entries}
    outcome = draw_now(
        stage.section.tournament,
        actor=actor,
        purpose=Lot.Purpose.START_NUMBERS,
        subject=stage.section.code,
        kind="pick",
        entrants=list(by_label),
        k=len(by_label),
    )
    Entry.objects.filter(pk__in=[entry.pk for entry in entries]).update(start_number=None)
    for number, label in enumerate(outcome.result, start=1):
        by_label[label].start_number = number
    Entry.objects.bulk_update(entries, ["start_number"])
    bump(stage)
    log(
        stage.section.tournament,
        "section.numbers_drawn",
        actor=actor,
        section=stage.section.code,
        lot=outcome.lot_id,
        number=outcome.lot.number,
    )
    return outcome.lot


@transaction.atomic
def admit_late(stage: Stage, entry: Entry, *, actor: Any, reason: str = "") -> int:
    """Take a confirmed player into a start list that is closed; return the first round he or she can be paired in.

    A Swiss takes late players in its next round; a round robin only before its first; a knockout fills places from its
    reserve list instead. Raises TourneyError ``section.late_round_robin``, ``section.late_bracket``,
    ``section.late_not_confirmed``, ``section.late_listed``, ``section.late_over``.
    """
    stage = lock_stage(stage.pk)
    section = stage.section
    entry = Entry.objects.select_related("player", "section").get(pk=entry.pk)
    if entry.section_id != section.pk and entry.section.merged_into_id != section.pk:
        raise TourneyError("section.late_not_confirmed")
    if not entry.is_active:
        raise TourneyError("section.late_not_confirmed")
    if entry.start_number is not None:
        raise TourneyError("section.late_listed")
    if stage.kind == Stage.Kind.BRACKET:
        raise TourneyError("section.late_bracket")
    paired = paired_rounds(stage)
    if stage.kind == Stage.Kind.ROUND_ROBIN and paired:
        raise TourneyError("section.late_round_robin")
    if stage.rounds_total and paired >= stage.rounds_total and paired:
        raise TourneyError("section.late_over")
    listed = list(_entries(stage).select_related("player"))
    entry.start_number = max((other.start_number or 0 for other in listed), default=0) + 1
    entry.joined_round = paired + 1
    entry.save(update_fields=["start_number", "joined_round"])
    if paired <= RENUMBER_UP_TO_ROUND and stage.kind == Stage.Kind.SWISS:
        number_by_rating([*listed, entry])
    if stage.kind == Stage.Kind.ROUND_ROBIN:
        stage.rounds_total = rounds_of(stage.rules, len(listed) + 1)
        stage.save(update_fields=["rounds_total"])
    record_entry_event(entry, "joined_late", by=actor, reason=reason, round=entry.joined_round)
    bump(stage)
    log(
        section.tournament,
        "section.late_entry",
        actor=actor,
        reason=reason,
        section=section.code,
        entry=entry.pk,
        name=entry.name,
        round=entry.joined_round,
    )
    return entry.joined_round


@transaction.atomic
def change_rounds(stage: Stage, rounds: int, *, reason: str, actor: Any) -> None:
    """Change the number of rounds of a Swiss, also while it runs (M7.2), with a reason.

    Raises TourneyError ``section.rounds_only_swiss``, ``section.rounds_already_paired``, ``section.reason_needed``, and
    ``book.rounds`` for a group played by the book once its first round is paired.
    """
    stage = lock_stage(stage.pk)
    if stage.kind != Stage.Kind.SWISS:
        raise TourneyError("section.rounds_only_swiss")
    if not reason.strip():
        raise TourneyError("section.reason_needed")
    paired = paired_rounds(stage)
    if rounds < max(1, paired):
        raise TourneyError("section.rounds_already_paired", paired=paired)
    if rounds == stage.rounds_total:
        return
    if rounds_paired(stage):
        ask(stage, "rounds")
    old, stage.rounds_total = stage.rounds_total, rounds
    stage.override_reason = reason
    if stage.state == Stage.State.FINISHED and rounds > paired:
        stage.state = Stage.State.RUNNING
    stage.save(update_fields=["rounds_total", "override_reason", "state"])
    bump(stage)
    log(
        stage.section.tournament,
        "section.rounds_changed",
        actor=actor,
        reason=reason,
        section=stage.section.code,
        old=old,
        new=rounds,
    )


@transaction.atomic
def set_first_board(section: Section, number: int, *, actor: Any) -> None:
    """Say at which board of the hall a group begins; rounds paired from now on use it."""
    locked = Section.objects.select_for_update(of=("self",)).select_related("tournament").get(pk=section.pk)
    if locked.first_board == number:
        return
    old, locked.first_board = locked.first_board, number
    locked.save(update_fields=["first_board"])
    log(locked.tournament, "section.first_board", actor=actor, section=locked.code, old=old, new=number)


def paired_rounds(stage: Stage) -> int:
    """Return the number of the last round that has games."""
    return int(Game.objects.filter(stage=stage).aggregate(last=Max("round_number"))["last"] or 0)


def _entries(stage: Stage) -> Any:
    return Entry.objects.filter(section__in=played_together(stage.section_id), start_number__isnull=False)


def _not_started(stage: Stage) -> Stage:
    locked = lock_stage(stage.pk)
    if locked.state not in (Stage.State.PLANNED, Stage.State.READY) or locked.games.exists():
        raise TourneyError("stage.already_started")
    return locked
