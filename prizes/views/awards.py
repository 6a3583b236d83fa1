"""Staff pages of awards: handing out, telling the winners, the list to sign, diplomas (M9.1–9.3)."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_safe

from prizes.forms import TellForm
from prizes.models import AwardEvent
from prizes.rows import award_row
from prizes.selectors.awards import AwardStatus, awards_of
from prizes.selectors.fund import fund_of
from prizes.services.awards import addresses_of, note_award, notify_winners, take_back_stray
from prizes.views.pages import prizes_context
from prizes.words import award_words, things_text, why_text
from tourney.kernel.errors import TourneyError
from tourney.kernel.money import total
from tourney.labels import sentence
from tourney.models import Section, Tournament
from tourney.permissions import managed_tournament, may


def _may_hand_out(request: HttpRequest, tournament: Tournament) -> bool:
    return may(request, tournament, "arbitrate") or may(request, tournament, "desk")


def _chosen(request: HttpRequest, tournament: Tournament) -> Section | None:
    code = request.GET.get("group", "")
    if not code:
        return None
    section = tournament.sections.filter(code=code).first()
    if section is None:
        raise Http404
    section.tournament = tournament
    return section


@require_http_methods(["GET", "HEAD", "POST"])
def awards(request: HttpRequest, slug: str) -> HttpResponse:
    """Everybody who gets something: hand it over, note a representative or an absence, take a note back."""
    tournament = managed_tournament(request, slug)
    section = _chosen(request, tournament)
    here = request.get_full_path()
    if request.method == "POST":
        if not _may_hand_out(request, tournament):
            raise PermissionDenied
        try:
            _note(request, tournament)
        except TourneyError as refused:
            messages.error(request, sentence(refused))
        return redirect(f"{here}#award-{request.POST.get('award', '')}" if request.POST.get("award") else here)
    whole = awards_of(tournament)
    shown = [one for one in whole.statuses if section is None or one.award.section_id == section.pk]
    state = request.GET.get("state", "")
    if state == "due":
        shown = [one for one in shown if one.state == "due"]
    groups: dict[int, dict[str, Any]] = {}
    left = fund_of(tournament, whole).now.left
    for status in shown:
        group = groups.setdefault(status.award.section_id, {"section": status.award.section, "rows": []})
        short = status.money is not None and not status.is_handed and status.money.minor > left.minor
        group["rows"].append(award_row(status) | {"short": short})
    return render(
        request,
        "prizes/manage_prizes.html",
        prizes_context(
            request,
            tournament,
            "awards",
            groups=list(groups.values()),
            filters=_filters(tournament, whole.statuses, section, state),
            stray=whole.stray,
            open=len(whole.open),
            handed=len(whole.handed),
            total=len(whole.statuses),
            query=f"?group={section.code}" if section else "",
            may_hand_out=_may_hand_out(request, tournament),
            untold=sum(1 for one in whole.open if one.notified is None),
        ),
    )


def _filters(
    tournament: Tournament, statuses: tuple[AwardStatus, ...], section: Section | None, state: str
) -> list[dict[str, Any]]:
    open_ones = sum(1 for one in statuses if one.state == "due")
    chips = [
        {"label": _("All"), "count": len(statuses), "url": "?", "active": section is None and not state},
        {"label": _("Not handed out"), "count": open_ones, "url": "?state=due", "active": state == "due"},
    ]
    counts: dict[int, int] = {}
    for one in statuses:
        counts[one.award.section_id] = counts.get(one.award.section_id, 0) + 1
    if len(counts) > 1:
        for other in tournament.sections.all():
            if other.pk in counts:
                other.tournament = tournament
                chips.append(
                    {
                        "label": other.title_text,
                        "count": counts[other.pk],
                        "url": f"?group={other.code}",
                        "active": section is not None and section.pk == other.pk,
                    }
                )
    return chips


def _note(request: HttpRequest, tournament: Tournament) -> None:
    post = request.POST
    if post.get("act") == "returned":
        take_back_stray(tournament, _number(post.get("event")), actor=request.user)
        messages.success(request, _("Noted: it was given back."))
        return
    told = post.get("act") == "told"
    event = note_award(
        tournament,
        _number(post.get("award")),
        AwardEvent.Kind.NOTIFIED if told else post.get("act", ""),
        actor=request.user,
        signed_by=post.get("signed_by", "")[:120],
        # The word is kept in the event's language: everybody of the staff reads it.
        note=_in_person(tournament) if told else post.get("note", "")[:500],
    )
    if event is not None:
        messages.success(request, f"{event.entry.name}: {event.get_kind_display()}.")


def _in_person(tournament: Tournament) -> str:
    with translation.override(tournament.language):
        return _("told in person")


def _number(text: str | None) -> int:
    if not text or not text.isdecimal() or len(text) > 18:
        raise Http404
    return int(text)


@require_http_methods(["GET", "HEAD", "POST"])
def tell(request: HttpRequest, slug: str) -> HttpResponse:
    """Tell the winners place and time personally, by a letter each (M9.2)."""
    tournament = managed_tournament(request, slug, "arbitrate")
    open_awards = awards_of(tournament).open
    addresses = addresses_of([one.award.entry_id for one in open_awards])
    in_person = _("no e-mail address: tell in person")
    choices = [
        (
            str(one.award.pk),
            f"{one.award.entry.name} – {award_words(one)}"
            + ("" if one.award.entry_id in addresses else f" ({in_person})"),
        )
        for one in open_awards
    ]
    waiting = [str(one.award.pk) for one in open_awards if one.notified is None]
    initial = {"where": tournament.venue_text, "awards": waiting}
    form = TellForm(request.POST or None, choices=choices, initial=initial)
    status = 200
    if request.method == "POST":
        if form.is_valid():
            data = form.cleaned_data
            try:
                sent, without = notify_winners(
                    tournament,
                    [int(pk) for pk in data["awards"]],
                    where=data["where"],
                    when=data["when"],
                    actor=request.user,
                )
            except TourneyError as refused:
                form.add_error(None, sentence(refused))
            else:
                if sent:
                    messages.success(
                        request,
                        ngettext("%(n)d letter is on its way.", "%(n)d letters are on their way.", sent) % {"n": sent},
                    )
                if without:
                    messages.warning(
                        request, _("Without an address, tell in person: %(names)s.") % {"names": ", ".join(without)}
                    )
                return redirect("manage_prizes", slug=slug)
        status = 422
    return render(
        request,
        "prizes/manage_tell.html",
        prizes_context(request, tournament, "awards", form=form, any_award=bool(open_awards)),
        status=status,
    )


@require_safe
def print_list(request: HttpRequest, slug: str) -> HttpResponse:
    """The list winners sign on receipt, a sheet for each group."""
    tournament = managed_tournament(request, slug)
    section = _chosen(request, tournament)
    groups: dict[int, dict[str, Any]] = {}
    for status in awards_of(tournament, section).statuses:
        group = groups.setdefault(status.award.section_id, {"section": status.award.section, "rows": [], "money": []})
        group["rows"].append(award_row(status))
        if status.money is not None:
            group["money"].append(status.money)
    for group in groups.values():
        group["total"] = total(group["money"], tournament.currency) if group["money"] else None
    return render(
        request,
        "prizes/print_awards.html",
        {
            "tournament": tournament,
            "groups": list(groups.values()),
            "back_url": reverse("manage_prizes", args=[slug]),
        },
    )


@require_safe
def print_diplomas(request: HttpRequest, slug: str) -> HttpResponse:
    """Diplomas of everybody who gets one, or of one player, in the event's language."""
    tournament = managed_tournament(request, slug)
    section = _chosen(request, tournament)
    only = request.GET.get("award", "")
    statuses = [
        one
        for one in awards_of(tournament, section).statuses
        if ("diploma" in one.award.things and not only) or str(one.award.pk) == only
    ]
    if only and not statuses:
        raise Http404
    with translation.override(tournament.language):
        return render(
            request,
            "prizes/print_diplomas.html",
            {
                "tournament": tournament,
                "organizer": tournament.in_words(tournament.organizer),
                "diplomas": [
                    {
                        "name": status.award.entry.player.full_name,
                        "place": status.award.place,
                        "section": status.award.section.title_text,
                        "category": status.award.subject.rpartition(":")[0],
                        "what": things_text(status.award.things),
                        "lottery": status.award.source == "lottery",
                        "why": why_text(status.award),
                    }
                    for status in statuses
                ],
                "back_url": reverse("manage_prizes", args=[slug]),
            },
        )
