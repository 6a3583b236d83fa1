"""The values a page of reasons is made of."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Part:
    """A paragraph of the page under its own heading; `cited` names the article."""

    title: str
    lines: list[str]
    cited: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """One player of the pair: what the pairing knew of him or her."""

    name: str
    color: str
    color_name: str
    points: int
    place: str
    claim: str
    squares: list[tuple[str, str, str]]


@dataclass
class Story:
    """Everything the page of a board or a bye shows."""

    heading: str
    lead: str
    parts: list[Part] = field(default_factory=list)
    people: list[Line] = field(default_factory=list)
    by_hand: list[str] = field(default_factory=list)
    of_choices: list[tuple[int, str]] = field(default_factory=list)
    choices: list[tuple[str, str]] = field(default_factory=list)
    note: str = ""
