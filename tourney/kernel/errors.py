"""Errors a person can put right.

An engine never returns a translated sentence: it raises an error with a *code* and *values*, and the Django layer
(`labels.py` of the app) turns the code into words of the user's language. A programming mistake is an ordinary
exception and is not caught here.
"""

from typing import Any


class TourneyError(Exception):
    """A refusal with a code and the values its sentence needs.

    `code` is a dotted name such as ``"match.result_out_of_order"``; `values` are plain numbers and strings.
    """

    def __init__(self, code: str, **values: Any) -> None:
        super().__init__(code, values)
        self.code = code
        self.values = values

    def __str__(self) -> str:
        inside = ", ".join(f"{key}={value!r}" for key, value in self.values.items())
        return f"{self.code}({inside})"


class RuleError(TourneyError):
    """A regulation (or other rule data) contradicts itself; `path` names the key: ``fees.rules[2].percent``."""

    def __init__(self, path: str, code: str, **values: Any) -> None:
        super().__init__(code, path=path, **values)
        self.path = path


class ImportFileError(TourneyError):
    """A file can't be read; `line` and `column` count from 1 (column 0: the whole line)."""

    def __init__(self, code: str, line: int, column: int = 0, **values: Any) -> None:
        super().__init__(code, line=line, column=column, **values)
        self.line = line
        self.column = column
