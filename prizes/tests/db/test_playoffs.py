"""Playing off first place game by game (M8.2): two claimants, three and more, lots, corrections, undo."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone, translation

from prizes.models import PlayoffEvent, PlayoffMatch, PlayoffRecord
from prizes.selectors.places import standing_of
from prizes.selectors.playoffs import PlayoffView, settlements_of, view_of
from prizes.selectors.ties import tie_lots, tie_subject
from prizes.services import playoffs
from prizes.services.placings import draw_ties, publish_placings, record_playoff
from prizes.tests import played
from tourney import game_records
from tourney.game_records import Wanted
from tourney.kept_rows import loading
from tourney.kernel.chance import Transcript, verify
from tourney.kernel.errors import TourneyError
from tourney.kernel.ids import EntryId
from tourney.models import ActionLog, Entry, Lot, Placement, Regulation, Section, StandingRow
from tourney.services.entries import record_entry_event
from tourney.testing import builders
from tourney.views.lots import chain

pytestmark = [pytest.mark.django_db, pytest.mark.clause("M8.2")]


def tied(ranks: list[int], *, ago: timedelta = timedelta(hours=1)) -> tuple[Section, list[Entry]]:
    """Return a finished group whose players have these ranks; the last game ended that long ago."""
    section = played.group(builders.event("youth-championship"), "u11-boys", players=len(ranks))
    return section, played.finished(section, ranks, ended=timezone.now() - ago)


def refused(call: Any, *args: Any, **values: Any) -> TourneyError:
    with pytest.raises(TourneyError) as caught:
        call(*args, **values)
    return caught.value


class Table:
    """A play-off with its acts in short: who plays is named by the index among the claimants."""

    def __init__(self, section: Section, **values: Any) -> None:
        self.event = section.tournament
        self.match = playoffs.begin_playoff(section, actor=None, **values)

    @property
    def view(self) -> PlayoffView:
        return view_of(PlayoffMatch.objects.select_related("section__tournament", "lot").get(pk=self.match.pk))

    def act(self, call: Any, **values: Any) -> PlayoffView:
        return call(self.event, self.match.pk, actor=None, **values)

    def white_for(self, player: Entry) -> None:
        """Settle the colour of the next game by a lot drawn by hand."""
        self.act(playoffs.draw_lot, winner=str(player.pk), method="a coin")

    def play(self, outcome: str) -> PlayoffView:
        awaited = self.view.state.awaiting
        return self.act(playoffs.enter_game, white=awaited.white, black=awaited.black, outcome=outcome)  # type: ignore[union-attr]


def places(section: Section) -> list[tuple[str, Any]]:
    rows = Placement.objects.filter(list__section=section).select_related("entry__player").order_by("place", "id")
    return [(row.entry.player.surname, (row.place, row.place_to) if row.place_to else row.place) for row in rows]


# -- two -------------------------------------------------------------------------------------------------------------


def test_two_play_two_games_and_the_winner_is_first() -> None:
    section, (first, second, *_) = tied([1, 1, 3, 4])
    table = Table(section)
    table.white_for(second)
    assert table.view.state.awaiting.white == str(second.pk)  # type: ignore[union-attr]

    table.play("1/2")
    assert table.view.state.awaiting.white == str(first.pk)  # type: ignore[union-attr]  # colours alternate
    after = table.play("0-1")

    assert after.state.winner == str(second.pk)
    assert standing_of(section).obstacles == ()
    publish_placings(section, actor=None)
    assert places(section) == [("Бондар", 1), ("Антонюк", 2), ("Вдовенко", 3), ("Гнатюк", 4)]
    assert ActionLog.objects.filter(action="prizes.playoff_game").count() == 2


def test_level_after_two_games_the_lot_names_who_chooses_and_a_draw_is_blacks() -> None:
    section, (first, second, *_) = tied([1, 1, 3, 4])
    table = Table(section)
    table.white_for(first)
    table.play("1-0")
    table.play("1-0")
    drawn = table.act(playoffs.draw_lot)  # by the program this time
    lot = Lot.objects.get(purpose=Lot.Purpose.COLOR_CHOICE)
    chooser = lot.outcome.result
    transcript = Transcript(lot.manifest, lot.secret, lot.outcome.entropy, lot.commitment, lot.outcome.result)
    assert verify(transcript.as_json()) is None
    assert drawn.state.awaiting.by == chooser  # type: ignore[union-attr]

    table.act(playoffs.choose_color, color="b")
    awaited = table.view.state.awaiting
    assert (str(awaited.white_clock), str(awaited.black_clock)) == ("5", "4")  # type: ignore[union-attr]
    after = table.play("1/2")

    assert after.state.winner == chooser
    publish_placings(section, actor=None)
    winner, loser = (first, second) if chooser == str(first.pk) else (second, first)
    assert [name for name, _place in places(section)][:2] == [winner.player.surname, loser.player.surname]
    with translation.override("en"):
        assert after.words == "blitz 5+3: 1–0, 1–0; Armageddon: ½–½"


def test_playoff_begins_fifteen_minutes_after_the_last_game_or_with_a_reason() -> None:
    section, _entries = tied([1, 1, 3, 4], ago=timedelta(minutes=10))
    assert refused(playoffs.begin_playoff, section, actor=None).code == "placing.playoff_too_early"
    match = playoffs.begin_playoff(section, actor=None, reason="both asked for it")
    assert match.reason == "both asked for it"
    assert refused(playoffs.begin_playoff, section, actor=None).code == "playoff.is_on"


def test_no_playoff_where_first_place_belongs_to_one() -> None:
    section, _entries = tied([1, 2, 2, 4])
    assert refused(playoffs.begin_playoff, section, actor=None).code == "placing.no_playoff_due"


def test_same_tap_sent_twice_counts_once_and_an_older_page_is_refused() -> None:
    section, (first, second, *_) = tied([1, 1, 3, 4])
    table = Table(section)
    table.white_for(first)
    operation = uuid4()
    game = {"white": str(first.pk), "black": str(second.pk), "outcome": "1-0", "operation": operation, "seen": 1}
    table.act(playoffs.enter_game, **game)
    again = table.act(playoffs.enter_game, **game)
    assert len(again.state.games) == 1
    other = game | {"operation": uuid4(), "white": str(second.pk), "black": str(first.pk)}
    assert refused(table.act, playoffs.enter_game, **other).code == "playoff.changed_meanwhile"


def test_what_is_not_due_is_refused_and_nothing_saved() -> None:
    section, (first, second, third, _) = tied([1, 1, 3, 4])
    table = Table(section)
    pair = {"white": str(first.pk), "black": str(second.pk)}
    assert refused(table.act, playoffs.enter_game, **pair, outcome="1-0").code == "match.lot_first"
    assert refused(table.act, playoffs.draw_lot, winner=str(first.pk)).code == "match.lot_method_needed"
    assert refused(table.act, playoffs.draw_lot, winner=str(third.pk), method="x").code == "placing.not_a_claimant"
    table.white_for(first)
    turned = {"white": str(second.pk), "black": str(first.pk)}
    assert refused(table.act, playoffs.enter_game, **turned, outcome="1-0").code == "match.not_paired"
    assert refused(table.act, playoffs.enter_game, **pair, outcome="2-0").code == "match.unknown_result"
    stranger = pair | {"black": str(third.pk)}
    assert refused(table.act, playoffs.enter_game, **stranger, outcome="1-0").code == "placing.not_a_claimant"
    assert refused(table.act, playoffs.choose_color, color="w").code == "match.color_not_now"
    assert refused(table.act, playoffs.decide, winner=str(first.pk), reason=" ").code == "match.reason_needed"
    other = builders.event("youth-championship")
    assert refused(playoffs.enter_game, other, table.match.pk, **pair, outcome="1-0", actor=None).code == "playoff.gone"
    assert PlayoffEvent.objects.count() == 1


def test_correction_reopens_the_playoff_and_takes_the_winner_back() -> None:
    section, (first, _second, *_) = tied([1, 1, 3, 4])
    table = Table(section)
    table.white_for(first)
    table.play("1-0")
    table.play("1/2")
    assert PlayoffMatch.objects.get().winner == first
    correct = {"number": 1, "outcome": "1/2"}
    assert refused(table.act, playoffs.correct_game, **correct, reason="").code == "match.reason_needed"

    table.act(playoffs.correct_game, **correct, reason="the players shook hands")

    match = PlayoffMatch.objects.get()
    assert (match.winner, match.ended_at) == (None, None)
    assert [error.code for error in standing_of(section).obstacles] == ["placing.playoff_due"]
    assert table.view.games[0].corrected


def test_last_entry_is_taken_back_but_a_lot_of_the_program_stands() -> None:
    section, (first, _second, *_) = tied([1, 1, 3, 4])
    table = Table(section)
    assert refused(table.act, playoffs.undo_last).code == "playoff.nothing_to_undo"
    table.act(playoffs.draw_lot)
    assert refused(table.act, playoffs.undo_last).code == "playoff.lot_stands"
    table.play("1-0")
    after = table.act(playoffs.undo_last)
    assert len(after.state.games) == 0
    assert PlayoffEvent.objects.count() == 3  # lot, game, and the line that takes the game back
    table.play("0-1")
    with loading():
        PlayoffEvent.objects.update(at=timezone.now() - timedelta(minutes=11))
    assert refused(table.act, playoffs.undo_last).code == "match.reason_needed"
    assert first  # the same two go on


def test_absent_claimant_loses_and_the_arbiter_can_award() -> None:
    section, (first, second, *_) = tied([1, 1, 3, 4])
    table = Table(section)
    assert refused(table.act, playoffs.note_absent, player=str(first.pk), reason="").code == "match.reason_needed"
    table.act(playoffs.note_absent, player=str(first.pk), reason="went home")
    assert PlayoffMatch.objects.get().winner == second
    table.act(playoffs.undo_last)
    table.act(playoffs.decide, winner=str(first.pk), reason="decision of the committee")
    assert PlayoffMatch.objects.get().winner == first


def test_changed_standings_stop_the_playoff_and_another_one_begins() -> None:
    section, entries = tied([1, 1, 3, 4])
    table = Table(section)
    StandingRow.objects.filter(entry=entries[0]).update(rank=3)
    StandingRow.objects.filter(entry=entries[2]).update(rank=1)
    assert refused(table.act, playoffs.draw_lot).code == "playoff.other_claimants"
    assert refused(playoffs.drop_playoff, table.event, table.match.pk, reason="", actor=None).code == (
        "match.reason_needed"
    )
    playoffs.drop_playoff(table.event, table.match.pk, reason="a result was wrong", actor=None)
    again = Table(section)
    assert set(again.match.between) == {entries[1].pk, entries[2].pk}
    again.act(playoffs.draw_lot)
    assert Lot.objects.get().subject == f"{section.code}:playoff.2:1"
    assert refused(table.act, playoffs.draw_lot).code == "playoff.dropped"


def test_winner_is_rebuilt_from_the_events() -> None:
    section, (first, *_) = tied([1, 1, 3, 4])
    table = Table(section)
    table.white_for(first)
    table.play("1-0")
    table.play("1/2")
    PlayoffMatch.objects.update(winner=None, runner_up=None)
    playoffs.rebuild_playoffs(section.tournament)
    assert PlayoffMatch.objects.get().winner == first


# -- three and more --------------------------------------------------------------------------------------------------


def play_all(table: Table, beats: Any) -> PlayoffView:
    """Play every game that is due; `beats(white, black)` gives the result."""
    view = table.view
    while view.due:
        due = view.due[0]
        view = table.act(
            playoffs.enter_game, white=due.white, black=due.black, outcome=beats(int(due.white), int(due.black))
        )
    return view


def test_three_play_a_round_robin_by_the_berger_table_with_numbers_by_lot() -> None:
    section, entries = tied([1, 1, 1, 4])
    table = Table(section)
    lot = Lot.objects.get(purpose=Lot.Purpose.START_NUMBERS)
    assert [int(one) for one in lot.outcome.result] == table.match.between
    assert set(table.match.between) == {entry.pk for entry in entries[:3]}
    a, b, c = (str(pk) for pk in table.match.between)
    assert [(due.white, due.black) for due in table.view.due] == [(b, c), (a, b), (c, a)]
    turned = {"white": c, "black": b, "outcome": "1-0"}
    assert refused(table.act, playoffs.enter_game, **turned).code == "match.not_paired"

    table.act(playoffs.enter_game, white=c, black=a, outcome="1-0")  # of a table any game may end first
    assert [(due.white, due.black) for due in table.view.due] == [(b, c), (a, b)]


def test_clear_winner_of_the_round_robin_is_first_and_the_others_share() -> None:
    section, entries = tied([1, 1, 1, 4])
    table = Table(section)
    best = entries[2].pk

    def beats(white: int, black: int) -> str:
        return "1-0" if white == best else "0-1" if black == best else "1/2"

    play_all(table, beats)
    match = PlayoffMatch.objects.get()
    assert (match.winner, match.runner_up) == (entries[2], None)
    publish_placings(section, actor=None)
    assert places(section) == [("Вдовенко", 1), ("Антонюк", (2, 3)), ("Бондар", (2, 3)), ("Гнатюк", 4)]


def test_best_two_of_the_round_robin_meet_in_armageddon_and_its_loser_is_second() -> None:
    section, entries = tied([1, 1, 1, 4])
    table = Table(section)
    worst = entries[0].pk

    def beats(white: int, black: int) -> str:
        return "0-1" if white == worst else "1-0" if black == worst else "1/2"

    view = play_all(table, beats)
    assert set(view.state.contenders) == {str(entries[1].pk), str(entries[2].pk)}
    table.act(playoffs.draw_lot, winner=str(entries[1].pk), method="pawns")
    table.act(playoffs.choose_color, color="w")
    table.play("0-1")
    publish_placings(section, actor=None)
    assert places(section) == [("Вдовенко", 1), ("Бондар", 2), ("Антонюк", 3), ("Гнатюк", 4)]


def test_three_level_again_repeat_with_turned_colours() -> None:
    section, _entries = tied([1, 1, 1, 4])
    table = Table(section)
    first = [(due.white, due.black) for due in table.view.due]
    for white, black in first:
        view = table.act(playoffs.enter_game, white=white, black=black, outcome="1/2")
    assert [(due.black, due.white) for due in view.due] == first


def test_three_level_again_by_lot_where_the_regulation_says_so() -> None:
    section, entries = tied([1, 1, 1, 4])
    regulation = Regulation.objects.get(tournament=section.tournament)
    regulation.spec["playoff"]["three"]["level_again"] = "drawing_of_lots"
    regulation.save()
    table = Table(section)
    play_all(table, lambda white, black: "1/2")
    after = table.act(playoffs.draw_lot)
    lot = Lot.objects.get(purpose=Lot.Purpose.TIE)
    assert [after.state.winner] == lot.outcome.result
    assert int(after.state.winner or 0) in {entry.pk for entry in entries[:3]}
    [settled] = settlements_of([section])[section.pk]
    assert settled.winner_id == int(after.state.winner or 0)


def test_who_gives_up_loses_the_games_left() -> None:
    section, entries = tied([1, 1, 1, 4])
    table = Table(section)
    table.act(playoffs.note_absent, player=str(entries[0].pk), reason="ill")
    view = table.view
    assert {(due.white, due.black) for due in view.due} != set()
    assert all(str(entries[0].pk) not in (due.white, due.black) for due in view.due)
    due = view.due[0]
    after = table.act(playoffs.enter_game, white=due.white, black=due.black, outcome="1-0")
    assert after.state.winner == due.white


def test_play_off_that_is_on_is_not_told_in_words_beside_it() -> None:
    section, (first, *_) = tied([1, 1, 3, 4])
    table = Table(section)
    told = {"winner": first.pk, "games": "1–0", "started_at": timezone.now(), "actor": None}
    assert refused(record_playoff, section, **told).code == "playoff.is_on"
    assert not PlayoffRecord.objects.exists()
    playoffs.drop_playoff(table.event, table.match.pk, reason="the clocks are broken", actor=None)
    record_playoff(section, **told)


# -- lower places ----------------------------------------------------------------------------------------------------


def test_lower_places_are_shared_or_ordered_by_a_lot_as_the_regulation_says() -> None:
    section, entries = tied([1, 2, 2, 4])
    assert standing_of(section).obstacles == ()  # they share
    assert refused(draw_ties, section, actor=None).code == "placing.no_lots_due"
    regulation = Regulation.objects.get(tournament=section.tournament)
    regulation.spec["playoff"]["lower_places"] = "drawing_of_lots"
    regulation.save()
    assert refused(publish_placings, section, actor=None).code == "placing.lots_due"

    [lot] = draw_ties(section, actor=None)

    assert (lot.purpose, lot.subject) == ("tie", f"{section.code}:tie:2")
    order = [int(one) for one in lot.outcome.result[0]]
    assert set(order) == {entries[1].pk, entries[2].pk}
    publish_placings(section, actor=None)
    rows = Placement.objects.filter(list__section=section).order_by("place")
    assert [(row.entry_id, row.place_to) for row in rows][1:3] == [(order[0], None), (order[1], None)]
    assert refused(draw_ties, section, actor=None).code == "placing.no_lots_due"


def test_lot_between_others_at_the_same_place_is_no_repetition() -> None:
    """One of three drawn for places 2–4 is disqualified: the two left share the place anew, and it is no second try."""
    section, entries = tied([1, 2, 2, 2])
    regulation = Regulation.objects.get(tournament=section.tournament)
    regulation.spec["playoff"]["lower_places"] = "drawing_of_lots"
    regulation.save()
    [first] = draw_ties(section, actor=None)
    gone = entries[1]
    record_entry_event(gone, "disqualified", state=Entry.State.DISQUALIFIED)

    [second] = draw_ties(section, actor=None)

    assert [lot.subject for lot in (first, second)] == [f"{section.code}:tie:2", f"{section.code}:tie:2.2"]
    assert [shown.repeated for shown in chain(section.tournament)] == [False, False]
    assert chain(section.tournament)[1].subject.endswith("· 2 місце")
    order = [int(one) for one in second.outcome.result[0]]
    assert set(order) == {entries[2].pk, entries[3].pk}
    rows = [line.entry.pk for line in standing_of(section).own_lists[0].lines if line.place in (2, 3)]
    assert rows == order
    assert tie_subject(section, 2, [EntryId(entry.pk) for entry in entries[1:]], tie_lots(section.tournament)) == (
        first.subject
    )


# -- in the lists of games -------------------------------------------------------------------------------------------


def test_games_that_count_stand_in_the_events_list_of_games_with_their_number() -> None:
    section, (first, second, third, *_) = tied([1, 1, 3, 4])
    table = Table(section)
    table.white_for(second)
    table.play("1/2")
    table.play("0-1")
    event = section.tournament

    def listed(**query: str) -> list[tuple[int, int, int, str]]:
        found = game_records.more_games(event, Wanted.of(query))
        return [(game.number, game.white.pk, game.black.pk, game.outcome) for game in found]

    both = [(1, second.pk, first.pk, "1/2"), (2, first.pk, second.pk, "0-1")]
    assert listed() == listed(section="u11-boys") == listed(player=str(first.pk)) == both
    assert listed(q=second.player.surname, result="0-1") == both[1:]
    assert listed(player=str(third.pk)) == listed(section="u13-boys") == listed(opening="B") == []
    (one, two) = game_records.more_games(event, Wanted())
    assert one.block == two.block
    table.act(playoffs.drop_playoff, reason="another way")
    assert listed() == []


def test_the_list_of_games_shows_a_play_off_and_leads_to_it(client: Client) -> None:
    section, (first, *_) = tied([1, 1, 3, 4])
    table = Table(section)
    table.white_for(first)
    table.play("1-0")
    page = client.get(reverse("games", args=[section.tournament.slug]), headers={"accept-language": "en"})
    html = page.content.decode()
    address = reverse("playoff", args=[section.tournament.slug, section.code])
    assert f'<a href="{address}">' in html
    assert re.findall(r"game \d · blitz [\d+]+", re.sub(r"<[^>]+>", "", html))
