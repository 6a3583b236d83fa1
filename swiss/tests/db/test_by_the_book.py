"""Playing by the book: asked, refused, kept with what was before, undone, and left for good."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from swiss import services
from swiss.models import ForbiddenPair, ReportResult, Round
from swiss.reports import report_of
from swiss.services import (
    adjourn_game,
    allow_pair,
    change_pairing,
    close_stage_play,
    correct_for_report,
    discard_draft,
    end_report_result,
    enter_result,
    forbid_pair,
    leave_the_book,
    pair_late_entry,
    pair_next_round,
    publish_round,
    request_bye,
    undo_bent,
    unpublish_round,
)
from swiss.services.sanctions import carry_out
from swiss.tests.builders import games_of, next_round, numbered, play, stage_of, table
from tourney.kernel.by_the_book import AskFirst, Level
from tourney.kernel.errors import TourneyError
from tourney.kernel.trf import dump
from tourney.models import ActionLog, BentRule, Game, Sanction, Section, Stage
from tourney.services.by_the_book import is_by_the_book
from tourney.services.regulations import draft_spec, publish, save_draft, stage_effects
from tourney.services.rehearsal import copy_event
from tourney.services.sections import change_rounds, exchange_numbers, number_by_lot

pytestmark = pytest.mark.django_db


def strict(players: int = 12, **more: Any) -> Stage:
    """Return a stage played by the book, with as many rounds as asked for."""
    stage = stage_of(players, **more)
    stage.rules = {**stage.rules, "rating": {**stage.rules.get("rating", {}), "by_the_book": True}}
    stage.save(update_fields=["rules"])
    return stage


@pytest.fixture
def stage() -> Stage:
    return strict()


def asked(act: str, *args: Any, **kwargs: Any) -> tuple[str, Level, int]:
    """Return the question an act asks."""
    with pytest.raises(AskFirst) as question:
        getattr(services, act)(*args, **kwargs)
    return question.value.code, question.value.level, question.value.step


def refused(act: Any, *args: Any, **kwargs: Any) -> str:
    with pytest.raises(TourneyError) as caught:
        act(*args, **kwargs)
    assert not isinstance(caught.value, AskFirst)
    return caught.value.code


def bent(stage: Stage) -> list[tuple[str, int, list[str], list[str], str]]:
    return [(one.act, one.round_number, one.before, one.after, one.reason) for one in stage.bent_rules.all()]


# -- results ---------------------------------------------------------------------------------------------------------


def test_result_of_this_round_is_corrected_as_ever(stage: Stage) -> None:
    game = games_of(play(stage, "1-0"))[0]

    enter_result(stage_id=stage.pk, game_id=game.pk, outcome="0-1", reason="wrong slip")

    assert not stage.bent_rules.exists()


def test_result_of_the_previous_round_is_asked_about_and_kept(stage: Stage) -> None:
    game = games_of(play(stage, "1-0"))[0]
    play(stage, "1-0")
    change = {"stage_id": stage.pk, "game_id": game.pk, "outcome": "0-1", "reason": "wrong slip"}
    before = table(stage)

    assert asked("enter_result", **change) == ("book.previous_result", Level.CONFIRM, 1)
    assert (Game.objects.get(pk=game.pk).outcome, table(stage)) == ("1-0", before)

    enter_result(**change, knowing=1)

    numbers = f"{game.white.start_number}-{game.black.start_number}"
    assert bent(stage) == [("previous_result", 1, [f"{numbers}: 1-0"], [f"{numbers}: 0-1"], "wrong slip")]
    assert table(stage) != before
    row = BentRule.objects.get()
    assert (row.level, row.words != "") == (Level.CONFIRM, True)

    undo_bent(stage.pk, pk=row.pk, actor=None, reason="the slip was right")

    assert (Game.objects.get(pk=game.pk).outcome, table(stage)) == ("1-0", before)
    assert not stage.bent_rules.filter(undone_at=None).exists()
    assert refused(undo_bent, stage.pk, pk=row.pk, actor=None, reason="again") == "book.cannot_undo"


def test_draft_of_the_next_round_makes_a_round_the_previous_one(stage: Stage) -> None:
    game = games_of(play(stage, "1-0"))[0]
    pair_next_round(stage.pk, actor=None)

    change = {"stage_id": stage.pk, "game_id": game.pk, "outcome": "0-1", "reason": "wrong slip"}
    assert asked("enter_result", **change)[0] == "book.previous_result"


def test_older_result_is_closed_and_put_right_in_the_report_only(stage: Stage) -> None:
    game = games_of(play(stage, "1-0"))[0]
    play(stage)
    change: dict[str, Any] = {"stage_id": stage.pk, "game_id": game.pk, "outcome": "0-1", "reason": "seen in the PGN"}
    early = {**change, "actor": None, "knowing": 1}
    assert refused(correct_for_report, stage.pk, **{k: v for k, v in early.items() if k != "stage_id"}) == (
        "report.not_older"
    )
    play(stage)
    standings, questions = table(stage), [round_.pairings.count() for round_ in stage.rounds.all()]

    assert refused(enter_result, **change, knowing=2) == "book.older_result"
    only = {"game_id": game.pk, "outcome": "0-1", "actor": None, "reason": "seen in the PGN"}
    assert asked("correct_for_report", stage.pk, **only) == ("book.report_result", Level.CONFIRM, 1)
    made = correct_for_report(stage.pk, **only, knowing=1)

    assert (table(stage), Game.objects.get(pk=game.pk).outcome) == (standings, "1-0")
    assert questions == [round_.pairings.count() for round_ in stage.rounds.all()]
    report = report_of(stage)
    white, black = game.white.start_number or 0, game.black.start_number or 0
    assert (report.cell(white, 1).result, report.cell(black, 1).result) == ("0", "1")
    assert f"### Correction @ Round 1: {white}-{black}: 1-0 => {white}-{black}: 0-1 (report only)" in dump(report)
    assert ActionLog.objects.filter(action="swiss.report_result").count() == 1

    end_report_result(stage.pk, pk=made.pk, actor=None)

    assert report_of(stage).cell(white, 1).result == "1"
    assert refused(end_report_result, stage.pk, pk=made.pk, actor=None) == "report.none"


def test_report_result_must_say_something_else_of_a_played_game(stage: Stage) -> None:
    game = games_of(play(stage, "1-0"))[0]
    play(stage)
    open_game = games_of(next_round(stage))[0]
    words = {"actor": None, "reason": "x", "knowing": 1}

    assert refused(correct_for_report, stage.pk, game_id=game.pk, outcome="1-0", **words) == "report.same_result"
    assert refused(correct_for_report, stage.pk, game_id=game.pk, outcome="2-0", **words) == "result.unknown"
    assert refused(correct_for_report, stage.pk, game_id=open_game.pk, outcome="1-0", **words) == "report.unknown_game"
    assert refused(correct_for_report, stage.pk, game_id=game.pk, outcome="0-1", **{**words, "reason": " "}) == (
        "book.reason_needed"
    )
    plain = stage_of(12)
    theirs = games_of(play(plain, "1-0"))[0]
    assert refused(correct_for_report, plain.pk, game_id=theirs.pk, outcome="0-1", **words) == "book.not_strict"
    assert not ReportResult.objects.exists()


def test_adjourned_game_is_finished_at_any_time(stage: Stage) -> None:
    first = games_of(next_round(stage))
    for game in first[1:]:
        enter_result(stage_id=stage.pk, game_id=game.pk, outcome="1-0")
    assert asked("pair_next_round", stage.pk, actor=None, with_open_games=True) == (
        "book.open_games",
        Level.CONFIRM,
        1,
    )
    assert stage.rounds.count() == 1
    publish_round(pair_next_round(stage.pk, actor=None, with_open_games=True, knowing=1).pk, actor=None)
    for game in games_of(stage.rounds.get(number=2)):
        enter_result(stage_id=stage.pk, game_id=game.pk, outcome="1-0")
    publish_round(pair_next_round(stage.pk, actor=None, with_open_games=True, knowing=1).pk, actor=None)

    enter_result(stage_id=stage.pk, game_id=first[0].pk, outcome="0-1")  # two rounds later, and no question

    assert [one[0] for one in bent(stage)] == ["open_games", "open_games"]


def test_pairing_over_open_games_is_undone_while_it_is_a_draft(stage: Stage) -> None:
    next_round(stage)
    pair_next_round(stage.pk, actor=None, with_open_games=True, knowing=1)

    undo_bent(stage.pk, pk=BentRule.objects.get().pk, actor=None, reason="they play on")

    assert stage.rounds.count() == 1
    assert not stage.rounds.filter(pairings__adjourned=True).exists()


def test_undoing_never_reaches_a_draft_of_another_group(stage: Stage) -> None:
    next_round(stage)
    pair_next_round(stage.pk, actor=None, with_open_games=True, knowing=1)
    draft = BentRule.objects.get().snapshot["draft"]
    other = strict(slug="other")
    told = BentRule.objects.create(stage=other, act="open_games", level=1, snapshot={"draft": draft}, at=timezone.now())

    assert refused(undo_bent, other.pk, pk=told.pk, actor=None, reason="x") == "book.cannot_undo"
    assert stage.rounds.count() == 2


def test_game_put_off_by_hand_is_asked_about_and_undone(stage: Stage) -> None:
    pairing = next_round(stage).pairings.first()
    assert pairing is not None
    assert asked("adjourn_game", pairing.pk, actor=None, reason="ill") == ("book.adjourned", Level.CONFIRM, 1)

    adjourn_game(pairing.pk, actor=None, reason="ill", knowing=1)
    undo_bent(stage.pk, pk=BentRule.objects.get().pk, actor=None, reason="came after all")

    pairing.refresh_from_db()
    assert not pairing.adjourned


def test_game_lost_by_a_sanction_in_the_previous_round_is_kept_and_in_an_older_one_refused(stage: Stage) -> None:
    game = games_of(play(stage, "1-0"))[0]
    play(stage)
    lost = Sanction(entry=game.white, kind="game_loss", reason="a telephone", game=game, stage=stage)

    carry_out(lost, None)

    assert Game.objects.get(pk=game.pk).outcome == "0-1"
    assert [one[0] for one in bent(stage)] == ["previous_result"]
    play(stage)
    late = Sanction(entry=game.black, kind="game_loss", reason="a telephone", game=game, stage=stage)
    assert refused(carry_out, late, None) == "book.older_result"


# -- settings --------------------------------------------------------------------------------------------------------


def test_number_of_rounds_is_fixed_by_the_pairing_of_round_1(stage: Stage) -> None:
    change_rounds(stage, 6, reason="short of time", actor=None)
    pair_next_round(stage.pk, actor=None)

    assert refused(change_rounds, stage, 5, reason="shorter", actor=None) == "book.rounds"
    assert Stage.objects.get(pk=stage.pk).rounds_total == 6
    leave_the_book(stage.pk, actor=None, reason="the hall closes", knowing=2)
    change_rounds(stage, 5, reason="shorter", actor=None)
    assert Stage.objects.get(pk=stage.pk).rounds_total == 5


def test_early_end_asks_twice_and_can_be_undone(stage: Stage) -> None:
    play(stage)
    planned = stage.rounds_total
    end = {"actor": None, "reason": "the hall closes"}
    assert asked("close_stage_play", stage.pk, **end) == ("book.early_end", Level.TWO_STEPS, 1)
    assert asked("close_stage_play", stage.pk, **end, knowing=1) == ("book.early_end", Level.TWO_STEPS, 2)

    close_stage_play(stage.pk, **end, knowing=2)

    ended = Stage.objects.get(pk=stage.pk)
    assert (ended.state, ended.rounds_total) == (Stage.State.FINISHED, 1)
    undo_bent(stage.pk, pk=BentRule.objects.get().pk, actor=None, reason="another hall")
    back = Stage.objects.get(pk=stage.pk)
    assert (back.state, back.rounds_total) == (Stage.State.RUNNING, planned)


def test_numbers_of_unequal_ratings_are_exchanged_knowingly(stage: Stage) -> None:
    people = numbered(stage)
    exchange = {"reason": "a title came late", "actor": None}
    with pytest.raises(AskFirst) as question:
        exchange_numbers(stage, 1, 2, **exchange)
    assert question.value.code == "book.start_order"

    exchange_numbers(stage, 1, 2, **exchange, knowing=1)
    assert numbered(stage)[1].pk == people[2].pk
    undo_bent(stage.pk, pk=BentRule.objects.get(undone_at=None).pk, actor=None, reason="it did not")

    assert numbered(stage)[1].pk == people[1].pk
    assert not stage.bent_rules.filter(undone_at=None).exists()


@pytest.mark.parametrize("system", ["swiss", "round_robin"])
def test_start_numbers_are_fixed_by_the_pairing_of_round_1(system: str) -> None:
    stage = strict(12, system=system)
    draft = pair_next_round(stage.pk, actor=None)

    assert refused(exchange_numbers, stage, 1, 2, reason="late title", actor=None, knowing=2) == "book.numbers"
    if system == "round_robin":
        assert refused(number_by_lot, stage, actor=None) == "book.numbers"
    discard_draft(draft.pk, actor=None)
    exchange_numbers(stage, 1, 2, reason="late title", actor=None, knowing=1)


def test_regulation_published_later_leaves_a_group_that_is_paired_as_it_is(stage: Stage) -> None:
    tournament, before = stage.section.tournament, stage.rules["tie_breaks"]
    pair_next_round(stage.pk, actor=None)
    spec = draft_spec(tournament)
    for step in spec["stages"]:
        for option in step["options"]:
            option |= {"tie_breaks": ["WIN"], "win_points": "3", "rounds": 5} if option["kind"] == "swiss" else {}
    save_draft(tournament, spec, actor=None, block="stages")

    assert [effect.kept for effect in stage_effects(tournament, spec) if effect.stage.pk == stage.pk] == [True]
    publish(tournament, actor=None, reason="other rules", seen=1)

    assert Stage.objects.get(pk=stage.pk).rules["tie_breaks"] == before


# -- byes ------------------------------------------------------------------------------------------------------------


def test_whole_point_bye_is_noted_first(stage: Stage) -> None:
    person = numbered(stage)[3]
    bye = {"entry_id": person.pk, "round_number": 1, "kind": "F", "actor": None, "reason": "guest of honour"}
    assert asked("request_bye", stage.pk, **bye) == ("book.full_bye", Level.ACKNOWLEDGE, 1)

    request_bye(stage.pk, **bye, knowing=1)

    assert bent(stage) == [("full_bye", 1, [], ["3=FPB"], "guest of honour")]


def test_half_bye_in_a_closed_round_needs_a_reason_and_is_kept(stage: Stage) -> None:
    stage.rules["half_byes_closed_rounds"] = 2
    stage.save(update_fields=["rules"])
    person, last = numbered(stage)[3], stage.rounds_total
    bye = {"entry_id": person.pk, "round_number": last, "kind": "H", "actor": None}

    request_bye(stage.pk, entry_id=person.pk, round_number=last - 2, kind="H", actor=None)
    services.drop_bye(stage.pk, entry_id=person.pk, round_number=last - 2, actor=None)
    assert refused(request_bye, stage.pk, **bye) == "bye.half_late"
    request_bye(stage.pk, **bye, reason="flight", confirmed=True)

    assert bent(stage) == [("half_bye", last, [], ["3=HPB"], "flight")]


# -- pairing ---------------------------------------------------------------------------------------------------------


def test_pair_forbidden_after_round_1_ends_the_mode_for_good(stage: Stage) -> None:
    people = numbered(stage)
    pair = {"first_id": people[1].pk, "second_id": people[2].pk, "actor": None, "reason": "brothers"}
    forbid_pair(stage.pk, **{**pair, "first_id": people[3].pk})  # before round 1: free
    play(stage)

    assert asked("forbid_pair", stage.pk, **pair) == ("book.forbidden_pair", Level.TWO_STEPS, 1)
    assert asked("forbid_pair", stage.pk, **pair, knowing=1) == ("book.forbidden_pair", Level.TWO_STEPS, 2)
    assert (ForbiddenPair.objects.count(), Section.objects.get(pk=stage.section_id).left_book_round) == (1, None)
    forbid_pair(stage.pk, **pair, knowing=2)

    left = Stage.objects.select_related("section").get(pk=stage.pk)
    assert (left.section.left_book_round, is_by_the_book(left)) == (1, False)
    assert ActionLog.objects.filter(action="stage.left_the_book").count() == 1
    text = dump(report_of(Stage.objects.select_related("section__tournament").get(pk=stage.pk)))
    assert "### Configuration @ Round 1: 1 / 2\n" in text
    assert "### FIDE mode exited @ Round 1\n" in text
    # What is bent now is free, and nothing brings the mode back.
    allow_pair(stage.pk, pair_id=ForbiddenPair.objects.earliest("pk").pk, actor=None, reason="not brothers")
    assert refused(leave_the_book, stage.pk, actor=None, reason="again", knowing=2) == "book.not_strict"


def test_hand_round_is_compared_with_the_engine_before_it_is_published(stage: Stage) -> None:
    draft = pair_next_round(stage.pk, actor=None)
    one, other = list(draft.pairings.order_by("board"))[:2]
    change_pairing(draft.pk, first_id=one.white_id, second_id=other.white_id, actor=None, reason="neighbours")

    assert asked("publish_round", draft.pk, actor=None) == ("book.hand_round", Level.TWO_STEPS, 1)
    assert Round.objects.get(pk=draft.pk).state == Round.State.DRAFT
    publish_round(draft.pk, actor=None, knowing=2)

    (row,) = stage.bent_rules.all()
    assert (row.act, row.reason, len(row.before), row.before != row.after) == ("hand_round", "neighbours", 6, True)


def test_hand_round_that_is_the_engines_again_asks_nothing(stage: Stage) -> None:
    draft = pair_next_round(stage.pk, actor=None)
    one, other = list(draft.pairings.order_by("board"))[:2]
    for _ in range(2):
        change_pairing(draft.pk, first_id=one.white_id, second_id=other.white_id, actor=None, reason="tried")

    publish_round(draft.pk, actor=None)

    assert not stage.bent_rules.exists()


def test_published_round_is_taken_back_knowingly(stage: Stage) -> None:
    first = next_round(stage)
    assert asked("unpublish_round", first.pk, actor=None, reason="x") == ("book.taken_back", Level.CONFIRM, 1)
    game = games_of(first)[0]
    enter_result(stage_id=stage.pk, game_id=game.pk, outcome="1-0")
    back = {"actor": None, "reason": "a club is missing", "with_results": True}
    assert asked("unpublish_round", first.pk, **back, knowing=1) == ("book.taken_back_results", Level.TWO_STEPS, 2)

    unpublish_round(first.pk, **back, knowing=2)
    undo_bent(stage.pk, pk=BentRule.objects.get().pk, actor=None, reason="it was there")

    assert Game.objects.get(pk=game.pk).outcome == "1-0"
    assert Round.objects.get(pk=first.pk).state == Round.State.RUNNING


def test_board_added_to_a_published_round_is_asked_about() -> None:
    stage = strict(13)
    first = next_round(stage)
    bye = first.pairings.get(bye="U")
    gone = first.pairings.exclude(bye="U").first()
    assert gone is not None
    people = numbered(stage)
    newcomer = next(one for one in people.values() if one.pk == bye.white_id)
    late = {"entry_ids": (newcomer.pk, None), "actor": None, "reason": "late"}
    pair_late_entry(first.pk, **late)  # a bye is no board more

    assert not stage.bent_rules.exists()


# -- outside the mode ------------------------------------------------------------------------------------------------


def test_a_group_that_is_not_by_the_book_is_asked_nothing() -> None:
    stage = stage_of(12)
    game = games_of(play(stage, "1-0"))[0]
    play(stage)
    play(stage)

    enter_result(stage_id=stage.pk, game_id=game.pk, outcome="0-1", reason="wrong slip")
    close_stage_play(stage.pk, actor=None, reason="the hall closes")

    assert not BentRule.objects.exists()
    assert refused(undo_bent, stage.pk, pk=1, actor=None, reason="x") == "book.cannot_undo"


def test_group_that_left_before_round_1_is_asked_nothing_in_a_rehearsal_either(stage: Stage) -> None:
    leave_the_book(stage.pk, actor=None, reason="house rules", knowing=2)

    assert Section.objects.get(pk=stage.section_id).left_book_round == 0
    copy = copy_event(stage.section.tournament, actor=None)
    assert [section.left_book_round for section in copy.sections.filter(code=stage.section.code)] == [0]
    game = games_of(play(stage, "1-0"))[0]
    pair_next_round(stage.pk, actor=None)
    enter_result(stage_id=stage.pk, game_id=game.pk, outcome="0-1", reason="wrong slip")
