"""Cutting a day short and little tables, through the acts of the arbiter: seen before, on record, taken back."""

from __future__ import annotations

from typing import Any

import pytest

from brackets.engine.facts import CutScope
from brackets.placings import placings_of
from brackets.services import (
    Change,
    call_match,
    correct_result,
    cut_plan,
    cut_short,
    enter_game_result,
    exchange_seeds,
    pause,
    play_on,
    rebuild,
    resume,
    undo,
    withdraw_player,
)
from brackets.tests.builders import (
    closed,
    drawn,
    everything_shown,
    fresh,
    match,
    numbered,
    play,
    play_all,
    ready_for_game,
    table,
)
from tourney.kernel.errors import TourneyError
from tourney.models import ActionLog, Game, Stage

pytestmark = pytest.mark.django_db
SMALL = {"size": 8, "minimum_matches": 0}


def refused(code: str, call: Any, *args: Any, **options: Any) -> None:
    with pytest.raises(TourneyError) as error:
        call(*args, **options)
    assert error.value.code == code


@pytest.fixture
def half_played() -> Stage:
    """Eight players; U1 and L1 are over, U2.1 has a game, U2.2 is called."""
    stage = drawn(players=8, rules=SMALL)
    for key in ("U1.1", "U1.2", "U1.3", "U1.4", "L1.1", "L1.2"):
        play(stage, key, "1 1")
    play(stage, "U2.1", "1")
    call_match(stage.pk, "U2.2")
    return stage


@pytest.mark.clause("K1.4")
def test_what_a_cut_does_is_seen_before_and_then_done(half_played: Stage) -> None:
    stage = half_played
    shown = everything_shown(stage)
    plan = cut_plan(table(stage), scope="everything")
    assert plan.scope is CutScope.EVERYTHING
    assert set(plan.begun) == {"U2.1"}
    assert set(plan.called) == {"U2.2"}
    assert plan.open_after == 0
    assert len(plan.places) == 8
    assert everything_shown(stage) == shown
    done = cut_short(stage.pk, scope="everything", reason="the siren", token=plan.token)
    assert done == plan
    assert fresh(stage).state == Stage.State.FINISHED
    assert [(m.state, m.board is not None) for m in [match(stage, "GF.1")]] == [("cut", False)]
    places = placings_of(stage.section)
    assert places is not None
    start = {entry.pk: number for number, entry in numbered(stage).items()}
    assert {start[entry]: (place, to) for entry, place, to, _ in places} == {
        **dict.fromkeys((1, 2, 3, 4), (1, 4)),
        **dict.fromkeys((7, 8), (5, 6)),  # have won in the lower bracket
        **dict.fromkeys((5, 6), (7, 8)),
    }
    assert Game.objects.get(match_key="U2.1").outcome
    entry = ActionLog.objects.get(action="brackets.cut_everything")
    assert (entry.reason, entry.data["matches"]) == ("the siren", len(plan.matches))


def test_a_cut_is_undone_and_every_match_stands_where_it_stood(half_played: Stage) -> None:
    stage = half_played
    before = everything_shown(stage)
    cut_short(stage.pk, scope="everything", ties="seed", reason="the siren")
    shown = everything_shown(stage)
    rebuild(stage.pk)
    assert everything_shown(stage) == shown
    undo(stage.pk, reason="the siren is over")
    assert everything_shown(stage) == before
    play(stage, "U2.1", "1")
    assert match(stage, "U2.1").state == "done"


def test_the_race_goes_on_without_the_matches_for_places_until_they_are_taken_up_again(half_played: Stage) -> None:
    stage = half_played
    pause(stage.pk, reason="the power")
    cut_short(stage.pk, scope="placement", reason="the hall closes at nine")
    resume(stage.pk)
    assert match(stage, "P7.1").state == "cut"
    refused("bracket.cut_short", call_match, stage.pk, "P7.1")
    play(stage, "U2.1", "1")
    assert match(stage, "U2.1").state == "done"
    refused("bracket.nothing_to_cut", cut_short, stage.pk, scope="placement", reason="again")
    play_on(stage.pk, reason="one more hour")
    assert match(stage, "P7.1").state == "ready"
    refused("bracket.not_cut", play_on, stage.pk, reason="again")
    play_all(stage)
    assert fresh(stage).state == Stage.State.FINISHED
    assert [place for _, place, to, _ in placings_of(stage.section) or []] == list(range(1, 9))


def test_refusals_change_nothing(half_played: Stage) -> None:
    stage = half_played
    before = everything_shown(stage)
    plan = cut_plan(table(stage), scope="placement")
    refused("bracket.unknown_choice", cut_short, stage.pk, scope="half", reason="x")
    refused("bracket.unknown_choice", cut_short, stage.pk, scope="placement", ties="lot", reason="x")
    refused("bracket.reason_needed", cut_short, stage.pk, scope="placement", reason=" ")
    ready_for_game(stage, "U2.2")
    withdraw_player(stage.pk, numbered(stage)[6].pk, reason="ill")
    refused("bracket.plan_changed", cut_short, stage.pk, scope="placement", reason="x", token=plan.token)
    undo(stage.pk, reason="was not")
    undo(stage.pk, match="U2.2", reason="was not")
    assert everything_shown(stage) == before


def test_after_a_cut_a_wrong_result_is_still_put_right(half_played: Stage) -> None:
    stage = half_played
    cut_short(stage.pk, scope="everything", reason="the siren")
    refused("bracket.cut_short", enter_game_result, stage.pk, "U2.1", number=2, outcome="1-0")
    correct_result(stage.pk, Change("L1.1", winner="b"), reason="misread")
    start = {entry.pk: number for number, entry in numbered(stage).items()}
    last = {start[entry] for entry, place, _, _ in placings_of(stage.section) or [] if place == 7}
    assert 8 in last


@pytest.mark.clause("K5.6")
def test_small_bands_are_played_as_little_tables() -> None:
    stage = drawn(players=16, rules={"size": 16, "minimum_matches": 0, "table_up_to": 4})
    found = table(stage)
    assert [(t.code, len(t.members)) for t in found.spec.tables] == [("P13", 4), ("P9", 4)]
    while [view for view in table(stage).state.open_matches if not view.key.startswith("P9.")]:
        for view in table(stage).state.open_matches:
            if not view.key.startswith("P9."):
                play(stage, view.key, "1 1")
    refused("bracket.table_waits", call_match, stage.pk, "P9.3")
    call_match(stage.pk, "P9.1")
    for number in (1, 2, 3, 4, 5):
        play(stage, f"P9.{number}", "0 0")
    assert placings_of(stage.section) is None
    play(stage, "P9.6", "0 0")
    places = placings_of(stage.section)
    assert places is not None
    assert [place for _, place, to, _ in places if to is None] == list(range(1, 17))
    before = everything_shown(stage)
    rebuild(stage.pk)
    assert everything_shown(stage) == before
    correct_result(stage.pk, Change("P9.1", winner="a"), reason="misread")
    assert sorted(place for _, place, _, _ in placings_of(stage.section) or []) == list(range(1, 17))
    undo(stage.pk, reason="was right")
    assert placings_of(stage.section) == places


def test_tables_are_made_for_the_players_who_come() -> None:
    stage = drawn(players=13, rules={"size": 16, "minimum_matches": 0, "table_up_to": 4, "table_ties": "shared"})
    found = table(stage)
    assert {t.code: (len(t.members), tuple(t.places), t.ties) for t in found.spec.tables}["P9"] == (
        4,
        (9, 12),
        "shared",
    )
    play_all(stage)
    assert fresh(stage).state == Stage.State.FINISHED
    assert len(placings_of(stage.section) or []) == 13
    other = drawn(players=13, rules={"size": 16, "minimum_matches": 0, "table_up_to": 4})
    refused("bracket.bye_fixed", exchange_seeds, other.pk, 13, 14, reason="by hand")


def test_a_closed_stage_is_not_cut() -> None:
    stage = closed(8, rules=SMALL)
    refused("bracket.not_drawn", cut_short, stage.pk, scope="everything", reason="x")
