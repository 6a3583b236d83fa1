"""What django-allauth asks us: nobody signs up, limits come first, secrets lie encrypted, QR codes are drawn by us."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

import segno
from allauth.account.adapter import DefaultAccountAdapter
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from tourney.addresses import address_of
from tourney.sign_in import guard

TOO_OFTEN = "too_often"


def too_often(error: guard.TooOften) -> ValidationError:
    """Return the sentence for somebody who has tried too often; its parameter says for how many seconds."""
    return ValidationError(guard.wait_words(error.seconds), code=TOO_OFTEN, params={"seconds": error.seconds})


class AccountAdapter(DefaultAccountAdapter):
    """Accounts come from organizers; a try is counted before its password is hashed."""

    _attempt: guard.Attempt | None = None

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def get_client_ip(self, request: HttpRequest) -> str:
        return address_of(request)

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        try:
            self._attempt = guard.begin(request, str(credentials.get("username", "")))
        except guard.TooOften as error:
            raise too_often(error) from None

    def authenticate(self, request: HttpRequest, **credentials: Any) -> Any:
        user = super().authenticate(request, **credentials)
        if user is not None and self._attempt is not None:
            self._attempt.succeeded()
        return user

    def post_login(self, request: HttpRequest, user: Any, **options: Any) -> HttpResponse:
        answer = super().post_login(request, user, **options)
        guard.remember_browser(answer, user.get_username(), secure=bool(settings.SESSION_COOKIE_SECURE))
        return answer

    def add_message(self, *args: Any, **options: Any) -> None:
        """Say nothing of the library's own: our pages say what was done."""


class MfaAdapter(DefaultMFAAdapter):
    """Second factors. Their secrets are encrypted: who reads a copy of the database can't make codes from it."""

    def get_totp_label(self, user: Any) -> str:
        return str(user.get_username())

    def get_totp_issuer(self) -> str:
        return "Tourney"

    def build_totp_svg(self, url: str) -> str:
        return str(segno.make(url, error="m").svg_inline(scale=5, border=2, omitsize=False))

    def encrypt(self, text: str) -> str:
        return _box(settings.SECRET_KEY).encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
            try:
                return _box(secret).decrypt(encrypted_text.encode()).decode()
            except InvalidToken:
                continue
        raise ValidationError(_("This installation's secret was changed; set the second factor up again."))

    def can_delete_authenticator(self, authenticator: Authenticator) -> bool:
        return True

    def generate_authenticator_name(self, user: Any, type: Authenticator.Type) -> str:  # noqa: A002 -- the library's
        number = Authenticator.objects.filter(user=user.pk, type=type).count() + 1
        return _("Key %(number)s") % {"number": number}


def _box(secret: str) -> Fernet:
    """Return what encrypts with a key of its own, made from the installation's secret."""
    return Fernet(base64.urlsafe_b64encode(hashlib.sha256(f"tourney.mfa:{secret}".encode()).digest()))
