"""Lines of the fund, what became of awards, numbers of draws and steps of play-offs are added, never rewritten."""

from django.db import migrations

from tourney.kept_rows import keep


class Migration(migrations.Migration):
    atomic = False  # one table at a time, see `tourney.kept_rows.OneTable`
    dependencies = [("prizes", "0007_ticket_label_holds_the_longest_name"), ("tourney", "0017_facts_are_kept")]

    operations = [
        keep("prizes_fundline", about="tourney_tournament", by="tournament_id", blank=("by_id",)),
        keep("prizes_awardevent", about="tourney_section", by="section_id", blank=("by_id", "signed_by", "note")),
        keep("prizes_drawnumber", about="prizes_draw", by="draw_id", blank=("by_id",)),
        keep("prizes_playoffevent", about="prizes_playoffmatch", by="match_id", blank=("by_id", "reason")),
    ]
