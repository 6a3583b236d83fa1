"""Boards write files: their moves reach the event's games, the public page and the records, and nothing else does."""

from __future__ import annotations

import os
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.db.models import F
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from brackets.tests import builders as brackets
from swiss.tests import builders as rounds
from tourney import live_pages, outside, pgn
from tourney.game_records import games_of, tags_of
from tourney.kernel.errors import TourneyError
from tourney.live_boards import Delay
from tourney.models import ActionLog, BoardFeed, Broadcast, Game, GameImport, LiveGame, ResultRecord, Stage, Tournament
from tourney.services import feeds, game_imports, held_games, live, score_sheets
from tourney.services import games as moves_by_hand

pytestmark = pytest.mark.django_db


class Hall:
    """An event whose boards write into a folder, and a follower that looks when it is told to."""

    def __init__(self, tournament: Tournament, root: Path) -> None:
        self.tournament, self.folder = tournament, root / tournament.slug / "hall"
        self.folder.mkdir(parents=True)
        self.feed = feeds.add_feed(tournament, kind="folder", place="hall", actor=None)
        self.event = live._Event(tournament.pk)
        self.now = time.time() - 60  # what pages show by the real clock has come already

    def look(self, seconds: float = 0.5) -> list[dict[str, Any]]:
        """Look again after so many seconds; return what the public sees."""
        self.now += seconds
        self.feed.refresh_from_db()
        self.event.look([self.feed], self.now)
        self.feed.refresh_from_db()
        return Broadcast.objects.get(tournament=self.tournament).boards

    def write(self, content: str, *, age: float = 0.0, name: str = "games.pgn") -> None:
        path = self.folder / name
        path.write_text(content, encoding="utf-8")
        os.utime(path, (self.now - age, self.now - age))


@pytest.fixture
def root(tmp_path: Path, settings: Any) -> Path:
    settings.BOARD_FOLDERS = str(tmp_path)
    return tmp_path


@pytest.fixture
def stage() -> Stage:
    stage = rounds.stage_of(8, starts_on=None)
    rounds.next_round(stage)
    return stage


@pytest.fixture
def hall(stage: Stage, root: Path) -> Hall:
    return Hall(stage.section.tournament, root)


def games(stage: Stage) -> list[Game]:
    return list(games_of(stage.section.tournament).filter(stage=stage).order_by("board"))


def as_boards_write(game: Game, moves: str, result: str = "*") -> str:
    tags = tags_of(game, game.stage.section.tournament, several=False)
    return pgn.write({**tags, "Result": result}, moves)


def moves_of(boards: list[dict[str, Any]]) -> list[str]:
    return [row["move"] for row in boards]


@pytest.mark.clause("K1.3")
def test_moves_are_seen_at_the_next_look_and_the_version_moves_with_them(hall: Hall, stage: Stage) -> None:
    one, two, *_ = games(stage)
    hall.write(as_boards_write(one, "1. e4 e5") + "\n" + as_boards_write(two, "1. d4 {[%clk 1:29:00]}"))
    boards = hall.look()
    assert moves_of(boards) == ["1… e5", "1. d4"]
    assert [row["clocks"] for row in boards] == [["", ""], ["1:29:00", ""]]
    version = Broadcast.objects.get().version
    hall.look()
    assert Broadcast.objects.get().version == version
    hall.write(as_boards_write(one, "1. e4 e5 2. Nf3") + "\n" + as_boards_write(two, "1. d4 {[%clk 1:29:00]}"))
    assert moves_of(hall.look()) == ["2. Nf3", "1. d4"]
    assert Broadcast.objects.get().version == version + 1
    assert not Game.objects.exclude(pgn="").exists()


def test_a_look_at_boards_that_rest_costs_no_statement(hall: Hall, stage: Stage) -> None:
    hall.write(as_boards_write(games(stage)[0], "1. e4 e5"), age=10)
    hall.look()
    hall.look()
    with CaptureQueriesContext(connection) as asked:
        hall.event.look([hall.feed], hall.now + 0.4)
    assert len(asked) == 0


def test_a_file_that_is_being_written_takes_nothing_back(hall: Hall, stage: Stage) -> None:
    one, two, *_ = games(stage)
    whole = as_boards_write(one, "1. e4 e5 2. Nf3 Nc6") + "\n" + as_boards_write(two, "1. d4 d5 2. c4 e6")
    hall.write(whole)
    hall.look()
    hall.write(whole[: whole.index("d5 2.") + 4])
    assert moves_of(hall.look()) == ["2… Nc6", "2… e6"]
    hall.write(whole[: len(whole) // 3])
    assert moves_of(hall.look()) == ["2… Nc6", "2… e6"]


def test_a_move_taken_back_on_the_board_is_taken_back_once_the_file_rests(hall: Hall, stage: Stage) -> None:
    one = games(stage)[0]
    hall.write(as_boards_write(one, "1. e4 e5 2. Nf3"))
    hall.look()
    hall.write(as_boards_write(one, "1. e4 e5"))
    assert moves_of(hall.look()) == ["2. Nf3"]
    assert moves_of(hall.look(3)) == ["1… e5"]


def test_a_finished_game_becomes_a_record_and_never_a_result(hall: Hall, stage: Stage) -> None:
    one = games(stage)[0]
    version = Stage.objects.get(pk=stage.pk).version
    hall.write(as_boards_write(one, "1. f3 e5 2. g4 Qh4#", "0-1"))
    (row,) = hall.look()
    one.refresh_from_db()
    assert (row["outcome"], one.pgn, one.ply_count, one.outcome) == ("0-1", "1. f3 e5 2. g4 Qh4#", 4, "")
    assert Stage.objects.get(pk=stage.pk).version == version + 1
    assert not ResultRecord.objects.exists()
    assert live_pages.conflicts_of(hall.tournament) == []


def test_what_a_board_says_beside_the_moves_is_in_the_record(hall: Hall, stage: Stage) -> None:
    one, two, *_ = games(stage)
    moves = "1. f3 {[%clk 1:30:00]} e5 {[%clk 1:29:58] a surprise} (1... d5 2. e4) 2. g4 {[%clk 1:29:00]}"
    for end, result in (("", "*"), ("Qh4# $6", "*"), ("Qh4# $6 {over}", "0-1")):
        hall.write(as_boards_write(one, f"{moves} {end}", result))
        hall.look()
    one.refresh_from_db()
    assert " ".join(one.pgn.split()) == (
        "1. f3 {[%clk 1:30:00]} 1... e5 {[%clk 1:29:58] a surprise} (1... d5 2. e4) 2. g4 {[%clk 1:29:00]} 2... Qh4#"
        " $6 {over}"
    )
    # Another program writes the end without clocks: those that came stay.
    hall.write(as_boards_write(two, "1. f3 {[%clk 1:30:00]} e5 2. g4"), name="two.pgn")
    hall.look()
    hall.write(as_boards_write(two, "1. f3 e5 2. g4 Qh4# {mate}", "0-1"), name="two.pgn")
    hall.look()
    two.refresh_from_db()
    assert two.pgn == "1. f3 {[%clk 1:30:00]} 1... e5 2. g4 Qh4#"


def test_another_result_than_the_arbiters_is_told_and_the_arbiters_is_shown(hall: Hall, stage: Stage) -> None:
    one = games(stage)[0]
    rounds.enter(stage.rounds.get(), "1-0")
    hall.write(as_boards_write(one, "1. f3 e5 2. g4 Qh4#", "0-1"))
    (row,) = hall.look(3)
    assert row["outcome"] == "1-0"
    (conflict,) = live_pages.conflicts_of(hall.tournament)
    assert (conflict["code"], conflict["result"], conflict["outcome"]) == ("games.result_differs", "0-1", "1-0")


def test_other_moves_that_stand_there_already_are_kept(hall: Hall, stage: Stage) -> None:
    one = games(stage)[0]
    hall.write(as_boards_write(one, "1. f3 e5"))
    hall.look()
    Game.objects.filter(pk=one.pk).update(pgn="1. d4 d5", ply_count=2)
    hall.write(as_boards_write(one, "1. f3 e5 2. g4 Qh4#", "0-1"))
    hall.look()
    one.refresh_from_db()
    assert one.pgn == "1. d4 d5"
    assert [conflict["code"] for conflict in live_pages.conflicts_of(hall.tournament)] == ["games.other_moves"]


@pytest.mark.clause("K9.2")
def test_the_delay_holds_on_the_page_in_the_file_and_in_the_record(hall: Hall, stage: Stage) -> None:
    one = games(stage)[0]
    feeds.set_delay(hall.tournament, minutes=15, half_moves=0, actor=None)
    hall.event.broadcast.refresh_from_db()
    hall.write(as_boards_write(one, "1. f3 e5"))
    assert moves_of(hall.look()) == [""]
    hall.write(as_boards_write(one, "1. f3 e5 2. g4 Qh4#", "0-1"))
    (row,) = hall.look(600)
    assert (row["move"], row["outcome"]) == ("", "")
    (row,) = hall.look(300)
    assert (row["move"], row["outcome"]) == ("1… e5", "")
    one.refresh_from_db()
    assert one.pgn == ""
    broadcast = Broadcast.objects.get()
    (text,) = live_pages.pgn_of_live(
        live_pages.live_games(hall.tournament, broadcast), hall.tournament, broadcast, several=False
    )
    assert ("f3" in text, "Qh4" in text, '[Result "*"]' in text) == (False, False, True)  # by the real clock
    (row,) = hall.look(600)
    one.refresh_from_db()
    assert (row["move"], row["outcome"], one.ply_count) == ("2… Qh4#", "0-1", 4)


def test_a_board_nobody_knows_is_told_and_found_when_its_round_is_paired(hall: Hall, stage: Stage) -> None:
    one, two, *_ = games(stage)
    text = as_boards_write(two, "1. e4").replace(one.black.player.name, "?")
    stranger = '[Event "x"]\n[White "Nobody"]\n[Black "Knows"]\n\n1. c4 *\n'
    hall.write(f"{text}\n{stranger}")
    assert moves_of(hall.look()) == ["1. e4"]
    assert [(line["white"], line["code"]) for line in hall.feed.problems] == [("Nobody", "games.no_player")]
    assert (hall.feed.games, hall.feed.error) == (2, "")


def test_a_match_is_alive_before_its_game_has_a_row(root: Path) -> None:
    stage = brackets.drawn(4)
    key = brackets.table(stage).state.open_matches[0].key
    brackets.ready_for_game(stage, key)
    hall = Hall(stage.section.tournament, root)
    hall.look()
    slot = next(slot for slot in hall.event._slots.values() if slot.match == key)
    people = {entry.pk: entry.player.name for entry in hall.tournament.entries.select_related("player")}
    head = f'[Event "x"]\n[White "{people[slot.white]}"]\n[Black "{people[slot.black]}"]\n[Round "{key[1:]}.1"]\n'
    hall.write(f"{head}\n1. e4 e5 *\n")
    (row,) = hall.look()
    assert (row["match"], row["number"], row["move"], row["game"]) == (key, 1, "1… e5", None)
    broadcast = Broadcast.objects.get()
    (text,) = live_pages.pgn_of_live(
        live_pages.live_games(hall.tournament, broadcast), hall.tournament, broadcast, several=False
    )
    assert (f'[Match "{key}"]' in text, "1. e4 e5 *" in text) == (True, True)
    brackets.play(stage, key, "1 1")
    hall.write(f'{head}[Result "1-0"]\n\n1. e4 e5 2. Nf3 1-0\n')
    hall.look(3)
    played = Game.objects.get(match_key=key, game_number=1)
    assert (played.pgn, LiveGame.objects.get().game_id) == ("1. e4 e5 2. Nf3", played.pk)


def test_one_follower_works_and_ends_when_there_is_nothing_to_follow(hall: Hall, stage: Stage) -> None:
    hall.write(as_boards_write(games(stage)[0], "1. e4"))
    assert live.follow(0)
    assert Broadcast.objects.get().boards
    other = connection.copy()
    try:
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s, %s)", live._LOCK)
        assert not live.follow(0)
    finally:
        other.close()
    Tournament.objects.update(state=Tournament.State.FINISHED)
    LiveGame.objects.all().delete()
    assert not live.follow(60)
    Tournament.objects.update(state=Tournament.State.RUNNING)
    feeds.switch_feed(hall.feed, on=False, actor=None)
    assert not live.follow(60)
    feeds.remove_feed(hall.feed, actor=None)
    assert list(ActionLog.objects.filter(action__startswith="games.feed").values_list("action", flat=True)) == [
        "games.feed_removed",
        "games.feed_off",
        "games.feed_added",
    ]


def test_an_event_that_fails_stops_nobody_elses_boards(
    hall: Hall, stage: Stage, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = rounds.stage_of(4, starts_on=None)
    rounds.next_round(other)
    feeds.add_feed(other.section.tournament, kind="folder", place="", actor=None)
    own = root / other.section.tournament.slug
    (own / "games.pgn").write_text(as_boards_write(games(other)[0], "1. c4"), encoding="utf-8")
    look = live._Event.look
    failed: list[live._Event] = []

    def fail(event: live._Event, *rest: Any) -> None:
        if event.tournament.pk == hall.tournament.pk:
            failed.append(event)
            raise ValueError("of one event")
        look(event, *rest)

    monkeypatch.setattr(live._Event, "look", fail)
    clock = iter([time.time() + step for step in (0, 1, 2, 99)])
    assert live.follow(90, now=lambda: next(clock, time.time() + 999), pause=lambda _seconds: None)
    assert [row["move"] for row in Broadcast.objects.get(tournament=other.section.tournament).boards] == ["1. c4"]
    assert len(failed) == 2  # it rests between


def test_an_event_that_has_moved_is_left_alone(hall: Hall, stage: Stage) -> None:
    hall.write(as_boards_write(games(stage)[0], "1. f3 e5 2. g4 Qh4#"))
    hall.look()
    Tournament.objects.update(moved_to="https://elsewhere.example")
    assert live._wanted() == {}


def test_an_address_is_polled_and_its_faults_are_told(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    tournament = stage.section.tournament
    answers: list[Any] = [outside.Fetched(as_boards_write(games(stage)[0], "1. e4").encode(), '"1"')]
    asked: list[str] = []

    def fetch(url: str, *, etag: str, modified: str, private: bool) -> outside.Fetched:
        asked.append(etag)
        answer = answers.pop(0)
        if isinstance(answer, TourneyError):
            raise answer
        return answer

    monkeypatch.setattr(outside, "fetch", fetch)
    feed = feeds.add_feed(tournament, kind="address", place="https://example.org/games.pgn", actor=None)
    event = live._Event(tournament.pk)

    def look(now: float) -> BoardFeed:
        event.look([feed], now)  # asks
        source: Any = event._feeds[feed.pk].source
        if source._asked is not None:
            source._asked.exception()  # waits for the answer
        event.look([feed], now + 0.1)
        feed.refresh_from_db()
        return feed

    now = time.time()
    assert (look(now).error, LiveGame.objects.count()) == ("", 1)
    answers.append(outside.Fetched(None, '"1"'))
    look(now + 10)
    answers.append(TourneyError("outside.status", status=503))
    assert (look(now + 20).error, feed.error_values) == ("outside.status", {"status": 503})
    assert asked == ["", '"1"', '"1"']


@pytest.mark.parametrize(
    ("place", "code"),
    [("../../etc", "feed.outside_root"), ("missing", "feed.no_folder"), ("a\0b", "feed.no_folder")],
)
def test_only_folders_below_the_root_are_watched(stage: Stage, root: Path, place: str, code: str) -> None:
    own = root / stage.section.tournament.slug
    own.mkdir()
    (own / "away").symlink_to("/etc")
    for name, expected in ((place, code), ("away", "feed.outside_root")):
        with pytest.raises(TourneyError) as refused:
            feeds.add_feed(stage.section.tournament, kind="folder", place=name, actor=None)
        assert refused.value.code == expected
    assert not BoardFeed.objects.exists()


def test_nobody_watches_the_folders_of_another_event(hall: Hall, stage: Stage, root: Path) -> None:
    other = rounds.stage_of(8, starts_on=None)
    rounds.next_round(other)
    event = other.section.tournament
    theirs = hall.tournament.slug
    hall.write(as_boards_write(games(other)[0], "1. e4 e5"))
    for place in (f"../{theirs}/hall", f"../{theirs}", "..", f"{theirs}/../../{theirs}"):
        with pytest.raises(TourneyError) as refused:
            feeds.add_feed(event, kind="folder", place=place, actor=None)
        assert refused.value.code == "feed.outside_root", place
    for place in ("hall", f"{theirs}/hall"):  # not even whether it is there is told
        with pytest.raises(TourneyError) as refused:
            feeds.add_feed(event, kind="folder", place=place, actor=None)
        assert (refused.value.code, refused.value.values["place"]) == ("feed.no_folder", f"{event.slug}/{place}")
    brought = BoardFeed.objects.create(tournament=event, kind="folder", place=f"../{theirs}/hall")  # by an archive
    live._Event(event.pk).look([brought], hall.now)
    brought.refresh_from_db()
    assert (brought.error, LiveGame.objects.exists()) == ("feed.outside_root", False)
    own = feeds.add_feed(event, kind="folder", place="", actor=None)
    (root / event.slug / "games.pgn").write_text(as_boards_write(games(other)[0], "1. e4 e5"), encoding="utf-8")
    live._Event(event.pk).look([own], hall.now)
    assert (own.where, LiveGame.objects.count()) == (event.slug, 1)


def test_a_link_in_the_folder_is_not_followed(hall: Hall, stage: Stage) -> None:
    elsewhere = hall.folder.parent / "secret.pgn"
    elsewhere.write_text(as_boards_write(games(stage)[0], "1. e4"), encoding="utf-8")
    (hall.folder / "link.pgn").symlink_to(elsewhere)
    assert hall.look() == []


def test_a_server_without_a_root_watches_nothing(stage: Stage, settings: Any) -> None:
    settings.BOARD_FOLDERS = ""
    with pytest.raises(TourneyError, match=r"feed\.no_root"):
        feeds.add_feed(stage.section.tournament, kind="folder", place="hall", actor=None)
    with pytest.raises(TourneyError, match=r"outside\.bad_address"):
        feeds.add_feed(stage.section.tournament, kind="address", place="hall", actor=None)


def test_what_a_folder_holds_is_handed_in_as_a_file(hall: Hall, stage: Stage) -> None:
    hall.write(as_boards_write(games(stage)[0], "1. e4 e5"), name="a.pgn")
    hall.write(as_boards_write(games(stage)[1], "1. d4 d5"), name="b.pgn")
    taken = feeds.import_feed(hall.feed, actor=None)
    assert (GameImport.objects.count(), taken.name) == (1, "hall.pgn")


@pytest.mark.clause("K9.2")
def test_the_delay_holds_for_what_is_handed_in_as_a_file(hall: Hall, stage: Stage) -> None:
    feeds.set_delay(hall.tournament, minutes=15, half_moves=0, actor=None)
    one, two, *_ = games(stage)
    hall.write(as_boards_write(one, "1. e4 {a} e5", "1-0") + "\n" + as_boards_write(two, "1. d4 d5"))
    taken = feeds.import_feed(hall.feed, actor=None)
    content = b"".join(bytes(part.content) for part in taken.parts.all())
    assert (b"e4 {a} e5" in content, b"d4" in content) == (True, False)
    hall.write(as_boards_write(two, "1. d4 d5"))
    with pytest.raises(TourneyError, match=r"pgn\.no_games"):
        feeds.import_feed(hall.feed, actor=None)


@pytest.mark.clause("K9.2")
def test_the_delay_holds_for_a_file_of_the_round_that_is_played(stage: Stage) -> None:
    event = stage.section.tournament
    one, two, three, _four = games(stage)
    feeds.set_delay(event, minutes=15, half_moves=4, actor=None)
    Game.objects.filter(pk=three.pk).update(outcome="0-1", finished_at=timezone.now() - timedelta(minutes=16))
    file = [as_boards_write(one, "1. e4 e5 {why} 2. Nf3"), as_boards_write(two, "1. d4 d5 2. c4 e6 3. Nc3", "1-0")]
    file.append(as_boards_write(three, "1. f3 e5 2. g4 Qh4#", "0-1"))
    taken, _new = game_imports.request_import(event, "\n".join(file).encode())
    game_imports.run_import(taken.pk)
    taken.refresh_from_db()
    assert (taken.report["held"], taken.report["placed"]) == (2, 1)
    assert [line["code"] for line in taken.report["problems"]] == ["games.held", "games.held"]
    assert list(Game.objects.exclude(pgn="").values_list("pk", flat=True)) == [three.pk]
    with pytest.raises(TourneyError, match=r"games\.wait_for_result"):
        moves_by_hand.set_moves(one, "1. e4 e5", actor=None)
    with pytest.raises(TourneyError, match=r"games\.wait_for_result"):
        score_sheets.store_sheet(one, "e4 e5", actor=None)
    assert live._wanted() == {event.pk: []}

    follower, now = live._Event(event.pk), time.time()
    follower.look([], now)
    assert moves_of(Broadcast.objects.get().boards) == ["", ""]
    Game.objects.filter(pk=one.pk).update(outcome="1-0", finished_at=timezone.now())
    Stage.objects.filter(pk=stage.pk).update(version=F("version") + 1)
    follower.look([], now + 16 * 60)
    assert moves_of(Broadcast.objects.get().boards) == ["2. Nf3", "3. Nc3"]
    assert Game.objects.get(pk=one.pk).pgn == "1. e4 e5 {why} 2. Nf3"
    assert Game.objects.get(pk=two.pk).pgn == "1. d4 d5 2. c4 e6 3. Nc3"

    game_imports.import_again(taken)
    game_imports.run_import(taken.pk)
    taken.refresh_from_db()
    assert taken.report.get("held", 0) == 0


def test_moves_of_a_game_long_ago_wait_for_nobody(stage: Stage) -> None:
    now = timezone.now()
    game = Game(outcome="", scheduled_at=now - timedelta(hours=25))
    assert not held_games.must_wait(game, Delay(15, 0), now)
    game.scheduled_at = now - timedelta(hours=23)
    assert held_games.must_wait(game, Delay(0, 2), now)
    assert not held_games.must_wait(game, Delay(), now)
    event = stage.section.tournament
    feeds.set_delay(event, minutes=15, half_moves=0, actor=None)
    assert held_games.delay_of(event) == Delay(15, 0)
    event.state = Tournament.State.FINISHED
    assert held_games.delay_of(event) == Delay()


def test_the_file_of_live_games_takes_one_statement_however_many_there_are(hall: Hall, stage: Stage) -> None:
    hall.write("\n".join(as_boards_write(one, "1. e4 e5") for one in games(stage)))
    assert len(hall.look()) == 4
    broadcast = Broadcast.objects.get()
    with CaptureQueriesContext(connection) as asked:
        rows = live_pages.live_games(hall.tournament, broadcast)
        assert len(list(live_pages.pgn_of_live(rows, hall.tournament, broadcast, several=False))) == 4
    assert len(asked) == 1
