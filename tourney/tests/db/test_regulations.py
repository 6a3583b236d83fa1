"""The draft of a regulation and its publishing: versions, reasons, groups, stages that wait and stages that play."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from tourney.kernel.errors import TourneyError
from tourney.kernel.paths import set_at
from tourney.models import ActionLog, Game, Regulation, RegulationDraft, Stage, Tournament
from tourney.regulation_checks import errors_of
from tourney.services import regulations as service
from tourney.services.stages import close_entries
from tourney.testing.builders import entries, entry, event, user

pytestmark = pytest.mark.django_db


def save(tournament: Tournament, path: str, value: Any) -> dict[str, Any]:
    """Change one value of the draft."""
    data = set_at(service.draft_spec(tournament), path, value)
    block = path.split(".")[0].split("[")[0]
    service.save_draft(tournament, data, actor=user("organizer"), block=block)
    return data


def publish(tournament: Tournament, reason: str = "The hall changed", seen: int = 1) -> Regulation:
    return service.publish(tournament, actor=user("organizer"), reason=reason, seen=seen)


def test_draft_changes_nothing_for_others() -> None:
    tournament = event("open-swiss")

    save(tournament, "clock.main", "10+5")

    assert tournament.regulations.get().spec["clock"] == {"main": "15+10"}
    assert service.draft_spec(tournament)["clock"] == {"main": "10+5"}


@pytest.mark.clause("K1.4")
def test_publishing_makes_the_next_version_with_author_date_and_reason() -> None:
    tournament = event("open-swiss")
    save(tournament, "clock.main", "10+5")
    before = timezone.now()

    published = publish(tournament)

    assert (published.number, published.reason, published.author) == (2, "The hall changed", user("organizer"))
    assert before <= published.published_at <= timezone.now()
    assert [version.spec["clock"]["main"] for version in tournament.regulations.order_by("number")] == ["15+10", "10+5"]
    assert not RegulationDraft.objects.filter(tournament=tournament).exists()
    assert ActionLog.objects.filter(tournament=tournament, action="regulation.published").count() == 2


@pytest.mark.clause("K1.4")
def test_publishing_a_change_needs_a_reason() -> None:
    tournament = event("open-swiss")
    save(tournament, "clock.main", "10+5")

    with pytest.raises(TourneyError) as refused:
        publish(tournament, reason="   ")

    assert refused.value.code == "regulation.reason_needed"
    assert tournament.regulations.count() == 1
    assert service.draft_spec(tournament)["clock"]["main"] == "10+5"


def test_publishing_nothing_is_refused() -> None:
    tournament = event("open-swiss")

    with pytest.raises(TourneyError) as refused:
        publish(tournament)

    assert refused.value.code == "regulation.nothing_changed"


def test_publishing_errors_is_refused() -> None:
    tournament = event("second-chance-32")
    save(tournament, "lotteries[0].places", [11, 40])

    with pytest.raises(TourneyError) as refused:
        publish(tournament)

    assert refused.value.code == "regulation.has_errors"
    assert tournament.regulations.count() == 1


def test_publishing_against_an_old_version_is_refused() -> None:
    tournament = event("open-swiss")
    save(tournament, "clock.main", "10+5")
    publish(tournament)
    save(tournament, "clock.main", "5+3")

    with pytest.raises(TourneyError) as refused:
        publish(tournament, seen=1)

    assert (refused.value.code, refused.value.values) == ("regulation.changed_meanwhile", {"number": 2})
    assert publish(tournament, seen=2).number == 3


def test_saving_over_somebody_elses_block_is_refused() -> None:
    tournament = event("open-swiss")
    mark = service.fingerprint(service.block_value(service.draft_spec(tournament), "clock"))
    mine = set_at(service.draft_spec(tournament), "clock.main", "25+5")
    save(tournament, "clock.main", "10+5")

    with pytest.raises(TourneyError) as refused:
        service.save_draft(tournament, mine, actor=user("organizer"), block="clock", seen=mark)

    assert refused.value.code == "regulation.block_changed"
    assert service.draft_spec(tournament)["clock"]["main"] == "10+5"


def test_saving_one_block_keeps_what_another_organizer_saved_in_another() -> None:
    tournament = event("open-swiss")
    mine = set_at(service.draft_spec(tournament), "lateness.minutes", 5)
    save(tournament, "clock.main", "10+5")

    service.save_draft(tournament, mine, actor=user("organizer"), block="lateness")

    draft = service.draft_spec(tournament)
    assert (draft["clock"]["main"], draft["lateness"]["minutes"]) == ("10+5", 5)


def test_discarding_a_draft_brings_the_version_in_force_back() -> None:
    tournament = event("open-swiss")
    save(tournament, "clock.main", "10+5")

    assert service.discard_draft(tournament, actor=user("organizer")) is True

    assert service.draft_spec(tournament)["clock"]["main"] == "15+10"
    assert service.discard_draft(tournament, actor=user("organizer")) is False


def test_group_with_entries_cannot_be_left_out() -> None:
    tournament = event("youth-championship")
    entry(tournament.sections.get(code="u11-boys"))
    data = service.draft_spec(tournament)

    without = {**data, "sections": data["sections"][1:]}

    assert [(problem.path, problem.code) for problem in errors_of(service.problems_of(tournament, without))] == [
        ("sections", "regulation.section_in_use")
    ]


def test_currency_cannot_change_under_entries() -> None:
    tournament = event("open-swiss")
    entry(tournament.sections.get())

    problems = service.problems_of(tournament, {**service.draft_spec(tournament), "currency": "EUR"})

    assert [problem.code for problem in errors_of(problems)] == ["regulation.currency_in_use"]


def test_publishing_moves_what_the_event_shows() -> None:
    tournament = event("open-swiss", venue={"uk": "Стара зала"})
    save(tournament, "event.start_time", "12:30")
    save(tournament, "event.venue", {"uk": "Нова зала"})

    publish(tournament)

    tournament.refresh_from_db()
    assert (f"{tournament.start_time:%H:%M}", tournament.venue) == ("12:30", {"uk": "Нова зала"})


def test_publishing_another_rule_leaves_the_settings_alone() -> None:
    tournament = event("open-swiss", venue={"uk": "Зала з налаштувань"})
    save(tournament, "clock.main", "10+5")

    publish(tournament)

    tournament.refresh_from_db()
    assert tournament.venue == {"uk": "Зала з налаштувань"}


# -- stages ------------------------------------------------------------------------------------------------------------


@pytest.mark.clause("M7.2")
def test_waiting_stage_follows_the_new_rules() -> None:
    tournament = event("youth-championship")
    section = tournament.sections.get(code="u11-boys")
    entries(section, 12)
    close_entries(section, actor=user("organizer"))
    save(tournament, "stages[0].options[1].rounds", 6)

    effects = service.stage_effects(tournament, service.draft_spec(tournament))
    publish(tournament)

    stage = Stage.objects.get(section=section)
    assert [(effect.kept, effect.system_after, effect.rounds_after) for effect in effects] == [(False, "swiss", 6)]
    assert (stage.kind, stage.rounds_total, stage.rules["rounds"], stage.version) == ("swiss", 6, 6, 1)


@pytest.mark.clause("M7.2")
def test_waiting_stage_changes_its_system_with_the_head_counts() -> None:
    tournament = event("youth-championship")
    section = tournament.sections.get(code="u11-boys")
    entries(section, 10)
    close_entries(section, actor=user("organizer"))
    save(tournament, "stages[0].options[0].when", {"players_at_most": 8})
    save(tournament, "stages[0].options[1].when", {"players_at_least": 9, "players_at_most": 12})

    publish(tournament)

    stage = Stage.objects.get(section=section)
    assert (stage.kind, stage.rounds_total) == ("swiss", 7)


def test_arbiters_own_choice_stays_through_a_new_version() -> None:
    tournament = event("youth-championship")
    section = tournament.sections.get(code="u11-boys")
    entries(section, 10)
    close_entries(section, actor=user("organizer"), system="swiss", rounds=5, reason="Two days only")
    save(tournament, "clock.main", "60+30")

    publish(tournament)

    stage = Stage.objects.get(section=section)
    assert (stage.kind, stage.rounds_total, stage.rules["clock"]) == ("swiss", 5, {"main": "60+30"})


@pytest.mark.clause("K1.4")
def test_stage_that_has_begun_keeps_its_rules() -> None:
    tournament = event("youth-championship")
    section = tournament.sections.get(code="u11-boys")
    white, black, *_others = entries(section, 12)
    stage = close_entries(section, actor=user("organizer"))[0]
    Game.objects.create(stage=stage, white=white, black=black, round_number=1, board=1)
    save(tournament, "stages[0].options[1].rounds", 6)

    effects = service.stage_effects(tournament, service.draft_spec(tournament))
    publish(tournament)

    stage.refresh_from_db()
    assert [effect.kept for effect in effects] == [True]
    assert (stage.rounds_total, stage.rules["rounds"]) == (7, 7)


def test_running_stage_counts_as_begun() -> None:
    tournament = event("open-swiss")
    section = tournament.sections.get()
    entries(section, 10)
    stage = close_entries(section, actor=user("organizer"))[0]
    Stage.objects.filter(pk=stage.pk).update(state=Stage.State.RUNNING)
    stage.refresh_from_db()

    assert service.has_begun(stage) is True


def test_deadlines_are_checked_against_the_days_of_the_event() -> None:
    start = timezone.localdate() + timedelta(days=30)
    tournament = event("second-chance-32", starts_on=start)
    after = (start + timedelta(days=1)).isoformat()

    problems = service.problems_of(tournament, set_at(service.draft_spec(tournament), "fees.rules[2].until", after))

    assert [(problem.path, problem.code) for problem in errors_of(problems)] == [
        ("fees.rules[2].until", "deadline.after_start")
    ]
