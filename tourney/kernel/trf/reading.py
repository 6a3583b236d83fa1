"""Reading report files: TRF16, the TRFx extensions and TRF26, forgiving in form and strict in meaning.

A line that can't be understood stops the reading with its line and column (`ImportFileError`): half a tournament is
worse than none. What can be understood but contradicts itself (points that don't fit the results, a game with two
different results) is read as written and listed in `Trf.remarks`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from tourney.kernel.colors import Color
from tourney.kernel.errors import ImportFileError
from tourney.kernel.outcomes import ByeKind, Scoring
from tourney.kernel.points import HALF, ONE, ZERO, Points, format_points
from tourney.kernel.trf.agreement import FIRST_ROUND_COLUMN, ROUND_WIDTH, game_remarks, points_remarks
from tourney.kernel.trf.decoding import by_bytes, decode, from_bytes, numbered_lines
from tourney.kernel.trf.lines import MAX_NUMBER, Line
from tourney.kernel.trf.values import ForbiddenGroup, NationalData, Trf, TrfCell, TrfPlayer, TrfRemark

MAX_ROUNDS = 99
MAX_RATING = 4000
MOST_POINTS = 100

_TITLES = {
    "g": "GM",
    "m": "IM",
    "f": "FM",
    "c": "CM",
    "wg": "WGM",
    "wm": "WIM",
    "wf": "WFM",
    "wc": "WCM",
    **{title.lower(): title for title in ("GM", "IM", "FM", "CM", "WGM", "WIM", "WFM", "WCM")},
}
_SEXES = {"m": "m", "w": "w", "f": "w", "": ""}
_COLORS = {"w": Color.WHITE, "b": Color.BLACK}
_RESULTS = frozenset("1=0WDL+-HFUZ")
_NO_OPPONENT = {"+": "U", "1": "F", "=": "H", "0": "Z", "-": "Z", "": "Z", "W": "F", "D": "H", "L": "Z"}
_NATIONAL = re.compile(r"^[A-Z]{3} +\d+ ")
_HEADERS = frozenset(f"{code:03}" for code in (*range(12, 132, 10), 172, 182, 192, 202, 212, 222, 352, 362))
_POINTS = re.compile(r"([A-Za-z+=-]) *([\d.,]+)")
_BYE_LETTERS = {"H": ByeKind.HALF, "F": ByeKind.FULL, "Z": ByeKind.ZERO}


def parse(data: bytes) -> Trf:
    """Return the tournament in a report file; ImportFileError names the line and column of what can't be read."""
    text, encoding = decode(data)
    reader = _Reader(encoding)
    for number, line in numbered_lines(text):
        reader.read(number, line)
    return reader.finish()


@dataclass
class _Reader:
    encoding: str
    players: dict[int, TrfPlayer] = field(default_factory=dict)
    columns: dict[int, int] = field(default_factory=dict)
    header: dict[str, str] = field(default_factory=dict)
    rounds_total: int = 0
    first_color: Color | None = None
    points: dict[str, Points] = field(default_factory=dict)
    points_line: Line | None = None
    accelerations: dict[int, dict[int, Points]] = field(default_factory=dict)
    virtual: list[tuple[Line, Points, range, range]] = field(default_factory=list)  # rounds, numbers
    named: list[tuple[Line, int]] = field(default_factory=list)  # players that a setting speaks of
    forbidden: list[tuple[Line, ForbiddenGroup]] = field(default_factory=list)
    byes: dict[int, dict[int, ByeKind]] = field(default_factory=dict)
    absent: set[int] = field(default_factory=set)
    nationals: list[tuple[Line, int, NationalData]] = field(default_factory=list)
    round_dates: tuple[str, ...] = ()
    comments: list[str] = field(default_factory=list)
    other: list[str] = field(default_factory=list)
    remarks: list[TrfRemark] = field(default_factory=list)

    def read(self, number: int, text: str) -> None:
        line = Line(number, text)
        code = text[:3]
        if text.startswith("###"):
            self.comments.append(text[3:].strip())
        elif code == "001":
            self._player(line)
        elif code in _RECORDS:
            _RECORDS[code](self, line)
        elif code in _HEADERS:
            value = text[3:].strip()
            self.header[code] = f"{self.header[code]}\n{value}" if code in self.header else value
        elif _NATIONAL.match(text) and not code.startswith(("XX", "BB")):
            self._national(line)
        elif re.match(r"^(\d{3}|[A-Z]{2,3})( |$)", text):
            self.other.append(text)
        else:
            raise line.misread("unknown_record", 1, found=text[:12])

    def remark(self, code: str, line: int, column: int, **values: Any) -> None:
        self.remarks.append(TrfRemark(f"trf.{code}", line, column, values))

    # --- players -------------------------------------------------------------------------------------------------

    def _player(self, line: Line) -> None:
        remarks = len(self.remarks)
        try:
            player = self._read_player(line, lambda text: text)
        except ImportFileError:
            bytewise = by_bytes(line.text, self.encoding)
            if bytewise is None:
                raise
            del self.remarks[remarks:]
            player = self._read_player(Line(line.number, bytewise), lambda text: from_bytes(text, self.encoding))
        if player.number in self.players:
            raise line.misread("number_twice", 5, number=player.number, first_line=self.players[player.number].line)
        self.players[player.number] = player

    def _read_player(self, line: Line, words: Callable[[str], str]) -> TrfPlayer:
        number = line.whole(5, 8, "bad_number", 1, MAX_NUMBER)
        sex = line.cut(10, 10).lower()
        if sex not in _SEXES:
            raise line.misread("bad_sex", 10, found=sex)
        title = line.cut(11, 13)
        if title and title.lower() not in _TITLES:
            self.remark("unknown_title", line.number, 11, found=words(title))
        rating = line.whole(49, 52, "bad_rating", 0, MAX_RATING) if line.cut(49, 52) else 0
        if line.cut(48, 48) or line.cut(53, 53):
            raise line.misread("bad_rating", 48, found=line.cut(48, 53), low=0, high=MAX_RATING)
        points = line.points(81, line.cut(81, 84)) if line.cut(81, 84) else None
        rank = line.whole(86, 89, "bad_rank", 0, MAX_NUMBER) if line.cut(86, 89) else 0
        return TrfPlayer(
            number=number,
            name=words(line.cut(15, 47)),
            sex=_SEXES[sex],
            title=_TITLES.get(title.lower(), words(title)),
            rating=rating or None,
            federation=words(line.cut(54, 56)),
            fide_id=words(line.cut(58, 68)).removeprefix("0" * 11),
            birth=words(line.cut(70, 79)),
            points=points,
            rank=rank or None,
            cells=tuple(self._cells(line, number)),
            line=line.number,
        )

    def _cells(self, line: Line, number: int) -> Iterator[TrfCell]:
        for index, start in enumerate(range(FIRST_ROUND_COLUMN, len(line.text) + 1, ROUND_WIDTH)):
            if index >= MAX_ROUNDS:
                raise line.misread("too_many_rounds", start, high=MAX_ROUNDS)
            # The columns between the fields are blank in a well-formed file; anything there means shifted columns.
            for gap in (start - 1, start - 2, start + 4, start + 6):
                if line.cut(gap, gap):
                    raise line.misread("shifted_columns", gap, found=line.text[start - 3 : start + 8], round=index + 1)
            yield self._cell(line, start, number, index + 1)

    def _cell(self, line: Line, start: int, number: int, round_number: int) -> TrfCell:
        written = line.cut(start, start + 3)
        opponent = line.whole(start, start + 3, "bad_opponent", 0, MAX_NUMBER) if written else 0
        color_text = line.cut(start + 5, start + 5).lower()
        if color_text not in ("w", "b", "-", ""):
            raise line.misread("bad_color", start + 5, found=color_text, round=round_number)
        # "?" is an adjourned game in files exchanged during an event: no result yet.
        result = line.cut(start + 7, start + 7).upper().replace("?", "")
        if result and result not in _RESULTS:
            raise line.misread("bad_result", start + 7, found=result, round=round_number)
        if opponent == number:
            raise line.misread("own_opponent", start, number=number, round=round_number)
        if not opponent:
            if result not in ("H", "F", "U", "Z", ""):
                self.remark("bye_letter", line.number, start + 7, number=number, round=round_number, found=result)
            return TrfCell(result=_NO_OPPONENT.get(result, result))
        if result in ("H", "F", "U", "Z"):
            self.remark("bye_with_opponent", line.number, start, number=number, round=round_number, found=result)
            return TrfCell(result=result)
        color = _COLORS.get(color_text)
        if color is None and result not in ("+", "-"):
            raise line.misread("color_missing", start + 5, number=number, round=round_number)
        return TrfCell(opponent, color, result)

    def _national(self, line: Line) -> None:
        bytewise = by_bytes(line.text, self.encoding)
        shifted = bytewise is not None and not re.fullmatch(r" {0,4}|\d{1,4}", line.text[48:52].strip())
        used = Line(line.number, bytewise) if shifted and bytewise is not None else line

        def words(first: int, last: int) -> str:
            return from_bytes(used.cut(first, last), self.encoding) if shifted else used.cut(first, last)

        rating = used.whole(49, 52, "bad_rating", 0, MAX_RATING) if used.cut(49, 52) else 0
        data = NationalData(line.text[:3], rating or None, words(58, 68), words(15, 47), words(11, 13))
        self.nationals.append((line, used.whole(5, 8, "bad_number", 1, MAX_NUMBER), data))

    # --- settings ------------------------------------------------------------------------------------------------

    def _rounds_total(self, line: Line) -> None:
        text = line.text[3:].strip()
        if not (text.isascii() and text.isdigit()) or not 0 <= int(text) <= MAX_ROUNDS:
            raise line.misread("bad_rounds", 5, found=text, low=0, high=MAX_ROUNDS)
        self.rounds_total = int(text)

    def _first_color(self, line: Line) -> None:
        for column, word in line.words(4):
            color = {"white1": Color.WHITE, "black1": Color.BLACK, "w": Color.WHITE, "b": Color.BLACK}.get(word.lower())
            if color is not None:
                self.first_color = color
            elif word.lower() != "rank":
                raise line.misread("bad_first_color", column, found=word)

    def _points_162(self, line: Line) -> None:
        end = 3
        for match in _POINTS.finditer(line.text, 3):
            if line.text[end : match.start()].strip():
                break
            end = match.end()
            self._set_points(line, match.start() + 1, match.group(1).upper(), match.group(2))
        if rest := line.text[end:].strip():
            raise line.misread("bad_points", line.text.index(rest, end) + 1, found=rest[:20])

    def _points_bb(self, line: Line) -> None:
        letter = {"BBW": "W", "BBD": "D", "BBL": "L", "BBU": "P", "BBZ": "Z", "BBF": "A"}[line.text[:3]]
        self._set_points(line, 5, letter, line.text[3:].strip())

    def _points_xxs(self, line: Line) -> None:
        letters = {"WW": "W", "BW": "W", "W": "W", "WD": "D", "BD": "D", "D": "D", "WL": "L", "BL": "L", "PAB": "P"}
        for column, word in line.words(4):
            name, _, value = word.partition("=")
            if name.upper() in letters:
                self._set_points(line, column, letters[name.upper()], value)

    def _set_points(self, line: Line, column: int, letter: str, text: str) -> None:
        value = line.points(column, text)
        if letter in "AZX" and value != ZERO:
            raise line.misread("unsupported_points", column, found=letter, value=text)
        self.points[letter] = value
        self.points_line = line

    def _virtual_xxa(self, line: Line) -> None:
        number = line.whole(5, 8, "bad_number", 1, MAX_NUMBER)
        self.named.append((line, number))
        for round_number, (column, word) in enumerate(line.words(9), 1):
            if round_number > MAX_ROUNDS:
                raise line.misread("too_many_rounds", column, high=MAX_ROUNDS)
            self.accelerations.setdefault(number, {})[round_number] = line.points(column, word)

    def _virtual_250(self, line: Line) -> None:
        value = line.points(10, line.cut(10, 13))
        first_round = line.whole(15, 17, "bad_round", 1, MAX_ROUNDS)
        last_round = line.whole(19, 21, "bad_round", first_round, MAX_ROUNDS)
        first = line.whole(23, 26, "bad_number", 1, MAX_NUMBER)
        last = line.whole(28, 31, "bad_number", first, MAX_NUMBER)
        self.virtual.append((line, value, range(first_round, last_round + 1), range(first, last + 1)))

    def _forbidden_260(self, line: Line) -> None:
        first = line.whole(5, 7, "bad_round", 1, MAX_ROUNDS)
        last = line.whole(9, 11, "bad_round", first, MAX_ROUNDS)
        self.forbidden.append((line, ForbiddenGroup(tuple(line.numbers(13)), first, last)))

    def _forbidden_xxp(self, line: Line) -> None:
        self.forbidden.append((line, ForbiddenGroup(tuple(line.numbers(4)))))

    def _byes_240(self, line: Line) -> None:
        letter = line.cut(5, 5).upper()
        if letter not in _BYE_LETTERS:
            raise line.misread("bad_bye", 5, found=letter)
        round_number = line.whole(7, 9, "bad_round", 1, MAX_ROUNDS)
        for number in line.numbers(11):
            self.byes.setdefault(round_number, {})[number] = _BYE_LETTERS[letter]
            self.named.append((line, number))

    def _absent(self, line: Line) -> None:
        self.absent.update(line.numbers(4))
        self.named.extend((line, number) for number in line.numbers(4))

    def _dates(self, line: Line) -> None:
        starts = range(FIRST_ROUND_COLUMN, len(line.text) + 1, ROUND_WIDTH)
        self.round_dates = tuple(line.cut(start, start + 7) for start in starts)

    # --- the whole -----------------------------------------------------------------------------------------------

    def finish(self) -> Trf:
        if not self.players:
            raise ImportFileError("trf.no_players", 1)
        self._attach_nationals()
        for line, group in self.forbidden:
            self._known(line, *group.numbers)
        for line, number in self.named:
            self._known(line, number)
        self._lend_virtual_points()
        scoring = self._scoring()
        trf = Trf(
            players=tuple(self.players[number] for number in sorted(self.players)),
            header=self.header,
            rounds_total=self.rounds_total,
            first_color=self.first_color,
            scoring=scoring,
            accelerations={
                number: tuple(rounds.get(index, ZERO) for index in range(1, last + 1))
                for number, rounds in sorted(self.accelerations.items())
                if (last := max((index for index, points in rounds.items() if points), default=0))
            },
            forbidden=tuple(
                # To the last round is the same as for ever.
                replace(group, last_round=0) if group.last_round >= (self.rounds_total or MAX_ROUNDS) else group
                for _, group in self.forbidden
            ),
            byes=self.byes,
            absent=frozenset(self.absent),
            round_dates=self.round_dates,
            comments=tuple(self.comments),
            other=tuple(self.other),
            encoding=self.encoding,
        )
        return replace(trf, remarks=(*self.remarks, *game_remarks(trf), *points_remarks(trf)))

    def _lend_virtual_points(self) -> None:
        """Give the points of 250 lines to the players there are: a range may reach over gaps, or past the last."""
        for line, value, rounds, numbers in self.virtual:
            found = [number for number in self.players if number in numbers]
            if not found:
                raise line.misread("unknown_number", 23, number=numbers.start)
            for number in found:
                self.accelerations.setdefault(number, {}).update(dict.fromkeys(rounds, value))

    def _scoring(self) -> Scoring:
        """Return what results are worth; a system in which a loss pays or a bye beats a win is refused."""
        scoring = Scoring(
            win=self.points.get("W", ONE),
            draw=self.points.get("D", HALF),
            loss=self.points.get("L", ZERO),
            pairing_bye=self.points.get("P", self.points.get("W", ONE)),
        )
        win, draw, loss, bye = scoring.win, scoring.draw, scoring.loss, scoring.pairing_bye
        if self.points_line is not None and not (loss <= draw < win <= 2 * MOST_POINTS and bye <= win):
            told = {name: format_points(points) for name, points in (("win", win), ("draw", draw), ("loss", loss))}
            raise self.points_line.misread("absurd_points", 5, bye=format_points(bye), **told)
        return scoring

    def _known(self, line: Line, *numbers: int) -> None:
        for number in numbers:
            if number not in self.players:
                raise line.misread("unknown_number", 5, number=number)

    def _attach_nationals(self) -> None:
        for line, number, data in self.nationals:
            self._known(line, number)
            player = self.players[number]
            self.players[number] = replace(player, national=(*player.national, data))


_RECORDS: dict[str, Callable[[_Reader, Line], None]] = {
    "132": _Reader._dates,
    "142": _Reader._rounds_total,
    "XXR": _Reader._rounds_total,
    "152": _Reader._first_color,
    "XXC": _Reader._first_color,
    "162": _Reader._points_162,
    **dict.fromkeys(("BBW", "BBD", "BBL", "BBU", "BBZ", "BBF"), _Reader._points_bb),
    "XXS": _Reader._points_xxs,
    "XXA": _Reader._virtual_xxa,
    "250": _Reader._virtual_250,
    "260": _Reader._forbidden_260,
    "XXP": _Reader._forbidden_xxp,
    "240": _Reader._byes_240,
    "XXZ": _Reader._absent,
}
