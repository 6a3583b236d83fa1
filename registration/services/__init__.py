"""What may be done with entries and money. All of it takes the section's row lock; a refusal is a TourneyError."""

from registration.services.applicants import Applicant
from registration.services.changing import (
    edit_entry,
    join_family,
    mark_arrived,
    revoke_link,
    take_back_arrival,
)
from registration.services.drawers import close_drawer, open_drawer
from registration.services.entering import (
    Registered,
    application_of,
    decide_application,
    register_entry,
)
from registration.services.money import (
    add_claim,
    decide_claim,
    move_money,
    record_payment,
    record_refund,
    reverse_line,
    set_price,
)
from registration.services.places import (
    accept_offer,
    decline_offer,
    mark_no_show,
    pass_deadlines,
    promote_by_hand,
    replace_in_place,
    return_entry,
    withdraw_entry,
)

__all__ = [
    "Applicant",
    "Registered",
    "accept_offer",
    "add_claim",
    "application_of",
    "close_drawer",
    "decide_application",
    "decide_claim",
    "decline_offer",
    "edit_entry",
    "join_family",
    "mark_arrived",
    "mark_no_show",
    "move_money",
    "open_drawer",
    "pass_deadlines",
    "promote_by_hand",
    "record_payment",
    "record_refund",
    "register_entry",
    "replace_in_place",
    "return_entry",
    "reverse_line",
    "revoke_link",
    "set_price",
    "take_back_arrival",
    "withdraw_entry",
]
