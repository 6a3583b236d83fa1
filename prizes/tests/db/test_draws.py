"""Prize draws: who holds a ticket, commitment before numbers, one result, second draws that stand out."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from prizes.models import Award, Draw, Ticket
from prizes.selectors.draws import lotteries_of, lottery_of
from prizes.services.draws import commit_draw, reveal_draw, void_draw
from prizes.services.placings import publish_placings
from prizes.tests import played
from tourney.kernel.chance import Transcript, verify
from tourney.kernel.errors import TourneyError
from tourney.models import Entry, Lot, LotResult, Player, Section
from tourney.services.entries import record_entry_event
from tourney.testing import builders

pytestmark = pytest.mark.django_db


@pytest.fixture
def section(monkeypatch: pytest.MonkeyPatch) -> Section:
    """A finished knockout of 32 with its places published."""
    section = played.group(builders.event("second-chance-32"), players=32)
    played.finished_bracket(section, monkeypatch)
    publish_placings(section, actor=None)
    return section


def refused(call: Any, *args: Any, **values: Any) -> str:
    with pytest.raises(TourneyError) as caught:
        call(*args, **values)
    return caught.value.code


def numbers(draw: Draw) -> list[tuple[str, str]]:
    return [(ticket.entry.name, str(10 + index)) for index, ticket in enumerate(draw.tickets.all())]


@pytest.mark.clause("K8.3")
def test_tickets_belong_to_the_holders_of_the_named_places(section: Section) -> None:
    assert [
        (state.number, [holder.place for holder in state.holders], str(state.lottery.amount), state.state)
        for state in lotteries_of(section.tournament)
    ] == [
        (1, [11, 15], "200.00 UAH", "ready"),
        (2, [19, 21], "150.00 UAH", "ready"),
        (3, [23, 27, 29, 31], "100.00 UAH", "ready"),
    ]


@pytest.mark.clause("K8.3", "K8.2")
def test_every_odd_place_has_a_prize_or_a_ticket(section: Section) -> None:
    paid = set(Award.objects.values_list("place", flat=True))
    tickets = {holder.place for state in lotteries_of(section.tournament) for holder in state.holders}
    assert paid & tickets == set()
    assert {place for place in paid | tickets if place % 2} == set(range(1, 33, 2))
    assert {place for place in paid | tickets if place % 2 == 0} == {2, 4}


@pytest.mark.clause("K8.3")
def test_draw_is_announced_then_decided_by_public_numbers(section: Section) -> None:
    arbiter = builders.user("arbiter", section.tournament, "chief_arbiter")
    draw = commit_draw(section, 2, actor=arbiter)
    assert (draw.lot.purpose, draw.lot.subject, draw.lot.manifest["k"]) == ("lottery", f"{section.code}:3", 1)
    assert len(draw.lot.manifest["entrants"]) == 4
    assert not LotResult.objects.exists()
    assert not Award.objects.filter(source="lottery").exists()

    reveal_draw(section.tournament, draw.pk, numbers=numbers(draw), actor=arbiter)

    outcome = LotResult.objects.get()
    transcript = Transcript(draw.lot.manifest, draw.lot.secret, outcome.entropy, draw.lot.commitment, outcome.result)
    assert verify(transcript.as_json()) is None
    assert outcome.entropy[0]["number"] == "10"
    winner = Ticket.objects.get(won=True)
    assert [winner.label] == outcome.result
    assert [(a.entry, a.place, a.minor) for a in Award.objects.filter(source="lottery")] == [
        (winner.entry, winner.place, 10_000)
    ]


def test_draw_is_decided_once(section: Section) -> None:
    draw = commit_draw(section, 0, actor=None)
    given = numbers(draw)
    reveal_draw(section.tournament, draw.pk, numbers=given, actor=None)
    assert refused(reveal_draw, section.tournament, draw.pk, numbers=given, actor=None) == "draw.already_decided"
    assert refused(void_draw, section.tournament, draw.pk, reason="no", actor=None) == "draw.already_decided"
    assert refused(commit_draw, section, 0, actor=None) == "lottery.already_drawn"
    assert LotResult.objects.count() == 1


def test_no_draw_before_the_places_are_final(monkeypatch: pytest.MonkeyPatch) -> None:
    section = played.group(builders.event("second-chance-32"), players=32)
    played.finished_bracket(section, monkeypatch)
    assert refused(commit_draw, section, 0, actor=None) == "lottery.not_final"
    assert not Lot.objects.exists()


def test_no_draw_while_the_published_places_are_out_of_date(section: Section, monkeypatch: pytest.MonkeyPatch) -> None:
    entries = list(section.entries.order_by("start_number"))
    entries[0], entries[1] = entries[1], entries[0]
    played.bracket_order(monkeypatch, [(entry.pk, place, place) for place, entry in enumerate(entries, start=1)])
    assert refused(commit_draw, section, 0, actor=None) == "lottery.list_outdated"


def test_shared_place_holds_no_ticket_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    section = played.group(builders.event("second-chance-32"), players=32)
    entries = played.finished_bracket(section, monkeypatch)
    order = [(e.pk, 11 if p in (11, 12) else p, 12 if p in (11, 12) else p) for p, e in enumerate(entries, start=1)]
    played.bracket_order(monkeypatch, order)
    publish_placings(section, actor=None)
    assert refused(commit_draw, section, 0, actor=None) == "lottery.place_shared"
    assert lottery_of(section, 1).state == "ready"


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ([("Лисенко", "5")], "lottery.too_few_numbers"),
        ([("Лисенко", "5"), ("", "7")], "lottery.nameless_number"),
        ([("Лисенко", "5"), ("Павленко", "seven")], "lottery.bad_number"),
        ([("Лисенко", "5"), ("Павленко", "-7")], "lottery.bad_number"),
        ([("Лисенко", "5"), ("Лисенко", "7")], "lottery.too_few_numbers"),
        ([], "lottery.too_few_numbers"),
    ],
)
def test_bad_numbers_decide_nothing(section: Section, given: list[tuple[str, str]], code: str) -> None:
    draw = commit_draw(section, 0, actor=None)
    assert refused(reveal_draw, section.tournament, draw.pk, numbers=given, actor=None) == code
    assert not LotResult.objects.exists()


def test_ticket_holders_of_one_name_are_two_people(section: Section) -> None:
    eleventh, fifteenth = section.entries.filter(start_number__in=[11, 15]).order_by("start_number")
    Player.objects.filter(pk=fifteenth.player_id).update(surname=eleventh.player.surname)
    draw = commit_draw(section, 0, actor=None)
    labels = [ticket.label for ticket in draw.tickets.all()]
    assert labels == draw.lot.manifest["entrants"] == [f"{eleventh.name} (11)", f"{eleventh.name} (15)"]
    twice = [(labels[0], "5"), (labels[1], "7"), (labels[0], "9")]
    assert refused(reveal_draw, section.tournament, draw.pk, numbers=twice, actor=None) == "lottery.number_given"
    reveal_draw(section.tournament, draw.pk, numbers=twice[:2], actor=None)
    outcome = LotResult.objects.get()
    assert [one["who"] for one in outcome.entropy] == labels
    winner = {labels[0]: eleventh, labels[1]: fifteenth}[outcome.result[0]]
    assert [ticket.entry for ticket in Ticket.objects.filter(won=True)] == [winner]
    assert [award.entry for award in Award.objects.filter(source="lottery")] == [winner]


def test_the_longest_name_fits_its_ticket(section: Section) -> None:
    entry = section.entries.select_related("player").get(start_number=15)
    Player.objects.filter(pk=entry.player_id).update(surname="Б" * 80, given_name="В" * 80)
    draw = commit_draw(section, 0, actor=None)
    assert draw.tickets.get(entry=entry).label == f"{'Б' * 80} {'В' * 80} (15)"


def test_three_witnesses_are_enough_for_a_large_group(section: Section) -> None:
    draw = commit_draw(section, 2, actor=None)
    given = [("Свідок А", "1"), ("Свідок Б", "2"), ("Свідок В", "3")]
    reveal_draw(section.tournament, draw.pk, numbers=given, actor=None)
    assert Ticket.objects.filter(draw=draw, won=True).count() == 1


def test_announced_draw_is_dropped_with_a_reason_and_stays_in_the_chain(section: Section) -> None:
    first = commit_draw(section, 0, actor=None)
    assert refused(commit_draw, section, 0, actor=None) == "lottery.draw_open"
    assert refused(void_draw, section.tournament, first.pk, reason=" ", actor=None) == "draw.void_needs_reason"
    void_draw(section.tournament, first.pk, reason="power cut", actor=None)
    second = commit_draw(section, 0, actor=None)
    assert [(lot.number, lot.subject) for lot in Lot.objects.order_by("number")] == [
        (1, f"{section.code}:1"),
        (2, f"{section.code}:1"),
    ]
    assert second.lot.previous_hash == LotResult.objects.get(lot=first.lot).transcript_hash
    assert lottery_of(section, 0).is_repeated


def test_single_ticket_wins_at_once_and_nobody_makes_it_void(monkeypatch: pytest.MonkeyPatch) -> None:
    section = played.group(builders.event("second-chance-32"), players=20)
    entries = played.finished_bracket(section, monkeypatch)
    publish_placings(section, actor=None)
    draw = commit_draw(section, 1, actor=None)  # of places 19 and 21 only one is held
    assert LotResult.objects.get(lot=draw.lot).result == [f"{entries[18].name} (19)"]
    assert lottery_of(section, 1).state == "decided"
    assert lottery_of(section, 2).state == "void"
    assert refused(commit_draw, section, 2, actor=None) == "lottery.no_tickets"


def test_disqualified_holder_loses_the_ticket_to_who_moves_up(section: Section) -> None:
    entries = list(section.entries.order_by("start_number"))
    draw = commit_draw(section, 0, actor=None)
    reveal_draw(section.tournament, draw.pk, numbers=numbers(draw), actor=None)
    before_the_end = timezone.now() - timedelta(hours=2)
    record_entry_event(entries[10], "disqualified", state=Entry.State.DISQUALIFIED, at=before_the_end)
    publish_placings(section, actor=None, reason="disqualified")

    state = lottery_of(section, 0)

    assert state.is_outdated
    assert [holder.entry for holder in state.holders] == [entries[11], entries[15]]
    assert refused(commit_draw, section, 0, actor=None) == "lottery.second_needs_reason"
    again = commit_draw(section, 0, actor=None, reason="a ticket holder was disqualified")
    assert again.lot.number == 2
    # Until the second draw is decided the first one counts.
    assert Award.objects.filter(source="lottery").count() == 1
    reveal_draw(section.tournament, again.pk, numbers=numbers(again), actor=None)
    winner = Ticket.objects.get(draw=again, won=True)
    assert [award.entry for award in Award.objects.filter(source="lottery")] == [winner.entry]


def test_draw_of_another_event_is_unknown(section: Section) -> None:
    draw = commit_draw(section, 0, actor=None)
    other = builders.event("second-chance-32")
    assert refused(reveal_draw, other, draw.pk, numbers=numbers(draw), actor=None) == "lottery.unknown_draw"


def test_announced_draw_is_not_decided_once_its_tickets_have_changed_hands(section: Section) -> None:
    entries = list(section.entries.order_by("start_number"))
    draw = commit_draw(section, 0, actor=None)
    before_the_end = timezone.now() - timedelta(hours=2)
    record_entry_event(entries[10], "disqualified", state=Entry.State.DISQUALIFIED, at=before_the_end)
    publish_placings(section, actor=None, reason="disqualified")
    given = numbers(draw)
    assert refused(reveal_draw, section.tournament, draw.pk, numbers=given, actor=None) == "lottery.tickets_changed"
    assert not LotResult.objects.exists()
    void_draw(section.tournament, draw.pk, reason="a ticket holder was disqualified", actor=None)
    again = commit_draw(section, 0, actor=None)
    reveal_draw(section.tournament, again.pk, numbers=numbers(again), actor=None)
    assert lottery_of(section, 0).state == "decided"
