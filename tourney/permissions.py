"""Who may reach what. Views get every object from here; an object that is foreign or hidden is a 404.

The four roles of an event nest: an organizer may do everything, a chief arbiter everything about play, an arbiter
enters results, the desk handles people and money.
"""

from __future__ import annotations

from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest

from tourney.models import Section, StaffRole, Tournament

Role = StaffRole.Role

# What an act needs -> the roles that may do it.
NEEDS: dict[str, frozenset[str]] = {
    "staff": frozenset(Role.values),
    "organize": frozenset({Role.ORGANIZER}),
    "arbitrate": frozenset({Role.ORGANIZER, Role.CHIEF_ARBITER}),
    "enter_results": frozenset({Role.ORGANIZER, Role.CHIEF_ARBITER, Role.ARBITER}),
    "desk": frozenset({Role.ORGANIZER, Role.DESK}),
}


class LoginNeeded(Exception):
    """Nobody is signed in; the middleware sends the visitor to the sign-in page and back."""

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
    cache: dict[int, frozenset[str]] = request.__dict__.setdefault("_tourney_roles", {})
    if tournament.pk not in cache:
        cache[tournament.pk] = roles_of(request.user, tournament)
    return bool(cache[tournament.pk] & NEEDS[need])


def public_tournament(request: HttpRequest, slug: str) -> Tournament:
    """Return an event the visitor may see: a public one, or one of the visitor's own."""
    tournament = Tournament.objects.filter(slug=slug).first()
    if tournament is None or not (tournament.public or may(request, tournament, "staff")):
        raise Http404
    return tournament


def managed_tournament(request: HttpRequest, slug: str, need: str = "staff") -> Tournament:
    """Return an event for a staff page. Strangers get 404, staff without the right 403, nobody the sign-in page."""
    if not request.user.is_authenticated:
        raise LoginNeeded(request.get_full_path())
    tournament = Tournament.objects.filter(slug=slug).first()
    if tournament is None or not may(request, tournament, "staff"):
        raise Http404
    if not may(request, tournament, need):
        raise PermissionDenied
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
