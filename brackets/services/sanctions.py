"""What a sanction does to a knockout (K10.3): a game or a match lost, or the player gone; the bracket goes on.

Registered for the places ``sanctioned``, ``sanction_effects`` and ``sanction_revoked``: the page of sanctions shows
what a removal would do, writes the sanction and calls this in its transaction, and lets a removal be taken back. What
would take back matches played since is not done in passing (``bracket.correction_needs_choice``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from brackets.engine.entering import enter_all
from brackets.engine.facts import Fact, How, Left, Result
from brackets.engine.match_fold import AwaitGame
from brackets.engine.placings import DisqualifiedPlace
from brackets.engine.proof import Way, ways_out
from brackets.engine.resolve import BracketState, MatchStatus
from brackets.engine.topology import Side, Target
from brackets.selectors import Table, load_table
from brackets.services.absences import decide, disqualify_player
from brackets.services.correcting import Change, correct_result, plan_change, take_back_removal
from brackets.services.playing import enter_game_result
from tourney.kernel.errors import TourneyError
from tourney.kernel.ids import EntryId, MatchKey
from tourney.kernel.outcomes import ResultCode
from tourney.models import Entry, Game, Sanction, Stage


def carry_out(sanction: Sanction, actor: Any) -> None:
    """Do what a sanction says to the bracket of its stage; nothing for a stage of another kind, or a warning.

    Refusals: ``bracket.correction_needs_choice``, ``bracket.not_in_open_match`` and those of the acts it uses.
    """
    stage = sanction.stage
    if stage is None or stage.kind != Stage.Kind.BRACKET:
        return
    table = load_table(stage)
    if table is None or table.bracket.drawn_at is None or sanction.entry_id not in table.state.seeds:
        return
    match sanction.kind:
        case Sanction.Kind.GAME_LOSS:
            _lose_game(table, sanction, actor)
        case Sanction.Kind.MATCH_LOSS:
            _lose_match(table, sanction, actor)
        case Sanction.Kind.REMOVAL if stage.state != Stage.State.CLOSED:
            disqualify_player(stage.pk, sanction.entry_id, reason=sanction.reason, actor=actor)


@dataclass(frozen=True, slots=True)
class RemovalPlan:
    """What removing a player would do. `running`: the match he is in the middle of; `without_play`: matches settled at
    once, with who goes on; `later`: how many more he will lose as soon as his opponent there is known.
    """

    running: MatchKey | None
    without_play: tuple[tuple[MatchKey, EntryId], ...]
    later: int
    place_stays_empty: bool


def removal_plan(table: Table, entry: int) -> RemovalPlan:
    """Return what removing a player would do; nothing is written.

    Refusals: ``bracket.unknown_player``, ``bracket.already_left``.
    """
    player = EntryId(entry)
    view = table.state.match_of(player)
    facts: list[Fact] = []
    running = None
    if view is not None and view.is_open and table.games_in_force(view.key):
        running = view.key
        (other,) = (somebody for somebody in view.players if somebody != player)
        facts.append(Result(view.key, other, player, How.LEFT_DURING))
    facts.append(Left(player, disqualified=True, reason="?"))
    _, after = enter_all(table.spec, table.seeds, table.facts, facts)
    settled = []
    for key, now in after.matches.items():
        before = table.state.matches[key]
        if before.how is None and now.status is MatchStatus.WALKOVER and isinstance(now.winner, int):
            settled.append((key, EntryId(now.winner)))
    return RemovalPlan(
        running,
        tuple(settled),
        _losses_ahead(table, after, player),
        table.rules.disqualified_place is DisqualifiedPlace.KEEP_EMPTY,
    )


def _losses_ahead(table: Table, after: BracketState, player: EntryId) -> int:
    """Count the matches on the loser's way from where the player stands after his removal."""
    view = after.match_of(player)
    count = 0
    way: Way | None = None if view is None else Target(view.key, Side.A if view.a == player else Side.B)
    while isinstance(way, Target):
        there = after.matches[way.match]
        win, lose = ways_out(table.spec.by_key[way.match], table.spec, way.side)
        against_bye = there.how is How.BYE
        count += not against_bye
        way = win if against_bye else lose
    return count


def effects_of(entry: Entry, kind: str, game: Game | None) -> list[str] | None:
    """Return in sentences what a removal would do to the bracket; None for anything else (``sanction_effects``)."""
    host = entry.section.merged_into_id or entry.section_id
    stage = Stage.objects.filter(section=host, kind=Stage.Kind.BRACKET).exclude(state=Stage.State.PLANNED).last()
    if kind != Sanction.Kind.REMOVAL or stage is None or stage.state == Stage.State.CLOSED:
        return None
    table = load_table(stage)
    if table is None or table.bracket.drawn_at is None or entry.pk not in table.state.seeds:
        return None
    plan = removal_plan(table, entry.pk)
    names = {
        row.pk: row.player.name
        for row in Entry.objects.filter(pk__in=[winner for _key, winner in plan.without_play]).select_related("player")
    }
    lines = []
    if plan.running is not None:
        lines.append(
            _("%(match)s is lost in the middle of it; the games played stay in the records.") % {"match": plan.running}
        )
    lines += [
        _("%(match)s: %(name)s goes on without play.") % {"match": key, "name": names[winner]}
        for key, winner in plan.without_play
    ]
    if plan.later:
        lines.append(
            ngettext(
                "%(n)d more match is lost without play as soon as the opponent is known.",
                "%(n)d more matches are lost without play as soon as the opponent is known.",
                plan.later,
            )
            % {"n": plan.later}
        )
    lines.append(
        _("The player gets no place, and the place stays empty.")
        if plan.place_stays_empty
        else _("The player gets no place; those below move up.")
    )
    lines.append(_("Matches that are finished stand."))
    return lines


def take_back(sanction: Sanction, actor: Any, reason: str) -> bool:
    """Take a removal from a knockout back; False for any other sanction (``sanction_revoked``).

    Refusals: those of `brackets.services.take_back_removal`.
    """
    stage = sanction.stage
    if sanction.kind != Sanction.Kind.REMOVAL or stage is None or stage.kind != Stage.Kind.BRACKET:
        return False
    take_back_removal(stage.pk, sanction.entry_id, reason=reason, actor=actor)
    return True


def _lose_game(table: Table, sanction: Sanction, actor: Any) -> None:
    """A game that has a result gets another one; without a game it is the next one of the match the player is in."""
    game = sanction.game
    if game is not None and game.outcome:
        played = game.outcome in (ResultCode.WHITE_WINS, ResultCode.BLACK_WINS, ResultCode.DRAW)
        outcome = _loss(game.white_id == sanction.entry_id, played=played)
        if outcome.value != game.outcome:
            _correct(table, Change(_key(game), game.game_number, outcome.value), sanction, actor)
        return
    key, side = _open_match(table, sanction.entry_id)
    awaited = table.match_state(key).awaiting
    if not isinstance(awaited, AwaitGame):
        raise TourneyError("match.color_first", chooser="")
    outcome = _loss(awaited.white == side, played=False)
    enter_game_result(table.stage.pk, key, number=awaited.number, outcome=outcome.value, actor=actor)


def _loss(white_loses: bool, *, played: bool) -> ResultCode:
    if played:
        return ResultCode.BLACK_WINS if white_loses else ResultCode.WHITE_WINS
    return ResultCode.BLACK_FORFEIT_WIN if white_loses else ResultCode.WHITE_FORFEIT_WIN


def _lose_match(table: Table, sanction: Sanction, actor: Any) -> None:
    """The match of the named game, else the one the player is in."""
    if sanction.game is not None and not table.view(_key(sanction.game)).is_open:
        key = _key(sanction.game)
        other = "b" if table.view(key).a == sanction.entry_id else "a"
        if table.view(key).winner == sanction.entry_id:
            _correct(table, Change(key, winner=other), sanction, actor)
        return
    key, side = _open_match(table, sanction.entry_id)
    decide(table.stage.pk, key, winner="b" if side == "a" else "a", reason=sanction.reason, actor=actor)


def _correct(table: Table, change: Change, sanction: Sanction, actor: Any) -> None:
    plan = plan_change(table, change, sanction.reason).plan
    if plan is not None and plan.needs_choice:
        raise TourneyError("bracket.correction_needs_choice", match=change.match)
    correct_result(table.stage.pk, change, reason=sanction.reason, actor=actor)


def _key(game: Game) -> str:
    return game.match_key.partition("~")[0]


def _open_match(table: Table, entry: int) -> tuple[MatchKey, str]:
    view = next((view for view in table.state.open_matches if entry in (view.a, view.b)), None)
    if view is None:
        raise TourneyError("bracket.not_in_open_match")
    return view.key, "a" if view.a == entry else "b"
