"""What tablets leave for the arbiter of a knockout, on the staff home: before anything else."""

from __future__ import annotations

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from brackets.services import held_operations
from tourney import panels
from tourney.models import ResultConflict, Stage, Tournament
from tourney.permissions import may


def waiting_tasks(request: HttpRequest, tournament: Tournament) -> list[panels.Task]:
    """Games two devices disagree about, and entries that could not be taken. Three queries at most."""
    if not may(request, tournament, "enter_results"):
        return []
    stages = list(
        Stage.objects.filter(
            section__tournament=tournament, kind=Stage.Kind.BRACKET, bracket__drawn_at__isnull=False
        ).values_list("pk", "section__code")
    )
    if not stages:
        return []
    found = []
    conflicts: dict[int, int] = {}
    for (pk,) in ResultConflict.objects.filter(
        game__stage__in=[pk for pk, _code in stages], resolved_at__isnull=True
    ).values_list("game__stage"):
        conflicts[pk] = conflicts.get(pk, 0) + 1
    for pk, code in stages:
        if number := conflicts.get(pk):
            text = ngettext("Results of %(n)d match differ", "Results of %(n)d matches differ", number)
            url = reverse("manage_bracket", args=[tournament.slug, code])
            found.append(panels.Task(text % {"n": number}, url, _("Decide"), 40))
    held = len(held_operations(tournament))
    if held:
        text = ngettext("%(n)d entry of a match is kept for you", "%(n)d entries of matches are kept for you", held)
        url = reverse("manage_bracket", args=[tournament.slug, stages[0][1]])
        found.append(panels.Task(text % {"n": held}, url, _("Decide"), 41))
    return found
