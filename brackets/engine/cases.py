"""Run the engine over a folder of shared cases: bracket tables, whole events, match scripts, fair draws."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from brackets.engine.build import BracketParams, build
from brackets.engine.entering import enter
from brackets.engine.facts import Fact, How, Left, Result
from brackets.engine.match_format import (
    Armageddon,
    ArmageddonColor,
    FirstColor,
    GamesPhase,
    MatchFormat,
    RoundRobinPhase,
)
from brackets.engine.match_play import (
    AwaitClaim,
    AwaitColor,
    AwaitDecision,
    AwaitGame,
    AwaitGroup,
    AwaitLot,
    Finished,
    LotFor,
    MatchState,
    apply,
    begin,
    bracket_result,
    replay,
)
from brackets.engine.match_steps import (
    ChooseColor,
    Correct,
    Game,
    GroupGame,
    Leave,
    LotChooser,
    LotColor,
    NoShow,
    Start,
    Step,
    parse_result,
)
from brackets.engine.placings import final_places
from brackets.engine.resolve import BracketState, MatchView, resolve
from brackets.engine.topology import BracketSpec
from tourney.kernel.case import CaseResult
from tourney.kernel.chance import verify
from tourney.kernel.clocks import Clock
from tourney.kernel.colors import Color
from tourney.kernel.errors import TourneyError
from tourney.kernel.ids import EntryId, MatchKey
from tourney.kernel.outcomes import ResultCode

TABLES: Mapping[str, BracketParams] = {"de32": BracketParams(), "de32_return16": BracketParams(return_at=16)}


def run(folder: Path) -> Iterator[CaseResult]:
    """Yield what the engine makes of the bracket cases in a folder; files that aren't there are left out."""
    for name, params in TABLES.items():
        if (folder / f"{name}.json").exists():
            yield _table(name, _read(folder / f"{name}.json"), build(params))
    if (folder / "sims.json").exists():
        for event in _read(folder / "sims.json")["events"]:
            yield _event(event)
    if (folder / "match_scripts.json").exists():
        for script in _read(folder / "match_scripts.json")["scripts"]:
            yield _script(script)


def run_draws(folder: Path) -> Iterator[CaseResult]:
    """Yield whether every honest draw is accepted and every forged one refused."""
    path = folder / "draw_vectors.json"
    if not path.exists():
        return
    vectors = _read(path)
    for number, transcript in enumerate(vectors["valid"], start=1):
        yield CaseResult(f"draw {number}", None, verify(transcript), "draw")
    for number, forged in enumerate(vectors["invalid"], start=1):
        transcript = forged.get("transcript", forged)
        yield CaseResult(f"forged draw {number}", "refused", "refused" if verify(transcript) else "accepted", "draw")


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


# Bracket tables: equal up to the names of the matches and the meaning of the sides.


def _shape(rows: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Return what a table says without its names: every match as the tree of where its players come from."""
    by_id = {row["id"]: row for row in rows}
    trees: dict[str, str] = {}

    def tree(key: str) -> str:
        if key not in trees:
            row = by_id[key]
            trees[key] = "({} {})".format(*sorted((side(row["a"]), side(row["b"]))))
        return trees[key]

    def side(source: Mapping[str, Any]) -> str:
        if "seed" in source:
            return str(source["seed"])
        return f"W{tree(source['winner_of'])}" if "winner_of" in source else f"L{tree(source['loser_of'])}"

    def way(row: Mapping[str, Any], name: str) -> Any:
        return tree(row[f"{name}_to"]["match"]) if row[f"{name}_to"] else row[f"{name}_place"]

    return sorted(
        [tree(row["id"]), row["slot"], row["bracket"], way(row, "winner"), way(row, "loser"), row["places_open"]]
        for row in rows
    )


def _table(name: str, stored: Mapping[str, Any], spec: BracketSpec) -> CaseResult:
    expected, got = _shape(stored["table"]), _shape(spec.to_json()["matches"])
    if expected == got:
        return CaseResult(name, len(expected), len(got), "table")
    return CaseResult(
        name, [row for row in expected if row not in got], [row for row in got if row not in expected], "table"
    )


# Whole events.

KYIV = MatchFormat(
    (
        GamesPhase(2, Clock(3, 2)),
        GamesPhase(2, Clock(2, 1)),
        Armageddon(Clock(5), Clock(4)),
    )
)


def _event(event: Mapping[str, Any]) -> CaseResult:
    params = TABLES[event["bracket"]]
    if event["final_reset"]:
        params = BracketParams(final="reset")
    spec = build(params)
    names = [player["id"] for player in event["players"]]
    ids = {name: EntryId(number) for number, name in enumerate(names, start=1)}
    ratings = {player["id"]: player["rating"] for player in event["players"]}
    expected: dict[str, Any] = {"complete": True, "places": event["places"], "played": event["matches_played"]}
    if "places_if_disqualified_keep_their_slot" in event:
        expected["slots"] = event["places_if_disqualified_keep_their_slot"]
    try:
        state = _play(spec, list(ids.values()), event["results"], ids, ratings)
    except (TourneyError, LookupError) as error:
        return CaseResult(event["id"], expected, f"{type(error).__name__}: {error}", "event")
    by_id = {number: name for name, number in ids.items()}
    got: dict[str, Any] = {
        "complete": state.is_complete,
        "places": [by_id[player] for _, player in final_places(spec, state)],
        "played": {by_id[player]: count for player, count in state.matches_played().items()},
    }
    if "slots" in expected:
        got["slots"] = [by_id[player] for player, _ in sorted(state.places.items(), key=lambda item: item[1])]
    return CaseResult(event["id"], expected, got, "event")


def _play(
    spec: BracketSpec,
    seeds: Sequence[EntryId],
    rows: Sequence[Mapping[str, Any]],
    ids: Mapping[str, EntryId],
    ratings: Mapping[str, int],
) -> BracketState:
    facts: tuple[Fact, ...] = ()
    state = resolve(spec, seeds, facts)
    for row in rows:
        new: Fact
        if "act" in row:
            new = Left(ids[row["p"]], disqualified=row["act"] == "disqualify")
        else:
            pair = {"a": ids[row["a"]], "b": ids[row["b"]]}
            if row.get("auto"):
                _check_automatic(state, pair, row["w"])
                continue
            (view,) = [view for view in state.open_matches if set(view.players) == set(pair.values())]
            new = _row_result(view.key, row, pair, {side: ratings[row[side]] for side in pair})
        facts, state = enter(spec, seeds, facts, new, state)
    return state


def _check_automatic(state: BracketState, pair: Mapping[str, EntryId], winner: str) -> None:
    """Whether the program made this walkover itself."""

    def is_it(view: MatchView) -> bool:
        automatic = view.how in (How.OPPONENT_LEFT, How.BOTH_LEFT)
        return automatic and set(view.players) == set(pair.values()) and view.winner == pair[winner]

    # The row may stand before the match that makes it possible: it must only never come out the other way round.
    if any(set(view.players) == set(pair.values()) and not is_it(view) and view.how for view in state.matches.values()):
        raise LookupError(f"no automatic walkover between {pair}")


_TOKENS = {"1": ResultCode.WHITE_WINS, "=": ResultCode.DRAW, "0": ResultCode.BLACK_WINS}


def _row_result(
    key: MatchKey, row: Mapping[str, Any], pair: Mapping[str, EntryId], ratings: Mapping[str, int]
) -> Result:
    """Return the result of a row; its games are replayed by the match rules and must name the same winner."""
    winner, loser = pair[row["w"]], pair["b" if row["w"] == "a" else "a"]
    if row["g"] == "-/-":
        return Result(key, winner, loser, How.DOUBLE_ABSENCE, played=False)
    if row["g"] in ("+/-", "-/+"):
        return Result(key, winner, loser, How.WALKOVER, played=False)
    state = begin(KYIV, ratings)
    for token in row["g"].replace("|", " ").split():
        white, result = token
        if isinstance(state.awaiting, AwaitLot) and state.awaiting.gives is LotFor.CHOOSER:
            state = apply(state, LotChooser(white))
        if isinstance(state.awaiting, AwaitColor):
            color = Color.WHITE if state.awaiting.by == white else Color.BLACK
            state = apply(state, ChooseColor(state.awaiting.by, color))
        if isinstance(state.awaiting, AwaitLot):
            state = apply(state, LotColor(white))
        if not isinstance(state.awaiting, AwaitGame) or state.awaiting.white != white:
            raise LookupError(f"{row['a']}-{row['b']} {row['g']}: {state.awaiting}")
        state = apply(state, Game(state.awaiting.number, _TOKENS[result]))
    if state.winner != row["w"]:
        raise LookupError(f"{row['a']}-{row['b']} {row['g']}: winner {state.winner}")
    return bracket_result(state, key, pair)


# Match scripts.

RULES: Mapping[str, MatchFormat] = {
    "kyiv": KYIV,
    "mariel2": MatchFormat(
        (GamesPhase(2, Clock(5, 3)), Armageddon(None, None, ArmageddonColor.LOT_WINNER_CHOOSES)),
        FirstColor.LOT,
        start_after_minutes=15,
    ),
    "mariel3": MatchFormat(
        (RoundRobinPhase(Clock(3, 2)), Armageddon(None, None, ArmageddonColor.LOT_WINNER_CHOOSES)),
        FirstColor.LOT,
        start_after_minutes=15,
    ),
}
_PHASES = {"kyiv": ("main", "second", "armageddon"), "mariel2": ("main", "armageddon"), "mariel3": ("rr", "armageddon")}
_COLORS = {"white": Color.WHITE, "black": Color.BLACK}


def _steps(row: Mapping[str, Any], state: MatchState) -> Step:
    """Return the step a row of a script describes."""
    makers: Mapping[str, Callable[[], Step]] = {
        "choose_colour": lambda: ChooseColor(row["by"], _COLORS[row["colour"]]),
        "lot": lambda: LotColor(row["white"]),
        "lot_first_colour": lambda: LotColor(row["white"]),
        "lot_chooser": lambda: LotChooser(row["chooser"]),
        "game": lambda: Game(row["n"], parse_result(row["result"])),
        "armageddon": lambda: Game(getattr(state.awaiting, "number", 0), parse_result(row["result"])),
        "rr": lambda: GroupGame(row["white"], row["black"], parse_result(row["result"])),
        "correct": lambda: Correct(row["n"], parse_result(row["result"]), row.get("reason", "")),
        "walkover": lambda: NoShow(row["absent"], row["reason"]),
        "withdraw": lambda: Leave(row["player"]),
        "start": lambda: Start(row["minutes_after_last_game"]),
    }
    return makers[row["do"]]()


def _script(script: Mapping[str, Any]) -> CaseResult:
    rules = script["rules"]
    state = replay(RULES[rules], script["players"], ())
    surprises = []
    for number, row in enumerate(script["steps"], start=1):
        try:
            state = apply(state, _steps(row, state))
            refused = False
        except TourneyError:
            refused = True
        if refused != row.get("refused", False):
            surprises.append(f"step {number} {'refused' if refused else 'accepted'}")
    got = _described(state, _PHASES[rules])
    expected = script["expect"]
    return CaseResult(
        f"{script['id']} {script['text']}",
        {**expected, "surprises": []},
        {**{key: got.get(key) for key in expected}, "surprises": surprises},
        "script",
    )


def _described(state: MatchState, phases: Sequence[str]) -> dict[str, Any]:
    """Return the state in the words of the scripts."""
    awaited = state.awaiting
    white = [game.white for game in state.games]
    words: dict[str, Any] = {}
    match awaited:
        case Finished(winner=winner):
            words = {"state": "done", "winner": winner}
        case AwaitGame(number=number):
            words = {"state": "game", "n": number}
            white.append(awaited.white)
        case AwaitColor(number=number):
            words = {"state": "colour", "n": number}
        case AwaitLot(number=number, gives=gives):
            words = {"state": "lot" if state.games and gives is LotFor.WHITE else "colour", "n": number}
        case AwaitGroup(left=left):
            words = {"state": "rr", "left": len(left)}
        case AwaitDecision(tied=tied):
            words = {"state": "arbiter_decision", "tied": list(tied)}
        case AwaitClaim():
            words = {"state": "disputed"}
    return {
        **words,
        "white": white,
        "phase": phases[state.phase],
        "score": {player: _plain(points) for player, points in state.score.items()},
        "struck": [game.number for game in state.struck],
        "played": state.played,
    }


def _plain(half_points: int) -> int | float:
    """Return a score as the case files write it: whole points, or a number ending in .5 (exact in binary)."""
    whole, half = divmod(half_points, 2)
    return whole + 0.5 if half else whole
