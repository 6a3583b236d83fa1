"""Finding oneself in the rating lists from the entry form: as one types, or by a button where scripts are off.

What is typed here is compared with lists that federations publish, on this server, and kept nowhere. Still it is a
person's name: nothing is looked up before the consent to processing is ticked, and it travels in the body of a request,
never in an address that a log would keep.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, JsonResponse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from registration.fields import RATING_WORDS
from registration.limits import allows
from registration.ratings.suggesting import Suggestion, any_list, by_key, suggest
from tourney.kernel.errors import TourneyError
from tourney.labels import sentence
from tourney.models import Tournament
from tourney.permissions import managed_tournament, public_tournament

LONGEST = 120


@never_cache
@require_POST
def find(request: HttpRequest, slug: str) -> JsonResponse:
    """People of the lists for what is typed: {"people": [...]} or {"refused": "words"}."""
    tournament = public_tournament(request, slug)
    try:
        found = look_up(request, tournament)
    except TourneyError as refused:
        return JsonResponse({"refused": sentence(refused)}, status=429 if refused.code == "find.too_often" else 403)
    return JsonResponse({"people": [shown(one) | {"fill": filled(one)} for one in found]})


@never_cache
@require_POST
def find_at_desk(request: HttpRequest, slug: str) -> JsonResponse:
    """The same for the desk's form, where consent is signed on paper before or after."""
    tournament = managed_tournament(request, slug, "desk")
    found = look_up(request, tournament, staff=True)
    return JsonResponse({"people": [shown(one) | {"fill": filled(one)} for one in found]})


def look_up(request: HttpRequest, tournament: Tournament, *, staff: bool = False) -> list[Suggestion]:
    """Return whom the form's `find` may mean. TourneyError ``find.no_consent``, ``find.too_often``."""
    if staff:
        return suggest(tournament, request.POST.get("find", "")[:LONGEST])
    if request.POST.get("consent_processing") != "on":
        raise TourneyError("find.no_consent")
    if not allows(request, "find"):
        raise TourneyError("find.too_often")
    return suggest(tournament, request.POST.get("find", "")[:LONGEST])


def shown(one: Suggestion) -> dict[str, Any]:
    """Return a person in words: exactly what federations publish."""
    ratings = ", ".join(f"{RATING_WORDS[kind]} {value}" for kind, value in one.ratings.items())
    more = (one.title, one.federation, str(one.birth_year or ""), one.latin_name if one.latin_name != one.name else "")
    return {"key": one.key, "name": one.name, "more": " · ".join(part for part in (*more, ratings) if part)}


def filled(one: Suggestion) -> dict[str, str]:
    """Return what choosing a person puts into the form's fields."""
    values = {
        "surname": one.surname,
        "given_name": one.given_name,
        "patronymic": one.patronymic,
        "latin_name": one.latin_name,
        "sex": one.sex,
        "fide_id": one.fide_id,
        "national_id": one.national_id,
        **{f"rating_{kind}": str(value) for kind, value in one.ratings.items()},
    }
    return {name: value for name, value in values.items() if value}


def without_scripts(
    request: HttpRequest, tournament: Tournament, typed: Mapping[str, Any], *, staff: bool = False
) -> dict[str, Any]:
    """Answer the form's own buttons: `step=find` shows people, `pick` puts one into the form.

    `typed` are the form's values so far. Returns initial values for the form, the people found, and what to say.
    """
    values, found, said = dict(typed), [], ""
    if picked := request.POST.get("pick", ""):
        one = by_key(tournament, picked) if any_list() else None
        if one is None:
            said = _("This person is no longer in the lists; please search again.")
        else:
            # What somebody has typed himself stays: the list may write the name in other letters.
            kept = {name for name in ("surname", "given_name", "patronymic") if values.get(name)}
            values |= {name: value for name, value in filled(one).items() if name not in kept}
            said = _("Filled in from the lists: %(name)s. Please check it.") % {"name": one.name}
        return {"initial": values, "people": [], "said": said}
    try:
        found = [shown(one) for one in look_up(request, tournament, staff=staff)]
        said = "" if found else _("Nobody in the lists is called like that. Just fill in the form.")
    except TourneyError as refused:
        said = sentence(refused)
    return {"initial": values, "people": found, "said": said}
