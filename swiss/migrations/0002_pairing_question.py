"""Keep what the engine was asked for a round, so that its reasons can be found later."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("swiss", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="PairingQuestion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("data", models.JSONField()),
                (
                    "round",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="question", to="swiss.round"
                    ),
                ),
            ],
        ),
    ]
