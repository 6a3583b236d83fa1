"""Whom a transfer goes to, in one place.

A regulation names the payee (``payment.payee``), and that is where the wizard puts him. An event may have bank details
of its own (`Tournament.requisites`, on the settings page), because a new account must not need a new version of the
regulation; then they count, all of them: details of two payees are never mixed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tourney.models import Tournament


def requisites_of(event: Tournament | None, payment: Mapping[str, Any]) -> dict[str, str]:
    """Return the bank details in force: the event's own, else those of the regulation's block ``payment``."""
    own = _filled(event.requisites) if event is not None else {}
    return own or _filled(payment.get("payee"))


def _filled(found: Any) -> dict[str, str]:
    return {key: str(value) for key, value in found.items() if value} if isinstance(found, Mapping) else {}
