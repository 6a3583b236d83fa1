"""The purpose text of a transfer, from the regulation's template, never longer than a bank accepts.

A template is plain text with named fields in braces. Fields are replaced from a fixed list in one pass: no attribute
access, no format codes, and braces in a name stay what they are. When the text is too long the name is shortened, the
patronymic first; the reference is never touched, because the payment is found by it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from tourney.kernel.errors import RuleError, TourneyError

FIELDS = ("name", "event", "section", "reference")
LONGEST = 160  # what every bank of the Russian payment code accepts; the Ukrainian limit is larger

_FIELD = re.compile(r"\{([^{}]*)\}")
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class FullName:
    """The parts of a name in the purpose of a payment."""

    surname: str
    given: str = ""
    patronymic: str = ""

    def forms(self) -> list[str]:
        """Return the name from its full form to the shortest."""
        given, patronymic = _initial(self.given), _initial(self.patronymic)
        forms = [
            (self.surname, self.given, self.patronymic),
            (self.surname, self.given, patronymic),
            (self.surname, given, patronymic),
            (self.surname, "", ""),
        ]
        return [" ".join(part for part in form if part) for form in forms]


def check_template(template: str, path: str) -> None:
    """Refuse a template with an unknown field, a stray brace, or no name in it."""
    fields = _FIELD.findall(template)
    for name in fields:
        if name not in FIELDS:
            raise RuleError(path, "rule.unknown_field", got=name, known=list(FIELDS))
    if "{" in _FIELD.sub("", template) or "}" in _FIELD.sub("", template):
        raise RuleError(path, "rule.stray_brace", got=template)
    if "name" not in fields:
        raise RuleError(path, "rule.missing_field", field="name")


def purpose(
    template: str,
    name: FullName,
    *,
    reference: str = "",
    event: str = "",
    section: str = "",
    longest: int = LONGEST,
) -> str:
    """Return the purpose of a payment. A reference the template does not mention is put at the end.

    Raises TourneyError ``purpose.too_long`` when even the shortest form does not fit.
    """
    asks = "{reference}" in template
    whole = template if asks or not reference else f"{template.rstrip(' .')}. {{reference}}"
    for form in name.forms():
        text = _fill(whole, {"name": form, "event": event, "section": section, "reference": reference})
        if len(text) <= longest:
            return text
    # What is left to shorten is the middle: the words keep their beginning, the reference its end.
    tail = f" {reference}" if reference else ""
    room = longest - len(tail)
    if room < 1:
        raise TourneyError("purpose.too_long", longest=longest)
    words = _fill(template, {"name": name.forms()[-1], "event": event, "section": section, "reference": ""})
    return words[:room].rstrip(" .,;") + tail


def _fill(template: str, values: Mapping[str, str]) -> str:
    text = _FIELD.sub(lambda found: values.get(found[1], found[0]), template)
    return _SPACES.sub(" ", text).strip()


def _initial(name: str) -> str:
    return f"{name[0]}." if name else ""
