"""May the old program go on while the tables are already the new ones? What each step of a migration means for it.

A release is brought up without a stop like this: migrate, then exchange the web processes and workers one by one. In
between the old code writes into the new tables. That works while tables only grow in ways it need not know:

* a new table, index, constraint that holds already, or trigger;
* a new column that may be empty or that the *database* fills (`db_default`; Django's own `default` is the new code's).

What is taken away or renamed goes a release later, when no code asks for it any more. Everything else needs a short
stop, and this module says so before it happens (`manage.py upgrade_plan`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db import migrations, models
from django.db.migrations.operations.base import Operation
from django.db.models.fields import NOT_PROVIDED

_GROWS = (
    migrations.CreateModel,
    migrations.AddIndex,
    migrations.AddConstraint,
    migrations.AlterModelOptions,
    migrations.AlterModelManagers,
    migrations.RemoveIndex,
    migrations.RemoveConstraint,
)
_LOOSENS = (migrations.RunPython, migrations.RunSQL)  # can't be read here: a person must look


@dataclass(frozen=True, slots=True)
class Step:
    """One operation the old program would stumble over, or that a person must look at."""

    migration: str
    what: str
    look: bool = False  # can't be told from here


def obstacles(plan: Iterable[tuple[str, Iterable[Operation]]]) -> list[Step]:
    """Return what in migrations (name and operations, in order) an old program that still runs would not survive.

    Tables made on the way are free: the old program does not know them.
    """
    made: set[tuple[str, str]] = set()
    found = []
    for name, operations in plan:
        app = name.partition(".")[0]
        for one in operations:
            if isinstance(one, migrations.CreateModel):
                made.add((app, one.name_lower))
            about = getattr(one, "model_name_lower", "") or getattr(one, "name_lower", "")
            if (app, about) in made or isinstance(one, _GROWS) or _fills_itself(one):
                continue
            found.append(Step(name, one.describe(), look=isinstance(one, _LOOSENS)))
    return found


def _fills_itself(operation: Operation) -> bool:
    """Return whether an operation adds a column the old program need not know."""
    if not isinstance(operation, migrations.AddField):
        return False
    field = operation.field
    return bool(
        field.null
        or field.db_default is not NOT_PROVIDED
        or isinstance(field, models.ManyToManyField | models.GeneratedField)
    )
