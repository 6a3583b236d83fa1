"""Archives of events and events that move, in sentences."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _

MESSAGES: dict[str, Any] = {
    "archive.of_rehearsal": _("A rehearsal has no archive: it can be made again from the real event."),
    "archive.here_already": _(
        "This event is here already (%(event)s). It can come back only after it was moved away from here."
    ),
    "archive.slug_taken": _("Another event has the address “%(slug)s”. Choose another one for this archive."),
    "archive.not_ours": _("What is in this archive doesn't fit together (%(what)s). Nothing of it was taken."),
    "archive.where_to": _("Say where the event goes on: its address there."),
    "archive.moved_already": _("The event has moved already: %(to)s."),
    "archive.not_moved": _("The event has not moved."),
    "event.moved_meanwhile": _("The event has just moved to another place. Nothing of yours was saved here."),
    "event.moved": _("This event goes on at another place: %(to)s. Here it can only be read."),
}
LOG: dict[str, Any] = {
    "archive.exported": _("Archive of the event taken"),
    "archive.imported": _("Event brought from an archive"),
    "archive.came_back": _("Event came back from an archive"),
    "archive.moved": _("Event moved: %(to)s"),
    "archive.stays": _("Event stays here after all"),
}
KIND = _("archive")
