"""The rows of an event, and each row as plain data.

An event is what refers to it, however indirectly, without its rehearsals; and the people in it. Rows are numbered
within their table in the order of their keys, so the same event gives the same numbers on every installation.
"""

from __future__ import annotations

import base64
import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from django.apps import apps
from django.contrib.auth import get_user_model
from django.db import models

from tourney.archives import ids
from tourney.models import ActionLog, Job, Lot, Player, Tournament
from tourney.services.reach import everything_of, tables_of_events

OWN_ACTS = "archive."  # lines of the log about archives: they belong to an installation, not to the event
_LEFT_OUT = {("tourney", "tournament", "moved_to"), ("tourney", "tournament", "moved_at")}
# Projections that have another table's key for their own: the other installation makes them anew. Archives themselves,
# and names that must be known no longer (none is left when an archive is written).
_STAYS = {"tourney.GameIndex", "tourney.IndexedStage"}
_STAYS |= {"tourney.ArchiveFile", "tourney.ArchivePiece", "tourney.NameToForget"}
Label = str


@dataclass(slots=True)
class Numbers:
    """The numbers of an event's rows: model label → key → number from 1. UUIDs are their own numbers."""

    of: dict[Label, dict[Any, Any]]
    lost: dict[tuple[Label, Any], int] = field(default_factory=dict)

    def swap(self, label: Label, key: Any) -> Any:
        """Return the number of a row; a negative one for a row that is gone, always the same for the same."""
        found = self.of.get(label, {}).get(key)
        if found is not None:
            return found
        return self.lost.setdefault((label, key), -len(self.lost) - 1)


def keys_of(tournament: Tournament) -> dict[Label, list[Any]]:
    """Return the keys of the event's rows by table, in order."""
    found = everything_of(tournament)
    for rehearsal in tournament.rehearsals.all():
        for model, keys in everything_of(rehearsal).items():
            found[model] = found.get(model, set()) - keys
    found[Player] = set(Player.objects.filter(entries__tournament=tournament).values_list("pk", flat=True))
    found[ActionLog] = set(
        ActionLog.objects.filter(tournament=tournament)
        .exclude(action__startswith=OWN_ACTS)
        .exclude(action__startswith="rehearsal.")
        .values_list("pk", flat=True)
    )
    return {
        model._meta.label: sorted(keys)
        for model, keys in sorted(found.items(), key=lambda one: one[0]._meta.label)
        if keys and model._meta.label not in _STAYS
    }


def labels_allowed() -> set[Label]:
    """Return the tables an archive may hold: an archive from elsewhere must not bring accounts or jobs."""
    return {model._meta.label for model in tables_of_events() | {Player}} - _STAYS


def numbers_of(keys: dict[Label, list[Any]]) -> Numbers:
    """Number the rows of every table."""
    numbered: dict[Label, dict[Any, Any]] = {}
    for label, known in keys.items():
        own = isinstance(apps.get_model(label)._meta.pk, models.UUIDField)
        numbered[label] = {key: key if own else number for number, key in enumerate(known, start=1)}
    return Numbers(numbered)


def rows_of(label: Label, keys: list[Any], numbers: Numbers, names: dict[int, str]) -> Iterator[dict[str, Any]]:
    """Give the rows of a table as plain data, in order."""
    model = apps.get_model(label)
    columns = [
        one
        for one in model._meta.concrete_fields
        if not one.primary_key and (model._meta.app_label, model._meta.model_name, one.name) not in _LEFT_OUT
    ]
    for row in model._base_manager.filter(pk__in=keys).order_by("pk").iterator(chunk_size=200):
        plain = {one.name: _plain(model, one, row, numbers, names) for one in columns}
        if model is Lot:
            plain["tokens"] = _tokens(row, numbers)
        yield {"n": _text(numbers.of[label][row.pk]), **plain}


def names_of_users() -> dict[int, str]:
    """Return the sign-in names of everybody."""
    users = get_user_model()
    return dict(users._default_manager.values_list("pk", users.USERNAME_FIELD))


def _plain(model: type[models.Model], column: Any, row: models.Model, numbers: Numbers, names: dict[int, str]) -> Any:
    value = getattr(row, column.attname)
    if value is None:
        return None
    if column.is_relation:
        target = column.remote_field.model
        if target is get_user_model():
            return names.get(value)
        if target is Job:
            return None
        found = numbers.of.get(target._meta.label, {}).get(value)
        if found is None and not column.null:
            raise LookupError(f"{model._meta.label}.{column.name} leads out of the event")
        return _text(found)
    if isinstance(column, models.BinaryField):
        return base64.b64encode(bytes(value)).decode()
    return _text(ids.exchanged(f"{model._meta.label}.{column.name}", value, numbers.swap))


def _text(value: Any) -> Any:
    if isinstance(value, dt.datetime):
        return value.astimezone(dt.UTC).isoformat()
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    return value if value is None or isinstance(value, str | int | float | list | dict) else str(value)


def _tokens(lot: Lot, numbers: Numbers) -> dict[str, int]:
    """Return whose each word in a lot's list is: by what it says itself, else the word is an entry's key."""
    pots = lot.manifest.get("pots") or [lot.manifest.get("entrants", [])]
    known = numbers.of.get("tourney.Entry", {})
    found = {token: lot.entry_id(token) for pot in pots for token in pot}
    return {token: known[key] for token, key in found.items() if key in known and lot.names_entries}


def value_of(column: Any, value: Any) -> Any:
    """Return what a column that refers to nothing holds, from plain data."""
    if value is None:
        return None
    if isinstance(column, models.BinaryField):
        return base64.b64decode(value)
    if isinstance(column, models.JSONField):
        return value
    return column.to_python(value)
