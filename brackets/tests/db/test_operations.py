"""Entries of tablets at matches: each counts once, two devices that disagree stop the match, the rest is kept."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from brackets.services import (
    MatchClaim,
    call_match,
    held_operations,
    open_conflicts,
    rebuild,
    resolve_conflict,
    settle_held,
    submit,
)
from brackets.tests.builders import drawn, everything_shown, fresh, match, play, ready_for_game, table
from tourney.kernel.errors import TourneyError
from tourney.models import ActionLog, DeviceLink, Game, ResultConflict, ResultOperation, Stage
from tourney.services.devices import bind_link, issue_link, revoke_link

pytestmark = pytest.mark.django_db

State = ResultOperation.State


@pytest.fixture
def stage() -> Stage:
    stage = drawn(32)
    call_match(stage.pk, "U1.1", board=1)
    call_match(stage.pk, "U1.2", board=2)
    return stage


def tablet(stage: Stage, label: str = "Tablet 1", **limits: Any) -> DeviceLink:
    link, token = issue_link(
        stage.section.tournament, actor=None, label=label, valid_until=timezone.now() + timedelta(hours=6), **limits
    )
    return bind_link(token, secret=f"secret of {label}")


def claim(stage: Stage, act: str, answer: str, number: int = 1, key: str = "U1.1", **more: Any) -> MatchClaim:
    """What a tablet sends that has seen the present pair of a match."""
    view = table(stage).view(key)
    values = {"a": view.a, "b": view.b, "queued": True, **more}
    return MatchClaim(
        operation=values.pop("operation", uuid4()),
        stage_id=stage.pk,
        match=key,
        act=act,
        number=number,
        answer=answer,
        **values,
    )


def sent(stage: Stage, link: DeviceLink, act: str, answer: str, number: int = 1, **more: Any) -> str:
    return submit(stage.section.tournament, claim(stage, act, answer, number, **more), link=link).state


def results(stage: Stage, key: str = "U1.1") -> list[tuple[int, str]]:
    found = Game.objects.filter(stage=stage, match_key=key).order_by("game_number")
    return list(found.values_list("game_number", "outcome"))


def decided(stage: Stage, key: str = "U1.1") -> tuple[str, str]:
    one = match(stage, key)
    return one.state, one.winner_side


def test_match_is_entered_game_by_game_from_a_queue(stage: Stage) -> None:
    link = tablet(stage)

    states = [
        sent(stage, link, "color", "w"),
        sent(stage, link, "game", "1-0", 1),
        sent(stage, link, "game", "0-1", 2),
    ]

    assert states == [State.APPLIED] * 3
    assert results(stage) == [(1, "1-0"), (2, "0-1")]
    assert decided(stage)[0] == "done"
    assert ActionLog.objects.filter(action="brackets.game_entered", actor_label="Tablet 1").count() == 2


def test_operation_sent_twice_counts_once_and_has_one_content(stage: Stage) -> None:
    link, number = tablet(stage), uuid4()
    ready_for_game(stage, "U1.1")

    states = [sent(stage, link, "game", "1-0", operation=number) for _ in range(3)]

    assert states == [State.APPLIED] * 3
    assert (ResultOperation.objects.count(), results(stage)) == (1, [(1, "1-0")])
    with pytest.raises(TourneyError) as refused:
        sent(stage, link, "game", "0-1", operation=number)
    assert refused.value.code == "result.operation_reused"


def test_two_devices_that_agree_are_one_result(stage: Stage) -> None:
    ready_for_game(stage, "U1.1")

    assert [sent(stage, tablet(stage, label), "game", "1-0") for label in ("A", "B")] == [State.APPLIED, State.SAME]
    assert [sent(stage, tablet(stage, label), "game", "1/2", 2) for label in ("C", "D")] == [State.APPLIED, State.SAME]


def test_two_devices_that_disagree_stop_the_match_until_an_arbiter_decides(stage: Stage) -> None:
    ready_for_game(stage, "U1.1")
    first, second, third = (tablet(stage, label) for label in ("A", "B", "C"))
    sent(stage, first, "game", "1-0")

    assert sent(stage, second, "game", "0-1") == State.CONFLICT
    assert sent(stage, third, "game", "1/2") == State.CONFLICT  # joins the one that is open

    (conflict,) = open_conflicts([stage])
    assert (conflict.hidden, conflict.operations.count()) == (True, 2)
    assert (results(stage), match(stage, "U1.1").awaits["kind"]) == ([], "claim")
    assert sent(stage, first, "game", "1-0", 2) == State.HELD  # the match waits

    with pytest.raises(TourneyError) as refused:
        resolve_conflict(stage.pk, conflict.pk, outcome="--", actor=None)
    assert refused.value.code == "conflict.reason_needed"
    resolve_conflict(stage.pk, conflict.pk, outcome="0-1", actor=None)

    assert results(stage) == [(1, "0-1")]
    assert (match(stage, "U1.1").awaits["kind"], match(stage, "U1.1").awaits["number"]) == ("game", 2)
    assert open_conflicts([stage]) == []
    with pytest.raises(TourneyError) as refused:
        resolve_conflict(stage.pk, conflict.pk, outcome="1-0", actor=None)
    assert refused.value.code == "conflict.none"
    before = everything_shown(stage)
    rebuild(stage.pk)
    assert everything_shown(fresh(stage)) == before


def test_disagreement_about_the_last_game_opens_the_match_again(stage: Stage) -> None:
    ready_for_game(stage, "U1.1")
    first, second = tablet(stage, "A"), tablet(stage, "B")
    sent(stage, first, "game", "1-0")
    sent(stage, first, "game", "0-1", 2)
    assert decided(stage)[0] == "done"

    assert sent(stage, second, "game", "1-0", 2) == State.CONFLICT
    assert decided(stage) != ("done", "a")
    (conflict,) = open_conflicts([stage])
    resolve_conflict(stage.pk, conflict.pk, outcome="0-1", actor=None)

    assert decided(stage)[0] == "done"
    assert results(stage) == [(1, "1-0"), (2, "0-1")]


def test_result_others_have_built_on_stands_and_only_the_arbiter_sees_the_claim(stage: Stage) -> None:
    ready_for_game(stage, "U1.1")
    first, second = tablet(stage, "A"), tablet(stage, "B")
    sent(stage, first, "game", "1-0")
    sent(stage, first, "game", "1/2", 2)

    assert sent(stage, second, "game", "0-1", 1) == State.CONFLICT

    (conflict,) = open_conflicts([stage])
    assert (conflict.hidden, results(stage)) == (False, [(1, "1-0"), (2, "1/2")])
    with pytest.raises(TourneyError) as refused:
        resolve_conflict(stage.pk, conflict.pk, outcome="0-1", actor=None)
    assert refused.value.code == "match.correct_it"
    resolve_conflict(stage.pk, conflict.pk, outcome="1-0", actor=None)
    assert ResultConflict.objects.get().resolved_at is not None


def test_open_game_after_a_conflict_is_played_again(stage: Stage) -> None:
    ready_for_game(stage, "U1.1")
    sent(stage, tablet(stage, "A"), "game", "1-0")
    sent(stage, tablet(stage, "B"), "game", "0-1")

    resolve_conflict(stage.pk, open_conflicts([stage])[0].pk, outcome="", actor=None, reason="the clock was wrong")

    assert match(stage, "U1.1").awaits["kind"] == "game"
    assert results(stage) == []
    play(stage, "U1.1", "1 1")
    assert decided(stage) == ("done", "a")


@pytest.mark.parametrize(
    ("act", "answer", "number", "code"),
    [
        ("game", "1-0", 2, "match.color_first"),
        ("game", "1-0", 1, "match.color_first"),
        ("lot", "a", 1, "match.lot_not_now"),
        ("color", "x", 1, "match.unknown_color"),
    ],
)
def test_what_can_not_be_taken_is_kept_with_its_reason(
    stage: Stage, act: str, answer: str, number: int, code: str
) -> None:
    assert sent(stage, tablet(stage), act, answer, number, method="coin") == State.HELD

    (held,) = held_operations(stage.section.tournament)
    assert held.answer["code"] in (code, "match.out_of_order")
    settle_held(stage.section.tournament, held.pk, actor=None)
    assert held_operations(stage.section.tournament) == []
    with pytest.raises(TourneyError) as refused:
        settle_held(stage.section.tournament, held.pk, actor=None)
    assert refused.value.code == "held.none"


def test_person_who_is_there_is_told_at_once(stage: Stage) -> None:
    with pytest.raises(TourneyError) as refused:
        submit(stage.section.tournament, claim(stage, "game", "1-0", queued=False), link=tablet(stage))

    assert refused.value.code == "match.color_first"
    assert not ResultOperation.objects.exists()


def test_colour_that_was_chosen_otherwise_is_for_the_arbiter(stage: Stage) -> None:
    first, second = tablet(stage, "A"), tablet(stage, "B")

    assert sent(stage, first, "color", "w") == State.APPLIED
    assert sent(stage, second, "color", "w") == State.SAME
    assert sent(stage, second, "color", "b") == State.HELD
    assert held_operations(stage.section.tournament)[0].answer["code"] == "match.settled_otherwise"


def test_lot_is_drawn_by_the_program_or_noted_from_the_hall(stage: Stage) -> None:
    link = tablet(stage)
    for key in ("U1.1", "U1.2"):
        play(stage, key, "1 0 1 0")
        assert match(stage, key).awaits["kind"] == "lot"
    number = match(stage, "U1.1").awaits["number"]

    assert sent(stage, link, "lot", "", number) == State.APPLIED
    assert sent(stage, tablet(stage, "B"), "lot", "", number) == State.SAME
    assert sent(stage, link, "lot", "b", number, key="U1.2", method="coin") == State.APPLIED

    assert match(stage, "U1.1").awaits["armageddon"]
    assert match(stage, "U1.2").awaits["white"] == "b"
    assert stage.section.tournament.lots.count() == 1


def test_boards_out_of_reach_other_players_and_revoked_links_are_kept(stage: Stage) -> None:
    ready_for_game(stage, "U1.1")
    far, gone = tablet(stage, "A", first_board=5, last_board=9), tablet(stage, "B")
    revoke_link(stage.section.tournament, gone.pk, actor=None)
    near = tablet(stage, "C")

    assert sent(stage, far, "game", "1-0") == State.HELD
    assert sent(stage, gone, "game", "1-0") == State.HELD
    assert sent(stage, near, "game", "1-0", a=999999) == State.HELD
    lost = MatchClaim(uuid4(), stage.pk, "U9.9", "game", 1, "1-0", queued=True)
    assert submit(stage.section.tournament, lost, link=near).state == State.HELD
    away = MatchClaim(uuid4(), 10**9, "U1.1", "game", 1, "1-0", queued=True)
    assert submit(stage.section.tournament, away, link=near).state == State.HELD

    codes = [one.answer["code"] for one in held_operations(stage.section.tournament)]
    assert codes == ["device.out_of_reach", "device.revoked", "match.players_differ", "match.gone", "match.gone"]
    assert results(stage) == []


def test_players_confirm_a_game_together(stage: Stage) -> None:
    ready_for_game(stage, "U1.1")
    link = tablet(stage, role=DeviceLink.Role.PLAYERS)

    with pytest.raises(TourneyError) as refused:
        sent(stage, link, "game", "1-0")
    assert refused.value.code == "entry.both_confirm"
    assert sent(stage, link, "game", "1-0", both_confirmed=True) == State.APPLIED


def test_act_a_tablet_does_not_know_is_refused(stage: Stage) -> None:
    with pytest.raises(TourneyError) as refused:
        sent(stage, tablet(stage), "decide", "a")

    assert refused.value.code == "match.unknown_act"
