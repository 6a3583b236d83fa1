"""Match play: the second-chance preset, other formats, everything that is refused, corrections."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from brackets.engine.facts import How, Result
from brackets.engine.match_format import MatchFormat, RoundRobinPhase, group_playoff, parse_format, parse_formats
from brackets.engine.match_play import (
    AwaitClaim,
    AwaitColor,
    AwaitDecision,
    AwaitGame,
    AwaitGroup,
    AwaitLot,
    Finished,
    LotFor,
    MatchEnd,
    MatchState,
    apply,
    begin,
    bracket_result,
    next_step,
    replay,
)
from brackets.engine.match_steps import (
    BothAbsent,
    ChooseColor,
    Claim,
    Correct,
    Decide,
    Game,
    GroupGame,
    Leave,
    LotChooser,
    LotColor,
    NoShow,
    Reopen,
    Repeat,
    SettleClaim,
    Start,
    Step,
    parse_result,
    step_from_json,
    step_to_json,
)
from tourney.kernel.clocks import Clock
from tourney.kernel.colors import Color
from tourney.kernel.errors import RuleError, TourneyError
from tourney.kernel.ids import EntryId, MatchKey
from tourney.kernel.outcomes import ResultCode

PRESETS = Path(__file__).parents[3] / "tourney" / "presets"
RATED = {"a": 2100, "b": 1900}
B_WHITE = ChooseColor("b", Color.WHITE)


def preset(name: str, code: str) -> MatchFormat:
    regulation = tomllib.loads((PRESETS / f"{name}.toml").read_text(encoding="utf-8"))
    return parse_formats(regulation["match_formats"])[code]


BLITZ = preset("second-chance-32", "blitz")
PLAYOFF = preset("youth-championship", "playoff_two")


def games(*results: str, first: int = 1) -> list[Step]:
    return [Game(number, parse_result(result)) for number, result in enumerate(results, start=first)]


def played(*results: str) -> MatchState:
    """The blitz match with b (rated lower) choosing White in game 1."""
    return replay(BLITZ, RATED, [B_WHITE, *games(*results)])


def refusal(state: MatchState, step: Step) -> tuple[str, Mapping[str, Any]]:
    with pytest.raises(TourneyError) as refused:
        apply(state, step)
    return refused.value.code, refused.value.values


LEVEL_TWICE = ("1/2", "1/2", "1-0", "1-0")


@pytest.mark.clause("K6.1")
def test_match_is_two_games_of_3_plus_2() -> None:
    state = replay(BLITZ, RATED, [B_WHITE])

    assert next_step(state) == AwaitGame(1, "b", "a", Clock(3, 2), Clock(3, 2))
    assert next_step(played("1-0")) == AwaitGame(2, "a", "b", Clock(3, 2), Clock(3, 2))
    assert next_step(played("1-0", "1/2")) == Finished("b", MatchEnd.GAMES)


@pytest.mark.clause("K6.2")
def test_level_match_goes_on_with_two_games_of_2_plus_1() -> None:
    assert next_step(played("1-0", "1-0")) == AwaitGame(3, "b", "a", Clock(2, 1), Clock(2, 1))
    assert next_step(played("1-0", "1-0", "0-1")) == AwaitGame(4, "a", "b", Clock(2, 1), Clock(2, 1))
    assert next_step(played("1-0", "1-0", "0-1", "1-0")) == Finished("a", MatchEnd.GAMES)


@pytest.mark.clause("K6.3")
@pytest.mark.clause("K6.4")
@pytest.mark.clause("K7.3")
def test_level_again_a_lot_gives_the_colours_of_an_armageddon_of_5_against_4() -> None:
    state = played(*LEVEL_TWICE)

    assert next_step(state) == AwaitLot(5, LotFor.WHITE)
    assert next_step(apply(state, LotColor("a", "coin"))) == AwaitGame(5, "a", "b", Clock(5), Clock(4), armageddon=True)


@pytest.mark.clause("K6.5")
@pytest.mark.parametrize(("result", "winner"), [("1/2", "b"), ("0-1", "b"), ("1-0", "a")])
def test_drawn_armageddon_is_won_by_black(result: str, winner: str) -> None:
    state = apply(played(*LEVEL_TWICE), LotColor("a"))

    assert next_step(apply(state, Game(5, parse_result(result)))) == Finished(winner, MatchEnd.ARMAGEDDON)


@pytest.mark.clause("K7.2")
def test_lower_rated_player_chooses_the_first_colour_and_then_colours_alternate() -> None:
    state = begin(BLITZ, RATED)

    assert next_step(state) == AwaitColor(1, "b")
    state = replay(BLITZ, RATED, [ChooseColor("b", Color.BLACK), *games(*LEVEL_TWICE)])
    assert [game.white for game in state.games] == ["a", "b", "a", "b"]


@pytest.mark.clause("K7.2")
@pytest.mark.parametrize(
    ("ratings", "awaited"),
    [
        ({"a": 1900, "b": 2100}, AwaitColor(1, "a")),
        ({"a": 1650, "b": None}, AwaitColor(1, "b")),
        ({"a": 2000, "b": 2000}, AwaitLot(1, LotFor.CHOOSER)),
        ({"a": None, "b": None}, AwaitLot(1, LotFor.CHOOSER)),
    ],
)
def test_missing_rating_is_lowest_and_equal_ratings_need_a_lot(ratings: dict[str, int | None], awaited: object) -> None:
    assert next_step(begin(BLITZ, ratings)) == awaited


@pytest.mark.clause("M8.2")
def test_playoff_of_two_leaves_the_armageddon_colour_to_the_winner_of_the_lot() -> None:
    state = replay(PLAYOFF, RATED, [LotColor("a"), *games("1-0", "1-0")])

    assert next_step(state) == AwaitLot(3, LotFor.CHOOSER)
    state = apply(state, LotChooser("b"))
    assert next_step(state) == AwaitColor(3, "b")
    state = apply(state, ChooseColor("b", Color.BLACK))
    assert next_step(apply(state, Game(3, ResultCode.DRAW))) == Finished("b", MatchEnd.ARMAGEDDON)


@pytest.mark.clause("M8.2")
def test_playoff_of_three_is_a_round_robin_whose_two_leaders_play_the_deciders_armageddon() -> None:
    rules = group_playoff(Clock(3, 2), PLAYOFF, start_after_minutes=15)

    assert rules.phases == (RoundRobinPhase(Clock(3, 2)), PLAYOFF.phases[-1])
    assert rules.start_after_minutes == 15
    with pytest.raises(TourneyError) as refused:
        group_playoff(Clock(3, 2), parse_format({"phases": [PHASE]}))
    assert refused.value.code == "match.decider_needs_armageddon"


def three(still_tied: str = "arbiter") -> MatchFormat:
    return parse_format(
        {
            "phases": [
                {"round_robin": 1, "clock": "3+2", "still_tied": still_tied},
                {"armageddon": {}, "color": "lot_winner_chooses"},
            ]
        }
    )


EVERYBODY_BEATS_THE_NEXT: list[Step] = [
    GroupGame("a", "b", ResultCode.WHITE_WINS),
    GroupGame("b", "c", ResultCode.WHITE_WINS),
    GroupGame("c", "a", ResultCode.WHITE_WINS),
]
THREE = {"a": 2000, "b": 2000, "c": 1900}


def test_three_level_players_wait_for_the_arbiter_who_may_let_them_repeat() -> None:
    state = replay(three(), THREE, EVERYBODY_BEATS_THE_NEXT)

    assert next_step(state) == AwaitDecision(("a", "b", "c"))
    assert refusal(state, Game(4, ResultCode.DRAW)) == ("match.arbiter_decides", {})
    again = apply(state, Repeat("nobody objects"))
    assert next_step(again) == AwaitGroup((("a", "b"), ("a", "c"), ("b", "c")), Clock(3, 2))
    assert next_step(apply(state, Decide("c", "by lot"))) == Finished("c", MatchEnd.DECISION)


def test_three_level_players_repeat_by_themselves_if_the_rules_say_so() -> None:
    state = replay(three("repeat"), THREE, EVERYBODY_BEATS_THE_NEXT)

    assert next_step(state) == AwaitGroup((("a", "b"), ("a", "c"), ("b", "c")), Clock(3, 2))


def test_who_leaves_a_group_loses_the_games_left() -> None:
    state = replay(three(), THREE, [GroupGame("a", "b", ResultCode.DRAW), Leave("c")])

    assert next_step(state) == AwaitLot(2, LotFor.CHOOSER)
    assert state.contenders == ("a", "b")
    assert next_step(apply(state, Leave("a"))) == Finished("b", MatchEnd.LEFT)


def test_best_of_four_ends_when_nobody_can_catch_up() -> None:
    rules = parse_format({"phases": [{"games": 4, "clock": "10+5", "clinch": True}]})

    assert next_step(replay(rules, RATED, [B_WHITE, *games("1-0", "0-1")])) == AwaitGame(
        3, "b", "a", Clock(10, 5), Clock(10, 5)
    )
    assert next_step(replay(rules, RATED, [B_WHITE, *games("1-0", "0-1", "1/2")])) == Finished("b", MatchEnd.GAMES)


def test_sudden_death_goes_on_until_a_game_is_won() -> None:
    rules = parse_format({"phases": [{"games": 1, "clock": "3+2", "repeat": True}]})
    state = replay(rules, RATED, [B_WHITE, *games("1/2", "1/2", "1/2")])

    assert rules.most_games is None
    assert next_step(state) == AwaitGame(4, "a", "b", Clock(3, 2), Clock(3, 2))
    assert next_step(apply(state, Game(4, ResultCode.BLACK_WINS))) == Finished("b", MatchEnd.GAMES)


def test_one_game_with_nothing_after_it_leaves_a_draw_to_the_arbiter() -> None:
    rules = parse_format({"first_color": "higher_seed_white", "phases": [{"games": 1, "clock": "15+10"}]})
    state = begin(rules, RATED)

    assert next_step(state) == AwaitGame(1, "a", "b", Clock(15, 10), Clock(15, 10))
    assert next_step(apply(state, Game(1, ResultCode.DRAW))) == AwaitDecision(("a", "b"))


def test_two_legs_then_new_colours_by_choice() -> None:
    rules = parse_format({"phases": [{"games": 2, "clock": "10+5"}, {"games": 2, "clock": "3+2", "colors": "anew"}]})
    state = replay(rules, RATED, [B_WHITE, *games("1/2", "1/2")])

    assert next_step(state) == AwaitColor(3, "b")
    assert rules.most_games == 4


def test_armageddon_that_cannot_be_drawn_refuses_a_draw() -> None:
    rules = parse_format({"phases": [{"armageddon": {"white": "5", "black": "4"}, "draw": "forbidden"}]})
    state = replay(rules, RATED, [LotColor("a")])

    assert refusal(state, Game(1, ResultCode.DRAW)) == ("match.draw_not_possible", {})
    won = apply(state, Game(1, ResultCode.WHITE_WINS))
    assert refusal(won, Correct(1, ResultCode.DRAW, "misread")) == ("match.draw_not_possible", {})


def test_armageddon_nobody_came_to_waits_for_the_arbiter() -> None:
    state = replay(BLITZ, RATED, [B_WHITE, *games(*LEVEL_TWICE), LotColor("a"), *games("-/-", first=5)])

    assert next_step(state) == AwaitDecision(("a", "b"))


def test_advantage_wins_a_level_match() -> None:
    state = replay(BLITZ, RATED, [B_WHITE, *games("1/2", "1/2")], advantage="a")

    assert next_step(state) == Finished("a", MatchEnd.ADVANTAGE)


def test_score_is_that_of_the_phase_that_decided() -> None:
    state = played("1-0", "1-0", "1/2", "1-0")

    assert [dict(phase.score) for phase in state.scores] == [{"a": 2, "b": 2}, {"a": 3, "b": 1}]
    assert dict(state.score) == {"a": 3, "b": 1}
    assert dict(played("1-0", "1-0", "1/2").score) == {"a": 1, "b": 1}
    assert dict(played("1-0", "1-0").score) == {"a": 0, "b": 0}


@pytest.mark.parametrize(
    ("steps", "step", "code"),
    [
        ([], Game(1, ResultCode.DRAW), "match.color_first"),
        ([], ChooseColor("a", Color.WHITE), "match.not_chooser"),
        ([B_WHITE], ChooseColor("b", Color.BLACK), "match.color_not_now"),
        ([B_WHITE], Game(2, ResultCode.DRAW), "match.out_of_order"),
        ([B_WHITE], LotColor("a"), "match.lot_not_now"),
        ([B_WHITE], GroupGame("a", "b", ResultCode.DRAW), "match.not_paired"),
        ([B_WHITE, *games("1-0", "1/2")], Game(3, ResultCode.DRAW), "match.finished"),
        ([B_WHITE, *games("1-0", "1/2")], Decide("a", "why"), "match.finished"),
        ([B_WHITE, *games(*LEVEL_TWICE)], Game(5, ResultCode.DRAW), "match.lot_first"),
        ([B_WHITE, *games(*LEVEL_TWICE), LotColor("a")], LotColor("b"), "match.lot_not_now"),
        ([B_WHITE, *games("1-0")], NoShow("a", "late"), "match.already_started"),
        ([B_WHITE, *games("1-0")], Start(20), "match.already_started"),
        ([], NoShow("a"), "match.reason_needed"),
        ([], NoShow("c", "late"), "match.unknown_player"),
        ([], Decide("a", " "), "match.reason_needed"),
        ([], Repeat("again"), "match.nothing_to_repeat"),
        ([], Reopen("wrong"), "match.nothing_to_reopen"),
        ([], SettleClaim("done"), "match.not_disputed"),
        ([B_WHITE, *games("1-0")], Correct(1, ResultCode.DRAW), "match.reason_needed"),
        ([B_WHITE, *games("1-0")], Correct(2, ResultCode.DRAW, "x"), "match.no_such_game"),
        ([Claim("arbiter", "phone")], B_WHITE, "match.disputed"),
        ([Claim("arbiter", "phone")], Game(1, ResultCode.DRAW), "match.disputed"),
    ],
)
def test_wrong_step_is_refused_and_changes_nothing(steps: list[Step], step: Step, code: str) -> None:
    state = replay(BLITZ, RATED, steps)
    before = state

    assert refusal(state, step)[0] == code
    assert state == before


def test_three_players_need_a_format_that_seats_them() -> None:
    with pytest.raises(TourneyError) as refused:
        begin(BLITZ, THREE)

    assert (refused.value.code, refused.value.values) == ("match.wrong_number", {"players": 3})


def test_playoff_starts_after_the_pause_only() -> None:
    state = begin(MatchFormat(PLAYOFF.phases, PLAYOFF.first_color, start_after_minutes=15), RATED)

    assert refusal(state, Start(14)) == ("match.too_early", {"minutes": 14, "needed": 15})
    assert next_step(apply(state, Start(15))) == AwaitLot(1, LotFor.WHITE)


def test_correction_strikes_later_games_and_another_brings_them_back() -> None:
    state = played("1/2", "1/2", "1-0", "1/2")
    shorter = apply(state, Correct(1, ResultCode.BLACK_WINS, "written for the wrong side"))
    restored = apply(shorter, Correct(1, ResultCode.DRAW, "it was a draw after all"))

    assert (shorter.winner, [game.number for game in shorter.struck]) == ("a", [3, 4])
    assert (restored.winner, restored.games, restored.struck) == (state.winner, state.games, ())
    assert len(restored.log) == 7


def test_correction_that_makes_the_match_level_opens_it() -> None:
    state = apply(played("1-0", "0-1"), Correct(2, ResultCode.WHITE_WINS, "wrong side"))

    assert next_step(state) == AwaitGame(3, "b", "a", Clock(2, 1), Clock(2, 1))


@pytest.mark.clause("K10.3")
def test_game_lost_as_a_sanction_and_removal_end_the_match_by_the_rules() -> None:
    forfeited = played("+/-")
    removed = apply(forfeited, Leave("a", disqualified=True))

    assert dict(forfeited.score) == {"a": 0, "b": 2}
    assert next_step(removed) == Finished("b", MatchEnd.LEFT)


def test_mistaken_end_can_be_reopened_where_the_match_stood() -> None:
    state = played("1-0")

    assert next_step(apply(apply(state, Leave("b")), Reopen("he stays"))) == next_step(state)


def test_claim_stops_the_match_until_it_is_settled() -> None:
    state = apply(played("1-0"), Claim("a", "illegal move"))

    assert next_step(state) == AwaitClaim("a")
    assert next_step(apply(state, SettleClaim("game stands"))) == next_step(played("1-0"))
    assert next_step(apply(state, Decide("a", "illegal twice"))) == Finished("a", MatchEnd.DECISION)


@pytest.mark.parametrize(
    ("steps", "how", "over_the_board"),
    [
        ([B_WHITE, *games("1-0", "1-0", "0-1", "1/2")], How.PLAYED, True),
        ([NoShow("b", "absent")], How.WALKOVER, False),
        ([BothAbsent("a", "lot")], How.DOUBLE_ABSENCE, False),
        ([B_WHITE, *games("1-0"), Leave("b")], How.LEFT_DURING, True),
        ([Decide("a", "sanction")], How.DECISION, False),
    ],
)
def test_end_of_a_match_tells_the_bracket_how(steps: list[Step], how: How, over_the_board: bool) -> None:
    state = replay(BLITZ, RATED, steps)
    entries = {"a": EntryId(7), "b": EntryId(9)}

    assert bracket_result(state, MatchKey("U1.1"), entries) == Result(
        MatchKey("U1.1"), EntryId(7), EntryId(9), how, over_the_board
    )


def test_open_match_tells_the_bracket_nothing() -> None:
    with pytest.raises(TourneyError) as refused:
        bracket_result(played("1-0"), MatchKey("U1.1"), {})

    assert refused.value.code == "match.not_finished"


@pytest.mark.parametrize(
    "step",
    [
        Start(15),
        B_WHITE,
        LotColor("a", "coin"),
        LotChooser("b"),
        Game(1, ResultCode.WHITE_FORFEIT_WIN),
        GroupGame("a", "b", ResultCode.DRAW),
        Correct(2, ResultCode.DRAW, "x"),
        NoShow("a", "x"),
        BothAbsent("b", "x"),
        Leave("a", True),
        Decide("a", "x"),
        Repeat("x"),
        Claim("a", "x"),
        SettleClaim("x"),
        Reopen("x"),
    ],
)
def test_steps_survive_being_stored(step: Step) -> None:
    assert step_from_json(json.loads(json.dumps(step_to_json(step)))) == step


@pytest.mark.parametrize("stored", [{"do": "dance"}, {"do": "leave", "player": "a", "tempo": 3}, {}])
def test_unknown_stored_steps_are_refused(stored: dict[str, object]) -> None:
    with pytest.raises(TourneyError) as refused:
        step_from_json(stored)

    assert refused.value.code == "match.unknown_step"


def test_unknown_result_is_refused_with_what_was_written() -> None:
    with pytest.raises(TourneyError) as refused:
        parse_result("2-0")

    assert (refused.value.code, refused.value.values) == ("match.unknown_result", {"result": "2-0"})


PHASE = {"games": 2, "clock": "3+2"}


@pytest.mark.parametrize(
    ("data", "path", "code"),
    [
        ({}, "f.phases", "rule.missing"),
        ({"phases": []}, "f.phases", "rule.missing"),
        ({"phases": [{"games": 2}]}, "f.phases[0].clock", "rule.missing"),
        ({"phases": [PHASE, {"games": 2, "clock": "0"}]}, "f.phases[1].clock", "rule.not_a_clock"),
        ({"phases": [{"games": 0, "clock": "3+2"}]}, "f.phases[0].games", "rule.out_of_range"),
        ({"phases": [{"clock": "3+2"}]}, "f.phases[0]", "match.phase_needs_one_kind"),
        ({"phases": [{**PHASE, "round_robin": 1}]}, "f.phases[0]", "match.phase_needs_one_kind"),
        ({"phases": [{**PHASE, "color": "lot"}]}, "f.phases[0].color", "rule.unknown_key"),
        ({"phases": [{"armageddon": {"white": "five"}}]}, "f.phases[0].armageddon.white", "rule.not_a_clock"),
        ({"phases": [{"armageddon": {}, "draw": "maybe"}]}, "f.phases[0].draw", "rule.not_an_option"),
        ({"phases": [{"armageddon": {}}, PHASE]}, "f.phases[1]", "match.phase_never_reached"),
        ({"phases": [{**PHASE, "repeat": True}, PHASE]}, "f.phases[1]", "match.phase_never_reached"),
        ({"phases": [PHASE, {"round_robin": 1, "clock": "3"}]}, "f.phases[1]", "match.round_robin_not_first"),
        ({"phases": [PHASE], "first_color": "thumbs"}, "f.first_color", "rule.not_an_option"),
        ({"phases": [PHASE], "colour": "lot"}, "f.colour", "rule.unknown_key"),
    ],
)
def test_bad_format_is_refused_with_its_path(data: dict[str, Any], path: str, code: str) -> None:
    with pytest.raises(RuleError) as refused:
        parse_format(data, "f")

    assert (refused.value.path, refused.value.code) == (path, code)
