"""What happened in a bracket is added, never rewritten."""

from django.db import migrations

from tourney.kept_rows import keep


class Migration(migrations.Migration):
    atomic = False  # one table at a time, see `tourney.kept_rows.OneTable`
    dependencies = [("brackets", "0003_cut_short"), ("tourney", "0017_facts_are_kept")]

    operations = [
        keep("brackets_matchevent", about="brackets_bracket", by="bracket_id", blank=("by_id", "lot_id", "reason")),
    ]
