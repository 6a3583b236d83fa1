"""Codes of this app's refusals, of its rule data and of its acts in the event's log, in words."""

from typing import Any

from django.utils.translation import gettext_lazy as _

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
_MONEY: dict[str, Any] = {
    "money.not_an_amount": _("“%(text)s” is not an amount. Write it as 600 or 600,50."),
    "money.not_positive": _("An amount above zero is needed."),
    "money.too_much": _("This amount can't be right."),
    "money.other_currency": _("This event counts in %(currency)s."),
    "money.unknown_channel": _("Say how the money came: cash, transfer or card."),
    "money.in_the_future": _("A payment can't be dated in the future."),
    "money.more_than_paid": _("Only %(paid)s was paid."),
    "money.reason_needed": _("By the rules %(refundable)s goes back; for more than that a reason is needed."),
    "money.say_why": _("Say why: the reason stays in the record."),
    "money.reversed_already": _("This line has been taken back already."),
    "money.not_reversible": _("This line can't be taken back."),
    "ledger.wrong_sign": _("%(amount)s can't be a line of this kind (%(kind)s)."),
    "reference.out_of_range": _("There are no more payment references."),
    "code.incomplete": _("A payment code needs the payee's name, account, bank and tax number."),
    "code.too_long": _("The payment code is too long: give the payee a short name."),
    "code.other_currency": _("This kind of payment code is for %(currency)s only."),
    "code.bad_sign": _("A sign in the bank details or in the purpose can't stand in a payment code."),
    "purpose.too_long": _("The purpose of the payment does not fit into %(longest)s characters."),
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
    "log.entry.exported": _("List of entries exported, rows: %(rows)s"),
    "log.money.received": _("Received from %(name)s: %(amount)s, receipt № %(receipt)s"),
    "log.money.refunded": _("Given back to %(name)s: %(amount)s"),
    "log.money.reversed": _("Payment of %(name)s taken back: %(amount)s"),
    "log.money.price_set": _("Price of %(name)s set by hand: %(amount)s"),
    "log.money.claim_verified": _("Grounds of %(name)s checked"),
    "log.money.claim_refused": _("Grounds of %(name)s not proven"),
}

MESSAGES: dict[str, Any] = {**_ENTRY, **_MONEY, **_CONDUCT, **_LOG}
