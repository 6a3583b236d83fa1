"""Pure rules of entering and paying: fees, places, eligibility, appeals, sanctions, the ledger."""
