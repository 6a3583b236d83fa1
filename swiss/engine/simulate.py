"""Made-up tournaments, for tests, rehearsals and measurements: everything follows from the seed.

A simulation plays what clubs really see: forfeits, absences, late entries, withdrawals, byes asked for, forbidden pairs
and acceleration. Each round is paired by `pair_round`, so a simulation is also a way to exercise it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from swiss.engine.baku import baku_points
from swiss.engine.plan import NoValidPairing
from swiss.engine.rounds import pair_round
from swiss.engine.rules import SwissRules
from tourney.kernel.chance import Chance
from tourney.kernel.colors import Color
from tourney.kernel.ids import EntryId
from tourney.kernel.outcomes import ByeKind, Scoring
from tourney.kernel.points import ONE, Points
from tourney.kernel.trf import ForbiddenGroup, Trf, TrfCell, TrfPlayer

THOUSAND = 1000
_BYE_LETTER = {ByeKind.HALF: "H", ByeKind.FULL: "F", ByeKind.ZERO: "Z"}


@dataclass(frozen=True, slots=True)
class Habits:
    """How often things happen, per thousand (players and rounds as the name says)."""

    draw: int = 300
    forfeit: int = 20
    double_forfeit: int = 100  # of the forfeits
    absent: int = 30
    half_bye: int = 15
    full_bye: int = 2
    late: int = 30
    withdraw: int = 10
    forbidden_groups: int = 0
    baku: bool = False
    pairing_bye: Points = ONE


@dataclass
class _Game:
    """The growing tournament: cells by number."""

    ratings: list[int]
    cells: dict[int, list[TrfCell]]
    gone: set[int] = field(default_factory=set)
    enters: dict[int, int] = field(default_factory=dict)


def simulate(players: int, rounds: int, seed: int | str, habits: Habits | None = None) -> Trf:
    """Return a complete tournament; it ends early when a round can't be paired any more."""
    habits = habits or Habits()
    chance = Chance.labelled(seed, f"swiss.simulate/{players}/{rounds}")
    game = _Game(
        ratings=sorted((1200 + chance.below(1300) for _ in range(players)), reverse=True),
        cells={number: [] for number in range(1, players + 1)},
    )
    for number in game.cells:
        if chance.below(THOUSAND) < habits.late:
            game.enters[number] = 2 + chance.below(2)
    scoring = Scoring(pairing_bye=habits.pairing_bye)
    rules = SwissRules(rounds=rounds, scoring=scoring)
    first_color = Color.WHITE if chance.below(2) else Color.BLACK
    forbidden = tuple(
        ForbiddenGroup(tuple(sorted(chance.shuffle(list(game.cells))[: 2 + chance.below(2)])))
        for _ in range(habits.forbidden_groups)
    )
    numbers = {EntryId(number): number for number in game.cells}
    virtual = baku_points(numbers, rounds, scoring) if habits.baku else {}
    accelerations = {int(entry): tuple(points) for entry, points in virtual.items()}

    def report() -> Trf:
        return Trf(
            players=tuple(
                TrfPlayer(
                    number=number,
                    name=f"Player {number:04}",
                    sex="m",
                    rating=game.ratings[number - 1],
                    cells=tuple(cells),
                )
                for number, cells in game.cells.items()
            ),
            header={"012": f"Simulation, seed {seed}", "092": "Individual: Swiss-System", "192": "FIDE_DUTCH"},
            rounds_total=rounds,
            first_color=first_color,
            scoring=scoring,
            accelerations=accelerations,
            forbidden=forbidden,
        )

    for number in range(1, rounds + 1):
        trf = report()
        absent = _absences(game, habits, chance, number)
        try:
            plan = pair_round(
                trf.history(number - 1),
                rules,
                absent=absent,
                first_color=first_color,
                forbidden=trf.forbidden_pairs(number),
                virtual_points=trf.virtual_points(rounds),
            )
        except NoValidPairing:
            break
        for bye in plan.byes:
            letter = "U" if bye.kind is ByeKind.PAIRING else _BYE_LETTER[bye.kind]
            game.cells[bye.entry].append(TrfCell(result=letter))
        for pairing in plan.pairings:
            white, black = _result(game.ratings, pairing.white, pairing.black, habits, chance)
            game.cells[pairing.white].append(TrfCell(pairing.black, Color.WHITE, white))
            game.cells[pairing.black].append(TrfCell(pairing.white, Color.BLACK, black))
    return _with_points(report())


def _absences(game: _Game, habits: Habits, chance: Chance, number: int) -> dict[EntryId, ByeKind]:
    absent: dict[EntryId, ByeKind] = {}
    for player in game.cells:
        if player in game.gone or number < game.enters.get(player, 1):
            absent[EntryId(player)] = ByeKind.ZERO
            continue
        die = chance.below(THOUSAND)
        if number > 1 and die < habits.withdraw:
            game.gone.add(player)
            absent[EntryId(player)] = ByeKind.ZERO
        elif (die := die - habits.withdraw) < habits.absent:
            absent[EntryId(player)] = ByeKind.ZERO
        elif (die := die - habits.absent) < habits.half_bye:
            absent[EntryId(player)] = ByeKind.HALF
        elif die - habits.half_bye < habits.full_bye:
            absent[EntryId(player)] = ByeKind.FULL
    return absent


def _result(ratings: list[int], white: int, black: int, habits: Habits, chance: Chance) -> tuple[str, str]:
    if chance.below(THOUSAND) < habits.forfeit:
        if chance.below(THOUSAND) < habits.double_forfeit:
            return "-", "-"
        return ("+", "-") if chance.below(2) else ("-", "+")
    if chance.below(THOUSAND) < habits.draw:
        return "=", "="
    # A straight line is near enough to the expectancy curve: 400 points more win nine games of ten.
    advantage = max(-450, min(450, ratings[white - 1] - ratings[black - 1] + 35))
    return ("1", "0") if chance.below(THOUSAND) < 500 + advantage else ("0", "1")


def _with_points(trf: Trf) -> Trf:
    """Fill in the points and the places (by points, then number) that a report carries."""
    scores = {player.number: player.score for player in trf.history().players}
    order = sorted(scores, key=lambda number: (-scores[number], number))
    players = tuple(
        TrfPlayer(
            number=player.number,
            name=player.name,
            sex=player.sex,
            rating=player.rating,
            points=scores[player.number],
            rank=order.index(player.number) + 1,
            cells=player.cells,
        )
        for player in trf.players
    )
    return Trf(
        players=players,
        header=trf.header,
        rounds_total=trf.rounds_total,
        first_color=trf.first_color,
        scoring=trf.scoring,
        accelerations=trf.accelerations,
        forbidden=trf.forbidden,
    )
