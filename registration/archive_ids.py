"""Where plain data of this app names rows by their keys: an event that moves to another installation gets new ones."""

from __future__ import annotations

from typing import Any

from registration.links import renew_links
from registration.privacy.erasing import erasures_that_outlast
from tourney import panels
from tourney.archives import ids


def register() -> None:
    """Called once from `registration.panels`."""
    ids.register("registration.BankRow.suggested", ("*.0", "tourney.Entry"))
    ids.register_task("registration.send_notice", "registration.Letter")
    ids.register_task("registration.read_statement", "registration.BankStatement")
    ids.register_rewriter("registration.PairingNotice.about", _what_was_published)
    ids.register_task(
        "registration.tell_pairings",
        "tourney.Stage",
        lambda more, swap: [_what_was_published(one, swap) for one in more],
    )
    ids.register_task("registration.send_pairing_notice", "registration.PairingNotice")
    panels.register("arrived", renew_links)
    panels.register("outlast", erasures_that_outlast)


def _what_was_published(key: Any, swap: ids.Swap) -> Any:
    """Exchange the stage in the key of a round or a match (`tourney.pairing_words`): ``round:17:4``."""
    kind, stage, what = key.split(":", 2)
    return f"{kind}:{swap('tourney.Stage', int(stage))}:{what}"
