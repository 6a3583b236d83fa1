"""One act of an arbiter: rows are collected, checked together, written and projected in one transaction.

The stage row is the lock. An act first replays the bracket, adds its rows to the copy in memory, and only when the
whole of it is sound writes anything: a refusal changes nothing.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.contrib.auth import get_user_model
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from brackets.engine.entering import enter, enter_all, locked
from brackets.engine.facts import (
    Cut,
    Fact,
    Left,
    OnPaper,
    Replaced,
    Result,
    Returned,
    SeedsSwapped,
    Voided,
    fact_to_json,
)
from brackets.engine.match_play import MatchState, apply
from brackets.engine.match_steps import Step, step_to_json
from brackets.engine.resolve import BYE, MatchStatus
from brackets.models import Match, MatchEvent
from brackets.selectors import STEP_KINDS, Row, Table, load_table, seen_token
from brackets.services.projecting import COLUMNS, project_matches, project_slots
from tourney.formatting import result_text
from tourney.kernel.errors import TourneyError
from tourney.kernel.ids import MatchKey
from tourney.live import stage_changed
from tourney.models import Game, ResultRecord, Stage, Tournament
from tourney.services.log import log
from tourney.services.stages import lock_stage, lock_stage_in_play, set_tournament_state

Kind = MatchEvent.Kind
_KIND_OF_FACT: Mapping[type, str] = {
    Result: Kind.RESULT,
    Voided: Kind.VOIDED,
    OnPaper: Kind.ON_PAPER,
    Returned: Kind.RETURNED,
    SeedsSwapped: Kind.SEEDS_SWAPPED,
    Replaced: Kind.REPLACED,
    Cut: Kind.CUT,
}
_BEGINS = STEP_KINDS | {Kind.CALLED, Kind.RESULT}
_OPEN = (Match.State.CALLED, Match.State.PLAYING)


class Act:
    """The rows one act writes, and the bracket as it will be with them."""

    def __init__(
        self,
        stage_id: int,
        actor: Any,
        *,
        operation: UUID | None = None,
        device: str = "",
        while_paused: bool = True,
        proposed: bool = False,
        draws_lot: bool = False,
    ) -> None:
        """Lock the stage and read the bracket. An act that draws a lot, or may begin play, locks the event before it.

        Refuses with ``bracket.not_drawn`` (a draw not confirmed is good only for `proposed` acts),
        ``bracket.stage_closed``, ``bracket.paused`` unless the act is one for the time of a pause.
        """
        self.stage = lock_stage(stage_id, event_first=True) if draws_lot else lock_stage_in_play(stage_id)
        table = load_table(self.stage)
        if table is None or (table.bracket.drawn_at is None and not proposed):
            raise TourneyError("bracket.not_drawn")
        if self.stage.state == Stage.State.CLOSED:
            raise TourneyError("bracket.stage_closed")
        if table.bracket.paused_at is not None and not while_paused:
            raise TourneyError("bracket.paused")
        self.before = self.table = table
        self.actor = actor if getattr(actor, "is_authenticated", False) else None
        self.device = device
        self.now = timezone.now()
        self.act = uuid.uuid4()
        self.operation = operation
        self.events: list[MatchEvent] = []
        self.games_to_file: set[MatchKey] = set()
        self.repeated = [row for row in table.rows if operation is not None and row.operation == operation]
        if self.repeated:
            # What was written with it is one act; the caller returns it as it stands.
            self.repeated = [row for row in table.rows if row.act == self.repeated[0].act]

    # -- what the form was looking at --------------------------------------------------------------------------------

    def check_seen(self, key: str, seen: str) -> None:
        """Refuse an entry on an older picture of the match (``match.changed_meanwhile``: who did what since)."""
        match = self.table.matches[self.table.match_spec(key).key]
        if not seen or seen == seen_token(match, self.table.view(key)):
            return
        last = next((row for row in reversed(self.table.rows) if row.match == match.key), None)
        by = get_user_model().objects.filter(pk=last.by).first() if last is not None and last.by else None
        zone = self.stage.section.tournament.zone
        raise TourneyError(
            "match.changed_meanwhile",
            match=match.key,
            what=what_row_says(last) if last is not None else "",
            by=by.get_username() if by is not None else "–",
            at=f"{last.at.astimezone(zone):%H:%M}" if last is not None else "",
        )

    # -- adding rows -------------------------------------------------------------------------------------------------

    def add(
        self,
        kind: str,
        *,
        match: str | None = None,
        entry: int | None = None,
        data: Mapping[str, Any] | None = None,
        record: ResultRecord | None = None,
        lot: int | None = None,
        voids: int | None = None,
        reason: str = "",
    ) -> Row:
        """Add a row to the act and to the bracket in memory."""
        key = self.table.match_spec(match).key if match is not None else None
        stored = dict(data or {})
        if key is not None and (kind in STEP_KINDS or kind == Kind.CALLED):
            view = self.table.view(key)
            stored["pair"] = [view.a if isinstance(view.a, int) else None, view.b if isinstance(view.b, int) else None]
        event = MatchEvent(
            bracket=self.table.bracket,
            match=self.table.matches[key] if key is not None else None,
            entry_id=entry,
            kind=kind,
            data=stored,
            record=record,
            lot_id=lot,
            voids_id=voids,
            reason=reason,
            by=self.actor,
            at=self.now,
            act=self.act,
            operation=self.operation if not self.events else None,
        )
        self.events.append(event)
        row = Row(
            -len(self.events),
            key,
            entry,
            kind,
            json.dumps(stored),
            voids,
            reason,
            self.actor.pk if self.actor else None,
            self.now,
            self.act,
            event.operation,
            lot,
            record.pk if record else None,
            record.game_id if record else None,
            record.outcome if record else "",
        )
        self.table = self.table.with_rows([row])
        return row

    def add_step(self, kind: str, key: str, step: Step, *, reason: str = "", lot: int | None = None) -> MatchState:
        """Add a step of a match and return the match after it. The engine refuses what is not due."""
        after = apply(self.open_match(key), step)
        self.add(kind, match=key, data={"step": step_to_json(step)}, reason=reason, lot=lot)
        return after

    def open_match(self, key: str) -> MatchState:
        """Return a match both players of which are known; ``bracket.match_locked``, ``bracket.match_settled``."""
        view = self.table.view(key)
        if view.status is MatchStatus.CUT:
            raise TourneyError("bracket.cut_short", match=view.key)
        if view.status is MatchStatus.LOCKED:
            raise locked(view)
        if not view.is_open:
            raise TourneyError("bracket.match_settled", match=view.key)
        return self.table.match_state(key)

    def add_fact(self, fact: Fact) -> None:
        """Add one fact of the bracket if the engine allows it."""
        enter(self.table.spec, self.table.seeds, self.table.facts, fact, self.table.state)
        self._add_fact(fact)

    def add_facts(self, facts: Sequence[Fact]) -> None:
        """Add facts that belong together."""
        enter_all(self.table.spec, self.table.seeds, self.table.facts, facts)
        for fact in facts:
            self._add_fact(fact)

    def _add_fact(self, fact: Fact) -> None:
        kind = _KIND_OF_FACT.get(type(fact), "")
        entry: int | None = None
        match fact:
            case Left(player=player, disqualified=disqualified):
                kind, entry = Kind.DISQUALIFIED if disqualified else Kind.WITHDRAWN, player
            case Returned(player=player):
                entry = player
            case Replaced(by=by):
                entry = by
        self.add(
            kind,
            match=getattr(fact, "match", None),
            entry=entry,
            data={"fact": fact_to_json(fact)},
            reason=getattr(fact, "reason", ""),
        )

    def cancel(self, key: MatchKey, reason: str) -> None:
        """Take back the call and the games of an open match; the games stay in the records."""
        self.add(Kind.CANCELLED, match=key, reason=reason)
        self.games_to_file.add(key)

    # -- the end of the act ------------------------------------------------------------------------------------------

    def finish(self, action: str, *, reason: str = "", **values: Any) -> None:
        """Write the rows and what follows from them, move the stage, log the act."""
        self._take_back_calls()
        changed = self._changed_matches()
        moved = project_matches(self.table, changed)
        if self._free_boards(moved):
            moved = list({*moved, *project_matches(self.table, changed)})
        self._file_games()
        MatchEvent.objects.bulk_create(self.events)
        if moved:
            Match.objects.bulk_update(moved, COLUMNS)
        occupied = [
            key
            for key in changed
            if (self.before.state.matches[key].a, self.before.state.matches[key].b)
            != (self.table.state.matches[key].a, self.table.state.matches[key].b)
        ]
        if occupied:
            project_slots(self.table, occupied)
        self._move_stage()
        log(
            self.stage.section.tournament,
            action,
            actor=self.actor,
            label=self.device,
            reason=reason,
            of_stage=True,
            section=self.stage.section.code,
            **values,
        )

    def _changed_matches(self) -> list[MatchKey]:
        """Return the matches whose view or rows this act changes."""
        touched = {event.match.key for event in self.events if event.match is not None}
        voided = {event.voids_id for event in self.events if event.voids_id is not None}
        touched |= {row.match for row in self.table.rows if row.pk in voided and row.match is not None}
        before, after = self.before.state.matches, self.table.state.matches
        return [key for key in after if key in touched or before[key] != after[key]]

    def _take_back_calls(self) -> None:
        """Nobody may sit at a board against somebody who doesn't play there: calls of another pair end.

        Games of another pair are never dropped on the way: ``bracket.downstream_playing`` asks for a decision first.
        """
        wrong = []
        for key in self._changed_matches():
            view = self.table.state.matches[key]
            rows = self.table.rows_of(key)
            pairs = [row.data["pair"] for row in rows if "pair" in row.data]
            here = [side if isinstance(side, int) and side is not BYE else None for side in (view.a, view.b)]
            if pairs and pairs[-1] != here:
                wrong.append(key)
        played = [key for key in wrong if self.table.games_in_force(key)]
        if played:
            raise TourneyError("bracket.downstream_playing", matches=[str(key) for key in played])
        for key in wrong:
            self.add(Kind.CANCELLED, match=key, reason="players changed")

    def _free_boards(self, moved: Sequence[Match]) -> bool:
        """Let a match that opens again give up its board if others sit there now."""
        taken = {
            match.board: match
            for match in self.table.matches.values()
            if match.state in _OPEN and match.board is not None and match not in moved
        }
        given_up = False
        for match in moved:
            if match.state not in _OPEN or match.board is None:
                continue
            if match.board in taken:
                self.add(Kind.BOARD_LEFT, match=match.key)
                given_up = True
            else:
                taken[match.board] = match
        return given_up

    def _file_games(self) -> None:
        """Keep the games that count under the key of their match, and put the others aside (``U1.1~1``)."""
        if not self.games_to_file:
            return
        for key in self.games_to_file:
            file_games(self.table, key)

    def _move_stage(self) -> None:
        """Play begins with the first call or result, and ends when every match is settled. One statement."""
        stage, complete = self.stage, self.table.state.is_complete
        started = any(event.kind in _BEGINS for event in self.events)
        if stage.state == Stage.State.READY and (started or complete):
            stage.state, stage.started_at = Stage.State.RUNNING, self.now
            tournament = stage.section.tournament
            if tournament.state in (
                Tournament.State.DRAFT,
                Tournament.State.REGISTRATION,
                Tournament.State.CLOSED,
            ):
                set_tournament_state(tournament, Tournament.State.RUNNING, actor=self.actor)
        if stage.state == Stage.State.RUNNING and complete:
            stage.state, stage.finished_at = Stage.State.FINISHED, self.now
        elif stage.state == Stage.State.FINISHED and not complete:
            stage.state, stage.finished_at = Stage.State.RUNNING, None
        Stage.objects.filter(pk=stage.pk).update(
            state=stage.state,
            started_at=stage.started_at,
            finished_at=stage.finished_at,
            version=F("version") + 1,
        )
        stage.version += 1
        stage_changed(stage.pk, stage.version)


def file_games(table: Table, key: MatchKey) -> None:
    """Give every game of a match the key it belongs under: the match's own, or an aside one for games taken back.

    An open game (a result was taken back) stays if it is the one the match waits for.
    """
    counting = {row.game for row in table.games_in_force(key)}
    view = table.state.matches[key]
    awaited = None
    if view.is_open:
        number = getattr(table.match_state(key).awaiting, "number", None)
        awaited = number
    games = list(Game.objects.filter(stage=table.stage, match_key__regex=rf"^{key.replace('.', '[.]')}(~[0-9]+)?$"))
    games.sort(key=lambda game: game.pk)
    aside: dict[int, int] = {}
    kept: set[int] = {game.game_number for game in games if game.pk in counting}
    moves: list[Game] = []
    for game in games:
        stays = game.pk in counting
        if not stays and not game.outcome and game.game_number == awaited and game.game_number not in kept:
            stays = True
            kept.add(game.game_number)
        if stays:
            wanted = str(key)
        else:
            aside[game.game_number] = aside.get(game.game_number, 0) + 1
            wanted = f"{key}~{aside[game.game_number]}"
        if game.match_key != wanted:
            game.match_key = wanted
            moves.append(game)
    # Two passes: the keys of one match are unique at every moment.
    for game in moves:
        Game.objects.filter(pk=game.pk).update(match_key=f"~{game.pk}")
    for game in moves:
        game.save(update_fields=["match_key"])


def what_row_says(row: Row) -> Any:
    """Return a row in a few words: a result as it is written, anything else by the name of its kind."""
    if row.kind in (Kind.GAME, Kind.CORRECTED):
        return _("game %(number)s: %(result)s") % {"number": row.data["number"], "result": result_text(row.outcome)}
    return Kind(row.kind).label
