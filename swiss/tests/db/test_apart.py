"""What shapes a pairing beside its rules: wishes that may be given up, boards kept for somebody, virtual points."""

from __future__ import annotations

import pytest
from django.utils.translation import override

from swiss.engine.virtual import Run
from swiss.exchange import exchange_report
from swiss.models import FixedBoard, Pairing, Round
from swiss.questions import question_of
from swiss.services import (
    change_pairing,
    fix_board,
    forbid_pair,
    free_board,
    pair_late_entry,
    pair_next_round,
    publish_round,
    restore_engine,
    set_virtual_points,
)
from swiss.services.pairing import GIVEN_UP
from swiss.tests.builders import numbered, play, stage_of
from tourney.kernel.errors import TourneyError
from tourney.kernel.points import HALF, ONE
from tourney.kernel.trf import dump, parse
from tourney.models import ActionLog

pytestmark = pytest.mark.django_db


def pairs_of(round_: Round) -> dict[int, tuple[int, int]]:
    """Return start numbers by board."""
    rows = Pairing.objects.filter(round=round_, black__isnull=False)
    return {
        board: (white, black)
        for board, white, black in rows.values_list("board", "white__start_number", "black__start_number")
    }


def code_of(refused: pytest.ExceptionInfo[TourneyError]) -> str:
    return refused.value.code


# -- wishes ----------------------------------------------------------------------------------------------------------


def test_a_wish_is_kept_while_the_round_can_be_paired() -> None:
    stage = stage_of(12)
    people = numbered(stage)
    forbid_pair(stage.pk, first_id=people[1].pk, second_id=people[7].pk, actor=None, reason="one club", soft=True)

    round_ = pair_next_round(stage.pk, actor=None)

    assert frozenset((1, 7)) not in {frozenset(pair) for pair in pairs_of(round_).values()}
    assert (round_.explanation, question_of(round_, stage).plan.given_up) == ({}, ())


def test_a_wish_is_a_comment_of_the_report_and_no_forbidden_pair() -> None:
    stage = stage_of(12)
    people = numbered(stage)
    forbid_pair(stage.pk, first_id=people[7].pk, second_id=people[1].pk, actor=None, reason="one club", soft=True)
    forbid_pair(stage.pk, first_id=people[2].pk, second_id=people[8].pk, actor=None, reason="brothers")

    with override("en"):
        written = parse(dump(exchange_report(stage)).encode())

    assert f"Nos. 1 and 7: kept apart if possible, rounds 1–{stage.rounds_total} (a wish)." in written.comments
    assert [group.numbers for group in written.forbidden] == [(2, 8)]


def test_the_newest_wish_is_given_up_first_and_named() -> None:
    """Of four players whose pairs are all wished apart but one pairing of the older wishes, only the newest falls."""
    stage = stage_of(4, system="swiss", rounds=3)
    people = numbered(stage)
    wishes = [(1, 2), (1, 3), (3, 4), (2, 4), (1, 4)]
    for first, second in wishes:
        forbid_pair(
            stage.pk, first_id=people[first].pk, second_id=people[second].pk, actor=None, reason="family", soft=True
        )

    round_ = pair_next_round(stage.pk, actor=None)

    assert {frozenset(pair) for pair in pairs_of(round_).values()} == {frozenset((1, 4)), frozenset((2, 3))}
    assert round_.explanation[GIVEN_UP] == [sorted((people[1].pk, people[4].pk))]
    line = ActionLog.objects.get(action="swiss.round_paired")
    assert line.data["given_up"] == f"{people[1].name} – {people[4].name}"
    # The reasons are asked with the wishes that were kept.
    reason = question_of(round_, stage).explain().against(people[1].pk, people[2].pk)  # type: ignore[arg-type]
    assert reason is not None
    assert reason.rule == "forbidden"


def test_one_impossible_wish_takes_no_other_with_it() -> None:
    """The first player must meet somebody: of the wishes about him the newest falls, and none about anybody else."""
    stage = stage_of(6, system="swiss", rounds=5)
    people = numbered(stage)
    for first, second in [(1, 2), (1, 3), (1, 4), (1, 5), (1, 6), (2, 3)]:
        forbid_pair(
            stage.pk, first_id=people[first].pk, second_id=people[second].pk, actor=None, reason="club", soft=True
        )

    round_ = pair_next_round(stage.pk, actor=None)

    assert round_.explanation[GIVEN_UP] == [sorted((people[1].pk, people[6].pk))]
    met = {frozenset(pair) for pair in pairs_of(round_).values()}
    assert frozenset((1, 6)) in met
    assert frozenset((2, 3)) not in met


def test_a_hard_pair_is_never_given_up() -> None:
    stage = stage_of(2, system="swiss", rounds=1)
    people = numbered(stage)
    forbid_pair(stage.pk, first_id=people[1].pk, second_id=people[2].pk, actor=None, reason="family")

    with pytest.raises(TourneyError) as refused:
        pair_next_round(stage.pk, actor=None)

    assert (code_of(refused), refused.value.values["lifting"]) == ("pairing.no_valid_pairing", ["forbidden"])


def test_a_wish_holds_in_its_rounds_only_and_stays_out_of_the_report() -> None:
    stage = stage_of(12)
    people = numbered(stage)
    forbid_pair(
        stage.pk,
        first_id=people[1].pk,
        second_id=people[7].pk,
        actor=None,
        reason="one club",
        soft=True,
        from_round=2,
    )

    round_ = publish_round(pair_next_round(stage.pk, actor=None).pk, actor=None)

    assert pairs_of(round_)[1] in ((1, 7), (7, 1))
    assert exchange_report(stage).forbidden == ()


# -- fixed boards ----------------------------------------------------------------------------------------------------


def test_a_kept_board_is_kept_in_every_round_and_the_others_close_up() -> None:
    stage = stage_of(12)
    people = numbered(stage)
    fix_board(stage.pk, entry_id=people[6].pk, board=1, actor=None, reason="wheelchair")

    for _ in range(3):
        round_ = play(stage, "1-0 1/2")
        boards = pairs_of(round_)
        assert sorted(boards) == [1, 2, 3, 4, 5, 6]
        assert 6 in boards[1]


def test_an_exchange_by_hand_leaves_nobody_away_from_his_board() -> None:
    stage = stage_of(12)
    people = numbered(stage)
    fix_board(stage.pk, entry_id=people[6].pk, board=1, actor=None, reason="wheelchair")
    round_ = pair_next_round(stage.pk, actor=None)
    before = pairs_of(round_)

    change_pairing(round_.pk, first_id=people[6].pk, second_id=people[3].pk, actor=None, reason="one family")

    assert 6 in pairs_of(round_)[1]
    restore_engine(round_.pk, actor=None)
    assert pairs_of(round_) == before


def test_a_late_board_is_new_and_a_board_is_kept_for_one_only() -> None:
    stage = stage_of(13)
    people = numbered(stage)
    fix_board(stage.pk, entry_id=people[1].pk, board=9, actor=None, reason="near the door")
    with pytest.raises(TourneyError) as refused:
        fix_board(stage.pk, entry_id=people[2].pk, board=9, actor=None, reason="near the door")
    assert code_of(refused) == "fixed.taken"
    round_ = publish_round(pair_next_round(stage.pk, actor=None).pk, actor=None)
    assert sorted(pairs_of(round_)) == [1, 2, 3, 4, 5, 9]
    (bye,) = Pairing.objects.filter(round=round_, black=None)

    with pytest.raises(TourneyError) as alone:
        pair_late_entry(round_.pk, entry_ids=(bye.white_id, people[1].pk), actor=None, reason="late")

    assert code_of(alone) == "round.already_paired"
    free_board(stage.pk, fixed_id=FixedBoard.objects.get().pk, actor=None)
    assert not FixedBoard.objects.exists()


# -- virtual points --------------------------------------------------------------------------------------------------


def test_virtual_points_by_number_replace_the_method_and_go_into_the_report() -> None:
    stage = stage_of(12)
    runs = [Run(ONE, 1, 2, 1, 4), Run(HALF, 3, 3, 1, 4)]
    stage = set_virtual_points(stage.pk, runs=runs, actor=None, reason="strong four")

    round_ = publish_round(pair_next_round(stage.pk, actor=None).pk, actor=None)

    boards = pairs_of(round_)
    assert {frozenset(boards[1]), frozenset(boards[2])} == {frozenset((1, 3)), frozenset((2, 4))}
    assert question_of(round_, stage).explain().brackets()[0].score == 2
    report = exchange_report(stage)
    assert set(report.accelerations) == {1, 2, 3, 4}
    assert report.accelerations[1][:3] == (ONE, ONE, HALF)


def test_virtual_points_are_fixed_with_the_first_pairing() -> None:
    stage = stage_of(12)
    pair_next_round(stage.pk, actor=None)

    with pytest.raises(TourneyError) as refused:
        set_virtual_points(stage.pk, runs=[], actor=None, reason="late thought")

    assert code_of(refused) == "virtual.begun"
