from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tourney", "0005_job_not_before"),
    ]

    operations = [
        migrations.AddField(
            model_name="appeal",
            name="match_key",
            field=models.CharField(blank=True, max_length=24),
        ),
        migrations.AddField(
            model_name="appeal",
            name="game_number",
            field=models.PositiveSmallIntegerField(blank=True, null=True),
        ),
    ]
