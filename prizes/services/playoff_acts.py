"""One act on a play-off: its locks, what it looks at, the event it appends (used by `prizes.services.playoffs`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.utils import timezone

from brackets.engine.match_play import MatchState, apply
from brackets.engine.match_steps import Step, step_to_json
from prizes.models import PlayoffEvent, PlayoffMatch
from prizes.selectors.places import standing_of
from prizes.selectors.playoffs import PlayoffView, view_of
from prizes.services.playoff_games import project_games
from tourney.kernel.errors import TourneyError
from tourney.models import Lot, Section, Stage, Tournament
from tourney.selectors import host_of
from tourney.services.log import log
from tourney.services.stages import bump, lock_stage


def lock_for(section: Section) -> Stage:
    """Lock the event and the stage that decides the places. Raises TourneyError ``placing.no_playoff_due``."""
    host = host_of(section)
    last = host.stages.exclude(kind=Stage.Kind.PLAYOFF).order_by("-ordinal").values_list("pk", flat=True).first()
    if last is None:
        raise TourneyError("placing.no_playoff_due")
    return lock_stage(last, event_first=True)


class Act:
    """One act on a play-off: its lock, its view, the event it appends."""

    def __init__(
        self, tournament: Tournament, match_id: int, actor: Any, operation: UUID | None, seen: int | None
    ) -> None:
        found = (
            PlayoffMatch.objects.select_related("section").filter(pk=match_id, section__tournament=tournament).first()
        )
        if found is None:
            raise TourneyError("playoff.gone")
        found.section.tournament = tournament
        self.stage = lock_for(found.section)
        # Read again under the lock.
        self.match = PlayoffMatch.objects.select_for_update(of=("self",)).select_related("section").get(pk=match_id)
        self.match.section.tournament = tournament
        self.tournament = tournament
        self.actor = actor
        self.operation = operation
        self.repeated = operation is not None and PlayoffEvent.objects.filter(operation=operation).exists()
        self.view = view_of(self.match)
        if self.repeated:
            return
        if self.match.dropped_at is not None:
            raise TourneyError("playoff.dropped")
        if seen is not None and seen != self.match.version:
            raise TourneyError("playoff.changed_meanwhile")
        if not _still_due(self.match):
            raise TourneyError("playoff.other_claimants")

    @property
    def state(self) -> MatchState:
        return self.view.state

    def name(self, side: str) -> str:
        return self.view.name(side)

    def known(self, side: str) -> str:
        """Return the side itself. Raises TourneyError ``placing.not_a_claimant``."""
        if side not in self.view.entries:
            raise TourneyError("placing.not_a_claimant")
        return side

    def step(self, step: Step, action: str, *, reason: str = "", lot: Lot | None = None, **data: Any) -> PlayoffView:
        """Append a step the engine accepts, and say it in the log."""
        try:
            apply(self.state, step)
        except TourneyError as refused:
            raise self._named(refused) from None
        self._append({"step": step_to_json(step), "lot": lot, "reason": reason.strip()})
        return self._after(action, reason, data)

    def undo(self, event: PlayoffEvent, reason: str) -> PlayoffView:
        self._append({"voids": event, "reason": reason.strip()})
        return self._after("prizes.playoff_undone", reason, {})

    def _append(self, values: Mapping[str, Any]) -> None:
        PlayoffEvent.objects.create(
            match=self.match,
            by=self.actor if getattr(self.actor, "is_authenticated", False) else None,
            at=timezone.now(),
            operation=self.operation,
            **values,
        )

    def _after(self, action: str, reason: str, data: Mapping[str, Any]) -> PlayoffView:
        self.match.version += 1
        self.view = project(self.match)
        bump(self.stage)
        log(self.tournament, action, actor=self.actor, reason=reason, section=self.match.section.code, **data)
        return self.view

    def _named(self, refused: TourneyError) -> TourneyError:
        """Return a refusal of the engine with names in the place of sides."""
        names = {side: entry.name for side, entry in self.view.entries.items()}
        return TourneyError(
            refused.code, **{key: names.get(str(value), value) for key, value in refused.values.items()}
        )


def _still_due(match: PlayoffMatch) -> bool:
    """Return whether the final standings still have exactly these players on first place."""
    standing = standing_of(match.section)
    draft = next((one for one in standing.own_lists if one.section.pk == match.section_id), None)
    if draft is None:
        return False
    if draft.playoff is not None:
        return set(draft.playoff.between) == set(match.between)
    return draft.record is not None and draft.record.match is not None and draft.record.match.pk == match.pk


def project(match: PlayoffMatch) -> PlayoffView:
    """Write winner, second and games of a play-off anew from its events, and return it."""
    view = view_of(match)
    winner = view.state.winner
    second = next((side for side in view.state.contenders if side != winner), None) if winner else None
    if len(view.state.contenders) > 2:
        second = None  # of a round robin only its winner is asked for
    match.winner_id = int(winner) if winner else None
    match.runner_up_id = int(second) if second else None
    match.ended_at = (match.ended_at or timezone.now()) if winner else None
    match.save(update_fields=["winner", "runner_up", "ended_at", "version"])
    project_games(view)
    return view
