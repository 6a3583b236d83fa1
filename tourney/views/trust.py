"""How a tablet of the hall learns to trust the laptop: the certificate of its own authority, and the way to install it.

Exists only where `serve --lan` runs (`tourney.laptop.authority`); it is read over plain http, so the page shows the
fingerprint to compare with the one on the arbiter's page.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from tourney.laptop.authority import Authority
from tourney.views.lots import qr_code

# (device, steps): the words of the systems themselves, which differ a little from version to version.
WAYS: tuple[tuple[Any, tuple[Any, ...]], ...] = (
    (
        _("iPad and iPhone"),
        (
            _("Press the button in Safari and allow the profile to be loaded."),
            _("Settings → Profile Downloaded → Install."),
            _("Settings → General → About → Certificate Trust Settings: switch the Tourney authority on."),
        ),
    ),
    (
        _("Android"),
        (
            _("Press the button; the file is saved."),
            _("Settings → Security → More → Encryption and credentials → Install a certificate → CA certificate."),
            _("Choose the saved file. Chrome trusts it at once."),
        ),
    ),
    (
        _("Windows"),
        (
            _("Open the saved file → Install Certificate → Current User."),
            _("Place it into “Trusted Root Certification Authorities”. Chrome and Edge trust it at once."),
        ),
    ),
    (
        _("Firefox on any device"),
        (_("Settings → Certificates → View → Authorities → Import; tick “identify websites”."),),
    ),
)


def _authority() -> Authority:
    authority = Authority(settings.DATA_FOLDER.authority)
    if not settings.TRUST_URL or not authority.certificate.exists():
        raise Http404
    return authority


@never_cache
@require_safe
def trust(request: HttpRequest) -> HttpResponse:
    """The steps for each kind of device, the fingerprint, and the secure address to go on to."""
    authority = _authority()
    context = {
        "ways": WAYS,
        "fingerprint": authority.fingerprint(),
        "secure_url": f"{settings.PUBLIC_URL}/",
        "code": qr_code(f"{settings.TRUST_URL}/trust/"),
    }
    return render(request, "tourney/trust.html", context)


@never_cache
@require_safe
def certificate(request: HttpRequest) -> HttpResponse:
    """The authority's certificate as devices want it."""
    content = _authority().certificate.read_bytes()
    answer = HttpResponse(content, content_type="application/x-x509-ca-cert")
    answer["Content-Disposition"] = 'attachment; filename="tourney-authority.crt"'
    return answer
