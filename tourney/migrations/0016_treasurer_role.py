"""A treasurer stands beside the desk. Only the words a form offers change; no table does."""

from django.db import migrations, models

ROLES = [
    ("organizer", "organizer"),
    ("chief_arbiter", "chief arbiter"),
    ("arbiter", "arbiter"),
    ("desk", "registration desk"),
    ("treasurer", "treasurer"),
]


class Migration(migrations.Migration):
    dependencies = [("tourney", "0015_events_that_move")]

    operations = [
        migrations.AlterField(
            model_name="staffrole", name="role", field=models.CharField(choices=ROLES, max_length=16)
        ),
    ]
