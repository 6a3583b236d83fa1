"""What to say when the machine under the program can't do its work."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _

MESSAGES: dict[str, Any] = {
    "upload.too_large": _("What was sent is too large: at most %(most)s MB here."),
    "outage.database": _("The database doesn't answer at the moment. What was saved before stays saved."),
    "outage.read_only": _("The database takes nothing new at the moment: it can only be read."),
    "outage.disk_full": _(
        "The disk of this machine is full. What was saved before stays saved; somebody must make room before anything"
        " new can be kept."
    ),
}
