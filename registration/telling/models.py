"""Who wants to hear of a player's pairings, and what each was told: one row for each notice, so none is sent twice."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from tourney.models import Entry


class PairingSubscription(models.Model):
    """Somebody who wants to hear of one player's pairings.

    By letter the address is the application's own, read when the letter is written. By Telegram it is the chat that
    sent the start code of the player's page; pairings are public, so anybody may.
    """

    class Channel(models.TextChoices):
        EMAIL = "email", _("by e-mail")
        TELEGRAM = "telegram", _("by Telegram")

    entry = models.ForeignKey(Entry, on_delete=models.CASCADE, related_name="pairing_subscriptions")
    channel = models.CharField(max_length=8, choices=Channel.choices)
    chat = models.BigIntegerField(null=True, blank=True)
    language = models.CharField(max_length=2)
    base_url = models.CharField(max_length=200, blank=True)  # by which address the pages were reached
    started_at = models.DateTimeField()
    stopped_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["entry"], condition=Q(channel="email", stopped_at__isnull=True), name="pairing_letters_once"
            ),
            models.UniqueConstraint(
                fields=["entry", "chat"],
                condition=Q(channel="telegram", stopped_at__isnull=True),
                name="pairing_chat_once",
            ),
            models.CheckConstraint(
                condition=Q(channel="email", chat__isnull=True) | Q(channel="telegram", chat__isnull=False),
                name="pairing_subscription_has_chat",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.entry_id} {self.channel}"


class PairingNotice(models.Model):
    """What a subscriber was told about one round or match; `content` is the digest of the pairing.

    The same pairing is told once, however often it is published; another one for the same round is told again.
    """

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting")
        SENT = "sent", _("sent")
        DROPPED = "dropped", _("not needed any more")
        FAILED = "failed", _("could not be sent")

    subscription = models.ForeignKey(PairingSubscription, on_delete=models.CASCADE, related_name="notices")
    about = models.CharField(max_length=60)  # the round or the match: tourney.pairing_words.key_of
    content = models.CharField(max_length=64)
    state = models.CharField(max_length=8, choices=State.choices, default=State.WAITING)
    asked_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True, blank=True)
    error = models.CharField(max_length=200, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["subscription", "about", "content"], name="pairing_notice_once")]

    def __str__(self) -> str:
        return f"{self.about} {self.state}"


class TelegramOffset(models.Model):
    """Up to which message the bot has read: one row."""

    update_id = models.BigIntegerField(default=0)

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(pk=1), name="telegram_offset_is_one_row")]

    def __str__(self) -> str:
        return str(self.update_id)
