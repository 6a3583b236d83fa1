"""What a registration leaves behind: the form, claims for a lower fee, offers of a place, and the ledger."""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from tourney.models import Entry, Job, Regulation, Tournament


class Application(models.Model):
    """The form as it was sent: private contacts, consents, and the key of the entrant's personal link."""

    entry = models.OneToOneField(Entry, on_delete=models.CASCADE, related_name="application")
    email = models.EmailField(blank=True)
    phone = models.CharField(max_length=40, blank=True)
    guardian_name = models.CharField(max_length=160, blank=True)
    guardian_relation = models.CharField(max_length=40, blank=True)
    family_key = models.CharField(max_length=60, blank=True)  # children of one family share it
    note = models.TextField(blank=True)
    answers = models.JSONField(default=dict, blank=True)  # residence, personal right … as the regulation asks
    language = models.CharField(max_length=2, default="uk")
    online = models.BooleanField(default=True)  # False: taken at the desk
    onsite_at = models.DateTimeField(null=True, blank=True)  # arrival at the on-site registration
    consent_regulation = models.ForeignKey(Regulation, null=True, on_delete=models.PROTECT, related_name="+")
    consent_processing = models.BooleanField(default=False)
    consent_publication = models.BooleanField(default=False)
    consent_media = models.BooleanField(default=False)
    consented_at = models.DateTimeField(null=True, blank=True)
    reference = models.CharField(max_length=6, blank=True)  # payment reference with its check character
    link_hash = models.CharField(max_length=64, unique=True)  # SHA-256 of the personal link's token
    link_version = models.PositiveSmallIntegerField(default=1)  # grows when the link is revoked (`registration.links`)
    operation = models.UUIDField(null=True, blank=True, unique=True)  # a form sent twice makes one entry
    # Hashes of links given out before the event came from another installation.
    former_links = ArrayField(models.CharField(max_length=64), default=list, db_default=[], blank=True)

    class Meta:
        indexes = [GinIndex(fields=["former_links"], name="application_former_links")]

    def __str__(self) -> str:
        return f"{self.entry_id}"


class Claim(models.Model):
    """A reason for a lower fee or an admission, and who has seen the document. Why is never shown in public."""

    class State(models.TextChoices):
        CLAIMED = "claimed", _("not yet checked")
        VERIFIED = "verified", _("checked")
        REFUSED = "refused", pgettext_lazy("claim", "refused")

    entry = models.ForeignKey(Entry, on_delete=models.CASCADE, related_name="claims")
    code = models.CharField(max_length=40)  # large_family, district_winner, national_right …
    state = models.CharField(max_length=10, choices=State.choices, default=State.CLAIMED)
    evidence = models.CharField(max_length=160, blank=True)
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["entry", "code"], name="claim_code_once")]

    def __str__(self) -> str:
        return f"{self.entry_id} {self.code}"


class ReserveOffer(models.Model):
    """A free place offered to the next in the reserve list, with a deadline (K3.4)."""

    class Answer(models.TextChoices):
        OPEN = "open", _("waiting for an answer")
        ACCEPTED = "accepted", _("accepted")
        DECLINED = "declined", _("declined")
        EXPIRED = "expired", _("no answer in time")

    entry = models.ForeignKey(Entry, on_delete=models.CASCADE, related_name="offers")
    offered_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    answer = models.CharField(max_length=8, choices=Answer.choices, default=Answer.OPEN)
    answered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["entry", "-offered_at"]
        constraints = [
            models.UniqueConstraint(fields=["entry"], condition=Q(answer="open"), name="reserve_offer_one_open"),
        ]

    def __str__(self) -> str:
        return f"{self.entry_id} {self.answer}"


class Drawer(models.Model):
    """A cash box of one operator for one shift: opened with some change in it, counted, closed (money in minor units).

    What must be in it is never stored: the change plus every cash line booked into it.
    """

    tournament = models.ForeignKey(Tournament, on_delete=models.PROTECT, related_name="drawers")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    opened_at = models.DateTimeField()
    change_minor = models.BigIntegerField(default=0)  # in it when it was opened
    closed_at = models.DateTimeField(null=True, blank=True)
    expected_minor = models.BigIntegerField(null=True, blank=True)  # at the moment of closing, for the record
    counted_minor = models.BigIntegerField(null=True, blank=True)
    explanation = models.CharField(max_length=300, blank=True)  # of a difference

    class Meta:
        ordering = ["tournament", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["tournament", "by"], condition=Q(closed_at=None), name="drawer_one_open_each"
            ),
            models.CheckConstraint(
                condition=Q(closed_at=None, counted_minor=None)
                | Q(closed_at__isnull=False, counted_minor__isnull=False),
                name="drawer_closed_is_counted",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.by_id} {self.opened_at:%Y-%m-%d %H:%M}"


class BankStatement(models.Model):
    """A bank's file as it was sent in. Its bytes are kept until they have been read, its digest for good."""

    tournament = models.ForeignKey(Tournament, on_delete=models.PROTECT, related_name="bank_statements")
    name = models.CharField(max_length=120)
    digest = models.CharField(max_length=64)  # SHA-256 of the file: the same file is not read twice
    content = models.BinaryField(null=True)  # until it has been read
    form = models.CharField(max_length=20, blank=True)  # which bank's layout it turned out to be
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField()
    job = models.ForeignKey(Job, null=True, on_delete=models.SET_NULL, related_name="+")
    read_at = models.DateTimeField(null=True, blank=True)
    outcome = models.JSONField(default=dict, blank=True)  # {new, known, outgoing} and the lists faults and warnings

    class Meta:
        ordering = ["tournament", "-id"]
        constraints = [models.UniqueConstraint(fields=["tournament", "digest"], name="bank_statement_once")]

    def __str__(self) -> str:
        return self.name


class BankRow(models.Model):
    """Money that came into the organizer's account: booked to entries, or waiting for a person to say whose it is."""

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting")
        BOOKED = "booked", _("booked")
        SET_ASIDE = "set_aside", _("not for this event")

    tournament = models.ForeignKey(Tournament, on_delete=models.PROTECT, related_name="bank_rows")
    statement = models.ForeignKey(BankStatement, on_delete=models.PROTECT, related_name="rows")
    key = models.CharField(max_length=64)  # of the payment itself: overlapping files bring it twice, it stays one
    line = models.PositiveIntegerField()  # of the file
    paid_at = models.DateTimeField()  # the payer's moment; the start of the day where the bank gives only a day
    minor = models.BigIntegerField()
    currency = models.CharField(max_length=3)
    payer = models.CharField(max_length=300, blank=True)
    payer_account = models.CharField(max_length=40, blank=True)
    purpose = models.CharField(max_length=1000, blank=True)
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    why = models.CharField(max_length=30, blank=True)  # code: why it was not booked by itself
    suggested = models.JSONField(default=list, blank=True)  # [[entry id, code of why it may be it], …], best first
    note = models.CharField(max_length=300, blank=True)  # why it was set aside

    class Meta:
        ordering = ["tournament", "id"]
        constraints = [
            models.UniqueConstraint(fields=["tournament", "key"], name="bank_row_once"),
            models.CheckConstraint(condition=Q(minor__gt=0), name="bank_row_is_money_in"),
        ]

    def __str__(self) -> str:
        return f"{self.statement_id}:{self.line}"


class LedgerLine(models.Model):
    """One movement of money. Append-only: a mistake is corrected by another line, a balance is a sum of lines.

    `minor` is signed from the event's view: money received is positive, money given back is negative.
    """

    class Kind(models.TextChoices):
        PAYMENT = "payment", _("payment")
        REFUND = "refund", _("refund")
        TRANSFER = "transfer", _("moved between entries")
        DEPOSIT_APPEAL = "appeal_deposit", _("appeal deposit")
        KEPT = "kept", _("appeal deposit kept")

    class Channel(models.TextChoices):
        CASH = "cash", _("cash")
        TRANSFER = "transfer", _("bank transfer")
        CARD = "card", _("card")
        NONE = "none", _("no money moved")

    tournament = models.ForeignKey(Tournament, on_delete=models.PROTECT, related_name="ledger")
    entry = models.ForeignKey(Entry, null=True, blank=True, on_delete=models.PROTECT, related_name="ledger")
    kind = models.CharField(max_length=16, choices=Kind.choices)
    channel = models.CharField(max_length=10, choices=Channel.choices, default=Channel.CASH)
    minor = models.BigIntegerField()
    currency = models.CharField(max_length=3)
    clause = models.CharField(max_length=12, blank=True)
    paid_at = models.DateTimeField()  # the payer's moment: decides the early discount
    note = models.CharField(max_length=200, blank=True)
    reverses = models.OneToOneField("self", null=True, blank=True, on_delete=models.PROTECT, related_name="reversed_by")
    receipt_number = models.PositiveIntegerField(null=True, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField()
    operation = models.UUIDField(null=True, blank=True, unique=True)  # a form sent twice counts once
    drawer = models.ForeignKey(Drawer, null=True, blank=True, on_delete=models.PROTECT, related_name="lines")
    bank_row = models.ForeignKey(BankRow, null=True, blank=True, on_delete=models.PROTECT, related_name="lines")

    class Meta:
        ordering = ["tournament", "id"]
        constraints = [
            models.CheckConstraint(condition=~Q(minor=0), name="ledger_line_moves_money"),
            models.UniqueConstraint(
                fields=["tournament", "receipt_number"],
                condition=Q(receipt_number__isnull=False),
                name="ledger_receipt_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.entry_id} {self.kind} {self.minor}"


class Letter(models.Model):
    """A letter to an entrant: asked for in the transaction of what it tells of, sent later, tried again, never lost.

    Holds no address and no text: both are read when it is written.
    """

    class State(models.TextChoices):
        WAITING = "waiting", pgettext_lazy("letter", "waiting")
        SENT = "sent", pgettext_lazy("letter", "sent")
        FAILED = "failed", pgettext_lazy("letter", "not sent")
        NEEDLESS = "needless", pgettext_lazy("letter", "nobody to write to")

    entry = models.ForeignKey(Entry, on_delete=models.CASCADE, related_name="letters")
    kind = models.CharField(max_length=24)  # of `registration.notices.SUBJECTS`
    base_url = models.CharField(max_length=200, blank=True)
    state = models.CharField(max_length=8, choices=State.choices, default=State.WAITING)
    attempts = models.PositiveSmallIntegerField(default=0)
    error = models.CharField(max_length=300, blank=True)
    asked_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["state"], name="letter_state")]

    def __str__(self) -> str:
        return f"{self.entry_id} {self.kind}"


# Django looks for an app's tables in this module.
from registration.privacy.models import ConsentRecord, Document, Erasure  # noqa: E402, F401
from registration.ratings.models import NameCut, NameWord, RatedPerson, RatingList, RatingListPiece  # noqa: E402, F401
from registration.telling.models import PairingNotice, PairingSubscription, TelegramOffset  # noqa: E402, F401
