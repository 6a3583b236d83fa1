"""Staff pages of registration: the list of entries, its export, the grounds to check, and a late entry."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from registration.fields import Line
from registration.forms import REFUSED_AT, EntryForm
from registration.lists import Wanted, chips, every_account, export_rows, reserve_lists, state_badge
from registration.models import Claim
from registration.previews import preview
from registration.privacy.models import Document
from registration.ratings.suggesting import any_list
from registration.regulations import regulation_in_force, rules_of, section_rules
from registration.services import decide_claim, register_entry
from registration.staff_forms import claim_words
from registration.views import finding
from registration.views.staff import registration_pages
from tourney.csv_files import csv_response
from tourney.kernel.errors import TourneyError
from tourney.labels import sentence
from tourney.models import Section, Tournament
from tourney.navigation import manage_context
from tourney.permissions import managed_tournament, may
from tourney.services.log import log


@never_cache
@require_safe
def entries(request: HttpRequest, slug: str) -> HttpResponse:
    """Everybody who has entered: filters with counts, search, the reserve list in order."""
    tournament = managed_tournament(request, slug, "entries")
    context = manage_context(request, tournament, active="registration")
    found = every_account(tournament)
    wanted = Wanted.of(request.GET, context["sections"])
    shown = [account for account in found if wanted.takes(account)]
    money = may(request, tournament, "money")
    return render(
        request,
        "registration/manage_entries.html",
        {
            **context,
            "sub_nav": registration_pages(request, tournament, "entries"),
            "chips": [chip for chip in chips(found, wanted) if money or "unpaid" not in chip["url"]],
            "wanted": wanted,
            "rows": [_row(account) for account in shown],
            "total": len(found),
            "money": money,
            "contacts": may(request, tournament, "desk"),
            "many_groups": len(context["sections"]) > 1,
            "reserves": reserve_lists(context["sections"], found) if not wanted.state and not wanted.search else [],
            "export_query": wanted.address(),
        },
    )


def _row(account: Any) -> dict[str, Any]:
    look, word = state_badge(account.entry.state)
    return {"account": account, "entry": account.entry, "look": look, "word": word}


@never_cache
@require_safe
def export(request: HttpRequest, slug: str) -> HttpResponse:
    """The list as CSV, safe to open in a spreadsheet. Contacts are private: the export is written to the log."""
    tournament = managed_tournament(request, slug, "desk")
    wanted = Wanted.of(request.GET, list(tournament.sections.all()))
    rows = export_rows([account for account in every_account(tournament) if wanted.takes(account)])
    log(tournament, "entry.exported", actor=request.user, rows=len(rows) - 1)
    return csv_response(f"{tournament.slug}-entries", rows)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def claims(request: HttpRequest, slug: str) -> HttpResponse:
    """Grounds nobody has checked yet, and those decided: documents are looked at, not kept."""
    tournament = managed_tournament(request, slug, "desk")
    if request.method == "POST":
        return _decide(request, tournament)
    rows = list(
        Claim.objects.filter(entry__tournament=tournament)
        .select_related("entry__player", "entry__section", "decided_by")
        .order_by("entry__player__surname", "entry__player__given_name", "pk")
    )
    words = claim_words(tournament)
    for row in rows:
        row.entry.section.tournament = tournament
    papers: dict[int, list[Document]] = {}
    for paper in Document.objects.filter(claim__entry__tournament=tournament).defer("content"):
        papers.setdefault(paper.claim_id, []).append(paper)
    shown = [
        {"claim": row, "words": words.get(row.code, row.code), "documents": papers.get(row.pk, [])} for row in rows
    ]
    return render(
        request,
        "registration/manage_claims.html",
        manage_context(
            request,
            tournament,
            active="registration",
            sub_nav=registration_pages(request, tournament, "claims"),
            waiting=[row for row in shown if row["claim"].state == Claim.State.CLAIMED],
            decided=[row for row in shown if row["claim"].state != Claim.State.CLAIMED],
        ),
    )


def _decide(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    text = request.POST.get("claim", "")
    claim = get_object_or_404(
        Claim.objects.select_related("entry__section"),
        entry__tournament=tournament,
        pk=int(text) if text.isdecimal() and len(text) < 18 else 0,
    )
    verified = request.POST.get("decision") == "verify"
    if not verified and request.POST.get("decision") != "refuse":
        raise Http404
    evidence = " ".join(request.POST.get("evidence", "").split())
    decide_claim(claim, verified=verified, actor=request.user, evidence=evidence)
    messages.success(request, _("Noted: the fee follows.") if verified else _("Noted: the fee stays as it is."))
    return redirect(_back(request, "manage_claims", tournament))


def _back(request: HttpRequest, name: str, tournament: Tournament) -> Any:
    """Return to the entry's page when the act came from there."""
    entry = request.POST.get("back_to_entry", "")
    if entry.isdecimal() and len(entry) < 18:
        return reverse("manage_entry", args=[tournament.slug, int(entry)])
    return reverse(name, args=[tournament.slug])


class DeskEntryForm(EntryForm):
    """The same form at the desk: one mark for the signed paper instead of the consents, and what the log must know."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, staff=True, **kwargs)
        self.fields["desk_reason"] = Line(
            label=_("Why by hand"), required=False, max_length=300, help_text=_("By telephone, on the spot …")
        )
        for name in ("consent_regulation", "consent_processing"):
            if name in self.fields:
                self.fields[name].help_text = _("signed on paper, or said by telephone")

    def groups(self) -> list[tuple[str, Any, list[Any]]]:
        return [*super().groups(), ("desk", _("For the record"), [self["desk_reason"]])]


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest, slug: str) -> HttpResponse:
    """The desk enters somebody: by telephone before the day, or late on the spot where the regulation allows it."""
    tournament = managed_tournament(request, slug, "desk")
    context = manage_context(request, tournament, active="registration")
    known = rules_of(tournament)
    sections = _named(known, context["sections"])
    form = DeskEntryForm(
        request.POST or None,
        tournament=tournament,
        known=known,
        regulation=regulation_in_force(tournament),
        sections=sections,
    )
    finder: dict[str, Any] = {}
    if request.method == "POST" and (request.POST.get("step") == "find" or request.POST.get("pick")):
        typed = {name: field.widget.value_from_datadict(request.POST, {}, name) for name, field in form.fields.items()}
        finder = finding.without_scripts(request, tournament, typed, staff=True)
        form = DeskEntryForm(
            initial=finder["initial"],
            tournament=tournament,
            known=known,
            regulation=regulation_in_force(tournament),
            sections=sections,
        )
    elif request.method == "POST" and form.is_valid() and form.section is not None:
        try:
            made = register_entry(
                form.section,
                form.applicant(),
                operation=form.cleaned_data["operation"],
                online=False,
                actor=request.user,
                reason=form.cleaned_data["desk_reason"],
                base_url=request.build_absolute_uri("/").rstrip("/"),
            )
        except TourneyError as refused:
            _show_refusal(form, refused)
        else:
            messages.success(request, _("Entered: %(name)s.") % {"name": made.entry.player.name})
            return redirect("manage_entry", slug=tournament.slug, pk=made.entry.pk)
    now = timezone.now()
    first = sections[0] if sections else None
    chosen = form.section if form.is_bound else None
    empty = DeskEntryForm(
        {}, tournament=tournament, known=known, regulation=regulation_in_force(tournament), sections=sections
    )
    empty.is_valid()
    closed = known.entry.required_beforehand and known.entry.closes_at and not known.entry.closes_at.allows(now)
    return render(
        request,
        "registration/manage_entry_new.html",
        {
            **context,
            "sub_nav": registration_pages(request, tournament, "new"),
            "form": form,
            "groups": form.groups(),
            "folded": ("more", "grounds", "note"),
            "opened": [key for key, _h, fields in form.groups() if any(f.value() or f.errors for f in fields)],
            "preview": preview(chosen or first, known, empty.applicant(), None, now=now) if first else None,
            "refused_beforehand": closed,
            "has_lists": any_list(),
            "find_url": reverse("manage_entry_find", args=[tournament.slug]),
            "finder": finder,
            "typed_find": request.POST.get("find", "")[: finding.LONGEST],
        },
        status=422 if form.is_bound else 200,
    )


def _named(known: Any, sections: list[Section]) -> list[Section]:
    found = []
    for section in sections:
        try:
            section_rules(known, section)
        except TourneyError:
            continue
        found.append(section)
    return found


def _show_refusal(form: EntryForm, refused: TourneyError) -> None:
    if refused.code == "entry.known_already":
        form.add_error("surname", _("This person is entered already."))
        return
    reason = refused.code.removeprefix("entry.refused.")
    field = REFUSED_AT.get(reason) if refused.code.startswith("entry.refused.") else None
    form.add_error(field if field in form.fields else None, sentence(refused))
