"""Report files in words: what is wrong with a line, what is odd about it, and what an import leaves behind."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from swiss.engine.check_table import is_table, other_system
from swiss.engine.refusals import FILE_SENTENCES
from swiss.engine.report_games import UNRATED, ReportRound
from tourney.kernel.errors import ImportFileError, TourneyError
from tourney.kernel.trf import Trf, TrfRemark

MESSAGES: dict[str, Any] = {
    **{code: gettext_lazy(text) for code, text in FILE_SENTENCES.items()},
    # Imports
    "import.event_over": gettext_lazy("The event is over; nothing can be brought in any more."),
    "import.merged": gettext_lazy("This group plays together with another one; bring a file into a group of its own."),
    "import.not_empty": gettext_lazy("A file is brought in only where nobody has entered and nothing has begun."),
    "import.under_way": gettext_lazy("A file is being brought into this group already."),
    "import.too_few": gettext_lazy("There are %(players)s players in the file; two at least are needed."),
    "import.numbers_not_dense": gettext_lazy(
        "A round robin needs the numbers 1 to %(players)s without gaps; this file has others."
    ),
    "import.rounds_not_of_table": gettext_lazy("%(rounds)s rounds are no whole round robin of %(players)s players."),
    "log.swiss.report_imported": gettext_lazy(
        "%(section)s: brought in from a report file (%(file)s), players: %(players)s, rounds: %(rounds)s"
    ),
    "log.swiss.exchange_exported": gettext_lazy("%(section)s: report file (TRF) taken out"),
}


def place_words(line: int, column: int) -> str:
    """Return where in a file something is: `line 12, column 95`."""
    if not line:
        return ""
    if not column:
        return _("line %(line)s") % {"line": line}
    return _("line %(line)s, column %(column)s") % {"line": line, "column": column}


def refusal_words(refusal: dict[str, Any]) -> dict[str, str]:
    """Return why the worker could not bring a file in: where, and what is wrong."""
    from tourney.labels import sentence  # noqa: PLC0415 -- the labels of this app are built from this module

    code, values = str(refusal["code"]), dict(refusal.get("values") or {})
    text = str(MESSAGES[code]) % values if code in MESSAGES else str(sentence(TourneyError(code, **values)))
    return {"where": place_words(int(refusal.get("line") or 0), int(refusal.get("column") or 0)), "text": text}


def fault_words(error: ImportFileError) -> dict[str, str]:
    """Return a refusal of a file: where, and what is wrong."""
    text = str(MESSAGES[error.code]) % error.values if error.code in MESSAGES else str(error)
    return {"where": place_words(error.line, error.column), "text": text}


def remark_words(remark: TrfRemark) -> dict[str, str]:
    """Return an oddity of a file: where, and what it is."""
    values = dict(remark.values)
    for key in ("found", "counted"):
        if remark.code == "trf.points_differ" and isinstance(values.get(key), int):
            values[key] = f"{values[key] // 2}{'½' if values[key] % 2 else ''}"
    return {"where": place_words(remark.line, remark.column), "text": str(MESSAGES[remark.code]) % values}


def left_behind(trf: Trf, rounds: tuple[ReportRound, ...]) -> list[str]:
    """Return what an import of this file does not bring in, or has to guess."""
    found = []
    if any(code in trf.header for code in ("012", "022", "032", "042", "052", "102", "112", "122")):
        found.append(_("Name, place, days, arbiters and time control: the event keeps its own."))
    if trf.tie_breaks:
        found.append(
            _("Tie-breaks of the file (%(codes)s): the regulation's own are used.")
            % {"codes": ", ".join(trf.tie_breaks)}
        )
    if any(player.rank for player in trf.players):
        found.append(_("Places of the file: they are computed anew from the results."))
    if trf.round_dates:
        found.append(_("Days of rounds."))
    if any(cell.result in UNRATED for player in trf.players for cell in player.cells if cell.is_game):
        found.append(_("That a game is not rated (W, D, L): it is kept as an ordinary result."))
    guessed = sum(1 for one in rounds for board in one.boards if board.guessed)
    if guessed:
        found.append(_("Colours of forfeited games the file leaves out (%(n)s): guessed.") % {"n": guessed})
    if not trf.rounds_total:
        found.append(_("The number of rounds, which the file does not say: it is taken to be over after the last one."))
    if trf.first_color is None and not is_table(trf):
        found.append(_("The colour drawn for the first board: it is read from round 1."))
    if code := other_system(trf):
        found.append(_("The system “%(code)s”: further rounds would be paired by the Dutch system.") % {"code": code})
    if trf.other:
        heads = sorted({line[:3].strip() for line in trf.other})
        found.append(_("Lines of other kinds: %(heads)s.") % {"heads": ", ".join(heads)})
    if trf.comments:
        found.append(_("Comments."))
    return found
