"""Schema of the blocks about play: match formats, rating, clock, schedule, lateness, play-off."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from tourney.regulation_schema.nodes import (
    Choice,
    Clock,
    Code,
    Flag,
    Kind,
    Many,
    Node,
    Number,
    Rows,
    Table,
    Text,
    TimeOfDay,
)

ARMAGEDDON_COLORS = {
    "lot": pgettext_lazy("colour", "by lot"),
    "lot_winner_chooses": _("the winner of a lot chooses"),
}

MATCH_FORMATS = Rows(
    key="match_formats",
    label=_("Match formats"),
    item=_("Match format"),
    named_by=Code(key="_name", label=_("Code"), required=True),
    fields=(
        Choice(
            key="first_color",
            label=_("Colour of the first game"),
            options={
                "lower_rated_chooses": _("the lower rated player chooses"),
                "lot": pgettext_lazy("colour", "by lot"),
                "lot_winner_chooses": _("the winner of a lot chooses"),
                "higher_seed_white": _("White for the higher seed"),
                "lower_seed_white": _("White for the lower seed"),
            },
            default="lower_rated_chooses",
        ),
        Choice(
            key="equal_ratings",
            label=_("Equal ratings"),
            options={"lot": _("a lot decides who chooses")},
            default="lot",
        ),
        Number(key="start_after_minutes", label=_("Pause before the match, minutes"), high=600, default=0),
        Rows(
            key="phases",
            label=_("Phases"),
            item=_("Phase"),
            help=_("A phase is played only if the one before ended level."),
            kinds=(
                Kind(
                    name="games",
                    label=_("Games"),
                    fields=(
                        Number(key="games", label=_("Games"), low=1, high=24, required=True),
                        Clock(key="clock", label=_("Time control"), required=True),
                        Choice(
                            key="colors",
                            label=_("Colours"),
                            options={
                                "continue": _("go on alternating"),
                                "anew": _("are settled anew"),
                            },
                            default="continue",
                        ),
                        Flag(key="clinch", label=_("Ends as soon as nobody can catch up")),
                        Flag(key="repeat", label=_("Repeated until it isn't level")),
                    ),
                ),
                Kind(
                    name="armageddon",
                    label=_("Armageddon"),
                    fields=(
                        Table(
                            key="armageddon",
                            label=_("Time"),
                            keep_empty=True,
                            fields=(
                                Clock(key="white", label=_("White")),
                                Clock(key="black", label=_("Black")),
                            ),
                        ),
                        Choice(key="color", label=_("Colour"), options=ARMAGEDDON_COLORS, default="lot"),
                        Choice(
                            key="draw",
                            label=_("A draw"),
                            options={
                                "black": _("wins for Black"),
                                "white": _("wins for White"),
                                "forbidden": _("is not possible"),
                            },
                            default="black",
                        ),
                    ),
                ),
                Kind(
                    name="round_robin",
                    label=_("Round robin"),
                    fields=(
                        Number(key="round_robin", label=_("Cycles"), low=1, high=4, required=True),
                        Clock(key="clock", label=_("Time control"), required=True),
                        Choice(
                            key="still_tied",
                            label=_("Three still level"),
                            options={"arbiter": _("the chief arbiter decides"), "repeat": _("it is repeated")},
                            default="arbiter",
                        ),
                    ),
                ),
            ),
        ),
    ),
)

RATINGS = {
    "fide_standard": _("FIDE rating, standard"),
    "fide_rapid": _("FIDE rating, rapid"),
    "fide_blitz": _("FIDE rating, blitz"),
    "national": _("national rating"),
    "none": pgettext_lazy("rating", "none"),
}

RATING: tuple[Node, ...] = (
    Choice(key="use", label=_("Rating for pairing"), options=RATINGS, default="none"),
    Text(key="national", label=_("Federation of the national rating"), help="UKR, RUS", wide=False),
    Choice(
        key="tie_breaks",
        label=_("Rating for tie-breaks"),
        options={key: label for key, label in RATINGS.items() if key != "none"},
        help=_("Empty: the same as for pairing."),
    ),
    Number(
        key="unrated",
        label=_("Without a rating, counted as"),
        high=4000,
        help=_("Empty: while somebody has no rating, tie-breaks by rating are left out (FIDE C.07, 10)."),
    ),
    Number(
        key="k_factor",
        label=_("Factor of a rating change (K)"),
        low=1,
        high=100,
        help=_("With it players see the change they may expect."),
    ),
    Flag(
        key="by_the_book",
        label=_("Rated groups are played by the book"),
        default=False,
        help=_(
            "What bends the rules of rated events is asked about, twice where it matters, or refused; a group that must"
            " leave this mode never comes back to it, and everybody sees that."
        ),
    ),
    Many(
        key="show",
        label=_("Shown in lists"),
        options={key: label for key, label in [*RATINGS.items(), ("level", _("level"))] if key != "none"},
    ),
)

CLOCK: tuple[Node, ...] = (Clock(key="main", label=_("Time control"), help=_("Minutes and seconds a move: 90+30.")),)

SCHEDULE: tuple[Node, ...] = (
    TimeOfDay(key="first", label=_("Round 1")),
    TimeOfDay(key="odd", label=_("Odd rounds")),
    TimeOfDay(key="even", label=_("Even rounds")),
    Number(key="rounds_per_day", label=_("Rounds a day"), low=1, high=30, default=1),
    Number(key="minutes_between", label=_("Minutes between starts"), low=1, high=1440),
    Number(
        key="early_even_minutes",
        label=_("An even round may start early, so many minutes after the last game"),
        high=1440,
    ),
)

LATENESS: tuple[Node, ...] = (
    Number(key="minutes", label=_("Loss if late by more than, minutes"), high=1440),
    Choice(
        key="base",
        label=_("Counted from"),
        options={
            "announced_start": _("the announced start of the round"),
            "scheduled_start": _("the start in the schedule"),
        },
        default="announced_start",
    ),
    Choice(
        key="both_absent",
        label=_("Neither came"),
        options={"double_forfeit": _("both lose by forfeit"), "arbiter": _("the chief arbiter decides")},
        default="double_forfeit",
    ),
)

PLAYOFF: tuple[Node, ...] = (
    Choice(key="two", label=_("Match of two"), source="match_formats"),
    Table(
        key="three",
        label=_("Three or more"),
        fields=(
            Clock(key="clock", label=_("Time control of the round robin")),
            Number(key="cycles", label=_("Cycles"), low=1, high=2, default=1),
            Choice(key="decider", label=_("The best two play the Armageddon of"), source="match_formats"),
            Choice(
                key="level_again",
                label=_("Three level again"),
                options={"repeat_blitz": _("the round robin is repeated"), "drawing_of_lots": _("lots are drawn")},
                default="repeat_blitz",
            ),
        ),
    ),
    Number(key="pause_minutes", label=_("Not earlier than, minutes after the last game"), high=600, default=15),
    Choice(
        key="lower_places",
        label=_("Equal for other places"),
        options={"shared_place": _("the place is shared"), "drawing_of_lots": _("lots are drawn")},
        default="shared_place",
    ),
)
