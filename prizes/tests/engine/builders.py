"""A tiny language for stages: one string a round, ``"1 2 1-0; 3 4 1/2; 5 U"``.

A game is White, Black and the result (``?``: none yet); a bye is the player and its letter.
"""

from __future__ import annotations

from collections.abc import Sequence

from tourney.kernel.colors import Color
from tourney.kernel.ids import EntryId
from tourney.kernel.outcomes import STANDARD, ByeKind, ResultCode, Scoring
from tourney.kernel.records import History, PlayerRecord, RoundRecord


def stage(*rounds: str, ratings: Sequence[int | None] = (), scoring: Scoring = STANDARD) -> History:
    """Return the history of these rounds; who isn't named in a round was absent."""
    parsed = [_round(text, scoring) for text in rounds]
    count = max(max(done) for done in parsed)
    players = []
    for number in range(1, count + 1):
        records = tuple(done.get(number, RoundRecord.of_bye(ByeKind.ZERO, scoring)) for done in parsed)
        rating = ratings[number - 1] if ratings else 2000
        players.append(PlayerRecord(EntryId(number), number, rating, records))
    return History(tuple(players), len(rounds), len(rounds), scoring)


def _round(text: str, scoring: Scoring) -> dict[int, RoundRecord]:
    done: dict[int, RoundRecord] = {}
    for game in text.split(";"):
        words = game.split()
        if len(words) == 2:
            done[int(words[0])] = RoundRecord.of_bye(ByeKind(words[1]), scoring)
            continue
        white, black = int(words[0]), int(words[1])
        if words[2] == "?":
            done[white] = RoundRecord.pending(Color.WHITE, EntryId(black))
            done[black] = RoundRecord.pending(Color.BLACK, EntryId(white))
            continue
        outcome = scoring.outcome(ResultCode(words[2]))
        done[white] = RoundRecord.of_game(outcome, Color.WHITE, EntryId(black))
        done[black] = RoundRecord.of_game(outcome, Color.BLACK, EntryId(white))
    return done
