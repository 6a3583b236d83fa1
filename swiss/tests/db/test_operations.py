"""Entries of tablets: each counts once, disagreement becomes a conflict, what can't be taken is kept."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.utils import timezone

from swiss.models import Round
from swiss.services import (
    Claim,
    enter_result,
    held_operations,
    open_conflicts,
    pair_next_round,
    publish_round,
    rebuild,
    resolve_conflict,
    settle_held,
    submit,
    unpublish_round,
)
from swiss.tests.builders import enter, everything_shown, games_of, next_round, stage_of
from tourney.kernel.errors import TourneyError
from tourney.models import ActionLog, DeviceLink, Game, ResultOperation, ResultRecord, Stage
from tourney.services.devices import bind_link, issue_link, renew_link, revoke_link
from tourney.testing import builders

pytestmark = pytest.mark.django_db

State = ResultOperation.State


@pytest.fixture
def stage() -> Stage:
    return stage_of(12)


@pytest.fixture
def games(stage: Stage) -> list[Game]:
    return games_of(next_round(stage))


def tablet(stage: Stage, label: str = "Tablet 1", **limits: Any) -> DeviceLink:
    link, token = issue_link(
        stage.section.tournament,
        actor=None,
        label=label,
        valid_until=timezone.now() + timedelta(hours=6),
        **limits,
    )
    return bind_link(token, secret=f"secret of {label}")


def claim(game: Game, outcome: str, **more: Any) -> Claim:
    """What a tablet sends that has seen the game before any result."""
    return Claim(
        **{"operation": uuid4(), "game_id": game.pk, "outcome": outcome, "base_version": 0, "queued": True} | more
    )


def send(stage: Stage, *claims: Claim, link: DeviceLink | None = None) -> list[str]:
    return [submit(stage.section.tournament, one, link=link).state for one in claims]


def outcome_of(game: Game) -> str:
    return Game.objects.get(pk=game.pk).outcome


def test_an_entry_sent_again_gets_the_answer_it_got(stage: Stage, games: list[Game]) -> None:
    link = tablet(stage)
    first = claim(games[0], "1-0")

    answers = [submit(stage.section.tournament, first, link=link) for _ in range(3)]

    assert [answer.state for answer in answers] == [State.APPLIED] * 3
    assert len({answer.arrived_at for answer in answers}) == 1
    assert ResultOperation.objects.count() == ResultRecord.objects.count() == 1
    assert ResultRecord.objects.get().device == "Tablet 1"


def test_one_number_can_not_carry_two_results(stage: Stage, games: list[Game]) -> None:
    first = claim(games[0], "1-0")
    send(stage, first)

    with pytest.raises(TourneyError) as refused:
        send(stage, claim(games[0], "0-1", operation=first.operation))

    assert refused.value.code == "result.operation_reused"
    assert outcome_of(games[0]) == "1-0"


def test_two_tablets_that_agree_leave_one_result(stage: Stage, games: list[Game]) -> None:
    states = send(stage, claim(games[0], "1-0"), claim(games[0], "1-0"))

    assert states == [State.APPLIED, State.SAME]
    assert ResultRecord.objects.count() == 1


def test_two_tablets_that_disagree_make_a_conflict_nobody_can_pair_over(stage: Stage, games: list[Game]) -> None:
    enter(Round.objects.get(stage=stage), "1-0")
    one, two = tablet(stage), tablet(stage, "Tablet 2")
    stage.refresh_from_db()

    states = [
        submit(stage.section.tournament, claim(games[0], outcome), link=link).state
        for outcome, link in (("0-1", one), ("1/2", two))
    ]

    assert states == [State.CONFLICT, State.CONFLICT]
    (conflict,) = open_conflicts([stage])
    assert conflict.hidden
    assert [operation.outcome for operation in conflict.operations.all()] == ["0-1", "1/2"]
    assert outcome_of(games[0]) == ""
    assert stage.standings.get(after_round=1, entry=games[0].white).points == 0
    with pytest.raises(TourneyError) as refused:
        pair_next_round(stage.pk, actor=None)
    assert (refused.value.code, refused.value.values) == ("round.conflicts_open", {"boards": "1"})


def test_only_a_decision_ends_a_conflict_and_it_is_logged(stage: Stage, games: list[Game]) -> None:
    tournament = stage.section.tournament
    chief = builders.user("chief", tournament, "chief_arbiter")
    send(stage, claim(games[0], "1-0"), claim(games[0], "0-1"))
    (conflict,) = open_conflicts([stage])
    version = Game.objects.get(pk=games[0].pk).version
    with pytest.raises(TourneyError) as refused:
        enter_result(stage_id=stage.pk, game_id=games[0].pk, outcome="1-0", base_version=version)
    assert refused.value.code == "result.in_conflict"

    resolve_conflict(tournament, conflict.pk, outcome="0-1", actor=chief)

    assert outcome_of(games[0]) == "0-1"
    assert open_conflicts([stage]) == []
    line = ActionLog.objects.get(action="swiss.conflict_resolved")
    assert (line.actor, line.data["board"], line.data["result"]) == (chief, 1, "0-1")
    with pytest.raises(TourneyError) as refused:
        resolve_conflict(tournament, conflict.pk, outcome="1-0", actor=chief)
    assert refused.value.code == "conflict.none"
    before = everything_shown(stage)
    rebuild(stage.pk)
    assert everything_shown(stage) == before


def test_a_decision_that_is_nobodys_result_needs_a_reason(stage: Stage, games: list[Game]) -> None:
    tournament = stage.section.tournament
    send(stage, claim(games[0], "1-0"), claim(games[0], "0-1"))
    (conflict,) = open_conflicts([stage])

    with pytest.raises(TourneyError) as refused:
        resolve_conflict(tournament, conflict.pk, outcome="1/2", actor=None)
    assert refused.value.code == "conflict.reason_needed"
    resolve_conflict(tournament, conflict.pk, outcome="1/2", actor=None, reason="both slips were wrong")

    assert outcome_of(games[0]) == "1/2"


def test_a_claim_from_before_the_next_round_leaves_what_it_was_paired_by(stage: Stage, games: list[Game]) -> None:
    """A page of yesterday: the result stands, the public sees no change, the arbiter sees the claim."""
    enter(Round.objects.get(stage=stage), "1-0")
    publish_round(pair_next_round(stage.pk, actor=None).pk, actor=None)

    assert send(stage, claim(games[0], "0-1")) == [State.CONFLICT]

    (conflict,) = open_conflicts([stage])
    assert not conflict.hidden
    assert outcome_of(games[0]) == "1-0"
    with pytest.raises(TourneyError) as refused:
        resolve_conflict(stage.section.tournament, conflict.pk, outcome="0-1", actor=None)
    assert refused.value.code == "conflict.reason_needed"
    resolve_conflict(stage.section.tournament, conflict.pk, outcome="1-0", actor=None)
    assert ResultRecord.objects.filter(game=games[0]).count() == 1


def test_a_tablet_that_thinks_better_of_it_is_no_conflict(stage: Stage, games: list[Game]) -> None:
    """The first entry arrived, its answer did not: the second one names it and corrects it."""
    first = claim(games[2], "1-0")
    second = claim(games[2], "1/2", replaces=(first.operation,))

    assert send(stage, first, second) == [State.APPLIED, State.APPLIED]
    assert outcome_of(games[2]) == "1/2"


def test_a_replaced_entry_that_comes_late_counts_for_nothing(stage: Stage, games: list[Game]) -> None:
    """The second entry overtook the first one on a bad network."""
    first = claim(games[2], "1-0")
    second = claim(games[2], "1/2", replaces=(first.operation,))

    assert send(stage, second, first) == [State.APPLIED, State.REPLACED]
    assert outcome_of(games[2]) == "1/2"
    assert open_conflicts([stage]) == []


def test_boards_out_of_reach_are_kept_for_the_arbiter(stage: Stage, games: list[Game]) -> None:
    link = tablet(stage, first_board=1, last_board=2)

    answers = [submit(stage.section.tournament, claim(game, "1-0"), link=link) for game in games[1:3]]

    assert [answer.state for answer in answers] == [State.APPLIED, State.HELD]
    assert answers[1].answer["code"] == "device.out_of_reach"
    assert (outcome_of(games[1]), outcome_of(games[2])) == ("1-0", "")
    assert [held.game_id for held in held_operations(stage.section.tournament)] == [games[2].pk]


def test_what_a_revoked_tablet_still_sends_waits_for_the_arbiter(stage: Stage, games: list[Game]) -> None:
    tournament = stage.section.tournament
    link = tablet(stage)
    revoke_link(tournament, link.pk, actor=None)
    link.refresh_from_db()

    (state,) = send(stage, claim(games[0], "1-0"), link=link)
    assert (state, outcome_of(games[0])) == (State.HELD, "")
    (held,) = held_operations(tournament)
    settle_held(tournament, held.pk, accept=True, actor=None)

    assert outcome_of(games[0]) == "1-0"
    assert held_operations(tournament) == []
    with pytest.raises(TourneyError) as refused:
        settle_held(tournament, held.pk, accept=False, actor=None)
    assert refused.value.code == "held.none"


def test_a_link_taken_back_while_an_entry_waited_for_the_stage_enters_nothing(stage: Stage, games: list[Game]) -> None:
    as_read_before = tablet(stage)
    revoke_link(stage.section.tournament, as_read_before.pk, actor=None)
    assert as_read_before.revoked_at is None

    assert send(stage, claim(games[0], "1-0"), link=as_read_before) == [State.HELD]

    assert outcome_of(games[0]) == ""
    assert [held.answer["code"] for held in held_operations(stage.section.tournament)] == ["device.revoked"]


def test_a_result_for_a_pairing_that_is_gone_is_kept_in_words(stage: Stage, games: list[Game]) -> None:
    tournament = stage.section.tournament
    late = claim(games[0], "1-0", round_number=1, board=1)
    unpublish_round(Round.objects.get(stage=stage).pk, actor=None, reason="colours")
    publish_round(Round.objects.get(stage=stage).pk, actor=None)

    assert send(stage, late) == [State.HELD]

    (held,) = held_operations(tournament)
    assert (held.game, held.outcome, held.claim["board"]) == (None, "1-0", 1)
    with pytest.raises(TourneyError) as refused:
        settle_held(tournament, held.pk, accept=True, actor=None)
    assert refused.value.code == "held.no_game"
    settle_held(tournament, held.pk, accept=False, actor=None)
    assert Game.objects.exclude(outcome="").count() == 0


def test_a_result_for_another_round_is_not_entered(stage: Stage, games: list[Game]) -> None:
    state = send(stage, claim(games[0], "1-0", round_number=2, board=1))

    assert state == [State.HELD]
    assert outcome_of(games[0]) == ""


def test_players_confirm_both_and_correct_nothing(stage: Stage, games: list[Game]) -> None:
    link = tablet(stage, role=DeviceLink.Role.PLAYERS)
    with pytest.raises(TourneyError) as refused:
        send(stage, claim(games[0], "1-0"), link=link)
    assert refused.value.code == "entry.both_confirm"

    assert send(stage, claim(games[0], "1-0", both_confirmed=True), link=link) == [State.APPLIED]

    assert ResultOperation.objects.get().both_confirmed
    with pytest.raises(TourneyError) as refused:
        send(stage, claim(games[0], "0-1", base_version=1, both_confirmed=True, reason="oops"), link=link)
    assert refused.value.code == "entry.call_arbiter"


def test_the_hour_of_entry_and_of_arrival_are_both_kept(stage: Stage, games: list[Game]) -> None:
    entered = timezone.now() - timedelta(minutes=40)

    send(stage, claim(games[0], "1-0", entered_at=entered, skew_seconds=7200))

    operation = ResultOperation.objects.get()
    assert (operation.entered_at, operation.skew_seconds) == (entered, 7200)
    assert operation.arrived_at - entered >= timedelta(minutes=40)
    line = ActionLog.objects.get(action="swiss.result_arrived")
    zone = stage.section.tournament.zone
    assert line.data["entered"] == f"{entered.astimezone(zone):%H:%M}"


# -- links -----------------------------------------------------------------------------------------------------------


def test_a_link_is_bound_to_the_first_tablet_and_only_its_hash_is_kept(stage: Stage) -> None:
    tournament = stage.section.tournament
    link, token = issue_link(tournament, actor=None, label="Hall", valid_until=timezone.now() + timedelta(hours=1))

    bind_link(token, secret="first")
    assert bind_link(token, secret="first").pk == link.pk
    with pytest.raises(TourneyError) as refused:
        bind_link(token, secret="second")

    assert refused.value.code == "device.taken"
    row = DeviceLink.objects.filter(pk=link.pk).values().get()
    assert token not in map(str, row.values())
    assert "first" not in row.values()


def test_a_new_code_frees_a_link_and_ends_the_old_one(stage: Stage) -> None:
    tournament = stage.section.tournament
    link, old = issue_link(tournament, actor=None, label="Hall", valid_until=timezone.now() + timedelta(hours=1))
    bind_link(old, secret="first")

    _, new = renew_link(tournament, link.pk, actor=None)

    with pytest.raises(TourneyError) as refused:
        bind_link(old, secret="first")
    assert refused.value.code == "device.unknown"
    assert bind_link(new, secret="second").pk == link.pk


@pytest.mark.parametrize(
    ("starts", "ends", "code"), [(1, 2, "device.early"), (-2, -1, "device.ended"), (-1, 1, "device.revoked")]
)
def test_a_link_out_of_its_time_opens_nothing(stage: Stage, starts: int, ends: int, code: str) -> None:
    now = timezone.now()
    link, token = issue_link(stage.section.tournament, actor=None, label="Hall", valid_until=now + timedelta(hours=3))
    DeviceLink.objects.filter(pk=link.pk).update(
        valid_from=now + timedelta(hours=starts),
        valid_until=now + timedelta(hours=ends),
        revoked_at=now if code == "device.revoked" else None,
    )

    with pytest.raises(TourneyError) as refused:
        bind_link(token, secret="first")

    assert refused.value.code == code


def test_a_link_that_makes_no_sense_is_refused(stage: Stage) -> None:
    tournament = stage.section.tournament
    now = timezone.now()

    def code(**fields: Any) -> str:
        with pytest.raises(TourneyError) as refused:
            issue_link(tournament, actor=None, label="x", **{"valid_until": now + timedelta(hours=1)} | fields)
        return refused.value.code

    assert code(valid_until=now - timedelta(minutes=1)) == "device.ends_first"
    assert code(valid_until=now + timedelta(days=40)) == "device.too_long"
    assert code(first_board=9, last_board=3) == "device.board_order"
    assert DeviceLink.objects.count() == 0


def test_a_number_used_for_another_board_is_refused(stage: Stage, games: list[Game]) -> None:
    number: UUID = uuid4()
    send(stage, claim(games[0], "1-0", operation=number))

    with pytest.raises(TourneyError) as refused:
        send(stage, claim(games[1], "1-0", operation=number))

    assert refused.value.code == "result.operation_reused"
