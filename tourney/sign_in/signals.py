"""What happens to sessions when an account gets a second factor, or loses one."""

from __future__ import annotations

from typing import Any

from allauth.mfa.models import Authenticator
from allauth.mfa.signals import authenticator_added, authenticator_removed
from allauth.usersessions.models import UserSession
from django.dispatch import receiver
from django.http import HttpRequest

from tourney.sign_in.needs import forget


@receiver(authenticator_added)
def end_sessions_without_it(request: HttpRequest, user: Any, authenticator: Authenticator, **_more: Any) -> None:
    """End every session that was opened by a password alone: it must not gain what the new factor opens."""
    if authenticator.type == Authenticator.Type.RECOVERY_CODES:
        return
    for session in UserSession.objects.filter(user=user):
        if session.session_key != request.session.session_key:
            session.end()


@receiver(authenticator_removed)
def look_again(request: HttpRequest, **_more: Any) -> None:
    """Let the next page ask whether the account still has a second factor."""
    forget(request)
