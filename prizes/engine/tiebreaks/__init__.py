"""Tie-breaks of FIDE C.07, exact and explained: codes, values, and the function that works one out for a whole stage.

| codes | article | module |
|---|---|---|
| DE | 6 | `direct` |
| PTS WIN WON BPG BWG PS REP STD KS | 5, 7, 9.2 | `own_results` |
| BH FB AOB SB with cuts and medians | 8, 9.1, 14–16 | `buchholz`, on the adjusted scores of `crosstable` |
| ARO TPR PTP APRO APPO RTNG TPN LOT | 10, 11 | `performance`, with the tables of `fide_tables` |

The editions of 2023/24 and March 2026, and the virtual opponent of the rules before. Not done: team tie-breaks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from prizes.engine.tiebreaks import buchholz, own_results, performance
from prizes.engine.tiebreaks.codes import (
    EDITIONS,
    KINDS,
    SYSTEMS,
    Edition,
    System,
    TieBreak,
    allowed_tiebreaks,
    parse_order,
    parse_tiebreak,
)
from prizes.engine.tiebreaks.crosstable import Crosstable
from prizes.engine.tiebreaks.direct import direct_encounter
from prizes.engine.tiebreaks.values import Cut, Part, Source, TieBreakValue, ValueColumn, format_value
from tourney.kernel.errors import RuleError
from tourney.kernel.ids import EntryId

__all__ = [
    "EDITIONS",
    "KINDS",
    "SYSTEMS",
    "Crosstable",
    "Cut",
    "Edition",
    "Part",
    "RankingOptions",
    "Source",
    "System",
    "TieBreak",
    "TieBreakValue",
    "ValueColumn",
    "allowed_tiebreaks",
    "direct_encounter",
    "format_value",
    "parse_order",
    "parse_tiebreak",
    "values_of",
]


@dataclass(frozen=True, slots=True)
class RankingOptions:
    """What an event may decide about its tie-breaks beside their order."""

    absences_cut_first: bool = True  # 16.5; False is the opting out of 16.6
    lots: Mapping[EntryId, int] = field(default_factory=dict)  # numbers drawn for LOT, the lowest wins


NO_OPTIONS = RankingOptions()

_PLAIN: dict[str, Callable[[Crosstable, TieBreak], ValueColumn]] = {
    "PTS": own_results.points,
    "STD": own_results.standard_points,
    "PS": own_results.progressive,
    "KS": own_results.koya,
    "WIN": own_results.counted,
    "WON": own_results.counted,
    "BPG": own_results.counted,
    "BWG": own_results.counted,
    "REP": own_results.counted,
    "AOB": buchholz.average_of_opponents,
    "ARO": performance.average_rating,
    "TPR": performance.performance,
    "PTP": performance.performance,
    "APRO": performance.average_performance,
    "APPO": performance.average_performance,
}


def values_of(table: Crosstable, tiebreak: TieBreak, options: RankingOptions = NO_OPTIONS) -> ValueColumn:
    """Return one tie-break for every player, in the order of the table's players.

    Direct encounter is no number and has its own function. Raises RuleError ``tiebreak.lot_missing`` when LOT is asked
    for and somebody has none.
    """
    exception = options.absences_cut_first
    match tiebreak.kind.name:
        case "BH":
            return buchholz.buchholz(table, tiebreak, exception=exception)
        case "FB":
            return buchholz.fore_buchholz(table, tiebreak, exception=exception)
        case "SB":
            return buchholz.sonneborn_berger(table, tiebreak, exception=exception)
        case "RTNG":
            return performance.given(tiebreak, table.ratings)
        case "TPN":
            return performance.given(tiebreak, [player.number for player in table.players])
        case "LOT":
            return performance.given(tiebreak, _lots(table, options))
        case name:
            return _PLAIN[name](table, tiebreak)


def _lots(table: Crosstable, options: RankingOptions) -> Sequence[int]:
    for player in table.players:
        if player.entry not in options.lots:
            raise RuleError("options.lots", "tiebreak.lot_missing", entry=player.entry)
    return [options.lots[player.entry] for player in table.players]
