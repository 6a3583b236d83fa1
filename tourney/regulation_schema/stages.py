"""Schema of the stages: Swiss, round robin and knockout, with the tie-breaks each may have."""

from __future__ import annotations

from dataclasses import replace

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from tourney.regulation_schema.nodes import (
    Choice,
    Code,
    Flag,
    Kind,
    Many,
    Node,
    Number,
    Numbers,
    Order,
    Points,
    Rows,
    Table,
    Words,
)

WHEN = Table(
    key="when",
    label=_("For how many players"),
    fields=(
        Number(key="players_at_least", label=pgettext_lazy("players", "At least"), low=0),
        Number(key="players_at_most", label=pgettext_lazy("players", "At most"), low=0),
    ),
)

# Codes of the outside world (FIDE C.07) and what people call them.
TIE_BREAKS = {
    "DE": _("direct encounter"),
    "DE/P": _("direct encounter, forfeits included"),
    "BH/C1": _("Buchholz cut 1"),
    "BH/C2": _("Buchholz cut 2"),
    "BH/M1": _("median Buchholz"),
    "BH/M2": _("median Buchholz 2"),
    "BH": _("Buchholz"),
    "BH/P": _("Buchholz, forfeits as games"),
    "FB": _("fore Buchholz"),
    "FB/C1": _("fore Buchholz cut 1"),
    "FB/C2": _("fore Buchholz cut 2"),
    "FB/M1": _("median fore Buchholz"),
    "FB/M2": _("median fore Buchholz 2"),
    "AOB": _("average opponents' Buchholz"),
    "SB": _("Sonneborn-Berger"),
    "SB/C1": _("Sonneborn-Berger cut 1"),
    "SB/C2": _("Sonneborn-Berger cut 2"),
    "SB/M1": _("median Sonneborn-Berger"),
    "SB/M2": _("median Sonneborn-Berger 2"),
    "SB/P": _("Sonneborn-Berger, forfeits as games"),
    "KS": _("Koya"),
    "WIN": _("number of wins"),
    "WON": _("number of games won over the board"),
    "BPG": _("games played with Black"),
    "BWG": _("games won with Black"),
    "PS": _("progressive score"),
    "PS/C1": _("progressive score cut 1"),
    "PS/C2": _("progressive score cut 2"),
    "PS/C3": _("progressive score cut 3"),
    "REP": _("rounds the player elected to play"),
    "STD": _("standard points"),
    "ARO": _("average rating of opponents"),
    "ARO/C1": _("average rating of opponents cut 1"),
    "ARO/C2": _("average rating of opponents cut 2"),
    "TPR": _("tournament performance rating"),
    "PTP": _("perfect tournament performance"),
    "APRO": _("average performance of opponents"),
    "APPO": _("average perfect performance of opponents"),
    "RTNG": _("own rating"),
    "RTNG/R": _("own rating, the lower first"),
    "TPN": _("start number"),
    "TPN/R": _("start number, the higher first"),
    "LOT": _("drawing of lots"),
}
_SWISS_ONLY = ("BH", "FB", "AOB", "REP")
SWISS_TIE_BREAKS = {code: label for code, label in TIE_BREAKS.items() if code != "KS"}
# Forfeits are games in a round robin anyway, so the variants that count them say nothing there.
ROUND_ROBIN_TIE_BREAKS = {
    code: label
    for code, label in TIE_BREAKS.items()
    if code.split("/")[0] not in _SWISS_ONLY and not code.endswith("/P")
}
# The articles changed twice; before September 2023 an unplayed game counted against a virtual opponent.
TIE_BREAK_RULES = {"2026": _("March 2026"), "2023": _("September 2023")}
VIRTUAL_OPPONENT = {"virtual_opponent": _("before September 2023 (virtual opponent)")}

_POINTS: tuple[Node, ...] = (
    Points(key="win_points", label=_("Points for a win"), default="1"),
    Points(key="draw_points", label=_("Points for a draw"), default="½"),
    Points(key="loss_points", label=_("Points for a loss"), default="0"),
    Points(key="bye_points", label=_("Points for the bye of the pairing"), help=_("Usually as for a win.")),
)
_EDITION = Choice(
    key="tie_break_rules",
    label=_("FIDE tie-break rules of"),
    options=TIE_BREAK_RULES,
    help=_("Empty: those in force on the day of the event."),
)
_SWISS_EDITION = replace(_EDITION, options={**TIE_BREAK_RULES, **VIRTUAL_OPPONENT})

_SWISS: tuple[Node, ...] = (
    WHEN,
    Number(key="rounds", label=_("Rounds"), low=1, high=99, required=True),
    Order(
        key="tie_breaks", label=_("Tie-breaks, in this order"), options=SWISS_TIE_BREAKS, help=_("Points come first.")
    ),
    Flag(
        key="absences_cut_first",
        label=_("A cut drops a round missed at will first (FIDE 16.5)"),
        default=True,
    ),
    Choice(
        key="first_color",
        label=_("Colour on board 1 in round 1"),
        options={
            "lot": pgettext_lazy("colour", "by lot"),
            "white": _("White for the higher ranked"),
            "black": _("Black for the higher ranked"),
        },
        default="lot",
    ),
    Choice(
        key="acceleration",
        label=_("Acceleration"),
        options={"none": pgettext_lazy("acceleration", "none"), "baku": _("Baku")},
        default="none",
    ),
    Number(
        key="half_byes_at_most",
        label=_("Half-point byes a player may ask for"),
        low=0,
        high=20,
        help=_("Empty: one. More are given by the arbiter, with a reason."),
    ),
    Number(
        key="half_byes_closed_rounds",
        label=_("Last rounds without half-point byes"),
        low=0,
        high=20,
        default=0,
        help=_("In so many of the last rounds the arbiter gives one only with a reason."),
    ),
    *_POINTS,
    _SWISS_EDITION,
)

_ROUND_ROBIN: tuple[Node, ...] = (
    WHEN,
    Number(key="cycles", label=_("Cycles"), low=1, high=8, default=1),
    Numbers(key="double_for", label=_("Twice as many cycles for so many players"), help=_("For instance: 2, 3")),
    Order(
        key="tie_breaks",
        label=_("Tie-breaks, in this order"),
        options=ROUND_ROBIN_TIE_BREAKS,
        help=_("Points come first."),
    ),
    Choice(
        key="start_numbers",
        label=_("Numbers in the table"),
        options={
            "lot": pgettext_lazy("numbers", "by lot"),
            "rating": _("by rating"),
            "hand": _("by the arbiter's hand"),
            "varma": _("by Varma tables"),
        },
        default="hand",
        help=_("Done when the start list closes. By Varma tables: 9 to 24 players, fewer or more by lot."),
    ),
    *_POINTS,
    _EDITION,
)

SEEDINGS = {
    "rank_pots": _("pots by rank, lots inside a pot"),
    "fold": _("strictly by rating"),
    "tennis": _("1 and 2 fixed, lots inside 3–4, 5–8, 9–16 …"),
    "two_pots": _("two pots, the better and the weaker half"),
    "free": _("free draw"),
    "manual": _("by the organizer's hand"),
}
FINALS = {
    "single": _("one final"),
    "reset": _("a second final if the player from the lower bracket wins"),
    "advantage": _("a drawn match is enough for the player from the upper bracket"),
}

_BRACKET: tuple[Node, ...] = (
    WHEN,
    Choice(
        key="size",
        label=_("Size"),
        options={4: "4", 8: "8", 16: "16", 32: "32", 64: "64", 128: "128", "fit": _("the smallest that fits")},
        default=32,
    ),
    Choice(
        key="return_at",
        label=_("The lower bracket leads back"),
        options={
            2: _("into the final"),
            4: _("when four are left"),
            8: _("when eight are left"),
            16: _("when sixteen are left"),
            32: _("when thirty-two are left"),
            64: _("when sixty-four are left"),
            "never": _("never: no second chance"),
        },
        default=2,
    ),
    Choice(key="final", label=_("Final"), options=FINALS, default="single"),
    Choice(
        key="places",
        label=_("Places played out"),
        options={
            "all": _("all"),
            "none": _("only those of the bracket itself"),
            4: "1–4",
            8: "1–8",
            12: "1–12",
            16: "1–16",
            24: "1–24",
        },
        default="all",
    ),
    Choice(
        key="table_up_to",
        label=_("Small bands of places as little tables: everybody against everybody"),
        options={
            0: _("never: a bracket for every band"),
            3: _("bands of 3 players"),
            4: _("bands of up to 4 players"),
            5: _("bands of up to 5 players"),
            6: _("bands of up to 6 players"),
            7: _("bands of up to 7 players"),
            8: _("bands of up to 8 players"),
        },
        default=0,
    ),
    Choice(
        key="table_ties",
        label=_("Level in a little table, even by the matches between the players"),
        options={"seed": _("the better seed stands before"), "shared": _("the places are shared")},
        default="seed",
    ),
    Number(key="minimum_matches", label=_("Matches promised to everybody"), high=20, default=0),
    Choice(key="match", label=_("Match format"), source="match_formats", required=True),
    Choice(key="final_match", label=_("Match format of the final"), source="match_formats", help=_("Empty: the same.")),
    Table(
        key="seeding",
        label=_("Draw"),
        fields=(
            Choice(key="method", label=_("How"), options=SEEDINGS, default="fold"),
            Order(key="ranks", label=_("Ranks, best first"), source="levels"),
            Many(
                key="apart",
                label=_("Kept apart in the first round"),
                options={"club": _("club"), "city": _("city"), "family": _("family")},
            ),
        ),
    ),
    Choice(
        key="drop_in",
        label=_("Order of the lower bracket"),
        options={
            "tourney": _("rematches as late as possible"),
            "brazilian": _("the “Brazilian” chart"),
            "natural": _("straight down"),
        },
        default="tourney",
    ),
    Choice(
        key="left_place",
        label=_("Who left the event gets"),
        options={
            "keep": _("the place he falls to"),
            "last_of_band": _("the last of his band of places"),
            "none": pgettext_lazy("place", "no place"),
        },
        default="keep",
    ),
    Choice(
        key="disqualified_place",
        label=_("Place of who was removed"),
        options={"move_up": _("those below move up"), "keep_empty": _("stays empty")},
        default="move_up",
    ),
    Number(key="rest_minutes", label=_("Minutes of rest between matches"), high=600, default=0),
)

STAGES = Rows(
    key="stages",
    label=_("Stages"),
    item=_("Stage"),
    help=_("Every group goes through them in this order."),
    fields=(
        Code(key="code", label=_("Code"), required=True),
        Words(key="title", label=_("Name")),
        Rows(
            key="options",
            label=_("Systems by the number of players"),
            item=_("System"),
            tag="kind",
            help=_("The first that fits is played."),
            kinds=(
                Kind(name="round_robin", label=_("Round robin"), fields=_ROUND_ROBIN),
                Kind(name="swiss", label=_("Swiss system"), fields=_SWISS),
                Kind(name="bracket", label=_("Knockout"), fields=_BRACKET),
            ),
        ),
    ),
)
