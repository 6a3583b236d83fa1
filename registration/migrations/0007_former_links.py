"""Personal links given out before an event came from another installation go on working."""

import django.contrib.postgres.fields
import django.contrib.postgres.indexes
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("registration", "0006_notices_of_pairings")]

    operations = [
        migrations.AddField(
            "application",
            "former_links",
            django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=64), blank=True, db_default=[], default=list, size=None
            ),
        ),
        migrations.AddIndex(
            "application",
            django.contrib.postgres.indexes.GinIndex(fields=["former_links"], name="application_former_links"),
        ),
    ]
