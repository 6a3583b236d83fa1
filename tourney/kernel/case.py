"""One checked case: what a reference says and what an engine answered."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CaseResult:
    """A comparison; `unit` is what a family counts ("case", "round", "file")."""

    name: str
    expected: object
    got: object
    unit: str = "case"

    @property
    def agrees(self) -> bool:
        return self.expected == self.got
