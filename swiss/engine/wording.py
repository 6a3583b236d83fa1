"""English words for the command line's explanations. The web pages have their own, translated ones."""

from __future__ import annotations

from swiss.engine.dutch.cards import Strength
from swiss.engine.dutch.colors import ColorReason
from swiss.engine.dutch.values import Value
from swiss.engine.explain import PairView, PlayerView, Reason
from swiss.engine.outline import FEWER, NOBODY_LEFT, ODD, Outline
from tourney.kernel.points import format_points

CRITERIA = {
    "C1": "they have already met",
    "C2": "has had a bye of the pairing, or a whole point without playing",
    "C3": "both must have the same colour",
    "C4": "the players who are left could not all be paired any more",
    "C5": "score of the player who gets the bye",
    "C6": "downfloaters of the bracket",
    "C7": "scores of the downfloaters",
    "C8": "unpaired players of the next bracket and their scores",
    "C9": "unplayed games of the player who gets the bye",
    "C10": "topscorers or their opponents with a colour difference above two",
    "C11": "topscorers or their opponents with one colour three times running",
    "C12": "players without the colour they should have",
    "C13": "players without the colour they strongly should have",
    "C14": "downfloaters who floated down in the last round",
    "C15": "opponents of moved-down players who floated up in the last round",
    "C16": "downfloaters who floated down two rounds ago",
    "C17": "opponents of moved-down players who floated up two rounds ago",
    "C18": "scores of those who floated down in the last round and do again",
    "C19": "score differences for those who floated up in the last round",
    "C20": "scores of those who floated down two rounds ago and do again",
    "C21": "score differences for those who floated up two rounds ago",
}
SCORES = frozenset(("C5", "C7", "C18", "C19", "C20", "C21"))
_COLOR_REASONS = {
    ColorReason.BOTH_PREFERENCES: "both get the colour they should have",
    ColorReason.STRONGER_PREFERENCE: "the stronger preference is granted",
    ColorReason.LAST_DIFFERENCE: "the colours of the last round in which they had different ones are exchanged",
    ColorReason.HIGHER_RANKED: "the preference of the higher ranked player is granted",
    ColorReason.NUMBER_PARITY: "no preferences: the pairing number decides",
}
FLOATED = {
    NOBODY_LEFT: "there was nobody left whom this player may meet",
    ODD: "the number of players there was odd",
    FEWER: "the rules left fewer pairs than the number of players allows",
}
_STRENGTHS = {Strength.NONE: "no", Strength.MILD: "mild", Strength.STRONG: "strong", Strength.ABSOLUTE: "absolute"}
_COLORS = {"w": "White", "b": "Black"}


def value_text(rule: str, value: Value) -> str:
    """Return a criterion's value: numbers of players as they are, scores in points."""
    if isinstance(value, int):
        return format_points(value) if rule in SCORES else str(value)
    if rule == "C8":
        count, *scores = value
        return f"{count} ({', '.join(map(format_points, scores))})" if scores else str(count)
    return ", ".join(map(format_points, value)) if value else "nobody"


def player_text(view: PlayerView) -> str:
    """Return one player of a pair: score, place in the bracket, colours so far and the preference."""
    where = "moved down" if view.moved_down else "resident"
    colors = "".join(color.upper() for color in view.colors) or "none"
    wish = f"{_STRENGTHS[view.strength]} preference"
    if view.preference is not None:
        wish += f" for {_COLORS[view.preference]}"
    return f"{format_points(view.score)} points, {where}, {view.half}-{view.place}, colours {colors}, {wish}"


def bracket_lines(shape: Outline) -> list[str]:
    """Return what a bracket is: its score, who came down into it and why."""
    lines = [f"bracket {shape.number}: {shape.residents} residents with {format_points(shape.score)} points"]
    lines += [
        f"{one.entry} moved down from {format_points(one.from_score)} points: {FLOATED[one.reason]}"
        for one in shape.moved_down
    ]
    return lines


def pair_lines(view: PairView) -> list[str]:
    """Return the explanation of a pair, line by line."""
    return [
        f"{view.higher.entry} has {_COLORS[view.higher.color]}: {player_text(view.higher)}",
        f"{view.lower.entry} has {_COLORS[view.lower.color]}: {player_text(view.lower)}",
        f"colours by article {view.color_reason}: {_COLOR_REASONS[view.color_reason]}",
    ]


def reason_text(reason: Reason | None) -> str:
    """Return why another pairing was not chosen."""
    if reason is None:
        return "this is how it was paired"
    if reason.rule == "order":
        return "as good by every criterion, but later in the order in which the rules try pairings"
    if reason.rule == "even":
        return "nobody needs a bye in this round"
    if reason.rule == "forbidden":
        return "the two must not meet (forbidden pair)"
    text = f"{reason.rule}: {CRITERIA[reason.rule]}"
    if reason.value != reason.other:
        now, then = value_text(reason.rule, reason.value), value_text(reason.rule, reason.other)
        text += f": {now} as paired, {then} otherwise"
    return f"{text} (bracket {reason.bracket})" if reason.bracket else text
