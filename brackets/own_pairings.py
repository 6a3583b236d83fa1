"""A match called to a board as its two players are told it."""

from __future__ import annotations

from django.utils.translation import gettext as _

from brackets.cards import Cards
from brackets.models import Match
from brackets.selectors import load_table
from tourney.kernel.ids import MatchKey
from tourney.models import Stage
from tourney.pairing_words import MATCH, OwnPairing, part_of


def own_pairings(stage: Stage, key: str) -> dict[int, OwnPairing]:
    """Return what the two players of a called match are told; nothing once the call was taken back or it began."""
    match = MatchKey(part_of(key, MATCH))
    table = load_table(stage, facts_only=True) if match else None
    if table is None or table.bracket.drawn_at is None or match not in table.matches:
        return {}
    cards = Cards(table)
    card = cards.card(match)
    if card.match.state != Match.State.CALLED or card.match.board is None:
        return {}
    found = {}
    for own, other in ((card.a, card.b), (card.b, card.a)):
        if own.entry is None or other.entry is None:
            continue
        head = _("Match %(key)s, board %(board)s") % {"key": card.key, "board": card.match.board}
        rating = f" ({other.rating})" if other.rating else ""
        lines = (_("against %(name)s") % {"name": f"{other.name}{rating}"}, _("Please come to the board."))
        found[own.entry.pk] = OwnPairing(head, lines, card.href, f"{card.match.board} {other.entry.pk}")
    return found
