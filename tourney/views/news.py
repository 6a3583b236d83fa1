"""News of the organizer: written on a staff page, read on the event page, in the hall and by feed readers (Atom)."""

from __future__ import annotations

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
from tourney.templatetags.tourney_public import linked


@require_safe
def news(request: HttpRequest, slug: str) -> HttpResponse:
    """Everything that was told, newest first."""
    tournament = public_tournament(request, slug)
    context = public_context(request, tournament, active="about")
    return render(request, "tourney/news.html", {**context, "news": news_of(tournament)})


@require_safe
def feed(request: HttpRequest, slug: str) -> HttpResponse:
    """The news as an Atom feed (RFC 4287), in the event's language or the one the address asks for (`?lang=ru`)."""
    tournament = public_tournament(request, slug)
    public_context(request, tournament)
    address = request.build_absolute_uri(reverse("news", args=[slug]))
    items = news_of(tournament)
    atom = Atom1Feed(
        title=tournament.title_text,
        link=address,
        description="",
        language=get_language() or tournament.language,
        feed_url=request.build_absolute_uri(),
        author_name=tournament.in_words(tournament.organizer) or tournament.title_text,
    )
    for item in items:
        atom.add_item(
            title=item.title_text,
            link=f"{address}#n{item.pk}",
            description=linked(item.body_text),
            unique_id=f"{address}#n{item.pk}",
            pubdate=item.published_at,
            updateddate=item.changed_at,
        )
    response = HttpResponse(atom.writeString("utf-8"), content_type=atom.content_type)
    if items:
        response["Last-Modified"] = http_date(max(item.changed_at for item in items).timestamp())
    return response


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def manage(request: HttpRequest, slug: str) -> HttpResponse:
    """Write news, change it (`?change=`), take it back."""
    tournament = managed_tournament(request, slug, "organize")
    items = news_of(tournament)
    asked = request.POST.get("item") or request.GET.get("change")
    item = next((one for one in items if str(one.pk) == asked), None)
    if asked and item is None:
        messages.error(request, sentence(TourneyError("news.unknown")))
        return redirect("manage_news", slug=slug)
    act = request.POST.get("act", "")
    form = NewsForm(request.POST if act in ("tell", "change") else None, tournament=tournament, item=item)
    status = 200
    if request.method == "POST":
        if act == "withdraw" and item is not None:
            withdraw_news(tournament, item.pk, actor=request.user)
            messages.success(request, _("Taken back: %(title)s") % {"title": item.title_text})
            return redirect("manage_news", slug=slug)
        if act not in ("tell", "change"):
            raise Http404
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
