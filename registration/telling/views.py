"""The entrant's choice: the pairings by letter, yes or no."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from registration.models import Application
from registration.telling.services import by_letter, stop, subscribe_by_letter
from registration.views.entrant import personal


@require_POST
@personal
def pairings(request: HttpRequest, token: str, application: Application) -> HttpResponse:
    """Begin or stop sending the pairings to the entry's own address."""
    if request.POST.get("act") == "stop":
        subscription = by_letter(application.entry)
        stop([subscription] if subscription else [])
        messages.success(request, _("No more letters about pairings are sent."))
    elif subscribe_by_letter(application, base_url=request.build_absolute_uri("/")[:-1]) is not None:
        messages.success(request, _("The pairings are sent to %(email)s.") % {"email": application.email})
    return redirect("entrant", token=token)
