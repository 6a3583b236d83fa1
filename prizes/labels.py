"""Codes of this app's refusals and log lines in words."""

from typing import Any

from django.utils.translation import gettext_lazy as _

MESSAGES: dict[str, Any] = {
    # Places
    "placing.no_start_list": _("The start list is not closed, so there is nothing to place yet."),
    "placing.not_started": _("Play has not begun (%(stage)s)."),
    "placing.games_open": _("Results are missing: %(games)s. Enter them first."),
    "placing.not_played_out": _("Not everything is played yet (%(stage)s)."),
    "placing.no_results": _("Nobody has a place: there are no results."),
    "placing.playoff_due": _("%(section)s: first place has to be played off between %(players)s."),
    "placing.lots_due": _("%(section)s: equal on everything, a lot orders the players of place %(places)s."),
    "placing.no_lots_due": _("No lot between equals is due in this group."),
    "placing.reason_needed": _("Say why the published places change; everybody can read the reason."),
    "placing.nothing_changed": _("Nothing has changed since the last list."),
    "placing.disqualified_too_late": _(
        "The days in which the regulation allows a disqualification were over: %(players)s. The places stand."
    ),
    "placing.no_playoff_due": _("No first place of this group has to be played off."),
    "placing.still_playing": _("Games of this group are still being played."),
    "placing.not_a_claimant": _("Only those who share first place can win the play-off."),
    "placing.same_player_twice": _("First and second can't be the same player."),
    "placing.playoff_games_missing": _("Write down the games of the play-off."),
    "placing.playoff_too_early": _(
        "The regulation lets the play-off begin at %(earliest)s at the earliest. If it began before, say why."
    ),
    "placing.playoff_in_future": _("The play-off can't have begun later than now."),
    "placing.entry_twice": _("A player has two places."),
    "placing.gap": _("Nobody holds place %(place)s."),
    "placing.not_one_group": _("These players don't share one place."),
    "playoff.foreign_player": _("A game of the play-off names somebody who doesn't take part in it."),
    "playoff.too_many_games": _("%(games)s games were entered, %(planned)s are planned."),
    "playoff.no_winner": _("Nobody won this game, so it decides nothing."),
    "playoff.score_missing": _("A score of the blitz tournament is missing."),
    "playoff.is_on": _("This play-off is being played game by game. Finish it on its page, or drop it first."),
    "playoff.gone": _("There is no such play-off."),
    "playoff.dropped": _("This play-off was dropped."),
    "playoff.changed_meanwhile": _(
        "Somebody has entered something since you opened this page. Look at it again; nothing was saved."
    ),
    "playoff.other_claimants": _(
        "The final standings have changed: others share first place now. Drop this play-off and begin the right one."
    ),
    "playoff.lot_stands": _("Draw № %(number)s stands: a lot can't be taken back, but the result before it corrected."),
    "playoff.nothing_to_undo": _("Nothing has been entered yet."),
    "tiebreak.lot_missing": _("The order of equals by lot is asked for, but not everybody has a lot."),
    # Prize draws
    "lottery.not_final": _("The places of “%(section)s” are not final yet: publish them first."),
    "lottery.list_outdated": _(
        "The results of “%(section)s” have changed since its places were published. Publish the next list first."
    ),
    "lottery.place_shared": _("Place %(place)s is shared, so it is not clear who holds its ticket."),
    "lottery.no_tickets": _("Nobody holds a ticket: this draw is void, and the money stays in the fund."),
    "lottery.draw_open": _("Draw № %(number)s is announced. Decide or drop it first."),
    "lottery.already_drawn": _("This has been drawn: draw № %(number)s."),
    "lottery.second_needs_reason": _(
        "Say why it is drawn again after draw № %(number)s; everybody can read the reason."
    ),
    "lottery.unknown": _("There is no such prize draw."),
    "lottery.unknown_draw": _("There is no such draw."),
    "lottery.unknown_winner": _("“%(entrant)s” holds no ticket."),
    "lottery.bad_number": _("%(who)s: “%(number)s” is not a whole number of up to 18 digits."),
    "lottery.nameless_number": _("Whose number is %(number)s? Write the name."),
    "lottery.too_few_numbers": _("Too few people gave a number (%(given)s of at least %(needed)s)."),
    "lottery.tickets_changed": _(
        "The tickets of draw № %(number)s have changed hands since it was announced. Drop it and announce another one."
    ),
    "lottery.has_its_moment": _("Draw № %(number)s is decided at its announced moment, not before."),
    "lottery.no_moment": _("Say on which day and at which hour it is drawn."),
    "lottery.too_soon": _(
        "Choose a moment at least %(seconds)s seconds from now: everybody must be able to see it come."
    ),
    "lottery.too_far": _("Choose a moment within the next %(days)s days."),
    "lottery.unknown_beacon": _("Choose where the public numbers come from."),
    "lottery.name_the_value": _("Name the public value beforehand: for instance the hash of Bitcoin block 912,345."),
    "lottery.number_given": _("%(who)s has given a number already; it stands."),
    "lottery.moment_over": _(
        "The moment of draw № %(number)s is over; no number can be added any more. Drop it and announce another one."
    ),
    "lottery.beacon_alone": _("The public value alone decides draw № %(number)s; nobody adds a number of their own."),
    "lottery.beacon_early": _("The beacon's value can't be known before its moment."),
    "lottery.bad_beacon": _("“%(value)s” is not a value of drand: 64 or 96 hexadecimal digits."),
    "lottery.source_needed": _("Say where the value was read, so that everybody can look there."),
    "lottery.beacon_missing": _("The beacon's value is missing."),
    # Awards
    "award.gone": _("This award has changed meanwhile. Look at the list again."),
    "award.unknown_step": _("There is no such step."),
    "award.signature_needed": _("Write the name of the representative who signed."),
    "award.already_handed": _("%(player)s has this award already. Take the note back first."),
    "award.fund_short": _(
        "The fund holds %(left)s, so %(amount)s can't come from it. Enter the missing income, or say why it is paid."
    ),
    "award.nothing_to_undo": _("Nothing has been noted about this award."),
    "award.nobody_to_tell": _("Choose at least one award."),
    "award.place_and_time": _("Say where and when the awards are handed over."),
    # Diplomas
    "diploma.not_a_picture": _("This file is no picture: a PNG or JPEG is needed, whatever its name says."),
    "diploma.broken": _("This picture is damaged or its pixels are too many. Save it once more and try again."),
    "diploma.picture_too_large": _("The picture is too large: %(megabytes)s MB at most."),
    "diploma.unknown_blank": _("Nobody knows what to put for {%(blank)s}. Known are: %(known)s."),
    "diploma.lone_brace": _("A brace has no partner: write blanks as {name}."),
    "diploma.nobody": _("Nobody is awarded a diploma yet."),
    # Fund
    "fund.unknown_kind": _("Choose what kind of line it is."),
    "fund.label_missing": _("Say what the money is for or from."),
    "fund.amount_above_zero": _("The amount must be above zero."),
    "fund.currency": _("The event's money is %(currency)s."),
    "fund.gone": _("There is no such line."),
    "fund.already_reversed": _("This line has been taken back already."),
    "fund.reason_needed": _("Say why the line is taken back."),
    "fund.negative_line": _("“%(label)s” is below zero (%(amount)s)."),
    # The log
    "log.prizes.placings_published": _("%(section)s: places published, list № %(number)s"),
    "log.prizes.placings_corrected": _("%(section)s: places corrected, list № %(number)s"),
    "log.prizes.playoff_recorded": _("%(section)s: play-off for first place won by %(winner)s (%(games)s)"),
    "log.prizes.ties_drawn": _("%(section)s: order of equals drawn by lot № %(numbers)s"),
    "log.prizes.playoff_begun": _("%(section)s: play-off for first place begun between %(players)s"),
    "log.prizes.playoff_color": _("%(section)s: play-off, %(player)s chose; White: %(white)s"),
    "log.prizes.playoff_lot": _("%(section)s: play-off, lot for %(winner)s (%(method)s)"),
    "log.prizes.playoff_game": _("%(section)s: play-off, %(white)s – %(black)s %(result)s"),
    "log.prizes.playoff_corrected": _("%(section)s: play-off, game %(number)s corrected to %(result)s"),
    "log.prizes.playoff_absent": _("%(section)s: play-off, %(player)s did not come or gave up"),
    "log.prizes.playoff_decided": _("%(section)s: play-off awarded to %(winner)s"),
    "log.prizes.playoff_undone": _("%(section)s: play-off, last entry taken back"),
    "log.prizes.playoff_dropped": _("%(section)s: play-off dropped"),
    "log.prizes.draw_committed": _(
        "%(section)s: prize draw %(lottery)s announced as № %(number)s, tickets: %(tickets)s"
    ),
    "log.prizes.draw_scheduled": _("%(section)s: prize draw %(lottery)s (№ %(number)s) will be decided on %(at)s"),
    "log.prizes.draw_number": _("%(section)s: public number of %(who)s for prize draw %(lottery)s (№ %(number)s)"),
    "log.prizes.draw_waits": _(
        "%(section)s: the moment of prize draw %(lottery)s (№ %(number)s) is over, it waits for the arbiter"
    ),
    "log.prizes.draw_decided": _("%(section)s: prize draw %(lottery)s (№ %(number)s) won by %(winners)s"),
    "log.prizes.draw_void": _("%(section)s: prize draw %(lottery)s (№ %(number)s) dropped"),
    "log.prizes.award_notified": _("%(section)s: %(player)s told place and time of the prize-giving"),
    "log.prizes.award_handed": _("%(section)s: award handed to %(player)s"),
    "log.prizes.award_representative": _("%(section)s: award of %(player)s handed to %(signed_by)s"),
    "log.prizes.award_absent": _("%(section)s: %(player)s absent, award not handed out"),
    "log.prizes.award_undone": _("%(section)s: note about the award of %(player)s taken back"),
    "log.prizes.diploma_design": _("Design of the diplomas changed"),
    "log.prizes.diplomas_asked": _("Diplomas asked for, pages: %(pages)s"),
    "log.prizes.fund_line": _("Fund: %(what)s, %(amount)s"),
    "log.prizes.fund_line_reversed": _("Fund: %(what)s taken back"),
}
