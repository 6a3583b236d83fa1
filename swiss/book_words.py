"""Playing by the book in words: what an act bends, what follows from it, what it is called in the list."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from tourney.kernel.by_the_book import Level

MESSAGES: dict[str, Any] = {
    "book.early_end": _(
        "The number of rounds is fixed when round 1 is paired. This group has played %(rounds)s of %(planned)s rounds."
    ),
    "book.previous_result": _(
        "Round %(round)s, board %(board)s: the next round is already paired by the result as it was (FIDE C.04.2, 4.3)."
    ),
    "book.older_result": _(
        "Round %(round)s, board %(board)s: results of rounds before the previous one are closed (FIDE C.04.2, 4.3)."
        " Put it right for the rating report only, on the page “By the book”."
    ),
    "book.report_result": _(
        "Round %(round)s, board %(board)s: the report will say another result than the one pairing and standings were"
        " made by."
    ),
    "book.adjourned": _(
        "Round %(round)s, board %(board)s: the game counts as a draw for the pairing until it is finished."
    ),
    "book.open_games": _(
        "Round %(round)s is paired while games are open: %(boards)s. They count as draws for the pairing"
        " (FIDE C.04.2, 3.1)."
    ),
    "book.full_bye": _("A bye with a whole point is deprecated: nobody earned the point."),
    "book.half_bye": _("A half-point bye beyond what the regulation allows."),
    "book.forbidden_pair": _(
        "Pairs are forbidden before round 1 only. Round 1 is paired, and %(first)s and %(second)s are to be kept apart"
        " now."
    ),
    "book.allowed_pair": _(
        "Forbidden pairs are settled before round 1. Round 1 is paired, and %(first)s and %(second)s are to meet after"
        " all."
    ),
    "book.hand_round": _("Round %(round)s was changed by hand and is not what the rules give."),
    "book.late_pair": _(
        "Round %(round)s is published: its pairing changes only for a late entry or an emergency (FIDE C.04.2, 4.4)."
    ),
    "book.taken_back": _("Round %(round)s is published: a published pairing stays (FIDE C.04.2, 4.4)."),
    "book.taken_back_results": _("Round %(round)s is published and has results, boards: %(results)s."),
    "book.left": _("This group is to be played by the book of rated events."),
    "book.not_strict": _("This group doesn't play by the book."),
    "book.cannot_undo": _("This can't be undone any more."),
    "book.reason_needed": _("Say why: the reason stays in the event's log."),
    "report.unknown_game": _("Choose a game of this group that has a result."),
    "report.not_older": _("Round %(round)s can still be corrected itself: change the result there."),
    "report.same_result": _("That is the result the standings have."),
    "report.none": _("There is nothing to take back."),
}

_FOR_GOOD = _("The group stops playing by the book, for good: no act brings it back.")
_SEEN = _("The public pages, the printed tables and the report file say so.")
_KEPT = _("The log and the report keep what was before, who did it and why.")

# What follows from an act, said before it is done.
CONSEQUENCES: dict[str, tuple[Any, ...]] = {
    "start_order": (_("The pairing of round 1 changes."), _KEPT),
    "early_end": (
        _("The rounds that are left are not played, and the standings become the final ones."),
        _("A report of fewer rounds than announced may be questioned."),
        _KEPT,
    ),
    "previous_result": (
        _("The standings change at once. The pairs of the next round stay as they are."),
        _KEPT,
    ),
    "report_result": (_("Pairing, standings and prizes stay as they are."), _KEPT),
    "adjourned": (_("There are no final standings while the game is open."), _KEPT),
    "open_games": (_("There are no final standings while a game is open."), _KEPT),
    "full_bye": (_("The report file names it."), _KEPT),
    "half_bye": (_KEPT,),
    "forbidden_pair": (_("Later rounds are paired differently, for others too."), _FOR_GOOD, _SEEN, _KEPT),
    "allowed_pair": (_("Later rounds are paired differently, for others too."), _FOR_GOOD, _SEEN, _KEPT),
    "hand_round": (
        _("The report file sets the pairs of the rules beside the pairs that are played."),
        _("A checker of the report finds the difference, and the arbiter answers for it."),
        _KEPT,
    ),
    "late_pair": (_("The other boards of the round stay as they are."), _KEPT),
    "taken_back": (_("The public no longer sees the round; it can be paired anew."), _KEPT),
    "taken_back_results": (
        _("The public no longer sees the round, and its results are put aside with it."),
        _("Until play goes on it can be brought back as it was."),
        _KEPT,
    ),
    "left": (_FOR_GOOD, _("What was locked can be changed again."), _SEEN, _KEPT),
}

# The acts as the list of the page names them.
TITLES: dict[str, Any] = {
    "start_order": _("start numbers exchanged against the ratings"),
    "numbers": _("start numbers changed after round 1 was paired"),
    "rounds": _("number of rounds changed after round 1 was paired"),
    "early_end": _("play ended before its last round"),
    "previous_result": _("result of the previous round corrected"),
    "older_result": _("result of an older round corrected"),
    "report_result": _("result put right for the rating report only"),
    "adjourned": _("game adjourned"),
    "open_games": _("round paired while games are open"),
    "full_bye": _("bye with a whole point"),
    "half_bye": _("half-point bye beyond the regulation"),
    "forbidden_pair": _("pair forbidden after round 1 was paired"),
    "allowed_pair": _("forbidden pair allowed after round 1 was paired"),
    "hand_round": _("round by hand that is not the engine's"),
    "late_pair": _("board added to a published round"),
    "taken_back": _("published round taken back"),
    "taken_back_results": _("round with results taken back"),
    "left": _("the mode left"),
}

LEVELS: dict[Level, Any] = {
    Level.FREE: pgettext_lazy("by the book", "free"),
    Level.ACKNOWLEDGE: pgettext_lazy("by the book", "a note first"),
    Level.CONFIRM: pgettext_lazy("by the book", "asked once"),
    Level.TWO_STEPS: pgettext_lazy("by the book", "asked twice"),
    Level.REFUSED: pgettext_lazy("by the book", "refused"),
}
