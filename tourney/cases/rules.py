"""Runs the rule cases: every case goes to the engine that owns its rule, on the data of the shipped presets.

The youth championship answers for pairing system, ages, merging, lateness, appeals, disqualification, play-offs and
awards; the knockout for places and levels. A case's policy changes the preset's data, never a function.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time
from fractions import Fraction
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from prizes.engine import playoff
from prizes.engine.allocation import allocate, handed_out
from prizes.engine.placings import Placing, among, in_order, moved_up
from prizes.engine.rules import parse_awards, parse_playoff
from registration.engine import appeals, capacity, rules, sanctions
from registration.engine.appeals import AppealDecision
from registration.engine.eligibility import Person, judge, may_merge
from registration.engine.rules import RegistrationRules
from swiss.engine.rules import parse_stage
from swiss.engine.schedule import parse_lateness
from tourney.kernel.case import CaseResult
from tourney.kernel.ids import EntryId
from tourney.kernel.money import Money
from tourney.kernel.outcomes import ResultCode
from tourney.kernel.paths import set_at
from tourney.kernel.regulation import resolve_dates
from tourney.kernel.systems import choose_option

Given = Mapping[str, Any]
Answer = dict[str, Any]
PRESETS = Path(__file__).resolve().parent.parent / "presets"
KNOCKOUT, YOUTH = "second-chance-32", "youth-championship"
STARTS = {KNOCKOUT: date(2026, 1, 25), YOUTH: date(2021, 8, 26)}
RANKING_KEYS = ("tie_breaks", "tie_break_rules", "absences_cut_first")  # of a stage; read by the app that ranks
KYIV = ZoneInfo("Europe/Kyiv")


def run_rules(folder: Path) -> list[CaseResult]:
    """Return one result a case of ``cases.json``."""
    source = json.loads((folder / "cases.json").read_text(encoding="utf-8"))
    return [run_case(case, source["default_policy"]) for case in source["cases"]]


def run_case(case: Given, default_policy: Given) -> CaseResult:
    """Return the comparison of one case; only the keys it expects are looked at."""
    rule = str(case["rule"])
    policy = {**default_policy.get(_POLICY_NAMES.get(rule, rule), {}), **case.get("policy", {})}
    answer = _RULES[rule](case["input"], policy)
    expected = dict(case["expect"])
    return CaseResult(case["id"], expected, {key: answer.get(key) for key in expected})


_POLICY_NAMES = {
    "age_entry": "age",
    "merge_groups": "age",
    "pairing_system": "pairing",
    "waiting_list": "waiting",
    "appeal_committee": "appeal",
    "disqualification_window": "dq",
    "first_place_playoff": "playoff",
}


@cache
def _preset(code: str) -> dict[str, Any]:
    text = (PRESETS / f"{code}.toml").read_text(encoding="utf-8")
    return resolve_dates(tomllib.loads(text), STARTS[code])


def _with(code: str, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return a preset's data with some values replaced by those of a policy."""
    data = _preset(code)
    for path, value in changes.items():
        data = set_at(data, path, value)
    return data


def _registration(code: str, changes: Mapping[str, Any]) -> RegistrationRules:
    return rules.parse(_with(code, changes))


# -- pairing system by head-count, lateness --------------------------------------------------------------------------


def _pairing_system(given: Given, policy: Given) -> Answer:
    groups = given.get("merged", ())
    players = sum(group["players"] for group in groups) if groups else given["players"]
    if groups:
        joined = may_merge([_section({}, group["group"], group["section"]).who for group in groups])
        if not joined.allowed:
            return {"reason": joined.reason}
    double = list(policy["double_round_robin_for"])
    options = _with(YOUTH, {"stages[0].options[0].double_for": double})["stages"][0]["options"]
    _, option = choose_option(options, players)
    stage = parse_stage({key: option[key] for key in option if key not in RANKING_KEYS}, players=players)
    by_count = {"system": option["kind"], "rounds": stage.rounds_for(players), "players": players}
    override = given.get("override")
    if not override:
        return by_count
    block = {"kind": override["system"]} | ({"rounds": override["rounds"]} if override["system"] == "swiss" else {})
    chosen = {"system": block["kind"], "rounds": parse_stage(block, players=players).rounds_for(players)}
    needs_reason = any(chosen[key] != by_count[key] for key in chosen)
    return {**chosen, "players": players, "needs_reason": needs_reason and bool(override["reason"])}


def _lateness(given: Given, policy: Given) -> Answer:
    changes = {
        "lateness.minutes": policy["grace_minutes"],
        "lateness.base": policy["base"],
        "lateness.both_absent": policy["both_absent"],
    }
    rule = parse_lateness(_with(YOUTH, changes)["lateness"])
    announced = datetime.fromisoformat(given["start"])
    scheduled = _moment(given.get("scheduled_start")) or announced
    deadline = rule.deadline(announced, scheduled)
    verdict = rule.verdict(deadline, _moment(given["white_at"]), _moment(given["black_at"]))
    written = {
        None: "play",
        ResultCode.WHITE_FORFEIT_WIN: "1-0F",
        ResultCode.BLACK_FORFEIT_WIN: "0-1F",
        ResultCode.DOUBLE_FORFEIT: "0-0F",
    }
    return {"result": written[verdict]}


# -- who may enter, and where ----------------------------------------------------------------------------------------


def _section(changes: Mapping[str, Any], group: str, section: str) -> rules.SectionPlaces:
    return _registration(YOUTH, changes).section(f"{group}-{section}".lower())


def _age_entry(given: Given, policy: Given) -> Answer:
    younger = {"decision_needed": "grounds", "refuse": "refuse", "youngest_group": "accept"}
    youngest = {
        f"sections[{index}].eligibility.younger": younger[policy["under_youngest_group"]]
        for index, section in enumerate(_preset(YOUTH)["sections"])
        if section["eligibility"]["group"] == "U11"
    }
    person = Person(
        birth_year=given["birth_year"],
        sex=given["sex"],
        lives_in_region=given["lives_in_republic"],
        registered_in_region=given["registered_in_republic"],
        grounds=frozenset(ground for ground in ("national_right", "committee_decision") if given[ground]),
    )
    verdict = judge(_section(youngest, given["target_group"], given["target_section"]).who, person)
    return {"decision": verdict.decision.value, "reason": verdict.reason}


def _merge_groups(given: Given, policy: Given) -> Answer:
    verdict = may_merge([_section({}, group, section).who for group, section in given["groups"]])
    return {"allowed": verdict.allowed, "reason": verdict.reason}


# -- places ----------------------------------------------------------------------------------------------------------


def _waiting_list(given: Given, policy: Given) -> Answer:
    held = policy["seat_taken_by"] == "registration_with_hold_48h"
    changes = {
        "sections[0].capacity": given.get("capacity", policy["capacity"]),
        "sections[0].eligibility.levels": list(policy["levels"]),
        "registration.seat_taken_by": "registration" if held else policy["seat_taken_by"],
        "registration.hold_hours": 48 if held else None,
        "registration.promotion": policy["promotion"],
        "registration.promotion_until": policy["promotion_until"],
        "registration.declined_offer": policy["declined_offer"],
    }
    section = _registration(KNOCKOUT, changes).section("main")
    if "level" in given:
        return {"eligible": judge(section.who, Person(level=given["level"])).is_accepted}
    rooms = [_played(capacity.Room(section.places), events) for events in _orders(given)]
    answers = [_shown(room) for room in rooms]
    same = all(answer == answers[0] for answer in answers)
    # At the same moment either may come first: who gets the place may differ, how many get one must not.
    counts = {(len(room.main), len(room.reserve)) for room in rooms}
    together = {"main_count": len(rooms[0].main), "reserve_count": len(rooms[0].reserve)} if len(counts) == 1 else {}
    return {**(answers[0] if same else {"orders_differ": answers}), **together}


def _orders(given: Given) -> list[list[Sequence[str]]]:
    """Return the events in every order in which they may really happen."""
    if "concurrent_deposits" in given:
        return [[("deposit", name, "") for name in order] for order in permutations(given["concurrent_deposits"])]
    if "concurrent_withdraw_and_deposit" in given:
        race = given["concurrent_withdraw_and_deposit"]
        before = [("deposit", name, "") for name in (race["holder"], *race["reserve"])]
        both = [("withdraw", race["holder"], ""), ("deposit", race["newcomer"], "")]
        return [[*before, *order] for order in permutations(both)]
    return [list(given["events"])]


def _played(room: capacity.Room, events: Sequence[Sequence[str]]) -> capacity.Room:
    now = datetime.combine(STARTS[KNOCKOUT], time.min, KYIV)
    for kind, name, clock in events:
        now = datetime.combine(STARTS[KNOCKOUT], time.fromisoformat(clock), KYIV) if clock else now
        room = capacity.lapse(room, now)
        match kind:
            case "initial_draw":
                room = capacity.drawn(room)
            case "first_match_start":
                room = capacity.started(room)
            case _:
                room = _EVENTS[kind](room, name, now)
    return room


_EVENTS: Mapping[str, Callable[[capacity.Room, str, datetime], capacity.Room]] = {
    "register": capacity.register,
    "deposit": capacity.confirm,
    "withdraw": capacity.withdraw,
    "decline_offer": capacity.decline,
    "accept_offer": capacity.accept,
    "no_show": capacity.no_show,
}


def _shown(room: capacity.Room) -> Answer:
    return {"main": list(room.main), "reserve": list(room.reserve), "absent": list(room.absent)}


# -- appeals, disqualification ---------------------------------------------------------------------------------------


def _appeal_rules(policy: Given) -> appeals.AppealRules:
    changes = {
        "appeals.window_minutes": policy["window_minutes"],
        "appeals.deposit": policy["deposit"],
        "appeals.round_end": policy["round_end"],
        "appeals.partly_upheld": policy["partly_upheld"],
        "appeals.withdrawn": policy["withdrawn_before_hearing"],
        "appeals.main": policy["main"],
        "appeals.reserve": policy["reserve"],
    }
    return _registration(YOUTH, changes).appeals


def _appeal(given: Given, policy: Given) -> Answer:
    rule = _appeal_rules(policy)
    deposit = Money.parse(given["deposit"], rule.deposit.currency)
    filing = appeals.Filing(
        subject=given["subject"],
        by=given["by"],
        written=given["written"],
        filed_at=datetime.fromisoformat(given["filed_at"]),
        round_ended_at=datetime.fromisoformat(given["round_ended_at"]),
        deposit=deposit,
    )
    verdict = appeals.judge_filing(rule, filing)
    answer: Answer = {
        "accepted": verdict.accepted,
        "reason": verdict.reason,
        "deposit_taken": str(verdict.deposit_taken.major),
    }
    if "decision" in given and verdict.accepted:
        words = {"rejected": AppealDecision.REFUSED, "partly_upheld": AppealDecision.PARTLY}
        decision = words.get(given["decision"]) or AppealDecision(given["decision"])
        settled = appeals.settle(rule, verdict.deposit_taken, decision)
        answer["deposit_returned"] = str(settled.returned.major)
        answer["deposit_to_federation"] = str(settled.kept.major)
    return answer


def _appeal_committee(given: Given, policy: Given) -> Answer:
    conflicted = frozenset(given["conflicted"])
    return {"panel": appeals.panel(_appeal_rules(policy), given["main"], given["reserve"], conflicted)}


def _disqualification_window(given: Given, policy: Given) -> Answer:
    hours = policy["mode"] == "72_hours"
    window = {"mode": "hours", "hours": 72} if hours else {"mode": policy["mode"], "days": policy["days"]}
    changes = {"sanctions.after_end": {**window, "clause": "7.9"}, "time_zone": policy["timezone"]}
    rule = _registration(YOUTH, changes).sanctions
    ended_at = datetime.fromisoformat(given["tournament_ended_at"])
    return {"allowed": sanctions.may_disqualify(rule, datetime.fromisoformat(given["decided_at"]), ended_at)}


# -- first place, awards ---------------------------------------------------------------------------------------------


def _first_place_playoff(given: Given, policy: Given) -> Answer:
    changes = {
        "playoff.pause_minutes": policy["min_pause_minutes"],
        "playoff.lower_places": policy["third_and_lower"],
        "playoff.three.level_again": policy["three_way_repeat"],
    }
    data = _with(YOUTH, changes)
    rule = parse_playoff(data["playoff"], data["match_formats"])
    if rule is None:
        raise ValueError("the preset has no play-off")
    if "contenders_last_game_ended_at" in given:
        start = playoff.earliest_start([_moment(given["contenders_last_game_ended_at"])], rule)
        return {"earliest_start": start.isoformat() if start else None}
    names, ids = _numbered(given["tied"])
    placings = _tied_placings(list(ids.values()), given["place"], level=given["all_tiebreaks_equal"])
    held = playoff.playoff_for(placings, rule)
    if held is None:
        places = [placing.place for placing in placings if placing.entry in names]
        return {"playoff": False, "places": places}
    answer: Answer = {"playoff": True, "format": held.kind.value, "clock": held.clock}
    step = None
    if "games" in given:
        games = [_game(held.between, number, result) for number, result in enumerate(given["games"])]
        step = playoff.after_games(held.between, games, rule)
    if "blitz_scores" in given:
        # Case files write points with a decimal point; twice the exact fraction is a whole number of half-points.
        scores = {ids[name]: int(2 * Fraction(str(points))) for name, points in given["blitz_scores"].items()}
        step = playoff.after_blitz(held.between, scores, rule)
    if step is not None and step.kind is playoff.StepKind.ARMAGEDDON and "armageddon" in given:
        last = given["armageddon"]
        result = ResultCode(last["result"])
        game = playoff.PlayoffGame(ids[last["white"]], ids[last["black"]], result)
        plan = rule.two_armageddon if len(held.between) == 2 else rule.decider
        step = playoff.after_armageddon(game, plan)
    if step is not None and step.winner is not None:
        answer["winner"] = names[step.winner]
    elif step is not None:
        answer |= {"next": step.kind.value, "between": [names[entry] for entry in step.between]}
    return answer


def _tied_placings(tied: Sequence[EntryId], place: int, *, level: bool) -> tuple[Placing, ...]:
    """Return final places with these entries level at one place (or separated by a tie-break), others before them."""
    before = [(EntryId(-number), number) for number in range(1, place)]
    return in_order([*before, *((entry, place if level else place + index) for index, entry in enumerate(tied))])


def _game(between: Sequence[EntryId], number: int, result: str) -> playoff.PlayoffGame:
    white, black = between if number % 2 == 0 else reversed(between)
    return playoff.PlayoffGame(white, black, ResultCode(result))


def _awards(given: Given, policy: Given) -> Answer:
    rows = [row if isinstance(row, list) else [row, ""] for row in given["standings"]]
    names, ids = _numbered([name for name, _ in rows])
    sexes = {ids[name]: sex for name, sex in rows}
    placings = in_order((ids[name], number) for number, (name, _) in enumerate(rows, 1))
    placings = moved_up(placings, {ids[name] for name in given.get("disqualified", ())})
    things = parse_awards(_preset(YOUTH)["awards"])

    def given_out(placed: Sequence[Placing]) -> dict[str, list[str]]:
        absent = {ids[name] for name in given.get("absent_at_ceremony", ())}
        represented = {ids[name] for name in given.get("represented", ())}
        awards = handed_out(allocate(placed, things=things), absent, represented)
        return {names[award.entry]: list(award.things) for award in awards}

    answer: Answer = {
        "awards": given_out(placings),
        "places": {names[placing.entry]: placing.place for placing in placings},
    }
    if given.get("merged") and policy["merged"] == "separate_by_sex":
        for key, sex in (("awards_boys", "M"), ("awards_girls", "F")):
            answer[key] = list(given_out(among(placings, {entry for entry in sexes if sexes[entry] == sex})))
    elif "section" in given:
        answer[f"awards_{given['section']}"] = list(answer["awards"])
    return answer


def _numbered(listed: Sequence[str]) -> tuple[dict[EntryId, str], dict[str, EntryId]]:
    names = {EntryId(number): name for number, name in enumerate(listed, 1)}
    return names, {name: entry for entry, name in names.items()}


def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


_RULES: Mapping[str, Callable[[Given, Given], Answer]] = {
    "pairing_system": _pairing_system,
    "lateness": _lateness,
    "age_entry": _age_entry,
    "merge_groups": _merge_groups,
    "waiting_list": _waiting_list,
    "appeal": _appeal,
    "appeal_committee": _appeal_committee,
    "disqualification_window": _disqualification_window,
    "first_place_playoff": _first_place_playoff,
    "awards": _awards,
}
