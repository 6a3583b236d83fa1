"""Is a regulation fit to be published? Every block is read by its engine, then the blocks are held against each other.

The core imports no app, so each app registers its readers from its `checks.py` when Django starts. A reader gets a
`Proposal`, raises RuleError at the first thing that is wrong, and may yield problems that are not fatal. What no block
can see alone (a place outside the field, a deadline after the start) is an ordinary reader, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from typing import Any

from tourney.kernel.errors import RuleError, TourneyError
from tourney.kernel.paths import block_of
from tourney.kernel.regulation import RegulationSpec, parse, resolve_dates

ERROR, WARNING = "error", "warning"
# A preset has no date; it is checked as if its event began on a Sunday far from any change of the clocks.
SAMPLE_DAY = date(2026, 1, 25)


@dataclass(frozen=True, slots=True)
class Problem:
    """Something to put right (error) or to know (warning). `path` names the key, `code` and `values` the sentence."""

    path: str
    code: str
    values: Mapping[str, Any] = field(default_factory=dict, compare=False)
    level: str = ERROR

    @property
    def is_error(self) -> bool:
        return self.level == ERROR

    @property
    def block(self) -> str:
        """The block the path begins with."""
        return block_of(self.path)

    def as_error(self) -> TourneyError:
        """Return the problem in the form `tourney.labels.sentence` takes (without the path)."""
        return TourneyError(
            self.code,
            **{key: value for key, value in self.values.items() if key != "path"},
        )


def warning(path: str, code: str, **values: Any) -> Problem:
    """Return a problem that doesn't stop publishing."""
    return Problem(path, code, values, WARNING)


def error(path: str, code: str, **values: Any) -> Problem:
    """Return a problem that must be put right first."""
    return Problem(path, code, values)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A regulation whose envelope has been read, with the days it is meant for; all dates in it are absolute."""

    spec: RegulationSpec
    starts_on: date
    ends_on: date
    starts_at: datetime

    def block(self, name: str) -> Any:
        """Return a block's plain data."""
        return self.spec.block(name)

    @property
    def sections(self) -> list[Mapping[str, Any]]:
        """The tables of the ``sections`` block; what is no table is found by its own reader."""
        block = self.block("sections") or []
        return [section for section in block if isinstance(section, Mapping)] if isinstance(block, list) else []

    @property
    def capacity(self) -> int | None:
        """The largest field any section may have; None as soon as one has no limit."""
        capacities = [section.get("capacity") for section in self.sections]
        known = [capacity for capacity in capacities if isinstance(capacity, int)]
        return max(known) if known and len(known) == len(capacities) else None

    def options(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield every option of every stage with its path."""
        for stage in self.spec.stages():
            for index, option in enumerate(stage.options):
                if isinstance(option, Mapping):
                    yield f"{stage.path}.options[{index}]", option


Reader = Callable[[Proposal], Iterable[Problem] | None]
_readers: list[tuple[str, Reader]] = []


def register(block: str, reader: Reader) -> None:
    """Add the reader of a block; registering the same function twice has no effect."""
    if (block, reader) not in _readers:
        _readers.append((block, reader))


def check_spec(
    data: Mapping[str, Any],
    *,
    starts_on: date | None = None,
    ends_on: date | None = None,
    start_time: time | None = None,
) -> list[Problem]:
    """Return everything that is wrong or worth knowing about a regulation, errors first, in the order of the blocks.

    Without a day the regulation is taken for a preset whose relative dates are tried on a sample day.
    """
    first_day = starts_on or SAMPLE_DAY
    try:
        spec = parse(resolve_dates(dict(data), first_day))
    except RuleError as wrong:
        return [_problem(wrong)]
    proposal = _proposal(spec, first_day, ends_on, start_time)
    if isinstance(proposal, Problem):
        return [proposal]
    found: list[Problem] = []
    for block, reader in _readers:
        found += _read(block, reader, proposal)
    unique = list(dict.fromkeys(found))
    order = list(dict.fromkeys(block for block, _ in _readers))
    rank = {block: index for index, block in enumerate(order)}
    return sorted(
        unique,
        key=lambda problem: (not problem.is_error, rank.get(problem.block, len(rank))),
    )


def errors_of(problems: Iterable[Problem]) -> list[Problem]:
    """Return the problems that must be put right."""
    return [problem for problem in problems if problem.is_error]


def _read(block: str, reader: Reader, proposal: Proposal) -> list[Problem]:
    found: list[Problem] = []
    try:
        # One by one: what was found before the reader stumbled is kept.
        for problem in reader(proposal) or ():
            found.append(problem)
    except RuleError as wrong:
        found.append(_problem(wrong, block))
    return found


def _problem(wrong: RuleError, block: str = "") -> Problem:
    return Problem(wrong.path or block, wrong.code, wrong.values)


def _proposal(
    spec: RegulationSpec,
    first_day: date,
    last_day: date | None,
    start_time: time | None,
) -> Proposal | Problem:
    event = spec.block("event")
    days = event.get("days", 1) if isinstance(event, Mapping) else 1
    clock = event.get("start_time", "10:00") if isinstance(event, Mapping) else "10:00"
    try:
        begins = start_time or time.fromisoformat(clock)
    except (TypeError, ValueError):
        return error("event.start_time", "rule.not_a_time", got=str(clock))
    try:
        zone = spec.zone
    except RuleError as wrong:
        return _problem(wrong)
    span = days - 1 if isinstance(days, int) and not isinstance(days, bool) and 1 <= days <= 366 else 0
    return Proposal(
        spec=spec,
        starts_on=first_day,
        ends_on=last_day or first_day + timedelta(days=span),
        starts_at=datetime.combine(first_day, begins, tzinfo=zone),
    )
