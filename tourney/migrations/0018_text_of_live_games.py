"""A live game keeps the text it came as, so that comments and variations reach the record. Old programs leave it empty."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tourney", "0017_facts_are_kept")]

    operations = [
        migrations.AddField("livegame", "text", models.TextField(blank=True, db_default="", default="")),
    ]
