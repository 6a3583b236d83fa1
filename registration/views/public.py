"""The public form: fill in, look at the fee and the place, send. No account; one form makes one entry."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.cache import cache
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from registration.accounts import families_of
from registration.engine.fee_rules import Sibling
from registration.engine.rules import RegistrationRules
from registration.forms import REFUSED_AT, EntryForm
from registration.limits import address_of, allows
from registration.links import application_by_token
from registration.models import Application
from registration.notices import ask_for_notice
from registration.previews import Preview, preview
from registration.ratings.suggesting import any_list
from registration.regulations import regulation_in_force, rules_of, section_rules
from registration.rooms import read_floor
from registration.services import join_family, register_entry
from registration.services.entering import check_is_open
from registration.views import finding
from registration.words import deadline_words
from tourney.formatting import moment_text
from tourney.kernel.errors import TourneyError
from tourney.labels import sentence
from tourney.models import Entry, Section, Tournament
from tourney.navigation import public_context
from tourney.permissions import public_tournament

CONSENTS = {
    "consent_regulation": gettext_lazy("regulations"),
    "consent_processing": gettext_lazy("processing of the data"),
    "consent_publication": gettext_lazy("name on public pages"),
    "consent_media": gettext_lazy("photos and video"),
}
FOLDED = ("more", "grounds", "note")  # what few people need is folded away
LINK_AGAIN_SECONDS = 600  # a letter with the link of a known entry goes out at most once in this time


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def register(request: HttpRequest, slug: str) -> HttpResponse:
    """The form, its check and its sending (K4.1, K11.1)."""
    tournament = public_tournament(request, slug)
    context = public_context(request, tournament, active="register")
    known, open_sections = open_rules(tournament, context["sections"])
    if known is None or not open_sections:
        return render(request, "registration/register_closed.html", {**context, **why_closed(tournament, known)})
    sibling = _sibling(request, tournament)
    if request.method != "POST":
        form = _form(tournament, known, open_sections, initial=_initial(request, sibling))
        return _page(request, context, form, sibling)
    step = request.POST.get("step", "check")
    if step == "find" or request.POST.get("pick"):
        empty = _form(tournament, known, open_sections)
        answer = finding.without_scripts(request, tournament, _typed(request, empty))
        form = _form(tournament, known, open_sections, initial=answer["initial"])
        return _page(request, context | {"finder": answer}, form, sibling)
    form = _form(tournament, known, open_sections, request.POST)
    if step == "edit" or not form.is_valid():
        return _page(request, context, form, sibling, status=200 if step == "edit" else 422)
    if step == "send" and not allows(request, "send"):
        form.add_error(None, sentence(TourneyError("entry.too_often")))
        return _page(request, context, form, sibling, status=429)
    if form.cleaned_data["website"]:
        return render(request, "registration/register_quiet.html", context)
    if step != "send":
        return _check_page(request, context, form, sibling)
    return _send(request, context, form, sibling)


@never_cache
@require_POST
def register_fee(request: HttpRequest, slug: str) -> HttpResponse:
    """The fee and the places for what has been typed so far: a fragment beside the form."""
    tournament = public_tournament(request, slug)
    context = public_context(request, tournament)
    known, open_sections = open_rules(tournament, context["sections"])
    if known is None or not open_sections:
        return HttpResponse(status=204)
    form = _form(tournament, known, open_sections, request.POST)
    if not allows(request, "fee"):
        return HttpResponse(status=204)
    form.is_valid()
    found = _preview(form, _sibling(request, tournament))
    return render(request, "registration/_preview.html", {**context, "preview": found})


def _rules(tournament: Tournament) -> RegistrationRules | None:
    try:
        return rules_of(tournament)
    except TourneyError:
        return None


def open_rules(tournament: Tournament, sections: list[Section]) -> tuple[RegistrationRules | None, list[Section]]:
    """Return the rules in force (None: there are none) and the sections that take entries now."""
    known = _rules(tournament)
    return known, _open_sections(known, sections) if known else []


def _open_sections(known: RegistrationRules, sections: list[Section]) -> list[Section]:
    now = timezone.now()
    found = []
    for section in sections:
        try:
            section_rules(known, section)
            check_is_open(section, known, now, online=True)
        except TourneyError:
            continue
        found.append(section)
    return found


def why_closed(tournament: Tournament, known: RegistrationRules | None) -> dict[str, Any]:
    opens = known.entry.opens_at if known else None
    early = opens is not None and opens.allows(timezone.now())
    closes = known.entry.closes_at if known else None
    return {
        "not_yet": tournament.state == Tournament.State.DRAFT or early,
        "opens": moment_text(opens.moment, tournament.zone) if opens and early else "",
        "closed_since": deadline_words(closes, tournament) if closes and not closes.allows(timezone.now()) else "",
        "at_desk": known is not None and not known.entry.required_beforehand,
    }


def _form(
    tournament: Tournament, known: RegistrationRules, sections: list[Section], *data: Any, **more: Any
) -> EntryForm:
    return EntryForm(
        *data,
        tournament=tournament,
        known=known,
        regulation=regulation_in_force(tournament),
        sections=sections,
        **more,
    )


def _sibling(request: HttpRequest, tournament: Tournament) -> Application | None:
    """Return the entry a brother or sister comes with, by the personal link in the address or in the form."""
    token = request.POST.get("family") or request.GET.get("family") or ""
    application = application_by_token(token) if token else None
    return application if application is not None and application.entry.tournament_id == tournament.pk else None


def _initial(request: HttpRequest, sibling: Application | None) -> dict[str, Any]:
    initial: dict[str, Any] = {"section": request.GET.get("section", "")}
    if sibling is not None:
        player = sibling.entry.player
        initial |= {name: getattr(sibling, name) for name in ("email", "phone", "guardian_name", "guardian_relation")}
        initial |= {"city": player.city, "district": player.district, "surname": player.surname}
    return initial


def _typed(request: HttpRequest, form: EntryForm) -> dict[str, Any]:
    """Return the form's values as sent, without judging them: nothing typed is lost by a look at the lists."""
    return {name: field.widget.value_from_datadict(request.POST, {}, name) for name, field in form.fields.items()}


def _preview(form: EntryForm, sibling: Application | None) -> Preview | None:
    section = form.section or (form.sections[0] if len(form.sections) == 1 else None)
    if section is None:
        return None
    children = 1
    if sibling is not None:
        children = len(families_of(form.tournament).get(sibling.family_key, [0]) if sibling.family_key else [0]) + 1
    return preview(section, form.known, form.applicant(), form.verdict, now=timezone.now(), family_children=children)


def _page(
    request: HttpRequest, context: dict[str, Any], form: EntryForm, sibling: Application | None, status: int = 200
) -> HttpResponse:
    if form.is_bound:
        found = _preview(form, sibling)
    elif len(form.sections) == 1:
        empty = EntryForm(
            {},
            tournament=form.tournament,
            known=form.known,
            regulation=form.regulation,
            sections=form.sections,
        )
        empty.is_valid()
        found = _preview(empty, sibling)
    else:
        found = None
    return render(
        request,
        "registration/register.html",
        {
            **context,
            "form": form,
            "groups": form.groups(),
            "folded": FOLDED,
            "opened": [
                key for key, _heading, fields in form.groups() if any(field.value() or field.errors for field in fields)
            ],
            "preview": found,
            "has_lists": any_list(),
            "typed_find": request.POST.get("find", "")[:120],
            "sibling": sibling,
            "family": request.POST.get("family") or request.GET.get("family", ""),
            "regulation": form.regulation,
            "rooms": _rooms(form.sections),
            "has_family_price": any(isinstance(rule, Sibling) for rule in form.known.fees.rules),
        },
        status=status,
    )


def _rooms(sections: list[Section]) -> list[dict[str, Any]]:
    """Return the places left of each limited section."""
    rows = []
    for section in sections:
        if section.capacity is not None:
            room = read_floor(section).room
            rows.append({"section": section, "free": room.free or 0, "reserve": len(room.reserve)})
    return rows


def _check_page(
    request: HttpRequest, context: dict[str, Any], form: EntryForm, sibling: Application | None
) -> HttpResponse:
    return render(
        request,
        "registration/register_check.html",
        {
            **context,
            "form": form,
            "preview": _preview(form, sibling),
            "rows": _summary(form),
            "sibling": sibling,
            "family": request.POST.get("family", ""),
            "regulation": form.regulation,
        },
    )


def _summary(form: EntryForm) -> list[dict[str, Any]]:
    """Return what was typed, field by field, as people read it."""
    rows = []
    for key, heading, fields in form.groups():
        if key in ("agree", "consent"):
            given = [CONSENTS[field.name] for field in fields if form.cleaned_data.get(field.name)]
            rows.append({"label": heading, "value": ", ".join(str(words) for words in given)})
            continue
        for field in fields:
            value = form.cleaned_data.get(field.name)
            choices = dict(getattr(field.field, "choices", ()))
            if isinstance(value, list):
                value = ", ".join(str(choices.get(one, one)) for one in value)
            elif field.name == "section":
                value = form.section.title_text if form.section else ""
            elif choices:
                value = choices.get(value, value)
            elif value is True:
                value = _("yes")
            elif field.name == "birth_date" and value:
                value = f"{value:%d.%m.%Y}"
            rows.append({"label": field.label, "value": value or ""})
    if form.section is not None and "section" not in form.fields and len(form.tournament.sections.all()) > 1:
        rows.append({"label": _("Group"), "value": form.section.title_text})
    return rows


def _send(request: HttpRequest, context: dict[str, Any], form: EntryForm, sibling: Application | None) -> HttpResponse:
    base_url = request.build_absolute_uri("/").rstrip("/")
    section = form.section
    if section is None:  # cannot be: a valid form has found its section
        return _page(request, context, form, sibling, status=422)
    try:
        with transaction.atomic():
            made = register_entry(
                section,
                form.applicant(language=(get_language() or "")[:2], address=address_of(request)),
                operation=form.cleaned_data["operation"],
                actor=None,
                base_url=base_url,
            )
            if sibling is not None and made.created:
                join_family(made.entry, sibling.entry, actor=None)
    except TourneyError as refused:
        if refused.code == "entry.known_already":
            _send_link_again(refused.values["entry"], base_url)
        reason = refused.code.removeprefix("entry.refused.")
        field = REFUSED_AT.get(reason) if refused.code.startswith("entry.refused.") else None
        form.add_error(field if field in form.fields else None, sentence(refused))
        return _page(request, context, form, sibling, status=422)
    if made.created:
        messages.success(request, _("The entry has been received. This is your personal page: keep its address."))
    return redirect("entrant", token=made.token)


def _send_link_again(entry_id: int, base_url: str) -> None:
    """Send the link to the address given at the first entry; the visitor hears nothing of whom it belongs to."""
    if not cache.add(f"registration-link-again-{entry_id}", True, LINK_AGAIN_SECONDS):
        return
    entry = Entry.objects.select_related("tournament").filter(pk=entry_id).first()
    if entry is not None:
        with transaction.atomic():
            ask_for_notice(entry, "link", base_url=base_url)
