"""Projections made anew from facts: entry states, standings, brackets, balances."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from tourney import panels
from tourney.models import Tournament
from tourney.services.entries import rebuild_entry_states
from tourney.services.log import log


@transaction.atomic
def rebuild(tournament: Tournament, *, actor: Any = None) -> int:
    """Delete and rebuild every projection of an event; return how many entry states had been wrong.

    The apps own most projections and register how theirs are rebuilt (`tourney.panels`, place ``rebuild``).
    """
    Tournament.objects.select_for_update(no_key=True).get(pk=tournament.pk)
    differing = rebuild_entry_states(tournament.pk)
    for provider in panels.providers("rebuild"):
        provider(tournament)
    log(tournament, "projections.rebuilt", actor=actor, label="" if actor else "manage.py rebuild", differing=differing)
    return differing
