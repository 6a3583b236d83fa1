"""Playing off first place."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from prizes.engine.placings import Placing, in_order
from prizes.engine.playoff import (
    ArmageddonPlan,
    Kind,
    Playoff,
    PlayoffGame,
    PlayoffRules,
    Step,
    StepKind,
    after_armageddon,
    after_blitz,
    after_games,
    blitz_scores,
    claimants,
    earliest_start,
    places_after,
    playoff_for,
)
from tourney.kernel.colors import Color
from tourney.kernel.errors import TourneyError
from tourney.kernel.ids import EntryId
from tourney.kernel.outcomes import ResultCode

pytestmark = pytest.mark.clause("M8.2")

PLAN = ArmageddonPlan("5", "4", "lot_winner_chooses", Color.BLACK)
RULES = PlayoffRules(
    two_format="two",
    two_games=2,
    two_clock="5+3",
    two_armageddon=PLAN,
    three_clock="3+2",
    decider_format="two",
    decider=PLAN,
)
ANN, BOB, CID, DAN = (EntryId(number) for number in range(1, 5))
END = datetime(2021, 8, 29, 13, 40, tzinfo=UTC)


def places(*pairs: tuple[EntryId, int]) -> tuple[Placing, ...]:
    return in_order(pairs)


def test_single_winner_needs_no_playoff() -> None:
    standings = places((ANN, 1), (BOB, 2), (CID, 2))

    assert claimants(standings) == ()
    assert playoff_for(standings, RULES, [END]) is None


def test_two_claimants_play_two_games_after_the_pause() -> None:
    playoff = playoff_for(places((ANN, 1), (BOB, 1), (CID, 3)), RULES, [END, END.replace(minute=20)])

    assert playoff == Playoff(Kind.TWO_GAMES, (ANN, BOB), "5+3", END.replace(minute=55))


def test_three_claimants_play_a_blitz_tournament() -> None:
    playoff = playoff_for(places((ANN, 1), (BOB, 1), (CID, 1)), RULES, [END])

    assert playoff == Playoff(Kind.BLITZ_TOURNAMENT, (ANN, BOB, CID), "3+2", END.replace(minute=55))


def test_regulation_without_playoffs_shares_first_place() -> None:
    assert playoff_for(places((ANN, 1), (BOB, 1)), None) is None


def test_start_is_unknown_while_a_claimant_still_plays() -> None:
    assert earliest_start([END, None], RULES) is None
    assert earliest_start([], RULES) is None


def test_two_games_go_on_until_decided_or_drawn() -> None:
    first = PlayoffGame(ANN, BOB, ResultCode.WHITE_WINS)
    second = PlayoffGame(BOB, ANN, ResultCode.DRAW)
    revenge = PlayoffGame(BOB, ANN, ResultCode.WHITE_WINS)

    assert after_games((ANN, BOB), [], RULES) == Step(StepKind.GAMES, (ANN, BOB))
    assert after_games((ANN, BOB), [first], RULES) == Step(StepKind.GAMES, (ANN, BOB))
    assert after_games((ANN, BOB), [first, second], RULES) == Step(StepKind.WINNER, (ANN,))
    assert after_games((ANN, BOB), [first, revenge], RULES) == Step(StepKind.ARMAGEDDON, (ANN, BOB))


def test_games_of_others_or_too_many_are_refused() -> None:
    foreign = PlayoffGame(ANN, CID, ResultCode.DRAW)
    own = PlayoffGame(ANN, BOB, ResultCode.DRAW)

    with pytest.raises(TourneyError, match=r"playoff\.foreign_player"):
        after_games((ANN, BOB), [foreign], RULES)
    with pytest.raises(TourneyError, match=r"playoff\.too_many_games"):
        after_games((ANN, BOB), [own, own, own], RULES)


@pytest.mark.parametrize(
    ("result", "winner"),
    [
        (ResultCode.WHITE_WINS, ANN),
        (ResultCode.DRAW, BOB),
        (ResultCode.BLACK_WINS, BOB),
        (ResultCode.WHITE_FORFEIT_WIN, ANN),
    ],
)
def test_drawn_armageddon_is_won_by_black(result: ResultCode, winner: EntryId) -> None:
    assert after_armageddon(PlayoffGame(ANN, BOB, result), PLAN).winner == winner


def test_armageddon_in_which_nobody_scored_decides_nothing() -> None:
    with pytest.raises(TourneyError, match=r"playoff\.no_winner"):
        after_armageddon(PlayoffGame(ANN, BOB, ResultCode.DOUBLE_FORFEIT), PLAN)


def test_blitz_tournament_gives_a_winner_or_the_best_two() -> None:
    games = [
        PlayoffGame(ANN, BOB, ResultCode.DRAW),
        PlayoffGame(CID, ANN, ResultCode.BLACK_WINS),
        PlayoffGame(BOB, CID, ResultCode.WHITE_WINS),
    ]
    trio = (ANN, BOB, CID)

    assert after_blitz(trio, blitz_scores(trio, games), RULES) == Step(StepKind.ARMAGEDDON, (ANN, BOB))
    assert after_blitz(trio, {ANN: 3, BOB: 2, CID: 1}, RULES) == Step(StepKind.WINNER, (ANN,))


def test_three_level_again_follow_the_setting() -> None:
    level = {ANN: 2, BOB: 2, CID: 2, DAN: 0}
    lots = PlayoffRules("two", 2, "5+3", PLAN, "3+2", "two", PLAN, level_again="drawing_of_lots")

    assert after_blitz((ANN, BOB, CID, DAN), level, RULES) == Step(StepKind.REPEAT_BLITZ, (ANN, BOB, CID))
    assert after_blitz((ANN, BOB, CID, DAN), level, lots) == Step(StepKind.DRAWING_OF_LOTS, (ANN, BOB, CID))
    with pytest.raises(TourneyError, match=r"playoff\.score_missing"):
        after_blitz((ANN, BOB), {ANN: 1}, RULES)


def test_playoff_of_two_gives_first_and_second_place() -> None:
    after = places_after(places((ANN, 1), (BOB, 1), (CID, 3)), BOB)

    assert [(placing.entry, placing.place) for placing in after] == [(BOB, 1), (ANN, 2), (CID, 3)]


def test_playoff_of_many_leaves_the_rest_sharing() -> None:
    standings = places((ANN, 1), (BOB, 1), (CID, 1), (DAN, 1))

    clear = places_after(standings, CID)
    decided = places_after(standings, CID, runner_up=ANN)

    assert [(placing.entry, placing.place) for placing in clear] == [(CID, 1), (ANN, 2), (BOB, 2), (DAN, 2)]
    assert [(placing.entry, placing.place) for placing in decided] == [(CID, 1), (ANN, 2), (BOB, 3), (DAN, 3)]


def test_winner_must_have_shared_first_place() -> None:
    with pytest.raises(TourneyError, match=r"placing\.not_one_group"):
        places_after(places((ANN, 1), (BOB, 1), (CID, 3)), CID)
