"""Somebody can be invited as the event's treasurer. Only the words a form offers change; no table does."""

from django.db import migrations, models

ROLES = [
    ("organizer", "organizer"),
    ("chief_arbiter", "chief arbiter"),
    ("arbiter", "arbiter"),
    ("desk", "registration desk"),
    ("treasurer", "treasurer"),
]


class Migration(migrations.Migration):
    dependencies = [("sign_in", "0001_knocks_and_invitations")]

    operations = [
        migrations.AlterField(
            model_name="invitation", name="role", field=models.CharField(choices=ROLES, max_length=16)
        ),
    ]
