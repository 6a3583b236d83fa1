"""Pairing cards: all that C.04.3 needs to know about a player before a round.

Colours come from games really played, compressed (a forfeit has none). Floats are looked up round by round (art. 1.4):
a game against another score, the pairing's bye, or points without playing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum

from tourney.kernel.colors import Color
from tourney.kernel.ids import EntryId
from tourney.kernel.points import Points
from tourney.kernel.records import History, PlayerRecord, RoundKind, RoundRecord


class Strength(IntEnum):
    """How strong a colour preference is (art. 1.6.2)."""

    NONE = 0
    MILD = 1
    STRONG = 2
    ABSOLUTE = 3


class Float(StrEnum):
    """A float of an earlier round (art. 1.4)."""

    NONE = ""
    DOWN = "D"
    UP = "U"


@dataclass(frozen=True, slots=True)
class Card:
    """A player as the pairing sees him. `score` includes virtual points, `points` doesn't."""

    entry: EntryId
    number: int
    score: int
    points: int
    colors: tuple[Color, ...]
    difference: int  # games with White minus games with Black
    preference: Color | None
    strength: Strength
    repeated: Color | None  # the colour of the last two games, when it is one
    last_float: Float
    float_before: Float  # two rounds ago
    may_get_bye: bool  # C2
    games: int
    met: frozenset[EntryId]
    is_odd: bool  # parity of the pairing number among those who were ever paired (art. 5.2.5)

    @property
    def order(self) -> tuple[int, int]:
        """Sorting key of art. 1.2: score, then pairing number."""
        return (-self.score, self.number)

    @property
    def is_absolute(self) -> bool:
        return self.strength is Strength.ABSOLUTE


VirtualPoints = Mapping[EntryId, Sequence[Points]]


def build_cards(
    history: History, present: frozenset[EntryId], virtual: VirtualPoints | None = None
) -> tuple[Card, ...]:
    """Return the cards of those who are to be paired, in order of score and pairing number."""
    virtual = virtual or {}
    scores = _scores_before(history, virtual)
    parity = _parities(history, present)
    cards = [_card(history, player, scores, virtual, parity) for player in history.players if player.entry in present]
    return tuple(sorted(cards, key=lambda card: card.order))


def was_paired(record: RoundRecord) -> bool:
    """Return whether the player took part in the pairing of a round: a game (played or not) or the pairing's bye."""
    return record.opponent is not None or record.kind is RoundKind.PAIRING_BYE


def _parities(history: History, present: frozenset[EntryId]) -> dict[EntryId, bool]:
    # Who was never paired has no pairing number yet, so the numbers of those behind him close up.
    numbered = [
        player
        for player in sorted(history.players, key=lambda player: player.number)
        if player.entry in present or any(was_paired(record) for record in player.rounds)
    ]
    return {player.entry: index % 2 == 0 for index, player in enumerate(numbered)}


def _scores_before(history: History, virtual: VirtualPoints) -> dict[EntryId, tuple[int, ...]]:
    """Return every player's score before rounds 1, 2, … with the virtual points of that round."""
    table = {}
    for player in history.players:
        extra = virtual.get(player.entry, ())
        total = 0
        scores = []
        for index in range(history.rounds_done + 1):
            scores.append(total + (extra[index] if index < len(extra) else 0))
            if index < history.rounds_done:
                total += player.rounds[index].points
        table[player.entry] = tuple(scores)
    return table


def _card(
    history: History,
    player: PlayerRecord,
    scores: Mapping[EntryId, tuple[int, ...]],
    virtual: VirtualPoints,
    parity: Mapping[EntryId, bool],
) -> Card:
    played = [record for record in player.rounds if record.kind is RoundKind.PLAYED]
    colors = tuple(record.color for record in played if record.color is not None)
    difference = sum(1 if color is Color.WHITE else -1 for color in colors)
    repeated = colors[-1] if len(colors) > 1 and colors[-1] is colors[-2] else None
    preference, strength = _preference(colors, difference, repeated)
    return Card(
        entry=player.entry,
        number=player.number,
        score=scores[player.entry][-1],
        points=player.score,
        colors=colors,
        difference=difference,
        preference=preference,
        strength=strength,
        repeated=repeated,
        last_float=_float(history, player, scores, 1),
        float_before=_float(history, player, scores, 2),
        may_get_bye=not any(_bars_bye(record, history.scoring.win) for record in player.rounds),
        games=len(played),
        met=frozenset(record.opponent for record in played if record.opponent is not None),
        is_odd=parity[player.entry],
    )


def _preference(colors: tuple[Color, ...], difference: int, repeated: Color | None) -> tuple[Color | None, Strength]:
    if not colors:
        return None, Strength.NONE
    if abs(difference) > 1:
        return (Color.BLACK if difference > 0 else Color.WHITE), Strength.ABSOLUTE
    if repeated is not None:
        return repeated.other, Strength.ABSOLUTE
    if difference:
        return (Color.BLACK if difference > 0 else Color.WHITE), Strength.STRONG
    return colors[-1].other, Strength.MILD


def _bars_bye(record: RoundRecord, win: Points) -> bool:
    """C2: a bye of the pairing, or a whole win's points in one round without playing."""
    if record.kind is RoundKind.PAIRING_BYE:
        return True
    return record.kind not in (RoundKind.PLAYED, RoundKind.PENDING) and record.points >= win


def _float(
    history: History, player: PlayerRecord, scores: Mapping[EntryId, tuple[int, ...]], rounds_back: int
) -> Float:
    if history.rounds_done < rounds_back:
        return Float.NONE
    index = history.rounds_done - rounds_back
    record = player.rounds[index]
    if record.kind is RoundKind.PLAYED and record.opponent is not None:
        own, other = scores[player.entry][index], scores[record.opponent][index]
        return Float.DOWN if own > other else Float.UP if own < other else Float.NONE
    if record.kind is RoundKind.PAIRING_BYE or record.points > history.scoring.loss:
        return Float.DOWN
    return Float.NONE
