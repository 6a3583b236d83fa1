"""The regulation: its text and history for everybody, its editor for the organizer."""

from __future__ import annotations

import json
from typing import Any

from django.contrib import messages
from django.core.exceptions import NON_FIELD_ERRORS as NON_FIELD
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_safe

from tourney.forms.block import BlockForm
from tourney.forms.lines import line_of
from tourney.forms.regulation import PublishForm, ReadingsForm, TextForm
from tourney.forms.tree import apply, from_data, from_post
from tourney.kernel.errors import TourneyError
from tourney.labels import sentence
from tourney.models import Regulation, RegulationDraft, StaffRole, Stage, Tournament
from tourney.navigation import manage_context, public_context
from tourney.permissions import managed_tournament, public_tournament
from tourney.regulation_checks import Problem, errors_of
from tourney.regulation_schema.blocks import BLOCK_TITLES, GENERAL_KEYS, block_schema, has_schema
from tourney.regulation_schema.nodes import Rows, Table
from tourney.regulation_schema.paths import path_label
from tourney.regulation_text import block_items, differences, regulation_text
from tourney.selectors import current_regulation
from tourney.services import regulations as service
from tourney.shared_cache import shared

CHANGED = "regulation.block_changed"
ACTS = ("add", "remove", "up", "down")
STEP = "regulation"


# -- for everybody -----------------------------------------------------------------------------------------------------


@shared()
@require_safe
def regulation(request: HttpRequest, slug: str, number: int | None = None) -> HttpResponse:
    """The text of the version in force (or of an older one), the history, and what every version changed."""
    tournament = public_tournament(request, slug)
    versions = list(tournament.regulations.order_by("-number").select_related("author"))
    shown = versions[0] if versions and number is None else next((v for v in versions if v.number == number), None)
    if shown is None and (number is not None or versions):
        raise Http404
    context = public_context(request, tournament, active="about")
    chapters = regulation_text(shown.spec, tournament) if shown else []
    return render(
        request,
        "tourney/regulation_text.html",
        {
            **context,
            "version": shown,
            "newest": versions[0] if versions else None,
            "chapters": chapters,
            "history": _history(tournament, versions),
        },
    )


def _history(tournament: Tournament, versions: list[Regulation]) -> list[dict[str, Any]]:
    """Return every version with its changes against the one before; authors are named by their role only."""
    roles: dict[int, str] = {}
    for role in StaffRole.objects.filter(tournament=tournament).order_by("-role"):
        roles[role.user_id] = str(StaffRole.Role(role.role).label)
    found = []
    for place, version in enumerate(versions):
        before = versions[place + 1] if place + 1 < len(versions) else None
        found.append(
            {
                "version": version,
                "author": roles.get(version.author_id or 0, str(StaffRole.Role.ORGANIZER.label)),
                "changes": differences(before.spec, version.spec) if before else [],
                "first": before is None,
            }
        )
    return found


# -- for the organizer -------------------------------------------------------------------------------------------------


@require_http_methods(["GET", "HEAD", "POST"])
def manage(request: HttpRequest, slug: str) -> HttpResponse:
    """Every block as a card with its text; what differs from the published version; the errors of the draft."""
    tournament = managed_tournament(request, slug, "organize")
    if request.method == "POST":
        if service.discard_draft(tournament, actor=request.user):
            messages.success(request, _("The unpublished changes are thrown away."))
        return redirect("manage_regulation", slug=slug)
    data = service.draft_spec(tournament)
    current = current_regulation(tournament)
    changes = differences(current.spec if current else {}, data) if data else []
    problems = service.problems_of(tournament, data)
    draft = RegulationDraft.objects.filter(tournament=tournament).select_related("author").first()
    return render(
        request,
        "tourney/regulation_manage.html",
        manage_context(
            request,
            tournament,
            active=STEP,
            cards=_cards(tournament, data, problems),
            current=current,
            draft=draft if changes or current is None else None,
            changes=changes,
            change_count=ngettext("%(count)s change", "%(count)s changes", len(changes)) % {"count": len(changes)},
            problems=_problem_rows(tournament, data, problems),
            has_errors=bool(errors_of(problems)),
        ),
    )


def _cards(tournament: Tournament, data: dict[str, Any], problems: list[Problem]) -> list[dict[str, Any]]:
    chapters = regulation_text(data, tournament)
    cards = []
    for block, title in BLOCK_TITLES.items():
        if block == "readings" and not data.get("readings"):
            continue
        items = block_items(chapters, block)
        here = [problem for problem in problems if block_of(problem) == block]
        cards.append(
            {
                "block": block,
                "title": title,
                "items": items,
                "url": reverse("manage_regulation_edit", args=[tournament.slug, block]),
                "errors": sum(problem.is_error for problem in here),
                "warnings": sum(not problem.is_error for problem in here),
                "in_force": block in data or block == "general",
            }
        )
    return cards


def block_of(problem: Problem) -> str:
    return "general" if problem.block in GENERAL_KEYS else problem.block


def _problem_rows(tournament: Tournament, data: dict[str, Any], problems: list[Problem]) -> list[dict[str, Any]]:
    rows = []
    for problem in problems:
        block = block_of(problem)
        rows.append(
            {
                "label": path_label(problem.path, data),
                "path": problem.path,
                "text": sentence(problem.as_error()),
                "error": problem.is_error,
                "url": reverse("manage_regulation_edit", args=[tournament.slug, block])
                if block in BLOCK_TITLES
                else "",
            }
        )
    return rows


@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, slug: str, block: str) -> HttpResponse:
    """One block as a form (or as text). Buttons of rows come back here; saving goes to the draft."""
    tournament = managed_tournament(request, slug, "organize")
    if block not in BLOCK_TITLES:
        raise Http404
    data = service.draft_spec(tournament)
    if block == "readings":
        return _edit_readings(request, tournament, data)
    as_text = request.GET.get("view") == "text" or "text" in request.POST
    if as_text:
        return _edit_text(request, tournament, data, block)
    schema = block_schema(block)
    if request.method != "POST":
        tree = from_data(schema, service.block_value(data, block))
        return _edit_page(request, tournament, data, block, BlockForm(schema, tree, data, check=False))
    tree = from_post(schema, request.POST)
    for act in ACTS:
        if f"_{act}" in request.POST:
            apply(schema, tree, act, request.POST[f"_{act}"])
            return _edit_page(request, tournament, data, block, BlockForm(schema, tree, data, check=False))
    form = BlockForm(schema, tree, data, check=True)
    if form.is_valid() and _save(request, tournament, data, block, form.value(), form):
        return redirect(f"{reverse('manage_regulation', args=[slug])}#block-{block}")
    return _edit_page(request, tournament, data, block, form, status=422, told=form.has_error(NON_FIELD, CHANGED))


def _save(
    request: HttpRequest, tournament: Tournament, data: dict[str, Any], block: str, value: Any, form: BlockForm
) -> bool:
    changed = service.with_block(data, block, value)
    wrong = [problem for problem in errors_of(service.problems_of(tournament, changed)) if block_of(problem) == block]
    if wrong:
        form.show_problems(wrong, block)
        return False
    try:
        service.save_draft(tournament, changed, actor=request.user, block=block, seen=request.POST.get("_seen", ""))
    except TourneyError as refusal:
        form.add_error(None, ValidationError(sentence(refusal), code=refusal.code))
        return False
    messages.success(
        request, _("Saved as a draft: %(block)s. Nobody else sees it yet.") % {"block": BLOCK_TITLES[block]}
    )
    return True


def _edit_page(
    request: HttpRequest,
    tournament: Tournament,
    data: dict[str, Any],
    block: str,
    form: Any,
    *,
    status: int = 200,
    template: str = "tourney/regulation_edit.html",
    told: bool = False,
    **more: Any,
) -> HttpResponse:
    schema = block_schema(block) if has_schema(block) else None
    # A refused form keeps the mark it came with; told that somebody else saved, the next save replaces knowingly.
    seen = request.POST.get("_seen", "") if not told else ""
    items = block_items(regulation_text(data, tournament), block)
    context = manage_context(
        request,
        tournament,
        active=STEP,
        block_name=block,
        block_title=BLOCK_TITLES[block],
        block_help=schema.help if isinstance(schema, Table | Rows) else "",
        form=form,
        seen=seen or service.fingerprint(service.block_value(data, block)),
        items=items,
        **more,
    )
    return render(request, template, context, status=status)


def _edit_readings(request: HttpRequest, tournament: Tournament, data: dict[str, Any]) -> HttpResponse:
    form = ReadingsForm(request.POST or None, data_of=data)
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            changed = form.applied(data)
            wrong = [
                (form.name_of(problem.path), problem)
                for problem in errors_of(service.problems_of(tournament, changed))
                if form.name_of(problem.path)
            ]
            for name, problem in wrong:
                form.add_error(name, sentence(problem.as_error()))
            if not wrong:
                for block in [key for key in changed if changed[key] != data.get(key)]:
                    service.save_draft(tournament, changed, actor=request.user, block=block)
                messages.success(request, _("Saved as a draft. Nobody else sees it yet."))
                return redirect("manage_regulation", slug=tournament.slug)
    return _edit_page(
        request, tournament, data, "readings", form, status=status, template="tourney/regulation_readings.html"
    )


def _edit_text(request: HttpRequest, tournament: Tournament, data: dict[str, Any], block: str) -> HttpResponse:
    value = service.block_value(data, block)
    initial = {"text": json.dumps(value, ensure_ascii=False, indent=2) if value is not None else ""}
    form = TextForm(request.POST if request.method == "POST" else None, initial=initial)
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            changed = service.with_block(data, block, form.cleaned_data["text"])
            wrong = [p for p in errors_of(service.problems_of(tournament, changed)) if block_of(p) == block]
            for problem in wrong:
                form.add_error("text", _text_error(problem, block, request.POST["text"], changed))
            if not wrong and _save_text(request, tournament, changed, block, form):
                return redirect(f"{reverse('manage_regulation', args=[tournament.slug])}#block-{block}")
    told = form.has_error(NON_FIELD, CHANGED)
    return _edit_page(
        request, tournament, data, block, form, status=status, template="tourney/regulation_source.html", told=told
    )


def _save_text(
    request: HttpRequest, tournament: Tournament, changed: dict[str, Any], block: str, form: TextForm
) -> bool:
    try:
        service.save_draft(tournament, changed, actor=request.user, block=block, seen=request.POST.get("_seen", ""))
    except TourneyError as refusal:
        form.add_error(None, ValidationError(sentence(refusal), code=refusal.code))
        return False
    messages.success(
        request, _("Saved as a draft: %(block)s. Nobody else sees it yet.") % {"block": BLOCK_TITLES[block]}
    )
    return True


def _text_error(problem: Problem, block: str, text: str, data: dict[str, Any]) -> str:
    inside = problem.path if block == "general" else problem.path[len(block) :].lstrip(".")
    line = line_of(text, inside)
    words = f"{path_label(problem.path, data)}: {sentence(problem.as_error())}"
    return _("Line %(line)s: %(what)s") % {"line": line, "what": words} if line else words


@require_http_methods(["GET", "HEAD", "POST"])
def publish(request: HttpRequest, slug: str) -> HttpResponse:
    """The draft against the version in force, what it does to the stages there are, and the button that publishes."""
    tournament = managed_tournament(request, slug, "organize")
    current = current_regulation(tournament)
    number = current.number if current else 0
    form = PublishForm(request.POST or None, initial={"seen": number})
    status = 200
    if request.method == "POST" and form.is_valid():
        try:
            published = service.publish(
                tournament, actor=request.user, reason=form.cleaned_data["reason"], seen=form.cleaned_data["seen"]
            )
        except TourneyError as refusal:
            status = 422
            form.add_error("reason" if refusal.code == "regulation.reason_needed" else None, sentence(refusal))
        else:
            messages.success(
                request,
                _("Version %(number)s is published; everybody sees what changed.") % {"number": published.number},
            )
            return redirect("manage_regulation", slug=slug)
    data = service.draft_spec(tournament)
    problems = service.problems_of(tournament, data)
    return render(
        request,
        "tourney/regulation_publish.html",
        manage_context(
            request,
            tournament,
            active=STEP,
            form=form,
            current=current,
            next_number=number + 1,
            seen=number,
            changes=differences(current.spec if current else {}, data),
            problems=_problem_rows(tournament, data, problems),
            has_errors=bool(errors_of(problems)),
            effects=_effects(tournament, data, problems),
            running=tournament.state in (Tournament.State.RUNNING, Tournament.State.FINISHED),
        ),
        status=status,
    )


def _effects(tournament: Tournament, data: dict[str, Any], problems: list[Problem]) -> list[dict[str, Any]]:
    """Return in words what publishing does to every stage; nothing while the rules can't be read."""
    if errors_of(problems):
        return []
    try:
        effects = service.stage_effects(tournament, data)
    except TourneyError as refusal:
        return [{"section": "", "kept": False, "text": sentence(refusal)}]
    rows = []
    for effect in effects:
        system = str(Stage.Kind(effect.system_after).label)
        if effect.kept:
            text = _("has begun and keeps its rules (%(system)s)") % {"system": system}
        elif effect.rounds_after:
            text = ngettext(
                "gets the new rules: %(system)s, %(count)s round",
                "gets the new rules: %(system)s, %(count)s rounds",
                effect.rounds_after,
            ) % {"system": system, "count": effect.rounds_after}
        else:
            text = _("gets the new rules: %(system)s") % {"system": system}
        rows.append({"section": effect.stage.section.title_text, "kept": effect.kept, "text": text})
    return rows
