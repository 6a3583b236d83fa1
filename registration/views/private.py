"""The entrant's own data, behind the personal link: photographs of papers, everything we know as a file, erasing."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from registration.limits import allows
from registration.models import Application, Claim
from registration.privacy.erasing import ask_to_erase
from registration.privacy.export import everything_about
from registration.privacy.papers import MOST_BYTES, add_paper, remove_paper
from registration.privacy.readable import in_words
from registration.staff_forms import claim_words
from registration.views.entrant import personal
from registration.words import erased_here_only
from tourney.kernel.errors import TourneyError
from tourney.labels import sentence
from tourney.navigation import public_context
from tourney.services.forgetting_files import names_go


def open_papers(application: Application) -> list[dict[str, Any]]:
    """Return the claims that still wait for somebody to see a paper, with the photographs sent."""
    words = claim_words(application.entry.tournament)
    claims = Claim.objects.filter(entry=application.entry, state=Claim.State.CLAIMED).order_by("pk")
    return [
        {
            "claim": claim,
            "words": words.get(claim.code, claim.code),
            "documents": list(claim.documents.defer("content")),
        }
        for claim in claims
    ]


@require_http_methods(["GET", "HEAD", "POST"])
@personal
def papers(request: HttpRequest, token: str, application: Application) -> HttpResponse:
    """Send photographs of the papers that prove grounds for another fee, or take one away."""
    entry = application.entry
    error = ""
    if request.method == "POST":
        try:
            _act(request, application)
        except TourneyError as refused:
            error = sentence(refused)
        else:
            return redirect("entrant_papers", token=token)
    return render(
        request,
        "registration/entrant_papers.html",
        {
            **public_context(request, entry.tournament, section=entry.section),
            "entry": entry,
            "token": token,
            "papers": open_papers(application),
            "error": error,
            "most": MOST_BYTES >> 20,
        },
        status=422 if error else 200,
    )


def _act(request: HttpRequest, application: Application) -> None:
    if remove := request.POST.get("remove", ""):
        remove_paper(application.entry, int(remove) if remove.isdecimal() and len(remove) < 18 else 0)
        messages.success(request, _("The photograph is thrown away."))
        return
    if not allows(request, "document"):
        raise TourneyError("entry.too_often")
    file = request.FILES.get("photo")
    if file is None:
        raise TourneyError("picture.none")
    if file.size is None or file.size > MOST_BYTES:
        raise TourneyError("picture.too_large", most=MOST_BYTES >> 20)
    add_paper(application.entry, request.POST.get("claim", ""), file.read())
    messages.success(request, _("The photograph has arrived. Only the desk sees it."))


@require_safe
@personal
def my_data(request: HttpRequest, token: str, application: Application) -> HttpResponse:
    """Everything we know about this entrant, as a file."""
    response = JsonResponse(everything_about(application.entry), json_dumps_params={"ensure_ascii": False, "indent": 1})
    response["Content-Disposition"] = 'attachment; filename="my-entry.json"'
    return response


@require_safe
@personal
def my_data_in_words(request: HttpRequest, token: str, application: Application) -> HttpResponse:
    """The same, to be read and printed."""
    entry = application.entry
    return render(
        request,
        "registration/entrant_data.html",
        {
            **public_context(request, entry.tournament, section=entry.section),
            "entry": entry,
            "token": token,
            "parts": in_words(entry),
        },
    )


@require_http_methods(["GET", "HEAD"])
@personal
def erase(request: HttpRequest, token: str, application: Application) -> HttpResponse:
    """Say what erasing means before it is asked for."""
    entry = application.entry
    return render(
        request,
        "registration/entrant_erase.html",
        {
            **public_context(request, entry.tournament, section=entry.section),
            "entry": entry,
            "token": token,
            "asked": hasattr(entry, "erasure"),
            "elsewhere": erased_here_only(entry.tournament) if entry.tournament.moved_to else "",
        },
    )


@require_POST
@personal
def erase_now(request: HttpRequest, token: str, application: Application) -> HttpResponse:
    """Erase at once where that harms nobody, else note the wish."""
    event = application.entry.tournament
    if event.moved_to:
        messages.warning(request, erased_here_only(event))
    if ask_to_erase(application.entry):
        messages.success(request, _("Your personal data are erased; this link opens nothing any more."))
        if names_go(event):
            messages.info(request, _("Files of games lose the name in a few minutes; until then nobody is given them."))
        return redirect("event", slug=event.slug)
    messages.success(request, _("Noted. The data are erased when the event is over, or when the entry is withdrawn."))
    return redirect("entrant", token=token)
