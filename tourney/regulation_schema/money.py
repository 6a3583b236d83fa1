"""Schema of the blocks about prizes, draws, awards, the fund, the broadcast and free clauses."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from tourney.regulation_schema.nodes import (
    Amount,
    Choice,
    Flag,
    Many,
    Node,
    Number,
    Numbers,
    Rows,
    Text,
    Words,
)
from tourney.regulation_schema.people import CLAUSE

_FOR_SECTIONS = Many(key="sections", label=_("Only for the groups"), source="sections", help=_("None marked: all."))
_CATEGORY = Text(key="category", label=_("Category"), help=_("Empty: the places of the group itself."), wide=False)

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
        Flag(key="cumulative", label=_("A player may get several prizes"), default=True),
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
