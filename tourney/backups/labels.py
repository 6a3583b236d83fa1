"""Why a backup or an archive is refused, in sentences."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _

MESSAGES: dict[str, Any] = {
    "backup.no_box": _("This file is no backup and no archive of Tourney, or its end is missing."),
    "backup.damaged": _("The file is damaged (%(member)s). Nothing of it was taken."),
    "backup.too_large_inside": _("The file holds more than %(most)s GB. Nothing of it was taken."),
    "backup.other_kind": _(
        "A backup of the whole installation and the archive of one event are two things; this is the other one."
    ),
    "backup.newer_format": _("The file was made by a newer Tourney (form %(found)s, known here: %(known)s)."),
    "backup.newer_release": _("The file was made by a newer Tourney (%(migration)s). Bring this one up to date first."),
    "backup.needs_passphrase": _("The file is closed by a passphrase: name it."),
    "backup.wrong_passphrase": _("The passphrase doesn't open this file."),
    "backup.not_empty": _(
        "There are events or accounts here already. A backup comes back into an empty installation only:"
        " name another data folder or another database."
    ),
}
