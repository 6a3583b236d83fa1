"""Which steps of a migration a program of the release before survives."""

from __future__ import annotations

import pytest
from django.db import migrations, models

from tourney.upkeep.upgrades import obstacles


@pytest.mark.parametrize(
    "operation",
    [
        migrations.CreateModel("Thing", [("id", models.BigAutoField(primary_key=True))]),
        migrations.AddField("entry", "note", models.TextField(null=True)),
        migrations.AddField("entry", "note", models.TextField(default="", db_default="")),
        migrations.AddIndex("entry", models.Index(fields=["state"], name="entry_state")),
        migrations.AlterModelOptions("entry", {"ordering": ["id"]}),
    ],
)
def test_growth_needs_no_stop(operation: migrations.operations.base.Operation) -> None:
    assert obstacles([("a.1", [operation])]) == []


@pytest.mark.parametrize(
    "operation",
    [
        migrations.AddField("entry", "note", models.TextField(default="")),  # the old code leaves it out: refused
        migrations.RemoveField("entry", "note"),
        migrations.RenameField("entry", "note", "words"),
        migrations.RenameModel("Entry", "Entrant"),
        migrations.DeleteModel("Entry"),
        migrations.AlterField("entry", "note", models.TextField()),
    ],
)
def test_what_the_old_program_would_stumble_over_needs_one(operation: migrations.operations.base.Operation) -> None:
    (step,) = obstacles([("a.1", [operation])])

    assert (step.migration, step.look) == ("a.1", False)


def test_table_that_is_made_on_the_way_is_free() -> None:
    made = migrations.CreateModel("Thing", [("id", models.BigAutoField(primary_key=True))])
    grown = migrations.AddField("thing", "note", models.TextField(default=""))

    assert obstacles([("a.1", [made]), ("a.2", [grown])]) == []
    assert len(obstacles([("a.1", [made]), ("b.2", [grown])])) == 1  # another app's of the same name is another


def test_sql_and_python_are_for_a_person_to_look_at() -> None:
    (step,) = obstacles([("a.1", [migrations.RunSQL("SELECT 1")])])

    assert step.look
