"""The pairings of a published round as each of its players is told them."""

from __future__ import annotations

from django.urls import reverse
from django.utils.translation import gettext as _

from swiss.boards import bye_words, pairings_of
from swiss.models import Pairing, Round
from swiss.selectors import PUBLIC_STATES
from tourney.formatting import moment_text
from tourney.models import Entry, Stage
from tourney.pairing_words import ROUND, OwnPairing, part_of


def own_pairings(stage: Stage, key: str) -> dict[int, OwnPairing]:
    """Return the pairing of everybody in a round; nothing for a round the public doesn't see. Two queries."""
    number = part_of(key, ROUND)
    if not number.isdecimal():
        return {}
    round_ = Round.objects.filter(stage=stage, number=int(number), state__in=PUBLIC_STATES).first()
    if round_ is None:
        return {}
    found = {}
    for pairing in pairings_of(round_, stage):
        found[pairing.white_id] = _told(stage, round_, pairing, pairing.black, "w")
        if pairing.black is not None:
            found[pairing.black.pk] = _told(stage, round_, pairing, pairing.white, "b")
    return found


def _told(stage: Stage, round_: Round, pairing: Pairing, opponent: Entry | None, color: str) -> OwnPairing:
    tournament = stage.section.tournament
    url = reverse("round", args=[tournament.slug, stage.section.code, round_.number])
    if opponent is None:
        head = _("Round %(round)s") % {"round": round_.number}
        return OwnPairing(head, (bye_words(stage, pairing.bye),), url, f"bye {pairing.bye}")
    head = _("Round %(round)s, board %(board)s") % {"round": round_.number, "board": pairing.board}
    side = _("White") if color == "w" else _("Black")
    rating = f" ({opponent.shown.rating})" if opponent.shown.rating else ""
    against = _("against %(name)s") % {"name": f"{opponent.name}{rating}"}
    lines = [f"{side}, {against}"]
    if round_.scheduled_at is not None and round_.started_at is None:
        lines.append(moment_text(round_.scheduled_at, tournament.zone))
    return OwnPairing(head, tuple(lines), url, f"{pairing.board} {color} {opponent.pk}")
