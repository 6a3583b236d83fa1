"""The bank slip on paper: the payee's details, the purpose, the amount and the code, twice, for the bank and the payer.

Values in, PDF out: A4, points from the lower left corner, no network and no clock. Texts are drawn, never interpreted.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import get_language, pgettext
from django.utils.translation import gettext as _
from reportlab.lib.colors import HexColor, white
from reportlab.lib.pagesizes import A4
from reportlab.lib.units import cm
from reportlab.pdfgen.canvas import Canvas

from registration.accounts import Account
from registration.amounts import amount_words
from registration.paying import payment_words
from registration.qr import DISC, QUIET, dots
from tourney.formatting import money_text
from tourney.pdf_fonts import BOLD, TEXT, register_fonts, wrapped

INK, QUIET_INK, RULE = HexColor("#1c1a16"), HexColor("#5a5347"), HexColor("#897f6c")
MARGIN = 1.7 * cm
CODE = 5.0 * cm  # with its white around; the standards ask for 4 cm at least
_WIDTH, _HEIGHT = A4
_GAP = 0.6 * cm


@dataclass(frozen=True, slots=True)
class Slip:
    """The words of a slip. `rows` are label and value; `code` is the text of the payment code, or empty."""

    language: str
    title: str
    event: str
    copies: tuple[str, str]
    rows: Sequence[tuple[str, str]]
    amount: str
    amount_in_words: str
    signature: str
    note: str
    code: str = ""
    sign: str = ""  # in the middle of the code


def slip_of(account: Account) -> Slip | None:
    """Return the slip of what an entry is to pay now; None when nothing is, or nobody can be paid by transfer."""
    payment = payment_words(account)
    if payment is None or not payment.requisites:
        return None
    entry = account.entry
    code = payment.codes[0] if payment.codes else None
    return Slip(
        language=(get_language() or "uk")[:2],
        title=_("Payment slip"),
        event=entry.tournament.title_text,
        copies=(pgettext("payment slip", "For the bank"), pgettext("payment slip", "For the payer")),
        rows=[
            *((str(row["label"]), row["value"]) for row in payment.requisites),
            (pgettext("payment", "Purpose"), payment.purpose),
            (_("Player"), entry.player.full_name),
            (_("Payment reference"), payment.reference),
        ],
        amount=money_text(payment.ask),
        amount_in_words=amount_words(payment.ask),
        signature=_("Date and the payer's signature"),
        note=_("Write the purpose exactly so: the payment is found by its reference."),
        code=code.text if code else "",
        sign=code.sign if code else "",
    )


def draw_slip(slip: Slip) -> bytes:
    """Return the PDF of a slip: one sheet with the two copies and a line to cut along."""
    register_fonts()
    written = io.BytesIO()
    canvas = Canvas(written, pagesize=A4, lang=slip.language, invariant=True, pageCompression=1)
    canvas.setTitle(slip.title)
    half = _HEIGHT / 2
    _fitted(canvas, slip, slip.copies[0], top=_HEIGHT - MARGIN, with_code=True)
    canvas.setStrokeColor(RULE)
    canvas.setDash(3, 3)
    canvas.line(MARGIN / 2, half, _WIDTH - MARGIN / 2, half)
    canvas.setDash()
    _fitted(canvas, slip, slip.copies[1], top=half - MARGIN * 0.7, with_code=False)
    canvas.showPage()
    canvas.save()
    return written.getvalue()


def _fitted(canvas: Canvas, slip: Slip, name: str, *, top: float, with_code: bool) -> None:
    """Draw one copy into its half of the sheet, smaller when long names need more room."""
    needed = top - _copy(Canvas(io.BytesIO()), slip, name, top=top, with_code=with_code)
    scale = min(1.0, (_HEIGHT / 2 - MARGIN * 1.2) / needed)
    canvas.saveState()
    canvas.translate(MARGIN, top)
    canvas.scale(scale, scale)
    canvas.translate(-MARGIN, -top)
    _copy(canvas, slip, name, top=top, with_code=with_code)
    canvas.restoreState()


def _copy(canvas: Canvas, slip: Slip, name: str, *, top: float, with_code: bool) -> float:
    """Draw one copy from a height downwards; return where it ends."""
    y = top - 14
    canvas.setFillColor(INK)
    canvas.setFont(BOLD, 14)
    canvas.drawString(MARGIN, y, slip.title)
    canvas.setFillColor(QUIET_INK)
    canvas.setFont(TEXT, 9)
    canvas.drawRightString(_WIDTH - MARGIN, y, name)
    y -= 6
    for line in wrapped(slip.event, TEXT, 9, _WIDTH - 2 * MARGIN)[:2]:
        y -= 11
        canvas.drawString(MARGIN, y, line)
    right = _WIDTH - MARGIN
    if with_code and slip.code:
        right -= CODE + _GAP
        _code(canvas, slip, _WIDTH - MARGIN - CODE, y - 8 - CODE)
    y = _rows(canvas, slip.rows, y - 8, right)
    y = _amount(canvas, slip, y, right)
    canvas.setFillColor(QUIET_INK)
    canvas.setFont(TEXT, 8)
    for line in wrapped(slip.note, TEXT, 8, right - MARGIN):
        y -= 10
        canvas.drawString(MARGIN, y, line)
    y -= 30
    canvas.setStrokeColor(RULE)
    canvas.line(MARGIN, y, MARGIN + 8 * cm, y)
    canvas.drawString(MARGIN, y - 10, slip.signature)
    return y - 12


def _rows(canvas: Canvas, rows: Sequence[tuple[str, str]], y: float, right: float) -> float:
    """Draw label and value lines with a rule under each; return where they end."""
    label_width = 4.1 * cm
    for label, value in rows:
        if not value:
            continue
        labels = wrapped(label, TEXT, 8, label_width - 6)
        values = wrapped(value, TEXT, 9.5, right - MARGIN - label_width)[:4]
        height = max(len(labels) * 9.5, len(values) * 11.5) + 5
        canvas.setFillColor(QUIET_INK)
        canvas.setFont(TEXT, 8)
        for number, line in enumerate(labels):
            canvas.drawString(MARGIN, y - 10 - number * 9.5, line)
        canvas.setFillColor(INK)
        canvas.setFont(TEXT, 9.5)
        for number, line in enumerate(values):
            canvas.drawString(MARGIN + label_width, y - 10 - number * 11.5, line)
        y -= height
        canvas.setStrokeColor(RULE)
        canvas.setLineWidth(0.3)
        canvas.line(MARGIN, y, right, y)
    return y


def _amount(canvas: Canvas, slip: Slip, y: float, right: float) -> float:
    y -= 20
    canvas.setFillColor(INK)
    canvas.setFont(BOLD, 14)
    canvas.drawString(MARGIN, y, slip.amount)
    canvas.setFont(TEXT, 9)
    for line in wrapped(slip.amount_in_words, TEXT, 9, right - MARGIN):
        y -= 13
        canvas.drawString(MARGIN, y, line)
    return y - 2


def _code(canvas: Canvas, slip: Slip, left: float, bottom: float) -> None:
    """Draw the code as black runs, and the sign in its white disc."""
    rows = dots(slip.code)
    side = len(rows) + 2 * QUIET
    dot = CODE / side
    canvas.setFillColor(HexColor("#000000"))
    for y, row in enumerate(rows):
        x = 0
        while x < len(row):
            start = x
            while x < len(row) and row[x]:
                x += 1
            if x > start:
                place = (left + (start + QUIET) * dot, bottom + CODE - (y + QUIET + 1) * dot)
                # A hair taller than a dot, so that no white line shows between rows on paper.
                canvas.rect(*place, (x - start) * dot, dot * 1.02, stroke=0, fill=1)
            x += 1
    if slip.sign:
        radius = len(rows) * DISC * dot / 2
        canvas.setFillColor(white)
        canvas.circle(left + CODE / 2, bottom + CODE / 2, radius, stroke=0, fill=1)
        canvas.setFillColor(HexColor("#000000"))
        canvas.setFont(BOLD, radius * 1.5)
        canvas.drawCentredString(left + CODE / 2, bottom + CODE / 2 - radius * 0.52, slip.sign)
