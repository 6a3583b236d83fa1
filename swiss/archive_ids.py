"""Where plain data of this app names rows by their keys: an event that moves to another installation gets new ones."""

from __future__ import annotations

from typing import Any

from django.apps import apps
from django.db import models

from tourney.archives import ids

ENTRY = "tourney.Entry"


def register() -> None:
    """Called once from `swiss.panels`."""
    ids.register(
        "swiss.PairingQuestion.data",
        ("absent.keys", ENTRY),
        ("forbidden.*.*", ENTRY),
        ("wishes.*.*", ENTRY),
        ("people.*.0", ENTRY),
        ("rows.*.1", ENTRY),
        ("rows.*.2", ENTRY),
    )
    ids.register("swiss.Round.explanation", ("given_up.*.*", ENTRY), ("adjourned.*", "swiss.Pairing"))
    ids.register_rewriter("swiss.TakenBack.data", _rows_put_aside)
    ids.register_task("swiss.import_report", "swiss.ReportImport")


def _rows_put_aside(data: Any, swap: ids.Swap) -> Any:
    """Exchange the keys in rows as Django's serializers write them, and in what only lost its reference.

    The rows are not in their tables now; they come back under these keys, which must be free then: those that are gone
    are below zero, on every installation the same.
    """
    if not isinstance(data, dict) or "rows" not in data:
        return data
    return {
        **data,
        "rows": [_row(one, swap) for one in data["rows"]],
        "loose": [_loose(one, swap) for one in data.get("loose", [])],
    }


def _row(row: dict[str, Any], swap: ids.Swap) -> dict[str, Any]:
    model = apps.get_model(row["model"])
    fields = {name: _value(model._meta.get_field(name), value, swap) for name, value in row["fields"].items()}
    return {**row, "pk": _key(model, row["pk"], swap), "fields": fields}


def _value(field: Any, value: Any, swap: ids.Swap) -> Any:
    if isinstance(field, models.JSONField):
        return ids.exchanged(f"{field.model._meta.label}.{field.name}", value, swap)
    if value is None or not isinstance(field, models.ForeignKey):
        return value
    return _key(field.related_model, value, swap)


def _loose(one: list[Any], swap: ids.Swap) -> list[Any]:
    label, pk, column, value = one
    model = apps.get_model(label)
    return [label, _key(model, pk, swap), column, _value(model._meta.get_field(column), value, swap)]


def _key(model: Any, value: Any, swap: ids.Swap) -> Any:
    if model._meta.app_label == "auth" or isinstance(model._meta.pk, models.UUIDField):
        return None if model._meta.app_label == "auth" else value  # who did it, another installation doesn't know
    return swap(model._meta.label, value)
