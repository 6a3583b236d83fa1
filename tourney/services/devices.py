"""Links for tablets: handed out, bound to the first device that opens them, seen, taken back (ADR 0015).

A link is worth what its row says at the moment, so a revocation works at once. Tokens and device secrets are random and
long; their SHA-256 is all that is stored.
"""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from tourney.formatting import moment_text
from tourney.kernel.errors import TourneyError
from tourney.models import DeviceLink, Section, Tournament
from tourney.services.log import log

SEEN_EVERY = timedelta(seconds=20)  # how exactly "last seen" is kept: a tablet asks more often than that
MOST_DAYS = 31
SKEW_WORTH_SAYING = 120  # seconds


def hash_of(secret: str) -> str:
    """Return what is stored of a token or of a device's secret."""
    return hashlib.sha256(secret.encode()).hexdigest()


@transaction.atomic
def issue_link(
    tournament: Tournament,
    *,
    actor: Any,
    label: str,
    valid_until: datetime,
    valid_from: datetime | None = None,
    role: str = DeviceLink.Role.ARBITER,
    section: Section | None = None,
    first_board: int | None = None,
    last_board: int | None = None,
) -> tuple[DeviceLink, str]:
    """Hand out a link; return it with its token, which is stored nowhere.

    TourneyError ``device.ends_first`` (ends before it begins, or is over already), ``device.too_long``,
    ``device.board_order``.
    """
    now = timezone.now()
    begins = valid_from or now
    if valid_until <= max(begins, now):
        raise TourneyError("device.ends_first")
    if valid_until - now > timedelta(days=MOST_DAYS):
        raise TourneyError("device.too_long", days=MOST_DAYS)
    if first_board is None and last_board is not None:
        first_board = 1
    if first_board is not None and last_board is not None and last_board < first_board:
        raise TourneyError("device.board_order")
    token = secrets.token_urlsafe(24)
    link = DeviceLink.objects.create(
        tournament=tournament,
        section=section,
        first_board=first_board,
        last_board=last_board,
        role=role,
        label=label,
        token_hash=hash_of(token),
        valid_from=begins,
        valid_until=valid_until,
        created_by=actor if getattr(actor, "is_authenticated", False) else None,
        created_at=now,
    )
    log(tournament, "devices.issued", actor=actor, device=label)
    return link, token


def link_of_token(token: str) -> DeviceLink:
    """Return the link of a token; TourneyError ``device.unknown``."""
    link = DeviceLink.objects.select_related("tournament", "section").filter(token_hash=hash_of(token)).first()
    if link is None:
        raise TourneyError("device.unknown")
    return link


def check_open(link: DeviceLink, now: datetime) -> None:
    """Refuse a link that may not enter anything now: ``device.revoked``, ``device.early``, ``device.ended``."""
    state = link.state_at(now)
    zone = link.tournament.zone
    if state == "revoked":
        raise TourneyError("device.revoked")
    if state == "early":
        raise TourneyError("device.early", at=moment_text(link.valid_from, zone))
    if state == "ended":
        raise TourneyError("device.ended", at=moment_text(link.valid_until, zone))


@transaction.atomic
def bind_link(token: str, *, secret: str, browser: str = "") -> DeviceLink:
    """Tie a link to the device that holds `secret`; opening it there again is no new act.

    TourneyError ``device.unknown``, ``device.taken`` (another device has it), and those of `check_open`.
    """
    found = link_of_token(token)
    link = DeviceLink.objects.select_for_update(of=("self",)).select_related("tournament", "section").get(pk=found.pk)
    now = timezone.now()
    check_open(link, now)
    if link.device_hash == hash_of(secret):
        return link
    if link.device_hash:
        seen = moment_text(link.last_seen_at, link.tournament.zone) if link.last_seen_at else ""
        raise TourneyError("device.taken", label=link.label, seen=seen)
    link.device_hash, link.browser, link.bound_at, link.last_seen_at = hash_of(secret), browser, now, now
    link.save(update_fields=["device_hash", "browser", "bound_at", "last_seen_at"])
    log(link.tournament, "devices.bound", label=link.label, device=link.label)
    return link


def note_seen(link: DeviceLink, *, skew_seconds: int | None = None) -> None:
    """Keep when a device was last heard of, and how far its clock is ahead."""
    now = timezone.now()
    fresh = link.last_seen_at is not None and now - link.last_seen_at < SEEN_EVERY
    if fresh and (skew_seconds is None or skew_seconds == link.skew_seconds):
        return
    link.last_seen_at = now
    if skew_seconds is not None:
        link.skew_seconds = skew_seconds
    link.save(update_fields=["last_seen_at", "skew_seconds"])


@transaction.atomic
def revoke_link(tournament: Tournament, link_id: int, *, actor: Any) -> DeviceLink:
    """Take a link back at once and for good (``device.unknown``)."""
    link = _locked(tournament, link_id)
    if link.revoked_at is None:
        link.revoked_at = timezone.now()
        link.revoked_by = actor if getattr(actor, "is_authenticated", False) else None
        link.save(update_fields=["revoked_at", "revoked_by"])
        log(tournament, "devices.revoked", actor=actor, device=link.label)
    return link


@transaction.atomic
def renew_link(tournament: Tournament, link_id: int, *, actor: Any) -> tuple[DeviceLink, str]:
    """Give a link a new token and free it for another tablet: the old code and the old tablet are out.

    TourneyError ``device.unknown``, ``device.revoked``, ``device.ended``.
    """
    link = _locked(tournament, link_id)
    if link.state_at(timezone.now()) != "early":
        check_open(link, timezone.now())
    token = secrets.token_urlsafe(24)
    link.token_hash, link.device_hash, link.browser = hash_of(token), "", ""
    link.bound_at = link.last_seen_at = None
    link.save(update_fields=["token_hash", "device_hash", "browser", "bound_at", "last_seen_at"])
    log(tournament, "devices.renewed", actor=actor, device=link.label)
    return link, token


def _locked(tournament: Tournament, link_id: int) -> DeviceLink:
    link = DeviceLink.objects.select_for_update(of=("self",)).filter(tournament=tournament, pk=link_id).first()
    if link is None:
        raise TourneyError("device.unknown")
    link.tournament = tournament
    return link
