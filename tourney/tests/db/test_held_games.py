"""Records that wait for the public: nothing of them is lost, and none takes back what is known already."""

from __future__ import annotations

import time
from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F
from django.utils import timezone

from swiss.tests import builders as rounds
from tourney import pgn
from tourney.game_records import games_of, tags_of
from tourney.kernel.errors import TourneyError
from tourney.models import Broadcast, Game, GameImport, LiveGame, Stage
from tourney.services import feeds, game_imports, live
from tourney.services import games as moves_by_hand

pytestmark = [pytest.mark.django_db, pytest.mark.clause("K9.2")]


@pytest.fixture
def stage() -> Stage:
    stage = rounds.stage_of(8, starts_on=None)
    rounds.next_round(stage)
    return stage


@pytest.fixture
def game(stage: Stage) -> Game:
    feeds.set_delay(stage.section.tournament, minutes=15, half_moves=0, actor=None)
    return games_of(stage.section.tournament).filter(stage=stage).order_by("board")[0]


def record(game: Game, moves: str, result: str = "*") -> str:
    return pgn.write({**tags_of(game, game.stage.section.tournament, several=False), "Result": result}, moves)


def hand_in(game: Game, moves: str, result: str = "*", *, replace: bool = False) -> dict[str, Any]:
    event = game.stage.section.tournament
    taken, _new = game_imports.request_import(event, record(game, moves, result).encode(), replace=replace)
    game_imports.run_import(taken.pk)
    taken.refresh_from_db()
    report: dict[str, Any] = taken.report
    return report


def end(game: Game, outcome: str = "1-0", **ago: float) -> None:
    Game.objects.filter(pk=game.pk).update(outcome=outcome, finished_at=timezone.now() - timedelta(**ago))
    Stage.objects.filter(pk=game.stage_id).update(version=F("version") + 1)


def codes(report: dict[str, Any]) -> list[str]:
    return [line["code"] for line in report["problems"]]


def test_moves_that_come_while_a_shorter_record_is_stored_are_stored_too(game: Game) -> None:
    hand_in(game, "1. e4 e5")
    end(game)
    follower, now = live._Event(game.stage.section.tournament_id), time.time() + 15 * 60
    follower.look([], now - 60)
    hand_in(game, "1. e4 e5 2. Nf3 Nc6 3. Bb5", "1-0")
    follower.look([], now - 59 + live.LOOK_AROUND * 0.4)  # it has not looked around yet
    follower._show(now + 5)
    assert LiveGame.objects.get().stored is None
    follower.look([], now + 20 * 60)
    assert Game.objects.get(pk=game.pk).pgn == "1. e4 e5 2. Nf3 Nc6 3. Bb5"
    assert LiveGame.objects.get().stored == 5


def test_a_name_taken_out_of_comments_stays_out_of_the_record(game: Game) -> None:
    hand_in(game, "1. e4 {Petrenko thinks} e5")
    end(game)
    follower, now = live._Event(game.stage.section.tournament_id), time.time()
    follower.look([], now)
    LiveGame.objects.update(text="1. e4 {N. thinks} e5")
    follower.look([], now + 16 * 60)
    follower.look([], now + 17 * 60)
    assert Game.objects.get(pk=game.pk).pgn == "1. e4 {N. thinks} e5"


def test_a_board_writes_over_nothing_a_file_has_brought_meanwhile(game: Game, tmp_path: Any, settings: Any) -> None:
    settings.BOARD_FOLDERS = str(tmp_path)
    event = game.stage.section.tournament
    feed = feeds.add_feed(event, kind="folder", place="", actor=None)
    file = tmp_path / event.slug / "games.pgn"
    file.write_text(record(game, "1. e4 e5"), encoding="utf-8")
    follower, now = live._Event(event.pk), time.time()
    follower.look([feed], now)
    hand_in(game, "1. e4 {said} e5 2. Nf3 Nc6 3. Bb5")
    file.write_text(record(game, "1. e4 e5 2. Nf3"), encoding="utf-8")
    follower.look([feed], now + 0.5)
    row = LiveGame.objects.get()
    assert (len(row.moves), "{said}" in row.text) == (5, True)


def test_an_older_file_takes_no_move_back(game: Game) -> None:
    hand_in(game, "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6", "1-0")
    report = hand_in(game, "1. e4 e5")
    assert (report["same"], report.get("held", 0), codes(report)) == (1, 0, [])
    hand_in(game, "1. e4 e5 2. Nf3 Nc6 3. Bb5 {the Spanish} a6")
    row = LiveGame.objects.get()
    assert (len(row.moves), row.result) == (6, "1-0")
    report = hand_in(game, "1. d4 d5 2. c4")
    assert (report["left_out"], codes(report), len(LiveGame.objects.get().moves)) == (1, ["games.other_moves"], 6)
    assert hand_in(game, "1. d4 d5", replace=True)["held"] == 1
    assert [move[0] for move in LiveGame.objects.get().moves] == ["d4", "d5"]


def test_replacing_holds_for_a_record_that_waits(game: Game) -> None:
    end(game, days=2)
    moves_by_hand.set_moves(game, "1. d4 d5", actor=None)
    end(game)
    report = hand_in(game, "1. e4 e5 2. Nf3", "1-0")
    assert (report["left_out"], codes(report)) == (1, ["games.other_moves"])  # told at once, not when it is stored
    assert not LiveGame.objects.exists()
    report = hand_in(game, "1. e4 e5 2. Nf3", "1-0", replace=True)
    assert (report["held"], codes(report)) == (1, ["games.held"])
    live._Event(game.stage.section.tournament_id).look([], time.time() + 20 * 60)
    assert (Game.objects.get(pk=game.pk).pgn, LiveGame.objects.get().conflict) == ("1. e4 e5 2. Nf3", "")


def test_a_record_put_on_a_game_by_hand_is_told_when_others_stand_there(game: Game) -> None:
    end(game, days=2)
    moves_by_hand.set_moves(game, "1. d4 d5", actor=None)
    end(game)
    hand_in(game, "1. e4 e5 2. Nf3", "1-0")
    with pytest.raises(TourneyError, match=r"games\.other_moves"):
        game_imports.place_record(GameImport.objects.get(), 1, game, actor=None)
    GameImport.objects.update(replace=True)
    assert game_imports.place_record(GameImport.objects.get(), 1, game, actor=None) == "held"


def test_a_record_waits_for_its_result_however_long(game: Game) -> None:
    event = game.stage.section.tournament
    hand_in(game, "1. e4 e5 2. Nf3", "1-0")
    row = LiveGame.objects.get()
    long_ago = timezone.now() - timedelta(hours=30)
    moves = [[*move[:-1], move[-1] - 30 * 3600] for move in row.moves]
    LiveGame.objects.update(changed_at=long_ago, moves=moves, result_came=row.result_came - 30 * 3600)
    assert live._wanted() == {}  # nothing is waited for
    end(game)
    assert live._wanted() == {event.pk: []}
    follower = live._Event(event.pk)
    follower.look([], time.time())
    assert Game.objects.get(pk=game.pk).pgn == "1. e4 e5 2. Nf3"
    assert live._wanted() == {}
    follower.look([], time.time() + 3)
    assert Broadcast.objects.get().boards == []
