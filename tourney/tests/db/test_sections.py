"""Merging groups, start numbers, late entries, numbers of rounds."""

from __future__ import annotations

from typing import Any

import pytest

from tourney.kernel.chance import verify
from tourney.kernel.errors import TourneyError
from tourney.models import Game, Section, Stage, Tournament
from tourney.services import sections as acts
from tourney.services.stages import close_entries, reopen_entries
from tourney.testing import builders

pytestmark = pytest.mark.django_db


@pytest.fixture
def event() -> Tournament:
    return builders.event("youth-championship")


def group(event: Tournament, code: str = "u11-boys") -> Section:
    return event.sections.get(code=code)


def refused(code: str, act: Any, *args: Any, **kwargs: Any) -> None:
    with pytest.raises(TourneyError) as caught:
        act(*args, **kwargs)
    assert caught.value.code == code


@pytest.mark.clause("M7.8")
def test_merge_follows_the_rule_of_the_regulation(event: Tournament) -> None:
    boys, girls, older = group(event), group(event, "u11-girls"), group(event, "u13-girls")
    refused("section.merge_two_ages", acts.merge_sections, older, boys, actor=None)
    refused("section.merge_itself", acts.merge_sections, boys, boys, actor=None)
    acts.merge_sections(girls, boys, actor=None)
    refused("section.merge_chain", acts.merge_sections, boys, girls, actor=None)
    refused("section.merge_chain", acts.merge_sections, girls, boys, actor=None)
    assert [line.action for line in event.log.all()][:1] == ["section.merged"]


def test_merge_is_not_allowed_where_the_regulation_is_silent() -> None:
    event = builders.event("open-swiss")
    other = Section.objects.create(tournament=event, code="b", title={"en": "B"}, ordinal=2)
    refused("section.merge_not_allowed", acts.merge_sections, other, event.sections.first(), actor=None)


def test_merge_across_events_is_not_allowed(event: Tournament) -> None:
    stranger = group(builders.event("youth-championship"), "u11-girls")
    refused("section.merge_not_allowed", acts.merge_sections, stranger, group(event), actor=None)


@pytest.mark.clause("M7.2")
@pytest.mark.clause("M7.8")
def test_merged_groups_count_together_and_close_together(event: Tournament) -> None:
    boys, girls = group(event), group(event, "u11-girls")
    builders.entries(boys, 7)
    builders.entries(girls, 6, top=2210)
    acts.merge_sections(girls, boys, actor=None)
    refused("stage.merged", close_entries, girls, actor=None)
    stage = close_entries(boys, actor=None)[0]
    assert (stage.kind, stage.rounds_total) == ("swiss", 8)
    girls.refresh_from_db()
    assert girls.entries_closed_at is not None
    numbers = sorted(
        [*boys.entries.values_list("start_number", flat=True), *girls.entries.values_list("start_number", flat=True)]
    )
    assert numbers == list(range(1, 14))
    refused("section.merge_closed", acts.unmerge_section, girls, actor=None)
    reopen_entries(boys, actor=None, reason="a mistake")
    acts.unmerge_section(girls, actor=None)
    girls.refresh_from_db()
    assert girls.merged_into is None


@pytest.mark.clause("M7.2")
@pytest.mark.clause("M7.3")
@pytest.mark.parametrize(
    ("players", "kind", "rounds"),
    [
        (2, "round_robin", 2),
        (3, "round_robin", 6),
        (4, "round_robin", 3),
        (9, "round_robin", 9),
        (10, "round_robin", 9),
        (11, "swiss", 7),
        (12, "swiss", 7),
        (13, "swiss", 8),
        (30, "swiss", 8),
    ],
)
def test_close_fixes_the_system_by_head_count(event: Tournament, players: int, kind: str, rounds: int) -> None:
    builders.entries(group(event), players)
    stage = close_entries(group(event), actor=None)[0]
    assert (stage.kind, stage.rounds_total) == (kind, rounds)
    assert (stage.rules["clock"]["main"], stage.rules["rating"]["use"]) == ("90+30", "national")


def test_close_refuses_one_player(event: Tournament) -> None:
    builders.entries(group(event), 1)
    refused("stage.too_few", close_entries, group(event), actor=None)


@pytest.mark.clause("M7.2")
def test_override_needs_a_reason_and_is_kept(event: Tournament) -> None:
    builders.entries(group(event), 13)
    refused("stage.override_needs_reason", close_entries, group(event), actor=None, system="round_robin", reason=" ")
    stage = close_entries(group(event), actor=None, system="round_robin", reason="The committee's decision")[0]
    assert (stage.kind, stage.rounds_total, stage.override_reason) == ("round_robin", 13, "The committee's decision")


def test_exchange_of_numbers_ends_with_play(event: Tournament) -> None:
    one, two = builders.entries(group(event), 2)
    stage = close_entries(group(event), actor=None)[0]
    refused("section.reason_needed", acts.exchange_numbers, stage, 1, 2, reason="", actor=None)
    acts.exchange_numbers(stage, 1, 2, reason="Clerk's error", actor=None)
    for entry in (one, two):
        entry.refresh_from_db()
    assert (one.start_number, two.start_number) == (2, 1)
    Game.objects.create(stage=stage, round_number=1, white=one, black=two)
    refused("stage.already_started", acts.exchange_numbers, stage, 1, 2, reason="again", actor=None)
    refused("stage.already_started", acts.number_by_lot, stage, actor=None)


def test_lot_is_for_round_robins_and_can_be_checked(event: Tournament) -> None:
    builders.entries(group(event), 5)
    lot = acts.number_by_lot(close_entries(group(event), actor=None)[0], actor=None)
    transcript = {
        "manifest": lot.manifest,
        "secret": lot.secret,
        "entropy": lot.outcome.entropy,
        "commitment": lot.commitment,
        "result": lot.outcome.result,
    }
    assert verify(transcript) is None
    builders.entries(group(event, "u13-boys"), 12)
    swiss = close_entries(group(event, "u13-boys"), actor=None)[0]
    refused("section.lot_only_round_robin", acts.number_by_lot, swiss, actor=None)


def test_late_entry_keeps_other_numbers_once_four_rounds_are_paired(event: Tournament) -> None:
    players = builders.entries(group(event), 13)
    stage = close_entries(group(event), actor=None)[0]
    for number in range(1, 5):
        Game.objects.create(stage=stage, round_number=number, white=players[0], black=players[1])
    late = builders.entry(group(event), rating=3000)
    assert acts.admit_late(stage, late, actor=None) == 5
    late.refresh_from_db()
    assert (late.start_number, late.joined_round) == (14, 5)
    refused("section.late_listed", acts.admit_late, stage, late, actor=None)
    refused(
        "section.late_not_confirmed", acts.admit_late, stage, builders.entry(group(event), state="reserve"), actor=None
    )
    other = builders.entry(group(event, "u13-boys"))
    refused("section.late_not_confirmed", acts.admit_late, stage, other, actor=None)


def test_late_entry_makes_a_round_robin_longer_before_its_first_round_only(event: Tournament) -> None:
    players = builders.entries(group(event), 6)
    stage = close_entries(group(event), actor=None)[0]
    assert acts.admit_late(stage, builders.entry(group(event)), actor=None) == 1
    stage.refresh_from_db()
    assert stage.rounds_total == 7
    Game.objects.create(stage=stage, round_number=1, white=players[0], black=players[1])
    refused("section.late_round_robin", acts.admit_late, stage, builders.entry(group(event)), actor=None)


@pytest.mark.clause("M7.2")
def test_rounds_of_a_swiss_change_with_a_reason_but_never_below_what_is_paired(event: Tournament) -> None:
    players = builders.entries(group(event), 13)
    stage = close_entries(group(event), actor=None)[0]
    Game.objects.create(stage=stage, round_number=3, white=players[0], black=players[1])
    Stage.objects.filter(pk=stage.pk).update(state="running")
    refused("section.reason_needed", acts.change_rounds, stage, 7, reason="", actor=None)
    refused("section.rounds_already_paired", acts.change_rounds, stage, 2, reason="tired", actor=None)
    acts.change_rounds(stage, 7, reason="One day less", actor=None)
    stage.refresh_from_db()
    assert (stage.rounds_total, stage.override_reason, stage.version) == (7, "One day less", 1)
    builders.entries(group(event, "u13-boys"), 4)
    robin = close_entries(group(event, "u13-boys"), actor=None)[0]
    refused("section.rounds_only_swiss", acts.change_rounds, robin, 5, reason="x", actor=None)
