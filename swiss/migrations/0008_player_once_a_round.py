"""A player has one board of a round, whichever colour: two transactions that don't see each other included.

The two unique constraints know a colour each. What is checked at the end of the transaction is both together, one round
at a time: whoever comes second waits for the first, and then sees its boards.
"""

from django.db import migrations

ONCE = """
CREATE FUNCTION swiss_player_once() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM swiss_round WHERE id = NEW.round_id FOR NO KEY UPDATE;
    IF EXISTS (
        SELECT FROM swiss_pairing mine JOIN swiss_pairing other ON other.round_id = mine.round_id
        AND (other.black_id = mine.white_id OR other.white_id = mine.black_id) WHERE mine.id = NEW.id
    ) THEN
        RAISE EXCEPTION 'a player has two boards in round %', NEW.round_id
            USING ERRCODE = 'unique_violation', CONSTRAINT = 'pairing_player_once', TABLE = 'swiss_pairing';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER swiss_player_once AFTER INSERT OR UPDATE OF round_id, white_id, black_id ON swiss_pairing
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION swiss_player_once();
"""
NOT_ONCE = "DROP TRIGGER swiss_player_once ON swiss_pairing; DROP FUNCTION swiss_player_once();"


class Migration(migrations.Migration):
    dependencies = [("swiss", "0007_results_for_the_report")]

    operations = [migrations.RunSQL(ONCE, NOT_ONCE)]
