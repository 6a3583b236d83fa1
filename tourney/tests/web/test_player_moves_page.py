"""Players type the moves of their own finished games behind their personal link, where the event lets them."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from registration.links import hash_of, token_of
from registration.models import Application
from swiss.tests import builders as rounds
from tourney import pgn
from tourney.models import ActionLog, Game, Stage
from tourney.services import games
from tourney.services.score_sheets import let_players_enter

pytestmark = pytest.mark.django_db


@pytest.fixture
def stage() -> Stage:
    found = rounds.stage_of(6, starts_on=None)
    rounds.play(found, "1-0 1/2 0-1")
    let_players_enter(found.section.tournament, allowed=True, actor=None)
    return found


@pytest.fixture
def game(stage: Stage) -> Game:
    return Game.objects.filter(stage=stage).order_by("board")[0]


def link(game: Game, side: str = "white") -> str:
    entry = getattr(game, side)
    token = token_of(entry.pk)
    Application.objects.create(entry=entry, link_hash=hash_of(token))
    return reverse("entrant_moves", args=[token])


def words(answer: Any) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode()))


def test_a_player_types_an_own_finished_game(client: Client, stage: Stage, game: Game) -> None:
    here = link(game)
    opened = client.get(here, headers={"accept-language": "en"})
    assert opened.content.decode().count('class="board-no" href=') == 1
    sheet = f"{here}?game={game.pk}"
    assert client.get(sheet).status_code == 200

    answer = client.post(sheet, {"text": "e4 e5 Кf3", "act": "store"}, headers={"accept-language": "en"}, follow=True)

    assert "2 moves stored." in words(answer)
    game.refresh_from_db()
    assert game.pgn == "1. e4 e5 2. Nf3"
    line = ActionLog.objects.get(action="games.moves_by_player")
    assert (line.actor, line.actor_label, line.data["moves"]) == (None, game.white.name, 2)


def test_moves_already_stored_may_only_be_gone_on_with(client: Client, stage: Stage, game: Game) -> None:
    games.set_moves(game, "1. e4 {a record} e5", actor=None)
    sheet = f"{link(game, 'black')}?game={game.pk}"
    assert "1. e4 e5</textarea>" in client.get(sheet).content.decode()
    other = client.post(sheet, {"text": "d4 d5 c4", "act": "store"}, headers={"accept-language": "en"})
    assert (other.status_code, "This game has other moves already" in words(other)) == (422, True)
    assert "d4 d5 c4</textarea>" in other.content.decode()
    client.post(sheet, {"text": "e4 e5", "act": "store"})
    assert Game.objects.get(pk=game.pk).pgn == "1. e4 {a record} 1... e5"
    client.post(sheet, {"text": "e4 e5 Кf3 Кf3", "act": "part"})
    assert Game.objects.get(pk=game.pk).pgn == "1. e4 {a record} 1... e5\n2. Nf3"  # nothing of the record is lost
    client.post(sheet, {"text": "e4 e5 Кf3 Кc6 Сb5", "act": "store"})
    read = next(iter(pgn.read(Game.objects.get(pk=game.pk).pgn.encode())))
    assert (read.body, read.ply_count) == ("1. e4 {a record} 1... e5 2. Nf3 Nc6 3. Bb5", 5)


def test_games_of_others_and_games_without_a_result_are_not_there(client: Client, stage: Stage, game: Game) -> None:
    here = link(game)
    other = Game.objects.filter(stage=stage).exclude(pk=game.pk)[0]
    coming = rounds.games_of(rounds.next_round(stage))
    own = next(one for one in coming if game.white_id in (one.white_id, one.black_id))
    for pk in (other.pk, own.pk, "x", "9" * 20):
        assert client.get(f"{here}?game={pk}").status_code == 404
        assert client.post(f"{here}?game={pk}", {"text": "e4", "act": "store"}).status_code == 404
    assert not Game.objects.exclude(pgn="").exists()


def test_without_the_events_leave_there_is_no_page(client: Client, stage: Stage, game: Game) -> None:
    here = link(game)
    personal = here.replace("moves/", "")
    assert here in client.get(personal).content.decode()
    let_players_enter(stage.section.tournament, allowed=False, actor=None)
    assert client.get(here).status_code == 404
    assert here not in client.get(personal).content.decode()
    assert client.get(reverse("entrant_moves", args=["x" * 22])).status_code == 404
