"""A paired round and the reasons for it as plain data, ready for JSON: every fact a field of its own.

Players are pairing numbers, scores are points (``2.5``), colours ``"w"`` and ``"b"``, rules are cited by their numbers
(``"C.04.3, 5.2.1"``). The values of a criterion are numbers of players (C6, C9–C17), points (C5), lists of points (C7,
C18–C21), or both (C8: ``{"unpaired": 1, "scores": [2.5]}``).
"""

from __future__ import annotations

from typing import Any

from swiss.engine.articles import cite, cite_rule
from swiss.engine.dutch.values import Value
from swiss.engine.explain import Explanation, PlayerView, Reason
from swiss.engine.outline import Floater, outline, stays
from swiss.engine.plan import RoundPlan
from swiss.engine.wording import FLOATED, SCORES, reason_text
from tourney.kernel.ids import EntryId
from tourney.kernel.points import Points

Data = dict[str, Any]


def plan_data(plan: RoundPlan) -> Data:
    """Return a round: its pairings in board order, and who has none."""
    return {
        "round": plan.number,
        "pairings": [
            {"board": pairing.board, "white": pairing.white, "black": pairing.black} for pairing in plan.pairings
        ],
        "byes": [{"player": bye.entry, "kind": str(bye.kind)} for bye in plan.byes],
    }


def brackets_data(explanation: Explanation) -> list[Data]:
    """Return the brackets from the top, each with the values of C6 to C21 it has."""
    found = []
    for view in explanation.brackets():
        shape = outline(explanation, view.number)
        found.append(
            {
                "bracket": view.number,
                "score": _points(view.score),
                "residents": list(view.residents),
                "moved_down": [_floater(one) for one in shape.moved_down],
                "pairs": [{"higher": higher, "lower": lower} for higher, lower in view.pairs],
                "floaters": [_floater(one) for one in shape.floaters],
                "values": {rule: value_data(rule, value) for rule, value in view.values.items()},
            }
        )
    return found


def bye_data(explanation: Explanation) -> Data | None:
    """Return who got the bye of the pairing, None when nobody did."""
    view = explanation.bye()
    if view is None:
        return None
    return {
        "player": view.entry,
        "score": _points(view.score),
        "unplayed": view.unplayed,
        "barred": list(view.barred),
        "rule": cite("C5"),
    }


def player_data(explanation: Explanation, entry: EntryId) -> Data:
    """Return one player's round: ``"outcome"`` is "pair", "bye" (of the pairing) or "not_paired"."""
    view, bye = explanation.pair(entry), explanation.bye()
    if view is not None:
        shape = outline(explanation, view.bracket)
        own = (view.higher.entry, view.lower.entry)
        return {
            "player": entry,
            "outcome": "pair",
            "bracket": view.bracket,
            "bracket_score": _points(shape.score),
            "residents": shape.residents,
            "higher": _side(view.higher),
            "lower": _side(view.lower),
            "floats": [
                _float_above(explanation, view.bracket - 1, one) for one in shape.moved_down if one.entry in own
            ],
            "color_rule": cite(view.color_reason),
        }
    if bye is not None and bye.entry == entry:
        return {"player": entry, "outcome": "bye", "bye": bye_data(explanation)}
    return {"player": entry, "outcome": "not_paired"}


def against_data(entry: EntryId, other: EntryId | None, reason: Reason | None) -> Data:
    """Return why a player doesn't meet another (None: doesn't get the bye).

    ``"rule"`` is the first one in which that is worse ("" when just that was paired), with the value as it was paired
    and the value it would have otherwise (both None for rules that have none), and the rule in words.
    """
    found: Data = {"player": entry, "against": "bye" if other is None else other, "text": reason_text(reason)}
    if reason is None:
        return found | {"rule": "", "article": "", "bracket": None, "as_paired": None, "otherwise": None}
    differ = reason.value != reason.other
    return found | {
        "rule": reason.rule,
        "article": cite_rule(reason.rule),
        "bracket": reason.bracket or None,
        "as_paired": value_data(reason.rule, reason.value) if differ else None,
        "otherwise": value_data(reason.rule, reason.other) if differ else None,
    }


def value_data(rule: str, value: Value) -> Any:
    """Return a criterion's value: what counts players as a number, scores in points."""
    if rule == "C8" and not isinstance(value, int):
        count, *scores = value or (0,)
        return {"unpaired": count, "scores": [_points(score) for score in scores]}
    if rule not in SCORES:
        return value if isinstance(value, int) else list(value)
    return _points(value) if isinstance(value, int) else [_points(score) for score in value]


def _points(half_points: Points | int) -> float:
    return half_points / 2


def _floater(one: Floater) -> Data:
    return {
        "player": one.entry,
        "from_score": _points(one.from_score),
        "reason": one.reason,
        "text": FLOATED[one.reason],
        "gets_bye": one.gets_bye,
    }


def _float_above(explanation: Explanation, number: int, one: Floater) -> Data:
    """Return a player who came down, and for the only one who did why those ranked lower stayed."""
    staying = [against_data(other, None, reason) | {"against": "float"} for other, reason in stays(explanation, number)]
    return _floater(one) | {"from_bracket": number, "stayed": staying}


def _side(view: PlayerView) -> Data:
    return {
        "player": view.entry,
        "score": _points(view.score),
        "moved_down": view.moved_down,
        "half": view.half,
        "place": view.place,
        "color": view.color,
        "colors": "".join(view.colors),
        "preference": view.preference,
        "strength": view.strength.name.lower(),
    }
