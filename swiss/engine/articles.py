"""The articles that pages, messages and comments cite, by regulation, as in force from 1 February 2026.

Whoever shows an article to people takes it from here; a number that isn't in the table is an error of the program.
"""

from __future__ import annotations

DUTCH = "C.04.3"

_CRITERIA = {
    "C1": "no second game of the same two",
    "C2": "no second bye, nor one after a whole point without playing",
    "C3": "no two players, topscorers apart, who both must have the same colour",
    "C4": "everybody who is left can be paired",
    "C5": "lowest score of who gets the bye",
    "C6": "fewest downfloaters",
    "C7": "lowest scores of the downfloaters",
    "C8": "the next bracket keeps C1 to C7",
    "C9": "fewest unplayed games of who gets the bye",
    "C10": "topscorers and their opponents: colour difference",
    "C11": "topscorers and their opponents: three times one colour",
    "C12": "colour preferences",
    "C13": "strong colour preferences",
    "C14": "downfloats of the last round",
    "C15": "upfloats of the last round",
    "C16": "downfloats of two rounds ago",
    "C17": "upfloats of two rounds ago",
    "C18": "score differences of C14",
    "C19": "score differences of C15",
    "C20": "score differences of C16",
    "C21": "score differences of C17",
}

ARTICLES = {
    "C.04.1": {
        "3": "the bye of an odd field, worth the same for everybody",
        "4": "who can't have that bye",
    },
    "C.04.2": {
        "3.1": "an adjourned game is a draw for pairing",
        "3.4": "only games that were played count in the colours",
        "3.5": "who was paired and didn't play may be paired again",
        "3.6": "order of the boards",
        "4.3": "a mistake found too late is put right for the rating only",
        "4.4": "when a published pairing may be changed",
    },
    "C.04.3": {
        "1.2": "order of the players: score, then pairing number",
        "1.3": "score groups and pairing brackets",
        "1.4": "floaters and floats",
        "1.6.2": "colour preferences",
        "1.7": "topscorers",
        "3.2": "subgroups: S1, S2 and the limbo",
        "3.3": "the first candidate, and the halves of a remainder",
        "3.6": "alterations in a homogeneous bracket",
        "3.7": "alterations in a remainder",
        "3.8": "alterations of the moved-down players",
        "4.2": "transpositions of S2",
        "4.3": "exchanges between the halves",
        "4.4": "exchanges between S1 and the limbo",
        "5.1": "the first colour, by lot",
        "5.2": "who gets which colour",
        "5.2.1": "both colour preferences are granted",
        "5.2.2": "the stronger preference is granted",
        "5.2.3": "the last different colours are exchanged",
        "5.2.4": "the preference of the higher ranked player is granted",
        "5.2.5": "the pairing number decides",
        **_CRITERIA,
    },
}

# Rules without an article: an event's own pairs kept apart; nobody needs a bye.
_UNCITED = ("forbidden", "even")
# In which order equally good candidates are tried.
_ORDER = ("3.6", "3.8", "4.2", "4.4")


def cite(*articles: str, of: str = DUTCH) -> str:
    """Return how articles of one regulation are cited: ``C.04.3, 3.2, 4.2``. KeyError for one that isn't known."""
    for article in articles:
        ARTICLES[of][article]
    return ", ".join((of, *articles))


def cite_rule(rule: str) -> str:
    """Return how the rule of a reason (see `swiss.engine.explain`) is cited, "" for one without an article."""
    if rule in _UNCITED:
        return ""
    if rule == "order":
        first, last, then, end = _ORDER
        return f"{DUTCH}, {first}–{last}, {then}–{end}"
    return cite(rule)
