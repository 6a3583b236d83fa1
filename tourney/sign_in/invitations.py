"""Invitations: a link for one person and one role, good for seven days, once."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.db import transaction
from django.utils import timezone

from tourney.kernel.errors import TourneyError
from tourney.models import StaffRole, Tournament
from tourney.services.log import log
from tourney.sign_in.models import Invitation

GOOD_FOR = timedelta(days=7)


def hash_of(token: str) -> str:
    """Return what is kept of a token."""
    return hashlib.sha256(token.encode()).hexdigest()


@transaction.atomic
def invite(tournament: Tournament, *, label: str, role: str, actor: Any) -> tuple[Invitation, str]:
    """Make an invitation; return it with its token, which is kept nowhere. TourneyError ``staff.bad_role``."""
    if role not in StaffRole.Role.values:
        raise TourneyError("staff.bad_role")
    token, now = secrets.token_urlsafe(24), timezone.now()
    made = Invitation.objects.create(
        tournament=tournament,
        role=role,
        label=label,
        token_hash=hash_of(token),
        created_by=actor,
        created_at=now,
        ends_at=now + GOOD_FOR,
    )
    log(tournament, "staff.invited", actor=actor, label=label, role=role)
    return made, token


def open_invitations(tournament: Tournament) -> list[Invitation]:
    """Return the invitations nobody has taken yet."""
    return list(tournament.invitations.filter(taken_at=None, revoked_at=None, ends_at__gt=timezone.now()))


def invitation_of(token: str) -> Invitation:
    """Return the invitation of a link while it is good; TourneyError ``invitation.gone``."""
    found = Invitation.objects.select_related("tournament").filter(token_hash=hash_of(token)).first()
    if found is None or found.taken_at or found.revoked_at or found.ends_at <= timezone.now():
        raise TourneyError("invitation.gone")
    return found


@transaction.atomic
def revoke(tournament: Tournament, pk: int, *, actor: Any) -> None:
    """Take an invitation back; one that is taken, or of another event, stays as it is."""
    found = tournament.invitations.select_for_update().filter(pk=pk, taken_at=None, revoked_at=None).first()
    if found is not None:
        found.revoked_at = timezone.now()
        found.save(update_fields=["revoked_at"])
        log(tournament, "staff.invitation_revoked", actor=actor, label=found.label)


@transaction.atomic
def accept(token: str, user: Any) -> Invitation:
    """Give the role to somebody who has an account. TourneyError ``invitation.gone``, ``invitation.has_role``."""
    invitation = Invitation.objects.select_for_update(of=("self",)).get(pk=invitation_of(token).pk)
    if invitation.taken_at or invitation.revoked_at:  # somebody was quicker
        raise TourneyError("invitation.gone")
    _role, created = StaffRole.objects.get_or_create(tournament=invitation.tournament, user=user, role=invitation.role)
    if not created:
        raise TourneyError("invitation.has_role")
    invitation.taken_by, invitation.taken_at = user, timezone.now()
    invitation.save(update_fields=["taken_by", "taken_at"])
    log(invitation.tournament, "staff.joined", actor=user, user=user.get_username(), role=invitation.role)
    return invitation


@transaction.atomic
def join(token: str, *, username: str, password: str) -> tuple[Invitation, Any]:
    """Make an account for whoever holds the link, and give it the role. Adds ``invitation.name_taken``."""
    invitation_of(token)
    users = get_user_model().objects
    if users.filter(username__iexact=username).exists():
        raise TourneyError("invitation.name_taken")
    user = users.create_user(username=username, password=password)
    return accept(token, user), user
