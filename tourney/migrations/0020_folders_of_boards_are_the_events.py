from typing import Any

from django.db import migrations


def switch_off(apps: Any, _schema_editor: Any) -> None:
    """A folder was named from the root, and is named from the event's own folder now: somebody must move the files."""
    feeds = apps.get_model("tourney", "BoardFeed").objects.filter(kind="folder", active=True)
    feeds.update(active=False, error="feed.folder_moved", error_values={})


class Migration(migrations.Migration):
    dependencies = [("tourney", "0019_notes_in_the_arbiters_book")]

    operations = [migrations.RunPython(switch_off, migrations.RunPython.noop)]
