"""Sentences of refusals about invitations and accounts."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _

MESSAGES: dict[str, Any] = {
    "invitation.gone": _("This invitation is no longer good. Ask the organizer for a new one."),
    "invitation.name_taken": _("This sign-in name is taken. Choose another one."),
    "invitation.has_role": _("You have this role already."),
    "address.link_gone": _(
        "This link is no longer good, or you are signed in with another account. Ask for a new letter on “My sign-in”."
    ),
    "address.taken": _("Another account here has this address. One address brings back one password."),
    "log.staff.invited": _("Invitation for “%(label)s”: %(role)s"),
    "log.staff.invitation_revoked": _("Invitation for “%(label)s” taken back"),
    "log.staff.joined": _("%(user)s has taken an invitation: %(role)s"),
}
