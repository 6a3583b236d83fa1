"""For the rating (M7.5): a stage as a report file with national lines, newcomers without a number, expected changes.

The report is TRF with the columns of the FIDE handbook: the ``001`` line in Latin letters, after it a line of the
federation that rates the event, with the name in its own script, the national rating and number.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from django.utils.formats import number_format

from prizes.engine.tiebreaks.fide_tables import expected_percent
from swiss.bent_rules import report_lines, report_results
from swiss.models import Pairing, Round
from swiss.selectors import PUBLIC_STATES, StageFacts, scoring_of, stage_facts
from swiss.unpublished import of_history
from tourney.kernel.colors import Color
from tourney.kernel.outcomes import ByeKind, ResultCode, Scoring
from tourney.kernel.points import ZERO, Points
from tourney.kernel.records import RoundKind
from tourney.kernel.text import in_language
from tourney.kernel.trf import NationalData, Trf, TrfCell, TrfPlayer
from tourney.latin import latin
from tourney.models import Entry, StaffRole, Stage, StandingRow, Tournament

_SEX = {"M": "m", "F": "w"}
_KINDS = {Stage.Kind.SWISS: "Individual: Swiss-System", Stage.Kind.ROUND_ROBIN: "Individual: Round-Robin"}
# A result as the file has it, White's letter first. W, D and L are played games that are not rated.
_LETTERS: Mapping[str, tuple[str, str]] = {
    ResultCode.WHITE_WINS: ("1", "0"),
    ResultCode.DRAW: ("=", "="),
    ResultCode.BLACK_WINS: ("0", "1"),
    ResultCode.WHITE_FORFEIT_WIN: ("+", "-"),
    ResultCode.BLACK_FORFEIT_WIN: ("-", "+"),
    ResultCode.DOUBLE_FORFEIT: ("-", "-"),
    ResultCode.BOTH_LOSE: ("0", "0"),
    ResultCode.WHITE_HALF: ("=", "0"),
    ResultCode.BLACK_HALF: ("0", "="),
    "": ("", ""),
}
FARTHEST = 400  # a difference of more counts as this much (rating regulations, 8.3.1)


def rated_by(stage: Stage) -> str:
    """Return the federation whose lines the report carries, "" for an event without a national rating."""
    rating, conduct = stage.rules.get("rating") or {}, stage.rules.get("conduct") or {}
    national = [code for code in conduct.get("rated_by") or () if code != "FIDE"]
    return str(national[0] if national else rating.get("national") or "")[:3]


def report_of(stage: Stage) -> Trf:
    """Return a stage with its public rounds as a report. Five queries, seven for a group played by the book.

    What bent the rules of such a group is told in comment lines; its results for the report only stand in the cells,
    points and places are those of the standings (C.04.2, 4.3).
    """
    facts = stage_facts(stage)
    tournament = stage.section.tournament
    rounds = list(stage.rounds.filter(state__in=PUBLIC_STATES).order_by("number"))
    cells = _cells(stage, facts, [one.number for one in rounds])
    last = rounds[-1].number if rounds else 0
    standings = {row.entry_id: row for row in StandingRow.objects.filter(stage=stage, after_round=last)}
    federation = rated_by(stage)
    people = sorted(facts.entries.values(), key=lambda entry: entry.start_number or 0)
    players = tuple(_player(entry, cells[entry.pk], standings.get(entry.pk), federation) for entry in people)
    return Trf(
        players=players,
        header=_header(stage, tournament, people),
        rounds_total=stage.rounds_total,
        first_color=_first_color(players),
        scoring=scoring_of(stage) if stage.kind == Stage.Kind.SWISS else Scoring(),
        round_dates=tuple(_day(one, tournament) for one in rounds),
        comments=report_lines(stage),
    )


def _header(stage: Stage, tournament: Tournament, people: list[Entry]) -> dict[str, str]:
    def words(text: dict[str, str]) -> str:
        return in_language(text or {}, tournament.language, tournament.language)

    chief = tournament.staff.filter(role=StaffRole.Role.CHIEF_ARBITER).select_related("user").first()
    name = f"{words(tournament.title)}, {words(stage.section.title)}"
    codes = [str(code) for code in stage.rules.get("tie_breaks") or ()]
    header = {
        "012": name,
        "022": words(tournament.address) or words(tournament.venue),
        "032": rated_by(stage),
        "042": f"{tournament.starts_on:%Y/%m/%d}",
        "052": f"{tournament.ends_on:%Y/%m/%d}",
        "062": str(len(people)),
        "072": str(sum(1 for entry in people if _rating(entry, "fide_standard") or entry.rating)),
        "092": _KINDS[Stage.Kind(stage.kind)],
        "102": (chief.user.get_full_name() or chief.user.get_username()) if chief else "",
        "122": str((stage.rules.get("clock") or {}).get("main", "")),
        "212": ",".join(["PTS", *codes]) if codes else "",
    }
    return {code: " ".join(value.split()) for code, value in header.items() if value}


def _rating(entry: Entry, key: str) -> int | None:
    value = (entry.ratings or {}).get(key)
    return value if isinstance(value, int) and value > 0 else None


def _player(entry: Entry, cells: list[TrfCell], row: StandingRow | None, federation: str) -> TrfPlayer:
    player = entry.player
    name = ", ".join(part for part in (player.surname, player.given_name) if part)
    written = player.latin_name or latin(name, "ru" if federation == "RUS" else "uk").title()
    born = f"{player.birth_date:%Y/%m/%d}" if player.birth_date else str(player.birth_year or "")
    national = NationalData(
        federation, _rating(entry, "national") or entry.rating, player.national_id, name, player.level[:3]
    )
    return TrfPlayer(
        number=entry.start_number or 0,
        name=written,
        sex=_SEX.get(player.sex, ""),
        title=player.title,
        rating=_rating(entry, "fide_standard"),
        federation=player.federation or federation,
        fide_id=player.fide_id,
        birth=born,
        points=Points(row.points) if row else ZERO,
        rank=row.rank if row else None,
        cells=tuple(cells),
        national=(national,) if federation else (),
    )


def _cells(stage: Stage, facts: StageFacts, numbers: list[int]) -> dict[int, list[TrfCell]]:
    """Return what everybody did in every public round; without a pairing somebody was absent."""
    number_of = {pk: entry.start_number or 0 for pk, entry in facts.entries.items()}
    found = {pk: {number: TrfCell() for number in numbers} for pk in number_of}
    free = ByeKind.ZERO.value if stage.kind == Stage.Kind.ROUND_ROBIN else ByeKind.PAIRING.value
    put_right = report_results(stage)
    for number, white, black, bye, outcome in facts.record.rows:
        if black is None:
            found[white][number] = TrfCell(result=free if bye == ByeKind.PAIRING else bye)
        else:
            mine, other = _LETTERS[put_right.get((number, white, black), outcome or "")]
            found[white][number] = TrfCell(number_of[black], Color.WHITE, mine)
            found[black][number] = TrfCell(number_of[white], Color.BLACK, other)
    return {pk: [row[number] for number in numbers] for pk, row in found.items()}


def _first_color(players: tuple[TrfPlayer, ...]) -> Color | None:
    """Return the colour of the highest player of round 1 who had an opponent."""
    for player in players:
        if player.cells and player.cells[0].is_game:
            return player.cells[0].color
    return None


def _day(round_: Round, tournament: Tournament) -> str:
    when = round_.started_at or round_.scheduled_at or round_.published_at
    return f"{when.astimezone(tournament.zone):%y/%m/%d}" if when else ""


# -- newcomers ---------------------------------------------------------------------------------------------------------


def newcomers(tournament: Tournament) -> list[Entry]:
    """Return who plays without a national number: the federation gives one on request (M7.5). One query."""
    found = (
        tournament.entries.filter(state__in=Entry.IN_PLAY, player__national_id="")
        .select_related("player", "section")
        .order_by("section__ordinal", "player__surname", "player__given_name")
    )
    entries = list(found)
    for entry in entries:
        entry.section.tournament = tournament
    return entries


# -- expected change ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RatingChange:
    """A preliminary change in tenths of a point, from games against rated opponents."""

    tenths: int
    games: int
    factor: int


def expected_change(stage: Stage, entry: Entry) -> RatingChange | None:
    """Return what the games so far may do to a player's rating, for everybody to read.

    None without a factor in the rules, without games, and where it would tell a rating that is not published.

    `rating.k_factor` times (points minus expectation by the table of the rating regulations). Two queries.
    """
    factor = (stage.rules.get("rating") or {}).get("k_factor")
    if not factor or entry.rating is None or not entry.public_name:
        return None
    facts = stage_facts(stage)
    if entry.pk in of_history(facts.entries, facts.history).met:  # the change would tell that opponent's rating
        return None
    return change_of(facts, entry.pk, int(factor))


def change_of(facts: StageFacts, pk: int, factor: int) -> RatingChange | None:
    """Return a player's change by the facts of a stage."""
    record = facts.history.by_entry.get(pk)  # type: ignore[call-overload]
    if record is None or record.rating is None:
        return None
    own = record.rating
    opponents: list[int] = []
    scored = 0
    for one in record.rounds:
        if one.kind is not RoundKind.PLAYED or not one.rated or one.opponent is None:
            continue
        theirs = facts.history.by_entry[one.opponent].rating if one.opponent in facts.history.by_entry else None
        if theirs is not None:
            opponents.append(max(own - FARTHEST, min(own + FARTHEST, theirs)))
            scored += one.points
    if not opponents:
        return None
    hundredths = factor * (50 * scored - expected_percent(own, opponents))
    tenths = (abs(hundredths) + 5) // 10
    return RatingChange(tenths if hundredths >= 0 else -tenths, len(opponents), factor)


def has_rounds(stages: list[Stage]) -> set[int]:
    """Return which stages have a round the public knows. One query."""
    rows = Pairing.objects.filter(round__stage__in=stages, round__state__in=PUBLIC_STATES)
    return set(rows.order_by().values_list("round__stage", flat=True).distinct())


def change_text(change: RatingChange) -> str:
    """Return a change with its sign: +12.4, −3.0, ±0."""
    if not change.tenths:
        return "±0"
    size = number_format(Decimal(abs(change.tenths)) / 10, decimal_pos=1)
    return f"{'+' if change.tenths > 0 else '−'}{size}"
