"""Many children at once, as a trainer enters them: a table, typed in or read from a file, and one entry form a row.

A file is only a quicker way to fill in the table: what it holds appears in the rows, faults beside the cells, and
nothing is sent before everything is right. The rules for a row are those of the ordinary form, because it is one.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from registration.asked_fields import CONSENTS, OTHER_LEVEL
from registration.engine.rules import RegistrationRules
from registration.fields import RATING_WORDS, clean_line
from registration.forms import EntryForm
from registration.services.applicants import fold_name
from registration.sheets import Limits, read_table
from tourney.kernel.errors import TourneyError
from tourney.models import Regulation, Section, Tournament

MOST_ROWS = 100
LIMITS = Limits(inflated=20 << 20, rows=MOST_ROWS + 1, columns=40)
# The fields of a row, in the order of the table; those an event does not ask for are left out.
ROW_FIELDS = (
    "surname",
    "given_name",
    "patronymic",
    "birth_date",
    "sex",
    "section",
    "level",
    "level_text",
    *(f"rating_{kind}" for kind in RATING_WORDS),
    "fide_id",
    "national_id",
    "city",
    "club",
    "guardian_name",
    "lives_in_region",
    "registered_in_region",
)
# Told once for all rows.
SHARED_FIELDS = ("email", "phone", "coach", *(f"consent_{code}" for code in CONSENTS))
HEAD_WORDS: dict[str, Any] = {
    "surname": gettext_lazy("Surname"),
    "given_name": pgettext_lazy("person", "Name"),
    "patronymic": gettext_lazy("Patronymic"),
    "birth_date": gettext_lazy("Date of birth"),
    "sex": gettext_lazy("Sex"),
    "section": gettext_lazy("Group"),
    "level": gettext_lazy("Class"),
    **{f"rating_{kind}": words for kind, words in RATING_WORDS.items()},
    "fide_id": "ID FIDE",
    "national_id": gettext_lazy("National ID"),
    "city": gettext_lazy("Town"),
    "club": gettext_lazy("Club or school"),
    "guardian_name": gettext_lazy("Parent or guardian"),
}
# What trainers call the columns, besides the words of the form itself.
_HEADS: dict[str, tuple[str, ...]] = {
    "surname": ("прізвище", "фамилия", "surname", "last name"),
    "given_name": ("ім'я", "имя", "name", "given name", "first name"),
    "patronymic": ("по батькові", "отчество", "patronymic"),
    "birth_date": ("дата народження", "дата рождения", "date of birth", "birth date", "born"),
    "sex": ("стать", "пол", "sex"),
    "section": ("група", "группа", "group"),
    "level": ("розряд", "разряд", "class"),
    "fide_id": ("id fide", "fide id"),
    "national_id": ("національний id", "национальный id", "national id", "id фшр", "id"),
    "rating_national": ("національний рейтинг", "национальный рейтинг", "national rating", "рейтинг", "rating"),
    "city": ("місто", "населений пункт", "город", "населенный пункт", "town", "city"),
    "club": ("клуб", "клуб або школа", "клуб или школа", "школа", "club", "club or school"),
    "guardian_name": ("батьки", "хтось із батьків", "родитель", "parent", "parent or guardian", "мати", "мать"),
}
_SEX = {"ч": "M", "м": "M", "m": "M", "х": "M", "ж": "F", "д": "F", "f": "F", "w": "F"}
_DAY = re.compile(r"(\d{1,2})[./-](\d{1,2})[./-](\d{4})")


@dataclass(slots=True)
class Row:
    """One child of the table and its form."""

    index: int
    form: EntryForm

    @property
    def fields(self) -> list[Any]:
        return [self.form[name] for name in ROW_FIELDS if name in self.form.fields]

    def faults(self) -> list[dict[str, Any]]:
        """Return the faults with row and column, as people count and call them; row 0: told once for all rows."""
        found = []
        for name, errors in self.form.errors.items():
            label = self.form.fields[name].label if name in self.form.fields else ""
            row = 0 if name in SHARED_FIELDS else self.index + 1
            found += [{"row": row, "column": label, "text": text} for text in errors]
        return found


@dataclass(slots=True)
class Table:
    """The rows, and the form of what is told once."""

    shared: EntryForm
    rows: list[Row] = field(default_factory=list)

    def is_valid(self) -> bool:
        """Judge every row by the rules of the ordinary form; two equal rows are one fault."""
        valid = [row.form.is_valid() for row in self.rows]
        seen: dict[tuple[Any, ...], int] = {}
        for row in self.rows:
            data = row.form.cleaned_data
            key = (
                fold_name(data.get("surname") or ""),
                fold_name(data.get("given_name") or ""),
                data.get("birth_date"),
            )
            if all(key) and key in seen:
                row.form.add_error("surname", _("The same child as in row %(number)s.") % {"number": seen[key] + 1})
                valid.append(False)
            seen.setdefault(key, row.index)
        return bool(self.rows) and all(valid)

    def faults(self) -> list[dict[str, Any]]:
        """Return every fault once: what is told for all rows is wrong in each of them."""
        found: list[dict[str, Any]] = []
        for row in self.rows:
            found += [fault for fault in row.faults() if fault["row"] or fault not in found]
        return sorted(found, key=lambda fault: int(fault["row"]))


def build(
    sent: Mapping[str, str],
    *,
    rows: int,
    tournament: Tournament,
    known: RegistrationRules,
    regulation: Regulation,
    sections: Sequence[Section],
    judged: bool,
) -> Table:
    """Return the table for what was sent (`r0-surname`, … and the shared `all-email`, …), with `rows` rows.

    `judged` False makes forms that only carry what was typed; a row that names nobody is not judged.
    """

    def form(prefix: str, *bound: Any, **more: Any) -> EntryForm:
        return EntryForm(
            *bound,
            prefix=prefix,
            tournament=tournament,
            known=known,
            regulation=regulation,
            sections=sections,
            **more,
        )

    shared = {name: sent.get(f"all-{name}", "") for name in SHARED_FIELDS}
    table = Table(form("all", initial=_initial(shared)))
    group = _uuid(sent.get("operation", ""))
    for index in range(min(rows, MOST_ROWS)):
        typed = {name: sent.get(f"r{index}-{name}", "") for name in ROW_FIELDS}
        if not judged:
            table.rows.append(Row(index, form(f"r{index}", initial=_initial(typed))))
            continue
        if not any(typed[name].strip() for name in ("surname", "given_name", "birth_date", "fide_id", "national_id")):
            continue
        # The same table sent twice makes the same entries once: a row's number is part of its operation.
        values = typed | shared | {"operation": str(uuid.uuid5(group, str(index))), "regulation": str(regulation.pk)}
        bound = {f"r{index}-{name}": value for name, value in values.items()}
        table.rows.append(Row(index, form(f"r{index}", bound)))
    return table


def _initial(values: Mapping[str, str]) -> dict[str, Any]:
    """Return initial values: a box is ticked or not, everything else is its text."""
    boxes = ("consent_", "lives_in", "registered_in")
    return {name: value == "on" if name.startswith(boxes) else value for name, value in values.items()}


def _uuid(text: str) -> uuid.UUID:
    try:
        return uuid.UUID(text)
    except ValueError:
        return uuid.uuid4()


# -- files -------------------------------------------------------------------------------------------------------------


def read_file(
    content: bytes, *, tournament: Tournament, known: RegistrationRules, sections: Sequence[Section]
) -> list[dict[str, str]]:
    """Return the rows of a file under the names of the form's fields, in the form's own spelling where it is clear.

    What can't be understood stays as it is written, so that its row says what is wrong with it. Raises TourneyError
    ``group.no_heads``, ``group.no_rows`` and what `read_table` says.
    """
    table = [[clean_line(cell) for cell in row] for row in read_table(content, LIMITS)]
    table = [row for row in table if any(row)]
    columns = _columns(table[0]) if table else {}
    if not {"surname", "birth_date"} <= set(columns):
        raise TourneyError("group.no_heads")
    levels = {code.casefold(): code for code in known.entry.levels}
    levels |= {fold_name(tournament.in_words(dict(text))): code for code, text in known.entry.levels.items()}
    groups = {one.code: one.code for one in sections} | {fold_name(one.title_text): one.code for one in sections}
    found = []
    for cells in table[1:]:
        row = {name: cells[at] for name, at in columns.items() if at < len(cells) and cells[at]}
        if row:
            found.append(_spelled(row, levels, groups))
    if not found:
        raise TourneyError("group.no_rows")
    return found


def _columns(heads: Sequence[str]) -> dict[str, int]:
    """Return which column holds what; the first of two columns with one meaning counts."""
    found: dict[str, int] = {}
    for at, head in enumerate(heads):
        plain = fold_name(head).strip(" *:.")
        for name, words in HEAD_WORDS.items():
            if name not in found and (plain == fold_name(str(words)) or plain in _HEADS.get(name, ())):
                found[name] = at
                break
    return found


def _spelled(row: Mapping[str, str], levels: Mapping[str, str], groups: Mapping[str, str]) -> dict[str, str]:
    spelled = dict(row)
    if sex := row.get("sex"):
        spelled["sex"] = _SEX.get(fold_name(sex)[:1], sex)
    if day := _DAY.fullmatch(row.get("birth_date", "")):
        spelled["birth_date"] = f"{day[3]}-{int(day[2]):02}-{int(day[1]):02}"
    if level := row.get("level"):
        code = levels.get(fold_name(level))
        spelled["level"] = code or OTHER_LEVEL
        if code is None:
            spelled["level_text"] = level[:8]
    if group := row.get("section"):
        spelled["section"] = groups.get(fold_name(group), group)
    return spelled


def template_heads(form: EntryForm) -> list[str]:
    """Return the heads of an empty file for this event, in the reader's language."""
    return [str(words) for name, words in HEAD_WORDS.items() if name in form.fields]
