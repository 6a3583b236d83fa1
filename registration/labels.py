"""Codes of this app's refusals, of its rule data and of its acts in the event's log, in words."""

from typing import Any

from django.utils.translation import gettext_lazy as _

from registration.labels_money import MESSAGES as MONEY

_ENTRY: dict[str, Any] = {
    "entry.no_regulation": _("The event has no published regulation yet."),
    "entry.not_open": _("Registration is not open yet."),
    "entry.closed": _("Registration is closed."),
    "entry.list_closed": _("The start list of “%(section)s” is closed."),
    "entry.section_closed": _("Nobody can enter “%(section)s”: the regulation does not name this group any more."),
    "entry.required_beforehand": _(
        "The regulation wants registration beforehand, and its time is over: nobody can be added at the desk."
    ),
    "entry.known_already": _(
        "This can't be taken as a new entry. If this person has been entered before, the personal link has just been "
        "sent to the address given then. If not, please write to the organizer."
    ),
    "entry.unknown": _("There is no such entry in this event."),
    "entry.not_alive": _("This entry has ended already."),
    "entry.still_alive": _("This entry has not ended."),
    "entry.not_waiting": _("This entry no longer waits for a decision."),
    "entry.reason_needed": _("Say why: the reason stays in the record."),
    "entry.valid_reason_needs_words": _("For a valid reason, write what it was and who accepted it."),
    "entry.not_yet": _("This moment has not come yet."),
    "entry.play_begun": _("Play has begun: the arbiter takes players out of the pairings."),
    "entry.regulation_changed": _(
        "The regulation has changed while you were filling in the form. Please look at the new version and agree again."
    ),
    "entry.refused.residence": _("Only players who live and are registered in the region can enter (%(region)s)."),
    "entry.refused.sex_unknown": _("“%(section)s” needs to know whether the player is a boy or a girl."),
    "entry.refused.section": _("“%(section)s” is not open to this player."),
    "entry.refused.birth_year_unknown": _("“%(section)s” needs the date of birth."),
    "entry.refused.too_old": _("“%(section)s” is for players born in %(born_from)s or later."),
    "entry.refused.too_young": _("“%(section)s” is for players born in %(born_from)s–%(born_to)s."),
    "entry.refused.level": _("“%(section)s” is not open to players of this class."),
    "entry.refused.rating_too_low": _("“%(section)s” is for players with a rating of %(lowest)s or more."),
    "entry.refused.rating_too_high": _("“%(section)s” is for players with a rating of %(highest)s or less."),
    "place.unknown": _("This entry has no place and no turn here."),
    "place.no_offer": _("No place is being offered to this entry."),
    "place.offer_expired": _("The time to answer has run out; the place went to the next on the list."),
    "place.not_in_field": _("Only somebody who has a place can be replaced or marked as absent."),
    "place.already_started": _("Play has begun: nobody can move up any more."),
    "place.not_a_reserve": _("Only somebody on the reserve list can move up."),
    "place.no_free_place": _("No place is free."),
    "place.other_section": _("The two are in different groups."),
    "claim.unknown": _("The regulation does not know these grounds."),
}
_CONDUCT: dict[str, Any] = {
    "appeal.panel_too_small": _(
        "The committee needs %(needed)s members who may judge this case; there are %(members)s."
    ),
    "appeal.refused.no_committee": _("This event has no appeals committee."),
    "appeal.refused.pairing_not_appealable": _("Appeals against the computer pairing are not accepted."),
    "appeal.refused.subject": _("Appeals about this are not accepted."),
    "appeal.refused.not_entitled": _("Only a participant or a representative can appeal."),
    "appeal.refused.not_written": _("An appeal must be in writing."),
    "appeal.refused.late": _("The time for an appeal about this round is over."),
    "appeal.refused.deposit": _("The deposit for an appeal has not been paid."),
    "sanction.not_in_regulation": _("The regulation does not know this sanction."),
    "sanction.needs_game": _("Say which game is lost."),
    "sanction.too_late": _("The event is over, and the time in which this was still possible has passed."),
    "sanction.left_already": _("%(name)s has been removed from the event already."),
    "sanction.reason_needed": _("Say why: the reason stays in the book."),
    "sanction.foreign_game": _("This player did not play in that game."),
    "sanction.only_warnings": _("Only a warning can be taken back here; correct the result instead."),
    "sanction.revoked_already": _("This warning has been taken back already."),
    "sanction.game_not_open_to_loss": _("A loss of the game can't be entered: %(why)s"),
    "appeal.round_not_over": _("The round is not over: an appeal is taken after its last game."),
    "appeal.no_such_round": _("This player's group has no round or match “%(place)s”."),
    "appeal.in_the_future": _("This hour has not come yet."),
    "log.conduct.own_cases": _("%(name)s judges no case of: %(players)s"),
    "appeal.decided_already": _("This appeal has been decided."),
    "appeal.decision_text_needed": _("Write down the decision."),
    "appeal.committee_full": _("The regulation knows no more than %(most)s of them."),
    "appeal.member_has_judged": _("%(name)s has judged an appeal and stays in the records."),
    "log.conduct.sanction": _("%(name)s: sanction (%(kind)s)"),
    "log.conduct.sanction_revoked": _("%(name)s: warning taken back"),
    "log.conduct.appeal_filed": _("%(name)s: appeal about round %(round)s taken in"),
    "log.conduct.appeal_decided": _("%(name)s: appeal decided (%(decision)s)"),
    "log.conduct.member_added": _("%(name)s joined the appeals committee"),
    "log.conduct.member_removed": _("%(name)s left the appeals committee"),
}
_FILES: dict[str, Any] = {
    "find.no_consent": _("First agree to the processing of the data, above: then a name may be looked up."),
    "find.too_often": _("Too many searches from this network. Wait a minute, or fill in the form by hand."),
    "entry.too_often": _("Too many entries from this network in a short time. What you typed is kept: wait a little."),
    "sheet.too_large": _("The file is too large: up to %(most)s MB are read."),
    "sheet.too_long": _("The table is too large: up to %(rows)s rows and %(columns)s columns are read."),
    "sheet.bomb": _("The file unpacks to far more than a table can be, so it was not read."),
    "sheet.locked": _("The workbook is protected by a password. Save it without one and send it again."),
    "sheet.unreadable": _("The workbook is damaged or of an unknown kind. Open it, save it as XLSX and send it again."),
    "sheet.not_a_table": _("This is no table. Send an XLSX or CSV file."),
    "ratings.too_large": _("The file is too large: up to %(most)s MB are taken."),
    "ratings.empty": _("The file is empty."),
    "ratings.archive": _("The archive is damaged, or holds something else than one list."),
    "ratings.unknown_file": _("This is no list of FIDE, Russia or Ukraine as the federations publish them."),
    "ratings.say_kind": _("Say which ratings this Russian file holds: neither its name nor its heads tell."),
    "ratings.not_fide": _("The first line lacks the head “%(missing)s” of the FIDE list."),
    "ratings.not_fsr": _("The first line lacks heads of the Russian list: %(missing)s."),
    "ratings.not_ukrainian": _("The first row lacks heads of the Ukrainian list: %(missing)s."),
    "ratings.xml_declares": _("The file declares a document type or entities, which the FIDE list never has."),
    "ratings.bad_xml": _("The file stops being XML here."),
    "ratings.too_faulty": _("Too much can't be read (lines: %(faults)s; read: %(rows)s). Is the file damaged?"),
    "ratings.list_shrank": _(
        "%(gone)s of %(before)s people would disappear: the file is not whole. If it is meant to be a part, say so."
    ),
    "ratings.line_too_long": _("The line is far longer than a line of the list."),
    "ratings.bad_csv": _("The line can't be taken apart into cells."),
    "ratings.cell_missing": _("The line ends before the column “%(head)s”."),
    "ratings.bad_number": _("“%(text)s” is no number of a person."),
    "ratings.bad_rating": _("“%(text)s” is no rating."),
    "ratings.bad_year": _("“%(text)s” is no year of birth."),
    "ratings.no_name": _("There is no name."),
    "ratings.shifted": _("“%(text)s” stands where the sex should: the columns of this line are shifted."),
    "ratings.twice": _("The number %(number)s is in line %(first)s too; the last one counts."),
}
_LOG: dict[str, Any] = {
    "log.entry.registered": _("Entered: %(name)s (%(section)s)"),
    "log.entry.admitted": _("Admitted: %(name)s"),
    "log.entry.rejected": _("Not admitted: %(name)s"),
    "log.entry.withdrawn": _("Withdrawn: %(name)s"),
    "log.entry.returned": _("Came back: %(name)s"),
    "log.entry.offer_accepted": _("Took the offered place: %(name)s"),
    "log.entry.offer_declined": _("Declined the offered place: %(name)s"),
    "log.entry.no_show": _("Did not come: %(name)s"),
    "log.entry.promoted": _("Moved up from the reserve list: %(name)s"),
    "log.entry.replaced": _("%(name)s plays instead of %(instead_of)s"),
    "log.entry.edited": _("Entry of %(name)s changed: %(fields)s"),
    "log.entry.family": _("Family link of %(name)s changed"),
    "log.entry.link_revoked": _("New personal link for %(name)s"),
    "log.entry.arrival_backdated": _("Arrival of %(name)s set to %(arrived)s"),
    "log.entry.ratings_taken": _("Ratings taken from the lists, entries: %(entries)s"),
    "log.entry.numbers_asked": _("List of players without a number exported, rows: %(rows)s"),
    "log.entry.exported": _("List of entries exported, rows: %(rows)s"),
}

MESSAGES: dict[str, Any] = {**_ENTRY, **MONEY, **_CONDUCT, **_FILES, **_LOG}
