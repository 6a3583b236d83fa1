"""Reads the blocks this app owns in every regulation: brackets among the stages, and the formats of a match."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from brackets.engine.match_format import MatchFormat, parse_formats
from brackets.engine.proof import prove
from brackets.engine.rules import StageRules, parse_stage
from brackets.engine.seeding import SeedingMethod
from swiss.engine.rules import KINDS as ROUND_KINDS
from tourney import regulation_checks
from tourney.kernel.errors import RuleError
from tourney.regulation_checks import Problem, Proposal, error, warning

KIND = "bracket"


def read_formats(proposal: Proposal) -> Iterator[Problem]:
    formats = parse_formats(proposal.block("match_formats") or {})
    used = {option.get(key) for _, option in proposal.options() for key in ("match", "final_match")}
    playoff = proposal.block("playoff")
    if isinstance(playoff, Mapping):
        three = playoff.get("three")
        used |= {
            playoff.get("two"),
            three.get("decider") if isinstance(three, Mapping) else None,
        }
    for name in formats:
        if name not in used:
            yield warning(f"match_formats.{name}", "match.format_unused", name=name)


def read_stages(proposal: Proposal) -> Iterator[Problem]:
    try:
        formats = parse_formats(proposal.block("match_formats") or {})
    except RuleError:
        formats = {}  # said by the reader of that block
    for path, option in proposal.options():
        kind = option.get("kind")
        if kind == KIND:
            yield from _read_bracket(proposal, path, option, formats)
        elif kind not in ROUND_KINDS:
            options = [*ROUND_KINDS, KIND]
            yield error(f"{path}.kind", "rule.not_an_option", got=str(kind), options=options)


def _read_bracket(
    proposal: Proposal,
    path: str,
    option: Mapping[str, Any],
    formats: Mapping[str, MatchFormat],
) -> Iterator[Problem]:
    rules = parse_stage(option, formats, path)
    least = prove(rules.build_for(rules.params.size)).per_player.least
    if least < rules.minimum_matches:
        yield error(
            f"{path}.minimum_matches",
            "bracket.promises_more",
            promised=rules.minimum_matches,
            guaranteed=least,
        )
    yield from _read_field(proposal, path, option, rules)
    if rules.seeding.method is SeedingMethod.RANK_POTS:
        yield from _read_ranks(proposal, path, rules.seeding.ranks)


def _read_field(proposal: Proposal, path: str, option: Mapping[str, Any], rules: StageRules) -> Iterator[Problem]:
    """A bracket must have a seed for everybody who may come to it."""
    when = option.get("when")
    most = when.get("players_at_most") if isinstance(when, Mapping) else None
    limits = [limit for limit in (most, proposal.capacity) if isinstance(limit, int)]
    size = rules.params.size
    if limits and min(limits) > size:
        yield error(f"{path}.size", "bracket.too_small", size=size, players=min(limits))
    elif not limits:
        yield error(f"{path}.when", "bracket.needs_limit", size=size)


def _read_ranks(proposal: Proposal, path: str, ranks: tuple[str, ...]) -> Iterator[Problem]:
    for section in proposal.sections:
        who = section.get("eligibility")
        levels = who.get("levels") or [] if isinstance(who, Mapping) else []
        missing = [str(level) for level in levels if level not in ranks]
        if missing:
            yield warning(
                f"{path}.seeding.ranks",
                "bracket.rank_missing",
                ranks=", ".join(missing),
            )


for _block, _reader in (("stages", read_stages), ("match_formats", read_formats)):
    regulation_checks.register(_block, _reader)
