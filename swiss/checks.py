"""Reads the blocks this app owns in every regulation: stages in rounds, rating, clock, schedule, lateness."""

from __future__ import annotations

from collections.abc import Iterator

from swiss.engine.rules import KINDS, parse_stage
from swiss.engine.schedule import parse_clock, parse_lateness, parse_schedule
from tourney import regulation_checks
from tourney.kernel.node import Node
from tourney.regulation_checks import Problem, Proposal, warning

RATINGS = ("fide_standard", "fide_rapid", "fide_blitz", "national", "none")
BY_RATING = ("ARO", "TPR", "PTP", "APRO", "APPO", "RTNG")  # tie-breaks that need ratings (C.07, 10)
SHOWN = (*RATINGS[:-1], "level")
# How a stage is ranked belongs to the app that ranks.
RANKING_KEYS = ("tie_breaks", "tie_break_rules", "absences_cut_first")
HALF_BYES = ("half_byes_at_most", "half_byes_closed_rounds")


def read_stages(proposal: Proposal) -> None:
    for path, option in proposal.options():
        if option.get("kind") in KINDS:
            parse_stage(
                {key: value for key, value in option.items() if key not in (*RANKING_KEYS, *HALF_BYES)},
                path,
            )
            for key in HALF_BYES:
                Node({key: option.get(key, 0)}, path).integer(key, low=0, high=20)


def read_rating(proposal: Proposal) -> Iterator[Problem]:
    node = Node(proposal.block("rating"), "rating")
    use = node.choice("use", RATINGS, "none")
    node.text("national", "")
    by_ties = node.choice("tie_breaks", RATINGS[:-1]) if node.has("tie_breaks") else use
    node.optional_integer("unrated", low=0, high=4000)
    node.optional_integer("k_factor", low=1, high=100)
    node.flag("by_the_book", False)
    for index, shown in enumerate(node.texts("show", ())):
        if shown not in SHOWN:
            raise node.fail(f"show[{index}]", "rule.not_an_option", got=shown, options=list(SHOWN))
    node.finish()
    if "national" in (use, by_ties) and not node.value.get("national"):
        raise node.fail("national", "rule.missing")
    if by_ties == "none" and any(_by_rating(option.get("tie_breaks")) for _, option in proposal.options()):
        yield warning("rating.use", "rating.needed_by_tie_break")


def _by_rating(codes: object) -> bool:
    listed = codes if isinstance(codes, list) else []
    return any(str(code).upper().startswith(BY_RATING) for code in listed)


def read_clock(proposal: Proposal) -> None:
    if proposal.block("clock"):
        parse_clock(proposal.block("clock"))


def read_schedule(proposal: Proposal) -> None:
    if proposal.block("schedule"):
        parse_schedule(proposal.block("schedule"))


def read_lateness(proposal: Proposal) -> None:
    if proposal.block("lateness"):
        parse_lateness(proposal.block("lateness"))


for _block, _reader in (
    ("stages", read_stages),
    ("rating", read_rating),
    ("clock", read_clock),
    ("schedule", read_schedule),
    ("lateness", read_lateness),
):
    regulation_checks.register(_block, _reader)
