"""What is wrong with a regulation, in words. The codes come from all engines; the path is shown beside the sentence."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _

MESSAGES: dict[str, Any] = {
    # Values
    "rule.not_a_clock": _("“%(got)s” is not a time control. Write minutes and seconds a move: 90+30, 3+2 or 5."),
    "rule.not_a_time": _("“%(got)s” is not a time of day. Write it as 10:00."),
    "rule.not_a_moment": _("“%(got)s” is neither a day (2027-01-20) nor a day with a time (2027-01-20T20:00)."),
    "rule.not_a_percentage": _("“%(got)s” is not a percentage from 0 to 100."),
    "rule.not_a_code": _("“%(got)s” is not a code: use Latin letters, digits, full stops, hyphens."),
    "rule.not_a_range": _("“%(got)s” is not a range from the lower to the higher number."),
    "rule.not_points": _("“%(got)s” is not a number of points: 0, ½, 1 …"),
    "rule.not_one_of": _("“%(value)s” is not possible here. Possible: %(allowed)s."),
    "rule.too_long": _("This is too long (at most %(longest)s characters)."),
    "rule.bad_check_digit": _("“%(got)s” can't be right: a digit is wrong or missing."),
    "rule.unknown_time_zone": _("There is no time zone “%(got)s”."),
    "rule.unknown_field": _("The template names {%(got)s}, which is unknown. Known: %(known)s."),
    "rule.missing_field": _("The template must name {%(field)s}."),
    "rule.stray_brace": _("A brace in the template has no partner."),
    "rule.empty_range": _("No number of players is at least %(low)s and at most %(high)s."),
    "rule.points_order": _("A win must be worth more than a draw, and a draw no less than a loss."),
    "rule.bye_above_win": _("A bye can't be worth more than a win."),
    "rule.even_panel": _("A committee of %(got)s could be split: choose an odd number."),
    "rule.times_not_in_order": _("Even rounds (%(even)s) must begin after odd rounds (%(odd)s)."),
    "rule.ends_before_it_begins": _("This ends before it begins."),
    # Contradictions
    "rule.never_applies": _("This rule can never apply: another one always comes first."),
    "rule.no_deposit": _("This needs a deposit, and there is none."),
    "rule.no_appeals": _("Appeals are named as the last word, but there are no rules on appeals."),
    "rule.more_than_the_fee": _("%(got)s is more than the fee itself (%(fee)s)."),
    "rule.less_than_the_fee": _("%(got)s is less than the ordinary fee (%(fee)s)."),
    "rule.unknown_claim": _("The reason “%(got)s” is not in the list of reasons."),
    "rule.unknown_section": _("There is no group “%(got)s”."),
    "rule.unknown_level": _("The level “%(got)s” is not in the list of levels."),
    "rule.unknown_ground": _("The ground “%(got)s” is not in the list of grounds."),
    "rule.group_differs": _("Two groups of the age %(group)s have different birth years."),
    "rule.not_on_the_form": _("“%(got)s” is required, but the form doesn't ask for it."),
    "deadline.after_start": _("This deadline is after the event has begun."),
    "deadline.after_end": _("This deadline is after the event has ended."),
    "sections.not_born_yet": _("Birth year %(year)s is after the year of the event."),
    "payment.no_purpose": _("Payment by transfer is offered, but the purpose of the payment isn't written."),
    "schedule.too_few_days": _("%(rounds)s rounds don't fit into %(days)s days; %(needed)s are needed."),
    "rating.needed_by_tie_break": _("A tie-break needs ratings, but no rating is used."),
    "reading.nothing_there": _("This question is about a rule that no longer exists (%(got)s)."),
    # Stages
    "stages.no_system": _("No system for this number of players: %(players)s."),
    "tiebreak.unknown": _("The tie-break “%(got)s” is unknown."),
    "tiebreak.modifier": _("The tie-break “%(got)s” has no variant “%(modifier)s”."),
    "tiebreak.twice": _("The tie-break “%(got)s” stands in the list twice."),
    "tiebreak.not_in_system": _("The tie-break “%(got)s” can't be used in this system."),
    "tiebreak.empty": _("The list of tie-breaks is empty."),
    "tiebreak.points_not_first": _("Points come first; leave them out or put them at the top."),
    "bracket.too_small": _("The bracket has %(size)s places, but up to %(players)s players may come."),
    "bracket.needs_limit": _("A bracket of %(size)s needs a limit of players."),
    "bracket.promises_more": _(
        "%(promised)s matches are promised to everybody, but this bracket guarantees %(guaranteed)s."
    ),
    "bracket.rank_missing": _("These admitted levels have no pot in the draw: %(ranks)s."),
    "bracket.final_needs_lower_bracket": _("This final needs a lower bracket that leads only into the final."),
    "bracket.no_such_round": _("The bracket has no round “%(round)s”."),
    "bracket.not_an_order": _("The numbers from 1 to %(count)s are needed here, each once."),
    "bracket.order_needs_size": _("An explicit order needs a fixed size of the bracket."),
    "match.phase_needs_one_kind": _("A phase is either games, or an Armageddon, or a round robin."),
    "match.phase_never_reached": _("This phase is never reached."),
    "match.round_robin_not_first": _("A round robin can only be the first phase."),
    "match.unknown_format": _("There is no match format “%(got)s”."),
    "match.format_for_three": _("The format “%(got)s” is for three players or more."),
    "match.format_unused": _("No stage uses the match format “%(name)s”."),
    "match.decider_needs_armageddon": _("The format that decides must end with an Armageddon."),
    "playoff.format": _("There is no match format “%(got)s”."),
    "playoff.no_armageddon": _("The format “%(got)s” has no Armageddon, so it can end level."),
    "playoff.no_games": _("The format “%(got)s” has no games before the Armageddon."),
    # Prizes
    "prize.place": _("Place %(got)s is outside the field (%(capacity)s players)."),
    "prize.empty": _("A list of prizes needs at least one place."),
    "prize.place_twice": _("Place %(place)s has two prizes."),
    "prize.percent": _("“%(got)s” is not a whole number of percent from 1 to 100."),
    "prize.places_and_percent": _("A list of prizes has amounts or percentages, not both. Make two lists of them."),
    "prize.percent_over": _(
        "All groups together are promised %(percent)s %% of the fund (groups: %(groups)s), and there are only 100 %%."
    ),
    "prize.unknown_category": _("There is no category “%(got)s” in these groups."),
    "category.everybody": _("The category “%(got)s” has no condition, so it would be the whole group."),
    "prize.order": _("Place %(place)s gets more than place %(better)s."),
    "lottery.place": _("Place %(got)s is outside the field (%(capacity)s players)."),
    "lottery.place_twice": _("Place %(place)s is in two draws, or twice in one."),
    "lottery.too_many_winners": _("%(winners)s winners can't be drawn among %(places)s places."),
    "lottery.no_places": _("A draw needs the places that take part."),
    "lottery.no_amount": _("A draw needs an amount above zero."),
    "lottery.place_has_prize": _("Place %(place)s has a prize and a ticket as well."),
    "award.nothing": _("Say what this place is awarded."),
    "award.thing": _("“%(got)s” is not one of: %(options)s, or stands twice."),
    "award.place_twice": _("Place %(place)s is awarded twice."),
    "fund.source": _("“%(got)s” is not one of: %(options)s, or stands twice."),
    "fund.covered_from": _("The prizes (%(total)s) are covered by fees of %(full)s from %(players)s players on."),
    "fund.covered_from_both": _(
        "The prizes (%(total)s) are covered from %(players)s players on if all pay %(full)s, "
        "from %(early_players)s on if all pay %(low)s."
    ),
    "fund.never_covered": _(
        "The prizes (%(total)s) are more than the fees of a full field: %(players)s players at %(full)s."
    ),
    "fund.needs_other_money": _("The prizes (%(total)s) need other money than the fees (%(full)s)."),
    # Publishing
    "regulation.reason_needed": _("Say why the rules change; everybody can read the reason."),
    "regulation.has_errors": _("The regulation has errors; they must be put right before it is published."),
    "regulation.nothing_changed": _("Nothing has changed since version %(number)s."),
    "regulation.changed_meanwhile": _(
        "Somebody published version %(number)s meanwhile. Your changes are kept; look at the differences again."
    ),
    "regulation.currency_in_use": _("The currency can't change: money has already been taken."),
    "regulation.block_changed": _(
        "Somebody else saved this block meanwhile. Yours is kept here; save again to replace the other."
    ),
    "regulation.section_in_use": _("The group “%(section)s” has entries and can't be left out."),
}
