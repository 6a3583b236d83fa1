"""Writing places, awards, draws and the fund: each act in one transaction with its line in the event's log."""
