"""A correction before it is made: the bracket drawn as it would be, and the same as a list of matches.

Every match that changes carries a word and a look of its own on the tree; what only stands beside them is drawn quietly
and stays as it is. Players who would move are shown where they would come to.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from brackets.cards import Cards, source_words
from brackets.engine.correction import CorrectionPlan
from brackets.engine.layout import Box, Sheet, layout
from brackets.engine.resolve import BYE, BracketState, MatchStatus, resolve
from brackets.engine.topology import Source
from brackets.labels import place_text
from brackets.tree import SCREEN, column_title, sheet_title
from tourney import svg
from tourney.kernel.ids import MatchKey

# What happens to a match -> (look on the tree, word above its box, sentence in the list).
FIX, VOID, STOP, CALL, AUTO, MOVE = "fix", "void", "stop", "call", "auto", "move"
WORDS: Mapping[str, tuple[str, str | Promise, str | Promise]] = {
    FIX: ("fix", gettext_lazy("corrected here"), gettext_lazy("this match is corrected")),
    VOID: ("again", gettext_lazy("played again"), gettext_lazy("result taken back, is played again")),
    STOP: ("again", gettext_lazy("stops"), gettext_lazy("being played: its games stop and no longer count")),
    CALL: ("again", gettext_lazy("call taken back"), gettext_lazy("the call is taken back")),
    AUTO: ("again", gettext_lazy("walkover changes"), gettext_lazy("walkover changes or goes")),
    MOVE: ("move", gettext_lazy("players change"), gettext_lazy("not played yet: only its players change")),
}


@dataclass(frozen=True, slots=True)
class Line:
    """A match that changes: who stands in it until now and afterwards, and what happens to it."""

    key: str
    href: str
    before: str
    score: str
    after: str
    words: str


@dataclass(frozen=True, slots=True)
class Preview:
    """Everything the page of a correction shows. `stays`: decided matches that keep their results."""

    lines: tuple[Line, ...]
    drawings: tuple[svg.Bracket, ...]
    places: tuple[tuple[str, str, str], ...]  # name, place until now, place afterwards
    again: int
    stays: int


def preview(cards: Cards, plan: CorrectionPlan, score: tuple[str, str]) -> Preview:
    """Return what a plan would do. `score`: the corrected match's score by side, as it would be shown."""
    table = cards.table
    after = resolve(table.spec, table.seeds, (*table.facts, *plan.cascade))
    kinds = _kinds(plan)
    untouched = [
        key
        for key, view in table.state.matches.items()
        if view.status in (MatchStatus.DONE, MatchStatus.WALKOVER) and key not in kinds
    ]
    order = [match.key for match in table.spec.matches if match.key in kinds]
    return Preview(
        tuple(_line(cards, after, key, kinds[key]) for key in order),
        tuple(
            _drawing(cards, after, sheet, kinds, score)
            for sheet in layout(table.spec, SCREEN)
            if any(box.key in kinds for box in sheet.boxes)
        ),
        tuple(
            (
                cards.name_of(entry),
                place_text(before) if before is not None else "–",
                place_text(now) if now is not None else _("open again"),
            )
            for entry, before, now in plan.places
        ),
        len(plan.void) + len(plan.stop),
        len(untouched),
    )


def legend() -> list[dict[str, Any]]:
    """Return the looks of the tree with their words."""
    return [
        {"look": "fix", "words": _("the match that is corrected")},
        {"look": "again", "words": _("reopens: its result, games or call no longer count")},
        {"look": "move", "words": _("not played yet: other players come here")},
        {"look": "stay", "words": _("stays as it is")},
    ]


def _kinds(plan: CorrectionPlan) -> dict[MatchKey, str]:
    """Return what happens to each match that changes; the weightier word wins."""
    kinds = {move.target.match: MOVE for move in plan.moves}
    for keys, kind in ((plan.automatic, AUTO), (plan.take_back, CALL), (plan.stop, STOP), (plan.void, VOID)):
        kinds |= dict.fromkeys(keys, kind)
    kinds[plan.match] = FIX
    return kinds


def _name(cards: Cards, occupant: Any, source: Source) -> str:
    if occupant is BYE:
        return _("bye")
    return source_words(source) if occupant is None else cards.name_of(occupant)


def _pair(cards: Cards, state: BracketState, key: MatchKey) -> str:
    view, spec = state.matches[key], cards.table.spec.by_key[key]
    return f"{_name(cards, view.a, spec.a)} – {_name(cards, view.b, spec.b)}"


def _line(cards: Cards, after: BracketState, key: MatchKey, kind: str) -> Line:
    card = cards.card(key)
    return Line(
        key,
        card.href,
        _pair(cards, cards.table.state, key),
        card.score_text,
        _pair(cards, after, key),
        str(WORDS[kind][2]),
    )


# -- the tree --------------------------------------------------------------------------------------------------------


def _drawing(
    cards: Cards, after: BracketState, sheet: Sheet, kinds: Mapping[MatchKey, str], score: tuple[str, str]
) -> svg.Bracket:
    """Return a sheet with the changes marked, cut to the rows they stand in."""
    touched = [box.y for box in sheet.boxes if box.key in kinds]
    top, bottom = min(touched) - SCREEN.pitch_y, max(touched) + SCREEN.pitch_y
    shown = [box for box in sheet.boxes if top <= box.y <= bottom]
    up = min(box.y for box in shown) - SCREEN.head - SCREEN.margin
    keys = {box.key for box in shown}
    number = sum(1 for box in shown if box.key in kinds)
    return svg.Bracket(
        sheet_title(sheet),
        ngettext(
            "%(n)d match changes here; the list above says the same in words.",
            "%(n)d matches change here; the list above says the same in words.",
            number,
        )
        % {"n": number},
        tuple(_box(cards, after, box, up, kinds.get(box.key), score) for box in shown),
        tuple(
            svg.Wire(tuple((x, y - up) for x, y in line.points))
            for line in sheet.lines
            if line.start in keys and line.end in keys
        ),
        tuple((column.x, column_title(sheet, index, cards)) for index, column in enumerate(sheet.columns)),
        sheet.width,
        max(box.y for box in shown) + SCREEN.box_height + SCREEN.margin + 1 - up,
    )


def _box(cards: Cards, after: BracketState, box: Box, up: int, kind: str | None, score: tuple[str, str]) -> svg.Box:
    card = cards.card(box.key)
    look, note = ("stay", card.note) if kind is None else (WORDS[kind][0], str(WORDS[kind][1]))
    return svg.Box(
        box.x,
        box.y - up,
        (_side(cards, after, box.key, "a", kind, score[0]), _side(cards, after, box.key, "b", kind, score[1])),
        label=box.key,
        note=note,
        href=card.href,
        look=look,
    )


def _side(cards: Cards, after: BracketState, key: MatchKey, side: str, kind: str | None, score: str) -> svg.Side:
    view, spec, card = after.matches[key], cards.table.spec.by_key[key], cards.card(key)
    occupant, source = (view.a, spec.a) if side == "a" else (view.b, spec.b)
    before = cards.table.state.matches[key]
    known = isinstance(occupant, int)
    drawn = svg.Side(
        _name(cards, occupant, source),
        placeholder=not known,
        short=cards.short_name(occupant) if isinstance(occupant, int) else "",
        seed=str(cards.seeds.get(occupant) or "") if isinstance(occupant, int) else "",
        won=known and view.winner == occupant,
        lost=known and view.winner is not None and view.winner != occupant,
        moved=occupant != (before.a if side == "a" else before.b),
    )
    if kind is None:
        return replace(drawn, score=card.side(side).score)
    return replace(drawn, score=score) if kind == FIX else drawn
