"""A play-off as values of a page; the tablet and the public page show the same."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from brackets.engine.match_fold import AwaitColor, AwaitDecision, AwaitGame, AwaitGroup, AwaitLot, LotFor
from brackets.engine.match_format import Armageddon, DrawnArmageddon, GamesPhase, Phase, RoundRobinPhase
from prizes.selectors.playoffs import PlayoffView
from tourney.kernel.clocks import Clock
from tourney.kernel.points import format_points
from tourney.models import Lot


def phase_words(phase: Phase) -> str:
    """Return a part of a play-off in a few words."""
    match phase:
        case GamesPhase(games=games, clock=clock):
            return ngettext("%(n)d blitz game %(clock)s", "%(n)d blitz games %(clock)s", games) % {
                "n": games,
                "clock": clock,
            }
        case RoundRobinPhase(clock=clock):
            return _("blitz round robin %(clock)s") % {"clock": clock}
        case Armageddon(draw=draw):
            clocks = armageddon_clocks(phase.white_clock, phase.black_clock)
            whose = (
                _("a draw wins for Black")
                if draw is DrawnArmageddon.BLACK
                else _("a draw wins for White")
                if draw is DrawnArmageddon.WHITE
                else ""
            )
            return ", ".join(part for part in (_("Armageddon %(clocks)s") % {"clocks": clocks}, whose) if part)
    raise AssertionError(phase)


def armageddon_clocks(white: Clock | None, black: Clock | None) -> str:
    """Return the two clocks of an Armageddon, White's first: ``5 : 4``."""
    return f"{white or '?'} : {black or '?'}"


def playoff_page(view: PlayoffView) -> dict[str, Any]:
    """Return everything a page about one play-off needs."""
    state, match = view.state, view.match
    winner = state.winner
    white = ""
    if isinstance(state.awaiting, AwaitGame):
        white = state.awaiting.white
    scores = dict(view.score)
    order = [str(pk) for pk in match.between] if view.is_two else [side for side, _points in view.score]
    listed = [*order, *(str(pk) for pk in match.between if str(pk) not in order)]
    return {
        "match": match,
        "view": view,
        "is_two": view.is_two,
        "sides": [
            {
                "key": side,
                "entry": view.entries[side],
                "score": scores.get(side),
                "won": side == winner,
                "white": white == side,
                "black": bool(white) and white != side and side in state.contenders,
                "out": side not in state.contenders,
            }
            for side in listed
        ],
        "phases": [
            {
                "words": phase_words(phase),
                "score": _phase_score(view, index),
                "on": index == state.phase and not state.is_done,
            }
            for index, phase in enumerate(state.rules.phases)
        ],
        "awaits": _awaits(view),
        "games": [
            {
                "game": game,
                "white": view.name(game.white),
                "black": view.name(game.black),
            }
            for game in view.games
        ],
        "lots": _lots(view),
        "winner": view.entries[winner] if winner else None,
        "can_undo": view.last is not None and view.last.lot_id is None,
    }


def _phase_score(view: PlayoffView, phase: int) -> str:
    """Return the score of a finished part of a match of two, in the order of its players: ``1–1``."""
    scores = [one.score for one in view.state.scores if one.phase == phase]
    if not scores or not view.is_two:
        return ""
    return "–".join(format_points(scores[-1].get(str(pk), 0)) for pk in view.match.between)


def _awaits(view: PlayoffView) -> dict[str, Any]:
    """Return what the play-off waits for, with names."""
    match view.state.awaiting:
        case AwaitColor(number=number, by=by):
            return {"kind": "color", "number": number, "by": view.name(by)}
        case AwaitLot(number=number, gives=gives):
            return {
                "kind": "lot",
                "number": number,
                "gives": "white" if gives is LotFor.WHITE else "chooser",
                "between": [(side, view.name(side)) for side in view.state.contenders],
            }
        case AwaitGame() as game:
            clock = armageddon_clocks(game.white_clock, game.black_clock) if game.armageddon else str(game.white_clock)
            return {
                "kind": "game",
                "number": game.number,
                "armageddon": game.armageddon,
                "clock": clock,
                "due": [_due(view, game.white, game.black, 0)],
            }
        case AwaitGroup(clock=clock):
            return {
                "kind": "group",
                "clock": str(clock),
                "due": [_due(view, due.white, due.black, due.round) for due in view.due],
            }
        case AwaitDecision(tied=tied):
            return {"kind": "decision", "between": [(side, view.name(side)) for side in tied]}
    return {"kind": "done"}


def _due(view: PlayoffView, white: str, black: str, number: int) -> dict[str, Any]:
    return {"round": number, "white": white, "black": black, "names": (view.name(white), view.name(black))}


def _lots(view: PlayoffView) -> list[dict[str, Any]]:
    """Return the lots of a play-off in their order: what each gave, and its page or how it was drawn by hand."""
    rows: list[dict[str, Any]] = []
    if view.match.lot is not None:
        order = ", ".join(view.entries[str(pk)].name for pk in view.match.between)
        rows.append(
            {"words": _("Numbers in the table: %(names)s") % {"names": order}, "lot": view.match.lot, "how": ""}
        )
    for event in view.events:
        step = event.step or {}
        match step.get("do"):
            case "lot_color":
                words = _("White by lot: %(name)s") % {"name": view.name(step["white"])}
            case "lot_chooser":
                words = _("Chooses the colour by lot: %(name)s") % {"name": view.name(step["chooser"])}
            case "decide" if event.lot_id is not None:
                words = _("First place by lot: %(name)s") % {"name": view.name(step["winner"])}
            case _:
                continue
        lot: Lot | None = event.lot
        rows.append({"words": words, "lot": lot, "how": "" if lot else step.get("method", "")})
    return rows
