"""What a knockout shows on the screens of the hall: boards and next calls, living parts of the tree, places decided."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from brackets.cards import Cards
from brackets.day import ending, played_so_far
from brackets.engine.placings import final_places
from brackets.hall import Screenful, screenfuls
from brackets.selectors import bracket_stage, load_table
from brackets.tree import place_rows
from tourney.formatting import local
from tourney.hall import HallKind, HallPage, RotationLine
from tourney.models import Section, Tournament

Pages = Callable[[Tournament, Section | None, RotationLine, datetime], list[HallPage]]


def hall_kinds(_tournament: Tournament) -> list[HallKind]:
    """Return the kinds of pages of groups that play a knockout."""
    return [
        HallKind("calls", gettext_lazy("Boards and next calls"), _shower(_is_call), _fits, 21, by_minute=True),
        HallKind("bracket", gettext_lazy("Bracket"), _shower(lambda one: one.drawing is not None), _fits, 31),
        HallKind("decided", gettext_lazy("Places decided"), _shower(lambda one: bool(one.places)), _fits, 32),
    ]


def _fits(section: Section) -> bool:
    return section.merged_into_id is None and bracket_stage(section) is not None


def _is_call(one: Screenful) -> bool:
    return bool(one.boards or one.ready or one.is_empty)


def _shower(wanted: Callable[[Screenful], bool]) -> Pages:
    """Return what makes the pages of one kind. Without a confirmed draw there are none."""

    def pages(tournament: Tournament, section: Section | None, _line: RotationLine, now: datetime) -> list[HallPage]:
        stage = bracket_stage(section) if section is not None else None
        if stage is None or section is None:
            return []
        stage.section.tournament = tournament
        table = load_table(stage, facts_only=True)
        if table is None or table.bracket.drawn_at is None:
            return []
        cards = Cards(table)
        order = final_places(table.spec, table.state, table.rules.left_place, table.rules.disqualified_place)
        gone = sum(1 for removed in table.state.left.values() if removed)
        rows = place_rows(cards, list(order), len(table.players) - gone)
        decided = [(place, cards.name_of(entry)) for place, entry in rows if entry is not None]
        played, matches = played_so_far(table.state)
        note = _("%(played)s of %(all)s matches played") % {"played": played, "all": matches}
        found = ending(table)
        if found is not None:
            note += " · " + _("likely end") + f" {local(found.end, tournament.zone):%H:%M}"
        several = tournament.sections.count() > 1
        return [
            HallPage(
                f"{section.title_text} · {one.title}" if several else one.title,
                "brackets/hall_screenful.html",
                {"page": one, "stopped": table.bracket.paused_at is not None},
                note,
            )
            for one in _chosen(screenfuls(cards, now, decided), wanted)
        ]

    return pages


def _chosen(pages: Iterable[Screenful], wanted: Callable[[Screenful], bool]) -> list[Screenful]:
    return [page for page in pages if wanted(page)]
