"""Facts are added, never rewritten, and lots and versions are numbered without gaps: held by the database itself."""

from django.db import migrations

from tourney.kept_rows import FUNCTIONS, NO_FUNCTIONS, keep, no_gap


class Migration(migrations.Migration):
    atomic = False  # one table at a time, see `tourney.kept_rows.OneTable`
    dependencies = [("tourney", "0016_treasurer_role")]

    operations = [
        migrations.RunSQL(FUNCTIONS, NO_FUNCTIONS),
        keep(
            "tourney_actionlog",
            about="tourney_tournament",
            by="tournament_id",
            blank=("actor_id",),
            reword=("actor_label", "data", "reason"),  # when somebody's name is erased
        ),
        keep("tourney_entryevent", about="tourney_entry", by="entry_id", blank=("by_id", "reason")),
        keep("tourney_resultrecord", about="tourney_game", by="game_id", blank=("entered_by_id",)),
        keep("tourney_lot", about="tourney_tournament", by="tournament_id", blank=("committed_by_id",)),
        keep("tourney_lotresult", about="tourney_lot", by="lot_id", blank=("by_id",)),
        no_gap("tourney_lot", within="tournament_id", number="number"),
        no_gap("tourney_regulation", within="tournament_id", number="number"),
    ]
