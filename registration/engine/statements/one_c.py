"""The exchange of 1C with banks (1CClientBankExchange 1.02 and 1.03): lines ``key=value`` in sections.

A payment is incoming when its recipient's account is ours and it has arrived. Every kind of document counts; banks
name them differently.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, tzinfo

from registration.engine.statements.movements import Fault, Movement, Statement
from registration.engine.statements.texts import composed, decoded, minor_units, moment
from tourney.kernel.money import Money

FIRST_LINE = "1CClientBankExchange"
_CODECS = {"windows": "cp1251", "dos": "cp866", "utf-8": "utf-8", "utf8": "utf-8"}
_TAX_NUMBER = re.compile(r"^ИНН\s*\d+\s*")


@dataclass(slots=True)
class _Document:
    line: int
    values: dict[str, str] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)  # where each key stands


def is_exchange(raw: bytes) -> bool:
    """Say whether a file is an exchange of 1C."""
    return decoded(raw[:64]).lstrip("\ufeff").startswith(FIRST_LINE)


def read_exchange(raw: bytes, currency: str, zone: tzinfo, own_accounts: frozenset[str]) -> Statement:
    """Return what an exchange says. `own_accounts` help where the file itself does not name the account."""
    text = _text(raw)
    accounts, sections, documents, warnings = _parts(text)
    ours = frozenset(accounts) or own_accounts
    movements: list[Movement] = []
    faults: list[Fault] = []
    outgoing = 0
    for document in documents:
        if not _is_incoming(document.values, ours):
            outgoing += 1
            continue
        try:
            movements.append(_movement(document, currency, zone))
        except _Unreadable as wrong:
            faults.append(wrong.fault)
    warnings += _unbalanced(sections, movements, complete=not faults)
    return Statement("1c", tuple(movements), tuple(faults), tuple(warnings), outgoing)


def _text(raw: bytes) -> str:
    """Return the text by the encoding the file declares; the declaration itself is found in its own encoding."""
    if not raw.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        for codec in ("utf-8", "cp1251", "cp866"):
            found = re.search(r"^Кодировка=(\S+)", raw[:4096].decode(codec, errors="replace"), re.MULTILINE)
            if found:
                # Declared one way and written another happens: the encoding the word was found in is the real one.
                declared = _CODECS.get(found[1].casefold(), codec)
                return raw.decode(codec if codec == "utf-8" else declared, errors="replace")
    return decoded(raw)


def _parts(text: str) -> tuple[list[str], list[_Document], list[_Document], list[Fault]]:
    """Return our accounts, the sections of balances, the documents, and what is odd about the file."""
    accounts: list[str] = []
    sections: list[_Document] = []
    documents: list[_Document] = []
    warnings: list[Fault] = []
    open_part: _Document | None = None
    number, ended = 0, False
    for number, key, value in _pairs(text):
        match key:
            case "СекцияДокумент" | "СекцияРасчСчет":
                if open_part is not None:
                    warnings.append(Fault(open_part.line, key, "statement.part_not_closed"))
                open_part = _Document(number)
                (documents if key == "СекцияДокумент" else sections).append(open_part)
            case "КонецДокумента" | "КонецРасчСчет":
                open_part = None
            case "КонецФайла":
                ended = True
            case _ if open_part is None:
                if key == "РасчСчет" and value:
                    accounts.append(value)
            case _:
                open_part.values[key] = value
                open_part.lines[key] = number
    if open_part is not None or not ended:
        warnings.append(Fault(number, "КонецФайла", "statement.cut_off"))
    return accounts, sections, documents, warnings


def _pairs(text: str) -> Iterator[tuple[int, str, str]]:
    for number, line in enumerate(text.splitlines(), start=1):
        key, _sign, value = line.partition("=")  # a purpose may have more of these signs
        if key.strip():
            yield number, composed(key.lstrip("\ufeff")), composed(value)


def _is_incoming(values: dict[str, str], ours: frozenset[str]) -> bool:
    recipient = values.get("ПолучательСчет") or values.get("ПолучательРасчСчет", "")
    payer = values.get("ПлательщикСчет") or values.get("ПлательщикРасчСчет", "")
    arrived, left = values.get("ДатаПоступило", ""), values.get("ДатаСписано", "")
    if ours:
        return recipient in ours and payer not in ours and bool(arrived or not left)
    return bool(arrived and not left)


def _movement(document: _Document, currency: str, zone: tzinfo) -> Movement:
    values = document.values
    payer = values.get("Плательщик1") or _TAX_NUMBER.sub("", values.get("Плательщик", ""))
    purpose = [values.get("НазначениеПлатежа", ""), *(values.get(f"НазначениеПлатежа{n}", "") for n in range(1, 7))]
    if len(purpose[0]) and all(part in purpose[0] for part in purpose[1:]):
        purpose = purpose[:1]  # some banks write the whole text, and then its pieces again
    return Movement(
        line=document.line,
        paid_on=_paid_on(document, zone),
        amount=_amount(document, currency),
        payer=payer,
        payer_account=values.get("ПлательщикСчет") or values.get("ПлательщикРасчСчет", ""),
        purpose=" ".join(part for part in purpose if part),
        number=values.get("Номер", ""),
        account=values.get("ПолучательСчет") or values.get("ПолучательРасчСчет", ""),
    )


def _paid_on(document: _Document, zone: tzinfo) -> datetime | date:
    """Return the payer's day: when it left him, else the day on his document, never after it arrived."""
    found: dict[str, datetime | date] = {}
    for key in ("ДатаСписано", "Дата", "ДатаПоступило"):
        try:
            on = moment(document.values.get(key, ""), zone)
        except ValueError as error:
            raise _Unreadable(document, key, "statement.no_date") from error
        if on is not None:
            found[key] = on
    if not found:
        raise _Unreadable(document, "Дата", "statement.no_date")
    days = {key: on.date() if isinstance(on, datetime) else on for key, on in found.items()}
    chosen = next(iter(found))
    arrived = days.get("ДатаПоступило")
    return found["ДатаПоступило"] if arrived is not None and days[chosen] > arrived else found[chosen]


def _amount(document: _Document, currency: str) -> Money:
    try:
        minor = minor_units(document.values.get("Сумма", ""))
    except ValueError as error:
        raise _Unreadable(document, "Сумма", "statement.no_amount") from error
    if minor is None or minor <= 0:
        raise _Unreadable(document, "Сумма", "statement.no_amount")
    return Money(minor, currency)


def _unbalanced(sections: list[_Document], movements: list[Movement], *, complete: bool) -> list[Fault]:
    """Return what shows that documents are missing: balances that don't follow from the payments."""
    found: list[Fault] = []
    came_in, all_told = 0, True
    for section in sections:
        try:
            opening, incoming, left, closing = (
                minor_units(section.values.get(key, ""))
                for key in ("НачальныйОстаток", "ВсегоПоступило", "ВсегоСписано", "КонечныйОстаток")
            )
        except ValueError:
            opening = incoming = left = closing = None
        if incoming is None:
            all_told = False
            continue
        came_in += incoming
        if opening is not None and left is not None and closing is not None and opening + incoming - left != closing:
            found.append(Fault(section.line, "КонечныйОстаток", "statement.unbalanced"))
    if sections and all_told and complete and came_in != sum(movement.amount.minor for movement in movements):
        found.append(Fault(sections[0].line, "ВсегоПоступило", "statement.unbalanced"))
    return found


class _Unreadable(Exception):
    def __init__(self, document: _Document, key: str, code: str) -> None:
        line = document.lines.get(key, document.line)
        self.fault = Fault(line, key, code, document.values.get(key, "")[:40])
        super().__init__(code)
