"""Second factors that the installation's secret can't read: it was changed, or a backup came without it."""

from __future__ import annotations

from allauth.mfa.adapter import get_adapter
from allauth.mfa.models import Authenticator
from django.core.exceptions import ValidationError

_SECRETS = ("secret", "seed")  # of an app with codes, of recovery codes


def of_another_key(*, mend: bool = False) -> int:
    """Return how many second factors can't be read; `mend` takes them away, so that their owners set up new ones.

    Keys and this device (WebAuthn) hold no secret of ours and go on. An account whose app is taken away signs in with
    its password and is led to setting up a second factor before anything else, where the installation asks for one.
    """
    lost = [one.pk for one in Authenticator.objects.exclude(type=Authenticator.Type.WEBAUTHN) if not _readable(one)]
    if mend:
        Authenticator.objects.filter(pk__in=lost).delete()
    return len(lost)


def _readable(one: Authenticator) -> bool:
    try:
        for name in _SECRETS:
            if name in one.data:
                get_adapter().decrypt(one.data[name])
    except ValidationError:
        return False
    return True
