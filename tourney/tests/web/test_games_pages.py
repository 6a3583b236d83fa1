"""Pages of games by role: the list, one game without scripts and with them, downloads, the staff page."""

from __future__ import annotations

import gzip
import random
import re
from typing import Any

import chess
import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from swiss.tests import builders as rounds
from tourney.models import Game, GameImport, Stage
from tourney.services import game_imports, games
from tourney.testing import builders
from tourney.testing.pages import stays_inside, unfit_for_all
from tourney.tests.db.test_games import as_file, asked_import

pytestmark = pytest.mark.django_db

MOVES = "{before} 1. e4 {[%clk 1:29:50] good} e5 (1... c5 2. Nf3) 2. Qh5 Nc6 3. Bc4 Nf6?? 4. Qxf7#"


@pytest.fixture
def stage() -> Stage:
    found = rounds.stage_of(12, starts_on=None)
    rounds.play(found, "1-0 1/2 0-1")
    return found


@pytest.fixture
def game(stage: Stage) -> Game:
    found = Game.objects.filter(stage=stage).order_by("board").first()
    assert found is not None
    games.set_moves(found, MOVES, actor=None)
    found.white.player.surname = "Прокопенко"
    found.white.player.save()
    found.refresh_from_db()
    return found


def url(name: str, stage: Stage, *more: Any) -> str:
    return reverse(name, args=[stage.section.tournament.slug, *more])


def signed_in(stage: Stage, role: str, language: str = "en") -> Client:
    client = Client(headers={"accept-language": language})
    client.force_login(builders.user(role or "stranger", stage.section.tournament, role))
    return client


def text_of(answer: Any) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode()))


# -- public ------------------------------------------------------------------------------------------------------------


def test_an_event_without_moves_says_what_will_be_there(client: Client, stage: Stage) -> None:
    answer = client.get(url("games", stage), headers={"accept-language": "en"})
    assert "No games yet" in text_of(answer)
    assert client.get(url("games_pgn", stage)).getvalue() == b""


@pytest.mark.clause("K9.2")
def test_games_are_listed_searched_and_downloaded(client: Client, stage: Stage, game: Game) -> None:
    games.set_moves(Game.objects.filter(stage=stage).order_by("-board")[0], "1. d4 d5", actor=None)
    page = client.get(url("games", stage), headers={"accept-language": "en"})
    assert page.content.count(b'class="board-no" href=') == 2
    found = client.get(url("games", stage), {"q": "Prokop"}, headers={"accept-language": "en"})
    assert found.content.count(b'class="board-no" href=') == 1
    assert b"These games (PGN)" in found.content
    nobody = client.get(url("games", stage), {"q": "Nobody"}, headers={"accept-language": "en"})
    assert "No game fits" in text_of(nobody)
    whole = client.get(url("games_pgn", stage)).getvalue().decode()
    assert whole.count("[Event ") == 2
    one = client.get(url("games_pgn", stage), {"player": str(game.white_id)})
    assert one.getvalue().decode().count("[Event ") == 1
    assert one["Content-Type"].startswith("application/x-chess-pgn")
    assert client.get(url("games_pgn", stage), {"round": "7"}).getvalue() == b""
    alone = client.get(url("game_pgn", stage, game.pk)).content.decode()
    assert alone in whole
    assert alone.splitlines()[4] == f'[White "{game.white.name}"]'


def test_a_players_page_leads_to_the_moves(client: Client, stage: Stage, game: Game) -> None:
    address = reverse("player", args=[stage.section.tournament.slug, stage.section.code, game.black_id])
    assert f'href="{url("game", stage, game.pk)}"' in client.get(address).content.decode()


@pytest.mark.parametrize("query", ["?round=x", "?page=99", "?player=999999999999", "?q=%00", "?section=" + "x" * 200])
def test_odd_questions_are_answered(client: Client, stage: Stage, game: Game, query: str) -> None:
    assert client.get(url("games", stage) + query).status_code == 200
    assert client.get(url("games_pgn", stage) + query).status_code == 200


@pytest.mark.clause("K9.2")
def test_a_game_is_read_move_by_move_without_scripts(client: Client, stage: Stage, game: Game) -> None:
    first = client.get(url("game", stage, game.pk), headers={"accept-language": "en"})
    assert first.content.count(b"<use ") == 32
    assert first.content.count(b"data-ply=") == 7
    for words in ("before", "Starting position", "Qxf7#"):
        assert words in text_of(first)
    assert "(1... c5 2. Nf3)" in re.sub(r"<[^>]+>", "", first.content.decode())  # each move is a link
    last = client.get(url("game", stage, game.pk) + "?ply=7", headers={"accept-language": "en"}).content.decode()
    assert last.count("<use ") == 31
    assert 'class="bd-check" x="180" y="0"' in last
    assert '<title id="board-title">4. Qxf7#</title>' in last
    assert "1:29:50" in last
    assert " style=" not in last
    assert client.get(url("game", stage, game.pk) + "?ply=9999").status_code == 200
    assert client.get(url("game", stage, game.pk) + "?ply=-1").status_code == 200


def test_what_the_public_must_not_know_is_not_there(client: Client, stage: Stage, game: Game) -> None:
    pairing = rounds.next_round(stage)
    unplayed = rounds.games_of(pairing)[0]
    assert client.get(url("game", stage, unplayed.pk)).status_code == 404
    assert client.get(url("game_pgn", stage, unplayed.pk)).status_code == 404
    other = rounds.stage_of(12, starts_on=None)
    assert client.get(url("game", other, game.pk)).status_code == 404
    tournament = stage.section.tournament
    tournament.public = False
    tournament.save()
    for name, more in (("games", ()), ("games_pgn", ()), ("game", (game.pk,)), ("game_pgn", (game.pk,))):
        assert client.get(url(name, stage, *more)).status_code == 404
    assert signed_in(stage, "arbiter").get(url("games", stage)).status_code == 200


def test_a_name_without_consent_is_a_number_in_the_file_too(client: Client, stage: Stage, game: Game) -> None:
    game.white.public_name = False
    game.white.save()
    text = client.get(url("game_pgn", stage, game.pk), headers={"accept-language": "en"}).content.decode()
    assert game.white.player.surname not in text
    assert f'[White "Player {game.white.start_number}"]' in text


def test_the_list_takes_the_same_number_of_queries_for_many_games(client: Client, stage: Stage, game: Game) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert client.get(url("games", stage)).status_code == 200
        return len(captured)

    client.get(url("games", stage))
    few = queries()
    taken, _ = game_imports.request_import(stage.section.tournament, as_file(stage))
    game_imports.run_import(taken.pk)
    assert Game.objects.exclude(pgn="").count() == 6
    assert queries() == few


def test_a_game_is_stepped_through_by_keys_and_turned(page: Any, stage: Stage, game: Game) -> None:
    page.goto(url("game", stage, game.pk))
    assert page.locator(".bd-pieces use").count() == 32
    for _ in range(7):
        page.keyboard.press("ArrowRight")
    assert page.locator("[data-now]").text_content() == "4. Qxf7#"
    assert page.locator(".bd-pieces use").count() == 31
    assert page.url.endswith("?ply=7")
    king = page.locator('.bd-pieces use[href="#white-king"]')
    assert (king.get_attribute("x"), king.get_attribute("y")) == ("180", "315")
    page.locator("button[data-flip]").click()
    assert (king.get_attribute("x"), king.get_attribute("y")) == ("135", "0")
    page.locator('a[data-ply="1"]').click()
    assert page.locator("[data-say]").text_content() == "good"
    page.locator('a[data-step="first"]').click()
    assert page.locator("[data-say]").text_content() == "before"
    assert page.locator("a[data-ply][aria-current]").count() == 0


# -- staff -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("role", "reads", "writes"),
    [("organizer", 200, 302), ("chief_arbiter", 200, 302), ("arbiter", 200, 302), ("desk", 200, 403), ("", 404, 404)],
)
def test_arbiters_put_games_in_and_the_staff_reads(stage: Stage, role: str, reads: int, writes: int) -> None:
    client = signed_in(stage, role)
    address = url("manage_games", stage)
    assert client.get(address).status_code == reads
    assert client.post(address, {"text": as_file(stage).decode()}).status_code == writes
    assert GameImport.objects.count() == (1 if writes == 302 else 0)


def test_nobody_is_sent_to_sign_in(client: Client, stage: Stage) -> None:
    answer = client.get(url("manage_games", stage))
    assert answer.status_code == 302
    assert "sign-in" in answer["Location"]


def test_a_file_is_uploaded_read_and_reported(stage: Stage, django_capture_on_commit_callbacks: Any) -> None:
    client = signed_in(stage, "arbiter")
    content = b'[Event "x"]\n[White "Nobody"]\n[Black "Knows"]\n\n1. e4 *\n\n' + as_file(stage)
    with django_capture_on_commit_callbacks(execute=True):
        answer = client.post(url("manage_games", stage), {"file": SimpleUploadedFile("тур 1.pgn", content)})
    report = client.get(answer["Location"])
    for words in ("тур 1.pgn", "Nobody – Knows", "Nobody in this event is called like that.", "Not placed"):
        assert words in text_of(report)
    known = GameImport.objects.get()
    assert client.post(url("manage_games", stage), {"act": "again", "import": str(known.pk)}).status_code == 302
    waiting = client.get(answer["Location"], headers={"hx-request": "true"}).content.decode()
    assert "The games are being read." in waiting
    assert "hx-get" in waiting


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({}, "Choose a file, or paste games below."),
        ({"text": "1. e4 *", "file": SimpleUploadedFile("a.pgn", b"1. d4 *")}, "A file or text, not both."),
        ({"file": SimpleUploadedFile("a.zip", b"PK\x03\x04...")}, "This is not a PGN file"),
        ({"file": SimpleUploadedFile("big.pgn", b"x" * 1_000_001)}, "A file may have up to 1 MB."),
        ({"text": "%"}, "There is no game in it."),
    ],
)
def test_what_can_not_be_read_is_refused_at_the_field(
    stage: Stage, data: dict[str, Any], words: str, settings: Any
) -> None:
    settings.GAME_FILE_MB = 1
    for file in data.values():
        if isinstance(file, SimpleUploadedFile):
            file.seek(0)
    answer = signed_in(stage, "arbiter").post(url("manage_games", stage), data)
    assert answer.status_code == 422
    assert words in text_of(answer)
    assert not GameImport.objects.exists()


def test_reading_is_stopped_and_gone_on_with(stage: Stage) -> None:
    client = signed_in(stage, "arbiter")
    taken, _ = game_imports.request_import(stage.section.tournament, as_file(stage), name="a.pgn")
    here = {"import": str(taken.pk)}
    assert "Stop reading" in text_of(client.get(url("manage_games", stage), here))
    stopped = client.post(url("manage_games", stage), {"act": "stop", **here}, follow=True)
    for words in ("Reading was stopped.", "0 games were read", "Go on reading"):
        assert words in text_of(stopped)
    game_imports.run_import(taken.pk)
    assert not Game.objects.exclude(pgn="").exists()
    assert "The games are being read." in text_of(
        client.post(url("manage_games", stage), {"act": "go_on", **here}, follow=True)
    )
    game_imports.run_import(taken.pk)
    assert Game.objects.exclude(pgn="").count() == 6
    over = client.post(url("manage_games", stage), {"act": "stop", **here}, follow=True)
    assert "This file is not being read any more." in text_of(over)
    assert signed_in(stage, "desk").post(url("manage_games", stage), {"act": "stop", **here}).status_code == 403


def test_all_lines_of_a_report_are_a_table(stage: Stage) -> None:
    content = b'[Event "x"]\n[White "=Nobody"]\n[Black "Knows"]\n\n1. e4 Ke3 *\n\n' + as_file(stage)
    taken, _ = game_imports.request_import(stage.section.tournament, content)
    game_imports.run_import(taken.pk)
    answer = signed_in(stage, "arbiter").get(url("manage_games_report", stage, taken.pk))
    assert answer.getvalue().decode().splitlines()[1:] == [
        "1,1,'=Nobody,Knows,Nobody in this event is called like that.",
        "1,5,'=Nobody,Knows,1... Ke3 is not possible here; what comes before it was kept.",
    ]
    assert signed_in(stage, "").get(url("manage_games_report", stage, taken.pk)).status_code == 404


def test_moves_are_put_in_and_taken_out_by_hand(stage: Stage, game: Game) -> None:
    client = signed_in(stage, "arbiter")
    address = f"{url('manage_games', stage)}?game={game.pk}"
    assert MOVES[:8] in client.get(address).content.decode()
    stored = client.post(address, {"text": "1. c4 {a record} e5 2. Ke9"}, follow=True)
    assert "2 moves stored." not in text_of(stored)
    assert "1 move stored." in text_of(stored)
    assert "Line 1: 2. Ke9 is not possible here" in text_of(stored)
    bad = client.post(address, {"text": "nothing {at all}"})
    assert (bad.status_code, "no move in it" in text_of(bad), "nothing" in text_of(bad)) == (422, True, True)
    assert client.post(address, {"act": "remove", "reason": ""}).status_code == 422
    client.post(address, {"act": "remove", "reason": "wrong game"})
    game.refresh_from_db()
    assert game.pgn == ""
    for odd in ("x", "999999999", "9" * 30):
        assert client.get(f"{url('manage_games', stage)}?game={odd}").status_code == 404
        assert client.get(f"{url('manage_games', stage)}?import={odd}").status_code == 404
    assert signed_in(stage, "desk").post(address, {"text": "1. e4"}).status_code == 403


@pytest.mark.clause("M7.6")
def test_early_draws_are_shown_with_the_way_to_a_warning(stage: Stage) -> None:
    drawn = Game.objects.filter(stage=stage, outcome="1/2").first()
    assert drawn is not None
    games.set_moves(drawn, "1. e4 e5", actor=None)
    chief = text_of(signed_in(stage, "chief_arbiter").get(url("manage_games", stage)))
    assert "Draws to look at" in chief
    assert "1 / 40" in chief
    page = signed_in(stage, "chief_arbiter").get(url("manage_games", stage)).content.decode()
    assert f"?entry={drawn.white_id}&amp;game={drawn.pk}#new" in page
    home = text_of(signed_in(stage, "chief_arbiter").get(url("manage_event", stage)))
    assert "1 early draw" in home


@pytest.mark.parametrize("language", ["uk", "ru"])
def test_the_pages_speak_other_languages(stage: Stage, game: Game, language: str) -> None:
    client = signed_in(stage, "chief_arbiter", language)
    for address in (
        url("games", stage),
        url("game", stage, game.pk),
        url("manage_games", stage),
        f"{url('manage_games', stage)}?game={game.pk}",
    ):
        answer = client.get(address)
        assert answer.status_code == 200
        assert f'lang="{language}"' in answer.content.decode()[:200]


def test_a_doubtful_record_is_placed_with_one_press(stage: Stage) -> None:
    taken, line = asked_import(stage)
    pk = line["values"]["suggestions"][0]  # type: ignore[index]
    here = f"{url('manage_games', stage)}?import={taken.pk}"
    client = signed_in(stage, "arbiter")
    page = client.get(here).content.decode()
    assert "Which game is this?" in page
    assert f'name="game" value="{pk}"' in page
    sent = {"act": "place", "import": taken.pk, "number": 1, "game": pk}
    assert signed_in(stage, "desk").post(here, sent).status_code == 403
    assert client.post(here, {**sent, "game": 10**12}).status_code == 404

    answer = client.post(here, sent, follow=True)

    assert "The moves were stored." in text_of(answer)
    assert f'name="game" value="{pk}"' not in answer.content.decode()
    assert Game.objects.get(pk=pk).ply_count == 6


def test_a_doubtful_record_is_placed_on_a_phone(page: Any, stage: Stage) -> None:
    taken, line = asked_import(stage)
    sent = signed_in(stage, "arbiter", "uk").cookies[settings.SESSION_COOKIE_NAME].value
    page.goto("/")
    page.context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": sent, "url": page.url}])
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{url('manage_games', stage)}?import={taken.pk}")
    assert unfit_for_all(page) == []
    assert stays_inside(page)
    buttons = page.locator(".game-asked button")
    assert all(buttons.nth(index).bounding_box()["height"] >= 44 for index in range(buttons.count()))
    buttons.first.click()
    assert "Ходи збережено." in page.content()
    assert Game.objects.get(pk=line["values"]["suggestions"][0]).ply_count == 6  # type: ignore[index]


def test_a_doubtful_record_is_set_aside_with_one_press(stage: Stage) -> None:
    taken, _line = asked_import(stage)
    here = f"{url('manage_games', stage)}?import={taken.pk}"
    sent = {"act": "place", "import": taken.pk, "number": 1, "game": ""}
    answer = signed_in(stage, "arbiter").post(here, sent, follow=True)
    assert "set aside" in text_of(answer)
    assert list(taken.placings.values_list("number", "game")) == [(1, None)]


def test_results_that_differ_are_shown_apart(stage: Stage) -> None:
    taken, _ = game_imports.request_import(stage.section.tournament, as_file(stage, Result="0-1"))
    game_imports.run_import(taken.pk)
    page = text_of(signed_in(stage, "arbiter").get(f"{url('manage_games', stage)}?import={taken.pk}"))
    assert "Another result than the arbiter’s" in page
    assert "in the file 0-1" in page


def test_the_page_of_a_long_game_is_light_and_for_all(page: Any, stage: Stage, game: Game) -> None:
    chance, board, parts = random.Random(80), chess.Board(), []
    while len(board.move_stack) < 160 and (legal := list(board.legal_moves)):
        move = chance.choice(legal)
        parts.append(f"{board.fullmove_number}{'.' if board.turn else '...'} {board.san(move)} {{[%clk 1:23:45]}}")
        board.push(move)
    assert len(parts) == 160
    games.set_moves(game, " ".join(parts), actor=None)
    answers: list[Any] = []
    page.on("response", lambda answer: answers.append(answer))  # it takes no method of a list
    page.goto(url("game", stage, game.pk), wait_until="networkidle")
    weights = {answer.url: len(gzip.compress(answer.body())) for answer in answers}
    assert len(weights) > 6, weights
    assert sum(weights.values()) < 120_000, weights
    assert page.locator(".chessboard use").count() > 8
    assert unfit_for_all(page) == []
