"""A pairing as a notice to one player says it, and the word that something was published.

The app that pairs says what there is to tell (`own_pairings` in `tourney.panels`); the app that knows how people are
reached tells it (`pairings_published`). A key names what was published inside its event: ``round:17:4`` is round 4 of
stage 17.
"""

from __future__ import annotations

from dataclasses import dataclass

from tourney import panels
from tourney.models import Stage


@dataclass(frozen=True, slots=True)
class OwnPairing:
    """What one player is told. `head` is short ("Round 4, board 7"), `lines` the rest, `url` a path.

    `facts` are what makes it another pairing (board, colour, opponent) in no language: the same facts are told once.
    """

    head: str
    lines: tuple[str, ...]
    url: str
    facts: str


ROUND, MATCH = "round", "match"


def key_of(kind: str, stage: Stage, what: int | str) -> str:
    """Return the key of a round (its number) or a match (its key) of a stage."""
    return f"{kind}:{stage.pk}:{what}"


def part_of(key: str, kind: str) -> str:
    """Return which round or match a key names; empty when it is of another kind."""
    found, _colon, rest = key.partition(":")
    return rest.partition(":")[2] if found == kind else ""


def published(stage: Stage, key: str) -> None:
    """Say that pairings were published; called inside the transaction that publishes them."""
    for provider in panels.providers("pairings_published"):
        provider(stage, key)


def own_pairings(stage: Stage, key: str) -> dict[int, OwnPairing]:
    """Return whom each player of a published round or match meets, in the active language, by entry.

    Empty when it has been taken back since.
    """
    found: dict[int, OwnPairing] = {}
    for provider in panels.providers("own_pairings"):
        found |= provider(stage, key)
    return found
