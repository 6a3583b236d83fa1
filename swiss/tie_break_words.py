"""What each tie-break is, in a sentence a parent understands; codes as `prizes.engine.tiebreaks` writes them."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy, pgettext

from tourney.regulation_schema.stages import TIE_BREAKS

MEANINGS: dict[str, Any] = {
    "PTS": gettext_lazy("the points of all rounds"),
    "DE": gettext_lazy("the games that the level players played against each other"),
    "BH": gettext_lazy("the points of all opponents added up: whoever had the stronger opponents stands higher"),
    "FB": gettext_lazy("the points of all opponents added up, as if every game of the last round were drawn"),
    "AOB": gettext_lazy("the Buchholz of the opponents met, on average"),
    "SB": gettext_lazy("all points of the opponents beaten and half the points of those drawn with"),
    "KS": gettext_lazy("the points made against opponents who have at least half of what could be had"),
    "WIN": gettext_lazy("the rounds that gave as much as a win, also without a game"),
    "WON": gettext_lazy("the games won over the board"),
    "BPG": gettext_lazy("the games really played with Black"),
    "BWG": gettext_lazy("the games won over the board with Black"),
    "PS": gettext_lazy("the score after each round added up: whoever led earlier stands higher"),
    "REP": gettext_lazy("the rounds not missed at will"),
    "STD": gettext_lazy("one for each round with more points than the opponent, a half for equal points"),
    "ARO": gettext_lazy("the average rating of the opponents met"),
    "TPR": gettext_lazy("the rating the result was worth: the opponents' average and the share of points made"),
    "PTP": gettext_lazy("the lowest rating of which the points made would be expected"),
    "APRO": gettext_lazy("the performances of the opponents met, on average"),
    "APPO": gettext_lazy("the perfect performances of the opponents met, on average"),
    "RTNG": gettext_lazy("the player's own rating"),
    "TPN": gettext_lazy("the number in the start list: the lower one stands higher"),
    "LOT": gettext_lazy("the lot drawn: the lower number stands higher"),
}
VARIANTS: dict[str, Any] = {
    "C1": gettext_lazy("the lowest value is left out"),
    "C2": gettext_lazy("the two lowest values are left out"),
    "M1": gettext_lazy("the lowest and the highest value are left out"),
    "M2": gettext_lazy("the two lowest and the two highest values are left out"),
    "P": gettext_lazy("games won or lost without play count as games"),
}
FIRST_ROUNDS: dict[str, Any] = {
    "C1": gettext_lazy("without the first round"),
    "C2": gettext_lazy("without the first two rounds"),
    "C3": gettext_lazy("without the first three rounds"),
}
REVERSED: dict[str, Any] = {
    "RTNG/R": gettext_lazy("the player's own rating: the lower one stands higher"),
    "TPN/R": gettext_lazy("the number in the start list: the higher one stands higher"),
}


def title_of(code: str) -> str:
    """Return what a tie-break is called, in the middle of a sentence."""
    return pgettext("tie-break", "points") if code == "PTS" else str(TIE_BREAKS.get(code, code))


def meaning_of(code: str) -> str:
    """Return what a tie-break is, in a sentence without its name and its stop."""
    if code in REVERSED:
        return str(REVERSED[code])
    name, *variants = code.split("/")
    known = FIRST_ROUNDS if name == "PS" else VARIANTS
    said = [str(known[variant]) for variant in variants if variant in known]
    return "; ".join([str(MEANINGS.get(name, name)), *said])
