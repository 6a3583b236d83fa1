"""Which rows belong to an event: found through foreign keys, so that a new table is never forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db import models

from tourney.models import Tournament

Rows = dict[type[models.Model], set[Any]]


def everything_of(tournament: Tournament) -> Rows:
    """Return the keys of every row that refers to an event, however indirectly, by table; the event itself too."""
    found: Rows = {Tournament: {tournament.pk}}
    to_visit: list[tuple[type[models.Model], set[Any]]] = [(Tournament, {tournament.pk})]
    while to_visit:
        model, keys = to_visit.pop()
        for child, name in _children(model):
            rows = child._default_manager.filter(**{f"{name}__in": keys})
            new = set(rows.values_list("pk", flat=True)) - found.get(child, set())
            if new:
                found.setdefault(child, set()).update(new)
                to_visit.append((child, new))
    return found


def tables_of_events() -> set[type[models.Model]]:
    """Return the tables whose rows can belong to an event."""
    found: set[type[models.Model]] = {Tournament}
    to_visit: list[type[models.Model]] = [Tournament]
    while to_visit:
        new = {child for child, _name in _children(to_visit.pop())} - found
        found |= new
        to_visit += new
    return found


def _children(model: type[models.Model]) -> Iterator[tuple[type[models.Model], str]]:
    """Give the tables that refer to one, each with the name of the column that does."""
    for relation in model._meta.get_fields(include_hidden=True):
        if not (relation.auto_created and not relation.concrete and (relation.one_to_many or relation.one_to_one)):
            continue
        child = relation.related_model
        if isinstance(child, type) and issubclass(child, models.Model):
            yield child, relation.field.name
