"""Publishing places: what blocks it, what a list holds, the next list and its reason."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone, translation

from prizes.models import Award, PlayoffRecord
from prizes.selectors.places import standing_of
from prizes.selectors.published import published_places
from prizes.services.placings import publish_placings, record_playoff
from prizes.tests import played
from prizes.words import change_text
from tourney.kernel.errors import TourneyError
from tourney.models import ActionLog, Category, Game, Placement, PlacementList, Section, Stage, StandingRow
from tourney.services.entries import record_entry_event
from tourney.services.sections import merge_sections
from tourney.testing import builders

pytestmark = pytest.mark.django_db


def places(section: Section, number: int | None = None, category: Category | None = None) -> list[tuple[str, Any]]:
    lists = PlacementList.objects.filter(section=section, category=category)
    one = lists.get(number=number) if number else lists.latest("number")
    rows = Placement.objects.filter(list=one).select_related("entry__player")
    ordered = sorted(rows, key=lambda row: (row.place or 99, row.entry.start_number))
    return [(row.entry.player.surname, row.place if not row.place_to else (row.place, row.place_to)) for row in ordered]


def refused(call: Any, *args: Any, **values: Any) -> TourneyError:
    with pytest.raises(TourneyError) as caught:
        call(*args, **values)
    return caught.value


def youth(code: str = "u11-boys", players: int = 4) -> Section:
    return played.group(builders.event("youth-championship"), code, players=players)


def test_publishing_closes_the_stage_and_writes_list_number_one() -> None:
    section = youth()
    played.finished(section, [2, 1, 3, 3], points=[4, 5, 2, 2])
    arbiter = builders.user("arbiter", section.tournament, "chief_arbiter")

    [made] = publish_placings(section, actor=arbiter)

    assert (made.number, made.reason, made.author, made.regulation.number) == (1, "", arbiter, 1)
    assert places(section) == [("Бондар", 1), ("Антонюк", 2), ("Вдовенко", (3, 4)), ("Гнатюк", (3, 4))]
    assert played.last_stage(section).state == Stage.State.CLOSED
    assert ActionLog.objects.filter(action="prizes.placings_published", actor=arbiter).count() == 1


def test_publishing_bumps_the_version_live_pages_watch() -> None:
    section = youth()
    played.finished(section)
    before = played.last_stage(section).version
    publish_placings(section, actor=None)
    assert played.last_stage(section).version == before + 1


def test_publishing_is_refused_without_a_start_list_and_before_the_last_result() -> None:
    section = youth()
    assert refused(publish_placings, section, actor=None).code == "placing.no_start_list"
    played.finished(section)
    game = Game.objects.filter(stage__section=section).first()
    assert game is not None
    Game.objects.filter(pk=game.pk).update(outcome="")
    played.stages_of(section).update(state=Stage.State.RUNNING)
    error = refused(publish_placings, section, actor=None)
    assert (error.code, error.values) == ("placing.games_open", {"games": 1})
    Game.objects.filter(pk=game.pk).update(outcome="1-0")
    assert refused(publish_placings, section, actor=None).code == "placing.not_played_out"
    played.stages_of(section).update(state=Stage.State.READY)
    assert refused(publish_placings, section, actor=None).code == "placing.not_started"
    assert not PlacementList.objects.exists()


def test_second_list_needs_a_change_and_a_reason() -> None:
    section = youth()
    entries = played.finished(section)
    publish_placings(section, actor=None)
    assert refused(publish_placings, section, actor=None, reason="again").code == "placing.nothing_changed"
    StandingRow.objects.filter(entry=entries[0]).update(rank=2)
    StandingRow.objects.filter(entry=entries[1]).update(rank=1)
    assert refused(publish_placings, section, actor=None, reason=" ").code == "placing.reason_needed"

    publish_placings(section, actor=None, reason="a result was entered the wrong way round")

    shown = published_places(section)
    assert shown is not None
    assert shown.shown is not None
    assert shown.shown.list.number == 2
    assert shown.shown.list.reason == "a result was entered the wrong way round"
    assert [change_text(change) for change in shown.shown.changes] == ["Бондар: 2 → 1", "Антонюк: 1 → 2"]
    assert places(section, 1)[0] == ("Антонюк", 1)  # what was published stays as it was


@pytest.mark.clause("M7.9")
def test_disqualification_within_three_days_moves_the_others_up_and_recomputes_awards() -> None:
    section = youth()
    entries = played.finished(section, ended=timezone.now() - timedelta(days=2))
    publish_placings(section, actor=None)
    record_entry_event(entries[0], "disqualified", state="disqualified", reason="hidden telephone")

    publish_placings(section, actor=None, reason="hidden telephone")

    assert places(section) == [("Бондар", 1), ("Вдовенко", 2), ("Гнатюк", 3), ("Антонюк", None)]
    assert Placement.objects.get(list__number=2, entry=entries[0]).note == "disqualified"
    assert [(award.entry, award.place, award.things) for award in Award.objects.order_by("place")] == [
        (entries[1], 1, ["cup", "diploma", "medal"]),
        (entries[2], 2, ["diploma", "medal"]),
        (entries[3], 3, ["diploma", "medal"]),
    ]
    shown = published_places(section)
    assert shown is not None
    assert shown.shown is not None
    with translation.override("en"):
        changes = [change_text(change) for change in shown.shown.changes]
    assert changes == [
        "Бондар: 2 → 1",
        "Вдовенко: 3 → 2",
        "Гнатюк: 4 → 3",
        "Антонюк: was 1, now without a place (disqualified)",
    ]


@pytest.mark.clause("M7.9")
def test_disqualification_after_the_third_day_changes_no_place() -> None:
    section = youth()
    entries = played.finished(section, ended=timezone.now() - timedelta(days=5))
    publish_placings(section, actor=None)
    record_entry_event(entries[0], "disqualified", state="disqualified", reason="too late")
    error = refused(publish_placings, section, actor=None, reason="too late")
    assert (error.code, error.values["players"]) == ("placing.disqualified_too_late", ["Антонюк"])
    assert PlacementList.objects.count() == 1


def test_disqualification_before_the_first_list_needs_no_window() -> None:
    section = youth()
    entries = played.finished(section, ended=timezone.now() - timedelta(days=30))
    record_entry_event(entries[1], "disqualified", state="disqualified")
    publish_placings(section, actor=None)
    assert places(section) == [("Антонюк", 1), ("Вдовенко", 2), ("Гнатюк", 3), ("Бондар", None)]


@pytest.mark.clause("M7.8")
def test_merged_groups_get_a_list_each() -> None:
    event = builders.event("youth-championship")
    boys = played.group(event, "u11-boys", players=3, sex="M")
    girls = played.group(event, "u11-girls", players=2, sex="F")
    merge_sections(girls, boys, actor=None)
    entries = played.finished(boys, [1, 2, 3, 4, 5])
    order = [entry.section.code for entry in entries]

    lists = publish_placings(boys, actor=None)

    assert order == ["u11-boys", "u11-girls", "u11-boys", "u11-girls", "u11-boys"]
    assert [one.section for one in lists] == [boys, girls]
    assert places(boys) == [("Антонюк", 1), ("Бондар", 2), ("Вдовенко", 3)]
    assert places(girls) == [("Антонюк", 1), ("Бондар", 2)]
    first = Award.objects.filter(section=girls, place=1).get()
    assert (first.entry.section, first.things) == (girls, ["cup", "diploma", "medal"])


def test_category_gets_a_list_of_its_own_from_the_same_games() -> None:
    section = youth()
    entries = played.finished(section)
    young = Category.objects.create(
        section=section, code="young", title={"en": "Young"}, rule={"birth_years": [2015, 2016]}
    )
    for entry, year in zip(entries, (2014, 2015, 2014, 2016), strict=True):
        entry.player.birth_year = year
        entry.player.save()
    publish_placings(section, actor=None)
    assert places(section, category=young) == [("Бондар", 1), ("Гнатюк", 2)]


def test_left_player_without_standing_is_listed_without_a_place() -> None:
    section = youth()
    entries = played.finished(section)
    StandingRow.objects.filter(entry=entries[3]).delete()  # left a round robin before half of the games
    publish_placings(section, actor=None)
    assert places(section)[-1] == ("Гнатюк", None)
    assert Placement.objects.get(entry=entries[3]).note == "left"


# -- playing off first place -----------------------------------------------------------------------------------------


@pytest.mark.clause("M8.2")
def test_tie_for_first_blocks_publishing_until_it_is_played_off() -> None:
    section = youth()
    ended = timezone.now() - timedelta(minutes=40)
    entries = played.finished(section, [1, 1, 3, 4], ended=ended)
    error = refused(publish_placings, section, actor=None)
    assert (error.code, error.values["players"]) == ("placing.playoff_due", ["Антонюк", "Бондар"])
    draft = standing_of(section).playoffs[0]
    assert draft.playoff is not None
    assert draft.playoff.earliest_start == ended + timedelta(minutes=15)
    assert draft.playoff.clock == "5+3"

    record_playoff(
        section, winner=entries[1].pk, games="½–½, ½–½, 0–1", started_at=ended + timedelta(minutes=20), actor=None
    )
    publish_placings(section, actor=None)

    assert places(section) == [("Бондар", 1), ("Антонюк", 2), ("Вдовенко", 3), ("Гнатюк", 4)]
    assert PlayoffRecord.objects.get().kind == PlayoffRecord.Kind.TWO_GAMES


@pytest.mark.clause("M8.2")
def test_playoff_before_the_pause_needs_a_reason() -> None:
    section = youth()
    ended = timezone.now() - timedelta(minutes=10)
    entries = played.finished(section, [1, 1, 3, 4], ended=ended)
    play = {"winner": entries[0].pk, "games": "1–0, 1–0", "started_at": ended + timedelta(minutes=5), "actor": None}
    assert refused(record_playoff, section, **play).code == "placing.playoff_too_early"
    record = record_playoff(section, **play, reason="the last result was entered late")
    assert record.reason == "the last result was entered late"


@pytest.mark.clause("M8.2")
def test_three_claimants_keep_sharing_what_was_not_played_off() -> None:
    section = youth()
    ended = timezone.now() - timedelta(hours=1)
    entries = played.finished(section, [1, 1, 1, 4], ended=ended)
    draft = standing_of(section).playoffs[0]
    assert draft.playoff is not None
    assert draft.playoff.clock == "3+2"
    record_playoff(section, winner=entries[2].pk, games="…", started_at=ended + timedelta(minutes=15), actor=None)
    publish_placings(section, actor=None)
    assert places(section) == [("Вдовенко", 1), ("Антонюк", (2, 3)), ("Бондар", (2, 3)), ("Гнатюк", 4)]


def test_playoff_refuses_strangers_and_nonsense() -> None:
    section = youth()
    ended = timezone.now() - timedelta(hours=1)
    entries = played.finished(section, [1, 1, 3, 4], ended=ended)
    play = {"winner": entries[0].pk, "games": "1–0", "started_at": ended + timedelta(minutes=20), "actor": None}
    assert refused(record_playoff, section, **play | {"winner": entries[2].pk}).code == "placing.not_a_claimant"
    assert refused(record_playoff, section, **play, runner_up=entries[0].pk).code == "placing.same_player_twice"
    assert refused(record_playoff, section, **play | {"games": " "}).code == "placing.playoff_games_missing"
    later = timezone.now() + timedelta(hours=1)
    assert refused(record_playoff, section, **play | {"started_at": later}).code == "placing.playoff_in_future"
    assert not PlayoffRecord.objects.exists()


def test_playoff_form_sent_twice_makes_one_record() -> None:
    section = youth()
    ended = timezone.now() - timedelta(hours=1)
    entries = played.finished(section, [1, 1, 3, 4], ended=ended)
    play = {"games": "1–0", "started_at": ended + timedelta(minutes=20), "actor": None, "operation": uuid4()}
    first = record_playoff(section, winner=entries[0].pk, **play)
    assert record_playoff(section, winner=entries[0].pk, **play) == first
    assert PlayoffRecord.objects.count() == 1
    assert refused(record_playoff, section, winner=entries[0].pk, **play | {"operation": uuid4()}).code == (
        "placing.no_playoff_due"
    )


def test_playoff_still_counts_when_one_of_the_claimants_is_disqualified() -> None:
    section = youth()
    ended = timezone.now() - timedelta(hours=1)
    entries = played.finished(section, [1, 1, 1, 4], ended=ended)
    record_playoff(section, winner=entries[2].pk, games="…", started_at=ended + timedelta(minutes=20), actor=None)
    record_entry_event(entries[0], "disqualified", state="disqualified")
    publish_placings(section, actor=None)
    assert places(section)[:2] == [("Вдовенко", 1), ("Бондар", 2)]


# -- brackets --------------------------------------------------------------------------------------------------------


def test_bracket_places_come_from_whoever_plays_it(monkeypatch: Any) -> None:
    event = builders.event("second-chance-32")
    section = played.group(event, players=32)
    played.finished_bracket(section, monkeypatch)
    publish_placings(section, actor=None)
    assert [place for _name, place in places(section)] == list(range(1, 33))


def test_bracket_that_keeps_the_place_of_the_disqualified_empty(monkeypatch: Any) -> None:
    event = builders.event("second-chance-32")
    section = played.group(event, players=32)
    entries = played.finished_bracket(section, monkeypatch)
    stage = played.last_stage(section)
    stage.rules["disqualified_place"] = "keep_empty"
    stage.save()
    record_entry_event(entries[1], "disqualified", state="disqualified")
    publish_placings(section, actor=None)
    assert [place for _name, place in places(section)][:3] == [1, 3, 4]
    assert places(section)[-1] == ("Бондар", None)
