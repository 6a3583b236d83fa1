"""Who plays and who doesn't: byes, the roll-call, forbidden pairs, leaving and coming back."""

from __future__ import annotations

from typing import Any

import pytest

from swiss.models import ByeRequest, ForbiddenPair, Pairing
from swiss.services import (
    allow_pair,
    call_roll,
    drop_bye,
    enter_result,
    forbid_pair,
    pair_next_round,
    rebuild,
    request_bye,
    return_player,
    withdraw_player,
    withdrawal_effect,
)
from swiss.tests.builders import enter, everything_shown, games_of, next_round, numbered, play, stage_of, table
from tourney.kernel.errors import TourneyError
from tourney.models import Entry, Stage, StandingRow
from tourney.services.entries import rebuild_entry_states
from tourney.services.sections import merge_sections
from tourney.services.stages import close_entries
from tourney.testing import builders

pytestmark = pytest.mark.django_db


def refused(code: str) -> Any:
    return pytest.raises(TourneyError, match=rf"^{code.replace('.', '[.]')}\(")


def points_of(stage: Stage, entry: Entry) -> int:
    return StandingRow.objects.filter(stage=stage, entry=entry).latest("after_round").points


# -- byes ------------------------------------------------------------------------------------------------------------


def test_byes_asked_for_are_kept_apart_from_the_byes_of_the_pairing() -> None:
    stage = stage_of(13)
    entries = numbered(stage)
    request_bye(stage.pk, entry_id=entries[1].pk, round_number=1, kind="H", actor=None)
    request_bye(stage.pk, entry_id=entries[2].pk, round_number=1, kind="Z", actor=None)

    round_ = enter(next_round(stage))

    byes = {p.white.start_number: p.bye for p in round_.pairings.filter(black=None)}
    assert byes == {13: "U", 1: "H", 2: "Z"}
    assert [points_of(stage, entries[n]) for n in (13, 1, 2)] == [2, 1, 0]


def test_a_whole_point_needs_a_reason() -> None:
    stage = stage_of(12)
    entry = numbered(stage)[4]

    with refused("bye.whole_point_needs_reason"):
        request_bye(stage.pk, entry_id=entry.pk, round_number=1, kind="F", actor=None)
    request_bye(stage.pk, entry_id=entry.pk, round_number=1, kind="F", actor=None, reason="plays for the team")

    assert next_round(stage).pairings.get(bye="F").white == entry


def test_more_half_points_than_usual_warn_and_are_given_with_a_reason() -> None:
    stage = stage_of(12)
    entry = numbered(stage)[3]
    request_bye(stage.pk, entry_id=entry.pk, round_number=1, kind="H", actor=None)
    play(stage)

    with pytest.raises(TourneyError) as caught:
        request_bye(stage.pk, entry_id=entry.pk, round_number=2, kind="H", actor=None)
    assert (caught.value.code, caught.value.values) == ("bye.half_limit", {"names": [entry.name], "limit": 1})
    with refused("bye.half_limit"):
        request_bye(stage.pk, entry_id=entry.pk, round_number=2, kind="H", actor=None, confirmed=True)
    request_bye(stage.pk, entry_id=entry.pk, round_number=2, kind="H", actor=None, confirmed=True, reason="school exam")

    assert next_round(stage).pairings.get(white=entry).bye == "H"


def test_the_limit_is_a_rule_of_the_stage() -> None:
    stage = stage_of(12)
    stage.rules["half_byes_at_most"] = 0
    stage.save()

    with refused("bye.half_limit"):
        request_bye(stage.pk, entry_id=numbered(stage)[3].pk, round_number=1, kind="H", actor=None)


def test_byes_are_for_rounds_to_come_of_a_swiss() -> None:
    stage = stage_of(12)
    entries = numbered(stage)
    play(stage)

    with refused("bye.round_paired"):
        request_bye(stage.pk, entry_id=entries[1].pk, round_number=1, kind="Z", actor=None)
    with refused("bye.no_such_round"):
        request_bye(stage.pk, entry_id=entries[1].pk, round_number=8, kind="Z", actor=None)
    with refused("bye.unknown_kind"):
        request_bye(stage.pk, entry_id=entries[1].pk, round_number=2, kind="U", actor=None)
    with refused("bye.not_in_play"):
        request_bye(stage.pk, entry_id=0, round_number=2, kind="Z", actor=None)
    with refused("bye.swiss_only"):
        request_bye(stage_of(5).pk, entry_id=0, round_number=1, kind="Z", actor=None)


def test_a_bye_can_be_taken_back() -> None:
    stage = stage_of(12)
    entry = numbered(stage)[1]
    request_bye(stage.pk, entry_id=entry.pk, round_number=1, kind="Z", actor=None)

    drop_bye(stage.pk, entry_id=entry.pk, round_number=1, actor=None)

    with refused("bye.none"):
        drop_bye(stage.pk, entry_id=entry.pk, round_number=1, actor=None)
    assert next_round(stage).pairings.filter(black=None).count() == 0


def test_the_roll_call_replaces_what_was_noted() -> None:
    stage = stage_of(12)
    e = numbered(stage)
    call_roll(stage.pk, round_number=1, absences={e[1].pk: "Z", e[2].pk: "H"}, actor=None)

    missing = call_roll(stage.pk, round_number=1, absences={e[2].pk: "Z", e[3].pk: "Z"}, actor=None)

    assert missing == 2
    assert dict(ByeRequest.objects.values_list("entry", "kind")) == {e[2].pk: "Z", e[3].pk: "Z"}
    round_ = next_round(stage)
    assert round_.pairings.filter(black__isnull=False).count() == 5


# -- forbidden pairs -------------------------------------------------------------------------------------------------


def test_forbidden_pairs_do_not_meet() -> None:
    stage = stage_of(12)
    e = numbered(stage)
    forbid_pair(stage.pk, first_id=e[7].pk, second_id=e[1].pk, actor=None, reason="sisters")

    round_ = next_round(stage)

    pairs = {frozenset((g.white_id, g.black_id)) for g in games_of(round_)}
    assert frozenset((e[1].pk, e[7].pk)) not in pairs
    assert len(pairs) == 6


def test_a_pair_may_be_forbidden_for_some_rounds_only() -> None:
    stage = stage_of(12)
    e = numbered(stage)
    forbid_pair(stage.pk, first_id=e[1].pk, second_id=e[7].pk, actor=None, reason="club", from_round=2, to_round=3)

    pairs = {frozenset((g.white_id, g.black_id)) for g in games_of(next_round(stage))}

    assert frozenset((e[1].pk, e[7].pk)) in pairs


def test_everybody_forbidden_is_a_clear_refusal() -> None:
    stage = stage_of(11, rounds=3)
    Entry.objects.filter(section=stage.section, start_number__gt=2).update(left_after_round=0)
    one, two = numbered(stage)[1], numbered(stage)[2]
    forbid_pair(stage.pk, first_id=one.pk, second_id=two.pk, actor=None, reason="x")

    with pytest.raises(TourneyError) as caught:
        pair_next_round(stage.pk, actor=None)

    assert caught.value.code == "pairing.no_valid_pairing"
    assert set(caught.value.values["entries"]) == {one.pk, two.pk}
    assert "forbidden" in caught.value.values["lifting"]
    assert stage.rounds.count() == 0


def test_forbidding_is_checked_and_can_be_lifted() -> None:
    stage = stage_of(12)
    e = numbered(stage)
    pair = forbid_pair(stage.pk, first_id=e[1].pk, second_id=e[2].pk, actor=None, reason="x")

    with refused("forbidden.twice"):
        forbid_pair(stage.pk, first_id=e[2].pk, second_id=e[1].pk, actor=None, reason="x")
    with refused("forbidden.same_player"):
        forbid_pair(stage.pk, first_id=e[2].pk, second_id=e[2].pk, actor=None, reason="x")
    with refused("forbidden.rounds_order"):
        forbid_pair(stage.pk, first_id=e[3].pk, second_id=e[4].pk, actor=None, reason="x", from_round=4, to_round=2)
    with refused("forbidden.not_here"):
        forbid_pair(stage.pk, first_id=e[3].pk, second_id=0, actor=None, reason="x")
    with refused("forbidden.reason_needed"):
        forbid_pair(stage.pk, first_id=e[3].pk, second_id=e[4].pk, actor=None, reason="")
    allow_pair(stage.pk, pair_id=pair.pk, actor=None, reason="they wish to play")
    assert ForbiddenPair.objects.count() == 0
    with refused("forbidden.none"):
        allow_pair(stage.pk, pair_id=pair.pk, actor=None, reason="x")


# -- leaving and coming back -----------------------------------------------------------------------------------------


def test_who_leaves_a_swiss_keeps_the_points_and_is_not_paired() -> None:
    stage = stage_of(12)
    play(stage, "1-0")
    entry = numbered(stage)[1]
    points = points_of(stage, entry)

    withdraw_player(stage.pk, entry_id=entry.pk, after_round=1, actor=None, reason="ill")
    round_ = enter(next_round(stage))

    entry.refresh_from_db()
    assert (entry.state, entry.left_after_round) == ("withdrawn", 1)
    assert entry.pk not in {e for p in round_.pairings.all() for e in (p.white_id, p.black_id)}
    assert points_of(stage, entry) == points
    assert len(table(stage)) == 12
    assert rebuild_entry_states(stage.section.tournament_id) == 0


def test_who_leaves_during_a_round_loses_the_open_game() -> None:
    stage = stage_of(12)
    play(stage)
    round_ = next_round(stage)
    game = games_of(round_)[2]
    effect = withdrawal_effect(stage, game.black, 1)
    assert (effect.open_round, effect.open_board, effect.counts) == (2, 3, True)

    withdraw_player(stage.pk, entry_id=game.black_id, after_round=1, actor=None, reason="went home")

    game.refresh_from_db()
    assert game.outcome == "+-"


def test_who_comes_back_plays_on_and_has_missed_what_was_missed() -> None:
    stage = stage_of(12)
    play(stage, "1-0")
    entry = numbered(stage)[1]
    withdraw_player(stage.pk, entry_id=entry.pk, after_round=1, actor=None, reason="ill")
    play(stage)
    points = points_of(stage, entry)

    first = return_player(stage.pk, entry_id=entry.pk, actor=None, reason="well again")
    round_ = next_round(stage)

    entry.refresh_from_db()
    assert (first, entry.state, entry.left_after_round) == (3, "confirmed", None)
    assert entry.pk in {e for p in round_.pairings.all() for e in (p.white_id, p.black_id)}
    assert not Pairing.objects.filter(round__number=2, white=entry).exists()
    assert points_of(stage, entry) == points
    assert rebuild_entry_states(stage.section.tournament_id) == 0


@pytest.mark.parametrize(("played", "counts"), [(4, False), (5, True)])
def test_leaving_a_round_robin_counts_from_half_of_the_games(played: int, counts: bool) -> None:
    stage = stage_of(10)
    entry = numbered(stage)[7]
    for _ in range(played):
        play(stage, "1-0")
    before = everything_shown(stage)

    effect = withdrawal_effect(stage, entry, played)
    assert (effect.games_played, effect.games_planned, effect.counts) == (played, 9, counts)
    assert everything_shown(stage) == before  # said before anything is saved
    withdraw_player(stage.pk, entry_id=entry.pk, after_round=played, actor=None, reason="ill")

    while stage.rounds.count() < 9:
        play(stage, "1-0")
    stage.refresh_from_db()
    forfeits = stage.games.filter(round_number__gt=played, outcome__in=["+-", "-+"])
    assert forfeits.count() == 9 - played
    shown = [number for _, number, _ in table(stage)]
    assert (7 in shown, len(shown)) == (counts, 10 if counts else 9)
    assert sum(points for _, _, points in table(stage)) == (90 if counts else 72)
    assert stage.state == Stage.State.FINISHED
    after = everything_shown(stage)
    rebuild(stage.pk)
    assert everything_shown(stage) == after


def test_half_of_the_games_is_enough_with_a_free_round_too() -> None:
    stage = stage_of(9)  # nine rounds, eight games
    entry = numbered(stage)[1]
    played = 0
    while played < 4:
        round_ = play(stage, "1-0")
        played += round_.pairings.filter(black__isnull=False, white=entry).count()
        played += round_.pairings.filter(black=entry).count()

    assert withdrawal_effect(stage, entry, round_.number).counts


def test_leaving_is_refused_in_words() -> None:
    stage = stage_of(12)
    play(stage)
    entry = numbered(stage)[1]

    with refused("withdraw.reason_needed"):
        withdraw_player(stage.pk, entry_id=entry.pk, after_round=1, actor=None, reason="")
    with refused("withdraw.played_later"):
        withdraw_player(stage.pk, entry_id=entry.pk, after_round=0, actor=None, reason="x")
    with refused("withdraw.unknown_round"):
        withdraw_player(stage.pk, entry_id=entry.pk, after_round=2, actor=None, reason="x")
    with refused("withdraw.not_left"):
        return_player(stage.pk, entry_id=entry.pk, actor=None, reason="x")
    stranger = builders.entry(builders.event().sections.get(), rating=1500)
    with refused("withdraw.not_here"):
        withdraw_player(stage.pk, entry_id=stranger.pk, after_round=1, actor=None, reason="x")
    pair_next_round(stage.pk, actor=None)
    with refused("withdraw.draft_exists"):
        withdraw_player(stage.pk, entry_id=entry.pk, after_round=1, actor=None, reason="x")


def test_who_has_left_does_not_leave_again_and_a_disqualified_stays_out() -> None:
    stage = stage_of(12)
    play(stage)
    one, two = numbered(stage)[1], numbered(stage)[2]
    withdraw_player(stage.pk, entry_id=one.pk, after_round=1, actor=None, reason="ill")

    with refused("withdraw.left_already"):
        withdraw_player(stage.pk, entry_id=one.pk, after_round=1, actor=None, reason="x")
    Entry.objects.filter(pk=two.pk).update(state="disqualified")
    with refused("withdraw.disqualified"):
        return_player(stage.pk, entry_id=two.pk, actor=None, reason="x")


# -- merged groups ---------------------------------------------------------------------------------------------------


@pytest.mark.clause("M7.8")
def test_merged_groups_play_together() -> None:
    tournament = builders.event("youth-championship")
    boys, girls = tournament.sections.get(code="u11-boys"), tournament.sections.get(code="u11-girls")
    builders.entries(boys, 8)
    builders.entries(girls, 5, top=1500)
    merge_sections(girls, boys, actor=None)
    (made, *_) = close_entries(boys, actor=None)
    stage = Stage.objects.select_related("section__tournament").get(pk=made.pk)

    round_ = play(stage, "1-0")

    assert (stage.kind, stage.rounds_total) == ("swiss", 8)
    assert round_.pairings.count() == 7
    assert {e.entry.section.code for e in StandingRow.objects.filter(stage=stage)} == {"u11-boys", "u11-girls"}
    enter_result(stage_id=stage.pk, game_id=games_of(round_)[0].pk, outcome="0-1", reason="x")
