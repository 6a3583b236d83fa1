"""For the desk: the outbox of letters, and photographs of papers."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.db import transaction
from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from registration.models import Letter
from registration.notices import SUBJECTS, send_again
from registration.privacy.models import Document
from registration.telling.services import counts_of, send_failed_again
from registration.views.staff import registration_pages
from tourney.navigation import manage_context
from tourney.permissions import managed_tournament
from tourney.services.log import log

PAGE = 100
LOOKS = {"waiting": "go", "sent": "done", "failed": "bad", "needless": "off"}


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def letters(request: HttpRequest, slug: str) -> HttpResponse:
    """What was written to whom and whether it went; what did not go is sent once more."""
    tournament = managed_tournament(request, slug, "desk")
    found = Letter.objects.filter(entry__tournament=tournament)
    if request.method == "POST" and request.POST.get("letter") == "pairings":
        number = send_failed_again(tournament, actor=request.user)
        messages.success(request, _("In the queue again: %(n)s.") % {"n": number})
        return redirect("manage_letters", slug=slug)
    if request.method == "POST":
        _send_again(request, found)
        return redirect("manage_letters", slug=slug)
    counts = dict(found.order_by().values_list("state").annotate(n=Count("pk")))
    state = request.GET.get("state", "")
    shown = found.filter(state=state) if state in Letter.State.values else found
    page = Paginator(shown.select_related("entry__player"), PAGE).get_page(request.GET.get("page"))
    chips = [{"label": _("All"), "count": sum(counts.values()), "url": "?", "active": not state}]
    chips += [
        {"label": words, "count": counts[value], "url": f"?state={value}", "active": state == value}
        for value, words in Letter.State.choices
        if counts.get(value)
    ]
    return render(
        request,
        "registration/manage_letters.html",
        manage_context(
            request,
            tournament,
            active="registration",
            sub_nav=registration_pages(request, tournament, "letters"),
            chips=chips,
            page=page,
            rows=[
                {
                    "letter": one,
                    "about": str(SUBJECTS.get(one.kind, one.kind)).replace(": %(event)s", ""),
                    "look": LOOKS[one.state],
                }
                for one in page
            ],
            failed=counts.get(Letter.State.FAILED, 0),
            told=counts_of(tournament),
        ),
    )


@transaction.atomic
def _send_again(request: HttpRequest, found: QuerySet[Letter]) -> None:
    text = request.POST.get("letter", "")
    failed = found.filter(state=Letter.State.FAILED).select_related("entry__player")
    if text != "all":
        failed = failed.filter(pk=int(text) if text.isdecimal() and len(text) < 18 else 0)
    number = 0
    for letter in failed.select_for_update(of=("self",)):
        send_again(letter)
        entry = letter.entry
        log(entry.tournament, "entry.letter_again", actor=request.user, entry=entry.pk, name=entry.name)
        number += 1
    if number:
        messages.success(request, _("In the queue again: %(n)s.") % {"n": number})


@never_cache
@require_safe
def document(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One photograph of a paper, for the desk's eyes: never cached, never anything but a picture."""
    tournament = managed_tournament(request, slug, "desk")
    found = get_object_or_404(Document, pk=pk, claim__entry__tournament=tournament)
    response = HttpResponse(bytes(found.content), content_type=f"image/{found.kind}")
    response["Content-Disposition"] = f'inline; filename="paper-{found.pk}.{found.kind}"'
    response["Cache-Control"] = "no-store"
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    return response
