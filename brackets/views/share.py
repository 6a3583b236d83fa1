"""A knockout as a picture to share: the places decided, before them the matches that are on."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from brackets.cards import Cards
from brackets.day import calls, played_so_far, playing
from brackets.views.places import public_place, public_table
from brackets.views.public import places_values
from tourney.share_picture import ROWS, Picture, Row
from tourney.shared_cache import shared
from tourney.views.pictures import picture_of


@shared()
@require_safe
def bracket_picture(request: HttpRequest, slug: str, section: str) -> HttpResponse:
    """The best places that are decided from the top, else who plays whom; 404 before the draw is confirmed."""
    tournament, place, stage = public_place(request, slug, section)
    table = public_table(stage)
    if stage is None or table is None:
        raise Http404

    cards = Cards(table)
    played, matches = played_so_far(table.state)
    note = _("%(played)s of %(all)s matches played") % {"played": played, "all": matches}
    if table.state.is_complete:
        rows = [Row(row["place"], row["name"], "") for row in places_values(table)["rows"] if row["name"]]
    else:
        now = timezone.now()
        open_cards = [line.card for line in playing(cards, now)] + [one.card for one in calls(cards, now)]
        rows = [Row(card.key, f"{card.a.name} – {card.b.name}", card.score_text) for card in open_cards]
    return picture_of(request, Picture(tournament.title_text, place.title_text, note, tuple(rows[:ROWS])))
