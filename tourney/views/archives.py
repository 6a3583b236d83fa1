"""An event as a file: taking it, moving the event to another installation, and bringing one here."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from tourney.archives import moving
from tourney.archives.reading import read_event
from tourney.archives.sending import as_it_is_written
from tourney.archives.writing import refuse_rehearsal
from tourney.kernel.errors import TourneyError
from tourney.labels import sentence
from tourney.models import StaffRole, Tournament
from tourney.navigation import manage_context
from tourney.permissions import LoginNeeded, SecondFactorNeeded, managed_tournament
from tourney.sign_in.needs import lacks_second_factor
from tourney.staff_forms import ReasonForm
from tourney.uploads import MEGABYTE

MOST_INFLATED = 4 << 30  # bytes of an archive that comes by a browser; rows of an event pack to a tenth


class PassphraseForm(forms.Form):
    """What closes an archive, if anything."""

    passphrase = forms.CharField(
        label=gettext_lazy("Passphrase"),
        required=False,
        max_length=200,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text=gettext_lazy("Without one, whoever has the file can read names and contacts in it."),
    )


class MoveForm(forms.Form):
    """Where an event goes on."""

    to = forms.CharField(
        label=gettext_lazy("Where it goes on"),
        max_length=200,
        help_text=gettext_lazy("The event's address there; visitors of its pages here are shown it."),
        widget=forms.TextInput(attrs={"inputmode": "url", "autocomplete": "off"}),
    )


class BringForm(forms.Form):
    """An archive from another installation."""

    file = forms.FileField(label=gettext_lazy("Archive"))
    passphrase = forms.CharField(
        label=gettext_lazy("Passphrase"),
        required=False,
        max_length=200,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
        help_text=gettext_lazy("Only if the archive was closed by one."),
    )
    slug = forms.SlugField(
        label=gettext_lazy("Another address"),
        required=False,
        max_length=60,
        help_text=gettext_lazy("Only if another event here has the address of this one."),
    )

    def clean_file(self) -> Any:
        file, most = self.cleaned_data["file"], settings.ARCHIVE_MB
        if file.size > most * MEGABYTE:
            raise forms.ValidationError(sentence(TourneyError("upload.too_large", most=most)))
        return file


@never_cache
@sensitive_post_parameters("passphrase")
@require_http_methods(["GET", "HEAD", "POST"])
def archive(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Take the event as a file; move it; let it stay after all."""
    tournament = managed_tournament(request, slug, "organize")
    page: dict[str, Any] = {"take": PassphraseForm(), "move": MoveForm(), "stay": ReasonForm()}
    status = 200
    if request.method == "POST":
        act = {"take": _take, "move": _move, "stay": _stay}.get(request.POST.get("act", ""))
        if act is None:
            raise Http404
        try:
            done = act(request, tournament, page)
        except TourneyError as refused:
            messages.error(request, sentence(refused))
            return redirect("manage_archive", slug=slug)
        if done is not None:
            return done
        status = 422
    return render(request, "tourney/manage_archive.html", manage_context(request, tournament, **page), status=status)


def _take(request: HttpRequest, tournament: Tournament, page: dict[str, Any]) -> HttpResponseBase | None:
    form = page["take"] = PassphraseForm(request.POST)
    if not form.is_valid():
        return None
    refuse_rehearsal(tournament)  # while the page can still say so
    passphrase = form.cleaned_data["passphrase"]
    pieces = as_it_is_written(lambda file: moving.write_as_it_is(tournament, file, passphrase=passphrase))
    # Not when all of it is taken: who breaks off before the end has nearly everything.
    moving.note_taken(tournament, actor=request.user)
    name = f"{tournament.slug}-{timezone.localtime():%Y%m%d-%H%M}.tourney"
    about = {"Content-Disposition": f'attachment; filename="{name}"', "Content-Encoding": "identity"}  # is packed
    return StreamingHttpResponse(pieces, content_type="application/octet-stream", headers=about)


def _move(request: HttpRequest, tournament: Tournament, page: dict[str, Any]) -> HttpResponse | None:
    form = page["move"] = MoveForm(request.POST)
    if not form.is_valid():
        return None
    with tempfile.TemporaryDirectory(prefix="tourney-archive-") as folder:
        moving.move_away(tournament, Path(folder, "event"), actor=request.user, to=form.cleaned_data["to"])
    messages.success(request, _("Here the event can only be read now. Take its archive and bring it there."))
    return redirect("manage_archive", slug=tournament.slug)


def _stay(request: HttpRequest, tournament: Tournament, page: dict[str, Any]) -> HttpResponse | None:
    form = page["stay"] = ReasonForm(request.POST)
    if not form.is_valid():
        return None
    moving.stay(tournament, actor=request.user, reason=form.cleaned_data["reason"])
    messages.success(request, _("The event goes on here."))
    return redirect("manage_archive", slug=tournament.slug)


@never_cache
@sensitive_post_parameters("passphrase")
@require_http_methods(["GET", "HEAD", "POST"])
def bring(request: HttpRequest) -> HttpResponse:
    """Bring an event here; for whoever owns the installation, because an archive says by itself who did what in it."""
    if not request.user.is_authenticated:
        raise LoginNeeded(request.get_full_path())
    if not request.user.is_superuser:
        raise Http404
    if lacks_second_factor(request, frozenset(StaffRole.Role.values)):
        raise SecondFactorNeeded(request.get_full_path())
    form = BringForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        try:
            made = read_event(
                data["file"].file,
                actor=request.user,
                slug=data["slug"],
                passphrase=data["passphrase"],
                most=MOST_INFLATED,
            )
        except TourneyError as refused:
            form.add_error("slug" if refused.code == "archive.slug_taken" else "file", sentence(refused))
        else:
            messages.success(request, _("The event is here, with everything in it."))
            return redirect("manage_event", slug=made.slug)
    context = {"form": form, "tournament": None}
    return render(request, "tourney/manage_bring.html", context, status=422 if form.errors else 200)
