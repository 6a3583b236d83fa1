"""Letters to entrants: asked for in the transaction of the act, sent by a worker after it, never in its way.

The outbox (`Letter`) holds the entry and what happened, nothing private: address, words and link are read when
the letter is written. Who gave no address gets none; a rehearsal writes to nobody.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMessage
from django.template.loader import render_to_string
from django.utils import timezone, translation
from django.utils.translation import gettext_lazy

from registration.accounts import account_of
from registration.links import absolute, path_of
from registration.models import Application, Letter, ReserveOffer
from registration.paying import payment_words
from registration.words import fee_rows
from tourney import queue
from tourney.models import Entry
from tourney.services.entries import record_entry_event

TASK = "registration.send_notice"
_SENDING = 7_250_103  # first half of the advisory lock; the second is the letter

# What a letter is about -> its subject. A change that is not here is nobody's news.
SUBJECTS: dict[str, Any] = {
    "registered": gettext_lazy("Your entry: %(event)s"),
    "link": gettext_lazy("Your personal link: %(event)s"),
    "admitted": gettext_lazy("Your entry was admitted: %(event)s"),
    "confirmed": gettext_lazy("Your place is confirmed: %(event)s"),
    "promoted": gettext_lazy("You have a place: %(event)s"),
    "reserved": gettext_lazy("You are on the reserve list: %(event)s"),
    "offered": gettext_lazy("A place is free for you: %(event)s"),
    "offer_closed": gettext_lazy("The offered place is no longer held: %(event)s"),
    "expired": gettext_lazy("The offered place is no longer held: %(event)s"),
    "rejected": gettext_lazy("Your entry was not admitted: %(event)s"),
    "withdrawn": gettext_lazy("Your entry is withdrawn: %(event)s"),
}


def ask_for_notice(entry: Entry, kind: str, *, base_url: str = "") -> None:
    """Put a letter in the queue, in the caller's transaction."""
    if kind not in SUBJECTS or entry.tournament.is_rehearsal:
        return
    if not Application.objects.filter(entry=entry).exclude(email="").exists():
        return
    _put_in_queue(Letter.objects.create(entry=entry, kind=kind, base_url=base_url[:200], asked_at=timezone.now()))


def send_again(letter: Letter) -> None:
    """Ask once more for a letter that could not be sent, in the caller's transaction."""
    letter.state, letter.error = Letter.State.WAITING, ""
    letter.save(update_fields=["state", "error"])
    _put_in_queue(letter)


def _put_in_queue(letter: Letter) -> None:
    queue.enqueue(TASK, letter.pk)


def deliver(pk: int) -> None:
    """Send a letter of the outbox; what the worker runs. A letter that was sent is never sent twice by a repeated job.

    Of two jobs for one letter one sends it, and the other looks afterwards whether it did. A mail server that does not
    answer is an OSError: the row keeps it, and the queue tries again later.
    """
    with queue.alone(_SENDING, pk % 2**31) as is_mine:
        if not is_mine:
            raise queue.Busy
        _deliver(pk)


def _deliver(pk: int) -> None:
    letter = Letter.objects.select_related("entry__tournament").filter(pk=pk).exclude(state=Letter.State.SENT).first()
    if letter is None:
        return
    queue.wait_if_moved(letter.entry.tournament)
    letter.attempts += 1
    try:
        sent = send_notice(letter.entry_id, letter.kind, letter.base_url, number=letter.pk)
    except OSError as error:
        letter.state, letter.error = Letter.State.FAILED, str(error)[:300]
        letter.save(update_fields=["state", "error", "attempts"])
        raise
    letter.state, letter.error = (Letter.State.SENT if sent else Letter.State.NEEDLESS), ""
    letter.sent_at = timezone.now() if sent else None
    letter.save(update_fields=["state", "error", "attempts", "sent_at"])


def send_notice(entry_id: int, kind: str, base_url: str, *, number: int | None = None) -> bool:
    """Write and send one letter in the entrant's language; False when nobody is there to get it.

    `number` makes its Message-ID: a worker that dies after the mail server took the letter sends it again, and mail
    programs know by the same id that they have it.
    """
    application = (
        Application.objects.select_related("entry__player", "entry__section", "entry__tournament")
        .filter(entry=entry_id)
        .exclude(email="")
        .first()
    )
    if application is None or kind not in SUBJECTS:
        return False
    entry = application.entry
    entry.section.tournament = entry.tournament
    with translation.override(application.language):
        account = account_of(entry)
        event = entry.tournament.title_text
        body = render_to_string(
            "registration/mail/notice.txt",
            {
                "kind": kind,
                "entry": entry,
                "tournament": entry.tournament,
                "quote": account.quote,
                "account": account,
                "lines": fee_rows(account.quote, account.version.policy, entry.tournament),
                "payment": payment_words(account),
                "offer": ReserveOffer.objects.filter(entry=entry, answer=ReserveOffer.Answer.OPEN).first(),
                "link": absolute(path_of(application), base_url),
            },
        )
        message = EmailMessage(
            subject=" ".join((str(SUBJECTS[kind]) % {"event": event}).split()),
            body=body,
            to=[application.email],
            reply_to=[entry.tournament.contact_email] if entry.tournament.contact_email else None,
            from_email=settings.DEFAULT_FROM_EMAIL,
            headers={"Message-ID": _message_id(number)} if number else None,
        )
    message.send()
    record_entry_event(entry, "notice_sent", about=kind)
    return True


def _message_id(number: int) -> str:
    host = urlsplit(settings.PUBLIC_URL).hostname or "tourney.invalid"
    return f"<letter-{number}@{host}>"
