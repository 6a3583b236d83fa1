"""Codes into words. Engines and services raise codes; here (and in each app's `labels.py`) they become sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tourney.archives.labels import MESSAGES as ARCHIVE_MESSAGES
from tourney.backups.labels import MESSAGES as BACKUP_MESSAGES
from tourney.formatting import shown_value
from tourney.game_labels import MESSAGES as GAME_MESSAGES
from tourney.kernel.errors import ImportFileError, TourneyError
from tourney.public_labels import MESSAGES as PUBLIC_MESSAGES
from tourney.sheet_labels import MESSAGES as SHEET_MESSAGES
from tourney.upkeep.labels import MESSAGES as UPKEEP_MESSAGES

MESSAGES: dict[str, Any] = {
    **ARCHIVE_MESSAGES,
    **BACKUP_MESSAGES,
    **UPKEEP_MESSAGES,
    **GAME_MESSAGES,
    **PUBLIC_MESSAGES,
    **SHEET_MESSAGES,
    "rule.missing": _("This rule is missing."),
    "rule.expected_table": _("A table of rules is expected here."),
    "rule.expected_text": _("A text is expected here."),
    "rule.expected_number": _("A whole number is expected here."),
    "rule.out_of_range": _("%(got)s is out of range (%(low)s–%(high)s)."),
    "rule.expected_flag": _("Yes or no is expected here."),
    "rule.not_an_option": _("“%(got)s” is not one of: %(options)s."),
    "rule.expected_money": _("“%(got)s” is not an amount of money."),
    "rule.negative_money": _("An amount can't be below zero (“%(got)s”)."),
    "rule.expected_words": _("A text in Ukrainian, Russian or English is expected here."),
    "rule.expected_list": _("A list is expected here."),
    "rule.unknown_key": _("There is no rule with this name."),
    "rule.twice": _("“%(got)s” occurs twice."),
    "draw.no_entrants": _("A draw needs somebody to draw among."),
    "draw.entrant_twice": _("Somebody is in the list twice."),
    "draw.too_many_winners": _("%(winners)s winners can't be drawn among %(entrants)s."),
    "draw.coin_needs_two": _("A lot between two needs exactly two."),
    "draw.unknown_kind": _("This kind of draw is unknown."),
    "draw.already_decided": _("Draw № %(number)s has already been decided."),
    "draw.void_needs_reason": _("Say why the draw is dropped."),
    "draw.commitment_differs": _("The secret doesn't match the commitment."),
    "draw.entropy_differs": _("The public numbers are not the ones that were announced."),
    "draw.result_differs": _("The result doesn't follow from the numbers."),
    "pause.open": _("Play is stopped already."),
    "pause.none": _("Play is not stopped."),
    "pause.nothing_played": _("No group is playing."),
    "stage.no_system": _("The regulation has no system for %(players)s players."),
    "stage.merged": _("This group plays inside another one; close the entries there."),
    "stage.already_closed": _("The start list is already closed."),
    "stage.already_started": _("The tournament of this group has already begun."),
    "stage.too_few": _("At least two players are needed (there are %(players)s)."),
    "section.merge_itself": _("A group can't be merged with itself."),
    "section.merge_closed": _("The start list is closed; open it again first."),
    "section.merge_chain": _("One of the two groups is merged already; take that merge back first."),
    "section.merge_not_allowed": _("The regulation doesn't allow these groups to be merged."),
    "section.merge_two_ages": _(
        "“%(guest)s” and “%(host)s” are two ages: the regulation merges only boys and girls of one age."
    ),
    "section.number_unknown": _("There is no start number %(number)s in this list."),
    "section.reason_needed": _("Say why: the reason stays in the event's log."),
    "section.lot_only_round_robin": _("Start numbers are drawn by lot in a round robin only."),
    "section.late_not_confirmed": _("Only a confirmed entry of this group can join the start list."),
    "section.late_listed": _("This player is in the start list already."),
    "section.late_bracket": _(
        "A bracket takes late players from its reserve list, on the seed of somebody who did not come."
    ),
    "section.late_round_robin": _("A round robin takes nobody after its first round is paired."),
    "section.late_over": _("All rounds are paired: nobody can join any more."),
    "section.rounds_only_swiss": _("Only a Swiss has a free number of rounds."),
    "section.rounds_already_paired": _("%(paired)s rounds are paired already; there can't be fewer."),
    # By the book
    "book.start_order": _(
        "Start numbers follow the ratings (FIDE C.04.2, 2.2). Numbers %(first)s and %(second)s have unequal ones."
    ),
    "book.numbers": _(
        "This group plays by the book: once round 1 is paired, the start numbers are fixed. Discard the draft first."
    ),
    "book.rounds": _(
        "This group plays by the book: once round 1 is paired, the number of rounds is fixed. To change it, the group"
        " must leave this mode first."
    ),
    "event.busy": _(
        "Somebody changed the same thing at the same moment. Nothing of yours was saved: please send it again."
    ),
    "event.no_such_step": _("There is no such step."),
    "event.step_not_now": _("The event has moved on since this page was opened. Nothing was changed."),
    "event.reason_needed": _("Say why: the reason stays in the event's log."),
    "event.rehearsal_not_public": _("A rehearsal can't be made public."),
    "event.still_playing": _("Play is not over in %(groups)s groups: finish or close their stages first."),
    "rehearsal.of_rehearsal": _("A rehearsal can't be rehearsed; copy the real event again."),
    "rehearsal.not_a_rehearsal": _(
        "This is a real event. Only a rehearsal can be played with random results or deleted."
    ),
    "account.not_first": _("There is an account already. Sign in, or ask the organizer for access."),
    "staff.bad_role": _("Choose one of the roles."),
    "staff.bad_name": _("A sign-in name has 3 to 150 characters and no spaces; an e-mail address is fine."),
    "staff.has_role": _("%(name)s has this role already."),
    "staff.last_organizer": _("The last organizer stays: without one nobody could give roles."),
    "device.unknown": _("This link is not known. Ask the chief arbiter for a new code."),
    "device.not_yours": _(
        "This tablet has no link to this page. Open the code of the chief arbiter with it; if it was opened on another"
        " tablet, ask for a new one."
    ),
    "device.taken": _(
        "The link “%(label)s” is in use on another tablet (last seen: %(seen)s). Ask the chief arbiter for a new code."
    ),
    "device.revoked": _("The chief arbiter has taken the link of this tablet back: results can't be entered with it."),
    "device.early": _("The link of this tablet works from %(at)s on."),
    "device.ended": _("The link of this tablet ended %(at)s: the page only shows now."),
    "device.out_of_reach": _("Board %(board)s is not among the boards of this tablet (%(reach)s)."),
    "device.ends_first": _("The link must end after it begins, and not in the past."),
    "device.too_long": _("A link is valid for %(days)s days at most."),
    "device.board_order": _("The last board comes before the first."),
    "stage.override_needs_reason": _("Say why the system or the number of rounds is changed."),
}


def register_messages(messages: Mapping[str, Any]) -> None:
    """Add an app's sentences; call from its `AppConfig.ready()`."""
    MESSAGES.update(messages)


def sentence(error: TourneyError) -> str:
    """Return a refusal as a sentence in the user's language, after its place in the rules or in a file."""
    message = MESSAGES.get(error.code)
    values = {key: ", ".join(map(str, v)) if isinstance(v, list) else shown_value(v) for key, v in error.values.items()}
    words = str(message) % values if message else gettext("This was refused (%(code)s).") % {"code": error.code}
    if isinstance(error, ImportFileError) and error.line:
        place = gettext("Line %(line)s, column %(column)s") if error.column else gettext("Line %(line)s")
        return f"{place % {'line': error.line, 'column': error.column}}: {words}"
    path = error.values.get("path")
    return f"{path}: {words}" if path else words
