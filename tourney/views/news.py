"""News of the organizer: written on a staff page, read on the event page, in the hall and by feed readers (Atom)."""

from __future__ import annotations

import re

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed
from django.utils.http import http_date
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from tourney.kernel.errors import TourneyError
from tourney.labels import sentence
from tourney.models import NewsItem, Tournament
from tourney.navigation import manage_context, public_context
from tourney.news_forms import NewsForm
from tourney.permissions import managed_tournament, public_tournament
from tourney.services.news import change_news, news_of, tell_news, withdraw_news
from tourney.shared_cache import shared
from tourney.templatetags.tourney_public import linked

_NOT_IN_XML = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]"
)  # pasted from other programs; no feed may hold one


@shared()
@require_safe
def news(request: HttpRequest, slug: str) -> HttpResponse:
    """Everything that was told, newest first."""
    tournament = public_tournament(request, slug)
    context = public_context(request, tournament, active="about")
    return render(request, "tourney/news.html", {**context, "news": news_of(tournament)})


@shared()
@require_safe
def feed(request: HttpRequest, slug: str) -> HttpResponse:
    """The news as an Atom feed (RFC 4287), in the language the reader asks for, else the event's."""
    tournament = public_tournament(request, slug)
    public_context(request, tournament)
    address = request.build_absolute_uri(reverse("news", args=[slug]))
    items = news_of(tournament)
    atom = Atom1Feed(
        title=_for_xml(tournament.title_text),
        link=address,
        description="",
        language=get_language() or tournament.language,
        feed_url=request.build_absolute_uri(),
        author_name=_for_xml(tournament.in_words(tournament.organizer) or tournament.title_text),
    )
    for item in items:
        atom.add_item(
            title=_for_xml(item.title_text),
            link=f"{address}#n{item.pk}",
            description=_for_xml(linked(item.body_text)),
            unique_id=f"{address}#n{item.pk}",
            pubdate=item.published_at,
            updateddate=item.changed_at,
        )
    response = HttpResponse(atom.writeString("utf-8"), content_type=atom.content_type)
    if items:
        response["Last-Modified"] = http_date(max(item.changed_at for item in items).timestamp())
    return response


def _for_xml(text: str) -> str:
    return _NOT_IN_XML.sub("", text)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def manage(request: HttpRequest, slug: str) -> HttpResponse:
    """Write news, change it (`?change=`), take it back."""
    tournament = managed_tournament(request, slug, "organize")
    items = news_of(tournament)
    asked = request.POST.get("item") or request.GET.get("change")
    item = next((one for one in items if str(one.pk) == asked), None)
    act = request.POST.get("act", "")
    is_gone = bool(asked) and item is None
    if is_gone and act != "change":
        messages.error(request, sentence(TourneyError("news.unknown")))
        return redirect("manage_news", slug=slug)
    form = NewsForm(request.POST if act in ("tell", "change") else None, tournament=tournament, item=item)
    status = 200
    if request.method == "POST":
        if act == "withdraw" and item is not None:
            withdraw_news(tournament, item.pk, actor=request.user)
            messages.success(request, _("Taken back: %(title)s") % {"title": item.title_text})
            return redirect("manage_news", slug=slug)
        if act not in ("tell", "change"):
            raise Http404
        if is_gone:  # what was typed stays, to be told as a new piece or left
            form.add_error(None, sentence(TourneyError("news.unknown")))
        told = _told(request, tournament, form, item)
        if told is not None:
            messages.success(request, _("Everybody can read it now: %(title)s") % {"title": told.title_text})
            return redirect("manage_news", slug=slug)
        status = 422
    context = manage_context(request, tournament, form=form, item=item, news=items)
    return render(request, "tourney/manage_news.html", context, status=status)


def _told(request: HttpRequest, tournament: Tournament, form: NewsForm, item: NewsItem | None) -> NewsItem | None:
    """Write what the form says; None when something is missing."""
    if not form.is_valid():
        return None
    try:
        if item is None:
            return tell_news(tournament, **form.chosen(), actor=request.user)
        return change_news(tournament, item.pk, **form.chosen(), actor=request.user)
    except TourneyError as refused:
        form.add_error(None, sentence(refused))
        return None
