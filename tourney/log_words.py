"""The event's log in sentences: an action code and its values become words.

The core's codes are here; an app adds its own under ``log.<code>`` with `tourney.labels.register_messages`. A code
without a sentence is shown as it is: the log never hides a line.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from tourney.archives.labels import KIND as ARCHIVE_KIND
from tourney.archives.labels import LOG as ARCHIVE_WORDS
from tourney.formatting import RESULTS, shown_value
from tourney.labels import MESSAGES
from tourney.models import ActionLog, Section, StaffRole, Stage, Tournament

WORDS: dict[str, Any] = {
    **ARCHIVE_WORDS,
    "event.created": _("Event created from the regulation “%(preset)s”"),
    "event.published": _("Event made public"),
    "event.hidden": _("Event hidden from the public"),
    "event.state_changed": _("State changed: %(old)s → %(new)s"),
    "event.settings_changed": _("Settings changed: %(fields)s"),
    "regulation.published": _("Regulation № %(number)s published"),
    "regulation.draft_saved": _("Draft of the regulation saved: %(block)s"),
    "regulation.draft_discarded": _("Draft of the regulation thrown away"),
    "section.merged": _("Group %(guest)s plays with %(host)s"),
    "section.unmerged": _("Group %(guest)s plays by itself again"),
    "section.numbers_exchanged": _("%(section)s: start numbers %(first)s and %(second)s exchanged"),
    "section.numbers_drawn": _("%(section)s: start numbers drawn by lot № %(number)s"),
    "section.late_entry": _("%(section)s: %(name)s entered late, plays from round %(round)s"),
    "section.rounds_changed": _("%(section)s: number of rounds changed from %(old)s to %(new)s"),
    "section.first_board": _("%(section)s: plays from board %(new)s on"),
    "stage.entries_closed": _("%(section)s: start list closed, players: %(players)s, %(system)s, rounds: %(rounds)s"),
    "stage.entries_reopened": _("%(section)s: start list opened again"),
    "stage.left_the_book": _("%(section)s: no longer played by the book, from round %(round)s on"),
    "staff.added": _("%(user)s is now: %(role)s"),
    "staff.removed": _("%(user)s is no longer: %(role)s"),
    "rehearsal.created": _("Rehearsal made"),
    "rehearsal.played": _("Rehearsal played on, steps: %(steps)s"),
    "rehearsal.thrown_away": _("Rehearsal thrown away"),
    "devices.issued": _("Link for the tablet “%(device)s” handed out"),
    "devices.bound": _("Tablet “%(device)s” has opened its link"),
    "devices.renewed": _("New code for the tablet “%(device)s”; the old one is out"),
    "devices.revoked": _("Link of the tablet “%(device)s” taken back"),
    "demo.loaded": _("Demo event loaded"),
    "projections.rebuilt": _("Standings, brackets and balances rebuilt from the facts"),
}

# What acts are about, by the first word of their code.
KIND_WORDS: dict[str, Any] = {
    "archive": ARCHIVE_KIND,
    "event": _("the event"),
    "regulation": _("regulation"),
    "entry": _("entries"),
    "money": _("money"),
    "section": _("groups"),
    "stage": _("start lists"),
    "swiss": _("rounds"),
    "brackets": _("matches"),
    "games": _("games"),
    "conduct": _("sanctions and appeals"),
    "prizes": _("prizes"),
    "staff": _("staff"),
    "rehearsal": _("rehearsals"),
    "devices": _("tablets"),
    "news": _("news"),
    "screens": _("screens"),
    "paper": _("sheets"),
    "projections": _("computed anew"),
    "demo": _("demo"),
}

# Values that are codes themselves, by their key.
_CODES: dict[str, dict[str, Any]] = {
    "old": dict(Tournament.State.choices),
    "new": dict(Tournament.State.choices),
    "role": dict(StaffRole.Role.choices),
    "system": dict(Stage.Kind.choices),
    "result": {code: text for code, (text, _words) in RESULTS.items()},
}


# Values that name a group by its code.
_GROUPS = ("section", "guest", "host")


def log_sentence(line: ActionLog, groups: Mapping[str, str] | None = None) -> str:
    """Return what a log line says, in the reader's language; `groups` gives titles for the codes of groups."""
    words = WORDS.get(line.action) or MESSAGES.get(f"log.{line.action}")
    if words is None:
        values = ", ".join(f"{key}: {value}" for key, value in line.data.items() if not isinstance(value, dict | list))
        return f"{line.action} ({values})" if values else line.action
    shown = {key: _CODES.get(key, {}).get(str(value), shown_value(value)) for key, value in line.data.items()}
    for key in _GROUPS:
        if groups and shown.get(key) in groups:
            shown[key] = _("“%(title)s”") % {"title": groups[shown[key]]}
    return str(words) % defaultdict(str, {k: str(v) if isinstance(v, Promise) else v for k, v in shown.items()})


def group_titles(sections: Iterable[Section]) -> dict[str, str]:
    """Return the titles of an event's groups by their codes."""
    return {section.code: section.title_text for section in sections}


# Who did something without an account.
ACTORS: dict[str, Any] = {"entrant": _("entrant"), "task": _("the program itself")}


def actor_name(line: ActionLog) -> str:
    """Return who did it: a sign-in name, or a word for somebody without an account."""
    return line.actor.get_username() if line.actor else str(ACTORS.get(line.actor_label, line.actor_label))


def log_entries(lines: Any, groups: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return log lines as `components/log.html` wants them."""
    return [
        {
            "at": line.at,
            "who": actor_name(line),
            "what": log_sentence(line, groups),
            "why": line.reason,
        }
        for line in lines
    ]
