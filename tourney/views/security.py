"""`/.well-known/security.txt` (RFC 9116): whom to tell of a weakness of this installation."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

GOOD_FOR = timedelta(days=180)


@require_safe
def security_txt(request: HttpRequest) -> HttpResponse:
    """Name the contact of `SECURITY_CONTACT`; an installation without one has no such page."""
    contact = settings.SECURITY_CONTACT
    if not contact:
        raise Http404
    here = settings.PUBLIC_URL or request.build_absolute_uri("/").rstrip("/")
    today = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    lines = [
        f"Contact: {contact if ':' in contact else f'mailto:{contact}'}",
        f"Expires: {(today + GOOD_FOR).isoformat().replace('+00:00', 'Z')}",
        "Preferred-Languages: uk, ru, en",
        f"Canonical: {here}{reverse('security_txt')}",
    ]
    return HttpResponse("\n".join(lines) + "\n", content_type="text/plain; charset=utf-8")
