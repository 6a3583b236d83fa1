"""Making an event: choose a preset, answer one page of questions."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_safe

from tourney.forms.wizard import WizardForm
from tourney.kernel.errors import TourneyError
from tourney.labels import sentence
from tourney.latin import latin
from tourney.permissions import LoginNeeded
from tourney.presets import preset as load_preset
from tourney.presets import presets
from tourney.regulation_checks import check_spec
from tourney.regulation_schema.paths import amount_words
from tourney.regulation_text.play import system_words
from tourney.services.events import create_event, free_slug


@require_safe
def choose_preset(request: HttpRequest) -> HttpResponse:
    """The regulations a new event can begin with, each with its main numbers."""
    if not request.user.is_authenticated:
        raise LoginNeeded(request.get_full_path())
    return render(
        request,
        "tourney/wizard_presets.html",
        {"presets": [{"data": data, "facts": preset_facts(data)} for data in presets()]},
    )


def preset_facts(data: dict[str, Any]) -> list[str]:
    """Return what tells one preset from another: groups, systems, fee, prizes, open questions."""
    facts = []
    sections = data.get("sections") or []
    if len(sections) > 1:
        facts.append(ngettext("%(count)s group", "%(count)s groups", len(sections)) % {"count": len(sections)})
    elif sections and sections[0].get("capacity"):
        capacity = sections[0]["capacity"]
        facts.append(ngettext("%(count)s player", "%(count)s players", capacity) % {"count": capacity})
    systems = [system_words(option) for stage in data.get("stages") or [] for option in stage.get("options") or []]
    if systems:
        facts.append("; ".join(systems))
    base = next((rule for rule in (data.get("fees") or {}).get("rules") or [] if rule.get("kind") == "base"), None)
    if base:
        facts.append(_("Fee: %(amount)s") % {"amount": amount_words(base["amount"], data)})
    readings = len(data.get("readings") or [])
    if readings:
        facts.append(ngettext("%(count)s open question", "%(count)s open questions", readings) % {"count": readings})
    return facts


@require_http_methods(["GET", "HEAD", "POST"])
def questions(request: HttpRequest, preset: str) -> HttpResponse:
    """One page of questions; the answers make the event, its groups and version 1 of its regulation."""
    if not request.user.is_authenticated:
        raise LoginNeeded(request.get_full_path())
    try:
        data = load_preset(preset)
    except KeyError as unknown:
        raise Http404 from unknown
    form = WizardForm(request.POST or None, preset=data)
    if request.method == "POST" and form.is_valid():
        try:
            tournament = _create(request, form, preset)
        except TourneyError as refusal:
            form.add_error(None, sentence(refusal))
        else:
            messages.success(request, _("The event is made. Look over its rules, then open the registration."))
            return redirect("manage_event", slug=tournament.slug)
    status = 422 if request.method == "POST" else 200
    context = {
        "form": form,
        "preset": data,
        "warnings": [sentence(problem.as_error()) for problem in check_spec(data) if not problem.is_error],
    }
    return render(request, "tourney/wizard_questions.html", context, status=status)


def _create(request: HttpRequest, form: WizardForm, code: str) -> Any:
    title, language = form.texts("title"), form.cleaned_data["language"]
    original = load_preset(code)
    changes = {key: value for key, value in form.spec.items() if original.get(key) != value}
    return create_event(
        preset_code=code,
        starts_on=form.cleaned_data["starts_on"],
        title=title,
        slug=free_slug(latin(title.get("en") or title[language], language), form.cleaned_data["starts_on"]),
        actor=request.user,
        changes=changes,
        **form.event_fields(),
    )
