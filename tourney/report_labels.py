"""Codes of tournament report files in words; line and column of the fault stand in front of the sentence."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _

MESSAGES: dict[str, Any] = {
    # What a file is refused for
    "trf.no_players": _("There are no players in this file (lines that begin with 001)."),
    "trf.unknown_record": _("“%(found)s” begins no line of a report file."),
    "trf.shifted_columns": _("The columns are shifted in round %(round)s: “%(found)s”."),
    "trf.too_many_rounds": _("More than %(high)s rounds."),
    "trf.number_twice": _("Number %(number)s stands twice; it stood in line %(first_line)s first."),
    "trf.bad_number": _("“%(found)s” is not a number of a player (%(low)s–%(high)s)."),
    "trf.bad_sex": _("“%(found)s” is no sex: m or w."),
    "trf.bad_rating": _("“%(found)s” is not a rating (%(low)s–%(high)s)."),
    "trf.bad_rank": _("“%(found)s” is not a place (%(low)s–%(high)s)."),
    "trf.bad_points": _("“%(found)s” is not a number of points."),
    "trf.bad_rounds": _("“%(found)s” is not a number of rounds (%(low)s–%(high)s)."),
    "trf.bad_round": _("“%(found)s” is not a round (%(low)s–%(high)s)."),
    "trf.bad_opponent": _("“%(found)s” is not the number of an opponent (%(low)s–%(high)s)."),
    "trf.bad_color": _("“%(found)s” in round %(round)s is no colour: w or b."),
    "trf.bad_result": _("“%(found)s” in round %(round)s is no result."),
    "trf.bad_bye": _("“%(found)s” is no kind of bye."),
    "trf.bad_first_color": _("“%(found)s” is no colour of the first board."),
    "trf.color_missing": _("Number %(number)s has no colour in round %(round)s."),
    "trf.own_opponent": _("Number %(number)s is its own opponent in round %(round)s."),
    "trf.unknown_number": _("There is no player with number %(number)s."),
    "trf.unknown_opponent": _("There is no opponent with number %(number)s."),
    "trf.opponents_differ": _("Round %(round)s: %(number)s names %(opponent)s, who names somebody else."),
    "trf.same_color": _("Round %(round)s: %(number)s and %(opponent)s have the same colour."),
    "trf.unsupported_points": _("A scoring of %(value)s for “%(found)s” can't be kept."),
    # What is odd but doesn't stop the reading
    "trf.unknown_title": _("“%(found)s” is not a title."),
    "trf.bye_letter": _("Round %(round)s: %(number)s has no opponent, but “%(found)s”; it was read as a bye."),
    "trf.bye_with_opponent": _("Round %(round)s: %(number)s has a bye (“%(found)s”) and an opponent."),
    "trf.one_sided_game": _("Round %(round)s: %(number)s names %(opponent)s, who names nobody."),
    "trf.results_differ": _("Round %(round)s: %(number)s has “%(found)s”, %(opponent)s has “%(other)s”."),
    "trf.points_differ": _("Number %(number)s has other points in the file than by the results."),
}
