"""Codes of this app's refusals in words."""

from typing import Any

MESSAGES: dict[str, Any] = {}
