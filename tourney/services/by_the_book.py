"""Playing by the book, where it is written: an act that bends a rule asks first, is kept with what was before, and may
end the mode for good (`tourney.kernel.by_the_book` says which acts and how loudly).

The regulation says that its groups play so (`rating.by_the_book`); a group stays in the mode until an act takes it out,
which is written into its row once. A service asks before it writes anything: whatever page, tablet or job calls it, the
question can't be passed over.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils import timezone

from tourney.kernel.by_the_book import RULES, AskFirst, Level
from tourney.kernel.errors import TourneyError
from tourney.labels import sentence
from tourney.models import BentRule, Section, Stage
from tourney.services.log import log
from tourney.services.stages import bump

IN_ROUNDS = (Stage.Kind.SWISS, Stage.Kind.ROUND_ROBIN)


def is_strict(stage: Stage) -> bool:
    """Return whether the regulation wants a stage played by the book, whatever has happened since."""
    return stage.kind in IN_ROUNDS and bool((stage.rules.get("rating") or {}).get("by_the_book"))


def is_by_the_book(stage: Stage) -> bool:
    """Return whether a stage is played by the book now."""
    return is_strict(stage) and stage.section.left_book_round is None


def has_left(stage: Stage) -> bool:
    """Return whether a stage that was to be played by the book no longer is: pages and sheets say so."""
    return is_strict(stage) and stage.section.left_book_round is not None


def ask(stage: Stage, act: str, *, knowing: int = 0, **values: Any) -> bool:
    """Return whether an act bends a rule and was confirmed often enough (`knowing`); ask or refuse where it wasn't.

    An empty `act`, or a group that doesn't play by the book, is free (False). Raises `AskFirst` with the next question,
    or TourneyError ``book.<act>`` for what is refused in the mode.
    """
    if not act or not is_by_the_book(stage):
        return False
    level = RULES[act].level
    if level is Level.REFUSED:
        raise TourneyError(f"book.{act}", **values)
    if knowing < level.questions:
        raise AskFirst(f"book.{act}", level=level, step=knowing + 1, **values)
    return level > Level.FREE


def note(
    stage: Stage,
    act: str,
    *,
    round_number: int,
    actor: Any,
    reason: str = "",
    before: Sequence[Any] = (),
    after: Sequence[Any] = (),
    snapshot: dict[str, Any] | None = None,
    **values: Any,
) -> BentRule:
    """Keep an act that bent a rule; one that ends the mode ends it now, with a line in the log."""
    rule = RULES[act]
    bent = BentRule.objects.create(
        stage=stage,
        round_number=round_number,
        act=act,
        level=rule.level,
        before=list(before),
        after=list(after),
        snapshot=snapshot or {},
        words=sentence(TourneyError(f"book.{act}", **values)),
        reason=reason,
        by=actor if getattr(actor, "is_authenticated", False) else None,
        at=timezone.now(),
    )
    if rule.leaves:
        _leave(stage, round_number, actor, reason)
    return bent


def rounds_paired(stage: Stage) -> int:
    """Return the number of the last round that is paired, drafts included; 0 before the first."""
    # The app of the rounds hangs them on the stage; the core knows their name, not their model.
    rounds: Any = getattr(stage, "rounds", None)
    if rounds is None:
        return 0
    return int(rounds.order_by("-number").values_list("number", flat=True).first() or 0)


def _leave(stage: Stage, round_number: int, actor: Any, reason: str) -> None:
    left = Section.objects.filter(pk=stage.section_id, left_book_round=None).update(left_book_round=round_number)
    stage.section.left_book_round = round_number
    if left:
        bump(stage)
        log(
            stage.section.tournament,
            "stage.left_the_book",
            actor=actor,
            reason=reason,
            section=stage.section.code,
            round=round_number,
        )
