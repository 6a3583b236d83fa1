"""Codes of this app in words: refusals, lines of the log, byes, and what a tie-break is made of."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _

from swiss.book_words import MESSAGES as BOOK_MESSAGES
from swiss.engine.refusals import ENGINE_SENTENCES
from swiss.trf_words import MESSAGES as TRF_MESSAGES
from tourney.kernel.outcomes import ByeKind

BYE_WORDS: dict[ByeKind, Any] = {
    ByeKind.PAIRING: _("bye, no opponent"),
    ByeKind.HALF: _("half-point bye"),
    ByeKind.FULL: _("full-point bye"),
    ByeKind.ZERO: _("not playing"),
}


# How the number of a round came into a tie-break, where it isn't simply the opponent's score (C.07 art. 15, 16).
SOURCES: dict[str, Any] = {
    "own_score": _("no game: counts like an opponent with one's own score"),
    "capped_by_opponent": _("forfeit: one's own score, but not more than the opponent's"),
    "capped_by_draws": _("no game: one's own score, but not more than a draw in every round"),
    "unmet": _("have not met"),
}
CUTS: dict[str, Any] = {
    "lowest": _("left out: the lowest"),
    "lowest_absence": _("left out first: a round missed at will"),
    "highest": _("left out: the highest"),
    "first_rounds": _("left out: the first rounds"),
    "below_half": _("left out: the opponent has less than half of the points"),
    "undefined": _("left out: the opponent has no such value"),
}

# Why a result is there, where nobody wrote a reason (`swiss.services.results`).
REASONS: dict[str, Any] = {
    "conflict": _("decided by an arbiter"),
    "same_device": _("put right on the same tablet"),
}

MESSAGES: dict[str, Any] = {
    **TRF_MESSAGES,
    **BOOK_MESSAGES,
    **{code: _(text) for code, text in ENGINE_SENTENCES.items()},
    # Pairing
    "stage.not_ready": _("The start list is not closed yet, so nothing can be paired."),
    "stage.not_running": _("Play of this group is not on."),
    "stage.reason_needed": _("Say why: the reason stays in the event's log."),
    "round.draft_exists": _("Round %(round)s is a draft already: publish or discard it first."),
    "round.results_missing": _("Boards without a result: %(boards)s. The next round is paired when all are in."),
    "round.no_more": _("All %(rounds)s rounds are paired."),
    "round.not_draft": _("Round %(round)s is published already; somebody was quicker."),
    "round.not_published": _("Round %(round)s is not published yet."),
    "round.player_not_paired": _("Choose two players of this round; one without an opponent has no colour to change."),
    "round.player_not_here": _("Choose players of this group who are still in play."),
    "round.change_needs_reason": _("Say why: the reason stays in the event's log."),
    "round.has_results": _("Round %(n)s can't be taken back: boards with a result: %(boards)s."),
    "round.not_newest": _("Only the newest round can be taken back."),
    "round.nothing_taken_back": _(
        "There is no round that could be brought back: none was taken back, or play went on."
    ),
    "round.cannot_come_back": _("Round %(round)s can't come back as it was: a player of it was deleted meanwhile."),
    "round.already_paired": _("One of the two plays in this round already."),
    "round.late_met": _(
        "The two have met in round %(round)s already. Tick that you know it, to pair them all the same."
    ),
    "round.late_apart": _(
        "The two are to be kept apart: %(reason)s. Tick that you know it, to pair them all the same."
    ),
    "round.late_only_swiss": _("In a round robin the table says who plays whom."),
    "round.already_started": _("Round %(round)s has begun; its hour stays."),
    "round.not_started": _("Round %(round)s has not begun: start its clocks first."),
    "round.not_late_yet": _("Until %(until)s a player may still come (%(minutes)s minutes from the start)."),
    "round.nobody_absent": _("Nobody is noted as absent on board %(board)s."),
    "round.board_has_result": _("Board %(board)s has a result already."),
    "hand.nothing_changed": _("Nothing was changed by hand in round %(round)s."),
    # Hours
    "schedule.no_early_start": _("The regulation allows no start before the hour of the schedule."),
    "schedule.odd_round_not_early": _("Only an even round may begin earlier; round %(number)s is odd."),
    "schedule.round_still_played": _("Round %(number)s is still played."),
    "schedule.too_early": _("Round %(number)s can't begin before %(earliest)s."),
    "lateness.arbiter_decides": _("Both are absent: by the regulation the chief arbiter decides. Enter the result."),
    # Results
    "result.unknown": _("“%(got)s” is not a result."),
    "result.round_not_published": _("Round %(round)s is not published yet."),
    "result.stage_closed": _("The places of this group are published; its results can't be changed here."),
    "result.changed_meanwhile": _(
        "Somebody has changed this board meanwhile: %(result)s by %(by)s. Nothing was changed."
    ),
    "result.correction_needs_reason": _("Say why the result %(result)s is changed."),
    "result.operation_reused": _("This page was sent twice with different results. Load it again."),
    "result.nothing_to_take_back": _("There is no result to take back."),
    "result.in_conflict": _("Two people have entered different results for board %(board)s: an arbiter decides it."),
    "result.board_gone": _(
        "Board %(board)s is not paired like this any more. The entry is kept for the arbiter; look at the new pairing."
    ),
    "result.board_differs": _(
        "Round %(round)s, board %(board)s has other players now. The entry is kept for the arbiter."
        " Load the page again."
    ),
    "entry.moves": _("A number of moves is a whole number from 1 to 400."),
    "entry.both_confirm": _("On this tablet both players of board %(board)s confirm the result."),
    "entry.call_arbiter": _("Board %(board)s has a result. Only an arbiter changes it: please call one."),
    "conflict.none": _("Somebody has decided this board meanwhile."),
    "conflict.reason_needed": _("Say why: this decision is none of the results entered, or changes a finished round."),
    "held.none": _("Somebody has dealt with this entry meanwhile."),
    "held.no_game": _("This pairing is gone: enter the result at the board it belongs to now."),
    "round.conflicts_open": _("Results differ on boards: %(boards)s. The next round is paired when they are decided."),
    "round.paused": _("Play is stopped: nobody is late while it is."),
    # Byes
    "bye.swiss_only": _("A round robin has no byes: who does not come loses by forfeit."),
    "bye.unknown_kind": _("Choose a kind of bye."),
    "bye.round_paired": _("Round %(round)s is paired already."),
    "bye.no_such_round": _("There is no round %(round)s; the group plays %(rounds)s."),
    "bye.not_in_play": _("This player is not in play."),
    "bye.none": _("There is no bye for round %(round)s."),
    "bye.whole_point_needs_reason": _("A bye with a whole point needs a reason."),
    "bye.half_limit": _(
        "More half-point byes than usual (%(limit)s) for: %(names)s. Give a reason and confirm, if it is to be."
    ),
    "bye.half_late": _(
        "From round %(first)s on there are no half-point byes by the regulation: %(names)s."
        " Give a reason and confirm, if it is to be."
    ),
    # Forbidden pairs
    "forbidden.swiss_only": _("In a round robin everybody meets everybody."),
    "forbidden.same_player": _("Choose two different players."),
    "forbidden.not_here": _("Choose two players of this group."),
    "forbidden.reason_needed": _("Say why these two must not meet."),
    "forbidden.rounds_order": _("The last round comes before the first."),
    "forbidden.twice": _("This pair is forbidden already."),
    "forbidden.none": _("This pair is not forbidden any more."),
    # Fixed boards
    "fixed.reason_needed": _("Say why this board is kept for somebody."),
    "fixed.not_here": _("Choose a player of this group."),
    "fixed.other_group": _("Board %(board)s belongs to “%(section)s”: choose one where no other group plays."),
    "fixed.taken": _("Board %(board)s is kept for %(name)s already."),
    "fixed.none": _("This board is not kept any more."),
    # Virtual points
    "virtual.swiss_only": _("A round robin has no acceleration: the table says who plays whom."),
    "virtual.begun": _("The first round is paired: the acceleration is fixed."),
    "virtual.reason_needed": _("Say why these virtual points are given."),
    "virtual.bad_line": _(
        "Line %(line)s: points, rounds and numbers are expected, like “1  1-2  1-20”, not “%(found)s”."
    ),
    # Leaving and coming back
    "withdraw.reason_needed": _("Say why: the reason stays in the event's log."),
    "withdraw.not_here": _("This player is not in the start list of this group."),
    "withdraw.left_already": _("This player has left already."),
    "withdraw.draft_exists": _("The next round is a draft: publish or discard it first."),
    "withdraw.unknown_round": _("Choose a round from 0 to %(last)s."),
    "withdraw.played_later": _("There is a result in round %(round)s; a player can't have left before it."),
    "withdraw.not_left": _("This player has not left."),
    "withdraw.disqualified": _("A disqualified player does not come back; revoke the sanction first."),
    "withdraw.over": _("All rounds are played."),
    # The log
    "log.swiss.round_paired": _("%(section)s: round %(round)s paired, boards: %(boards)s"),
    "log.swiss.round_paired_with_open": _(
        "%(section)s: round %(round)s paired, boards: %(boards)s; open games counted as draws: %(open)s"
    ),
    "log.swiss.draft_discarded": _("%(section)s: draft of round %(round)s discarded"),
    "log.swiss.pairing_changed": _("%(section)s: pairing of round %(round)s changed by hand (%(names)s)"),
    "log.swiss.hand_begun": _("%(section)s: round %(round)s: changes by hand begun"),
    "log.swiss.hand_ended": _(
        "%(section)s: round %(round)s: changes by hand ended, exchanges: %(exchanges)s, rules bent: %(rules)s"
    ),
    "log.swiss.hand_undone": _("%(section)s: round %(round)s: changes by hand thrown away"),
    "log.swiss.round_published": _("%(section)s: round %(round)s published"),
    "log.swiss.round_unpublished": _("%(section)s: round %(round)s taken back to a draft"),
    "log.swiss.round_unpublished_with_results": _(
        "%(section)s: round %(round)s taken back to a draft, results put aside with it: %(results)s"
    ),
    "log.swiss.round_brought_back": _(
        "%(section)s: round %(round)s brought back as it was, boards with a result: %(results)s"
    ),
    "log.swiss.late_paired": _("%(section)s: round %(round)s, late pairing on board %(board)s"),
    "log.swiss.round_started": _("%(section)s: clocks of round %(round)s started"),
    "log.swiss.round_rescheduled": _("%(section)s: round %(round)s announced for another hour (%(at)s)"),
    "log.swiss.absence_noted": _("%(section)s: round %(round)s, board %(board)s: absent at the board"),
    "log.swiss.arrived": _("%(section)s: round %(round)s, board %(board)s: both are there"),
    "log.swiss.result_entered": _("%(section)s: round %(round)s, board %(board)s: %(result)s"),
    "log.swiss.result_corrected": _(
        "%(section)s: round %(round)s, board %(board)s corrected: %(result_before)s → %(result)s"
    ),
    "log.swiss.result_arrived": _(
        "%(section)s: round %(round)s, board %(board)s: %(result)s, entered %(entered)s without a network, arrived"
        " %(arrived)s"
    ),
    "log.swiss.conflict_opened": _(
        "%(section)s: round %(round)s, board %(board)s: results differ, %(result_before)s and %(result)s"
    ),
    "log.swiss.conflict_resolved": _("%(section)s: round %(round)s, board %(board)s: decided, %(result)s"),
    "log.swiss.held_entered": _("Round %(round)s, board %(board)s: held entry taken, %(result)s"),
    "log.swiss.held_dropped": _("Round %(round)s, board %(board)s: held entry put aside, %(result)s"),
    "log.swiss.paused": _("%(section)s: play stopped"),
    "log.swiss.resumed": _("%(section)s: play goes on after %(minutes)s minutes"),
    "log.swiss.moves_noted": _("%(section)s: round %(round)s, board %(board)s: %(moves)s moves"),
    "log.swiss.report_exported": _("%(section)s: rating report exported"),
    "log.swiss.newcomers_exported": _("List of players without a national number exported, rows: %(rows)s"),
    "log.swiss.results_entered": _("%(section)s: round %(round)s, results entered, boards: %(boards)s"),
    "log.swiss.play_closed": _("%(section)s: play ended after round %(rounds)s"),
    "log.swiss.bye_requested": _("%(section)s: %(name)s misses round %(round)s"),
    "log.swiss.bye_dropped": _("%(section)s: %(name)s plays round %(round)s after all"),
    "log.swiss.roll_called": _("%(section)s: roll-call before round %(round)s, absent: %(absent)s"),
    "log.swiss.pair_forbidden": _("%(section)s: %(first)s and %(second)s must not meet"),
    "log.swiss.pair_wished_apart": _(
        "%(section)s: %(first)s and %(second)s are kept apart as long as that is possible"
    ),
    "log.swiss.board_fixed": _("%(section)s: board %(board)s is kept for %(name)s"),
    "log.swiss.board_freed": _("%(section)s: board %(board)s is no longer kept for %(name)s"),
    "log.swiss.virtual_points_set": _("%(section)s: virtual points given by start number, lines: %(runs)s"),
    "log.swiss.report_result": _(
        "%(section)s: round %(round)s, board %(board)s: for the rating report only %(result_before)s → %(result)s"
    ),
    "log.swiss.report_result_ended": _(
        "%(section)s: round %(round)s, board %(board)s: the result for the rating report is taken back"
    ),
    "log.swiss.bent_undone": _("%(section)s: undone: %(what)s"),
    "log.swiss.verified": _(
        "%(section)s: round %(round)s typed again by a second person, results: %(boards)s, differing boards:"
        " %(differences)s"
    ),
    "log.swiss.game_adjourned": _("%(section)s: round %(round)s, board %(board)s adjourned"),
    "log.swiss.pair_allowed": _("%(section)s: %(first)s and %(second)s may meet again"),
    "log.swiss.player_withdrawn": _("%(section)s: %(name)s left after round %(after_round)s"),
    "log.swiss.player_returned": _("%(section)s: %(name)s plays again from round %(round)s"),
}

# What could be lifted when no pairing keeps the rules (`NoValidPairing`).
LIFTING: dict[str, Any] = {
    "C1": _("let two players meet a second time"),
    "C2": _("give a second bye to somebody who has had one"),
    "C3": _("give two players a colour they must not have"),
    "forbidden": _("lift a forbidden pair"),
}
