import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tourney", "0009_by_the_book"),
    ]

    operations = [
        migrations.AddField(
            model_name="gameimport",
            name="size",
            field=models.PositiveBigIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="gameimport",
            name="stopped_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.CreateModel(
            name="GameImportPart",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField()),
                ("line", models.PositiveIntegerField()),
                ("cut", models.PositiveIntegerField(default=0)),
                ("size", models.PositiveIntegerField()),
                ("content", models.BinaryField()),
                ("games", models.PositiveIntegerField(null=True)),
                ("done_at", models.DateTimeField(null=True)),
                ("counts", models.JSONField(default=dict)),
                ("lines", models.JSONField(default=list)),
                (
                    "game_import",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="parts", to="tourney.gameimport"
                    ),
                ),
            ],
            options={
                "ordering": ["number"],
                "constraints": [
                    models.UniqueConstraint(fields=("game_import", "number"), name="game_import_part_once")
                ],
            },
        ),
    ]
