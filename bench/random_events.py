"""Random finished tournaments for the comparison of tie-breaks: everything follows from a seed.

Half of the Swiss events are paired by the engine with habits of real life turned up (absences, byes, forfeits, late
entries, withdrawals); the other half is *wild*: who meets whom and what happens is drawn, so that players meet twice,
byes pile up and odd results stand next to each other. Round robins follow the Berger table, in one or two cycles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from swiss.engine.berger import berger_table
from swiss.engine.simulate import Habits, simulate
from tourney.kernel.chance import Chance
from tourney.kernel.colors import Color
from tourney.kernel.outcomes import Scoring
from tourney.kernel.points import HALF, ONE, ZERO, Points
from tourney.kernel.trf import Trf, TrfCell, TrfPlayer

THOUSAND = 1000
FORFEITS = ("+-", "+-", "-+", "-+", "--")
FOOTBALL = Scoring(win=Points(6), draw=Points(2), loss=ZERO, pairing_bye=Points(6))  # three points, one, none


@dataclass(frozen=True, slots=True)
class Event:
    """A finished tournament, how it was played, and the rating to take for players without one."""

    trf: Trf
    system: str
    unrated: int | None
    kind: str


def event(seed: int, low: int, high: int, attempt: int = 0) -> Event:
    """Return the event of a seed; sizes are spread evenly over their logarithms."""
    chance = Chance.labelled(seed, f"bench.tiebreaks/{attempt}")

    def one_of(*values: Any) -> Any:
        return values[chance.below(len(values))]

    def size(least: int, most: int) -> int:
        return round(least * (most / least) ** (chance.below(10**6) / 10**6))

    kind = one_of("paired", "paired", "wild", "wild", "round_robin")
    if kind == "round_robin":
        trf = _round_robin(chance, size(3, min(high, 24)), one_of(1, 1, 2), one_of(0, 40, 150), one_of(0, 0, 150))
        system = "round_robin"
    else:
        players = size(low, high)
        rounds = min(one_of(3, 4, 5, 6, 7, 9, 9, 11), max(3, players - 1))
        bye = one_of(ONE, ONE, ONE, HALF, ZERO)
        make = _paired if kind == "paired" else _wild
        trf = make(chance, players, rounds, bye)
        system = "swiss"
    if not any(_is_played(cell) for player in trf.players for cell in player.cells):
        return event(seed, low, high, attempt + 1)  # nobody was there: no event
    if chance.below(100) < 10 and kind == "wild":
        trf = replace(trf, scoring=FOOTBALL)
    unrated = None
    if chance.below(100) < 30:
        unrated = one_of(1000, 1400)
        gone = {player.number for player in trf.players if chance.below(100) < 25}
        trf = replace(
            trf, players=tuple(replace(p, rating=None if p.number in gone else p.rating) for p in trf.players)
        )
    return Event(_finished(trf, seed, kind), system, unrated, kind)


def _paired(chance: Chance, players: int, rounds: int, bye: Points) -> Trf:
    def one_of(*values: int) -> int:
        return values[chance.below(len(values))]

    habits = Habits(
        draw=one_of(100, 300, 600),
        forfeit=one_of(0, 30, 150),
        double_forfeit=one_of(100, 400),
        absent=one_of(0, 30, 150),
        half_bye=one_of(0, 15, 100),
        full_bye=one_of(0, 5, 50),
        late=one_of(0, 30, 200),
        withdraw=one_of(0, 10, 80),
        pairing_bye=bye,
    )
    return simulate(players, rounds, chance.below(2**40), habits)


def _wild(chance: Chance, players: int, rounds: int, bye: Points) -> Trf:
    """Return an event in which chance pairs, and everything that can happen to a round happens."""
    away = (0, 100, 400)[chance.below(3)]
    forfeit = (0, 80, 300)[chance.below(3)]
    drawn = (100, 300, 700)[chance.below(3)]
    cells: dict[int, list[TrfCell]] = {number: [] for number in range(1, players + 1)}
    for _ in range(rounds):
        numbers = chance.shuffle(list(cells))
        kept = numbers[:2] + [number for number in numbers[2:] if chance.below(THOUSAND) >= away]
        for number in set(numbers) - set(kept):
            cells[number].append(TrfCell(result="HHZZZF"[chance.below(6)]))
        if len(kept) % 2:
            cells[kept.pop()].append(TrfCell(result="U"))
        for index in range(0, len(kept), 2):
            white, black = kept[index : index + 2]
            # The first game of a round is played, so that there is no doubt that the round was.
            results = _result(chance, drawn, forfeit if index else 0)
            _add(cells, white, black, results)
    return _report(chance, cells, Scoring(pairing_bye=bye), "Individual: Swiss-System", "FIDE_DUTCH")


def _round_robin(chance: Chance, players: int, cycles: int, forfeit: int, leaving: int) -> Trf:
    cells: dict[int, list[TrfCell]] = {number: [] for number in range(1, players + 1)}
    table = berger_table(players, cycles)
    leaves = {number: 2 + chance.below(len(table)) for number in cells if chance.below(THOUSAND) < leaving}
    for number, one in enumerate(table, start=1):
        met = set()
        for index, (white, black) in enumerate(one.pairs):
            white_gone, black_gone = (number >= leaves.get(player, len(table) + 1) for player in (white, black))
            if white_gone or black_gone:
                results = ("-" if white_gone else "+", "-" if black_gone else "+")
            else:
                results = _result(chance, 400, forfeit if index else 0)
            _add(cells, white, black, results)
            met |= {white, black}
        for player in set(cells) - met:
            cells[player].append(TrfCell(result="Z"))
    return _report(chance, cells, Scoring(), "Individual: Round-Robin", "FIDE_ROUNDROBIN")


def _result(chance: Chance, drawn: int, forfeit: int) -> Sequence[str]:
    if chance.below(THOUSAND) < forfeit:
        return FORFEITS[chance.below(len(FORFEITS))]
    if chance.below(THOUSAND) < drawn:
        return "=="
    return ("10", "01")[chance.below(2)] if chance.below(40) else ("WL", "LW")[chance.below(2)]  # short and unrated


def _add(cells: dict[int, list[TrfCell]], white: int, black: int, results: Sequence[str]) -> None:
    cells[white].append(TrfCell(black, Color.WHITE, results[0]))
    cells[black].append(TrfCell(white, Color.BLACK, results[1]))


def _report(chance: Chance, cells: dict[int, list[TrfCell]], scoring: Scoring, system: str, code: str) -> Trf:
    ratings = sorted((1000 + chance.below(1800) for _ in cells), reverse=True)
    players = tuple(
        TrfPlayer(number, f"Player {number:04}", "m", rating=rating, cells=tuple(cells[number]))
        for number, rating in zip(cells, ratings, strict=True)
    )
    return Trf(players, {"092": system, "192": code}, first_color=Color.WHITE, scoring=scoring)


def _is_played(cell: TrfCell) -> bool:
    return cell.is_game and cell.result not in "+-"


def _finished(trf: Trf, seed: int, kind: str) -> Trf:
    """Return the report with the points and places it claims; a Swiss ends after its last played round."""
    rounds = range(1, max(len(player.cells) for player in trf.players) + 1)
    done = len(rounds)
    if kind != "round_robin":
        done = max(n for n in rounds for player in trf.players if _is_played(player.cells[n - 1]))
    players = tuple(replace(player, cells=player.cells[:done]) for player in trf.players)
    trf = replace(trf, players=players, rounds_total=done, accelerations={}, forbidden=())
    scores = {player.number: player.score for player in trf.history().players}
    order = sorted(scores, key=lambda number: (-scores[number], number))
    places = {number: place for place, number in enumerate(order, start=1)}
    players = tuple(replace(one, points=scores[one.number], rank=places[one.number]) for one in trf.players)
    return replace(trf, players=players, header={**trf.header, "012": f"{kind}, seed {seed}"})
