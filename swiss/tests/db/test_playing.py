"""Whole stages: pairing, publishing, results, corrections, and the standings that follow from them."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from swiss.models import Pairing, Round
from swiss.services import (
    change_pairing,
    close_stage_play,
    discard_draft,
    enter_result,
    enter_round_results,
    pair_late_entry,
    pair_next_round,
    play_step,
    publish_round,
    rebuild,
    unpublish_round,
)
from swiss.tests.builders import enter, everything_shown, games_of, next_round, numbered, play, stage_of, table
from tourney.kernel.chance import Chance
from tourney.kernel.errors import TourneyError
from tourney.models import ActionLog, Game, Lot, ResultRecord, Stage, StandingRow
from tourney.services.sections import admit_late, change_rounds
from tourney.testing import builders

pytestmark = pytest.mark.django_db


def refused(code: str) -> Any:
    return pytest.raises(TourneyError, match=rf"^{code.replace('.', '[.]')}\(")


# -- systems ---------------------------------------------------------------------------------------------------------


@pytest.mark.clause("M7.2")
@pytest.mark.parametrize(
    ("players", "system", "rounds"),
    [(5, "round_robin", 5), (10, "round_robin", 9), (11, "swiss", 7), (12, "swiss", 7), (13, "swiss", 8)],
)
def test_the_head_count_decides_what_is_played_to_the_end(players: int, system: str, rounds: int) -> None:
    stage = stage_of(players)

    for number in range(1, rounds + 1):
        round_ = play(stage, "1-0 1/2 0-1")
        assert (round_.number, round_.state) == (number, "done")

    stage.refresh_from_db()
    assert (stage.kind, stage.rounds_total, stage.state) == (system, rounds, Stage.State.FINISHED)
    with refused("round.no_more"):
        pair_next_round(stage.pk, actor=None)


@pytest.mark.clause("M7.2")
def test_pairing_follows_the_rating_of_the_regulation() -> None:
    stage = stage_of(14)
    entries = numbered(stage)

    round_ = next_round(stage)

    pairs = {frozenset((g.white.start_number, g.black.start_number)) for g in games_of(round_)}
    assert [e.rating for e in entries.values()] == sorted((e.rating for e in entries.values()), reverse=True)
    assert pairs == {frozenset((n, n + 7)) for n in range(1, 8)}


@pytest.mark.clause("M7.2")
def test_the_number_of_rounds_may_change_while_a_swiss_runs() -> None:
    stage = stage_of(11)
    play(stage)

    change_rounds(stage, 2, reason="power failure", actor=None)
    play(stage)

    stage.refresh_from_db()
    assert stage.state == Stage.State.FINISHED
    change_rounds(stage, 3, reason="power is back", actor=None)
    assert next_round(stage).number == 3


def test_everybody_meets_everybody_in_a_round_robin() -> None:
    stage = stage_of(5)

    for _ in range(5):
        play(stage)

    met = {frozenset((g.white_id, g.black_id)) for g in stage.games.all()}
    assert len(met) == 10
    assert Pairing.objects.filter(round__stage=stage, black=None).count() == 5
    assert [row[2] for row in table(stage)] == [4] * 5  # four draws each; the free round is worth nothing


def test_three_players_meet_twice() -> None:
    stage = stage_of(3)

    for _ in range(6):
        play(stage)

    met = [frozenset((g.white_id, g.black_id)) for g in stage.games.all()]
    assert sorted(met.count(pair) for pair in set(met)) == [2, 2, 2]


def test_the_odd_player_gets_a_bye_with_a_point_once() -> None:
    stage = stage_of(11)

    for _ in range(7):
        play(stage, "1-0")

    byes = list(Pairing.objects.filter(round__stage=stage, bye="U").values_list("white_id", flat=True))
    assert len(byes) == len(set(byes)) == 7


# -- a draft ---------------------------------------------------------------------------------------------------------


def test_the_colour_of_the_first_board_is_a_recorded_lot() -> None:
    stage = stage_of(12)
    first = pair_next_round(stage.pk, actor=None)
    discard_draft(first.pk, actor=None)

    again = pair_next_round(stage.pk, actor=None)

    (lot,) = Lot.objects.filter(tournament=stage.section.tournament, purpose=Lot.Purpose.FIRST_COLOR)
    board = again.pairings.get(board=1)
    assert lot.outcome.result == ("white" if board.white.start_number == 1 else "black")


def test_a_draft_blocks_the_next_and_is_seen_by_nobody() -> None:
    stage = stage_of(12)
    version = stage.version

    pair_next_round(stage.pk, actor=None)

    with refused("round.draft_exists"):
        pair_next_round(stage.pk, actor=None)
    stage.refresh_from_db()
    assert (stage.games.count(), stage.standings.count(), stage.version) == (0, 0, version)


def test_missing_results_block_the_next_round_with_their_boards() -> None:
    stage = stage_of(12)
    round_ = next_round(stage)
    for game in games_of(round_)[:4]:
        enter_result(stage_id=stage.pk, game_id=game.pk, outcome="1-0")

    with pytest.raises(TourneyError) as caught:
        pair_next_round(stage.pk, actor=None)

    assert (caught.value.code, caught.value.values) == ("round.results_missing", {"boards": "5, 6"})


def test_two_players_of_a_draft_change_places() -> None:
    stage = stage_of(12)
    draft = pair_next_round(stage.pk, actor=None)
    one, two = draft.pairings.get(board=1), draft.pairings.get(board=2)

    change_pairing(draft.pk, first_id=one.white_id, second_id=two.black_id, actor=None, reason="brothers")

    after = {p.board: (p.white_id, p.black_id, p.by_hand) for p in draft.pairings.all()}
    assert after[1] == (two.black_id, one.black_id, True)
    assert after[2] == (two.white_id, one.white_id, True)
    assert after[3][2] is False


def test_two_players_of_one_board_change_colours() -> None:
    stage = stage_of(12)
    draft = pair_next_round(stage.pk, actor=None)
    board = draft.pairings.get(board=3)

    change_pairing(draft.pk, first_id=board.white_id, second_id=board.black_id, actor=None, reason="lot redrawn")

    after = draft.pairings.get(board=3)
    assert (after.white_id, after.black_id) == (board.black_id, board.white_id)


def test_a_player_and_the_bye_change_places() -> None:
    stage = stage_of(11)
    draft = pair_next_round(stage.pk, actor=None)
    bye, board = draft.pairings.get(black=None), draft.pairings.get(board=1)

    change_pairing(draft.pk, first_id=board.white_id, second_id=bye.white_id, actor=None, reason="sick")

    assert draft.pairings.get(black=None).white_id == board.white_id
    assert draft.pairings.get(board=1).white_id == bye.white_id


def test_changes_need_a_reason_players_and_a_draft() -> None:
    stage = stage_of(12)
    draft = pair_next_round(stage.pk, actor=None)
    one, two = draft.pairings.get(board=1), draft.pairings.get(board=2)

    with refused("round.change_needs_reason"):
        change_pairing(draft.pk, first_id=one.white_id, second_id=two.white_id, actor=None, reason=" ")
    with refused("round.player_not_paired"):
        change_pairing(draft.pk, first_id=one.white_id, second_id=0, actor=None, reason="x")
    publish_round(draft.pk, actor=None)
    with refused("round.not_draft"):
        change_pairing(draft.pk, first_id=one.white_id, second_id=two.white_id, actor=None, reason="x")
    with refused("round.not_draft"):
        publish_round(draft.pk, actor=None)
    with refused("round.not_draft"):
        discard_draft(draft.pk, actor=None)


def test_boards_begin_with_the_first_board_of_the_group() -> None:
    stage = stage_of(12)
    stage.section.first_board = 21
    stage.section.save()

    draft = pair_next_round(stage.pk, actor=None)

    assert [p.board for p in draft.pairings.all()] == [21, 22, 23, 24, 25, 26]


@pytest.mark.clause("M7.3")
def test_games_carry_the_time_control() -> None:
    stage = stage_of(12)

    round_ = next_round(stage)

    assert {game.time_control for game in games_of(round_)} == {"90+30"}


# -- taking back -----------------------------------------------------------------------------------------------------


def test_a_published_round_is_taken_back_and_comes_back_the_same() -> None:
    stage = stage_of(12)
    play(stage)
    before = table(stage)
    round_ = next_round(stage)
    pairs = list(round_.pairings.values_list("board", "white_id", "black_id"))

    unpublish_round(round_.pk, actor=None, reason="wrong roll-call")

    assert stage.games.filter(round_number=2).count() == 0
    assert (table(stage), stage.standings.filter(after_round=2).count()) == (before, 0)
    publish_round(round_.pk, actor=None)
    assert list(round_.pairings.values_list("board", "white_id", "black_id")) == pairs
    assert stage.games.filter(round_number=2).count() == 6


def test_a_round_with_results_or_a_later_one_stays() -> None:
    stage = stage_of(12)
    first = play(stage)
    second = next_round(stage)

    with refused("round.not_newest"):
        unpublish_round(first.pk, actor=None, reason="x")
    enter_result(stage_id=stage.pk, game_id=games_of(second)[2].pk, outcome="1-0")
    with pytest.raises(TourneyError) as caught:
        unpublish_round(second.pk, actor=None, reason="x")
    assert (caught.value.code, caught.value.values["boards"]) == ("round.has_results", "3")


def test_taking_the_first_round_back_makes_the_stage_ready_again() -> None:
    stage = stage_of(12)
    round_ = next_round(stage)

    unpublish_round(round_.pk, actor=None, reason="x")

    stage.refresh_from_db()
    assert (stage.state, stage.started_at, stage.standings.count()) == (Stage.State.READY, None, 0)


# -- late players ----------------------------------------------------------------------------------------------------


def test_a_late_player_gets_a_new_board_against_who_had_the_bye() -> None:
    stage = stage_of(11)
    round_ = next_round(stage)
    boards = list(round_.pairings.filter(black__isnull=False).values_list("board", "white_id", "black_id"))
    bye = round_.pairings.get(bye="U").white
    late = builders.entry(stage.section, "Запізній", rating=1000)
    assert admit_late(stage, late, actor=None) == 2

    pairing = pair_late_entry(round_.pk, entry_ids=(late.pk, bye.pk), actor=None, reason="train")

    assert pairing.board == 6
    assert {pairing.white_id, pairing.black_id} == {late.pk, bye.pk}
    assert list(round_.pairings.filter(board__lt=6).values_list("board", "white_id", "black_id")) == boards
    assert round_.pairings.filter(bye="U").count() == 0
    late.refresh_from_db()
    assert late.joined_round == 1
    enter(round_)
    assert (len(table(stage)), round_.state) == (12, "done")


def test_a_late_player_without_opponent_misses_the_round() -> None:
    stage = stage_of(12)
    round_ = next_round(stage)
    late = builders.entry(stage.section, "Запізній", rating=2500)
    admit_late(stage, late, actor=None)

    pairing = pair_late_entry(round_.pk, entry_ids=(late.pk, None), actor=None, reason="bus")

    assert (pairing.board, pairing.bye, pairing.white_id) == (None, "Z", late.pk)
    late.refresh_from_db()
    assert late.start_number == 1  # by rating: numbers may still change in the first rounds
    enter(round_)
    assert late.pk in {e for p in next_round(stage).pairings.all() for e in (p.white_id, p.black_id)}


def test_late_pairing_refuses_the_paired_the_gone_and_strangers() -> None:
    stage = stage_of(12)
    draft = pair_next_round(stage.pk, actor=None)
    board = draft.pairings.get(board=1)
    stranger = builders.entry(builders.event().sections.get(), rating=1500)

    with refused("round.not_published"):
        pair_late_entry(draft.pk, entry_ids=(board.white_id, None), actor=None, reason="x")
    publish_round(draft.pk, actor=None)
    with refused("round.already_paired"):
        pair_late_entry(draft.pk, entry_ids=(board.white_id, None), actor=None, reason="x")
    with refused("round.player_not_here"):
        pair_late_entry(draft.pk, entry_ids=(stranger.pk, None), actor=None, reason="x")
    with refused("round.change_needs_reason"):
        pair_late_entry(draft.pk, entry_ids=(stranger.pk, None), actor=None, reason="")


# -- results ---------------------------------------------------------------------------------------------------------


def test_a_result_is_one_record_one_line_of_the_log_and_a_new_table() -> None:
    stage = stage_of(12)
    anna = builders.user("anna", stage.section.tournament, "arbiter")
    round_ = next_round(stage)
    game = games_of(round_)[0]
    version = Stage.objects.get(pk=stage.pk).version

    record = enter_result(stage_id=stage.pk, game_id=game.pk, outcome="1-0", actor=anna)

    game.refresh_from_db()
    stage.refresh_from_db()
    assert (game.outcome, game.version, game.finished_at) == ("1-0", 1, record.at)
    assert (record.entered_by, record.supersedes, stage.version) == (anna, None, version + 1)
    assert table(stage)[0] == (1, game.white.start_number, 2)
    line = ActionLog.objects.filter(tournament=stage.section.tournament).first()
    assert line is not None
    assert (line.action, line.actor, line.data["board"], line.data["result"]) == (
        "swiss.result_entered",
        anna,
        1,
        "1-0",
    )


def test_the_same_operation_counts_once() -> None:
    stage = stage_of(12)
    first, second, *_ = games_of(next_round(stage))
    operation = uuid4()

    one = enter_result(stage_id=stage.pk, game_id=first.pk, outcome="1-0", operation=operation)
    two = enter_result(stage_id=stage.pk, game_id=first.pk, outcome="1-0", operation=operation)

    assert one == two
    assert ResultRecord.objects.count() == 1
    with refused("result.operation_reused"):
        enter_result(stage_id=stage.pk, game_id=first.pk, outcome="0-1", operation=operation)
    with refused("result.operation_reused"):
        enter_result(stage_id=stage.pk, game_id=second.pk, outcome="1-0", operation=operation)


def test_a_stale_page_is_told_who_entered_what() -> None:
    stage = stage_of(12)
    anna = builders.user("anna")
    game = games_of(next_round(stage))[3]
    enter_result(stage_id=stage.pk, game_id=game.pk, outcome="1-0", actor=anna, base_version=0)

    with pytest.raises(TourneyError) as caught:
        enter_result(stage_id=stage.pk, game_id=game.pk, outcome="0-1", base_version=0, reason="mine")

    assert caught.value.code == "result.changed_meanwhile"
    assert {k: caught.value.values[k] for k in ("result", "by", "board")} == {"result": "1-0", "by": "anna", "board": 4}
    same = enter_result(stage_id=stage.pk, game_id=game.pk, outcome="1-0", base_version=0)
    assert same.entered_by == anna


def test_a_correction_needs_a_reason_and_keeps_the_old_record() -> None:
    stage = stage_of(12)
    game = games_of(next_round(stage))[0]
    first = enter_result(stage_id=stage.pk, game_id=game.pk, outcome="1-0")

    with refused("result.correction_needs_reason"):
        enter_result(stage_id=stage.pk, game_id=game.pk, outcome="0-1")
    second = enter_result(stage_id=stage.pk, game_id=game.pk, outcome="0-1", reason="slip misread")

    assert second.supersedes == first
    assert list(game.results.values_list("outcome", "reason")) == [("1-0", ""), ("0-1", "slip misread")]
    assert table(stage)[0] == (1, game.black.start_number, 2)


def test_a_result_taken_back_opens_the_round_again() -> None:
    stage = stage_of(12)
    round_ = play(stage)
    game = games_of(round_)[0]

    enter_result(stage_id=stage.pk, game_id=game.pk, outcome="", reason="still playing")

    round_.refresh_from_db()
    assert (round_.state, round_.finished_at) == ("running", None)
    with refused("round.results_missing"):
        pair_next_round(stage.pk, actor=None)


def test_there_is_nothing_to_take_back_from_an_open_game() -> None:
    stage = stage_of(12)
    game = games_of(next_round(stage))[0]

    with refused("result.nothing_to_take_back"):
        enter_result(stage_id=stage.pk, game_id=game.pk, outcome="")


@pytest.mark.clause("M8.1")
def test_a_correction_after_a_later_round_recomputes_every_later_table() -> None:
    stage = stage_of(12)
    first = play(stage, "1-0")
    play(stage, "1-0")
    play(stage, "0-1")
    wrong = stage.standings.filter(after_round=1).get(entry=games_of(first)[0].white)
    assert wrong.points == 2

    enter_result(stage_id=stage.pk, game_id=games_of(first)[0].pk, outcome="0-1", reason="colours mixed up")

    shown = everything_shown(stage)
    rebuild(stage.pk)
    assert everything_shown(stage) == shown
    assert stage.standings.get(after_round=1, entry=games_of(first)[0].white).points == 0
    for number in (1, 2, 3):
        assert sum(points for _, _, points in table(stage, number)) == 12 * number


@pytest.mark.clause("M7.6")
def test_the_move_number_of_a_draw_is_added_without_a_reason() -> None:
    stage = stage_of(12)
    game = games_of(next_round(stage))[0]
    enter_result(stage_id=stage.pk, game_id=game.pk, outcome="1/2")
    version = Stage.objects.get(pk=stage.pk).version

    record = enter_result(stage_id=stage.pk, game_id=game.pk, outcome="1/2", moves=38)

    game.refresh_from_db()
    assert (record.moves, record.supersedes is not None, game.version) == (38, True, 2)
    assert Stage.objects.get(pk=stage.pk).version == version  # nothing the public sees has changed


def test_forfeits_score_but_are_no_games() -> None:
    stage = stage_of(12)
    round_ = enter(next_round(stage), "+- -+ -- 1/2")
    one, two, three, *_ = games_of(round_)

    points = {entry: points for _, entry, points in table(stage)}

    assert (points[one.white.start_number or 0], points[one.black.start_number or 0]) == (2, 0)
    assert (points[two.white.start_number or 0], points[two.black.start_number or 0]) == (0, 2)
    assert (points[three.white.start_number or 0], points[three.black.start_number or 0]) == (0, 0)
    # They may still be paired with each other: a forfeit is no meeting (C.04.1).
    assert next_round(stage).pairings.count() == 6


def test_unknown_results_and_closed_stages_are_refused() -> None:
    stage = stage_of(12)
    game = games_of(next_round(stage))[0]

    with refused("result.unknown"):
        enter_result(stage_id=stage.pk, game_id=game.pk, outcome="2-0")
    Stage.objects.filter(pk=stage.pk).update(state=Stage.State.CLOSED)
    with refused("result.stage_closed"):
        enter_result(stage_id=stage.pk, game_id=game.pk, outcome="1-0")
    with refused("result.stage_closed"):
        pair_next_round(stage.pk, actor=None)


def test_a_whole_sheet_of_results_is_one_act() -> None:
    stage = stage_of(12)
    round_ = next_round(stage)
    games = games_of(round_)
    enter_result(stage_id=stage.pk, game_id=games[0].pk, outcome="1-0")

    records = enter_round_results(round_.pk, outcomes={game.pk: "1/2" for game in games})

    round_.refresh_from_db()
    assert (len(records), round_.state) == (5, "done")
    assert Game.objects.get(pk=games[0].pk).outcome == "1-0"
    assert enter_round_results(round_.pk, outcomes={games[1].pk: "0-1"}) == []


@pytest.mark.parametrize("players", [12, 60])
def test_one_result_takes_at_most_fifteen_queries(players: int) -> None:
    stage = stage_of(players)
    play(stage, "1-0 1/2 0-1")
    game = games_of(next_round(stage))[0]

    with CaptureQueriesContext(
        connection,
    ) as queries:
        enter_result(stage_id=stage.pk, game_id=game.pk, outcome="1-0", operation=uuid4(), base_version=0)

    statements = [q["sql"] for q in queries if not q["sql"].startswith(("SAVEPOINT", "RELEASE"))]
    assert len(statements) == 14  # the first result of a round also writes its start


def test_play_ends_early_with_a_reason() -> None:
    stage = stage_of(12)
    play(stage)
    round_ = next_round(stage)

    with refused("round.results_missing"):
        close_stage_play(stage.pk, actor=None, reason="the hall closes")
    enter(round_)
    with refused("stage.reason_needed"):
        close_stage_play(stage.pk, actor=None, reason="")
    close_stage_play(stage.pk, actor=None, reason="the hall closes")

    stage.refresh_from_db()
    assert (stage.rounds_total, stage.state) == (2, Stage.State.FINISHED)


# -- rehearsal, rebuild ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [7, 13])
def test_a_rehearsal_plays_a_stage_step_by_step_to_the_end(players: int) -> None:
    stage = stage_of(players)
    steps = 0

    while play_step(
        Stage.objects.select_related("section__tournament").get(pk=stage.pk), Chance.labelled(7, str(steps))
    ):
        steps += 1

    stage.refresh_from_db()
    assert (stage.state, steps) == (Stage.State.FINISHED, 2 * stage.rounds_total)


def test_projections_are_rebuilt_from_the_facts() -> None:
    stage = stage_of(13)
    play(stage, "1-0 +- -- 1/2")
    round_ = enter(next_round(stage), "0-1 1/2")
    game = games_of(round_)[0]
    enter_result(stage_id=stage.pk, game_id=game.pk, outcome="1-0", reason="misread")
    enter_result(stage_id=stage.pk, game_id=games_of(round_)[1].pk, outcome="", reason="playing on")
    shown = everything_shown(stage)

    StandingRow.objects.filter(stage=stage).delete()
    Game.objects.filter(stage=stage).update(outcome="", version=0, finished_at=None)
    Round.objects.filter(stage=stage).update(state=Round.State.PUBLISHED)
    rebuild(stage.pk)

    assert everything_shown(stage) == shown
    assert {state for _, state in shown["rounds"]} == {"done", "running"}
