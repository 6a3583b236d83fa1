"""Reasons for a pair in words a parent understands: the criteria of C.04.3 with both values, claims to a colour."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext

from swiss.engine.articles import cite_rule
from swiss.engine.dutch.cards import Strength
from swiss.engine.dutch.colors import ColorReason
from swiss.engine.dutch.values import Value
from swiss.engine.explain import PlayerView, Reason
from tourney.kernel.colors import Color
from tourney.kernel.points import format_points

# What speaks against another pair, by criterion.
AGAINST: dict[str, Any] = {
    "C1": gettext_lazy("The two have played each other already; nobody meets the same opponent twice."),
    "C2": gettext_lazy("Who has had a bye, or a whole point without playing, gets no bye."),
    "C3": gettext_lazy("Both must have the same colour in this round, so they can't play each other."),
    "C4": gettext_lazy("Then not everybody else could be paired any more."),
    "C5": gettext_lazy("The bye goes to the lowest score from which everybody else can still be paired."),
    "C6": gettext_lazy(
        "Then more players of the score group would have no opponent there and go down to the next one."
    ),
    "C7": gettext_lazy("Then somebody with a higher score would have to go down to the next group."),
    "C8": gettext_lazy("Then the next score group could not be paired as well."),
    "C9": gettext_lazy("The bye goes to somebody who has missed as few games as possible."),
    "C10": gettext_lazy(
        "Then more of the leaders or their opponents would have one colour much more often than the other."
    ),
    "C11": gettext_lazy("Then more of the leaders or their opponents would have one colour three times in a row."),
    "C12": gettext_lazy("Then more players would not get the colour they are due."),
    "C13": gettext_lazy("Then more players would not get the colour they are strongly due."),
    "C14": gettext_lazy("Then more players would go down who went down in the last round as well."),
    "C15": gettext_lazy("Then more players would meet a higher score who did so in the last round as well."),
    "C16": gettext_lazy("Then more players would go down who went down two rounds ago as well."),
    "C17": gettext_lazy("Then more players would meet a higher score who did so two rounds ago as well."),
    "C18": gettext_lazy("Then somebody who goes down twice running would lose more by it."),
    "C19": gettext_lazy("Then somebody who meets a higher score twice running would meet a still higher one."),
    "C20": gettext_lazy("Then somebody who went down two rounds ago would go down again by more."),
    "C21": gettext_lazy("Then somebody who met a higher score two rounds ago would meet a still higher one."),
    "forbidden": gettext_lazy("The two are kept apart in this event."),
    "even": gettext_lazy("The number of players is even: nobody needs a bye in this round."),
    "order": gettext_lazy(
        "That would be just as good by every criterion. Of equally good pairings the rules take the first in a fixed "
        "order: the upper half of a group against the lower half, with as little moved as possible."
    ),
}

# What the values of a criterion count.
COUNTED: dict[str, Any] = {
    "C5": gettext_lazy("score of who gets the bye"),
    "C6": gettext_lazy("players who go down"),
    "C7": gettext_lazy("scores of those who go down"),
    "C8": gettext_lazy("left over by the next group (and their scores)"),
    "C9": gettext_lazy("games missed by who gets the bye"),
    "C10": gettext_lazy("players with a colour difference above two"),
    "C11": gettext_lazy("players with one colour three times in a row"),
    "C12": gettext_lazy("players without the colour they are due"),
    "C13": gettext_lazy("players without the colour they are strongly due"),
    "C14": gettext_lazy("players going down again after the last round"),
    "C15": gettext_lazy("players meeting a higher score again after the last round"),
    "C16": gettext_lazy("players going down again after two rounds"),
    "C17": gettext_lazy("players meeting a higher score again after two rounds"),
    "C18": gettext_lazy("their scores"),
    "C19": gettext_lazy("the differences of scores"),
    "C20": gettext_lazy("their scores"),
    "C21": gettext_lazy("the differences of scores"),
}
_SCORES = frozenset(("C5", "C7", "C18", "C19", "C20", "C21"))

HALVES = gettext_lazy(
    "The group is cut in two halves; first plays first, second plays second. %(higher)s is no. %(a)s of the upper "
    "half, %(lower)s no. %(b)s of the lower half."
)
ONE_HALF = gettext_lazy(
    "The group is cut in two halves that play each other. Here the halves themselves leave no good pairing, so players "
    "were exchanged between them: %(higher)s and %(lower)s come from the same half."
)

COLORS = {Color.WHITE: gettext_lazy("White"), Color.BLACK: gettext_lazy("Black")}


def value_text(rule: str, value: Value) -> str:
    """Return a criterion's value: counts as they are, scores as points."""
    if isinstance(value, int):
        return format_points(value) if rule in _SCORES else str(value)
    if rule == "C8":
        count, *scores = value
        return f"{count} ({', '.join(map(format_points, scores))})" if scores else str(count)
    return ", ".join(map(format_points, value)) if value else "0"


def reason_words(reason: Reason) -> dict[str, Any]:
    """Return a reason for a page: the sentence, the rule, and both values where it has any."""
    different = reason.value != reason.other
    return {
        "rule": reason.rule,
        "text": str(AGAINST[reason.rule]),
        "cited": cite_rule(reason.rule),
        "counted": str(COUNTED[reason.rule]) if different and reason.rule in COUNTED else "",
        "value": value_text(reason.rule, reason.value) if different else "",
        "other": value_text(reason.rule, reason.other) if different else "",
    }


def claim_words(view: PlayerView) -> str:
    """Return what colour a player is due, and how strongly (C.04.3 art. 1.6.2)."""
    if view.preference is None or view.strength is Strength.NONE:
        return _("no claim: no game with a colour yet")
    color = COLORS[view.preference]
    if view.strength is Strength.ABSOLUTE:
        return _("must have %(color)s") % {"color": color}
    if view.strength is Strength.STRONG:
        return _("is strongly due %(color)s") % {"color": color}
    return _("is due %(color)s, as a change") % {"color": color}


def color_words(reason: ColorReason, *, first: bool) -> str:
    """Return why the colours are as they are, by article; `first` in a round without any game before it."""
    if reason is ColorReason.BOTH_PREFERENCES:
        return _("Both get the colour they are due, as far as they have a claim.")
    if reason is ColorReason.STRONGER_PREFERENCE:
        return _("Both are due the same colour; the stronger claim wins.")
    if reason is ColorReason.LAST_DIFFERENCE:
        return _(
            "Both have the same claim. The last round counts in which the two had different colours: "
            "those colours are exchanged."
        )
    if reason is ColorReason.HIGHER_RANKED:
        return _("Both have the same claim and the same colours so far: the higher ranked player gets the claim.")
    if first:
        return _(
            "Nobody has a claim yet. A lot gave the first player of the list a colour; odd numbers have the same one, "
            "even numbers the other."
        )
    return _("Neither has a claim yet: the pairing number decides, by the lot before the first round.")


def points_words(half_points: int) -> str:
    """Return a score with its noun: `3½ points`; languages have a form of their own for a half."""
    whole, half = divmod(half_points, 2)
    if half:
        text = pgettext("a number with a half", "%(points)s points")
    else:
        text = ngettext("%(points)s point", "%(points)s points", whole)
    return text % {"points": format_points(half_points)}


def squares_of(view: PlayerView) -> list[tuple[str, str, str]]:
    """Return the colours of the games played so far as cells of the results strip."""
    return [(str(number), color.value, str(COLORS[color])) for number, color in enumerate(view.colors, 1)]
