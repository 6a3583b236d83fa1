"""What a treasurer looks at: due, paid and owed, by clause and by channel, whom to give back, and the event's fund.

Everything is computed from the accounts' lines at the moment of asking; the page and the workbook show the same value.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from registration.accounts import Account, totals
from registration.engine.ledger import TreasurerTotals
from registration.lists import every_account, state_badge
from registration.models import BankRow, LedgerLine
from registration.words import FEE_LINES, METHODS, OUTCOMES, line_words
from tourney.kernel.money import Money, total
from tourney.models import Entry, Tournament
from tourney.xlsx_files import Sheet


@dataclass(frozen=True, slots=True)
class ClauseRow:
    """What a clause of the regulation brings in, or takes off, over all entries."""

    clause: str
    words: str
    entries: int
    amount: Money


@dataclass(frozen=True, slots=True)
class Refund:
    """Money to give back: to whom, why, and the account it came from, where the bank told."""

    account: Account
    why: str
    payer: str
    payer_account: str


@dataclass(frozen=True, slots=True)
class Treasury:
    """The event's money. `whole.due` + `whole.credit` = `whole.paid` + `whole.owed`."""

    accounts: tuple[Account, ...]
    whole: TreasurerTotals
    by_clause: tuple[ClauseRow, ...]
    owing: tuple[Account, ...]
    refunds: tuple[Refund, ...]
    held: Money  # of the credit: from people who still wait for a place
    waiting_at_bank: Money
    lines: tuple[LedgerLine, ...]

    @property
    def to_return(self) -> Money:
        return self.whole.credit - self.held


def treasury_of(tournament: Tournament) -> Treasury:
    """Return the money of an event. The number of queries does not depend on its size."""
    found = every_account(tournament)
    lines = LedgerLine.objects.filter(tournament=tournament).select_related("entry__player", "by", "bank_row")
    whole = totals(tournament, found)
    zero = Money(0, tournament.currency)
    waiting = BankRow.objects.filter(
        tournament=tournament, state=BankRow.State.WAITING, currency=tournament.currency
    ).values_list("minor", flat=True)
    booked_parts = LedgerLine.objects.filter(
        tournament=tournament, bank_row__state=BankRow.State.WAITING, reversed_by=None
    ).values_list("minor", flat=True)
    return Treasury(
        accounts=tuple(found),
        whole=whole,
        by_clause=tuple(_by_clause(found, whole)),
        owing=tuple(account for account in found if account.owes),
        refunds=tuple(_refund(account, lines) for account in found if account.to_return),
        held=sum((account.credit for account in found if account.credit and not account.to_return), zero),
        waiting_at_bank=Money(sum(waiting) - sum(booked_parts), tournament.currency),
        lines=tuple(lines),
    )


def _by_clause(found: Sequence[Account], whole: TreasurerTotals) -> list[ClauseRow]:
    words: dict[str, dict[str, None]] = defaultdict(dict)
    entries: dict[str, set[int]] = defaultdict(set)
    for account in found:
        charged = {line.clause for line in account.ledger if line.clause in whole.due_by_clause}
        for line in account.quote.lines:
            if line.clause in charged and line.amount:
                words[line.clause][_fee_word(line.kind, line.why)] = None
                entries[line.clause].add(account.entry.pk)
    return [
        ClauseRow(clause, ", ".join(words[clause]), len(entries[clause]), amount)
        for clause, amount in whole.due_by_clause.items()
        if amount or entries[clause]
    ]


def _fee_word(kind: str, why: str) -> str:
    if kind == "outcome":
        outcome = why.partition(".")[0]
        return str(OUTCOMES.get(outcome, outcome))
    return str(FEE_LINES.get(kind, kind))


def _refund(account: Account, lines: Sequence[LedgerLine]) -> Refund:
    rows = [line.bank_row for line in lines if line.entry_id == account.entry.pk and line.bank_row and line.minor > 0]
    last = rows[-1] if rows else None
    ended = next((line for line in account.quote.lines if line.kind == "outcome"), None)
    why = _fee_word(ended.kind, ended.why) if ended else _("overpaid")
    guardian = account.application.guardian_name if account.application else ""
    return Refund(account, why, last.payer if last else guardian, last.payer_account if last else "")


@dataclass(frozen=True, slots=True)
class Group:
    """A section's part of the printed list: whoever is charged, has paid or gets something back, and the sums."""

    title: str
    rows: tuple[dict[str, Any], ...]
    due: Money
    paid: Money
    owes: Money
    back: Money


def groups_of(found: Treasury) -> list[Group]:
    """Return the printed list group by group, in the order of the groups; a clause says by which rule, never why."""
    receipts: dict[int, list[int]] = defaultdict(list)
    for line in found.lines:
        if line.receipt_number and line.entry_id:
            receipts[line.entry_id].append(line.receipt_number)
    sections = {account.entry.section_id: account.entry.section for account in found.accounts}
    groups = []
    for section in sorted(sections.values(), key=lambda one: (one.ordinal, one.pk)):
        rows = [
            {
                "name": account.entry.player.full_name,
                "state": state_badge(account.entry.state)[1] if account.entry.state != Entry.State.CONFIRMED else "",
                "clause": account.quote.basis,
                "due": account.charge,
                "paid": account.quote.paid,
                "owes": account.owes,
                "back": account.to_return,
                "receipts": ", ".join(str(number) for number in sorted(receipts[account.entry.pk])),
            }
            for account in found.accounts
            if account.entry.section_id == section.pk and (account.charge or account.quote.paid or account.to_return)
        ]
        if rows:
            sums = {
                key: total((row[key] for row in rows), rows[0]["due"].currency)
                for key in ("due", "paid", "owes", "back")
            }
            groups.append(Group(section.title_text, tuple(rows), **sums))
    return groups


def sheets_of(tournament: Tournament, found: Treasury) -> list[Sheet]:
    """Return the workbook: totals, clauses, accounts, what goes back, every line. Grounds of a fee are not in it."""
    whole = found.whole
    return [
        Sheet(_("Totals"), [_("What"), tournament.currency], total_rows(found)),
        Sheet(
            _("By clause"),
            [_("Clause"), _("What"), _("Entries"), tournament.currency],
            [[row.clause, row.words, row.entries, row.amount] for row in found.by_clause]
            + [["", _("Total"), None, whole.due]],
        ),
        Sheet(
            _("Entries"),
            [
                _("Player"),
                _("Group"),
                _("State"),
                _("Payment reference"),
                _("Due"),
                _("Paid"),
                _("Owes"),
                _("To give back"),
            ],
            [_account_row(account) for account in found.accounts],
        ),
        Sheet(
            _("To give back"),
            [_("Player"), tournament.currency, _("Why"), _("Payer"), _("Payer's account")],
            [
                [one.account.entry.player.full_name, one.account.to_return, one.why, one.payer, one.payer_account]
                for one in found.refunds
            ],
        ),
        Sheet(
            _("Cash book"),
            [_("Receipt"), _("When"), _("Player"), _("What"), _("How"), tournament.currency, _("Note"), _("By whom")],
            [_line_row(tournament, line) for line in found.lines],
        ),
    ]


def total_rows(found: Treasury) -> list[list[Any]]:
    """Return the totals as (words, amount), in the order a treasurer checks them."""
    whole = found.whole
    rows: list[list[Any]] = [[_("Due"), whole.due]]
    if whole.kept:
        rows.append([_("of it kept from entries that ended"), whole.kept])
    rows += [[_("Received: %(how)s") % {"how": METHODS.get(one, one)}, sum_] for one, sum_ in whole.by_channel.items()]
    rows += [
        [_("Received, refunds taken off"), whole.paid],
        [_("Refunded"), whole.refunded],
        [_("Still to come"), whole.owed],
        [_("To give back"), found.to_return],
        [_("Held for people who wait"), found.held],
        [_("At the bank, not booked yet"), found.waiting_at_bank],
        [_("Appeal deposits held"), whole.appeals_held],
        [_("Appeal deposits kept"), whole.appeals_kept],
    ]
    return rows


def _account_row(account: Account) -> list[Any]:
    entry = account.entry
    return [
        entry.player.full_name,
        entry.section.title_text,
        str(state_badge(entry.state)[1]),
        account.application.reference if account.application else "",
        account.charge,
        account.quote.paid,
        account.owes,
        account.to_return,
    ]


def _line_row(tournament: Tournament, line: LedgerLine) -> list[Any]:
    return [
        line.receipt_number,
        f"{line.at.astimezone(tournament.zone):%Y-%m-%d %H:%M:%S}",
        line.entry.player.full_name if line.entry else "",
        line_words(line),
        str(METHODS.get(line.channel, line.get_channel_display())),
        Money(line.minor, line.currency),
        line.note,
        line.by.get_username() if line.by else "",
    ]
