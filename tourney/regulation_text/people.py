"""Chapters about the event, who may play and how to enter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tourney.formatting import days_text
from tourney.regulation_text.writer import Writer, either, listed


def general(w: Writer) -> None:
    event = w.block("event")
    championship = event.get("championship", "individual")
    if w.block("event"):
        w.say(
            _("The event is an individual competition.")
            if championship == "individual"
            else _("The event is a team competition."),
            "event.championship",
        )
    if event.get("play") == "over_the_board":
        w.say(_("It is played over the board."), "event.play")
    elif event.get("play") == "online":
        w.say(_("It is played online."), "event.play")
    organizer = w.words(event.get("organizer"))
    if organizer:
        w.say(_("Organizer: %(who)s.") % {"who": organizer}, "event.organizer")
    if event.get("changes") == "organizer_with_reason":
        w.say(
            _(
                "The organizer may change these rules, also during the event. Every change is a numbered version with "
                "its date and reason, and everybody can see what changed."
            ),
            "event.changes",
        )
    w.own_clauses("general")


def time_and_place(w: Writer) -> None:
    event, tournament = w.block("event"), w.event
    if tournament is not None:
        days = days_text(tournament.starts_on, tournament.ends_on)
        w.say(_("Days of play: %(days)s.") % {"days": days}, "event.days")
        start = f"{tournament.start_time:%H:%M}"
    else:
        days_count = int(event.get("days", 1))
        w.say(
            ngettext("The event takes %(count)s day.", "The event takes %(count)s days.", days_count)
            % {"count": days_count},
            "event.days",
        )
        start = str(event.get("start_time", "10:00"))
    zone = str(w.data.get("time_zone", "Europe/Kyiv"))
    template = (
        _("Start: about %(time)s (time zone %(zone)s).")
        if event.get("start_time_approximate")
        else _("Start: %(time)s (time zone %(zone)s).")
    )
    w.say(template % {"time": start, "zone": zone}, "event.start_time")
    source = tournament or None
    venue = w.words(source.venue if source else event.get("venue"))
    address = w.words(source.address if source else event.get("address"))
    note = w.words(source.venue_note if source else event.get("venue_note"))
    place = ", ".join(part for part in (venue, address) if part)
    if place:
        w.say(_("Place: %(place)s.") % {"place": place}, "event.venue")
    if note:
        w.say(note, "event.venue_note")
    published = w.labels("event.publishes", event.get("publishes"))
    if published:
        w.say(_("For every group these are published: %(what)s.") % {"what": published}, "event.publishes")
    information = w.words(event.get("information"))
    if information:
        w.say(information, "event.information")
    w.own_clauses("event")


# -- who may play ------------------------------------------------------------------------------------------------------


def players(w: Writer) -> None:
    sections = w.rows("sections")
    if len(sections) == 1:
        _one_section(w, sections[0])
    elif sections:
        w.say(
            ngettext("There is %(count)s group:", "There are %(count)s groups:", len(sections))
            % {"count": len(sections)},
            "sections",
            lines=[_section_line(w, index, section) for index, section in enumerate(sections)],
        )
    _common(w, w.block("eligibility"), "eligibility")
    w.own_clauses("sections", "eligibility")


def _one_section(w: Writer, section: Mapping[str, Any]) -> None:
    capacity = section.get("capacity")
    if capacity:
        w.say(
            ngettext("%(count)s player is admitted.", "%(count)s players are admitted.", int(capacity))
            % {"count": capacity},
            "sections[0].capacity",
        )
        w.say(_("Once the places are taken, further entries form a reserve list in order."), "sections[0].capacity")
    else:
        w.say(_("The number of players is not limited."), "sections[0].capacity")
    who = section.get("eligibility")
    if isinstance(who, Mapping):
        limits = _limits(w, who, "sections[0].eligibility")
        if limits:
            w.say(_("Admitted are: %(who)s.") % {"who": "; ".join(limits)}, "sections[0].eligibility")
        _levels(w, who, "sections[0].eligibility")
        _common(w, who, "sections[0].eligibility")


def _section_line(w: Writer, index: int, section: Mapping[str, Any]) -> str:
    name = w.words(section.get("title")) or str(section.get("code", ""))
    who = section.get("eligibility")
    parts = _limits(w, who, f"sections[{index}].eligibility") if isinstance(who, Mapping) else []
    if isinstance(who, Mapping) and who.get("levels"):
        levels = w.labels(f"sections[{index}].eligibility.levels", who["levels"])
        parts.append(_("levels: %(levels)s") % {"levels": levels})
    if section.get("capacity"):
        count = int(section["capacity"])
        parts.append(ngettext("%(count)s place", "%(count)s places", count) % {"count": count})
    return f"{name}: {'; '.join(parts)}" if parts else name


def _limits(w: Writer, who: Mapping[str, Any], path: str) -> list[str]:
    parts = []
    years = who.get("birth_years") or []
    if len(years) == 2:
        parts.append(_("born from %(first)s to %(last)s") % {"first": _year(years[0]), "last": _year(years[1])})
    if who.get("sex"):
        parts.append(w.label(f"{path}.sex", who["sex"]))
    if who.get("rating_at_least") is not None:
        parts.append(_("rating at least %(rating)s") % {"rating": who["rating_at_least"]})
    if who.get("rating_at_most") is not None:
        parts.append(_("rating at most %(rating)s") % {"rating": who["rating_at_most"]})
    return parts


def _year(value: Any) -> str:
    """A preset counts from the year of the event."""
    text = str(value)
    return (
        _("the year of the event %(difference)s") % {"difference": text[4:].replace("-", "− ")}
        if "year" in text
        else text
    )


def _levels(w: Writer, who: Mapping[str, Any], path: str) -> None:
    if not who.get("levels"):
        return
    names = [w.label(f"{path}.levels", level) for level in who["levels"]]
    w.say(_("Players of these levels are admitted:"), f"{path}.levels", lines=names, clause=who.get("clause"))
    if who.get("other_levels") == "decision_needed":
        w.say(_("An entry of another level waits for the organizer's word."), f"{path}.other_levels")
    else:
        w.say(_("Entries of other levels are refused."), f"{path}.other_levels")


def _common(w: Writer, who: Mapping[str, Any], path: str) -> None:
    clause = who.get("clause")
    region = w.words(who.get("residence"))
    if region:
        template = {
            "lives": _("Only residents are admitted: who lives in %(region)s."),
            "registered": _("Only residents are admitted: who is registered in %(region)s."),
        }.get(
            str(who.get("residence_needs")),
            _("Only residents are admitted: who lives and is registered in %(region)s."),
        )
        w.say(template % {"region": region}, f"{path}.residence", clause=clause)
    if who.get("playing_up"):
        grounds = either(w.label(f"{path}.playing_up", ground) for ground in who["playing_up"])
        w.say(
            _("A younger player may play in an older group with one of these grounds: %(grounds)s.")
            % {"grounds": grounds},
            f"{path}.playing_up",
            clause=clause,
        )
    if who.get("younger") == "refuse":
        w.say(_("Players younger than the group are not admitted."), f"{path}.younger")
    if any((section.get("eligibility") or {}).get("birth_years") for section in w.rows("sections")) and (
        path == "eligibility" or not w.block("eligibility")
    ):
        w.say(_("Players older than the group are not admitted."), f"{path}.younger")
    if who.get("girls_among_boys"):
        grounds = either(w.label(f"{path}.girls_among_boys", ground) for ground in who["girls_among_boys"])
        w.say(
            _("A girl may play in a boys' group with one of these grounds: %(grounds)s.") % {"grounds": grounds},
            f"{path}.girls_among_boys",
            clause=clause,
        )
    if who.get("merge") == "same_group":
        w.say(
            _(
                "If too few players come, boys' and girls' groups of one age may be merged; each keeps its own places. "
                "Groups of different ages are never merged."
            ),
            f"{path}.merge",
            clause=clause,
        )
    elif who.get("merge") == "any":
        w.say(_("If too few players come, groups may be merged; each keeps its own places."), f"{path}.merge")


# -- registration ------------------------------------------------------------------------------------------------------


def registration(w: Writer) -> None:
    block = w.block("registration")
    if not block:
        return
    clause = block.get("clause")
    if block.get("required_beforehand"):
        w.say(_("Registration beforehand is required."), "registration.required_beforehand", clause=clause)
    w.say(
        _("Entries are made by the form on the event's page; no account is needed. The entrant gets a personal link."),
        "registration.fields",
    )
    _times(w, block)
    _places(w, block)
    _form(w, block)
    if "regulation" in (block.get("consents") or ["regulation", "processing"]):
        w.say(
            _("Who enters agrees to this regulation; the version agreed to is kept with the entry."),
            "registration.consents",
        )
    w.own_clauses("registration")


def _times(w: Writer, block: Mapping[str, Any]) -> None:
    if block.get("opens_at"):
        w.say(_("Registration opens: %(when)s.") % {"when": w.moment(block["opens_at"])}, "registration.opens_at")
    if block.get("closes_at"):
        w.say(_("Registration closes: %(when)s.") % {"when": w.moment(block["closes_at"])}, "registration.closes_at")
    arrival = block.get("arrival")
    if isinstance(arrival, Mapping) and arrival:
        w.say(
            _("On-site registration: from %(first)s to %(last)s.")
            % {"first": w.moment(arrival.get("from", "")), "last": w.moment(arrival.get("until", ""))},
            "registration.arrival",
        )


def _places(w: Writer, block: Mapping[str, Any]) -> None:
    limited = any(section.get("capacity") for section in w.rows("sections")) or block.get("capacity")
    if block.get("seat_taken_by") == "confirmed_deposit":
        w.say(
            _("A place is confirmed by the deposit. An entry without it waits and holds no place."),
            "registration.seat_taken_by",
        )
    elif block.get("hold_hours"):
        hours = int(block["hold_hours"])
        w.say(
            ngettext(
                "A place is held for %(count)s hour; without the deposit it is free again.",
                "A place is held for %(count)s hours; without the deposit it is free again.",
                hours,
            )
            % {"count": hours},
            "registration.hold_hours",
        )
    if not limited:
        return
    until = w.label("registration.promotion_until", block.get("promotion_until", "initial_draw"))
    if block.get("promotion") == "offer":
        hours = int(block.get("offer_hours", 24))
        w.say(
            ngettext(
                "When a place becomes free, the first in the reserve list is asked and has %(count)s hour to answer.",
                "When a place becomes free, the first in the reserve list is asked and has %(count)s hours to answer.",
                hours,
            )
            % {"count": hours},
            "registration.promotion",
        )
    else:
        w.say(
            _("When a place becomes free, the first in the reserve list gets it automatically."),
            "registration.promotion",
        )
    w.say(
        _("Reserves move up by themselves until %(until)s; afterwards, up to the start, by the organizer's decision.")
        % {"until": until},
        "registration.promotion_until",
    )
    if block.get("declined_offer") == "to_the_end":
        w.say(_("Who declines a place goes to the end of the list."), "registration.declined_offer")
    else:
        w.say(_("Who declines a place leaves the list."), "registration.declined_offer")


def _form(w: Writer, block: Mapping[str, Any]) -> None:
    required = w.labels("registration.required_fields", block.get("required_fields"))
    if required:
        w.say(
            _("Required in the form besides the name: %(fields)s.") % {"fields": required},
            "registration.required_fields",
        )
    consents = [code for code in block.get("consents") or [] if code != "regulation"]
    if consents:
        w.say(
            _("The entrant is asked for consent to: %(what)s.")
            % {"what": listed(w.label("registration.consents", code) for code in consents)},
            "registration.consents",
        )
