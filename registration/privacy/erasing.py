"""Erasing a person on request, and at the end of the time things are kept.

Results stay: a cross table with a hole would change everybody's tie-breaks. The player becomes "№ 17", everywhere: the
start list, the log, the history. Money stays for the accounts, without the name: neither in a note nor in the bank's
words of who paid and for whom. Consents stay as proof, without the address. Ids of the erased are kept, so that they
are erased again after a backup is restored.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from registration.accounts import ALIVE
from registration.links import hash_of
from registration.models import Application, BankRow, Claim, LedgerLine, PairingSubscription
from registration.privacy.models import ConsentRecord, Document, Erasure
from registration.services.places import lock_entry
from tourney.archives import preparing
from tourney.kernel.errors import TourneyError
from tourney.models import ActionLog, Entry, EntryEvent, Tournament
from tourney.services import forgetting_files
from tourney.services.entries import record_entry_event
from tourney.services.forgetting import forget_name, let_nobody_read_files
from tourney.services.log import log
from tourney.services.stages import bump_all_of

State = Tournament.State
_OVER = (State.FINISHED, State.CANCELLED)
_ADULT = 18
# Where a line of the log says a name, and whose id it says with it.
_NAMED_IN_LOG = (("entry", "name"), ("to_entry", "to"), ("instead_of_entry", "instead_of"))


@transaction.atomic
def ask_to_erase(entry: Entry) -> bool:
    """Do what an entrant asks for on the personal page; return whether it could be done at once.

    Somebody who is out of the event, or whose event is over, is erased now. For the others it is noted: after the event
    the retention does it, or the organizer earlier.
    """
    if entry.state not in ALIVE or entry.tournament.state in _OVER:
        erase(entry, actor=None)
        return True
    _floor, found = lock_entry(entry)
    made, created = Erasure.objects.get_or_create(
        entry=found, defaults={"tournament": found.tournament, "asked_at": timezone.now()}
    )
    if created:
        record_entry_event(found, "erasure_asked")
        log(found.tournament, "entry.erasure_asked", label="entrant", entry=found.pk, name=found.name)
    return False


@transaction.atomic
def erase(entry: Entry, *, actor: Any, now: datetime | None = None) -> None:
    """Replace everything personal about an entry. TourneyError ``entry.erase_first_withdraw`` while it plays."""
    let_nobody_read_files(entry.tournament)  # before the group's lock: who puts moves on games takes both in this order
    _floor, found = lock_entry(entry)
    if found.state in ALIVE and found.tournament.state not in _OVER:
        raise TourneyError("entry.erase_first_withdraw")
    moment = now or timezone.now()
    _blank(found)
    preparing.drop(found.tournament)
    by = actor if getattr(actor, "is_authenticated", False) else None
    Erasure.objects.update_or_create(
        entry=found, defaults={"tournament": found.tournament, "done_at": moment, "by": by}
    )
    record_entry_event(found, "erased", by=actor, at=moment)
    log(found.tournament, "entry.erased", actor=actor, label="" if by else "task", entry=found.pk, name=found.name)


def erase_again(now: datetime | None = None) -> int:
    """Erase once more whoever was erased before, after a backup has brought them back; return how many."""
    back = Erasure.objects.filter(done_at__isnull=False).exclude(entry__player__surname__startswith="№ ")
    entries = [one.entry for one in back.select_related("entry__tournament", "entry__player", "entry__section")]
    for entry in entries:
        erase(entry, actor=None, now=now)
    return len(entries)


def erasures_that_outlast(left: Tournament) -> Callable[[Tournament], None]:
    """Note whose data were erased here, or are to be, while an event was away; return what does it when it comes back.

    The archive that comes holds them as they were. Entries have no names of their own: they are added and never
    deleted, so the order of their keys, and the moment each was registered, say who is who.
    """
    wishes = {one.entry_id: one.done_at is not None for one in Erasure.objects.filter(tournament=left)}
    ordered = left.entries.order_by("pk").values_list("pk", "registered_at")
    noted = [(place, at, wishes[pk]) for place, (pk, at) in enumerate(ordered) if pk in wishes]

    def erase_there(came: Tournament) -> None:
        entries = list(came.entries.select_related("tournament", "section", "player").order_by("pk"))  # as then
        for place, at, done in noted:
            entry = entries[place] if place < len(entries) else None
            if entry is None or entry.registered_at != at or Erasure.objects.filter(entry=entry, done_at__isnull=False):
                continue
            if done and (entry.state not in ALIVE or came.state in _OVER):
                erase(entry, actor=None)
            else:  # plays again there: the wish stays, and is done when it no longer does
                Erasure.objects.get_or_create(entry=entry, defaults={"tournament": came, "asked_at": timezone.now()})

    return erase_there


def _blank(entry: Entry) -> None:
    name = f"№ {entry.start_number or entry.pk}"
    player = entry.player
    forget_name(entry, instead=name)
    player.surname, player.sex, player.birth_date, player.birth_year = name, "", None, None
    for field in ("given_name", "patronymic", "latin_name", "club", "city", "district", "federation"):
        setattr(player, field, "")
    player.fide_id = player.national_id = player.title = player.level = ""
    player.save()
    entry.public_name = False
    entry.save(update_fields=["public_name"])
    bump_all_of(entry)
    Application.objects.filter(entry=entry).update(
        email="",
        phone="",
        guardian_name="",
        guardian_relation="",
        note="",
        answers={},
        family_key="",
        operation=None,
        link_hash=hash_of(secrets.token_hex(32)),  # no link opens the page any more
        former_links=[],
    )
    PairingSubscription.objects.filter(entry=entry).delete()
    Document.objects.filter(claim__entry=entry).delete()
    Claim.objects.filter(entry=entry).update(evidence="")
    ConsentRecord.objects.filter(entry=entry).update(address=None)
    # Money moved between two entries has its reason on both lines, and it may name either.
    own = Q(entry=entry) | Q(reverses__entry=entry) | Q(reversed_by__entry=entry)
    LedgerLine.objects.filter(own).update(note="")
    _blank_bank_rows(entry)
    EntryEvent.objects.filter(entry=entry).update(reason="")
    exchanged = Q(data__instead_of=entry.pk) | Q(data__replaced_by=entry.pk)  # of places; the reason may name both
    EntryEvent.objects.filter(exchanged, entry__tournament=entry.tournament).update(reason="")
    for of, word in _NAMED_IN_LOG:
        for line in ActionLog.objects.filter(tournament=entry.tournament, **{f"data__{of}": entry.pk}):
            line.data = {**line.data, **({word: name} if word in line.data else {})}
            line.reason = ""
            line.save(update_fields=["data", "reason"])


def _blank_bank_rows(entry: Entry) -> None:
    """Take the bank's words off the payments booked for an entry.

    One payment for two children names both: its purpose goes at once, the payer when the last of them is erased. A
    booking that was taken back makes nothing of the row the entry's: it is another's money.
    """
    booked = LedgerLine.objects.filter(bank_row__isnull=False, reversed_by=None)
    rows = BankRow.objects.filter(pk__in=booked.filter(entry=entry).values("bank_row"))
    erased = Erasure.objects.filter(done_at__isnull=False).values("entry")
    shared = booked.exclude(entry=entry).exclude(entry__in=erased).values("bank_row")
    rows.exclude(pk__in=shared).update(payer="", payer_account="")
    rows.update(purpose="", note="")


# -- the end of the time things are kept -------------------------------------------------------------------------------


def keep_no_longer(now: datetime | None = None) -> dict[str, int]:
    """Throw away what has been kept long enough, and erase who asked for it; return how much of each.

    Counted from the last day of the event: photographs `KEEP_PAPERS_DAYS`, contacts `KEEP_CONTACTS_DAYS`; names of
    those under 18 become initials after `KEEP_NAMES_DAYS`. Payments stay, for the organizer's books need them; what a
    bank or a cashier wrote beside them goes after `KEEP_PAYERS_DAYS`, and of payments that were not for the event
    already with the contacts.
    """
    moment = now or timezone.now()
    today = timezone.localdate(moment)

    def over(days: int) -> Any:
        return Tournament.objects.filter(ends_on__lt=today - timedelta(days=days))

    papers = Document.objects.filter(claim__entry__tournament__in=over(settings.KEEP_PAPERS_DAYS)).delete()[0]
    known = Application.objects.filter(entry__tournament__in=over(settings.KEEP_CONTACTS_DAYS))
    contacts = known.exclude(email="", phone="", guardian_name="", note="").update(
        email="", phone="", guardian_name="", guardian_relation="", note=""
    )
    PairingSubscription.objects.filter(entry__tournament__in=over(settings.KEEP_CONTACTS_DAYS)).delete()
    told = ~Q(payer="", payer_account="", purpose="", note="")
    foreign = Q(tournament__in=over(settings.KEEP_CONTACTS_DAYS), state=BankRow.State.SET_ASIDE)
    books = over(settings.KEEP_PAYERS_DAYS)
    rows = BankRow.objects.filter(told, foreign | Q(tournament__in=books))
    payers = rows.update(payer="", payer_account="", purpose="", note="")
    payers += LedgerLine.objects.filter(tournament__in=books).exclude(note="").update(note="")
    if papers or contacts or payers:  # an archive prepared today may hold what has just gone
        days = min(settings.KEEP_PAPERS_DAYS, settings.KEEP_CONTACTS_DAYS, settings.KEEP_PAYERS_DAYS)
        preparing.drop(*over(days))
    asked = Erasure.objects.filter(done_at__isnull=True).select_related("entry__tournament", "entry__section")
    erased = 0
    for one in asked:
        if one.entry.state not in ALIVE or one.entry.tournament.state in _OVER:
            erase(one.entry, actor=None, now=moment)
            erased += 1
    forgetting_files.ask_where_it_stopped()
    return {
        "papers": papers,
        "contacts": contacts,
        "payers": payers,
        "erased": erased,
        "initials": _to_initials(over, moment),
    }


def _to_initials(over: Any, now: datetime) -> int:
    """Shorten the names of those who were children at an event long over."""
    done = 0
    entries = Entry.objects.filter(tournament__in=over(settings.KEEP_NAMES_DAYS), player__birth_year__isnull=False)
    for entry in entries.select_related("player", "tournament", "section"):
        player = entry.player
        if entry.tournament.starts_on.year - player.birth_year >= _ADULT or len(player.surname) < 3:
            continue
        given = f" {player.given_name[:1]}." if player.given_name else ""
        with transaction.atomic():
            forget_name(entry, instead=f"{player.surname[:1]}.{given}")
            player.surname = f"{player.surname[:1]}."
            player.given_name = f"{player.given_name[:1]}." if player.given_name else ""
            player.patronymic = player.latin_name = ""
            player.birth_date = None
            player.save()
            bump_all_of(entry)
            preparing.drop(entry.tournament)
        done += 1
    return done
