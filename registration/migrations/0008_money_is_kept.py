"""Lines of the ledger and consents are added, never rewritten, and receipts are numbered without gaps."""

from django.db import migrations

from tourney.kept_rows import keep, no_gap


class Migration(migrations.Migration):
    atomic = False  # one table at a time, see `tourney.kept_rows.OneTable`
    dependencies = [("registration", "0007_former_links"), ("tourney", "0017_facts_are_kept")]

    operations = [
        keep("registration_ledgerline", about="tourney_tournament", by="tournament_id", blank=("by_id", "note")),
        keep("registration_consentrecord", about="tourney_entry", by="entry_id", blank=("by_id", "address")),
        no_gap("registration_ledgerline", within="tournament_id", number="receipt_number"),
    ]
