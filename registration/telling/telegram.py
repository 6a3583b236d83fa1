"""The few calls of Telegram's Bot API we need (core.telegram.org/bots/api): send a message, read what came in.

What can't be done now is an OSError and tried again by the queue; a chat that is closed to the bot is `ChatClosed`.
The address holds the token, so no error carries it.
"""

from __future__ import annotations

import http.client
import json
from dataclasses import dataclass
from typing import Any
from urllib import error, request

from django.conf import settings

TIMEOUT = 10  # seconds
MOST_BYTES = 2_000_000


class ChatClosed(Exception):
    """The person has blocked the bot, or the chat is gone: nothing will arrive there any more."""


@dataclass(frozen=True, slots=True)
class Incoming:
    """A message to the bot. `language` is what the person's Telegram speaks ("" unknown)."""

    update: int
    chat: int
    text: str
    language: str


def is_set_up() -> bool:
    """Return whether this installation has a bot."""
    return bool(settings.TELEGRAM_BOT_TOKEN and settings.TELEGRAM_BOT_NAME)


def start_link(code: str) -> str:
    """Return the link that opens the bot with a start code."""
    return f"https://t.me/{settings.TELEGRAM_BOT_NAME}?start={code}"


def send(chat: int, text: str) -> None:
    """Send a message of plain text (`ChatClosed`, OSError)."""
    _call("sendMessage", {"chat_id": chat, "text": text, "link_preview_options": {"is_disabled": True}})


def read(after: int) -> list[Incoming]:
    """Return the messages that came in after an update number (OSError); what is no message of a person is empty."""
    answer = _call("getUpdates", {"offset": after + 1, "timeout": 0, "allowed_updates": ["message"]})
    return [_incoming(update) for update in answer if isinstance(update, dict)]


def _incoming(update: dict[str, Any]) -> Incoming:
    message = update.get("message") or {}
    sender, chat = message.get("from") or {}, message.get("chat") or {}
    return Incoming(
        int(update.get("update_id") or 0),
        int(chat.get("id") or 0),
        str(message.get("text") or ""),
        str(sender.get("language_code") or "")[:2],
    )


def _call(method: str, values: dict[str, Any]) -> Any:
    address = f"{settings.TELEGRAM_API_URL}/bot{settings.TELEGRAM_BOT_TOKEN}/{method}"
    asked = request.Request(  # noqa: S310 -- the address is the operator's setting
        address, json.dumps(values).encode(), {"Content-Type": "application/json"}
    )
    try:
        with request.urlopen(asked, timeout=TIMEOUT) as answer:  # noqa: S310 -- the same
            content = json.loads(answer.read(MOST_BYTES))
    except error.HTTPError as refused:
        reason = _reason(refused)
        # 403: blocked by the person. 400: the chat is gone. The rest (401, 429, 5xx) may be better in a while.
        if refused.code == 403 or (refused.code == 400 and "chat" in reason.lower()):
            raise ChatClosed(reason) from None
        raise OSError(f"Telegram answers {refused.code}: {reason}") from None
    except (OSError, http.client.HTTPException, ValueError) as failed:
        raise OSError(f"Telegram does not answer: {type(failed).__name__}") from None
    if not isinstance(content, dict) or not content.get("ok"):
        raise OSError("Telegram answers something else")
    return content.get("result")


def _reason(refused: error.HTTPError) -> str:
    try:
        return str(json.loads(refused.read(MOST_BYTES)).get("description", ""))[:150]
    except (OSError, ValueError, AttributeError):
        return ""
