"""Refusals about money and its lines in the event's log, in words."""

from typing import Any

from django.utils.translation import gettext_lazy as _

MESSAGES: dict[str, Any] = {
    "money.not_an_amount": _("“%(text)s” is not an amount. Write it as 600 or 600,50."),
    "money.not_positive": _("An amount above zero is needed."),
    "money.too_much": _("This amount can't be right."),
    "money.other_currency": _("This event counts in %(currency)s."),
    "money.unknown_channel": _("Say how the money came: cash, transfer or card."),
    "money.in_the_future": _("A payment can't be dated in the future."),
    "money.more_than_paid": _("Only %(paid)s was paid."),
    "money.reason_needed": _("By the rules %(refundable)s goes back; for more than that a reason is needed."),
    "money.say_why": _("Say why: the reason stays in the record."),
    "money.reversed_already": _("This line has been taken back already."),
    "money.not_reversible": _("This line can't be taken back."),
    "reference.out_of_range": _("There are no more payment references."),
    "code.incomplete": _("A payment code needs the payee's name, account, bank and tax number."),
    "code.too_long": _("The payment code is too long: give the payee a short name."),
    "code.other_currency": _("This kind of payment code is for %(currency)s only."),
    "code.bad_sign": _("A sign in the bank details or in the purpose can't stand in a payment code."),
    "purpose.too_long": _("The purpose of the payment does not fit into %(longest)s characters."),
    "money.paid_meanwhile": _(
        "Meanwhile %(amount)s has been taken (receipt № %(receipt)s). Look at the account again."
    ),
    "money.same_entry": _("Money is moved between two different entries of this event."),
    "fees.nobody_chosen": _("Tick at least one entry."),
    "fees.other_version": _("Meanwhile version %(version)s of the regulation was published. Look at the fees again."),
    "fees.paid_meanwhile": _("%(name)s has paid meanwhile and keeps that fee. Look at the list again."),
    "drawer.open_already": _("You have an open drawer already."),
    "drawer.closed_already": _("This drawer has been closed already."),
    "drawer.explain": _("%(expected)s must be in the drawer; say where the difference of %(difference)s comes from."),
    "statement.too_large": _("The file is too large: up to %(megabytes)s MB and 50,000 payments are read."),
    "statement.empty": _("The file is empty."),
    "statement.unknown_form": _(
        "This is no statement we can read. Export it as 1C exchange, or as CSV from PrivatBank, monobank or iBank 2 UA."
    ),
    "statement.no_amount": _("“%(got)s” is no amount of money, so this row was not taken."),
    "statement.no_date": _("“%(got)s” is no date, so this row was not taken."),
    "statement.broken_table": _("The table breaks off here."),
    "statement.part_not_closed": _("A part of the file has no end."),
    "statement.cut_off": _("The file breaks off before its end: export it again and send it once more."),
    "statement.unbalanced": _("The balances do not follow from the payments: some may be missing from the file."),
    "statement.nothing_known": _(
        "The file covers days that have been read before, but none of its payments was known. Look whether they are "
        "here twice before you book them."
    ),
    "statement.read_already": _("This very file was read before (%(name)s); nothing changes."),
    "bank.choose_entry": _("Choose the entry this payment is for."),
    "bank.booked_already": _("This payment has been booked or set aside already."),
    "bank.more_than_came": _("Only %(left)s of this payment is left to book."),
    "bank.in_part": _("A part of this payment has been booked, so it can't be set aside."),
    "log.money.received": _("Received from %(name)s: %(amount)s, receipt № %(receipt)s"),
    "log.money.refunded": _("Given back to %(name)s: %(amount)s"),
    "log.money.reversed": _("Payment of %(name)s taken back: %(amount)s"),
    "log.money.price_set": _("Price of %(name)s set by hand: %(amount)s"),
    "log.money.fees_taken": _("Fees by version %(version)s of the regulation taken, entries: %(entries)s"),
    "log.money.claim_verified": _("Grounds of %(name)s checked"),
    "log.money.claim_refused": _("Grounds of %(name)s not proven"),
    "log.money.moved": _("%(amount)s moved from %(name)s to %(to)s"),
    "log.money.drawer_opened": _("Cash drawer opened with %(amount)s"),
    "log.money.drawer_closed": _("Cash drawer of %(who)s closed: counted %(amount)s, expected %(expected)s"),
    "log.money.statement_read": _("Bank statement read (%(name)s): new payments: %(new)s, booked: %(booked)s"),
    "log.money.bank_row_booked": _("Bank payment of %(amount)s booked for %(name)s"),
    "log.money.bank_row_set_aside": _("Bank payment of %(amount)s set aside"),
    "log.money.bank_row_taken_up": _("Bank payment of %(amount)s taken up again"),
    "log.money.treasury_exported": _("Money list exported, rows: %(rows)s"),
}
