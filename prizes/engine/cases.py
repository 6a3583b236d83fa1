"""The engine against reference cases: tie-breaks of whole tournaments, report-file traps, play-offs and awards.

A folder of tie-break cases holds pairs ``NAME.trf`` and ``NAME.expected.json``, worked examples
(``manual2026_examples.json``) and ``traps/``. Every function yields one `CaseResult` per comparison and leaves out what
isn't in the folder.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from prizes.engine import playoff
from prizes.engine.allocation import AwardRule, Field, allocate, handed_out
from prizes.engine.placings import Placing, among, in_order, moved_up
from prizes.engine.playoff import PlayoffGame, PlayoffRules, Step, StepKind
from prizes.engine.ranking import rank
from prizes.engine.tiebreaks import Crosstable, direct_encounter, format_value, parse_tiebreak, values_of
from prizes.engine.tiebreaks.codes import Edition, System
from tourney.kernel import trf as reports
from tourney.kernel.case import CaseResult
from tourney.kernel.colors import Color
from tourney.kernel.errors import ImportFileError
from tourney.kernel.ids import EntryId
from tourney.kernel.outcomes import ByeKind, ResultCode
from tourney.kernel.points import Points
from tourney.kernel.records import History, PlayerRecord, RoundKind, RoundRecord

_EDITIONS: Mapping[str, Edition] = {"2026": "2026", "2024": "2023"}
_SYSTEMS: Mapping[str, System] = {"swiss": "swiss", "roundrobin": "round_robin"}
_CODES = {"BHC1": "BH/C1", "BHC2": "BH/C2", "BHM1": "BH/M1", "SBC1": "SB/C1", "PSC1": "PS/C1", "AROC1": "ARO/C1"}
_ORDERS: Mapping[str, tuple[str, ...]] = {
    "ru_swiss_WIN": ("PTS", "DE", "BH/C1", "BH", "WIN", "BPG", "ARO"),
    "ru_swiss_WON": ("PTS", "DE", "BH/C1", "BH", "WON", "BPG", "ARO"),
    "ru_rr_WIN": ("PTS", "DE", "SB", "WIN"),
    "ru_rr_WON": ("PTS", "DE", "SB", "WON"),
}
_UNRATED = 1000  # what the references took for players without a rating


def run_tiebreaks(folder: Path) -> Iterator[CaseResult]:
    """Yield every column of values, every ranking, the answers printed by arbiters, worked examples and traps."""
    for path in sorted(folder.glob("*.expected.json")):
        yield from _tournament(path)
    manual = folder / "manual2026_examples.json"
    if manual.exists():
        yield from _worked_example(_load(manual))
    if (folder / "traps" / "expected.json").exists():
        yield from _traps(folder / "traps")


def _load(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"), parse_float=Decimal)


def _tournament(path: Path) -> Iterator[CaseResult]:
    case = _load(path)
    report = reports.parse(path.with_name(path.name.replace(".expected.json", ".trf")).read_bytes())
    history = report.history(case["rounds"])
    system = _SYSTEMS[case["system"]]
    unrated = _UNRATED if "unrated" in case else None
    decimals = 3 if case["rounds"] >= 9 else 2  # how the references write averages
    tables = {
        rules: Crosstable.of(history, edition=_EDITIONS[rules], system=system, unrated=unrated)
        for rules in case["values"]
    }
    for rules, expected in case["values"].items():
        codes = next(iter(expected.values()))
        for code in codes:
            got = _column(tables[rules], code, decimals)
            wanted = {player: _text(values[code], decimals) for player, values in expected.items()}
            yield CaseResult(f"{case['case']} {rules} {code}", wanted, got, "column")
    for printed, rules in (("hand_2023", "2024"), ("hand_2026", "2026")):
        if printed not in case:
            continue
        table = tables.get(rules, tables["2026"])
        columns: dict[str, dict[str, str]] = {}
        for player, values in case[printed]["values"].items():
            for code, value in values.items():
                columns.setdefault(code, {})[player] = _text(value, 2)
        for code, wanted in columns.items():
            got = _column(table, code, 2)
            picked = {player: got[player] for player in wanted}
            yield CaseResult(f"{case['case']} {printed} {code}", wanted, picked, "column")
    for rules, lists in case["rank"].items():
        for name, wanted in lists.items():
            ranking = rank(history, _ORDERS[name], edition=_EDITIONS[rules], system=system, unrated=unrated)
            places = {str(line.entry): line.rank for line in ranking}
            yield CaseResult(f"{case['case']} {rules} {name}", wanted, places, "ranking")


def _column(table: Crosstable, code: str, decimals: int) -> dict[str, str]:
    tiebreak = parse_tiebreak(_CODES.get(code, code))
    if code == "DE":
        level: dict[int, list[int]] = {}
        for index, score in enumerate(table.scores):
            level.setdefault(score, []).append(index)
        found = {}
        for group in level.values():
            found.update(direct_encounter(table, tiebreak, group))
        values = [found[index] for index in range(len(table.players))]
    else:
        values = list(values_of(table, tiebreak))
    return {
        str(player.entry): format_value(value.value, decimals)
        for player, value in zip(table.players, values, strict=True)
    }


def _text(value: int | Decimal | None, decimals: int) -> str:
    return "" if value is None else format_value(Fraction(value), decimals)


def _worked_example(example: Mapping[str, Any]) -> Iterator[CaseResult]:
    history = example_history(example["record"])
    for rules, wanted in example["expected"].items():
        table = Crosstable.of(history, edition=_EDITIONS[rules], system="swiss")
        for code, value in wanted.items():
            got = _column(table, code, 2)["1"]
            yield CaseResult(f"{example['case']} {rules} {code}", _text(value, 2), got, "example")


def example_history(record: Sequence[Mapping[str, Any]]) -> History:
    """Return a stage in which player 1 did what a worked example says and the opponents have the scores it names.

    The opponents' other rounds are games against one further player, so that nothing of theirs is unplayed.
    """
    rounds = len(record)
    partner = EntryId(rounds + 2)
    mine: list[RoundRecord] = []
    players: list[PlayerRecord] = []
    for number, line in enumerate(record, start=1):
        result = int(2 * line["result"])
        if "opponent_score" not in line:
            mine.append(RoundRecord.of_bye({0: ByeKind.ZERO, 1: ByeKind.HALF, 2: ByeKind.FULL}[result]))
            continue
        opponent = EntryId(number + 1)
        mine.append(RoundRecord(RoundKind.PLAYED, Points(result), opponent, Color.WHITE, True))
        left = int(2 * line["opponent_score"]) - (2 - result)
        theirs = []
        for other in range(1, rounds + 1):
            points = 2 - result if other == number else min(2, left)
            left -= points if other != number else 0
            against = EntryId(1) if other == number else partner
            theirs.append(RoundRecord(RoundKind.PLAYED, Points(points), against, Color.BLACK, True))
        players.append(PlayerRecord(opponent, opponent, 2000, tuple(theirs)))
    lost = RoundRecord(RoundKind.PLAYED, Points(0), EntryId(2), Color.WHITE, True)
    players.append(PlayerRecord(partner, partner, 2000, (lost,) * rounds))
    return History((PlayerRecord(EntryId(1), 1, 2000, tuple(mine)), *players), rounds, rounds)


# The only traps whose players differ from the plain file: these have no rating there (None: nobody has).
_WITHOUT_RATING: Mapping[str, frozenset[int] | None] = {
    "11_no_ratings.trf": None,
    "12_rating_zero.trf": frozenset(range(13, 17)),
}
_MUST_BE_REPORTED = ("20_wrong_points.trf", "21_one_sided_result.trf", "22_opponent_with_Z.trf")


def _traps(folder: Path) -> Iterator[CaseResult]:
    expected = _load(folder / "expected.json")
    base = expected["base_expected"]["players"]
    for name in expected["files"]:
        path = folder / name
        if not path.exists():
            continue
        try:
            report = reports.parse(path.read_bytes())
        except ImportFileError as error:
            yield CaseResult(f"traps/{name}", "reported" if name in _MUST_BE_REPORTED else "read", error.code, "file")
            continue
        if name in _MUST_BE_REPORTED:
            yield CaseResult(f"traps/{name}", "reported", "reported" if report.remarks else "silent", "file")
            continue
        unrated = _WITHOUT_RATING.get(name, frozenset())
        wanted = {
            number: _trap_player(player, rated=unrated is not None and int(number) not in unrated)
            for number, player in base.items()
        }
        yield CaseResult(f"traps/{name}", wanted, _trap_players(report, base), "file")


def _trap_player(player: Mapping[str, Any], *, rated: bool) -> tuple[Any, ...]:
    results = tuple(tuple(cell) for cell in player["results"])
    return (player["name"], player["rating"] if rated else None, int(2 * player["points"]), results)


def _trap_players(report: reports.Trf, base: Mapping[str, Any]) -> dict[str, tuple[Any, ...]]:
    found = {}
    history = report.history()
    for player, record in zip(report.players, history.players, strict=True):
        results = []
        for number, wanted in enumerate(base[str(player.number)]["results"], start=1):
            cell = report.cell(player.number, number)
            color = cell.color.value if cell.color else "-"
            if cell.color is None and cell.result in "+-":
                color = wanted[1]  # a forfeit without a colour is what that trap is about
            results.append((cell.opponent, color, cell.result))
        found[str(player.number)] = (player.name, player.rating, int(record.score), tuple(results))
    return found


def run_rules(folder: Path) -> Iterator[CaseResult]:
    """Yield the cases of ``cases.json`` about play-offs for first place and about awards."""
    path = folder / "cases.json"
    if not path.exists():
        return
    data = _load(path)
    policies = data["default_policy"]
    for case in data["cases"]:
        given, wanted, policy = case["input"], case["expect"], case.get("policy", {})
        if case["rule"] == "first_place_playoff":
            got = playoff_answer(given, {**policies["playoff"], **policy})
        elif case["rule"] == "awards":
            got = awards_answer(given, {**policies["awards"], **policy})
        else:
            continue
        yield CaseResult(case["id"], wanted, {key: got.get(key) for key in wanted})


def playoff_answer(given: Mapping[str, Any], policy: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the play-off engine says to a case, in the words of the cases."""
    white, black = (part.split(":")[0] for part in policy["armageddon_clock"].split("/"))
    plan = playoff.ArmageddonPlan(white, black)
    rules = PlayoffRules(
        two_format="two",
        two_games=2,
        two_clock="5+3",
        two_armageddon=plan,
        three_clock="3+2",
        decider_format="two",
        decider=plan,
        pause_minutes=policy["min_pause_minutes"],
        level_again=policy["three_way_repeat"],
        lower_places=policy["third_and_lower"],
    )
    if "contenders_last_game_ended_at" in given:
        ended = datetime.fromisoformat(given["contenders_last_game_ended_at"])
        start = playoff.earliest_start([ended], rules)
        return {"earliest_start": start.isoformat() if start else None}

    names = list(given["tied"])
    entries = {name: EntryId(number) for number, name in enumerate(names, start=1)}
    ahead = given["place"] - 1
    placings = [Placing(EntryId(-number), number) for number in range(1, ahead + 1)]
    placings += [
        Placing(entry, ahead + 1 + (0 if given["all_tiebreaks_equal"] else index))
        for index, entry in enumerate(entries.values())
    ]
    needed = playoff.playoff_for(placings, rules)
    if needed is None:
        return {"playoff": False, "places": [p.place for p in placings if p.entry > 0]}
    answer: dict[str, Any] = {"playoff": True, "format": str(needed.kind), "clock": needed.clock}
    step = _played(given, needed, rules, entries)
    if step is not None:
        by_entry = {entry: name for name, entry in entries.items()}
        if step.kind is StepKind.WINNER:
            answer["winner"] = by_entry[step.between[0]]
        else:
            answer["next"] = str(step.kind)
            answer["between"] = [by_entry[entry] for entry in step.between]
    return answer


def _played(
    given: Mapping[str, Any], needed: playoff.Playoff, rules: PlayoffRules, entries: Mapping[str, EntryId]
) -> Step | None:
    if "blitz_scores" in given:
        scores = {entries[name]: int(2 * score) for name, score in given["blitz_scores"].items()}
        return playoff.after_blitz(needed.between, scores, rules)
    if "games" not in given:
        return None
    first, second = needed.between
    colors = [(first, second), (second, first)]
    games = [PlayoffGame(*colors[number % 2], ResultCode(result)) for number, result in enumerate(given["games"])]
    step = playoff.after_games(needed.between, games, rules)
    if step.kind is StepKind.ARMAGEDDON and "armageddon" in given:
        last = given["armageddon"]
        game = PlayoffGame(entries[last["white"]], entries[last["black"]], ResultCode(last["result"]))
        return playoff.after_armageddon(game, rules.two_armageddon)
    return step


_THINGS = (
    AwardRule(1, ("cup", "diploma", "medal")),
    AwardRule(2, ("diploma", "medal")),
    AwardRule(3, ("diploma", "medal")),
)


def awards_answer(given: Mapping[str, Any], policy: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the award engine says to a case, in the words of the cases."""
    standings = [line if isinstance(line, str) else line[0] for line in given["standings"]]
    sexes = {line[0]: line[1] for line in given["standings"] if not isinstance(line, str)}
    names = {EntryId(number): name for number, name in enumerate(standings, start=1)}
    placings = in_order((entry, int(entry)) for entry in names)
    removed = [entry for entry, name in names.items() if name in given.get("disqualified", ())]
    if policy["disqualified"] == "move_up":
        placings = moved_up(placings, removed)
    answer: dict[str, Any] = {"places": {names[placing.entry]: placing.place for placing in placings}}

    separate = given.get("merged", False) and policy["merged"] == "separate_by_sex"
    lists = {"boys": "M", "girls": "F"} if separate else {given.get("section", ""): None}
    for title, sex in lists.items():
        members = [entry for entry, name in names.items() if sex is None or sexes[name] == sex]
        awards = allocate(Field(among(placings, members), title), things=_THINGS)
        absent = [entry for entry in members if names[entry] in given.get("absent_at_ceremony", ())]
        came = [entry for entry in members if names[entry] in given.get("represented", ())]
        handed = {names[award.entry]: list(award.things) for award in handed_out(awards, absent, came)}
        answer["awards" if not title else f"awards_{title}"] = handed if not title else list(handed)
    return answer


def summary(results: Sequence[CaseResult]) -> str:
    """Return one line such as ``1520 of 1520 columns, 182 of 182 rankings``."""
    units: dict[str, list[bool]] = {}
    for result in results:
        units.setdefault(result.unit, []).append(result.agrees)
    return ", ".join(f"{sum(agreed)} of {len(agreed)} {unit}s" for unit, agreed in units.items())
