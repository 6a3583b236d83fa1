"""The entrant's personal link: 128 bits nobody can guess, of which the database keeps only the SHA-256.

The token is computed from the server's secret and the entry, so that a letter sent again carries the same link and no
token has to lie in a table of waiting jobs. Raising `link_version` revokes every link given out before.
"""

from __future__ import annotations

import base64
import hashlib
import hmac

from django.conf import settings
from django.db.models import Q
from django.urls import reverse

from registration.models import Application
from tourney.models import Tournament

TOKEN_BYTES = 16


def token_of(entry_id: int, version: int = 1) -> str:
    """Return the token of an entry's link."""
    key = hashlib.sha256(f"entry-link:{settings.SECRET_KEY}".encode()).digest()
    digest = hmac.new(key, f"{entry_id}:{version}".encode(), hashlib.sha256).digest()[:TOKEN_BYTES]
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def hash_of(token: str) -> str:
    """Return what the database keeps of a token."""
    return hashlib.sha256(token.encode()).hexdigest()


def application_by_token(token: str) -> Application | None:
    """Return the application a link opens, with its entry; None for a link that never was or is revoked."""
    return (
        Application.objects.select_related("entry__player", "entry__section", "entry__tournament")
        .filter(Q(link_hash=hash_of(token)) | Q(former_links__contains=[hash_of(token)]))
        .first()
    )


def links_of_another_key(mend: bool) -> int:
    """Return how many links were made with another secret; `mend` makes them anew, and the old ones open too.

    An erased entry has a link on purpose that nobody has.
    """
    kept = Application.objects.exclude(entry__erasure__done_at__isnull=False)
    lost = [one for one in kept if one.link_hash != hash_of(token_of(one.entry_id, one.link_version))]
    if mend:
        _renew(lost)
    return len(lost)


def renew_links(tournament: Tournament) -> None:
    """Give the entries of an event that came from another installation links of this one; the old ones open too."""
    _renew(list(Application.objects.filter(entry__tournament=tournament)))


def _renew(applications: list[Application]) -> None:
    for application in applications:
        application.former_links = [*application.former_links, application.link_hash]
        application.link_hash = hash_of(token_of(application.entry_id, application.link_version))
    Application.objects.bulk_update(applications, ["former_links", "link_hash"])


def path_of(application: Application) -> str:
    """Return the address of the personal page without the host."""
    return reverse("entrant", args=[token_of(application.entry_id, application.link_version)])


def absolute(path: str, base_url: str = "") -> str:
    """Return an address for a letter: the configured public address wins over the one a request came by."""
    return f"{settings.PUBLIC_URL or base_url.rstrip('/')}{path}"
