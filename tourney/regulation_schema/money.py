"""Schema of the blocks about prizes, draws, awards, the fund, the broadcast and free clauses."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from tourney.regulation_schema.nodes import (
    Amount,
    Choice,
    Code,
    Flag,
    Many,
    Node,
    Number,
    Numbers,
    Rows,
    Text,
    Words,
)
from tourney.regulation_schema.people import CLAUSE, SEXES

_FOR_SECTIONS = Many(key="sections", label=_("Only for the groups"), source="sections", help=_("None marked: all."))
_CATEGORY = Choice(
    key="category", label=_("Category"), source="categories", help=_("Empty: the places of the group itself.")
)

CATEGORIES = Rows(
    key="categories",
    label=_("Categories"),
    item=_("Category"),
    help=_("Places of their own among some players of a group, from the same games: best girl, best under 12."),
    fields=(
        Code(key="code", label=_("Code"), required=True),
        Words(key="title", label=_("Name"), required=True),
        Choice(key="sex", label=_("For"), options=SEXES, default=""),
        Numbers(key="birth_years", label=_("Birth years, first and last"), help=_("For instance: 2015, 2016")),
        Text(key="district", label=_("District"), help=_("As players write it in their applications."), wide=False),
        Choice(key="level", label=pgettext_lazy("player", "Level"), source="levels"),
        Number(
            key="rating_below", label=_("Rating below"), low=1, high=4000, help=_("Who has no rating belongs to it.")
        ),
        _FOR_SECTIONS,
        CLAUSE,
    ),
)

PRIZES = Rows(
    key="prizes",
    label=_("Money prizes"),
    item=_("List of prizes"),
    fields=(
        Rows(
            key="places",
            label=_("Places"),
            item=_("Place"),
            named_by=Number(key="_name", label=_("Place"), low=1, required=True),
            scalar=Amount(key="_value", label=_("Amount"), required=True),
        ),
        Rows(
            key="percent",
            label=_("or shares of the fund, in percent"),
            item=_("Place"),
            named_by=Number(key="_name", label=_("Place"), low=1, required=True),
            scalar=Number(key="_value", label=_("Percent"), low=1, high=100, required=True),
        ),
        Choice(
            key="percent_of",
            label=_("Percent of what"),
            options={
                "fees": _("of the entry fees"),
                "income": _("of all income"),
                "left": _("of what is left after expenses and fixed prizes"),
            },
            default="fees",
            help=_("The amounts are fixed when the first places of the event are published."),
        ),
        Choice(
            key="ties",
            label=_("Equal players"),
            options={
                "place": _("get the prize of their place"),
                "equal": _("share evenly"),
                "hort": _("by the Hort system: half by place, half shared"),
            },
            default="place",
        ),
        Choice(
            key="unplayed",
            label=_("Prize of a place nobody holds"),
            options={
                "kept": _("stays in the fund"),
                "moves": _("goes to the nearest better place without a prize"),
            },
            default="kept",
        ),
        Choice(
            key="several",
            label=_("A player with a right to several prizes"),
            options={
                "all": _("gets them all"),
                "earlier": _("gets the one from the earlier list; the next player moves up in this one"),
                "best": _("gets the most valuable one; the next player moves up for the others"),
            },
            default="all",
        ),
        Flag(key="whole_units", label=_("Shared prizes are rounded to whole units")),
        _FOR_SECTIONS,
        _CATEGORY,
        CLAUSE,
    ),
)

KEEP_OR_LOSE = {"keep": _("takes part"), "lose": _("doesn't take part")}

LOTTERIES = Rows(
    key="lotteries",
    label=_("Prize draws"),
    item=_("Prize draw"),
    fields=(
        Numbers(key="places", label=_("Places that take part"), required=True, help=_("For instance: 11, 15")),
        Number(key="winners", label=_("Winners"), low=1, default=1),
        Amount(key="amount", label=_("Amount for each winner"), required=True),
        Choice(key="withdrawn", label=_("Who left the event"), options=KEEP_OR_LOSE, default="keep"),
        Choice(key="disqualified", label=_("Who was disqualified"), options=KEEP_OR_LOSE, default="lose"),
        _FOR_SECTIONS,
        CLAUSE,
    ),
)

THINGS = {
    "cup": _("cup"),
    "diploma": _("diploma"),
    "medal": _("medal"),
    "book": _("book"),
    "gift": _("gift"),
    "title": pgettext_lazy("award", "title"),
}

AWARDS = Rows(
    key="awards",
    label=_("Awards"),
    item=_("Award"),
    fields=(
        Number(key="place", label=_("Place"), low=1),
        Numbers(key="places", label=_("or several places")),
        Many(key="things", label=_("Is awarded"), options=THINGS, required=True),
        _FOR_SECTIONS,
        _CATEGORY,
        CLAUSE,
    ),
)

FUND: tuple[Node, ...] = (
    Many(
        key="sources",
        label=_("The fund comes from"),
        options={
            "fees": _("entry fees"),
            "sponsors": _("sponsors"),
            "subsidy": _("a subsidy"),
            "other": _("other income"),
        },
        default=["fees"],
    ),
)

BROADCAST: tuple[Node, ...] = (
    Choice(
        key="video",
        label=_("Video"),
        options={"none": pgettext_lazy("video", "none"), "key_matches": _("key matches"), "all_games": _("all games")},
        default="none",
    ),
    Text(key="channel", label=_("Where")),
    Choice(
        key="games",
        label=_("Moves of the games"),
        options={"none": _("not recorded"), "recorded": _("recorded and published")},
        default="none",
    ),
)

CLAUSE_BLOCKS = {
    "general": _("General"),
    "event": _("Time and place"),
    "sections": _("Who may play"),
    "registration": _("Registration"),
    "fees": _("Fees"),
    "payment": _("Payment"),
    "stages": _("System"),
    "match_formats": _("Matches"),
    "rating": _("Rating"),
    "schedule": _("Rounds and clocks"),
    "conduct": _("Conduct"),
    "sanctions": _("Sanctions"),
    "appeals": _("Appeals"),
    "playoff": _("Play-off"),
    "categories": _("Categories"),
    "prizes": _("Prizes"),
    "awards": _("Awards"),
    "fund": _("Fund"),
    "broadcast": _("Broadcast"),
}

CLAUSES = Rows(
    key="clauses",
    label=_("Clauses in your own words"),
    item=_("Clause"),
    fields=(
        Text(key="id", label=_("Number"), wide=False),
        Choice(key="block", label=_("Chapter"), options=CLAUSE_BLOCKS, default="general"),
        Words(key="text", label=_("Text"), required=True, long=True),
    ),
)
