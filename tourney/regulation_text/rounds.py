"""Chapters about rating, clocks and rounds, late players, and the play-off for first place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tourney.regulation_text.play import match_format, options_of_stages
from tourney.regulation_text.writer import Writer, clock_words, minutes


def rounds(w: Writer) -> None:
    rating, clock = w.block("rating"), w.block("clock")
    use = rating.get("use")
    if use and use != "none":
        if use == "national":
            text = _("The rating that counts is the national one (%(federation)s).") % {
                "federation": rating.get("national", "")
            }
        else:
            text = _("The rating that counts: %(rating)s.") % {"rating": w.label("rating.use", use)}
        w.say(text, "rating.use")
        if rating.get("tie_breaks") and rating["tie_breaks"] != use:
            w.say(
                _("Tie-breaks by rating take another one: %(rating)s.")
                % {"rating": w.label("rating.tie_breaks", rating["tie_breaks"])},
                "rating.tie_breaks",
            )
        if rating.get("unrated") is not None:
            w.say(
                _("A player without a rating counts as %(rating)s in average ratings.") % {"rating": rating["unrated"]},
                "rating.unrated",
            )
        if rating.get("k_factor") is not None:
            w.say(
                _("The rating change a player may expect is shown with the factor %(k)s.") % {"k": rating["k_factor"]},
                "rating.k_factor",
            )
    if rating.get("by_the_book"):
        w.say(
            _(
                "Rated groups are played by the book: scoring, number of rounds, tie-breaks and the initial order are "
                "fixed when round 1 is paired, and results of rounds before the previous one are closed."
            ),
            "rating.by_the_book",
        )
    in_rounds = any(option.get("kind") != "bracket" for option in options_of_stages(w))
    if clock.get("main") and in_rounds:
        w.say(_("Time control: %(clock)s.") % {"clock": clock_words(clock["main"])}, "clock.main")
    w.own_clauses("rating", "clock")
    _schedule(w, w.block("schedule"))
    _lateness(w, w.block("lateness"))
    w.own_clauses("schedule", "lateness")


def _schedule(w: Writer, block: Mapping[str, Any]) -> None:
    if not block:
        return
    if block.get("first"):
        w.say(_("Round 1 starts at %(time)s.") % {"time": block["first"]}, "schedule.first")
    per_day = int(block.get("rounds_per_day", 1))
    w.say(
        ngettext("There is %(count)s round a day.", "There are up to %(count)s rounds a day.", per_day)
        % {"count": per_day},
        "schedule.rounds_per_day",
    )
    if block.get("minutes_between") is not None:
        w.say(
            _("Rounds of a day start %(minutes)s apart.") % {"minutes": minutes(block["minutes_between"])},
            "schedule.minutes_between",
        )
    elif block.get("odd") and block.get("even"):
        w.say(
            _("On other days odd rounds start at %(odd)s; even rounds start at %(even)s.")
            % {"odd": block["odd"], "even": block["even"]},
            "schedule.even",
        )
    if block.get("early_even_minutes") is not None:
        w.say(
            _(
                "The chief arbiter may start an even round %(minutes)s after the last game of the odd round before it; "
                "the new time is published."
            )
            % {"minutes": minutes(block["early_even_minutes"])},
            "schedule.early_even_minutes",
        )


def _lateness(w: Writer, block: Mapping[str, Any]) -> None:
    if block.get("minutes") is None:
        return
    brackets = any(option.get("kind") == "bracket" for option in options_of_stages(w))
    values = {"minutes": minutes(block["minutes"])}
    if brackets:
        w.say(_("Who comes more than %(minutes)s late loses the match.") % values, "lateness.minutes")
    else:
        w.say(_("Who comes more than %(minutes)s late loses the game.") % values, "lateness.minutes")
    if block.get("base") == "scheduled_start":
        w.say(_("The time runs from the start in the schedule."), "lateness.base")
    else:
        w.say(_("The time runs from the announced start of the round."), "lateness.base")
    if block.get("both_absent") == "arbiter":
        w.say(_("If neither player came, the chief arbiter decides."), "lateness.both_absent")
    else:
        w.say(_("If neither player came, both lose by forfeit."), "lateness.both_absent")


# -- play-off ----------------------------------------------------------------------------------------------------------


def playoff(w: Writer) -> None:
    block = w.block("playoff")
    if not block:
        w.own_clauses("playoff")
        return
    w.say(_("Players equal for first place on points and all tie-breaks play off:"), "playoff")
    formats = w.block("match_formats")
    two = formats.get(block.get("two"))
    if isinstance(two, Mapping):
        match_format(w, two, f"match_formats.{block['two']}", _("Two players play:"))
    three = block.get("three")
    if isinstance(three, Mapping) and three:
        w.say(
            _(
                "Three or more play a round robin (%(clock)s) to find the winner, or the best two, "
                "who play a deciding Armageddon game."
            )
            % {"clock": clock_words(three.get("clock"))},
            "playoff.three",
        )
        if three.get("level_again") == "drawing_of_lots":
            w.say(_("If three or more are level again, lots are drawn."), "playoff.three.level_again")
        else:
            w.say(_("If three or more are level again, the round robin is repeated."), "playoff.three.level_again")
    w.say(
        _("The play-off starts no earlier than %(minutes)s after the last game of all who play in it.")
        % {"minutes": minutes(block.get("pause_minutes", 15))},
        "playoff.pause_minutes",
    )
    if block.get("lower_places") == "drawing_of_lots":
        w.say(_("Other places: complete equality is settled by lot."), "playoff.lower_places")
    else:
        w.say(_("Other places: players equal on everything share the place."), "playoff.lower_places")
    w.own_clauses("playoff")
