"""Letters about an account: the link for a forgotten password, and the proof that an address is one's own.

Who asks for a link learns nothing: a known and an unknown address get the same answer after the same work (one look,
one job), and the worker writes to whoever there is. A job holds numbers of rows, never an address. The link is the
library's: it opens once, for some hours (`PASSWORD_RESET_TIMEOUT`), and is dead as soon as the password or the address
is another. A second factor is asked for afterwards as always.

Only an address whose owner has opened the link in a letter to it can bring a password back; one that an organizer
wrote when making the account can't.
"""

from __future__ import annotations

from allauth.account.forms import default_token_generator
from allauth.account.models import EmailAddress
from allauth.account.utils import user_pk_to_url_str
from django.conf import settings
from django.contrib.auth import get_user_model
from django.core import signing
from django.core.mail import EmailMessage
from django.db import IntegrityError, transaction
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _

from tourney import queue
from tourney.addresses import network_of
from tourney.kernel.errors import TourneyError
from tourney.sign_in.guard import Limit, TooOften, folded
from tourney.sign_in.knocks import count, key_of

FORGOTTEN = "sign_in.write_about_password"
PROVE = "sign_in.write_to_prove"
PROOF_SECONDS = 24 * 3600
_SALT = "tourney.sign_in.address"

# A hall shares an address; whoever fills somebody's letter box is stopped early.
FROM_NETWORK = Limit(10, 3600)
TO_ADDRESS = Limit(3, 3600)
FROM_ALL = Limit(100, 600)


def count_letter(request: HttpRequest, address: str) -> None:
    """Count a letter asked for, known address or not; TooOften when there were too many."""
    for key, limit in (
        (key_of("letters-network", network_of(request)), FROM_NETWORK),
        (key_of("letters-to", folded(address)), TO_ADDRESS),
        (key_of("letters"), FROM_ALL),
    ):
        if count(key, limit.seconds) > limit.most:
            raise TooOften(limit.seconds)


def base_of(request: HttpRequest) -> str:
    """Return what links in a letter begin with; "" where only the visitor says how this installation is called.

    A forged Host header would otherwise lead the link, with its key, to another site.
    """
    if settings.PUBLIC_URL:
        return str(settings.PUBLIC_URL)
    if any(host == "*" or host.startswith(".") for host in settings.ALLOWED_HOSTS):
        return ""
    return request.build_absolute_uri("/").rstrip("/")


# -- a forgotten password --------------------------------------------------------------------------------------------


@transaction.atomic
def ask_for_link(address: str, *, base: str) -> None:
    """Let the worker write to the accounts with this address, if there are any: a job is written in any case."""
    owners = EmailAddress.objects.filter(email__iexact=address.strip(), verified=True, user__is_active=True)
    queue.enqueue(FORGOTTEN, list(owners.values_list("pk", flat=True)[:5]), base, translation.get_language())


def write_about_password(pks: list[int], base: str, language: str) -> None:
    """Send an address its link; what the worker runs.

    Several get a job each: what is tried again after a mail server's failure has sent no letter before.
    """
    if len(pks) > 1:
        with transaction.atomic():
            for pk in pks:
                queue.enqueue(FORGOTTEN, [pk], base, language)
        return
    for known in EmailAddress.objects.filter(pk__in=pks, verified=True, user__is_active=True).select_related("user"):
        key = default_token_generator.make_token(known.user)
        args = [user_pk_to_url_str(known.user), key]
        with translation.override(language):
            _send(
                known,
                _("A new password for your sign-in"),
                "sign_in/mail/password.txt",
                link=f"{base}{reverse('account_reset_password_from_key', args=args)}",
                hours=settings.PASSWORD_RESET_TIMEOUT // 3600,
            )


# -- an address of one's own -----------------------------------------------------------------------------------------


def address_of_account(user: object) -> EmailAddress | None:
    """Return the address of an account; it counts once it is `verified`."""
    found: EmailAddress | None = EmailAddress.objects.filter(user=user).order_by("-verified", "-pk").first()
    return found


@transaction.atomic
def ask_for_proof(user: object, address: str, *, base: str) -> None:
    """Write to an address somebody says is his; until he opens the link there, the address he has stays."""
    get_user_model().objects.select_for_update().get(pk=user.pk)  # type: ignore[attr-defined]
    EmailAddress.objects.filter(user=user, verified=False).delete()
    if EmailAddress.objects.filter(user=user, email__iexact=address).exists():
        return
    asked = EmailAddress.objects.create(user=user, email=address.lower())
    queue.enqueue(PROVE, asked.pk, base, translation.get_language())


def write_to_prove(pk: int, base: str, language: str) -> None:
    """Send the link that proves an address; what the worker runs."""
    asked = EmailAddress.objects.filter(pk=pk, verified=False).select_related("user").first()
    if asked is None:
        return
    token = signing.dumps(asked.pk, salt=_SALT)
    with translation.override(language):
        _send(
            asked,
            _("Is this your address?"),
            "sign_in/mail/prove.txt",
            link=f"{base}{reverse('account_address_proof', args=[token])}",
            hours=PROOF_SECONDS // 3600,
        )


def asked_by(token: str, user: object) -> EmailAddress:
    """Return the address a link proves, for the account that asked; TourneyError ``address.link_gone`` else."""
    try:
        pk = signing.loads(token, salt=_SALT, max_age=PROOF_SECONDS)
    except signing.BadSignature as error:
        raise TourneyError("address.link_gone") from error
    found: EmailAddress | None = EmailAddress.objects.filter(pk=pk, user=user, verified=False).first()
    if found is None:
        raise TourneyError("address.link_gone")
    return found


@transaction.atomic
def prove(token: str, user: object) -> None:
    """Take the address of a link as the account's one; TourneyError ``address.link_gone`` or ``address.taken``."""
    get_user_model().objects.select_for_update().get(pk=user.pk)  # type: ignore[attr-defined]
    asked = asked_by(token, user)
    EmailAddress.objects.filter(user=user).exclude(pk=asked.pk).delete()
    asked.verified = asked.primary = True
    try:
        with transaction.atomic():
            asked.save(update_fields=["verified", "primary"])
    except IntegrityError as error:
        raise TourneyError("address.taken") from error


def forget_address(user: object) -> None:
    """Take the address of an account away: no letter brings its password back any more."""
    EmailAddress.objects.filter(user=user).delete()


def _send(to: EmailAddress, subject: str, template: str, **words: object) -> None:
    body = render_to_string(template, {"name": to.user.get_username(), **words})
    EmailMessage(subject=subject, body=body, to=[to.email], from_email=settings.DEFAULT_FROM_EMAIL).send()
