"""An event as a file: taking it, moving the event to another installation, and bringing one here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from tourney.archives import moving, preparing
from tourney.archives.reading import read_event
from tourney.archives.sending import as_it_is_written
from tourney.archives.writing import refuse_rehearsal
from tourney.kernel.errors import TourneyError
from tourney.labels import sentence
from tourney.models import Job, StaffRole, Tournament
from tourney.navigation import manage_context
from tourney.permissions import LoginNeeded, SecondFactorNeeded, managed_tournament
from tourney.services.forgetting_files import names_go
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
    """Have the event's file prepared and download it, or take it at once; move the event; let it stay after all."""
    tournament = managed_tournament(request, slug, "organize")
    page: dict[str, Any] = {
        "give": PassphraseForm(auto_id="give_%s"),
        "take": PassphraseForm(auto_id="take_%s"),
        "move": MoveForm(),
        "stay": ReasonForm(),
    }
    status = 200
    if request.method == "POST":
        act = _ACTS.get(request.POST.get("act", ""))
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
    page |= _prepared(tournament)
    if request.headers.get("HX-Request"):
        if page["prepared"] is None:  # thrown away while the page watched: the button to ask for it is outside the part
            return HttpResponse(headers={"HX-Refresh": "true"})
        return render(request, "tourney/_archive_file.html", {"tournament": tournament, **page})
    return render(request, "tourney/manage_archive.html", manage_context(request, tournament, **page), status=status)


def _prepared(tournament: Tournament) -> dict[str, Any]:
    """Return what the page shows of the archive that was asked for: how far it is, or until when it is there."""
    made = preparing.archive_of(tournament)
    if made is None:
        return {"prepared": None}
    running = preparing.is_open(made)
    return {
        "prepared": made,
        "running": running,
        "waits": running and made.job is not None and made.job.state == Job.State.QUEUED,
        "names_go": running and names_go(tournament),
        "failed": not running and made.finished_at is None,
        "kept_until": made.at + preparing.KEPT,
        "reload_url": reverse("manage_archive", args=[tournament.slug]),
    }


def _prepare(request: HttpRequest, tournament: Tournament, page: dict[str, Any]) -> HttpResponse:
    preparing.request_archive(tournament, actor=request.user)
    return redirect(f"{reverse('manage_archive', args=[tournament.slug])}#prepared")


def _give(request: HttpRequest, tournament: Tournament, page: dict[str, Any]) -> HttpResponseBase | None:
    form = page["give"] = PassphraseForm(request.POST, auto_id="give_%s")
    if not form.is_valid():
        return None
    made = preparing.archive_of(tournament)
    if made is None or made.finished_at is None:
        messages.warning(request, _("No archive is ready: ask for it once more."))
        return redirect("manage_archive", slug=tournament.slug)
    passphrase = form.cleaned_data["passphrase"]
    answer = _file(request, tournament, preparing.pieces_of(made, passphrase))
    answer["Content-Length"] = str(preparing.size_of(made, passphrase))  # so that the browser can say how far it is
    return answer


def _file(request: HttpRequest, tournament: Tournament, pieces: Iterator[bytes]) -> StreamingHttpResponse:
    # Not when all of it is taken: who breaks off before the end has nearly everything.
    moving.note_taken(tournament, actor=request.user)
    name = f"{tournament.slug}-{timezone.localtime():%Y%m%d-%H%M}.tourney"
    about = {"Content-Disposition": f'attachment; filename="{name}"', "Content-Encoding": "identity"}  # is packed
    return StreamingHttpResponse(pieces, content_type="application/octet-stream", headers=about)


def _take(request: HttpRequest, tournament: Tournament, page: dict[str, Any]) -> HttpResponseBase | None:
    form = page["take"] = PassphraseForm(request.POST, auto_id="take_%s")
    if not form.is_valid():
        return None
    refuse_rehearsal(tournament)  # while the page can still say so
    passphrase = form.cleaned_data["passphrase"]
    pieces = as_it_is_written(lambda file: moving.write_as_it_is(tournament, file, passphrase=passphrase))
    return _file(request, tournament, pieces)


def _move(request: HttpRequest, tournament: Tournament, page: dict[str, Any]) -> HttpResponse | None:
    form = page["move"] = MoveForm(request.POST)
    if not form.is_valid():
        return None
    moving.move_away(tournament, None, actor=request.user, to=form.cleaned_data["to"])
    messages.success(request, _("Here the event can only be read now. Take its archive and bring it there."))
    return _prepare(request, tournament, page)


def _stay(request: HttpRequest, tournament: Tournament, page: dict[str, Any]) -> HttpResponse | None:
    form = page["stay"] = ReasonForm(request.POST)
    if not form.is_valid():
        return None
    moving.stay(tournament, actor=request.user, reason=form.cleaned_data["reason"])
    messages.success(request, _("The event goes on here."))
    return redirect("manage_archive", slug=tournament.slug)


_ACTS = {"prepare": _prepare, "give": _give, "take": _take, "move": _move, "stay": _stay}


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
