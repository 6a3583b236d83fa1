"""Who may reach what. Views get every object from here; an object that is foreign or hidden is a 404.

An organizer may do everything, a chief arbiter everything about play, an arbiter enters results, the desk handles
people and takes money, the treasurer works with all the money and changes nothing else.
"""

from __future__ import annotations

from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.contrib.postgres.aggregates import ArrayAgg
from django.core.exceptions import PermissionDenied
from django.db.models import Q, Value
from django.http import Http404, HttpRequest

from tourney.models import Section, StaffRole, Tournament
from tourney.sign_in.needs import lacks_second_factor

Role = StaffRole.Role

# What an act needs -> the roles that may do it.
NEEDS: dict[str, frozenset[str]] = {
    "staff": frozenset(Role.values),
    "organize": frozenset({Role.ORGANIZER}),
    "arbitrate": frozenset({Role.ORGANIZER, Role.CHIEF_ARBITER}),
    "enter_results": frozenset({Role.ORGANIZER, Role.CHIEF_ARBITER, Role.ARBITER}),
    "desk": frozenset({Role.ORGANIZER, Role.DESK}),
    "money": frozenset({Role.ORGANIZER, Role.DESK, Role.TREASURER}),
    "balance": frozenset({Role.ORGANIZER, Role.TREASURER}),
    # Who looks at entries: an arbiter sees no money and no contacts there, a treasurer no contacts and no documents.
    "entries": frozenset({Role.ORGANIZER, Role.CHIEF_ARBITER, Role.DESK, Role.TREASURER}),
}


class LoginNeeded(Exception):
    """Nobody is signed in; the middleware sends the visitor to the sign-in page and back."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path


class SecondFactorNeeded(Exception):
    """Somebody with this much power signs in with a password only; the middleware leads to the account's page."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path


def roles_of(user: Any, tournament: Tournament) -> frozenset[str]:
    """Return the roles a user has in an event (a superuser has all)."""
    if not user.is_authenticated:
        return frozenset()
    if user.is_superuser:
        return frozenset(Role.values)
    return frozenset(tournament.staff.filter(user=user).values_list("role", flat=True))


def may(request: HttpRequest, tournament: Tournament, need: str) -> bool:
    """Return whether the visitor may do something; the roles are read once a request."""
    known = _known_roles(request)
    if tournament.pk not in known:
        known[tournament.pk] = roles_of(request.user, tournament)
    return bool(known[tournament.pk] & NEEDS[need])


def _known_roles(request: HttpRequest) -> dict[int, frozenset[str]]:
    found: dict[int, frozenset[str]] = request.__dict__.setdefault("_tourney_roles", {})
    return found


def public_tournament(request: HttpRequest, slug: str) -> Tournament:
    """Return an event the visitor may see: a public one, or one of the visitor's own."""
    tournament = Tournament.objects.filter(slug=slug).first()
    if tournament is None or not (tournament.public or may(request, tournament, "staff")):
        raise Http404
    note_shown(request, public=tournament.public)
    return tournament


def note_shown(request: HttpRequest, *, public: bool) -> None:
    """Note whether what a page shows is everybody's: one look at a hidden event, and the page is nobody else's."""
    request.__dict__["_shows_only_public"] = public and request.__dict__.get("_shows_only_public", True)


def shows_only_public(request: HttpRequest) -> bool:
    """Return whether all that was looked at for a page is public; nothing looked at is not enough."""
    return bool(request.__dict__.get("_shows_only_public", False))


def managed_tournament(request: HttpRequest, slug: str, need: str = "staff") -> Tournament:
    """Return an event for a staff page. Strangers get 404, staff without the right 403, nobody the sign-in page.

    Who runs events or money without a second factor is led to setting one up, where the installation asks for it.
    """
    if not request.user.is_authenticated:
        raise LoginNeeded(request.get_full_path())
    tournament = _with_roles(request, slug)
    if tournament is None or not may(request, tournament, "staff"):
        raise Http404
    if lacks_second_factor(request, _known_roles(request)[tournament.pk]):
        raise SecondFactorNeeded(request.get_full_path())
    if not may(request, tournament, need):
        raise PermissionDenied
    return tournament


def _with_roles(request: HttpRequest, slug: str) -> Tournament | None:
    """Return an event, the visitor's roles in it noted: one question, so that a foreign event costs what none costs."""
    own_roles = ArrayAgg("staff__role", filter=Q(staff__user=request.user), default=Value([]))
    tournament = Tournament.objects.filter(slug=slug).annotate(own_roles=own_roles).first()
    if tournament is not None:
        roles = Role.values if request.user.is_superuser else tournament.own_roles
        _known_roles(request)[tournament.pk] = frozenset(roles)
    return tournament


def section_of(tournament: Tournament, code: str) -> Section:
    """Return a section of an event, or 404."""
    section = tournament.sections.filter(code=code).first()
    if section is None:
        raise Http404
    section.tournament = tournament  # the same object: no second query, one language
    return section


def login_redirect(error: LoginNeeded) -> Any:
    """Return the redirect to the sign-in page that comes back afterwards."""
    return redirect_to_login(error.path)
