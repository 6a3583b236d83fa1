"""Reads the blocks this app owns in every regulation: tie-breaks of the stages, play-off, prizes, lotteries, fund.

Prizes are held against the field (a place nobody can take) and against the fees (a fund nobody has paid for).
"""

from __future__ import annotations

from collections.abc import Iterator

from prizes.engine import rules
from prizes.engine.fund import check_fund
from prizes.engine.lottery import places_served_twice
from prizes.engine.shares import WHOLE, percent_promised
from registration.engine import fees
from tourney import regulation_checks
from tourney.formatting import money_text
from tourney.kernel.categories import CategoryRule, parse_categories
from tourney.kernel.errors import RuleError
from tourney.kernel.money import Money
from tourney.kernel.node import Node
from tourney.regulation_blocks import DEFAULT_FIELD
from tourney.regulation_checks import Problem, Proposal, warning


def read_rankings(proposal: Proposal) -> None:
    rules.rankings_of(proposal.spec)


def read_categories(proposal: Proposal) -> None:
    parse_categories(proposal.block("categories") or ())
    _check_sections(proposal, "categories")


def read_prizes(proposal: Proposal) -> Iterator[Problem]:
    currency, capacity = proposal.spec.currency, proposal.capacity
    known = _categories(proposal)
    prizes = rules.parse_prizes(proposal.block("prizes") or (), currency, capacity=capacity, categories=known)
    _check_sections(proposal, "prizes")
    codes = [str(section.get("code")) for section in proposal.sections]
    for base, percent in percent_promised(prizes, codes).items():
        if percent > WHOLE:
            first = next(index for index, prize in enumerate(prizes) if prize.percent and prize.base is base)
            raise RuleError(f"prizes[{first}].percent", "prize.percent_over", percent=percent, groups=len(codes))
    lotteries = rules.parse_lotteries(proposal.block("lotteries") or (), currency, capacity=capacity)
    _check_sections(proposal, "lotteries")
    for place in places_served_twice(prizes, lotteries):
        yield warning("lotteries", "lottery.place_has_prize", place=place)


def read_awards(proposal: Proposal) -> None:
    rules.parse_awards(proposal.block("awards") or (), categories=_categories(proposal))
    _check_sections(proposal, "awards")


def _categories(proposal: Proposal) -> tuple[CategoryRule, ...]:
    """Return the categories prizes may name; what is wrong with them is said by their own reader."""
    try:
        return parse_categories(proposal.block("categories") or ())
    except RuleError:
        return ()


def read_playoff(proposal: Proposal) -> None:
    rules.parse_playoff(proposal.block("playoff"), proposal.block("match_formats") or {})


def read_fund(proposal: Proposal) -> Iterator[Problem]:
    """Say from how many players on the fees pay what is promised, and when no field does."""
    sources = rules.parse_fund(proposal.block("fund")).sources
    currency, field = proposal.spec.currency, proposal.capacity or DEFAULT_FIELD
    try:
        prizes = rules.parse_prizes(proposal.block("prizes") or (), currency)
        lotteries = rules.parse_lotteries(proposal.block("lotteries") or (), currency)
        policy = fees.parse(proposal.block("fees"), currency, proposal.spec.time_zone)
    except RuleError:
        return  # said by the reader of that block
    if not prizes and not lotteries:
        return
    low, full = fees.price_range(policy)
    check = check_fund(prizes, lotteries, fees=(full, low), capacity=field, currency=currency)
    if check.safe:
        return
    by_full, by_low = (cover.players for cover in check.covers)
    amounts = {
        "total": _words(check.promised),
        "full": _words(full),
        "low": _words(low),
    }
    path = "prizes" if prizes else "lotteries"
    if set(sources) != {"fees"}:
        if by_full is None:
            yield warning(path, "fund.needs_other_money", **amounts)
    elif by_full is None:
        yield warning(path, "fund.never_covered", players=field, **amounts)
    elif by_low is None or low == full:
        yield warning(path, "fund.covered_from", players=by_full, **amounts)
    else:
        yield warning(
            path,
            "fund.covered_from_both",
            players=by_full,
            early_players=by_low,
            **amounts,
        )


def _words(amount: Money) -> str:
    return money_text(amount)


def _check_sections(proposal: Proposal, block: str) -> None:
    codes = {section.get("code") for section in proposal.sections}
    for node in Node({block: proposal.block(block) or []}).nodes(block):
        for index, code in enumerate(node.texts("sections", ())):
            if code not in codes:
                raise RuleError(f"{node.path}.sections[{index}]", "rule.unknown_section", got=code)


for _block, _reader in (
    ("stages", read_rankings),
    ("categories", read_categories),
    ("playoff", read_playoff),
    ("prizes", read_prizes),
    ("awards", read_awards),
    ("fund", read_fund),
):
    regulation_checks.register(_block, _reader)
