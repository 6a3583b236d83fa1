"""Notices of one's own pairing: asked for, stopped, written down when a round is published, sent by a worker.

Publishing does no more than put one job in the queue. The worker writes a `PairingNotice` for each subscriber – whose
pairing it has told already is told nothing – and each notice is a job of its own, tried again while the mail server or
Telegram does not answer.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import OperationalError, transaction
from django.db.models import Count
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from registration.links import absolute, path_of
from registration.models import Application
from registration.telling import telegram
from registration.telling.models import PairingNotice, PairingSubscription, TelegramOffset
from tourney import queue
from tourney.kernel.text import LANGUAGES
from tourney.models import Entry, Stage, Tournament
from tourney.pairing_words import OwnPairing, own_pairings
from tourney.services.log import log as write_log

log = logging.getLogger(__name__)

TELL_TASK = "registration.tell_pairings"
SEND_TASK = "registration.send_pairing_notice"
Channel = PairingSubscription.Channel
State = PairingNotice.State
_OVER = (Tournament.State.FINISHED, Tournament.State.CANCELLED)
_CODE_LETTERS = 10
_SENDING, _READING = 7_250_101, 7_250_102  # first halves of advisory locks; the second is the notice


# -- who wants to hear -----------------------------------------------------------------------------------------------


def is_open_for(entry: Entry) -> bool:
    """Return whether there can be pairings to tell: somebody who plays in a public event that isn't over."""
    tournament = entry.tournament
    here = tournament.public and not tournament.moved_to and not tournament.is_rehearsal
    return entry.is_active and here and tournament.state not in _OVER


def by_letter(entry: Entry) -> PairingSubscription | None:
    """Return the subscription of an entry's own address, None without one."""
    return PairingSubscription.objects.filter(entry=entry, channel=Channel.EMAIL, stopped_at=None).first()


@transaction.atomic
def subscribe_by_letter(application: Application, *, base_url: str = "") -> PairingSubscription | None:
    """Send the pairings of an entry to its own address from now on; None when it has no address."""
    if not application.email or not is_open_for(application.entry):
        return None
    subscription, _made = PairingSubscription.objects.get_or_create(
        entry=application.entry,
        channel=Channel.EMAIL,
        stopped_at=None,
        defaults={"language": application.language, "base_url": base_url[:200], "started_at": timezone.now()},
    )
    return subscription


@transaction.atomic
def subscribe_chat(entry: Entry, chat: int, *, language: str = "") -> PairingSubscription:
    """Send the pairings of an entry to a chat from now on; once, however often it is asked for."""
    subscription, _made = PairingSubscription.objects.get_or_create(
        entry=entry,
        channel=Channel.TELEGRAM,
        chat=chat,
        stopped_at=None,
        defaults={
            "language": language if language in LANGUAGES else entry.tournament.language,
            "started_at": timezone.now(),
        },
    )
    return subscription


def stop(subscriptions: Iterable[PairingSubscription]) -> int:
    """Tell these no more; return how many there were."""
    ids = [one.pk for one in subscriptions]
    return PairingSubscription.objects.filter(pk__in=ids, stopped_at=None).update(stopped_at=timezone.now())


def start_code(entry: Entry) -> str:
    """Return the start code of a player: a link with it subscribes the chat that opens it. Nobody can guess one."""
    key = hashlib.sha256(f"pairing-start:{settings.SECRET_KEY}".encode()).digest()
    return f"{entry.pk}-{hmac.new(key, str(entry.pk).encode(), hashlib.sha256).hexdigest()[:_CODE_LETTERS]}"


def entry_of_code(code: str) -> Entry | None:
    """Return the player of a start code; None for any other text."""
    number = code.partition("-")[0]
    if not code.isascii() or not number.isdecimal() or len(number) > 17:  # other letters can't be compared safely
        return None
    entry = Entry.objects.select_related("player", "section", "tournament").filter(pk=int(number)).first()
    return entry if entry is not None and hmac.compare_digest(start_code(entry), code) else None


# -- a round was published -------------------------------------------------------------------------------------------


def note_published(stage: Stage, key: str) -> None:
    """Put one job in the queue if anybody wants to hear; runs in the transaction that publishes. One query."""
    tournament = stage.section.tournament
    if tournament.is_rehearsal:
        return
    if PairingSubscription.objects.filter(entry__tournament=tournament, stopped_at=None).exists():
        queue.enqueue(TELL_TASK, stage.pk, key)


def tell(stage_id: int, key: str) -> int:
    """Write down a notice for every subscriber of a published round or match; return how many are new.

    The same pairing again (the round was taken back and published as it was) is no news. One that was dropped on the
    way is taken up again, and so is one that is true again after another was told.
    """
    stage = Stage.objects.select_related("section__tournament").get(pk=stage_id)
    queue.wait_if_moved(stage.section.tournament)
    pairings = own_pairings(stage, key)
    with transaction.atomic():
        subscriptions = PairingSubscription.objects.select_for_update().filter(entry__in=pairings, stopped_at=None)
        new = [
            notice
            for subscription in subscriptions.order_by("pk")
            if (notice := _noted(subscription, key, pairings[subscription.entry_id])) is not None
        ]
        for notice in new:
            queue.enqueue(SEND_TASK, notice.pk)
    return len(new)


def _noted(subscription: PairingSubscription, key: str, pairing: OwnPairing) -> PairingNotice | None:
    """Return the notice of a pairing if it is to be sent: a new one, one that was dropped, or one to go back to."""
    content = _digest(pairing)
    notices = PairingNotice.objects.filter(subscription=subscription, about=key)
    notices.filter(state=State.WAITING).exclude(content=content).update(state=State.DROPPED)
    notice, made = notices.get_or_create(
        subscription=subscription, about=key, content=content, defaults={"asked_at": timezone.now()}
    )
    if made:
        return notice
    last = notices.filter(state=State.SENT).order_by("-sent_at").first()
    if notice.state in (State.DROPPED, State.FAILED) or (notice.state == State.SENT and notice != last):
        notice.state, notice.error, notice.asked_at = State.WAITING, "", timezone.now()
        notice.save(update_fields=["state", "error", "asked_at"])
        return notice
    return None


def _digest(pairing: OwnPairing) -> str:
    return hashlib.sha256(pairing.facts.encode()).hexdigest()


# -- sending ---------------------------------------------------------------------------------------------------------


def deliver(notice_id: int) -> None:
    """Send one notice; what the worker runs. Nothing is sent that was sent, stopped, hidden, or is true no more.

    Two jobs for one notice (it was asked for again while the first still tried) do not send it twice: one at a time,
    and the other looks afterwards whether it was sent.
    OSError when mail server or Telegram does not answer: the row keeps it, and the queue tries again.
    """
    with queue.alone(_SENDING, notice_id % 2**31) as is_mine:
        if not is_mine:
            raise queue.Busy
        _deliver(notice_id)


def _deliver(notice_id: int) -> None:
    notice = (
        PairingNotice.objects.select_related("subscription__entry__tournament", "subscription__entry__player")
        .filter(pk=notice_id, state__in=(State.WAITING, State.FAILED))
        .first()
    )
    if notice is None:
        return
    queue.wait_if_moved(notice.subscription.entry.tournament)
    try:
        sent = notice.subscription.stopped_at is None and _send(notice)
    except telegram.ChatClosed as closed:
        stop([notice.subscription])
        notice.state, notice.error = State.DROPPED, str(closed)[:200]
    except OSError as error:
        notice.state, notice.error = State.FAILED, str(error)[:200]
        notice.save(update_fields=["state", "error"])
        raise
    else:
        notice.state, notice.error = (State.SENT if sent else State.DROPPED), ""
        notice.sent_at = timezone.now() if sent else None
    notice.save(update_fields=["state", "error", "sent_at"])


def _send(notice: PairingNotice) -> bool:
    """Send a notice in the subscriber's language; False when the pairing is not that one any more, or not public."""
    subscription = notice.subscription
    entry = subscription.entry
    if not is_open_for(entry):
        return False
    stage_id = notice.about.split(":")[1]
    stage = Stage.objects.select_related("section__tournament").filter(pk=stage_id).first()
    if stage is None:
        return False
    with translation.override(subscription.language):
        pairing = own_pairings(stage, notice.about).get(entry.pk)
        if pairing is None or _digest(pairing) != notice.content:
            return False
        if subscription.channel == Channel.TELEGRAM:
            telegram.send(subscription.chat or 0, _message(entry, pairing))
            return True
        return _letter(notice, entry, pairing)


def _message(entry: Entry, pairing: OwnPairing) -> str:
    lines = [f"{entry.name}: {pairing.head}", *pairing.lines, entry.tournament.title_text]
    if settings.PUBLIC_URL:
        lines.append(absolute(pairing.url))
    return "\n".join(lines)


def _letter(notice: PairingNotice, entry: Entry, pairing: OwnPairing) -> bool:
    application = Application.objects.filter(entry=entry).exclude(email="").first()
    if application is None:
        return False
    tournament, base_url = entry.tournament, notice.subscription.base_url
    lines = [
        f"{entry.player.name}: {pairing.head}",
        *pairing.lines,
        "",
        tournament.title_text,
        absolute(pairing.url, base_url),
        "",
        _("To get no more of these letters, open your page:"),
        absolute(path_of(application), base_url),
    ]
    host = urlsplit(settings.PUBLIC_URL).hostname or "tourney.invalid"
    EmailMessage(
        subject=" ".join(f"{pairing.head}: {tournament.title_text}".split()),
        body="\n".join(lines) + "\n",
        to=[application.email],
        reply_to=[tournament.contact_email] if tournament.contact_email else None,
        from_email=settings.DEFAULT_FROM_EMAIL,
        # Sent again by a killed worker it is the same letter; asked for again it is another one.
        headers={"Message-ID": f"<pairing-{notice.pk}-{notice.asked_at:%Y%m%d%H%M%S%f}@{host}>"},
    ).send()
    return True


def counts_of(tournament: Tournament) -> dict[str, int]:
    """Return how many notices of an event there are by state."""
    notices = PairingNotice.objects.filter(subscription__entry__tournament=tournament)
    return dict(notices.order_by().values_list("state").annotate(n=Count("pk")))


@transaction.atomic
def send_failed_again(tournament: Tournament, *, actor: Any) -> int:
    """Ask once more for the notices that could not be sent; return how many. What is true no more is dropped then."""
    failed = PairingNotice.objects.filter(subscription__entry__tournament=tournament, state=State.FAILED)
    ids = list(failed.select_for_update(of=("self",)).values_list("pk", flat=True))
    PairingNotice.objects.filter(pk__in=ids).update(state=State.WAITING, error="")
    for pk in ids:
        queue.enqueue(SEND_TASK, pk)
    if ids:
        write_log(tournament, "entry.pairings_again", actor=actor, n=len(ids))
    return len(ids)


# -- what people write to the bot --------------------------------------------------------------------------------------


def read_messages() -> int:
    """Read what came in to the bot and answer; return how many messages. One worker at a time does it.

    Each message is an act of its own: one that can't be dealt with stands in the way of no other. A bot that can't be
    reached now is asked again in some seconds; that is no fault of anybody's.
    """
    if not telegram.is_set_up():
        return 0
    with queue.alone(_READING, 1) as is_mine:
        return _read_messages() if is_mine else 0


def _read_messages() -> int:
    read, _made = TelegramOffset.objects.get_or_create(pk=1)
    try:
        messages = telegram.read(read.update_id)
    except (OSError, telegram.ChatClosed) as error:
        log.warning("messages to the bot could not be read: %s", error)
        return 0
    for message in sorted(messages, key=lambda one: one.update):
        text = ""
        try:
            with transaction.atomic():
                text = _do(message)
        except OperationalError:  # the database is away: the message is read again
            raise
        except Exception:  # a bug: those who wrote after it are not to wait for its mending
            log.exception("message %s to the bot could not be dealt with", message.update)
        TelegramOffset.objects.filter(pk=1).update(update_id=message.update)
        if text:
            _answer(message.chat, text)
    return len(messages)


def _do(message: telegram.Incoming) -> str:
    """Do what a message asks for; return the answer in its language, "" for what nobody has written."""
    if not message.chat:
        return ""
    command, _blank, rest = message.text.strip().partition(" ")
    entry = entry_of_code(rest.strip()) if command == "/start" else None
    fallback = entry.tournament.language if entry else settings.LANGUAGE_CODE
    language = message.language if message.language in LANGUAGES else fallback
    with translation.override(language):
        if command == "/start" and entry is not None and is_open_for(entry):
            subscribe_chat(entry, message.chat, language=language)
            return _("You will be told the pairings of %(name)s (%(event)s). To stop, send /stop.") % {
                "name": entry.name,
                "event": entry.tournament.title_text,
            }
        if command == "/stop":
            stopped = stop(PairingSubscription.objects.filter(channel=Channel.TELEGRAM, chat=message.chat))
            return _("You will be told nothing more.") if stopped else _("You are told nothing.")
        return _("Open the page of a player and follow the link to Telegram there. To stop, send /stop.")


def _answer(chat: int, text: str) -> None:
    try:
        telegram.send(chat, text)
    except (OSError, telegram.ChatClosed) as error:
        log.warning("an answer to a message could not be sent: %s", error)
