"""Codes of this app in words: refusals, lines of the log, rounds, how matches ended, what a match waits for."""

from __future__ import annotations

import re
from typing import Any

from django.utils.translation import gettext, ngettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from brackets.engine.topology import Places

# How a match ended, where it wasn't simply by its games. Codes: the match's own end and the bracket's.
HOW: dict[str, Any] = {
    "armageddon": _("Armageddon"),
    "advantage": _("level, and that was enough"),
    "no_show": _("walkover"),
    "both_absent": _("neither came"),
    "left": _("opponent left"),
    "decision": _("decided by the arbiter"),
    "opponent_left": _("opponent has left"),
    "both_left": _("both have left"),
    "bye": pgettext_lazy("bracket", "bye"),
    "not_needed": _("not needed"),
}

CUT_SCOPES: dict[str, Any] = {
    "placement": _("the matches for places"),
    "everything": _("all matches"),
}
CUT_TIES: dict[str, Any] = {
    "shared": _("who is level shares the places"),
    "seed": _("who is level stands in the order of the seeds"),
}
# The rule of `brackets.engine.cutting`, for whoever it befalls.
CUT_RULE = _(
    "Everybody gets what he was already sure of: players are ordered by the worst place each could still have had, and "
    "of those equal the one who could have come higher stands before, then who has lost fewer matches."
)
TABLE_RULE: dict[str, Any] = {
    "seed": _("More matches won stand before; then the matches between those level; then the better seed."),
    "shared": _("More matches won stand before; then the matches between those level; who is level even then shares."),
}

STATES: dict[str, tuple[str, Any]] = {
    "locked": ("planned", pgettext_lazy("match", "waits for earlier matches")),
    "ready": ("ready", pgettext_lazy("match", "can start")),
    "called": ("waiting", pgettext_lazy("match", "called to the board")),
    "playing": ("playing", pgettext_lazy("match", "being played")),
    "done": ("done", pgettext_lazy("match", "finished")),
    "walkover": ("done", pgettext_lazy("match", "decided without play")),
    "bye": ("cancelled", pgettext_lazy("match", "bye")),
    "skipped": ("cancelled", pgettext_lazy("match", "not needed")),
    "cut": ("cancelled", pgettext_lazy("match", "not played: cut short")),
}

METHODS: dict[str, Any] = {
    "fold": _("by rating, no lot"),
    "tennis": _("first two fixed, lots inside 3–4, 5–8, 9–16 …"),
    "rank_pots": _("pots by class, lots inside each pot"),
    "two_pots": _("two pots: the better and the weaker half"),
    "free": _("free draw"),
    "manual": _("by hand"),
}

EFFECTS: dict[str, Any] = {
    "score_only": _("The winner stays the same: only the score changes."),
    "moves_players": _("Nothing below was called: the players change places."),
    "take_back_calls": _("Later matches were called but nothing was played: their calls are taken back."),
    "blocked": _("Something was played after this match. Choose what becomes of it."),
}


def round_words(stage: str, size: int) -> str:
    """Return the name of a round of the graph: "U2", "L3", "GF", "P17" …"""
    found = re.fullmatch(r"([ULPK])(\d+)", stage)
    if stage == "GF":
        return gettext("Final")
    if found is None:
        return stage
    kind, number = found[1], int(found[2])
    if kind == "U":
        return gettext("Upper bracket, round %(number)s") % {"number": number}
    if kind == "L":
        return gettext("Lower bracket, round %(number)s") % {"number": number}
    if kind == "K":
        return gettext("Knockout of the last %(number)s") % {"number": number} if number < size else gettext("Knockout")
    return gettext("Places from %(number)s") % {"number": number}


def places_words(places: Places | None) -> str:
    """Return "place 5" or "places 17–24"."""
    if places is None:
        return ""
    if places.first == places.last:
        return gettext("place %(place)s") % {"place": places.first}
    return gettext("places %(first)s–%(last)s") % {"first": places.first, "last": places.last}


def place_text(places: Places) -> str:
    """Return "5" or "17–24"."""
    return str(places.first) if places.first == places.last else f"{places.first}–{places.last}"


def matches_words(number: int) -> str:
    return ngettext("%(n)d match", "%(n)d matches", number) % {"n": number}


def minutes_words(number: int) -> str:
    return ngettext("%(n)d minute", "%(n)d minutes", number) % {"n": number}


MESSAGES: dict[str, Any] = {
    # The draw
    "draw.no_bracket": _("This group has no knockout."),
    "draw.drawn_already": _("This group is drawn already. Drop that draw first: the next one gets a new number."),
    "draw.committed_already": _("A draw is committed and waits for its numbers. Decide it or drop it first."),
    "draw.not_committed": _("Nothing is committed: publish the pots first."),
    "draw.no_lot_needed": _("Nothing is drawn by this method: every seed is fixed."),
    "draw.numbers_needed": _("Enter at least one number, with the name of who gave it."),
    "draw.field_changed": _(
        "Somebody left or came since draw № %(number)s was committed. Drop it and commit a new one."
    ),
    "draw.method_needs_reason": _("The regulation names another method. Say why this draw differs."),
    "draw.confirmed_already": _("This draw is confirmed already."),
    "draw.nothing_to_do": _("There is nothing to change: no exchange inside the pots would keep more people apart."),
    "seeding.unknown_method": _("There is no such way to seed."),
    "seeding.unknown_rank": _("These players have a class the draw has no pot for; classes drawn: %(ranks)s."),
    "seeding.order_needed": _("Give the order of all players."),
    "seeding.not_everybody_once": _("Every player must stand in the order exactly once."),
    "seeding.lot_needed": _("This method needs a lot: commit it first."),
    "seeding.result_of_other_draw": _("This result belongs to another draw."),
    "seeding.same_seed": _("Choose two different seeds."),
    # The bracket
    "bracket.not_drawn": _("The draw is not confirmed yet."),
    "bracket.stage_closed": _("The places are published: this knockout is closed."),
    "bracket.paused": _("Play is stopped. Let it go on first."),
    "bracket.not_paused": _("Play is not stopped."),
    "bracket.reason_needed": _("Say why: the reason stays in the event's log."),
    "bracket.unknown_match": _("There is no match %(match)s."),
    "bracket.unknown_player": _("This player is not in the bracket."),
    "bracket.unknown_seed": _("There is no seed %(seed)s."),
    "bracket.match_locked": _("The players of %(match)s are not known yet."),
    "bracket.table_waits": _("%(match)s comes after the matches its players have before it in the little table."),
    "bracket.match_settled": _("%(match)s is decided already. Correct it on its page."),
    "bracket.match_open": _("%(match)s is not decided yet: there is nothing to correct."),
    "bracket.automatic_result": _(
        "%(match)s was decided because somebody left. It opens again when the player comes back."
    ),
    "bracket.not_in_match": _("This player is not in %(match)s."),
    "bracket.already_left": _("This player has left already."),
    "bracket.not_left": _("This player has not left."),
    "bracket.already_played": _("One of them has played already: seeds stay as they are."),
    "bracket.player_twice": _("This player is in the bracket already."),
    "bracket.downstream_played": _("Matches played since depend on it: %(matches)s. Correct the match instead."),
    "bracket.downstream_playing": _("Matches being played depend on it: %(matches)s. Correct the match instead."),
    "bracket.later_acts": _("These matches went on since: %(matches)s. Take that back first."),
    "bracket.nothing_to_undo": _("There is nothing to take back."),
    "bracket.no_paper": _("Nothing was played after this match, so the correction can be made in full."),
    "bracket.cut_short": _("%(match)s is not played any more: the bracket was cut short."),
    "bracket.nothing_to_cut": _("Nothing is left to cut short: all these matches are decided."),
    "bracket.not_cut": _("The bracket was not cut short."),
    "bracket.bye_fixed": _("The little tables were made for these byes: a free seed can't change places any more."),
    "bracket.unknown_choice": _("Choose one of the two ways."),
    "bracket.plan_changed": _("Meanwhile something has changed. Look at the new list before you confirm."),
    "bracket.correction_needs_choice": _(
        "Matches were played after %(match)s. Correct it on its page, where you see what that touches."
    ),
    "bracket.too_many_players": _("%(players)s players don't fit into a bracket of %(size)s."),
    "bracket.too_few_players": _("A bracket needs at least two players."),
    "bracket.unknown_fact": _("There is nothing to take back."),
    "bracket.unknown_version": _("This bracket was written by another version of the program."),
    "bracket.way_leads_nowhere": _("Nobody knows where the players of %(match)s go afterwards."),
    "bracket.not_in_open_match": _("This player is not in a match now."),
    # A match
    "match.changed_meanwhile": _(
        "%(by)s was quicker (%(at)s): %(what)s. Nothing of yours was saved; this is the match as it is now."
    ),
    # Entries of tablets
    "match.unknown_act": _("A tablet enters games, colours and lots; anything else is done on the page of the match."),
    "match.gone": _("This match is not drawn like this any more. The entry is kept for the arbiter."),
    "match.players_differ": _("Other players sit at %(match)s now. The entry is kept for the arbiter."),
    "match.settled_otherwise": _(
        "The colour or lot of game %(number)s is settled otherwise. The entry is kept for the arbiter."
    ),
    "match.not_at_board": _("%(match)s is not at a board. The entry is kept for the arbiter."),
    "match.not_your_entry": _(
        "The last entry of this match was not made on this tablet, or more has happened since. The arbiter takes it"
        " back on the page of the match."
    ),
    "match.correct_it": _(
        "Games were played after game %(number)s of %(match)s: another result is a correction, on the page of the"
        " match."
    ),
    "match.already_called": _("%(match)s is at board %(board)s already."),
    "match.board_busy": _("Board %(board)s is taken."),
    "match.no_free_board": _("No board is free."),
    "match.unknown_board": _("There is no board %(board)s here."),
    "match.not_called": _("%(match)s is not called to a board yet."),
    "match.already_begun": _("A game of %(match)s has a result: the call stays. Take the result back first."),
    "match.color_first": _("First the colour of the next game must be chosen."),
    "match.lot_first": _("First the lot must be drawn."),
    "match.lot_not_now": _("No lot is due in this match now."),
    "match.lot_method_needed": _("Say how the lot was drawn: a coin, pawns …"),
    "match.color_not_now": _("No colour is to be chosen now."),
    "match.not_chooser": _("The other player chooses the colour."),
    "match.unknown_color": _("Choose White or Black."),
    "match.unknown_player": _("This player is not in the match."),
    "match.unknown_result": _("There is no result “%(result)s”."),
    "match.out_of_order": _("Game %(number)s is not the next one."),
    "match.game_not_now": _("No game of this match is due now."),
    "match.group_first": _("Games of everybody against everybody are left: %(left)s."),
    "match.not_paired": _("These players have no game with each other now."),
    "match.not_finished": _("This match is not over yet."),
    "match.too_early": _("The play-off begins %(needed)s minutes after the last game at the earliest."),
    "match.nothing_to_repeat": _("There is nothing to play again in this match."),
    "match.wrong_number": _("This format can't seat %(players)s players."),
    "match.unknown_step": _("This line of the match was written by another version of the program."),
    "match.draw_not_possible": _("This game can't be drawn."),
    "match.finished": _("This match is over."),
    "match.already_started": _("A game has been played: a no-show is not possible any more."),
    "match.not_late_yet": _(
        "Until %(until)s the player may still come. The arbiter may decide earlier, with a reason."
    ),
    "match.reason_needed": _("Say why: the reason stays in the event's log."),
    "match.no_such_game": _("Game %(number)s has no result."),
    "match.same_result": _("Game %(number)s has this result already."),
    "match.has_won": _("This player has won already."),
    "match.nothing_to_reopen": _("There is no walkover or decision to take back in this match."),
    "match.disputed": _("A claim is open: settle it first."),
    "match.not_disputed": _("No claim is open."),
    "match.arbiter_decides": _("The rules name no winner here: the arbiter decides."),
    "match.operation_reused": _("This entry was sent before, for something else. Enter it again."),
    "match.bad_address": _("This is no address of a web page."),
    # The log
    "log.brackets.conflict_opened": _(
        "%(section)s: %(match)s, game %(number)s: results differ, %(result_before)s and %(result)s"
    ),
    "log.brackets.conflict_resolved": _("%(section)s: %(match)s, game %(number)s: decided, %(result)s"),
    "log.brackets.held_dropped": _("%(match)s, game %(number)s: kept entry put aside, %(result)s"),
    "log.brackets.draw_committed": _("%(section)s: draw № %(number)s committed, %(method)s"),
    "log.brackets.draw_decided": _("%(section)s: draw № %(number)s decided, players: %(players)s"),
    "log.brackets.seeded": _("%(section)s: seeded without a lot (%(method)s), players: %(players)s"),
    "log.brackets.seeds_exchanged": _("%(section)s: seeds %(first)s and %(second)s exchanged"),
    "log.brackets.clubs_apart": _("%(section)s: club-mates kept apart, exchanges of seeds: %(exchanges)s"),
    "log.brackets.draw_confirmed": _("%(section)s: draw confirmed, players: %(players)s"),
    "log.brackets.draw_dropped": _("%(section)s: draw dropped"),
    "log.brackets.seed_replaced": _("%(section)s: %(name)s takes the seed of %(instead_of)s"),
    "log.brackets.called": _("%(match)s called to board %(board)s"),
    "log.brackets.call_returned": _("%(match)s: call taken back"),
    "log.brackets.white_chosen": _("%(match)s: %(by)s has chosen White"),
    "log.brackets.black_chosen": _("%(match)s: %(by)s has chosen Black"),
    "log.brackets.lot_drawn": _("%(match)s: lot drawn, %(winner)s"),
    "log.brackets.lot_by_hand": _("%(match)s: lot drawn by hand (%(method)s), %(winner)s"),
    "log.brackets.game_entered": _("%(match)s, game %(number)s: %(result)s"),
    "log.brackets.corrected": _("%(match)s corrected: game %(number)s %(result)s"),
    "log.brackets.undone": _("%(match)s: last entry taken back"),
    "log.brackets.no_show": _("%(match)s: %(name)s did not come"),
    "log.brackets.both_absent": _("%(match)s: neither came, %(name)s goes on"),
    "log.brackets.decided": _("%(match)s awarded to %(name)s"),
    "log.brackets.disputed": _("%(match)s: claim"),
    "log.brackets.dispute_settled": _("%(match)s: claim settled"),
    "log.brackets.withdrawn": _("%(section)s: %(name)s left the event"),
    "log.brackets.disqualified": _("%(section)s: %(name)s removed from the event"),
    "log.brackets.removal_taken_back": _("%(section)s: the removal of %(name)s is taken back"),
    "log.brackets.returned": _("%(section)s: %(name)s came back"),
    "log.brackets.paused": _("%(section)s: play stopped"),
    "log.brackets.resumed": _("%(section)s: play goes on"),
    "log.brackets.cut_placement": _("%(section)s: cut short, matches for places not played: %(matches)s"),
    "log.brackets.cut_everything": _("%(section)s: cut short, matches not played: %(matches)s"),
    "log.brackets.played_on": _("%(section)s: played on after all"),
    "log.brackets.match_shown": _("%(match)s: broadcast %(url)s"),
}
