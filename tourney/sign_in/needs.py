"""Who needs a second factor: whoever runs an event or its money, once this installation asks for one."""

from __future__ import annotations

from typing import Any

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.http import HttpRequest

from tourney.models import StaffRole

# Whose account opens everybody's data, or the money.
ROLES = frozenset({StaffRole.Role.ORGANIZER, StaffRole.Role.TREASURER})
_HAS = "second_factor"  # in the session: found once, looked up no more while it lasts


def has_second_factor(user: Any) -> bool:
    """Return whether an account signs in with more than a password."""
    types = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)
    return Authenticator.objects.filter(user=user.pk, type__in=types).exists()


def lacks_second_factor(request: HttpRequest, roles: frozenset[str]) -> bool:
    """Return whether somebody with these roles has to set up a second factor before going on.

    Who has one gave it when signing in: a session without it ends when one is set up (`tourney.sign_in.signals`).
    """
    if not settings.SECOND_FACTOR or not roles & ROLES or request.session.get(_HAS) == request.user.pk:
        return False
    if not has_second_factor(request.user):
        return True
    request.session[_HAS] = request.user.pk
    return False


def forget(request: HttpRequest) -> None:
    """Look it up again: a second factor was taken away."""
    request.session.pop(_HAS, None)
