"""Where plain data of this app names rows by their keys: an event that moves to another installation gets new ones."""

from __future__ import annotations

from tourney.archives import ids

ENTRY = "tourney.Entry"


def register() -> None:
    """Called once from `prizes.panels`."""
    ids.register("prizes.PlayoffRecord.between", ("*", ENTRY))
    ids.register("prizes.PlayoffMatch.between", ("*", ENTRY))
    ids.register_task("prizes.make_diplomas", "prizes.DiplomaFile")
    ids.register_task("prizes.send_notice", "prizes.AwardEvent")
    ids.register_task("prizes.run_draw", "prizes.Draw")
