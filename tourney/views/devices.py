"""Links for tablets: the chief arbiter's page with its codes, and the page a tablet opens by one."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from tourney.device_forms import DeviceForm
from tourney.devices import browser_name, keep_secret, pages_of, secret_of
from tourney.kernel.errors import TourneyError
from tourney.labels import sentence
from tourney.laptop.authority import Authority
from tourney.middleware import use_event_language
from tourney.models import DeviceLink, Tournament
from tourney.navigation import manage_context
from tourney.permissions import managed_tournament
from tourney.services.devices import (
    SKEW_WORTH_SAYING,
    bind_link,
    check_open,
    hash_of,
    issue_link,
    link_of_token,
    renew_link,
    revoke_link,
)
from tourney.views.lots import qr_code


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def devices(request: HttpRequest, slug: str) -> HttpResponse:
    """The tablets of an event. A new code is shown on the answer to the form that made it, and never again."""
    tournament = managed_tournament(request, slug, "arbitrate")
    sections = list(tournament.sections.filter(merged_into=None))
    for one in sections:
        one.tournament = tournament
    act = request.POST.get("act", "")
    form = DeviceForm(request.POST if act == "issue" else None, tournament=tournament, sections=sections)
    shown: dict[str, Any] = {}
    status = 200
    if request.method == "POST":
        try:
            if act == "issue":
                status = 422
                if form.is_valid():
                    link, token = issue_link(tournament, actor=request.user, **form.chosen())
                    shown, status = _code(request, link, token), 200
                    form = DeviceForm(tournament=tournament, sections=sections)
            elif act == "renew":
                link, token = renew_link(tournament, _number(request.POST.get("link")), actor=request.user)
                shown = _code(request, link, token)
            elif act == "revoke":
                link = revoke_link(tournament, _number(request.POST.get("link")), actor=request.user)
                messages.success(request, _("The link of “%(label)s” is taken back.") % {"label": link.label})
                return redirect("manage_devices", slug=slug)
            else:
                raise Http404
        except TourneyError as refused:
            if act == "issue":
                field = "last_board" if refused.code == "device.board_order" else "valid_until"
                form.add_error(field, sentence(refused))
            else:
                messages.error(request, sentence(refused))
                return redirect("manage_devices", slug=slug)
    context = manage_context(request, tournament, form=form, rows=_rows(tournament), shown=shown, trust=_trust())
    return render(request, "tourney/manage_devices.html", context, status=status)


def _trust() -> dict[str, str]:
    """Return where tablets learn to trust this laptop and the fingerprint to compare; empty on a server."""
    authority = Authority(settings.DATA_FOLDER.authority)
    if not settings.TRUST_URL or not authority.certificate.exists():
        return {}
    return {"url": f"{settings.TRUST_URL}/trust/", "fingerprint": authority.fingerprint()}


def _rows(tournament: Tournament) -> list[dict[str, Any]]:
    now = timezone.now()
    rows = []
    for link in tournament.device_links.select_related("section").order_by("revoked_at", "-pk"):
        state = link.state_at(now)
        skew = abs(link.skew_seconds) >= SKEW_WORTH_SAYING
        if link.section is not None:
            link.section.tournament = tournament
        rows.append(
            {
                "link": link,
                "state": state,
                "live": state in ("early", "open"),
                "reach": reach_words(link),
                "skew": skew_words(link.skew_seconds) if skew else "",
            }
        )
    return rows


def reach_words(link: DeviceLink) -> str:
    """Return whose boards a tablet has: `U11, boards 1–20`."""
    low, high = link.first_board, link.last_board
    if low and high:
        boards = _("boards %(first)s–%(last)s") % {"first": low, "last": high}
    elif low:
        boards = _("from board %(first)s on") % {"first": low}
    else:
        boards = _("all boards")
    group = link.section.title_text if link.section else ""
    return ", ".join(part for part in (group, boards) if part)


def skew_words(seconds: int) -> str:
    """Return how wrong a tablet's clock is: `the clock is 2:00 ahead`."""
    minutes = (abs(seconds) + 30) // 60
    time = f"{minutes // 60}:{minutes % 60:02}"
    words = _("its clock is %(time)s ahead") if seconds > 0 else _("its clock is %(time)s behind")
    return words % {"time": time}


def _code(request: HttpRequest, link: DeviceLink, token: str) -> dict[str, Any]:
    path = reverse("device_join", args=[token])
    address = f"{settings.PUBLIC_URL}{path}" if settings.PUBLIC_URL else request.build_absolute_uri(path)
    return {"label": link.label, "address": address, "code": qr_code(address), "reach": reach_words(link)}


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest, token: str) -> HttpResponse:
    """What a tablet sees when it opens its code; the button ties the link to it, and it enters results from then on."""
    link = link_of_token(token)
    use_event_language(request, link.tournament.language)
    secret = secret_of(request)
    if request.method == "POST":
        link = bind_link(token, secret=secret, browser=browser_name(request))
        answer: HttpResponse = redirect(pages_of(link)[0].url)
        keep_secret(answer, secret)
        return answer
    if link.device_hash and link.device_hash == hash_of(secret):
        return redirect(pages_of(link)[0].url)
    check_open(link, timezone.now())
    if link.section is not None:
        link.section.tournament = link.tournament
    context = {"link": link, "tournament": link.tournament, "reach": reach_words(link), "taken": bool(link.device_hash)}
    return render(request, "tourney/device_join.html", context)


def _number(text: str | None) -> int:
    return int(text) if text and text.isdecimal() and len(text) < 18 else 0
