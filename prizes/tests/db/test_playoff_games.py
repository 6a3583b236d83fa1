"""Games of play-offs have rows: their moves are matched, replayed, shown live and downloaded like those of others."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from prizes.models import PlayoffMatch
from prizes.panels import playoffs_awaited
from prizes.services import playoffs
from prizes.tests.db.test_playoffs import Table, tied
from tourney import game_records
from tourney.game_records import Wanted
from tourney.live_boards import Delay
from tourney.models import Broadcast, Entry, Game, GameImport, LiveGame, Section, Stage
from tourney.services import feeds, game_imports, held_games, live
from tourney.start_lists import games_of, score_of

pytestmark = [pytest.mark.django_db, pytest.mark.clause("M8.2")]


def rows(section: Section) -> list[tuple[int, int, int, str, str]]:
    found = Game.objects.filter(stage__section=section, stage__kind=Stage.Kind.PLAYOFF).order_by("game_number", "pk")
    return [(game.game_number, game.white_id, game.black_id, game.outcome, game.time_control) for game in found]


def record(white: Entry, black: Entry, moves: str, result: str, *more: str) -> str:
    tags = [f'[White "{white.player.name}"]', f'[Black "{black.player.name}"]', f'[Result "{result}"]', *more]
    return "\n".join(['[Event "Cup"]', *tags, "", f"{moves} {result}", "", ""])


def handed_in(section: Section, text: str) -> dict[str, Any]:
    taken, _new = game_imports.request_import(section.tournament, text.encode())
    game_imports.run_import(taken.pk)
    return GameImport.objects.get(pk=taken.pk).report


def test_a_play_offs_games_follow_its_steps() -> None:
    section, (first, second, *_) = tied([1, 1, 3, 4])
    table = Table(section)
    assert rows(section) == []
    table.white_for(second)
    table.play("1/2")
    table.play("1/2")
    clock = rows(section)[0][4]
    assert rows(section) == [(1, second.pk, first.pk, "1/2", clock), (2, first.pk, second.pk, "1/2", clock)]
    table.white_for(first)  # of the Armageddon: who chooses
    table.act(playoffs.choose_color, color="w")
    table.play("0-1")
    assert [row[3:] for row in rows(section)] == [("1/2", clock), ("1/2", clock), ("0-1", "5/4")]
    table.act(playoffs.correct_game, number=2, outcome="1-0", reason="misheard")
    assert [row[3] for row in rows(section)] == ["1/2", "1-0"]  # the Armageddon counts no more
    Game.objects.filter(stage__kind=Stage.Kind.PLAYOFF).delete()
    playoffs.rebuild_playoffs(section.tournament)
    assert [row[3] for row in rows(section)] == ["1/2", "1-0"]
    table.act(playoffs.drop_playoff, reason="another way")
    assert rows(section) == []


def test_moves_outlive_a_result_that_is_taken_back() -> None:
    section, (first, second, *_) = tied([1, 1, 3, 4])
    table = Table(section)
    table.white_for(first)
    table.play("1-0")
    more = ('[Match "PO1"]', '[MatchGame "1"]')  # these two met in the rounds as well
    report = handed_in(section, record(first, second, "1. e4 e5 2. Qh5 Ke7 3. Qxe5#", "1-0", *more))
    assert report.get("placed") == 1, report
    table.act(playoffs.undo_last)
    assert [row[3] for row in rows(section)] == [""]
    table.play("1/2")
    game = Game.objects.select_related("stage").get(stage__kind=Stage.Kind.PLAYOFF)
    assert (game.outcome, game.ply_count) == ("1/2", 5)
    # It has ended just now: the public waits for other moves of it.
    assert game.finished_at == table.match.events.latest("pk").at
    assert held_games.must_wait(game, Delay(15, 0), timezone.now())


def test_projecting_again_changes_nothing() -> None:
    section, (first, second, *_) = tied([1, 1, 3, 4])
    table = Table(section)
    table.white_for(first)
    table.play("1-0")
    more = ('[Match "PO1"]', '[MatchGame "1"]')
    handed_in(section, record(first, second, "1. e4 e5", "1-0", *more))
    for _ in range(2):  # with its result, and taken back with moves
        playoffs.rebuild_playoffs(section.tournament)
        game = Game.objects.select_related("stage").get(stage__kind=Stage.Kind.PLAYOFF)
        versions = game.version, game.stage.version
        playoffs.rebuild_playoffs(section.tournament)
        game = Game.objects.select_related("stage").get(stage__kind=Stage.Kind.PLAYOFF)
        assert (game.version, game.stage.version) == versions
        if game.outcome:
            table.act(playoffs.undo_last)


def test_a_board_stays_one_board_when_the_games_that_are_due_are_numbered_anew(tmp_path: Path, settings: Any) -> None:
    settings.BOARD_FOLDERS = str(tmp_path)
    section, entries = tied([1, 1, 1, 4])
    table = Table(section)
    due = playoffs_awaited(section.tournament)
    feed = feeds.add_feed(section.tournament, kind="folder", place="", actor=None)
    follower, folder = live._Event(section.tournament.pk), tmp_path / section.tournament.slug
    people, now = {entry.pk: entry for entry in entries}, time.time()

    def write(number: int, moves: str) -> None:
        one = due[number]
        text = record(people[one.white], people[one.black], moves, "*", '[Match "PO1"]')
        (folder / f"{number}.pgn").write_text(text, encoding="utf-8")

    def look(seconds: float) -> set[tuple[int, int, str, bool]]:
        follower.look([feed], now + seconds)
        boards = Broadcast.objects.get().boards
        assert len(boards) == len(due)
        return {(row["white"], row["number"], row["move"], row["game"] is None) for row in boards}

    for number in range(3):
        write(number, "1. e4 e5")
    look(0)
    first_over = {"white": str(due[2].white), "black": str(due[2].black), "outcome": "0-1"}
    table.act(playoffs.enter_game, **first_over)
    assert LiveGame.objects.get(white=due[2].white).game_number == 1
    table.act(playoffs.undo_last)
    assert look(3) == {(one.white, one.number, "1… e5", True) for one in due}
    table.act(playoffs.enter_game, **first_over)
    for number in range(2):
        write(number, "1. e4 e5 2. Nf3")
    others = {(due[0].white, 2, "2. Nf3", True), (due[1].white, 3, "2. Nf3", True)}
    assert look(6) == {(due[2].white, 1, "1… e5", False), *others}
    kept = set(LiveGame.objects.values_list("white", "game_number"))
    assert kept == {(due[0].white, 2), (due[1].white, 3), (due[2].white, 1)}


def test_a_record_is_placed_replayed_listed_and_downloaded(client: Client) -> None:
    section, (first, second, *_) = tied([1, 1, 3, 4])
    event = section.tournament
    table = Table(section)
    table.white_for(second)
    table.play("1/2")
    table.play("0-1")
    report = handed_in(section, record(second, first, "1. d4 d5", "1/2-1/2"))
    assert (report["placed"], report.get("left_out", 0)) == (1, 0)
    (one, two) = Game.objects.filter(stage__kind=Stage.Kind.PLAYOFF).order_by("game_number")
    assert (one.pgn, two.pgn) == ("1. d4 d5", "")

    english = {"accept-language": "en"}
    page = client.get(reverse("game", args=[event.slug, one.pk]), headers=english).content.decode()
    assert "play-off for first place, game 1" in page
    listed = client.get(reverse("games", args=[event.slug]), headers=english).content.decode()
    assert listed.count("Play-off for first place") >= 1
    assert f'href="{reverse("game", args=[event.slug, one.pk])}"' in listed
    assert [game.number for game in game_records.more_games(event, Wanted())] == [2]
    assert game_records.more_games(event, Wanted(all_games=True)) == []
    file = client.get(f"{reverse('games_pgn', args=[event.slug])}?section={section.code}&match=PO1")
    text = b"".join(file.streaming_content).decode()  # type: ignore[arg-type]
    assert [line for line in text.splitlines() if line.startswith(("[Round", "[Match"))] == [
        *('[Round "-"]', '[Match "PO1"]', '[MatchGame "1"]'),
        *('[Round "-"]', '[Match "PO1"]', '[MatchGame "2"]'),
    ]
    assert handed_in(section, text)["same"] == 1  # our own file is known again


def test_a_play_off_counts_for_no_score_and_no_stage_of_play(client: Client) -> None:
    section, (first, second, *_) = tied([1, 1, 3, 4])
    before = client.get(reverse("player", args=[section.tournament.slug, section.code, first.pk])).context["score"]
    table = Table(section)
    table.white_for(first)
    table.play("1-0")
    table.play("0-1")
    page = client.get(
        reverse("player", args=[section.tournament.slug, section.code, first.pk]), headers={"accept-language": "en"}
    )
    assert page.context["score"] == before
    assert "Play-off" in page.content.decode()
    assert score_of([game for game in games_of(second) if game.counts]) == score_of([])


def test_boards_show_a_play_off_before_its_game_has_a_result(tmp_path: Path, settings: Any) -> None:
    settings.BOARD_FOLDERS = str(tmp_path)
    section, entries = tied([1, 1, 1, 4])
    table = Table(section)
    due = playoffs_awaited(section.tournament)
    assert [(game.match, game.number) for game in due] == [("PO1", 1), ("PO1", 2), ("PO1", 3)]
    feed = feeds.add_feed(section.tournament, kind="folder", place="", actor=None)
    follower, file = live._Event(section.tournament.pk), tmp_path / section.tournament.slug / "games.pgn"
    people = {entry.pk: entry for entry in entries}
    last = due[2]
    white, black = people[last.white], people[last.black]
    file.write_text(record(white, black, "1. f3 e5", "*", '[Match "PO1"]'), encoding="utf-8")
    follower.look([feed], time.time())
    (row,) = Broadcast.objects.get().boards
    assert (row["move"], row["number"], row["game"]) == ("1… e5", 3, None)
    # It ends first: so it is the first game of the play-off.
    table.act(playoffs.enter_game, white=str(last.white), black=str(last.black), outcome="0-1")
    game = Game.objects.get(stage__kind=Stage.Kind.PLAYOFF)
    assert (game.game_number, LiveGame.objects.get().game_id) == (1, game.pk)
    file.write_text(record(white, black, "1. f3 e5 2. g4 Qh4#", "0-1", '[Match "PO1"]'), encoding="utf-8")
    follower.look([feed], time.time() + 3)
    game.refresh_from_db()
    assert game.pgn == "1. f3 e5 2. g4 Qh4#"


def test_the_second_play_off_of_a_group_has_a_name_of_its_own() -> None:
    section, (first, _second, *_) = tied([1, 1, 3, 4])
    table = Table(section)
    table.act(playoffs.drop_playoff, reason="begun too early")
    again = Table(section)
    again.white_for(first)
    again.play("1-0")
    assert [game.match_key for game in Game.objects.filter(stage__kind=Stage.Kind.PLAYOFF)] == ["PO2"]
    assert (Stage.objects.filter(kind=Stage.Kind.PLAYOFF).count(), PlayoffMatch.objects.count()) == (1, 2)
