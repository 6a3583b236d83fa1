"""Statements that are tables: PrivatBank, monobank and iBank 2 UA. A layout is data: which columns it knows.

A file belongs to the first layout all of whose needed columns are in its heading, wherever they stand; banks move
columns and add new ones.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any

from registration.engine.statements.movements import Fault, Movement, Statement
from registration.engine.statements.texts import composed, decoded, folded, minor_units, moment
from tourney.kernel.money import Money

_CURRENCIES = {"980": "UAH", "643": "RUB", "810": "RUB", "840": "USD", "978": "EUR", "ГРН": "UAH", "РУБ": "RUB"}


@dataclass(frozen=True, slots=True)
class Layout:
    """A bank's table. Columns by their part: each may have several headings, the first that is there counts."""

    code: str
    needed: Mapping[str, Sequence[str]]
    others: Mapping[str, Sequence[str]]


_PURPOSE = ("Призначення платежу", "Призначення", "Назначение платежа")
_PAYER = ("Кореспондент", "Назва кореспондента", "Найменування кореспондента", "Контрагент", "Назва контрагента")
_PAYER_ACCOUNT = ("Рахунок кореспондента", "Рахунок контрагента", "IBAN контрагента", "Номер рахунку контрагента")
_DATE = ("Дата операції", "Дата проведення", "Дата та час операції", "Дата")
_NUMBER = ("Номер документу", "Номер документа", "№ документа", "Документ №")
_OWN = ("Рахунок", "Номер рахунку", "IBAN")
_CURRENCY = ("Валюта", "Валюта рахунку")
_ID = ("Референс", "REF", "ID операції", "Ідентифікатор операції", "Номер транзакції")

LAYOUTS = (
    Layout(
        "ibank",
        {"date": _DATE, "debit": ("Дебет",), "credit": ("Кредит",), "purpose": _PURPOSE},
        {"payer": _PAYER, "payer_account": _PAYER_ACCOUNT, "number": _NUMBER, "account": _OWN, "currency": _CURRENCY},
    ),
    Layout(
        "monobank",
        {
            "date": ("Дата i час операції", "Дата і час операції"),
            "amount": ("Сума в валюті картки (UAH)", "Сума в валюті картки", "Сума в валюті рахунку (UAH)"),
            "purpose": ("Деталі операції", "Опис операції"),
        },
        {"payer": _PAYER, "payer_account": _PAYER_ACCOUNT, "comment": ("Коментар", *_PURPOSE), "id": _ID},
    ),
    Layout(
        "privatbank",
        {"date": _DATE, "amount": ("Сума", "Сума операції"), "purpose": _PURPOSE},
        {
            "payer": _PAYER,
            "payer_account": _PAYER_ACCOUNT,
            "number": _NUMBER,
            "account": _OWN,
            "currency": _CURRENCY,
            "id": _ID,
        },
    ),
)
_HEAD_WITHIN = 30  # rows; some banks write the account and the period above the table


def read_table(raw: bytes, currency: str, zone: tzinfo) -> Statement | None:
    """Return what a table says; None when it is no table of a known layout."""
    text = decoded(raw)
    for separator in ";,\t":
        rows = csv.reader(text.splitlines(keepends=True), delimiter=separator)
        try:
            for number, row in enumerate(rows):
                if number >= _HEAD_WITHIN:
                    break
                found = _layout(row)
                if found is not None:
                    layout, places = found
                    return _read(rows, layout, places, row, currency, zone)
        except csv.Error:
            continue
    return None


def _layout(head: Sequence[str]) -> tuple[Layout, dict[str, int]] | None:
    columns = {folded(cell): place for place, cell in reversed(list(enumerate(head)))}
    for layout in LAYOUTS:
        places: dict[str, int] = {}
        for part, headings in {**layout.needed, **layout.others}.items():
            place = next((columns[folded(text)] for text in headings if folded(text) in columns), None)
            if place is not None:
                places[part] = place
        if all(part in places for part in layout.needed):
            return layout, places
    return None


def _read(
    rows: Any,  # the csv reader, which knows the line of the file
    layout: Layout,
    places: Mapping[str, int],
    head: Sequence[str],
    currency: str,
    zone: tzinfo,
) -> Statement:
    movements: list[Movement] = []
    faults: list[Fault] = []
    outgoing = 0
    try:
        for row in rows:
            if not any(cell.strip() for cell in row):
                continue
            cells = _Row(rows.line_num, row, places, head)
            try:
                minor = _signed(cells, layout)
                if minor < 0:
                    outgoing += 1
                    continue
                movements.append(_movement(cells, minor, currency, zone))
            except _Unreadable as wrong:
                if not _is_footer(cells):
                    faults.append(wrong.fault)
    except csv.Error:
        faults.append(Fault(rows.line_num, "", "statement.broken_table"))
    return Statement(layout.code, tuple(movements), tuple(faults), (), outgoing)


class _Row:
    """One row, asked by the part a column plays."""

    def __init__(self, line: int, row: Sequence[str], places: Mapping[str, int], head: Sequence[str]) -> None:
        self.line, self.row, self.places, self.head = line, row, places, head

    def __getitem__(self, part: str) -> str:
        place = self.places.get(part)
        return composed(self.row[place]) if place is not None and place < len(self.row) else ""

    def wrong(self, part: str, code: str) -> _Unreadable:
        place = self.places.get(part)
        column = composed(self.head[place]) if place is not None else part
        return _Unreadable(Fault(self.line, column, code, self[part][:40]))


class _Unreadable(Exception):
    def __init__(self, fault: Fault) -> None:
        self.fault = fault
        super().__init__(fault.code)


def _is_footer(cells: _Row) -> bool:
    """Say whether a row under the table is its foot (totals, a signature): it has no date."""
    return not cells["date"]


def _signed(cells: _Row, layout: Layout) -> int:
    """Return the amount of a row, below zero for money that left; nothing and zero are no amounts."""
    values: dict[str, int | None] = {}
    for part in ("debit", "credit", "amount"):
        if part in layout.needed:
            try:
                values[part] = minor_units(cells[part])
            except ValueError as error:
                raise cells.wrong(part, "statement.no_amount") from error
    if "amount" not in values:
        credit, debit = values["credit"], values["debit"]
        if bool(credit) == bool(debit):
            raise cells.wrong("credit", "statement.no_amount")
        return int(credit) if credit else -int(debit or 0)
    if not values["amount"]:
        raise cells.wrong("amount", "statement.no_amount")
    return int(values["amount"])


def _movement(cells: _Row, minor: int, currency: str, zone: tzinfo) -> Movement:
    try:
        paid_on = moment(cells["date"], zone)
    except ValueError as error:
        raise cells.wrong("date", "statement.no_date") from error
    if paid_on is None:
        raise cells.wrong("date", "statement.no_date")
    stated = cells["currency"].upper()
    purpose = " ".join(dict.fromkeys(text for text in (cells["purpose"], cells["comment"]) if text))
    return Movement(
        line=cells.line,
        paid_on=paid_on,
        amount=Money(minor, _CURRENCIES.get(stated, stated)[:3] if stated else currency),
        payer=cells["payer"],
        payer_account=cells["payer_account"].replace(" ", ""),
        purpose=purpose,
        number=cells["number"],
        account=cells["account"].replace(" ", ""),
        bank_id=cells["id"],
    )
