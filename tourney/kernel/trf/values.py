"""The values a tournament report file is read into.

Numbers in a report are pairing numbers; `Trf.history` uses them as entry identifiers, so an importer maps them to its
own entries and an arbiter's command line needs no database at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from tourney.kernel.colors import Color
from tourney.kernel.ids import EntryId
from tourney.kernel.outcomes import STANDARD, ByeKind, Scoring
from tourney.kernel.points import ZERO, Points
from tourney.kernel.records import History, PlayerRecord, RoundKind, RoundRecord

_PLAYED_WON = frozenset("1W")
_PLAYED_DRAWN = frozenset("=D")
_RATED = frozenset("1=0")
_BYES = {"U": ByeKind.PAIRING, "H": ByeKind.HALF, "F": ByeKind.FULL, "Z": ByeKind.ZERO}


@dataclass(frozen=True, slots=True)
class TrfRemark:
    """Something odd that doesn't stop the reading: a code, its place (from 1), and the values of its sentence."""

    code: str
    line: int
    column: int
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class TrfCell:
    """One player's round as written: opponent's number (0: none), colour and the result letter ("" : no result yet)."""

    opponent: int = 0
    color: Color | None = None
    result: str = "Z"

    @property
    def is_game(self) -> bool:
        """An opponent was given, whatever the result."""
        return self.opponent != 0

    @property
    def shows_pairing(self) -> bool:
        """Proof that the round was paired: a game, or a bye given by the pairing."""
        return self.opponent != 0 or self.result == "U"

    def record(self, scoring: Scoring, *, open_as_draw: bool = False) -> RoundRecord:
        """Return the round under a scoring; for pairing a game without a result may count as a draw (C.04.2, 3.1)."""
        if not self.is_game:
            return RoundRecord.of_bye(_BYES[self.result], scoring)
        opponent = EntryId(self.opponent)
        if self.result == "+":
            return RoundRecord(RoundKind.FORFEIT_WIN, scoring.win, opponent, self.color)
        if self.result == "-":
            return RoundRecord(RoundKind.FORFEIT_LOSS, ZERO, opponent, self.color)
        if self.result == "" and not open_as_draw:
            return RoundRecord(RoundKind.PENDING, ZERO, opponent, self.color)
        points = (
            scoring.win
            if self.result in _PLAYED_WON
            else scoring.draw
            if self.result in _PLAYED_DRAWN or not self.result
            else scoring.loss
        )
        return RoundRecord(RoundKind.PLAYED, points, opponent, self.color, self.result in _RATED)


@dataclass(frozen=True, slots=True)
class NationalData:
    """A national line beside a player: federation, national rating and identifier, the name in the national script."""

    federation: str
    rating: int | None = None
    number: str = ""
    name: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class TrfPlayer:
    """One ``001`` line; `points` and `rank` are what the file claims (None: blank), whatever the results say."""

    number: int
    name: str
    sex: str = ""  # "m", "w" or ""
    title: str = ""
    rating: int | None = None
    federation: str = ""
    fide_id: str = ""
    birth: str = ""
    points: Points | None = None
    rank: int | None = None
    cells: tuple[TrfCell, ...] = ()
    national: tuple[NationalData, ...] = ()
    line: int = 0


@dataclass(frozen=True, slots=True)
class ForbiddenGroup:
    """Players who must not meet each other in a range of rounds (`last_round` 0: to the end)."""

    numbers: tuple[int, ...]
    first_round: int = 1
    last_round: int = 0

    def holds_in(self, number: int) -> bool:
        """Return whether the group is kept apart in that round."""
        return number >= self.first_round and (not self.last_round or number <= self.last_round)


@dataclass(frozen=True)
class Trf:
    """A whole report. Header records keep their three-character code in `header`; unknown lines are in `other`."""

    players: tuple[TrfPlayer, ...]
    header: Mapping[str, str] = field(default_factory=dict)
    rounds_total: int = 0
    first_color: Color | None = None
    scoring: Scoring = STANDARD
    accelerations: Mapping[int, tuple[Points, ...]] = field(default_factory=dict)
    forbidden: tuple[ForbiddenGroup, ...] = ()
    byes: Mapping[int, Mapping[int, ByeKind]] = field(default_factory=dict)  # round -> number -> asked-for bye
    absent: frozenset[int] = frozenset()  # not there in the coming round
    round_dates: tuple[str, ...] = ()
    comments: tuple[str, ...] = ()
    other: tuple[str, ...] = ()
    encoding: str = "utf-8"
    remarks: tuple[TrfRemark, ...] = ()

    @property
    def name(self) -> str:
        """The tournament's name (record 012)."""
        return self.header.get("012", "")

    @property
    def tie_breaks(self) -> tuple[str, ...]:
        """The codes of record 202 (or 212, which starts with the points), in order."""
        text = self.header.get("202") or self.header.get("212") or ""
        return tuple(code.strip() for code in text.split(",") if code.strip())

    @cached_property
    def by_number(self) -> Mapping[int, TrfPlayer]:
        """Players by pairing number."""
        return {player.number: player for player in self.players}

    @cached_property
    def rounds_done(self) -> int:
        """The last round in which somebody was paired; byes written in advance for a later one don't count."""
        return max(
            (index for player in self.players for index, cell in enumerate(player.cells, 1) if cell.shows_pairing),
            default=0,
        )

    def cell(self, number: int, round_number: int) -> TrfCell:
        """Return a player's cell of a round; what isn't written is an absence."""
        cells = self.by_number[number].cells
        return cells[round_number - 1] if round_number <= len(cells) else TrfCell()

    def history(self, rounds: int | None = None, *, open_as_draws: bool = False) -> History:
        """Return what everybody did in the first `rounds` rounds (None: in all that were paired).

        `open_as_draws`: for pairing, games without a result are draws.
        """
        done = self.rounds_done if rounds is None else rounds
        players = tuple(
            PlayerRecord(
                EntryId(player.number),
                player.number,
                player.rating,
                tuple(
                    (player.cells[index] if index < len(player.cells) else TrfCell()).record(
                        self.scoring, open_as_draw=open_as_draws
                    )
                    for index in range(done)
                ),
            )
            for player in self.players
        )
        return History(players, done, self.rounds_total or self.rounds_done, self.scoring)

    def byes_of_round(self, number: int) -> Mapping[int, ByeKind]:
        """Return who is known not to be paired in a round: byes asked for, absences written in advance or by XXZ."""
        found: dict[int, ByeKind] = dict(self.byes.get(number, {}))
        for player in self.players:
            if number <= len(player.cells):
                cell = player.cells[number - 1]
                if not cell.is_game and cell.result != "U":
                    found.setdefault(player.number, _BYES[cell.result])
            elif number <= self.rounds_done or player.number in self.absent:
                found.setdefault(player.number, ByeKind.ZERO)
        return found

    def forbidden_pairs(self, number: int) -> frozenset[frozenset[EntryId]]:
        """Return the pairs that must not meet in a round."""
        return frozenset(
            frozenset((EntryId(first), EntryId(second)))
            for group in self.forbidden
            if group.holds_in(number)
            for index, first in enumerate(group.numbers)
            for second in group.numbers[index + 1 :]
            if first != second
        )

    def virtual_points(self, rounds: int) -> Mapping[EntryId, tuple[Points, ...]]:
        """Return the virtual points of the accelerated players for rounds 1 to `rounds`."""
        return {
            EntryId(number): tuple(points[index] if index < len(points) else ZERO for index in range(rounds))
            for number, points in self.accelerations.items()
        }
