"""Typing a score sheet, with and without scripts; one game shared, embedded, as a picture."""

from __future__ import annotations

import json
import re
from io import BytesIO
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from PIL import Image

from swiss.tests import builders as rounds
from tourney import board_picture
from tourney.models import ActionLog, Entry, Game, Stage
from tourney.services import games
from tourney.tasks import index_games
from tourney.testing.pages import stays_inside, unfit_for_all
from tourney.tests.web.test_games_pages import signed_in, text_of, url
from tourney.views import pictures

pytestmark = pytest.mark.django_db


@pytest.fixture
def stage() -> Stage:
    found = rounds.stage_of(6, starts_on=None)
    rounds.play(found, "1-0 1/2 0-1")
    return found


@pytest.fixture
def game(stage: Stage) -> Game:
    found = Game.objects.filter(stage=stage).order_by("board").first()
    assert found is not None
    return found


def sheet_address(stage: Stage, game: Game) -> str:
    return f"{url('manage_games', stage)}?game={game.pk}"


# -- an arbiter --------------------------------------------------------------------------------------------------------


@pytest.mark.clause("K9.2")
def test_moves_are_typed_in_russian_letters_and_stored(stage: Stage, game: Game) -> None:
    client = signed_in(stage, "arbiter")
    answer = client.post(
        sheet_address(stage, game), {"text": "1. е2-е4 е5 2. Кf3 Кc6 3. Сb5", "act": "store"}, follow=True
    )
    assert "3 moves stored." in text_of(answer)
    game.refresh_from_db()
    assert (game.pgn, game.ply_count, game.index.eco) == ("1. e4 e5 2. Nf3 Nc6 3. Bb5", 5, "C60")
    assert "1. e4 e5 2. Nf3 Nc6 3. Bb5</textarea>" in answer.content.decode()


def test_a_wrong_move_says_why_keeps_the_text_and_may_store_what_is_before(stage: Stage, game: Game) -> None:
    client = signed_in(stage, "arbiter")
    text = "1. e4 e5 2. Кf3 Кc6 3. Сb6"
    answer = client.post(sheet_address(stage, game), {"text": text, "act": "store"})
    assert answer.status_code == 422
    assert "3. Сb6: No ♗ can go to b6." in text_of(answer)
    assert f"\n{text}</textarea>" in answer.content.decode()
    assert game.pgn == Game.objects.get(pk=game.pk).pgn == ""
    client.post(sheet_address(stage, game), {"text": text, "act": "part"})
    assert Game.objects.get(pk=game.pk).pgn == "1. e4 e5 2. Nf3 Nc6"
    for empty in ("", "1.", "Сb6"):
        assert client.post(sheet_address(stage, game), {"text": empty, "act": "part"}).status_code == 422
    assert Game.objects.get(pk=game.pk).ply_count == 4


def test_moves_that_came_meanwhile_are_not_written_over_unseen(stage: Stage, game: Game) -> None:
    client = signed_in(stage, "arbiter", "en")
    address = sheet_address(stage, game)

    def seen() -> str:
        found = re.search(r'name="seen" value="(\w+)"', client.get(address).content.decode())
        assert found is not None
        return found[1]

    old = seen()
    Game.objects.filter(pk=game.pk).update(pgn="1. e4 e5 2. Nf3 Nc6", ply_count=4)  # its board has sent it
    checked = client.post(address, {"text": "d4", "act": "check", "seen": old})  # doesn't show what has come
    assert f'value="{old}"' in checked.content.decode()
    for text in ("d4 d5", "1. d4 {typed} d5"):
        refused = client.post(address, {"text": text, "act": "store", "seen": old})
        assert (refused.status_code, "other moves already" in text_of(refused)) == (422, True)
        assert text in refused.content.decode()
    assert Game.objects.get(pk=game.pk).pgn == "1. e4 e5 2. Nf3 Nc6"
    client.post(address, {"text": "d4 d5", "act": "store", "seen": seen()})
    assert Game.objects.get(pk=game.pk).pgn == "1. d4 d5"


def test_checking_stores_nothing_and_shows_the_position(stage: Stage, game: Game) -> None:
    client = signed_in(stage, "arbiter")
    page = client.post(sheet_address(stage, game), {"text": "f3 e5 g4 Фh4", "act": "check"})
    assert page.status_code == 200
    assert "Checkmate" in text_of(page)
    assert 'class="bd-check" x="180" y="315"' in page.content.decode()
    part = client.post(sheet_address(stage, game), {"text": "e4", "act": "check"}, headers={"X-Sheet": "1"})
    found = re.search(r'data-legal="([^"]*)"', part.content.decode())
    assert found is not None
    assert ["e7e5", "e5"] in json.loads(found[1].replace("&quot;", '"'))
    assert "<textarea" not in part.content.decode()
    assert "Black to move" in text_of(part)
    assert Game.objects.get(pk=game.pk).pgn == ""
    too_long = client.post(sheet_address(stage, game), {"text": "e4 " * 20_000, "act": "check"})
    assert "No score sheet has more" in text_of(too_long)


def test_a_record_with_comments_stays_a_record(stage: Stage, game: Game) -> None:
    games.set_moves(game, "1. e4 {best by test} e5", actor=None)
    page = signed_in(stage, "arbiter").get(sheet_address(stage, game))
    assert "1. e4 {best by test} 1... e5</textarea>" in page.content.decode()
    assert "A whole record: go on in the text." in text_of(page)


def test_taps_on_the_board_write_moves(page: Any, stage: Stage, game: Game) -> None:
    sent = signed_in(stage, "arbiter", "uk").cookies[settings.SESSION_COOKIE_NAME].value
    page.goto("/")
    page.context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": sent, "url": page.url}])
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(sheet_address(stage, game))

    def tap(square: str) -> None:
        box = page.locator(".chessboard").bounding_box()
        side = box["width"] / 8
        x, y = "abcdefgh".index(square[0]) + 0.5, 8.5 - int(square[1])
        page.mouse.click(box["x"] + x * side, box["y"] + y * side)

    def to(moves: str) -> None:
        page.wait_for_function("text => document.querySelector('#sheet-text').value === text", arg=moves)
        plies = len([word for word in moves.split() if not word.endswith(".")])
        page.wait_for_function(
            "plies => document.querySelector('.sheet-board').dataset.turn === (plies % 2 ? 'b' : 'w')", arg=plies
        )

    tap("e2")
    assert page.locator(".bd-to").count() == 2
    tap("e4")
    to("e4")
    tap("e7")
    tap("e5")
    to("e4 e5")
    page.locator("#sheet-text").press_sequentially(" Сb6")
    page.wait_for_selector(".sheet-wrong")
    assert "Сb6" in page.locator(".sheet-wrong").text_content()
    page.locator("[data-undo]").click()
    to("e4 e5")
    assert unfit_for_all(page) == []
    assert stays_inside(page)
    page.locator('button[value="store"]').click()
    page.wait_for_selector(".sheet-moves")
    assert Game.objects.get(pk=game.pk).pgn == "1. e4 e5"
    page.context.clear_cookies(name=settings.SESSION_COOKIE_NAME)  # signed out in another tab
    page.locator("#sheet-text").press_sequentially(" Сc4")
    page.wait_for_function("() => document.querySelector('.sheet-say').textContent.includes('Набране')")
    assert page.locator("input[type=password]").count() == 0


# -- a player ----------------------------------------------------------------------------------------------------------


def test_arbiters_let_players_type_and_everybody_reads_it_in_the_log(stage: Stage) -> None:
    address = url("manage_games_players", stage)
    assert signed_in(stage, "arbiter").post(address, {"allowed": "1"}).status_code == 403
    chief = signed_in(stage, "chief_arbiter")
    for allowed in ("1", "1", "0"):
        chief.post(address, {"allowed": allowed})
        stage.section.tournament.refresh_from_db()
        assert stage.section.tournament.players_enter_moves is (allowed == "1")
    assert [line.action for line in ActionLog.objects.order_by("pk")][-2:] == [
        "games.players_may_enter",
        "games.players_may_not_enter",
    ]


# -- one game shared ---------------------------------------------------------------------------------------------------


@pytest.fixture
def recorded(game: Game) -> Game:
    games.set_moves(game, "1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6", actor=None)
    return game


def test_a_page_names_its_opening_and_shares_the_position_it_shows(
    client: Client, stage: Stage, recorded: Game
) -> None:
    page = client.get(url("game", stage, recorded.pk) + "?ply=3", headers={"accept-language": "en"}).content.decode()
    assert "Sicilian Defense: Najdorf Variation" in page
    here = f"http://testserver{url('game', stage, recorded.pk)}?ply=3"
    assert f'<code class="copy" id="share-link">{here}</code>' in page
    assert "rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2</code>" in page
    picture = f"http://testserver{url('game_png', stage, recorded.pk)}?ply=3"
    assert f'<meta property="og:image" content="{picture}">' in page
    frame = f"http://testserver{url('game_embed', stage, recorded.pk)}?ply=3"
    assert f'id="share-code">&lt;iframe src=&quot;{frame}&quot;' in page
    same = "?position=rnbqkbnr%2Fpp1ppppp%2F8%2F2p5%2F4P3%2F5N2%2FPPPP1PPP%2FRNBQKB1R"
    assert f'href="{url("games", stage)}{same}"' in page
    found = client.get(url("games", stage) + same, headers={"accept-language": "en"}).content.decode()
    assert "No game fits" in found  # not indexed yet
    index_games()
    found = client.get(url("games", stage) + same, headers={"accept-language": "en"}).content.decode()
    assert f'href="{url("game", stage, recorded.pk)}?ply=3#board"' in found


def test_only_the_board_may_stand_in_other_peoples_pages(client: Client, stage: Stage, recorded: Game) -> None:
    inside = client.get(url("game_embed", stage, recorded.pk) + "?ply=10", headers={"accept-language": "en"})
    assert "frame-ancestors *" in inside["Content-Security-Policy"]
    assert "script-src 'self'" in inside["Content-Security-Policy"]
    assert "X-Frame-Options" not in inside
    assert "<form" not in inside.content.decode()
    assert "5… a6" in text_of(inside)
    page = client.get(url("game", stage, recorded.pk))
    assert "frame-ancestors 'none'" in page["Content-Security-Policy"]
    assert page["X-Frame-Options"] == "DENY"


def test_a_position_is_drawn_for_other_programs(client: Client, stage: Stage, recorded: Game) -> None:
    drawing = client.get(url("game_svg", stage, recorded.pk) + "?ply=10")
    assert drawing["Content-Type"] == "image/svg+xml"
    text = drawing.content.decode()
    assert text.startswith('<svg xmlns="http://www.w3.org/2000/svg"')
    assert (text.count("<use "), "class=" in text.partition("</defs>")[2].replace('class="bd-', "")) == (30, False)
    answer = client.get(url("game_png", stage, recorded.pk) + "?ply=10")
    assert (answer["Content-Type"], answer["Cache-Control"]) == ("image/png", "private, max-age=600")
    with Image.open(BytesIO(answer.content)) as image:
        assert image.size == (1200, 630)
        before = client.get(url("game_png", stage, recorded.pk) + "?ply=9").content
        assert before != answer.content
    assert len(answer.content) < 120_000


def test_a_position_is_drawn_once_and_known_again(
    client: Client, stage: Stage, recorded: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[str] = []
    draw = board_picture.draw

    def count(placement: str, *rest: Any, **more: Any) -> bytes:
        drawn.append(placement)
        return draw(placement, *rest, **more)

    monkeypatch.setattr(board_picture, "draw", count)
    address = url("game_png", stage, recorded.pk)
    first = client.get(f"{address}?ply=10")
    assert client.get(f"{address}?ply=10").content == first.content
    assert client.get(f"{address}?ply=10&x=1", headers={"if-none-match": first["ETag"]}).status_code == 304
    assert len(drawn) == 1
    monkeypatch.setattr(pictures, "PLACES", 1)  # nobody fills the cache: another position takes the place of this one
    for ply in (10, 9, 10):
        assert client.get(f"{address}?ply={ply}").status_code == 200
    assert len(drawn) == 4
    Entry.objects.filter(pk=recorded.white_id).update(public_name=False)
    hidden = client.get(f"{address}?ply=10", headers={"if-none-match": first["ETag"]})
    assert (hidden.status_code, hidden["ETag"] == first["ETag"], len(drawn)) == (200, False, 5)


VARIED = "1. e4 e5 (1... c5 2. Nf3 (2. c3 d6) 2... Nc6) 2. d4"


def test_a_variation_is_read_move_by_move_without_scripts(client: Client, stage: Stage, game: Game) -> None:
    games.set_moves(game, VARIED, actor=None)
    page = client.get(url("game", stage, game.pk) + "?line=4", headers={"accept-language": "en"}).content.decode()
    assert '<title id="board-title">2… d6</title>' in page
    assert "(1... <a" in page
    marked = re.findall(r'<a href="([^"#]*)#board"[^>]* aria-current="true"', page)
    assert marked == ["?line=4"]
    assert 'data-step="back" href="?ply=1#board"' in page
    assert f"{url('game', stage, game.pk)}?line=4</code>" in page
    drawing = client.get(url("game_svg", stage, game.pk) + "?line=4").content
    assert drawing != client.get(url("game_svg", stage, game.pk) + "?line=99").content


def test_a_variation_is_stepped_through_and_left_again(page: Any, stage: Stage, game: Game) -> None:
    games.set_moves(game, VARIED, actor=None)
    page.goto(url("game", stage, game.pk) + "?line=1")
    now = page.locator("[data-now]")
    assert now.text_content() == "1… c5"
    page.keyboard.press("ArrowRight")
    assert now.text_content() == "2. Nf3"
    page.keyboard.press("ArrowRight")  # the line inside the line is not on the way
    assert now.text_content() == "2… Nc6"
    assert page.url.endswith("?line=5")
    page.keyboard.press("ArrowRight")
    assert now.text_content() == "1… e5"
    page.locator('a[data-line="3"]').click()
    assert now.text_content() == "2. c3"
    page.locator('a[data-step="back"]').click()
    assert now.text_content() == "1. e4"
    assert unfit_for_all(page) == []


@pytest.mark.parametrize("name", ["game_embed", "game_svg", "game_png"])
def test_what_is_not_public_is_no_picture_either(client: Client, stage: Stage, recorded: Game, name: str) -> None:
    assert client.get(url(name, stage, recorded.pk) + "?ply=x").status_code == 200
    assert client.get(url(name, stage, recorded.pk) + "?ply=99999999").status_code == 200
    tournament = stage.section.tournament
    tournament.public = False
    tournament.save()
    assert client.get(url(name, stage, recorded.pk)).status_code == 404
    assert client.get(url(name, stage, 10**9)).status_code == 404


def test_a_search_by_a_position_that_is_none_says_so(client: Client, stage: Stage, recorded: Game) -> None:
    page = client.get(url("games", stage), {"position": "e4 e5"}, headers={"accept-language": "en"})
    assert "This is no position" in text_of(page)
    assert 'value="e4 e5"' in page.content.decode()
    odd = [
        {"position": "²/8/8/8/8/8/8/8"},
        {"day": "9999-12-31"},
        {"day": "0001-01-01"},
        {"round": "٣"},
        {"player": "²"},
    ]
    assert [client.get(url("games", stage), query).status_code for query in odd] == [200] * 5


def test_what_is_shared_follows_the_board(page: Any, stage: Stage, recorded: Game) -> None:
    page.goto(url("game", stage, recorded.pk))
    page.locator("#share summary").click()
    page.keyboard.press("ArrowRight")
    assert page.locator("#share-link").text_content().endswith("?ply=1")
    assert "/4P3/" in page.locator("#share-fen").text_content()
    assert page.locator("a[data-follow]").first.get_attribute("href").endswith(".png?ply=1")
    assert "4P3" in page.locator("a[data-follow-position]").get_attribute("href")
    for width in (390, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        assert unfit_for_all(page) == []
        assert stays_inside(page)
    page.goto(url("game_embed", stage, recorded.pk))
    page.locator('a[data-step="last"]').click()
    assert page.locator("[data-now]").text_content() == "5… a6"
    assert unfit_for_all(page) == []
    assert stays_inside(page)
