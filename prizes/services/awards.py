"""Awards made anew from list, rules and draws, and what becomes of each: told, handed over, not handed over (M9).

An `Award` row is a projection and may be deleted at any moment; the events about it are facts tied to the player and
the award's subject, so they survive every recomputation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone

from prizes.engine.rules import PrizeRules
from prizes.models import Award, AwardEvent
from prizes.selectors.awards import HANDED, AwardStatus, awards_of, computed_awards, newest_list
from prizes.selectors.fund import fund_of
from prizes.selectors.prize_rules import prize_rules
from tourney import panels, queue
from tourney.kernel.errors import TourneyError
from tourney.models import Section, Tournament
from tourney.services.log import log

NOTICE_TASK = "prizes.send_notice"
Kind = AwardEvent.Kind


@transaction.atomic
def rebuild_awards(section: Section, *, rules: PrizeRules | None = None) -> int:
    """Delete a group's awards and work them out again from its newest list; return how many there are."""
    Award.objects.filter(section=section).delete()
    published = newest_list(section)
    if published is None:
        return 0
    rows = computed_awards(section, published, rules or prize_rules(section.tournament))
    Award.objects.bulk_create(rows)
    return len(rows)


def rebuild_event(tournament: Tournament) -> None:
    """Make the awards of all groups anew (`tourney.panels`, place ``rebuild``)."""
    rules = prize_rules(tournament)
    for section in tournament.sections.all():
        section.tournament = tournament
        rebuild_awards(section, rules=rules)


@transaction.atomic
def note_award(
    tournament: Tournament, award_id: int, kind: str, *, actor: Any, signed_by: str = "", note: str = ""
) -> AwardEvent | None:
    """Write down what became of an award; None when it already stands so (the button was pressed twice).

    Money the fund has not got is handed over only with a note that says why. Raises TourneyError ``award.gone``,
    ``award.unknown_step``, ``award.signature_needed``, ``award.already_handed``, ``award.nothing_to_undo``,
    ``award.fund_short``.
    """
    award = (
        Award.objects.select_for_update(of=("self",))
        .select_related("section", "entry__player")
        .filter(pk=award_id, section__tournament=tournament)
        .first()
    )
    if award is None:
        raise TourneyError("award.gone")
    award.section.tournament = tournament
    status = _status(tournament, award)
    state = status.state
    match kind:
        case Kind.HANDED | Kind.REPRESENTATIVE | Kind.ABSENT:
            if state == kind:
                return None
            if state in HANDED:
                raise TourneyError("award.already_handed", player=award.entry.name)
            if kind == Kind.REPRESENTATIVE and not signed_by.strip():
                raise TourneyError("award.signature_needed")
            if kind != Kind.ABSENT and not note.strip():
                _check_money(tournament, status)
        case Kind.UNDONE:
            if state == "due":
                raise TourneyError("award.nothing_to_undo")
        case Kind.NOTIFIED:
            pass
        case _:
            raise TourneyError("award.unknown_step")
    return _record(award, kind, actor=actor, signed_by=signed_by, note=note)


def _check_money(tournament: Tournament, status: AwardStatus) -> None:
    """Refuse to hand over more than income received less expenses and prizes paid (K8.1)."""
    if status.money is None:
        return
    Tournament.objects.select_for_update(no_key=True).get(pk=tournament.pk)  # two desks have one fund
    left = fund_of(tournament).now.left
    if left.minor < status.money.minor:
        raise TourneyError("award.fund_short", amount=status.money, left=left)


def _status(tournament: Tournament, award: Award) -> AwardStatus:
    found = awards_of(tournament, award.section, award.entry).statuses
    return next(one for one in found if one.award.pk == award.pk)


def _record(award: Award, kind: str, *, actor: Any, signed_by: str = "", note: str = "") -> AwardEvent:
    event = AwardEvent.objects.create(
        section=award.section,
        entry=award.entry,
        source=award.source,
        subject=award.subject,
        kind=kind,
        signed_by=signed_by.strip(),
        note=note.strip(),
        by=actor if getattr(actor, "is_authenticated", False) else None,
        at=timezone.now(),
    )
    log(
        award.section.tournament,
        f"prizes.award_{kind}",
        actor=actor,
        reason=note,
        section=award.section.code,
        player=award.entry.name,
        source=award.source,
        subject=award.subject,
        signed_by=signed_by,
    )
    return event


@transaction.atomic
def take_back_stray(tournament: Tournament, event_id: int, *, actor: Any) -> AwardEvent:
    """Write down that something no longer due was given back. Raises TourneyError ``award.gone``."""
    stray = next((one for one in awards_of(tournament).stray if one.event.pk == event_id), None)
    if stray is None:
        raise TourneyError("award.gone")
    given = stray.event
    section = Section.objects.get(pk=given.section_id)
    event = AwardEvent.objects.create(
        section=section,
        entry=given.entry,
        source=given.source,
        subject=given.subject,
        kind=Kind.UNDONE,
        by=actor if getattr(actor, "is_authenticated", False) else None,
        at=timezone.now(),
    )
    log(
        tournament,
        "prizes.award_undone",
        actor=actor,
        section=section.code,
        player=given.entry.name,
        source=given.source,
        subject=given.subject,
    )
    return event


# -- telling the winners (M9.2) --------------------------------------------------------------------------------------


def addresses_of(entries: Sequence[int]) -> dict[int, str]:
    """Return the e-mail addresses of players who gave one; whoever takes the entries knows them (``contacts``)."""
    found: dict[int, str] = {}
    for provider in panels.providers("contacts"):
        found.update({entry: address for entry, address in (provider(list(entries)) or {}).items() if address})
    return found


@transaction.atomic
def notify_winners(
    tournament: Tournament, award_ids: Sequence[int], *, where: str, when: str, actor: Any
) -> tuple[int, list[str]]:
    """Tell the winners place and time of the prize-giving by a letter each; return how many, and who has no address.

    A player with several awards gets one letter. Raises TourneyError ``award.nobody_to_tell``,
    ``award.place_and_time``.
    """
    if not where.strip() or not when.strip():
        raise TourneyError("award.place_and_time")
    awards = list(
        Award.objects.filter(pk__in=award_ids, section__tournament=tournament)
        .select_related("section", "entry__player")
        .order_by("id")
    )
    if not awards:
        raise TourneyError("award.nobody_to_tell")
    addresses = addresses_of([award.entry_id for award in awards])
    words = f"{where.strip()}, {when.strip()}"
    letters: dict[int, AwardEvent] = {}
    without: dict[int, str] = {}
    for award in awards:
        award.section.tournament = tournament
        if award.entry_id not in addresses:
            without[award.entry_id] = award.entry.name
            continue
        event = _record(award, Kind.NOTIFIED, actor=actor, note=words)
        letters.setdefault(award.entry_id, event)
    if not tournament.is_rehearsal:
        for event in letters.values():
            queue.enqueue(NOTICE_TASK, event.pk)
    return len(letters), list(without.values())
