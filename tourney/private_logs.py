"""What no log may hold: secrets in addresses, mail addresses, telephone and account numbers, passwords.

The filter stands on the handler, so it sees every line of every logger, arguments and tracebacks included. It works on
the finished text: who logs need not know it is there.
"""

from __future__ import annotations

import logging
import re
import traceback

# What stands behind these in an address opens something: a personal page, a tablet, a role.
_TOKENS = re.compile(r"(/(?:e|device|join|account/address|account/forgotten/\w+)/)[^/\s?\"']{8,}")
# What a form or an address with a question may hold under these names.
_FIELDS = re.compile(
    r"((?:password|passphrase|again|token|secret|code|csrfmiddlewaretoken|sessionid|api_?key|authorization)['\"]?\s*[=:]\s*['\"]?)"
    r"[^\s'\"&,;)}\]]+",
    re.IGNORECASE,
)
_CREDENTIALS = re.compile(r"(\b[a-z][a-z0-9+]*://[^/\s:@]*:)[^@\s]+@")  # postgres://user:password@host
_MAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_PHONE = re.compile(r"(?<![\w.:-])\+\d[\d ()-]{7,}\d")
_ACCOUNT = re.compile(r"\b[A-Z]{2}\d{2}[A-Z0-9]{11,30}\b")


def clean(text: str) -> str:
    """Return a line of a log with everything private replaced by what it was."""
    text = _TOKENS.sub(r"\1[token]", text)
    text = _CREDENTIALS.sub(r"\1[secret]@", text)
    text = _FIELDS.sub(r"\1[secret]", text)
    text = _MAIL.sub("[mail]", text)
    text = _ACCOUNT.sub("[account]", text)
    return _PHONE.sub("[telephone]", text)


class WithoutPrivateData(logging.Filter):
    """Cleans every record on its way to a handler."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = clean(record.getMessage()), ()
        if record.exc_info and not record.exc_text:
            record.exc_text = "".join(traceback.format_exception(*record.exc_info)).rstrip()
        if record.exc_text:
            record.exc_text = clean(record.exc_text)
        for name, value in record.__dict__.items():
            if isinstance(value, str) and name in ("path", "url", "query", "user", "detail"):
                record.__dict__[name] = clean(value)
        return True
