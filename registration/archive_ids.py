"""Where plain data of this app names rows by their keys: an event that moves to another installation gets new ones."""

from __future__ import annotations

from registration.links import renew_links
from tourney import panels
from tourney.archives import ids


def register() -> None:
    """Called once from `registration.panels`."""
    ids.register("registration.BankRow.suggested", ("*.0", "tourney.Entry"))
    ids.register_task("registration.send_notice", "registration.Letter")
    ids.register_task("registration.read_statement", "registration.BankStatement")
    ids.register_task("registration.tell_pairings", "tourney.Stage")
    ids.register_task("registration.send_pairing_notice", "registration.PairingNotice")
    panels.register("arrived", renew_links)
