"""Appeals: who may complain about what, until when, for which deposit, and who sits on the panel.

A regulation either has a committee (its decisions are final) or none, and then the organizer's word stands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from registration.engine.blocks import Block
from tourney.kernel.errors import TourneyError
from tourney.kernel.money import Money


class RoundEnd(StrEnum):
    """When a round is over for the purpose of appeals."""

    LAST_GAME = "last_game_of_group"
    OWN_GAME = "own_game"


class AppealDecision(StrEnum):
    """How an appeal ended."""

    UPHELD = "upheld"
    PARTLY = "partly"
    REFUSED = "refused"
    WITHDRAWN = "withdrawn"


class DepositFate(StrEnum):
    """What becomes of the deposit."""

    REFUND = "refund"
    KEEP = "keep"


@dataclass(frozen=True, slots=True)
class AppealRules:
    """How appeals work; `committee` False: there is nobody to appeal to."""

    committee: bool
    deposit: Money
    window_minutes: int = 60
    round_end: RoundEnd = RoundEnd.LAST_GAME
    main: int = 3
    reserve: int = 2
    written: bool = True
    by: tuple[str, ...] = ("participant", "representative")
    never_about: tuple[str, ...] = ()
    partly_upheld: DepositFate = DepositFate.REFUND
    withdrawn: DepositFate = DepositFate.REFUND
    clause: str = ""


@dataclass(frozen=True, slots=True)
class Filing:
    """An appeal as it is handed in."""

    subject: str
    by: str
    written: bool
    filed_at: datetime
    round_ended_at: datetime
    deposit: Money


@dataclass(frozen=True, slots=True)
class FilingVerdict:
    """Whether an appeal may be filed, and why not."""

    accepted: bool
    reason: str
    deposit_taken: Money
    deadline: datetime
    clause: str


@dataclass(frozen=True, slots=True)
class Settlement:
    """What happens to the deposit after the decision."""

    returned: Money
    kept: Money


def parse(block: Mapping[str, Any], currency: str, path: str = "appeals") -> AppealRules:
    """Return the rules of a regulation's ``appeals`` block; an empty block means that there is no committee."""
    node = Block(block, path)
    if not node.flag("committee", bool(block)):
        clause = node.text("clause", "")
        node.finish()
        return AppealRules(committee=False, deposit=Money(0, currency), main=0, reserve=0, clause=clause)
    rules = AppealRules(
        committee=True,
        deposit=node.amount("deposit", currency) if node.has("deposit") else Money(0, currency),
        window_minutes=node.integer("window_minutes", low=1, high=100_000),
        round_end=node.choice("round_end", RoundEnd, RoundEnd.LAST_GAME),
        main=node.integer("main", 3, low=1, high=15),
        reserve=node.integer("reserve", 2, low=0, high=15),
        written=node.flag("written", True),
        by=node.codes("by", ["participant", "representative"]),
        never_about=node.codes("never_about", []),
        partly_upheld=node.choice("partly_upheld", DepositFate, DepositFate.REFUND),
        withdrawn=node.choice("withdrawn", DepositFate, DepositFate.REFUND),
        clause=node.clause(),
    )
    node.finish()
    if rules.main % 2 == 0:
        raise node.fail("main", "rule.even_panel", got=rules.main)
    return rules


def round_end(rules: AppealRules, games_ended: Sequence[datetime], own_game_ended: datetime) -> datetime:
    """Return the moment the time for appeals runs from."""
    return own_game_ended if rules.round_end is RoundEnd.OWN_GAME else max((*games_ended, own_game_ended))


def filing_deadline(rules: AppealRules, round_ended_at: datetime) -> datetime:
    """Return the last moment at which an appeal is in time (the moment itself still is)."""
    return round_ended_at + timedelta(minutes=rules.window_minutes)


def judge_filing(rules: AppealRules, filing: Filing) -> FilingVerdict:
    """Return whether an appeal is taken, and if not, the first reason why."""
    deadline = filing_deadline(rules, filing.round_ended_at)
    reason = _refusal(rules, filing, deadline)
    taken = rules.deposit if reason == "" else Money(0, rules.deposit.currency)
    return FilingVerdict(reason == "", reason, taken, deadline, rules.clause)


def _refusal(rules: AppealRules, filing: Filing, deadline: datetime) -> str:
    if not rules.committee:
        return "no_committee"
    if filing.subject in rules.never_about:
        return "pairing_not_appealable" if "pairing" in filing.subject else "subject"
    if filing.by not in rules.by:
        return "not_entitled"
    if rules.written and not filing.written:
        return "not_written"
    if filing.filed_at > deadline:
        return "late"
    return "deposit" if filing.deposit < rules.deposit else ""


def panel(rules: AppealRules, main: Sequence[str], reserve: Sequence[str], conflicted: frozenset[str]) -> list[str]:
    """Return who judges a case: nobody his own; a reserve takes the very chair of the member he replaces.

    Raises TourneyError ``appeal.panel_too_small`` when the reserves do not suffice.
    """
    if len(main) < rules.main:
        raise TourneyError("appeal.panel_too_small", members=len(main), needed=rules.main)
    waiting = [name for name in reserve if name not in conflicted]
    seats: list[str] = []
    for name in main[: rules.main]:
        if name in conflicted:
            if not waiting:
                fit = len([member for member in (*main, *reserve) if member not in conflicted])
                raise TourneyError("appeal.panel_too_small", members=fit, needed=rules.main)
            seats.append(waiting.pop(0))
        else:
            seats.append(name)
    return seats


def settle(rules: AppealRules, deposit: Money, decision: AppealDecision) -> Settlement:
    """Return who gets the deposit after a decision."""
    fate = {
        AppealDecision.UPHELD: DepositFate.REFUND,
        AppealDecision.PARTLY: rules.partly_upheld,
        AppealDecision.REFUSED: DepositFate.KEEP,
        AppealDecision.WITHDRAWN: rules.withdrawn,
    }[decision]
    zero = Money(0, deposit.currency)
    return Settlement(deposit, zero) if fate is DepositFate.REFUND else Settlement(zero, deposit)
