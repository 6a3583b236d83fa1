"""Rounds changed by hand, in words: which rules are bent, by whom, and the engine's own boards beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy as _

from swiss.engine.articles import cite
from swiss.engine.hand import Bent, Verdict
from swiss.engine.plan import Bye, RoundPlan
from swiss.engine.plan import Pairing as Game
from swiss.models import Pairing
from swiss.questions import Question
from swiss.selectors import board_numbers
from tourney.kernel.ids import EntryId
from tourney.kernel.outcomes import ByeKind

Name = Callable[[int], str]

BENT: dict[str, Any] = {
    "twice": _("%(names)s: on two boards"),
    "missing": _("%(names)s: no game and no bye"),
    "absent": _("%(names)s: paired, but not there when the round was paired"),
    "byes": _("%(names)s: more byes than one player too many needs"),
    "C1": _("%(names)s: have played each other already (C1)"),
    "C2": _("%(names)s: a second bye, or one after a whole point without playing (C2)"),
    "C3": _("%(names)s: both must have the same colour (C3)"),
    "forbidden": _("%(names)s: must not meet in this event (forbidden pair)"),
    "color": _("%(names)s: by article %(detail)s the colours would be turned"),
    "table": _("%(names)s: the table has other pairs or colours in this round"),
    "choice": _("%(names)s: the rules choose other pairs"),
}
# What can only be said of a whole round.
_OF_ALL = ("missing", "byes")


def plan_of_rows(number: int, rows: Iterable[Pairing]) -> RoundPlan:
    """Return the rows of a round as the engine's value."""
    games, byes = [], []
    for row in rows:
        if row.black_id is not None:
            games.append(Game(row.board or 0, EntryId(row.white_id), EntryId(row.black_id)))
        else:
            byes.append(Bye(EntryId(row.white_id), ByeKind(row.bye)))
    return RoundPlan(number, tuple(games), tuple(byes))


def bent_text(bent: Bent, name: Name) -> str:
    """Return a bent rule as a sentence about people."""
    names = " – ".join(name(int(entry)) for entry in bent.entries)
    return str(BENT[bent.rule]) % {"names": names, "detail": cite(bent.detail) if bent.detail else ""}


def bent_lines(question: Question, rows: Sequence[Pairing], name: Name, *, whole: bool) -> list[str]:
    """Return the rules that some rows bend (all rows of the round when it is `whole`), but for mere choices."""
    verdict = question.judge(plan_of_rows(question.number, rows))
    return [
        bent_text(bent, name) for bent in verdict.bent if bent.rule != "choice" and (whole or bent.rule not in _OF_ALL)
    ]


@dataclass(frozen=True, slots=True)
class Difference:
    """A board where the round and the engine differ: both as words ("" where one of them has no such board)."""

    board: int | None
    now: str
    by_engine: str


@dataclass(frozen=True, slots=True)
class HandView:
    """A round changed by hand beside the engine's own."""

    bent: list[tuple[bool, str]]  # absolute or not, in words
    differences: list[Difference]
    same: int
    possible: bool  # the engine has a pairing by the rules


def hand_view(question: Question, rows: Sequence[Pairing], name: Name) -> HandView:
    """Return what the staff see of a round changed by hand."""
    verdict: Verdict = question.judge(plan_of_rows(question.number, rows))
    bent = [(one.is_absolute, bent_text(one, name)) for one in verdict.bent]
    own = verdict.by_engine
    now: dict[int | None, str] = {}
    for row in rows:
        if row.black_id is not None:
            now[row.board] = f"{name(row.white_id)} – {name(row.black_id)}"
    byes_now = sorted(name(row.white_id) for row in rows if row.bye == ByeKind.PAIRING)
    engine: dict[int | None, str] = {}
    byes_engine: list[str] = []
    if own is not None:
        boards = board_numbers(question.stage, own.pairings)
        engine = {
            board: f"{name(int(game.white))} – {name(int(game.black))}"
            for game, board in zip(own.pairings, boards, strict=True)
        }
        byes_engine = [name(int(own.pairing_bye))] if own.pairing_bye is not None else []
    pairs_now, pairs_engine = set(now.values()), set(engine.values())
    differences = [
        Difference(board, now.get(board, ""), engine.get(board, ""))
        for board in sorted({*now, *engine}, key=lambda board: board or 0)
        if now.get(board) not in pairs_engine or engine.get(board) not in pairs_now
    ]
    if byes_now != byes_engine:
        differences.append(Difference(None, ", ".join(byes_now), ", ".join(byes_engine)))
    same = len(pairs_now & pairs_engine)
    return HandView(bent, differences, same, own is not None)
