"""Writing report files: TRF16 columns with the records of TRF26, in UTF-8 with columns counted in characters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tourney.kernel.colors import Color
from tourney.kernel.outcomes import STANDARD, ByeKind
from tourney.kernel.points import Points
from tourney.kernel.trf.values import NationalData, Trf, TrfCell, TrfPlayer

_HEADER_ORDER = ("012", "022", "032", "042", "052", "062", "072", "082", "092", "102", "112", "122")
_HEADER_ORDER_26 = ("172", "182", "192", "202", "212", "222", "352", "362")
_BYE_LETTERS = {ByeKind.HALF: "H", ByeKind.FULL: "F", ByeKind.ZERO: "Z", ByeKind.PAIRING: "U"}


def dump(trf: Trf) -> str:
    """Return the report as text; `parse` of its UTF-8 bytes gives the same tournament."""
    return "".join(f"{line.rstrip()}\n" for line in _lines(trf))


def _lines(trf: Trf) -> Iterator[str]:
    yield from _header(trf, _HEADER_ORDER)
    if trf.round_dates:
        yield f"{'132':<91}" + "  ".join(f"{date:<8}" for date in trf.round_dates)
    if trf.rounds_total:
        yield f"142 {trf.rounds_total}"
    if trf.first_color is not None:
        yield f"152 {'W' if trf.first_color is Color.WHITE else 'B'}"
    yield from _scoring(trf)
    yield from _header(trf, _HEADER_ORDER_26)
    for comment in trf.comments:
        yield f"### {comment}"
    for player in trf.players:
        yield _player(player)
        for national in player.national:
            yield _national(player.number, national)
    yield from _settings(trf)
    yield from trf.other


def _header(trf: Trf, codes: tuple[str, ...]) -> Iterator[str]:
    for code in codes:
        if code in trf.header:
            for value in trf.header[code].split("\n"):
                yield f"{code} {value}"


def _points(points: Points) -> str:
    return f"{points // 2}.{5 * (points % 2)}"


def _scoring(trf: Trf) -> Iterator[str]:
    if trf.scoring != STANDARD:
        values = (trf.scoring.win, trf.scoring.draw, trf.scoring.loss, trf.scoring.pairing_bye)
        yield "162 " + "".join(f" {letter}{_points(value):>4}   " for letter, value in zip("WDLP", values, strict=True))


def _player(player: TrfPlayer) -> str:
    points = "" if player.points is None else _points(player.points)
    head = (
        f"001 {player.number:>4} {player.sex:1}{player.title[:3]:>3} {player.name[:33]:<33} {player.rating or '':>4} "
        f"{player.federation[:3]:<3} {player.fide_id[:11]:>11} {player.birth[:10]:<10} "
        f"{points:>4} {player.rank or '':>4}"
    )
    return head + "".join(f"  {_cell(cell)}" for cell in player.cells)


def _cell(cell: TrfCell) -> str:
    if not cell.is_game:
        return f"0000 - {cell.result}"
    return f"{cell.opponent:>4} {cell.color or '-'} {cell.result or ' '}"


def _national(number: int, national: NationalData) -> str:
    return (
        f"{national.federation:<3} {number:>4}  {national.title[:3]:>3} {national.name[:33]:<33} "
        f"{national.rating or '':>4}     {national.number[:11]:>11}"
    )


VirtualRun = tuple[Points, int, int, int, int]  # points, first and last round, first and last number


def virtual_runs(accelerations: Mapping[int, tuple[Points, ...]]) -> Iterator[VirtualRun]:
    """Yield one run, as record 250 has it, for every range of rounds and numbers with the same virtual points."""
    open_runs: dict[tuple[int, int, Points], list[int]] = {}
    for number, values in sorted(accelerations.items()):
        for first, last, points in _runs(values):
            open_runs.setdefault((first, last, points), []).append(number)
    for (first, last, points), numbers in open_runs.items():
        start = numbers[0]
        for index, number in enumerate(numbers):
            if index + 1 == len(numbers) or numbers[index + 1] != number + 1:
                yield points, first, last, start, number
                start = numbers[index + 1] if index + 1 < len(numbers) else 0


def _runs(values: tuple[Points, ...]) -> Iterator[tuple[int, int, Points]]:
    first = 1
    for index, points in enumerate(values, 1):
        if index == len(values) or values[index] != points:
            if points:
                yield first, index, points
            first = index + 1


def _settings(trf: Trf) -> Iterator[str]:
    for round_number, byes in sorted(trf.byes.items()):
        for kind, letter in _BYE_LETTERS.items():
            numbers = sorted(number for number, given in byes.items() if given is kind)
            if numbers:
                yield f"240 {letter} {round_number:>3} " + " ".join(f"{number:>4}" for number in numbers)
    for points, first, last, start, end in virtual_runs(trf.accelerations):
        yield f"250      {_points(points):>4} {first:>3} {last:>3} {start:>4} {end:>4}"
    for group in trf.forbidden:
        last_round = group.last_round or trf.rounds_total
        players = " ".join(f"{number:>4}" for number in group.numbers)
        yield f"260 {group.first_round:>3} {last_round:>3} {players}" if last_round else f"XXP {players}"
    if trf.absent:
        yield "XXZ " + " ".join(str(number) for number in sorted(trf.absent))
