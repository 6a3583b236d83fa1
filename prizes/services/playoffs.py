"""Playing off first place game by game (M8.2): begin, colours, lots, results, corrections, undo.

Every act locks the event's row (it may draw a lot) and then the stage's, replays the play-off in the engine of match
play and appends one event. The winner is a projection: it appears with the game that decides and goes again with a
correction that makes the play-off level.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from brackets.engine.match_fold import AwaitColor, AwaitDecision, AwaitGame, AwaitGroup, AwaitLot, LotFor
from brackets.engine.match_steps import (
    ChooseColor,
    Correct,
    Decide,
    Game,
    GroupGame,
    Leave,
    LotChooser,
    LotColor,
    NoShow,
    Step,
    parse_result,
)
from prizes.models import PlayoffMatch
from prizes.selectors.places import standing_of
from prizes.selectors.playoffs import PlayoffView, rules_for
from prizes.selectors.prize_rules import prize_rules
from prizes.services.playoff_acts import Act, lock_for, project
from prizes.services.playoff_games import drop_games, ensure_stage
from tourney.kernel.colors import Color
from tourney.kernel.errors import TourneyError
from tourney.models import Lot, LotResult, Section, Stage, Tournament
from tourney.selectors import current_spec
from tourney.services.log import log
from tourney.services.lots import draw_now
from tourney.services.stages import bump

BY_LOT = "program"  # `method` of a lot the program drew; anything else is how it was drawn by hand


@transaction.atomic
def begin_playoff(section: Section, *, actor: Any, reason: str = "", operation: UUID | None = None) -> PlayoffMatch:
    """Begin the play-off a group's final standings call for; of three or more a lot gives the numbers of the table.

    Before the pause after the claimants' last game only with a reason. Raises TourneyError ``placing.no_playoff_due``,
    ``placing.still_playing``, ``placing.playoff_too_early``, ``playoff.is_on``.
    """
    tournament = section.tournament
    stage = lock_for(section)
    done = PlayoffMatch.objects.filter(operation=operation).first() if operation else None
    if done is not None:
        return done
    standing = standing_of(section)
    draft = next((one for one in standing.own_lists if one.section.pk == section.pk), None)
    if any(one.state not in (Stage.State.FINISHED, Stage.State.CLOSED) for one in standing.stages):
        raise TourneyError("placing.still_playing")
    if draft is None or draft.playoff is None:
        raise TourneyError("placing.no_playoff_due")
    if draft.match is not None:
        raise TourneyError("playoff.is_on")
    now = timezone.now()
    earliest = draft.playoff.earliest_start
    if earliest is not None and now < earliest and not reason.strip():
        raise TourneyError(
            "placing.playoff_too_early", earliest=f"{timezone.localtime(earliest, tournament.zone):%H:%M}"
        )
    between = [int(entry) for entry in draft.playoff.between]
    lot = None
    if len(between) > 2:
        lot = _draw_numbers(section, between, actor)
        between = [int(entry) for entry in lot.result]
    match = PlayoffMatch.objects.create(
        section=section,
        stage=stage,
        between=between,
        rules=rules_for(current_spec(tournament), len(between)),
        lot=lot.lot if lot else None,
        started_at=now,
        reason=reason.strip(),
        by=actor if getattr(actor, "is_authenticated", False) else None,
        operation=operation,
    )
    ensure_stage(section)
    bump(stage)
    names = [line.entry.name for line in draft.lines if line.entry.pk in between]
    log(tournament, "prizes.playoff_begun", actor=actor, reason=reason, section=section.code, players=", ".join(names))
    return match


def _draw_numbers(section: Section, between: list[int], actor: Any) -> LotResult:
    return draw_now(
        section.tournament,
        purpose=Lot.Purpose.START_NUMBERS,
        subject=_subject(section, between),
        kind="pick",
        entrants=[str(entry) for entry in between],
        k=len(between),
        actor=actor,
    )


def _subject(section: Section, between: list[int]) -> str:
    """Return what the lots of a play-off are called: a tie of other players is another thing, not a repetition."""
    known: list[frozenset[int]] = []
    for one in PlayoffMatch.objects.filter(section=section).order_by("id").values_list("between", flat=True):
        if frozenset(one) not in known:
            known.append(frozenset(one))
    mine = frozenset(between)
    number = known.index(mine) if mine in known else len(known)
    return f"{section.code}:playoff" + (f".{number + 1}" if number else "")


# -- acts ------------------------------------------------------------------------------------------------------------


@transaction.atomic
def choose_color(
    tournament: Tournament,
    match_id: int,
    *,
    color: str,
    actor: Any,
    operation: UUID | None = None,
    seen: int | None = None,
) -> PlayoffView:
    """Enter the colour that who may choose takes. Raises TourneyError ``match.unknown_color`` and the engine's."""
    act = Act(tournament, match_id, actor, operation, seen)
    if act.repeated:
        return act.view
    if color not in {one.value for one in Color}:
        raise TourneyError("match.unknown_color", got=color)
    awaited = act.state.awaiting
    by = awaited.by if isinstance(awaited, AwaitColor) else act.state.contenders[0]
    white = by if color == Color.WHITE else next(side for side in act.state.contenders if side != by)
    return act.step(ChooseColor(by, Color(color)), "prizes.playoff_color", player=act.name(by), white=act.name(white))


@transaction.atomic
def draw_lot(
    tournament: Tournament,
    match_id: int,
    *,
    actor: Any,
    winner: str = "",
    method: str = "",
    operation: UUID | None = None,
    seen: int | None = None,
) -> PlayoffView:
    """Draw the lot the play-off waits for: White, who chooses the colour, or the winner when all else is level.

    Without `winner` the program draws by draw/1; with it the lot was drawn by hand and `method` says how. Raises
    TourneyError ``match.lot_not_now``, ``match.lot_method_needed``, ``placing.not_a_claimant``.
    """
    act = Act(tournament, match_id, actor, operation, seen)
    if act.repeated:
        return act.view
    awaited = act.state.awaiting
    if isinstance(awaited, AwaitDecision):
        purpose, sides = Lot.Purpose.TIE, awaited.tied
        make: Callable[[str], Step] = lambda side: Decide(side, BY_LOT)  # noqa: E731 -- three short makers, one each
    elif isinstance(awaited, AwaitLot):
        white = awaited.gives is LotFor.WHITE
        purpose, sides = Lot.Purpose.GAME_COLOR if white else Lot.Purpose.COLOR_CHOICE, act.state.contenders
        make = (lambda side: LotColor(side, method)) if white else (lambda side: LotChooser(side, method))
    else:
        raise TourneyError("match.lot_not_now")
    lot = None
    if winner:
        if winner not in sides:
            raise TourneyError("placing.not_a_claimant")
        if not method.strip():
            raise TourneyError("match.lot_method_needed")
        method = method.strip()[:60]
    else:
        number = f":{awaited.number}" if isinstance(awaited, AwaitLot) else ""
        drawn = draw_now(
            tournament,
            purpose=purpose,
            subject=f"{_subject(act.match.section, act.match.between)}{number}",
            kind="coin" if len(sides) == 2 else "pick",
            entrants=list(sides),
            actor=actor,
        )
        lot, method = drawn.lot, BY_LOT
        winner = drawn.result if len(sides) == 2 else drawn.result[0]
    return act.step(make(winner), "prizes.playoff_lot", lot=lot, winner=act.name(winner), method=method)


@transaction.atomic
def enter_game(
    tournament: Tournament,
    match_id: int,
    *,
    white: str,
    black: str,
    outcome: str,
    actor: Any,
    operation: UUID | None = None,
    seen: int | None = None,
) -> PlayoffView:
    """Enter the result of the game that is due between these two; of a table any of its games, with its colours.

    Raises TourneyError ``match.unknown_result``, ``match.not_paired`` and those of the engine of match play.
    """
    act = Act(tournament, match_id, actor, operation, seen)
    if act.repeated:
        return act.view
    result = parse_result(outcome)
    act.known(white), act.known(black)
    awaited = act.state.awaiting
    step: Step
    if isinstance(awaited, AwaitGroup):
        if not any((due.white, due.black) == (white, black) for due in act.view.due):
            raise TourneyError("match.not_paired", white=act.name(white), black=act.name(black))
        step = GroupGame(white, black, result)
    else:
        if isinstance(awaited, AwaitGame) and (awaited.white, awaited.black) != (white, black):
            raise TourneyError("match.not_paired", white=act.name(white), black=act.name(black))
        step = Game(awaited.number if isinstance(awaited, AwaitGame) else len(act.state.games) + 1, result)
    return act.step(step, "prizes.playoff_game", white=act.name(white), black=act.name(black), result=result.value)


@transaction.atomic
def correct_game(
    tournament: Tournament,
    match_id: int,
    *,
    number: int,
    outcome: str,
    reason: str,
    actor: Any,
    operation: UUID | None = None,
    seen: int | None = None,
) -> PlayoffView:
    """Correct the result of a finished game; what no longer has its place counts no more. A reason is needed."""
    act = Act(tournament, match_id, actor, operation, seen)
    if act.repeated:
        return act.view
    result = parse_result(outcome)
    return act.step(
        Correct(number, result, reason.strip()),
        "prizes.playoff_corrected",
        reason=reason,
        number=number,
        result=result.value,
    )


@transaction.atomic
def note_absent(
    tournament: Tournament,
    match_id: int,
    *,
    player: str,
    reason: str,
    actor: Any,
    operation: UUID | None = None,
    seen: int | None = None,
) -> PlayoffView:
    """Note that a claimant did not come or gives up; games already played stay. Raises as the engine."""
    act = Act(tournament, match_id, actor, operation, seen)
    if act.repeated:
        return act.view
    side = act.known(player)
    absent = act.view.is_two and not act.state.games
    step: Step = NoShow(side, reason.strip()) if absent else Leave(side)
    if not reason.strip():
        raise TourneyError("match.reason_needed")
    return act.step(step, "prizes.playoff_absent", reason=reason, player=act.name(side))


@transaction.atomic
def decide(
    tournament: Tournament,
    match_id: int,
    *,
    winner: str,
    reason: str,
    actor: Any,
    operation: UUID | None = None,
    seen: int | None = None,
) -> PlayoffView:
    """Let the arbiter award first place, with a reason, where the rules name nobody."""
    act = Act(tournament, match_id, actor, operation, seen)
    if act.repeated:
        return act.view
    side = act.known(winner)
    return act.step(Decide(side, reason.strip()), "prizes.playoff_decided", reason=reason, winner=act.name(side))


@transaction.atomic
def undo_last(
    tournament: Tournament,
    match_id: int,
    *,
    reason: str = "",
    actor: Any,
    operation: UUID | None = None,
    seen: int | None = None,
) -> PlayoffView:
    """Take the last entry back. A lot of the program stands (``playoff.lot_stands``), and nothing can't be undone.

    After ten minutes a reason is needed (``match.reason_needed``): somebody may have acted on the entry.
    """
    act = Act(tournament, match_id, actor, operation, seen)
    if act.repeated:
        return act.view
    last = act.view.last
    if last is None:
        raise TourneyError("playoff.nothing_to_undo")
    if last.lot_id is not None:
        raise TourneyError("playoff.lot_stands", number=last.lot.number)
    if timezone.now() - last.at > timedelta(minutes=10) and not reason.strip():
        raise TourneyError("match.reason_needed")
    return act.undo(last, reason)


@transaction.atomic
def drop_playoff(tournament: Tournament, match_id: int, *, reason: str, actor: Any) -> PlayoffMatch:
    """Drop a play-off that was begun by mistake or between others than tie now; it stays in the records.

    Raises TourneyError ``match.reason_needed``, ``playoff.gone``, ``playoff.dropped``.
    """
    match = PlayoffMatch.objects.select_related("section").filter(pk=match_id, section__tournament=tournament).first()
    if match is None:
        raise TourneyError("playoff.gone")
    match.section.tournament = tournament
    stage = lock_for(match.section)
    match.refresh_from_db()
    match.section.tournament = tournament
    if match.dropped_at is not None:
        raise TourneyError("playoff.dropped")
    if not reason.strip():
        raise TourneyError("match.reason_needed")
    match.dropped_at, match.drop_reason = timezone.now(), reason.strip()
    match.version += 1
    match.save(update_fields=["dropped_at", "drop_reason", "version"])
    drop_games(match)
    bump(stage)
    log(tournament, "prizes.playoff_dropped", actor=actor, reason=reason, section=match.section.code)
    return match


def rebuild_playoffs(tournament: Tournament) -> None:
    """Write the winners of all play-offs of an event anew from their events."""
    if prize_rules(tournament).playoff is None:
        return
    for match in PlayoffMatch.objects.filter(section__tournament=tournament).select_related("section"):
        match.section.tournament = tournament
        project(match)
