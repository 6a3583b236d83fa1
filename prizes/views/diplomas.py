"""Diplomas: the event's own words and picture, one player's sheet at once, all of them made by a worker."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from prizes.diploma_words import BLANKS, today
from prizes.forms import DiplomaForm
from prizes.models import DiplomaDesign, DiplomaFile
from prizes.services import diplomas as services
from prizes.views.pages import prizes_context
from tourney.kernel.errors import TourneyError
from tourney.labels import sentence
from tourney.models import Job, Tournament
from tourney.permissions import managed_tournament, may

PDF = "application/pdf"


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def diplomas(request: HttpRequest, slug: str) -> HttpResponse:
    """Words, picture, the button that makes them all, and the files made so far."""
    tournament = managed_tournament(request, slug)
    may_write = may(request, tournament, "arbitrate")
    design = services.design_of(tournament)
    form = DiplomaForm(design=design)
    status = 200
    if request.method == "POST":
        if not may_write:
            raise PermissionDenied
        act = request.POST.get("act")
        if act == "design":
            form = DiplomaForm(request.POST, request.FILES, design=design)
            if form.is_valid() and _save(request, tournament, form):
                return redirect("manage_diplomas", slug=slug)
            status = 422
        elif act == "make":
            return _make(request, tournament)
        else:
            raise Http404
    shown = _asked(tournament, request.GET.get("file", ""))
    if request.headers.get("HX-Request") and shown is not None:
        return render(request, "prizes/_diploma_file.html", {"tournament": tournament, **_file(shown)})
    able = services.with_diploma(tournament)
    groups = {one.award.section_id: one.award.section for one in able}
    return render(
        request,
        "prizes/manage_diplomas.html",
        prizes_context(
            request,
            tournament,
            "diplomas",
            form=form,
            design=design,
            has_picture=bool(design.picture),
            blanks=[f"{{{name}}}" for name in BLANKS],
            count=len(able),
            first=able[0].award if able else None,
            groups=list(groups.values()) if len(groups) > 1 else [],
            files=[_file(one) for one in _files(tournament) if shown is None or one.pk != shown.pk],
            shown=_file(shown) if shown is not None else None,
            may_write=may_write,
        ),
        status=status,
    )


def _files(tournament: Tournament) -> Any:
    return DiplomaFile.objects.filter(tournament=tournament).defer("content").select_related("job", "by", "section")


def _asked(tournament: Tournament, text: str) -> DiplomaFile | None:
    if not text:
        return None
    if not text.isdecimal() or len(text) > 17:
        raise Http404
    found: DiplomaFile = get_object_or_404(_files(tournament), pk=int(text))
    return found


def _file(one: DiplomaFile) -> dict[str, Any]:
    """Return a file as its box shows it: being made with its progress, failed, or ready."""
    slug = one.tournament.slug
    failed = one.finished_at is None and (one.job is None or one.job.state == Job.State.FAILED)
    return {
        "file": one,
        "job": one.job,
        "running": one.finished_at is None and not failed,
        "failed": failed,
        "reload_url": f"{reverse('manage_diplomas', args=[slug])}?file={one.pk}",
        "download_url": reverse("diploma_file", args=[slug, one.pk]),
    }


def _save(request: HttpRequest, tournament: Tournament, form: DiplomaForm) -> bool:
    data = form.cleaned_data
    picture = data["picture"]
    try:
        services.save_design(
            tournament,
            words={name: data[name] for name in services.WORDS},
            shape=data["shape"],
            picture=picture.read(services.MOST_READ) if picture else None,
            picture_name=picture.name if picture else "",
            drop_picture=data["drop_picture"],
            actor=request.user,
        )
    except TourneyError as refused:
        field = "picture" if refused.code in services.PICTURE_CODES else None
        form.add_error(field, sentence(refused))
        return False
    messages.success(request, _("The design is saved."))
    return True


def _make(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    code = request.POST.get("group", "")
    section = tournament.sections.filter(code=code).first() if code else None
    if code and section is None:
        raise Http404
    if section is not None:
        section.tournament = tournament
    address = reverse("manage_diplomas", args=[tournament.slug])
    try:
        made = services.request_diplomas(tournament, section, actor=request.user)
    except TourneyError as refused:
        messages.error(request, sentence(refused))
        return redirect(address)
    return redirect(f"{address}?file={made.pk}#file-{made.pk}")


@require_safe
def diploma_file(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """A finished PDF."""
    tournament = managed_tournament(request, slug)
    made = get_object_or_404(DiplomaFile, pk=pk, tournament=tournament, content__isnull=False)
    return _pdf(bytes(made.content or b""), f"{tournament.slug}-diplomas-{today(tournament)}.pdf")


@require_safe
def diploma(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One player's diploma, made on the spot."""
    tournament = managed_tournament(request, slug)
    try:
        content, status = services.one_diploma(tournament, pk)
    except TourneyError:
        raise Http404 from None
    return _pdf(content, f"{tournament.slug}-diploma-{status.award.entry_id}.pdf")


@require_safe
def picture(request: HttpRequest, slug: str) -> HttpResponse:
    """The picture in the background, for the design's page."""
    tournament = managed_tournament(request, slug)
    design = get_object_or_404(DiplomaDesign, tournament=tournament, picture__isnull=False)
    return HttpResponse(bytes(design.picture or b""), content_type="image/jpeg")


def _pdf(content: bytes, name: str) -> HttpResponse:
    answer = HttpResponse(content, content_type=PDF)
    answer["Content-Disposition"] = f'inline; filename="{name}"'
    answer["Cache-Control"] = "private, no-store"
    return answer
