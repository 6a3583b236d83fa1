"""What a knockout prints for the wall: its trees, the boards of the moment, places, result slips of open matches."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext, pgettext_lazy

from brackets.cards import Cards
from brackets.day import calls, played_so_far, playing
from brackets.engine.layout import layout
from brackets.engine.placings import final_places
from brackets.selectors import bracket_stage, load_table
from brackets.tree import SCREEN, draw_sheet, part_of, part_title, place_rows
from tourney import svg
from tourney.models import Section
from tourney.paper import Box, Column, Sheet, SheetKind, Slip, Table, Tree

# In the units of a drawing: how high the paper is, what stands between two blocks, and over each.
PAGE_HEIGHT, BETWEEN, TITLE, HEAD = 1000, 40, 44, 16


def sheet_kinds(section: Section) -> list[SheetKind]:
    """Return the sheets of a group that plays a knockout."""
    if section.merged_into_id is not None or bracket_stage(section) is None:
        return []
    return [
        SheetKind("trees", pgettext_lazy("sheets", "Bracket"), _trees, 20),
        SheetKind("boards", gettext_lazy("Boards and next calls"), _boards, 25),
        SheetKind("decided", gettext_lazy("Places decided"), _decided, 30),
        SheetKind("slips", gettext_lazy("Result slips"), _slips, 60),
    ]


def _cards(section: Section, *, staff: bool = False) -> Cards | None:
    """Return the cards of a confirmed draw."""
    stage = bracket_stage(section)
    if stage is None:
        return None
    stage.section.tournament = section.tournament
    table = load_table(stage, facts_only=True)
    return Cards(table, staff=staff) if table is not None and table.bracket.drawn_at is not None else None


def _progress(cards: Cards) -> str:
    played, matches = played_so_far(cards.table.state)
    return _("%(played)s of %(all)s matches played") % {"played": played, "all": matches}


def _trees(section: Section) -> list[Sheet]:
    """The upper bracket, the lower one, and the blocks of placement matches, several to a page."""
    cards = _cards(section)
    if cards is None:
        return []
    found, blocks = [], []
    for sheet in layout(cards.table.spec, SCREEN):
        drawing = draw_sheet(cards, sheet).drawing
        if part_of(sheet) == "places":
            blocks.append(drawing)
        else:
            key = f"{section.code}:tree:{sheet.code}"
            found.append(Sheet(key, drawing.title, _tree([drawing]), _progress(cards), section.title_text))
    for number, page in enumerate(_paged(blocks), start=1):
        key = f"{section.code}:tree:places{number}"
        found.append(Sheet(key, part_title("places"), _tree(page), _progress(cards), section.title_text))
    return found


def _paged(blocks: list[svg.Bracket]) -> list[list[svg.Bracket]]:
    """Put blocks on pages one under the other, as many as fit."""
    pages: list[list[svg.Bracket]] = []
    for block in blocks:
        if pages and sum(one.height + BETWEEN for one in [*pages[-1], block]) <= PAGE_HEIGHT:
            pages[-1].append(block)
        else:
            pages.append([block])
    return pages


def _tree(drawings: Sequence[svg.Bracket]) -> Tree:
    """Return drawings under each other as one tree; several have their titles over them."""
    boxes: list[Box] = []
    wires: list[tuple[tuple[float, float], ...]] = []
    heads: list[tuple[float, float, str]] = []
    top = 0.0
    for drawing in drawings:
        several = len(drawings) > 1
        down = top + (TITLE if several else 0)
        if several:
            heads.append((0.0, top + TITLE / 2, drawing.title))
        for box in drawing.boxes:
            sides = (_side(box.sides[0]), _side(box.sides[1]))
            boxes.append(Box(box.x, box.y + down, sides, box.label, box.note))
        wires += [tuple((float(x), y + down) for x, y in wire.points) for wire in drawing.wires]
        heads += [(float(x), down + HEAD, words) for x, words in drawing.heads]
        top = down + drawing.height
    return Tree(tuple(boxes), tuple(wires), tuple(heads), svg.BOX_WIDTH, svg.BOX_HEIGHT)


def _side(side: svg.Side) -> tuple[str, str]:
    name = f"{side.seed} {side.name}" if side.seed else side.name
    return name, side.score


def _boards(section: Section) -> list[Sheet]:
    cards = _cards(section)
    if cards is None:
        return []
    now = timezone.now()
    columns = (
        Column(_("Board"), "right", strong=True),
        Column(_("Match")),
        Column(_("Players"), strong=True),
        Column(_("Score"), "center", write=True),
        Column("", strong=True),
        Column(_("State")),
    )
    rows = [
        (
            str(line.card.match.board or "–"),
            line.card.key,
            line.card.a.name,
            line.card.score_text,
            line.card.b.name,
            str(line.card.state[1]),
        )
        for line in playing(cards, now)
    ]
    rows += [
        (str(one.board or "–"), one.card.key, one.card.a.name, "", one.card.b.name, pgettext("match", "next"))
        for one in calls(cards, now)
    ]
    if not rows:
        return []
    table = Table(columns, tuple(rows))
    return [Sheet(f"{section.code}:boards", _("Boards and next calls"), table, _progress(cards), section.title_text)]


def _decided(section: Section) -> list[Sheet]:
    cards = _cards(section)
    if cards is None:
        return []
    table = cards.table
    order = final_places(table.spec, table.state, table.rules.left_place, table.rules.disqualified_place)
    gone = sum(1 for removed in table.state.left.values() if removed)
    rows = tuple(
        (place, cards.name_of(entry), str(cards.rating_of(entry) or "–"))
        for place, entry in place_rows(cards, list(order), len(table.players) - gone)
        if entry is not None
    )
    if not rows:
        return []
    columns = (Column(_("Place"), "right", strong=True), Column(_("Player"), strong=True), Column(_("Rating"), "right"))
    content = Table(columns, rows)
    return [Sheet(f"{section.code}:decided", _("Places decided"), content, _progress(cards), section.title_text)]


def _slips(section: Section) -> list[Sheet]:
    """Slips of the matches at a board and of those that come next."""
    cards = _cards(section, staff=True)
    if cards is None:
        return []
    now = timezone.now()
    signers = (_("Player 1"), _("Player 2"), _("Arbiter"))
    slips = tuple(
        Slip(
            f"{section.title_text} · "
            + (_("match %(key)s, board %(board)s") % {"key": card.key, "board": board} if board else card.key),
            card.a.name,
            card.b.name,
            (_("Score"), "", ""),
            signers,
        )
        for card, board in [
            *((line.card, line.card.match.board) for line in playing(cards, now)),
            *((one.card, one.board) for one in calls(cards, now)),
        ]
    )
    return [Sheet("", _("Result slips"), slips, group=section.title_text)] if slips else []
