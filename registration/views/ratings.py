"""Rating lists for the staff: files in, with progress; an event compared with the lists; who lacks a number."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from registration.fields import RATING_WORDS, Line
from registration.ratings import refreshing
from registration.ratings.loading import MOST_BYTES, request_load
from registration.ratings.models import RatedPerson, RatingList, Source
from registration.ratings.national import KINDS
from registration.ratings.searching import search
from registration.ratings.suggesting import any_list, national_source
from registration.views.staff import registration_pages
from tourney.csv_files import csv_response, safe_cell
from tourney.kernel.errors import TourneyError
from tourney.labels import MESSAGES, sentence
from tourney.models import StaffRole
from tourney.navigation import manage_context
from tourney.permissions import LoginNeeded, managed_tournament
from tourney.services.log import log

KIND_WORDS = {
    "standard": pgettext_lazy("rating", "standard"),
    "rapid": pgettext_lazy("rating", "rapid"),
    "blitz": pgettext_lazy("rating", "blitz"),
}
RUNNING = (RatingList.State.WAITING, RatingList.State.READING, RatingList.State.MERGING)
FIELD_WORDS = {"fide_id": "ID FIDE", "national_id": gettext_lazy("National ID"), **RATING_WORDS}


class ListForm(forms.Form):
    """A federation's file as it was downloaded."""

    file = forms.FileField(
        label=gettext_lazy("The list's file"),
        max_length=200,
        widget=forms.ClearableFileInput(attrs={"accept": ".zip,.txt,.xml,.csv,.xls,.xlsx"}),
        help_text=gettext_lazy(
            "As the federation gives it, packed or not: FIDE (TXT or XML), Russia (CSV), Ukraine (XLS or XLSX)."
        ),
    )
    kind = forms.ChoiceField(
        label=gettext_lazy("Ratings in a Russian file"),
        required=False,
        choices=[("", gettext_lazy("by the file's name")), *((kind, KIND_WORDS[kind]) for kind in KINDS)],
    )
    partial = forms.BooleanField(
        label=gettext_lazy("The file is a part: leave people who are not in it"), required=False
    )

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file.size > MOST_BYTES:
            raise forms.ValidationError(_("A file may have up to %(limit)s MB.") % {"limit": MOST_BYTES >> 20})
        return file


def _librarian(request: HttpRequest) -> None:
    """Let in who may load lists: organizers of any event. The lists serve the whole installation."""
    if not request.user.is_authenticated:
        raise LoginNeeded(request.get_full_path())
    organizes = StaffRole.objects.filter(user=request.user, role=StaffRole.Role.ORGANIZER).exists()
    if not (request.user.is_superuser or organizes):
        raise PermissionDenied


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def lists(request: HttpRequest) -> HttpResponse:
    """The lists that are loaded, with their dates; a file to load; a search to try them."""
    _librarian(request)
    form = ListForm()
    if request.method == "POST":
        form = ListForm(request.POST, request.FILES)
        if form.is_valid():
            file = form.cleaned_data["file"]
            try:
                made = request_load(
                    file.chunks(),
                    name=file.name,
                    kind=form.cleaned_data["kind"],
                    partial=form.cleaned_data["partial"],
                    actor=request.user,
                )
            except TourneyError as refused:
                form.add_error("file", sentence(refused))
            else:
                return redirect(f"{reverse('manage_rating_lists')}?list={made.pk}")
    asked = request.GET.get("list", "")
    found = RatingList.objects.select_related("job", "by")
    shown = get_object_or_404(found, pk=int(asked)) if asked.isdecimal() and len(asked) < 18 else None
    if shown is not None and request.headers.get("HX-Request"):
        return render(request, "registration/ratings/_list.html", _list_context(shown))
    typed = " ".join(request.GET.get("q", "").split())[:80]
    return render(
        request,
        "registration/ratings/lists.html",
        {
            "form": form,
            "lists": found[:30],
            "now_loaded": _now_loaded(),
            "typed": typed,
            "found": search(typed) if typed else [],
            **(_list_context(shown) if shown else {}),
        },
        status=422 if form.errors else 200,
    )


def _now_loaded() -> list[dict[str, Any]]:
    """Return what can be searched now: of every federation the newest lists, and how many people."""
    rows = []
    for source, words in Source.choices:
        loaded = RatingList.objects.filter(source=source, state=RatingList.State.LOADED)
        newest = {one.kind: one for one in loaded.order_by("pk")}
        if newest:
            people = RatedPerson.objects.filter(source=source).count()
            kinds = [{"list": one, "kind": KIND_WORDS.get(kind, "")} for kind, one in newest.items()]
            rows.append({"words": words, "people": people, "lists": kinds})
    return rows


def _list_context(shown: RatingList) -> dict[str, Any]:
    report = shown.report or {}
    running = shown.state in RUNNING and (shown.job is None or shown.job.state in ("queued", "running"))
    return {
        "shown": shown,
        "running": running,
        "stopped": shown.state in RUNNING and not running,
        "kind": KIND_WORDS.get(shown.kind, ""),
        "report": report,
        "refusal": _words(report["refusal"]) if "refusal" in report else "",
        "problems": [{**one, "text": _words(one)} for one in report.get("problems", [])],
        "more": max(0, report.get("faults", 0) - len(report.get("problems", []))),
        "reload_url": f"{reverse('manage_rating_lists')}?list={shown.pk}",
    }


def _words(problem: Mapping[str, Any]) -> str:
    words = MESSAGES.get(problem["code"])
    return str(words) % problem["values"] if words else problem["code"]


# -- an event's ratings ------------------------------------------------------------------------------------------------


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def ratings(request: HttpRequest, slug: str) -> HttpResponse:
    """Where the lists say otherwise than the entries; what is chosen is taken."""
    tournament = managed_tournament(request, slug, "organize")
    error = ""
    if request.method == "POST":
        chosen = {int(text) for text in request.POST.getlist("entry") if text.isdecimal() and len(text) < 18}
        reason = Line(required=False, max_length=500).clean(request.POST.get("reason", "")[:500])
        try:
            taken = refreshing.take(tournament, chosen, actor=request.user, reason=reason)
        except TourneyError as refused:
            error = sentence(refused)
        else:
            messages.success(request, _("Taken from the lists: %(n)s.") % {"n": taken})
            return redirect("manage_ratings", slug=slug)
    found = refreshing.compare(tournament) if any_list() else None
    rows = [
        {
            "difference": one,
            "rows": [(FIELD_WORDS[name], was, becomes) for name, was, becomes in one.rows],
            "closed": one.entry.start_number is not None,
        }
        for one in (found.differences if found else ())
    ]
    missing = refreshing.without_number(tournament)
    return render(
        request,
        "registration/ratings/event.html",
        manage_context(
            request,
            tournament,
            active="registration",
            sub_nav=registration_pages(request, tournament, "ratings"),
            comparison=found,
            rows=rows,
            needs_reason=any(row["closed"] for row in rows),
            now_loaded=_now_loaded(),
            missing=missing,
            russian=national_source(tournament) == Source.RUSSIA,
            error=error,
        ),
        status=422 if error else 200,
    )


REQUEST_HEADS = ["surname", "name", "patronymic", "birth_date", "sex", "district", "town", "club", "fide_id", "e_mail"]


@never_cache
@require_safe
def number_request(request: HttpRequest, slug: str) -> HttpResponse:
    """Who needs a number, with what the federation asks for, as CSV; private, so it is written to the log."""
    tournament = managed_tournament(request, slug, "organize")
    rows: list[list[str]] = [REQUEST_HEADS]
    for entry in refreshing.without_number(tournament):
        player, form = entry.player, getattr(entry, "application", None)
        born = player.birth_date.isoformat() if player.birth_date else player.birth_year
        cells = [player.surname, player.given_name, player.patronymic, born, player.sex, player.district, player.city]
        cells += [player.club, player.fide_id, form.email if form else ""]
        rows.append([safe_cell(cell) for cell in cells])
    log(tournament, "entry.numbers_asked", actor=request.user, rows=len(rows) - 1)
    return csv_response(f"{tournament.slug}-without-number", rows)
