"""Report files in words: what is wrong with a line, what is odd about it, and what an import leaves behind."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from swiss.engine.check_table import is_table, other_system
from swiss.engine.report_games import UNRATED, ReportRound
from tourney.kernel.errors import ImportFileError, TourneyError
from tourney.kernel.trf import Trf, TrfRemark

MESSAGES: dict[str, Any] = {
    # A line that can't be read
    "trf.unknown_record": gettext_lazy("“%(found)s” is the beginning of no line a report can have."),
    "trf.bad_number": gettext_lazy("A number of a player from %(low)s to %(high)s is expected, not “%(found)s”."),
    "trf.bad_points": gettext_lazy("Points like 3.5 are expected, not “%(found)s”."),
    "trf.number_twice": gettext_lazy("Number %(number)s is given twice (first in line %(first_line)s)."),
    "trf.bad_sex": gettext_lazy("m or w is expected, not “%(found)s”."),
    "trf.bad_rating": gettext_lazy("A rating from %(low)s to %(high)s is expected, not “%(found)s”."),
    "trf.bad_rank": gettext_lazy("A place is expected, not “%(found)s”."),
    "trf.too_many_rounds": gettext_lazy("There are more than %(high)s rounds."),
    "trf.shifted_columns": gettext_lazy("The columns of round %(round)s are shifted: “%(found)s”."),
    "trf.bad_opponent": gettext_lazy("The number of an opponent is expected, not “%(found)s”."),
    "trf.bad_color": gettext_lazy("Round %(round)s: w, b or - is expected, not “%(found)s”."),
    "trf.bad_result": gettext_lazy("Round %(round)s: “%(found)s” is not a result."),
    "trf.own_opponent": gettext_lazy("Round %(round)s: player %(number)s plays against himself."),
    "trf.color_missing": gettext_lazy("Round %(round)s: the colour of player %(number)s is missing."),
    "trf.bad_rounds": gettext_lazy("A number of rounds from %(low)s to %(high)s is expected, not “%(found)s”."),
    "trf.bad_first_color": gettext_lazy("The first colour is W or B, not “%(found)s”."),
    "trf.unsupported_points": gettext_lazy("Points for “%(found)s” can't be %(value)s here."),
    "trf.absurd_points": gettext_lazy(
        "These points can't be: win %(win)s, draw %(draw)s, loss %(loss)s, bye %(bye)s. A draw must be worth less than "
        "a win and no less than a loss, a bye no more than a win."
    ),
    "trf.bad_round": gettext_lazy("A round from %(low)s to %(high)s is expected, not “%(found)s”."),
    "trf.bad_bye": gettext_lazy("F, H or Z is expected, not “%(found)s”."),
    "trf.no_players": gettext_lazy("There are no players in this file. Is it a tournament report (TRF)?"),
    "trf.unknown_number": gettext_lazy("There is no player number %(number)s in the file."),
    "trf.unknown_opponent": gettext_lazy("The opponent, number %(number)s, is not in the file."),
    "trf.opponents_differ": gettext_lazy(
        "Round %(round)s: %(number)s plays %(opponent)s, but %(opponent)s plays somebody else."
    ),
    "trf.same_color": gettext_lazy("Round %(round)s: %(number)s and %(opponent)s have the same colour."),
    # A game that can't be brought in
    "trf.one_sided": gettext_lazy("Round %(round)s: %(number)s plays %(opponent)s, but %(opponent)s has no game."),
    "trf.results_impossible": gettext_lazy(
        "Round %(round)s: “%(found)s” of %(number)s and “%(other)s” of %(opponent)s can't belong to one game."
    ),
    "trf.empty_round": gettext_lazy("Nobody played in round %(round)s."),
    # What is odd, but readable
    "trf.unknown_title": gettext_lazy("The title “%(found)s” is unknown and kept as it is."),
    "trf.bye_letter": gettext_lazy("Round %(round)s: “%(found)s” without an opponent is read as a bye."),
    "trf.bye_with_opponent": gettext_lazy("Round %(round)s: a bye with an opponent; the opponent is left out."),
    "trf.one_sided_game": gettext_lazy("Round %(round)s: %(number)s plays %(opponent)s, who has no game."),
    "trf.results_differ": gettext_lazy(
        "Round %(round)s: “%(found)s” of %(number)s and “%(other)s” of %(opponent)s don't fit."
    ),
    "trf.points_differ": gettext_lazy(
        "Player %(number)s: the file says %(found)s points, the results give %(counted)s."
    ),
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
