"""The boards of a round as pages show them: who, colours, points before the round, result, and what is unusual."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count, F, Prefetch, Q, prefetch_related_objects
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from swiss.labels import BYE_WORDS, REASONS
from swiss.models import Pairing, Round
from swiss.selectors import put_into_sections
from tourney.kernel.outcomes import ByeKind, ResultCode
from tourney.models import Entry, Game, ResultRecord, Section, Stage, StandingRow

DRAW = ResultCode.DRAW.value

# What a pairing is shown with, and what of it no row says: text and moments by the hundred take their time to read.
PEOPLE = ("game", "white__player", "black__player")
UNSAID = (
    *("game__pgn", "game__scheduled_at", "game__finished_at"),
    *(f"{side}__{name}" for side in ("white", "black") for name in ("registered_at", "player__created_at")),
)


@dataclass(frozen=True, slots=True)
class Side:
    """One player of a board as the reader may see him. `points`: half-points before the round."""

    entry: Entry
    name: str
    rating: int | None
    href: str
    points: int | None

    @property
    def title(self) -> str:
        return self.entry.shown.title

    @property
    def number(self) -> int | None:
        return self.entry.start_number

    @property
    def more(self) -> str:
        return str(self.rating or "")


@dataclass(frozen=True, slots=True)
class Board:
    """A board (or a player without an opponent) with everything its row shows."""

    pairing: Pairing
    white: Side
    black: Side | None
    result: str
    bye: str = ""
    state: str = ""
    note: str = ""
    marks: tuple[str, ...] = field(default=())
    why: str = ""

    @property
    def number(self) -> int | None:
        return self.pairing.board

    @property
    def game_id(self) -> int | None:
        return self.pairing.game_id

    @property
    def version(self) -> int:
        return self.pairing.game.version if self.pairing.game else 0

    @property
    def open(self) -> bool:
        return self.black is not None and not self.result

    @property
    def id(self) -> str:
        return f"b{self.pairing.board or self.pairing.pk}"


def bye_words(stage: Stage, kind: str) -> str:
    """Return what a round without an opponent is called; a table's free round is no bye."""
    if stage.kind == Stage.Kind.ROUND_ROBIN:
        return _("free this round")
    return str(BYE_WORDS[ByeKind(kind)])


def points_before(stage: Stage, number: int, of: Iterable[int] | None = None) -> dict[int, int]:
    """Return everybody's half-points before a round (`of`: those of some entries). One query."""
    rows = StandingRow.objects.filter(stage=stage, after_round=number - 1)
    return dict((rows if of is None else rows.filter(entry__in=list(of))).values_list("entry_id", "points"))


def pairings_of(round_: Round, stage: Stage, *, records: bool = False, only: Pairing | None = None) -> list[Pairing]:
    """Return the pairings of a round with people and games; `records` brings who entered the results.

    `only`: this one, read with `PEOPLE`. One query, two for merged groups, and three for the records.
    """
    current = ResultRecord.objects.filter(successor__isnull=True).select_related("entered_by", "supersedes")
    brought = [Prefetch("game__results", queryset=current, to_attr="current_records")] if records else []
    if only is None:
        rows = round_.pairings.select_related(*PEOPLE).defer(*UNSAID).prefetch_related(*brought)
        found = list(rows.order_by(F("board").asc(nulls_last=True), "bye", "white__start_number"))
    else:
        found = [only]
        prefetch_related_objects(found, *brought)
    put_into_sections(stage, [entry for one in found for entry in (one.white, one.black) if entry is not None])
    return found


def boards_of(
    round_: Round, stage: Stage, *, staff: bool = False, hide: bool | None = None, only: Pairing | None = None
) -> list[Board]:
    """Return the boards of a round in order, those without an opponent last (`only`: as in `pairings_of`).

    `hide` leaves out names and ratings of those who did not let them be published: by default for all but staff.
    Two queries, for staff (who see who entered what) three.
    """
    pairings = pairings_of(round_, stage, records=staff, only=only)
    played = round_.number > 1
    named = None if only is None else [pk for one in pairings for pk in (one.white_id, one.black_id) if pk]
    before = points_before(stage, round_.number, named) if played else {}
    hidden = not staff if hide is None else hide
    draft = round_.state == Round.State.DRAFT
    players = player_addresses(entry.section for one in pairings for entry in (one.white, one.black) if entry)
    why = why_address(stage, round_, "manage_why" if staff or draft else "why_pair")

    def side(entry: Entry) -> Side:
        return Side(
            entry,
            entry.name if hidden else entry.player.name,
            entry.shown.rating if hidden else entry.rating,
            "" if staff else f"{players[entry.section_id]}{entry.pk}/",
            before.get(entry.pk, 0) if played else None,
        )

    boards = []
    for pairing in pairings:
        record = current_record(pairing) if staff else None
        boards.append(
            Board(
                pairing,
                side(pairing.white),
                side(pairing.black) if pairing.black else None,
                pairing.game.outcome if pairing.game else "",
                bye=bye_words(stage, pairing.bye) if pairing.bye else "",
                state=_state(pairing, record, round_, staff=staff),
                note=entered_words(record, stage) if record is not None else "",
                marks=tuple(draw_marks(stage, pairing, record)) if staff else (),
                why=f"{why}{pairing.board if pairing.board is not None else f'p{pairing.white_id}'}/",
            )
        )
    return boards


def player_addresses(sections: Iterable[Section]) -> dict[int, str]:
    """Return where the pages of a group's players are, without their number, by group."""
    found: dict[int, str] = {}
    for section in sections:
        if section.pk not in found:
            address = reverse("player", args=[section.tournament.slug, section.code, 0])
            found[section.pk] = address.removesuffix("0/")
    return found


def why_address(stage: Stage, round_: Round, name: str) -> str:
    """Return the address of the pages that say why rows are as they are, without their keys."""
    return reverse(name, args=[stage.section.tournament.slug, stage.section.code, round_.number, 0]).removesuffix("0/")


def current_record(pairing: Pairing) -> ResultRecord | None:
    """Return the record in force of a pairing loaded with its records."""
    records = getattr(pairing.game, "current_records", []) if pairing.game else []
    return records[0] if records else None


def is_changed(record: ResultRecord | None) -> bool:
    """Return whether a record corrects another result (adding the number of moves is no correction)."""
    return (
        record is not None
        and record.supersedes is not None
        and bool(record.supersedes.outcome)
        and record.supersedes.outcome != record.outcome
    )


def _state(pairing: Pairing, record: ResultRecord | None, round_: Round, *, staff: bool) -> str:
    """Return the state of a board; what the staff must enter is for others a game that is played or to come."""
    if pairing.game is None:
        return ""
    if pairing.game.outcome:
        return "corrected" if is_changed(record) else ""
    if pairing.adjourned:
        return "adjourned"
    if staff:
        return "missing"
    return "playing" if round_.state == Round.State.RUNNING else "planned"


def entered_words(record: ResultRecord, stage: Stage) -> str:
    """Return who entered a result and when: `14:31, anna`, with the reason of a correction."""
    zone = stage.section.tournament.zone
    who = record.device or (record.entered_by.get_username() if record.entered_by else "")
    parts = [f"{record.at.astimezone(zone):%H:%M}", who]
    if record.reason and record.supersedes_id:
        parts.append(str(REASONS.get(record.reason, record.reason)))
    if record.moves:
        parts.append(ngettext("%(n)d move", "%(n)d moves", record.moves) % {"n": record.moves})
    return ", ".join(part for part in parts if part)


def draw_limit(stage: Stage) -> int:
    """Return up to which move no draw may be offered (M7.6), 0 without such a rule."""
    return int(stage.rules.get("conduct", {}).get("no_draw_offer_until_move", 0) or 0)


def draw_marks(stage: Stage, pairing: Pairing, record: ResultRecord | None) -> Iterable[str]:
    """Say what is odd about a draw where the regulation forbids early offers (M7.6)."""
    limit = draw_limit(stage)
    if not limit or pairing.game is None or pairing.game.outcome != DRAW:
        return
    moves = record.moves if record is not None else None
    plies = pairing.game.ply_count
    recorded = (plies + 1) // 2 if plies else None
    shown = moves if moves is not None else recorded
    if shown is not None and shown <= limit:
        yield _("Draw at move %(moves)s: none may be offered up to move %(limit)s.") % {"moves": shown, "limit": limit}
    if moves is not None and recorded and recorded != moves:
        yield _("The game record has %(moves)s moves.") % {"moves": recorded}


def asks_moves(stage: Stage, board: Board) -> bool:
    """Return whether the number of moves of a drawn game is still to be given (M7.6)."""
    record = current_record(board.pairing)
    return bool(draw_limit(stage)) and board.result == DRAW and (record is None or record.moves is None)


def missing_boards(stages: Iterable[Stage]) -> dict[int, int]:
    """Return for each round of some stages how many games have no result. One query."""
    rows = (
        Round.objects.filter(stage__in=list(stages))
        .annotate(missing=Count("pairings", filter=Q(pairings__game__isnull=False, pairings__game__outcome="")))
        .values_list("pk", "missing")
    )
    return dict(rows)


def by_name(boards: Iterable[Board]) -> list[dict[str, Any]]:
    """Return a round by players in alphabetical order: "board 7, White, against …"."""
    lines = []
    for board in boards:
        sides = [(board.white, board.black, "w")]
        if board.black is not None:
            sides.append((board.black, board.white, "b"))
        for side, opponent, color in sides:
            lines.append(
                {
                    "side": side,
                    "opponent": opponent,
                    "color": color if opponent else "",
                    "board": board.number,
                    "bye": board.bye,
                    "result": board.result,
                    "points": own_points(board.result, color),
                }
            )
    return sorted(lines, key=lambda line: (line["side"].name.casefold(), line["side"].number or 0))


def own_points(result: str, color: str) -> str:
    """Return a result as one side's player would say it: `1`, `½`, `0`, `+`, `−`."""
    if not result:
        return ""
    white, black = {
        "1-0": ("1", "0"),
        "1/2": ("½", "½"),
        "0-1": ("0", "1"),
        "+-": ("+", "−"),
        "-+": ("−", "+"),
        "--": ("−", "−"),
        "0-0": ("0", "0"),
        "1/2-0": ("½", "0"),
        "0-1/2": ("0", "½"),
    }[result]
    return white if color == "w" else black


def in_play(boards: Iterable[Board]) -> tuple[int, int]:
    """Return (games without a result, all games) of a round."""
    games = [board for board in boards if board.black is not None]
    return sum(1 for board in games if board.open), len(games)


def counts_of(round_: Round) -> dict[str, int]:
    """Return how many games of a round there are, without a result, and with a corrected one. Two queries."""
    games = Game.objects.filter(pairing__round=round_).aggregate(
        all=Count("pk"), missing=Count("pk", filter=Q(outcome=""))
    )
    changed = (
        ResultRecord.objects.filter(game__pairing__round=round_, successor__isnull=True, supersedes__isnull=False)
        .exclude(supersedes__outcome="")
        .exclude(supersedes__outcome=F("outcome"))
        .count()
    )
    return {"all": games["all"], "missing": games["missing"], "changed": changed}


def met_before(stage: Stage, number: int) -> Mapping[frozenset[int], int]:
    """Return who has played whom before a round, with the round. One query."""
    rows = Pairing.objects.filter(round__stage=stage, round__number__lt=number, black__isnull=False).values_list(
        "white_id", "black_id", "round__number", "game__outcome"
    )
    forfeits = {"+-", "-+", "--"}
    return {frozenset((white, black)): n for white, black, n, outcome in rows if outcome not in forfeits}
