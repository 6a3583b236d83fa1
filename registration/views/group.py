"""A trainer enters many children at once, by a table or a file: all are entered, or none and every fault is shown."""

from __future__ import annotations

import uuid
from typing import Any

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from registration.forms import REFUSED_AT, EntryForm
from registration.group_table import LIMITS, MOST_ROWS, Row, Table, build, read_file, template_heads
from registration.limits import address_of, allows
from registration.links import absolute
from registration.regulations import regulation_in_force
from registration.services import register_entry
from registration.views.public import open_rules, why_closed
from tourney.csv_files import csv_response, safe_cell
from tourney.kernel.errors import TourneyError
from tourney.labels import sentence
from tourney.navigation import public_context
from tourney.permissions import public_tournament

FIRST_ROWS, MORE_ROWS = 3, 5
FAULTS_SHOWN = 50


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def group(request: HttpRequest, slug: str) -> HttpResponse:
    """The table of children: filled in by hand or from a file, looked through, sent."""
    tournament = public_tournament(request, slug)
    context = public_context(request, tournament, active="register")
    known, sections = open_rules(tournament, context["sections"])
    if known is None or not sections:
        return render(request, "registration/register_closed.html", {**context, **why_closed(tournament, known)})
    rules: dict[str, Any] = {
        "tournament": tournament,
        "known": known,
        "regulation": regulation_in_force(tournament),
        "sections": sections,
    }
    sent = {name: str(request.POST.get(name, "")) for name in request.POST}
    rows = _rows(sent)
    step = sent.get("step", "")
    if request.method != "POST" or step == "more":
        return _page(request, context, build(sent, rows=rows + MORE_ROWS * (step == "more"), judged=False, **rules))
    if step == "file":
        try:
            sent, rows = _with_file(request, sent, rows, rules)
        except TourneyError as refused:
            return _page(request, context, build(sent, rows=rows, judged=False, **rules), error=sentence(refused))
    table = build(sent, rows=rows, judged=True, **rules)
    if not table.rows:
        empty = build(sent, rows=rows, judged=False, **rules)
        return _page(request, context, empty, error=_("There is nobody in the table yet."))
    if not table.is_valid() or step != "send":
        return _page(request, context, table, checked=True)
    if not allows(request, "table"):
        return _page(request, context, table, error=sentence(TourneyError("entry.too_often")), checked=True)
    return _send(request, context, table)


def _rows(sent: dict[str, str]) -> int:
    text = sent.get("rows", "")
    return min(int(text), MOST_ROWS) if text.isascii() and text.isdecimal() and len(text) < 5 else FIRST_ROWS


def _with_file(
    request: HttpRequest, sent: dict[str, str], rows: int, rules: dict[str, Any]
) -> tuple[dict[str, str], int]:
    """Put a file's rows behind those that are filled in; return what the table then holds, and its rows."""
    if not allows(request, "table"):
        raise TourneyError("entry.too_often")
    file = request.FILES.get("file")
    if file is None:
        raise TourneyError("group.no_file")
    if file.size is None or file.size > LIMITS.size:
        raise TourneyError("sheet.too_large", most=LIMITS.size >> 20)
    names = ("tournament", "known", "sections")
    read = read_file(file.read(), **{name: rules[name] for name in names})
    typed = [index for index in range(rows) if any(sent.get(f"r{index}-{name}") for name in ("surname", "given_name"))]
    start = typed[-1] + 1 if typed else 0
    if start + len(read) > MOST_ROWS:
        raise TourneyError("sheet.too_long", rows=MOST_ROWS, columns=LIMITS.columns)
    for offset, row in enumerate(read):
        sent |= {f"r{start + offset}-{name}": value for name, value in row.items()}
    return sent, start + len(read)


def _page(
    request: HttpRequest, context: dict[str, Any], table: Table, *, error: str = "", checked: bool = False
) -> HttpResponse:
    shared = table.shared
    faults = table.faults() if checked else []
    return render(
        request,
        "registration/register_group.html",
        {
            **context,
            "table": table,
            "shared": [shared[name] for name in ("email", "phone", "coach") if name in shared.fields],
            "consents": [shared[name] for name in shared.fields if name.startswith("consent_")],
            "count": max((row.index for row in table.rows), default=FIRST_ROWS - 1) + 1,
            "most": MOST_ROWS,
            "faults": faults[:FAULTS_SHOWN],
            "more_faults": max(0, len(faults) - FAULTS_SHOWN),
            "error": error,
            "ready": checked and not faults and not error,
            "operation": request.POST.get("operation") or uuid.uuid4(),
            "regulation": shared.regulation,
        },
        status=422 if faults or error else 200,
    )


def _send(request: HttpRequest, context: dict[str, Any], table: Table) -> HttpResponse:
    base_url = request.build_absolute_uri("/").rstrip("/")
    made = []
    row: Row | None = None
    try:
        with transaction.atomic():
            for row in table.rows:
                section = row.form.section
                if section is None:  # cannot be: a valid form has found its section
                    raise TourneyError("entry.unknown")
                made.append(
                    register_entry(
                        section,
                        row.form.applicant(language=(get_language() or "")[:2], address=address_of(request)),
                        operation=row.form.cleaned_data["operation"],
                        base_url=base_url,
                    )
                )
    except TourneyError as refused:
        if row is not None:
            _show(row.form, refused)
        return _page(request, context, table, checked=True)
    entered = [{"entry": one.entry, "link": absolute(reverse("entrant", args=[one.token]), base_url)} for one in made]
    return render(request, "registration/register_group_done.html", {**context, "entered": entered})


def _show(form: EntryForm, refused: TourneyError) -> None:
    """Show a refusal at the field it is about; what names a person already entered, at the name."""
    reason = refused.code.removeprefix("entry.refused.")
    field = REFUSED_AT.get(reason) if refused.code.startswith("entry.refused.") else "surname"
    form.add_error(field if field in form.fields else None, sentence(refused))


@never_cache
@require_safe
def group_file(request: HttpRequest, slug: str) -> HttpResponse:
    """An empty file with the heads this event asks for."""
    tournament = public_tournament(request, slug)
    known, sections = open_rules(tournament, public_context(request, tournament)["sections"])
    heads: list[str] = []
    if known is not None and sections:
        regulation = regulation_in_force(tournament)
        form = EntryForm(tournament=tournament, known=known, regulation=regulation, sections=sections)
        heads = template_heads(form)
    return csv_response(f"{tournament.slug}-children", [[safe_cell(head) for head in heads]])
