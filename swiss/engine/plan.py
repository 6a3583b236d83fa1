"""The values a paired round is made of."""

from __future__ import annotations

from dataclasses import dataclass

from tourney.kernel.errors import TourneyError
from tourney.kernel.ids import EntryId
from tourney.kernel.outcomes import ByeKind


@dataclass(frozen=True, slots=True)
class Pairing:
    """A game to be played: board numbers count from 1."""

    board: int
    white: EntryId
    black: EntryId


@dataclass(frozen=True, slots=True)
class Bye:
    """An entry without an opponent in the round, and why."""

    entry: EntryId
    kind: ByeKind


@dataclass(frozen=True, slots=True)
class RoundPlan:
    """A whole round: pairings in board order, then the byes (the pairing's own first).

    `given_up` are the wishes to keep two players apart that left no pairing, the most important first.
    """

    number: int
    pairings: tuple[Pairing, ...]
    byes: tuple[Bye, ...] = ()
    given_up: tuple[frozenset[EntryId], ...] = ()

    @property
    def pairing_bye(self) -> EntryId | None:
        """Who got the bye given by the pairing, if anybody."""
        return next((bye.entry for bye in self.byes if bye.kind is ByeKind.PAIRING), None)


class NoValidPairing(TourneyError):
    """No pairing keeps the absolute rules.

    Codes: ``pairing.no_valid_pairing`` with `entries` (who is left over in a largest possible pairing, in standing
    order), `blocked` (for each of them: entry, then how many possible opponents are out by C1, by forbidden pairs and
    by C3) and `lifting` (the rules, any one of which lifted makes the round possible: "C1", "C2", "C3", "forbidden");
    ``pairing.too_few`` when fewer than two players are there.
    """
