"""Awards: worked out from list, rules and draws; handed over, signed for, not handed over; telling the winners."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.utils import timezone

from prizes.models import Award, AwardEvent
from prizes.notices import send_notice
from prizes.selectors.awards import awards_of
from prizes.services.awards import note_award, notify_winners, rebuild_awards, take_back_stray
from prizes.services.placings import publish_placings
from prizes.tests import played
from tourney import panels
from tourney.kernel.errors import TourneyError
from tourney.models import Category, Job, Section
from tourney.services.entries import record_entry_event
from tourney.services.events import publish_spec
from tourney.services.rebuilding import rebuild
from tourney.testing import builders

pytestmark = pytest.mark.django_db


def refused(call: Any, *args: Any, **values: Any) -> str:
    with pytest.raises(TourneyError) as caught:
        call(*args, **values)
    return caught.value.code


@pytest.fixture
def youth() -> Section:
    section = played.group(builders.event("youth-championship"), "u11-boys", players=5)
    played.finished(section, ended=timezone.now() - timedelta(hours=2))
    publish_placings(section, actor=None)
    return section


def award(section: Section, place: int) -> Award:
    return Award.objects.get(section=section, source="place", subject=str(place))


@pytest.mark.clause("K8.2")
def test_knockout_pays_its_ten_places(monkeypatch: pytest.MonkeyPatch) -> None:
    section = played.group(builders.event("second-chance-32"), players=32)
    entries = played.finished_bracket(section, monkeypatch)
    publish_placings(section, actor=None)
    assert [(one.entry, one.place, one.minor, one.clause) for one in Award.objects.order_by("place")] == [
        (entries[place - 1], place, 100 * amount, "8.2")
        for place, amount in (
            (1, 5000),
            (2, 2000),
            (3, 1000),
            (4, 700),
            (5, 600),
            (7, 500),
            (9, 400),
            (13, 300),
            (17, 200),
            (25, 150),
        )
    ]


@pytest.mark.clause("M9.1")
def test_first_three_get_cup_diploma_medal(youth: Section) -> None:
    assert [(one.place, one.things, one.clause) for one in Award.objects.order_by("place")] == [
        (1, ["cup", "diploma", "medal"], "9.1"),
        (2, ["diploma", "medal"], "9.1"),
        (3, ["diploma", "medal"], "9.1"),
    ]


def test_category_prize_and_place_prize_are_two_awards() -> None:
    event = builders.event("open-swiss")
    spec = dict(event.regulations.get().spec)
    spec["prizes"] = [
        {"places": {"1": "1000"}, "clause": "5"},
        {"places": {"1": "300"}, "category": "veterans", "clause": "6"},
    ]
    spec["awards"] = [{"place": 1, "things": ["diploma"], "clause": "7"}]
    publish_spec(event, spec, author=None, reason="prizes for veterans")
    section = played.group(event, players=4)
    Category.objects.create(section=section, code="veterans", rule={"birth_years": [1900, 1960]})
    entries = list(section.entries.order_by("-rating"))
    for entry, year in zip(entries, (1955, 2000, 1950, 2001), strict=True):
        entry.player.birth_year = year
        entry.player.save()
    played.finished(section)
    publish_placings(section, actor=None)
    assert [
        (one.entry.pk, one.source, one.subject, one.minor, one.things, one.clause)
        for one in Award.objects.order_by("source")
    ] == [
        (entries[0].pk, "category", "veterans:1", 30_000, [], "6"),
        (entries[0].pk, "place", "1", 100_000, ["diploma"], "5, 7"),
    ]


def test_awards_are_rebuilt_from_nothing_to_the_same_rows(youth: Section) -> None:
    def rows() -> list[tuple[Any, ...]]:
        return list(Award.objects.order_by("place").values_list("entry", "source", "subject", "minor", "things"))

    before = rows()
    note_award(youth.tournament, award(youth, 1).pk, "handed", actor=None)
    Award.objects.all().delete()
    rebuild(youth.tournament)
    assert rows() == before
    assert [one.state for one in awards_of(youth.tournament).statuses] == ["handed", "due", "due"]


@pytest.mark.clause("M9.3")
def test_absent_winner_gets_nothing_unless_a_representative_signs(youth: Section) -> None:
    event, desk = youth.tournament, builders.user("desk", youth.tournament, "desk")
    note_award(event, award(youth, 1).pk, "absent", actor=desk)
    note_award(event, award(youth, 2).pk, "representative", actor=desk, signed_by="Мати")
    note_award(event, award(youth, 3).pk, "handed", actor=desk)
    assert [one.state for one in awards_of(event).statuses] == ["absent", "representative", "handed"]
    assert [one.award.place for one in awards_of(event).handed] == [2, 3]
    assert refused(note_award, event, award(youth, 1).pk, "representative", actor=desk) == "award.signature_needed"
    assert AwardEvent.objects.filter(by=desk).count() == 3


def test_note_about_an_award_is_taken_back_by_another_note(youth: Section) -> None:
    event, first = youth.tournament, award(youth, 1).pk
    assert refused(note_award, event, first, "undone", actor=None) == "award.nothing_to_undo"
    note_award(event, first, "handed", actor=None)
    assert note_award(event, first, "handed", actor=None) is None  # pressed twice
    assert refused(note_award, event, first, "absent", actor=None) == "award.already_handed"
    note_award(event, first, "undone", actor=None)
    assert [one.state for one in awards_of(event).statuses] == ["due", "due", "due"]
    assert [one.kind for one in AwardEvent.objects.order_by("id")] == ["handed", "undone"]
    assert refused(note_award, event, first, "thrown", actor=None) == "award.unknown_step"
    assert refused(note_award, builders.event(), first, "handed", actor=None) == "award.gone"


@pytest.mark.clause("M7.9")
def test_award_handed_to_a_disqualified_player_is_asked_back(youth: Section) -> None:
    event = youth.tournament
    note_award(event, award(youth, 1).pk, "handed", actor=None)
    record_entry_event(award(youth, 1).entry, "disqualified", state="disqualified")
    publish_placings(youth, actor=None, reason="telephone")
    found = awards_of(event)
    assert [one.state for one in found.statuses] == ["due", "due", "due"]
    assert [one.entry.name for one in found.stray] == ["Антонюк"]
    take_back_stray(event, found.stray[0].event.pk, actor=None)
    assert awards_of(event).stray == ()


# -- telling the winners ---------------------------------------------------------------------------------------------


def reachable(monkeypatch: pytest.MonkeyPatch, addresses: dict[int, str]) -> None:
    monkeypatch.setitem(
        panels._registered, "contacts", [lambda entries: {pk: addresses[pk] for pk in entries if pk in addresses}]
    )


@pytest.mark.clause("M9.2")
def test_winners_are_told_place_and_time_by_a_letter_each(
    youth: Section, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    event = youth.tournament
    first, second = award(youth, 1), award(youth, 2)
    reachable(monkeypatch, {first.entry_id: "parent@example.org"})

    sent, without = notify_winners(event, [first.pk, second.pk], where="Палац шахів", when="неділя, 16:00", actor=None)

    assert (sent, without) == (1, [second.entry.name])
    told = AwardEvent.objects.get(kind="notified")
    assert Job.objects.get().args == {"args": [told.pk], "kwargs": {}}
    assert send_notice(told.pk)
    [letter] = mail.outbox
    assert letter.to == ["parent@example.org"]
    assert "Палац шахів, неділя, 16:00" in letter.body
    assert first.entry.player.name in letter.body
    assert awards_of(event).statuses[0].notified == told


def test_letter_is_not_sent_when_nothing_is_due_any_more(youth: Section, monkeypatch: pytest.MonkeyPatch) -> None:
    first = award(youth, 1)
    reachable(monkeypatch, {first.entry_id: "parent@example.org"})
    notify_winners(youth.tournament, [first.pk], where="Зала", when="16:00", actor=None)
    note_award(youth.tournament, first.pk, "handed", actor=None)
    assert not send_notice(AwardEvent.objects.get(kind="notified").pk)
    assert mail.outbox == []


def test_letters_need_place_time_and_somebody(youth: Section) -> None:
    event, first = youth.tournament, award(youth, 1).pk
    assert refused(notify_winners, event, [first], where=" ", when="16:00", actor=None) == "award.place_and_time"
    assert refused(notify_winners, event, [], where="Зала", when="16:00", actor=None) == "award.nobody_to_tell"


def test_rehearsal_writes_to_nobody(youth: Section, monkeypatch: pytest.MonkeyPatch) -> None:
    youth.tournament.rehearsal_of = builders.event()
    youth.tournament.save()
    first = award(youth, 1)
    reachable(monkeypatch, {first.entry_id: "parent@example.org"})
    notify_winners(youth.tournament, [first.pk], where="Зала", when="16:00", actor=None)
    assert not Job.objects.exists()


@pytest.mark.parametrize("players", [3, 20])
def test_awards_take_the_same_number_of_queries(players: int, django_assert_num_queries: Any) -> None:
    section = played.group(builders.event("youth-championship"), "u11-boys", players=players)
    played.finished(section)
    publish_placings(section, actor=None)
    with django_assert_num_queries(2):
        found = awards_of(section.tournament)
        assert [one.award.entry.name for one in found.statuses]
    assert rebuild_awards(section) == 3
