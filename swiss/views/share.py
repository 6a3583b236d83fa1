"""The standings as a picture to share."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from swiss.views.public import place_of, standings_values
from tourney.kernel.points import format_points
from tourney.share_picture import ROWS, Picture, Row
from tourney.shared_cache import shared
from tourney.views.pictures import picture_of


@shared()
@require_safe
def standings_picture(request: HttpRequest, slug: str, section: str) -> HttpResponse:
    """The first places after a round (`?round=`, `?of=all` as on the page); 404 while there are none."""
    _tournament, one, stage = place_of(request, slug, section)
    values = standings_values(request, one, stage)
    if stage is None or values["table"] is None:
        raise Http404
    table = values["table"]
    rows = tuple(Row(str(line.place), line.name, format_points(line.points)) for line in table.lines[:ROWS])
    caption = values["caption"].partition(" · ")[0]
    return picture_of(request, Picture(one.tournament.title_text, one.title_text, caption, rows))
