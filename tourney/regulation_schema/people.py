"""Schema of the blocks about the event, its groups, entering, paying, conduct and appeals."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from tourney.regulation_schema.nodes import (
    Amount,
    Choice,
    Code,
    Codes,
    Flag,
    Many,
    Moment,
    Node,
    Number,
    Numbers,
    Rows,
    Table,
    Text,
    TimeOfDay,
    Words,
)

CLAUSE = Text(key="clause", label=_("Clause"), help=_("Number in your own regulation, if it has one."), wide=False)

CLAUSE_SAID = Text(key="clause", label=CLAUSE.label, help=CLAUSE.help, wide=False, blank=True)

CURRENCIES = {"UAH": "UAH ₴", "RUB": "RUB ₽", "EUR": "EUR €", "USD": "USD $"}
LANGUAGES = {"uk": "Українська", "ru": "Русский", "en": "English"}
TIME_ZONES = {
    zone: zone
    for zone in (
        "Europe/Kyiv",
        "Europe/Moscow",
        "Europe/Samara",
        "Asia/Yekaterinburg",
        "Asia/Novosibirsk",
        "Asia/Vladivostok",
        "Europe/Warsaw",
        "Europe/Berlin",
        "Europe/London",
        "Asia/Tbilisi",
        "Asia/Yerevan",
        "Asia/Almaty",
        "UTC",
    )
}

GENERAL: tuple[Node, ...] = (
    Words(key="title", label=_("Title"), required=True),
    Words(key="summary", label=_("In one sentence"), long=True),
    Choice(key="language", label=_("Language of the event"), options=LANGUAGES, default="uk"),
    Choice(key="currency", label=_("Currency"), options=CURRENCIES, default="UAH"),
    Choice(key="time_zone", label=_("Time zone"), options=TIME_ZONES, default="Europe/Kyiv"),
)

EVENT: tuple[Node, ...] = (
    Number(key="days", label=_("Days of play"), low=1, high=60, default=1),
    TimeOfDay(key="start_time", label=_("Start"), default="10:00"),
    Flag(key="start_time_approximate", label=_("The start is approximate")),
    Words(key="venue", label=_("Place")),
    Words(key="address", label=_("Address")),
    Words(key="venue_note", label=_("Note on the place"), long=True),
    Words(key="organizer", label=_("Organizer")),
    Choice(
        key="championship",
        label=_("Competition"),
        options={"individual": _("individual"), "team": _("team")},
        default="individual",
    ),
    Choice(
        key="play",
        label=_("Play"),
        options={"over_the_board": _("over the board"), "online": _("online")},
        default="over_the_board",
    ),
    Choice(
        key="changes",
        label=_("Changes of the rules"),
        options={"organizer_with_reason": _("by the organizer, with a public reason")},
        default="organizer_with_reason",
    ),
    Choice(
        key="decisions",
        label=_("The last word"),
        options={
            "organizer_final": _("the organizer and the arbiters"),
            "arbiter_final": _("the chief arbiter"),
            "appeals_final": _("the appeals committee"),
        },
        default="organizer_final",
    ),
    Many(
        key="publishes",
        label=_("Published for every group"),
        options={
            "start_list": _("start list"),
            "pairings": _("pairings"),
            "results": _("results"),
            "standings": _("standings"),
        },
    ),
    Words(key="information", label=_("Where information is posted"), long=True),
)

SEXES = {"": _("everybody"), "M": pgettext_lazy("group", "boys, men"), "F": pgettext_lazy("group", "girls, women")}

_SECTION_ELIGIBILITY: tuple[Node, ...] = (
    Text(key="group", label=_("Age group"), help=_("Groups of both sexes of one age share it: U11."), wide=False),
    Choice(key="sex", label=_("For"), options=SEXES, default=""),
    Numbers(key="birth_years", label=_("Birth years, first and last"), help=_("For instance: 2015, 2016")),
    Many(key="levels", label=_("Admitted levels"), source="levels", help=_("None marked: all are admitted.")),
    Choice(
        key="other_levels",
        label=_("Another level"),
        options={"refuse": _("is refused"), "decision_needed": _("waits for the organizer's word")},
        default="refuse",
    ),
    Number(key="rating_at_least", label=_("Rating at least"), high=4000),
    Number(key="rating_at_most", label=_("Rating at most"), high=4000),
)

_COMMON_ELIGIBILITY: tuple[Node, ...] = (
    Choice(
        key="younger",
        label=_("Younger than the group"),
        options={
            "accept": _("admitted"),
            "grounds": _("only with one of the grounds for playing up"),
            "refuse": _("refused"),
        },
        help=_("Who is older is never admitted."),
    ),
    Many(key="playing_up", label=_("Grounds for playing up"), source="grounds"),
    Many(key="girls_among_boys", label=_("Grounds for girls among boys"), source="grounds"),
    Choice(
        key="merge",
        label=_("Small groups may be merged"),
        options={
            "never": _("never"),
            "same_group": _("boys and girls of one age"),
            "any": _("any two"),
        },
        default="never",
    ),
    Words(key="residence", label=_("Only residents of")),
    Choice(
        key="residence_needs",
        label=_("A resident is who"),
        options={
            "lives_and_registered": _("lives and is registered there"),
            "lives": _("lives there"),
            "registered": _("is registered there"),
        },
        default="lives_and_registered",
    ),
    CLAUSE,
)

SECTIONS = Rows(
    key="sections",
    label=_("Groups"),
    item=_("Group"),
    fields=(
        Code(key="code", label=_("Code"), required=True, help=_("Part of the web address: u11-boys")),
        Words(key="title", label=_("Name"), required=True),
        Number(key="capacity", label=_("Places"), low=1, help=_("Empty: no limit.")),
        Table(
            key="eligibility",
            label=_("Who may play"),
            fields=(*_SECTION_ELIGIBILITY, CLAUSE),
        ),
    ),
)

ELIGIBILITY: tuple[Node, ...] = (*_COMMON_ELIGIBILITY[:-1], *_SECTION_ELIGIBILITY[3:], CLAUSE)

FORM_FIELDS = {
    "birth_date": _("date of birth"),
    "sex": _("sex"),
    "club": _("club"),
    "city": _("city"),
    "fide_id": _("FIDE ID"),
    "national_id": _("national ID"),
    "residence": _("residence"),
    "guardian": _("parent or guardian"),
    "phone": _("phone"),
    "email": _("e-mail"),
    "coach": _("coach"),
}

REGISTRATION: tuple[Node, ...] = (
    Flag(key="required_beforehand", label=_("Only who registered beforehand may play")),
    Moment(key="opens_at", label=_("Registration opens")),
    Moment(key="closes_at", label=_("Registration closes")),
    Table(
        key="arrival",
        label=_("On-site registration"),
        fields=(
            Moment(key="from", label=pgettext_lazy("time", "From")),
            Moment(key="until", label=pgettext_lazy("time", "Until")),
        ),
    ),
    Choice(
        key="seat_taken_by",
        label=_("A place is taken by"),
        options={
            "registration": pgettext_lazy("place taken by", "registration"),
            "confirmed_deposit": pgettext_lazy("place taken by", "the paid deposit"),
        },
        default="registration",
    ),
    Number(key="hold_hours", label=_("Hours a place is held without a deposit"), low=1),
    Choice(
        key="promotion",
        label=_("The next reserve"),
        options={
            "auto_first_reserve": _("moves up automatically"),
            "offer": _("is asked and must answer in time"),
        },
        default="auto_first_reserve",
    ),
    Number(key="offer_hours", label=_("Hours to answer an offer"), low=1, high=1000, default=24),
    Choice(
        key="promotion_until",
        label=_("Reserves move up by themselves until"),
        options={"initial_draw": _("the draw"), "first_match_start": _("the first game")},
        default="initial_draw",
    ),
    Choice(
        key="declined_offer",
        label=_("Who declines a place"),
        options={"removed": _("leaves the list"), "to_the_end": _("goes to the end of the list")},
        default="removed",
    ),
    Many(key="fields", label=_("The form asks for"), options=FORM_FIELDS),
    Many(key="required_fields", label=_("Must be filled in"), options=FORM_FIELDS),
    Rows(
        key="levels",
        label=_("Levels a player may have"),
        item=_("Level"),
        named_by=Code(key="_name", label=_("Code"), required=True),
        scalar=Words(key="_value", label=_("Name"), required=True),
    ),
    Rows(
        key="grounds",
        label=_("Grounds for an exception"),
        item=_("Ground"),
        named_by=Code(key="_name", label=_("Code"), required=True),
        scalar=Words(key="_value", label=_("Name"), required=True),
    ),
    Many(
        key="consents",
        label=_("The entrant agrees to"),
        options={
            "regulation": _("the regulation"),
            "processing": _("processing of personal data"),
            "publication": _("publication of the name and results"),
            "media": _("photographs and video"),
        },
        default=["regulation", "processing"],
    ),
    CLAUSE,
)

CONDUCT: tuple[Node, ...] = (
    Number(
        key="no_draw_offer_until_move",
        label=_("No talk of a draw up to move"),
        low=1,
        high=200,
        help=_("The move itself included."),
    ),
    Choice(
        key="scoresheet",
        label=_("Writing down the moves"),
        options={"required": _("required"), "not_required": _("not required")},
        default="not_required",
    ),
    Codes(key="rated_by", label=_("Rated by"), help=_("FIDE, RUS, UKR …")),
    Codes(key="ids_for_newcomers", label=_("Newcomers get an ID of"), help=_("RUS, UKR …")),
)

SANCTION_KINDS = {
    "warning": _("warning"),
    "game_loss": _("loss of a game"),
    "match_loss": _("loss of a match"),
    "removal": _("removal from the event"),
}

SANCTIONS: tuple[Node, ...] = (
    Many(key="kinds", label=_("Sanctions"), options=SANCTION_KINDS, default=["warning"]),
    Table(
        key="after_end",
        label=_("Disqualification after the end"),
        fields=(
            Choice(
                key="mode",
                label=_("Counted in"),
                options={
                    "calendar_days_after_end_day": _("whole days after the last day"),
                    "hours": _("hours from the end"),
                },
                default="calendar_days_after_end_day",
            ),
            Number(key="days", label=_("Days")),
            Number(key="hours", label=_("Hours")),
            CLAUSE_SAID,
        ),
    ),
    CLAUSE,
)

APPEALS: tuple[Node, ...] = (
    Flag(key="committee", label=_("There is an appeals committee")),
    Number(key="main", label=_("Members"), low=1, high=15, default=3),
    Number(key="reserve", label=_("Reserves"), high=15, default=2),
    Number(key="window_minutes", label=_("Minutes to appeal"), low=1),
    Choice(
        key="round_end",
        label=_("Counted from"),
        options={
            "last_game_of_group": _("the end of the group's last game"),
            "own_game": _("the end of one's own game"),
        },
        default="last_game_of_group",
    ),
    Amount(key="deposit", label=_("Deposit")),
    Flag(key="written", label=_("Only in writing"), default=True),
    Many(
        key="by",
        label=_("Who may appeal"),
        options={"participant": _("the player"), "representative": _("an official representative")},
        default=["participant", "representative"],
    ),
    Many(key="never_about", label=_("No appeals about"), options={"computer_pairing": _("the computer's pairings")}),
    Choice(
        key="partly_upheld",
        label=_("Deposit of an appeal upheld in part"),
        options={"refund": _("is returned"), "keep": _("is kept")},
        default="refund",
    ),
    Choice(
        key="withdrawn",
        label=_("Deposit of an appeal taken back"),
        options={"refund": _("is returned"), "keep": _("is kept")},
        default="refund",
    ),
    CLAUSE_SAID,
)
