"""An event that moves to another installation: what it is called everywhere, where it went, whose the words of lots are.

The trigger is the last line of defence: an act that began before the event moved away can't write its line after it.
"""

import uuid

from django.contrib.postgres.functions import RandomUUID
from django.db import migrations, models

GUARD = """
CREATE FUNCTION tourney_refuse_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF coalesce(current_setting('tourney.loading', true), '') <> 'yes'
        AND NEW.action NOT LIKE 'archive.%' AND NEW.action NOT LIKE 'entry.eras%'
        AND EXISTS (SELECT FROM tourney_tournament WHERE id = NEW.tournament_id AND moved_to <> '')
    THEN
        RAISE EXCEPTION 'this event has moved' USING ERRCODE = 'TM001';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER tourney_refuse_moved BEFORE INSERT ON tourney_actionlog
    FOR EACH ROW EXECUTE FUNCTION tourney_refuse_moved();
"""
NO_GUARD = "DROP TRIGGER tourney_refuse_moved ON tourney_actionlog; DROP FUNCTION tourney_refuse_moved();"


class Migration(migrations.Migration):
    dependencies = [("tourney", "0014_live_boards")]

    operations = [
        migrations.AddField("lot", "tokens", models.JSONField(blank=True, db_default={}, default=dict)),
        migrations.AddField("tournament", "moved_at", models.DateTimeField(blank=True, null=True)),
        migrations.AddField(
            "tournament", "moved_to", models.CharField(blank=True, db_default="", default="", max_length=200)
        ),
        # The database makes one for each row there is.
        migrations.AddField(
            "tournament",
            "uid",
            models.UUIDField(db_default=RandomUUID(), default=uuid.uuid4, editable=False, unique=True),
        ),
        migrations.RunSQL(GUARD, NO_GUARD),
    ]
