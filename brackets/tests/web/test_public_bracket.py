"""What everybody sees of a knockout: tree, list, match, matches, places, paper, fragments."""

from __future__ import annotations

import gzip
import re
from typing import Any

import pytest

from brackets.models import Match
from brackets.services import Change, call_match, commit_draw, correct_result, seed_without_lot, show_match, walkover
from brackets.tests.builders import closed, drawn, fresh, numbered, play, play_all
from brackets.tests.web.helpers import queries, reader, signed_in, text_of, url
from tourney.models import Entry, Player, Tournament

pytestmark = pytest.mark.django_db


def test_before_the_draw_the_pages_say_what_will_come() -> None:
    stage = closed(8, rules={"size": 8, "minimum_matches": 0})
    for name in ("bracket", "matches", "bracket_places"):
        assert "not drawn yet" in text_of(reader().get(url(name, stage)))
    assert reader().get(url("bracket_print", stage)).status_code == 404
    assert reader().get(url("match", stage, "U1.1")).status_code == 404
    assert reader().get(url("bracket_live", stage)).status_code == 404


@pytest.mark.clause("K7.1")
def test_a_commitment_is_public_at_once_and_a_proposal_is_not() -> None:
    stage = closed()
    lot = commit_draw(stage.pk)
    page = reader().get(url("bracket", stage))
    assert f"/lot/{lot.pk}/" in page.content.decode()
    other = closed()
    seed_without_lot(other.pk, method="fold", reason="test")
    for client in (reader(), signed_in(other, "organizer")):
        assert "not drawn yet" in text_of(client.get(url("bracket", other)))


@pytest.mark.clause("K5.3")
@pytest.mark.clause("K5.5")
def test_the_tree_shows_every_match_of_its_part_and_a_list_of_the_same() -> None:
    stage = drawn()
    counts = {}
    for part in ("upper", "lower", "places"):
        page = reader().get(url("bracket", stage) + f"?part={part}").content.decode()
        counts[part] = (page.count('<rect class="dr-box"'), page.count('<li class="m'))
    assert counts == {"upper": (32, 32), "lower": (30, 30), "places": (34, 34)}
    assert reader().get(url("bracket", stage) + "?part=nonsense&player=9999").status_code == 200
    as_list = reader().get(url("bracket", stage) + "?view=list").content.decode()
    assert "<rect" not in as_list
    assert as_list.count('<li class="m') == 32


def test_the_tree_marks_scores_winners_boards_walkovers_and_a_path() -> None:
    stage = drawn()
    play(stage, "U1.1", "1 0 = = ")
    call_match(stage.pk, "U1.2", board=7)
    walkover(stage.pk, "U1.3", absent="b", reason="did not come", early=True)
    page = reader().get(url("bracket", stage) + f"?player={numbered(stage)[8].pk}").content.decode()
    words = text_of(reader().get(url("bracket", stage)))
    assert "board 7" in words
    assert "walkover" in words
    assert "winner of U1.1" in words
    assert page.count("dr-path") == 2  # the walkover, and the next match he waits for
    assert page.count("is-path") >= 2


def test_the_path_of_a_player_is_listed_across_all_parts_in_order_of_play() -> None:
    stage = drawn()
    for key in ("U1.1", "U1.2", "L1.1"):
        play(stage, key, "0 0")  # seed 1 loses twice
    page = reader().get(url("bracket", stage) + f"?player={numbered(stage)[1].pk}")
    assert [card.key for card in page.context["path"]] == ["U1.1", "L1.1", "P25.1"]
    assert f"Path of {numbered(stage)[1].name} 3" in text_of(page)
    assert "path" not in reader().get(url("bracket", stage)).content.decode().partition('id="tree-box"')[2][:400]


def test_a_corrected_match_is_shown_open_never_with_the_old_winner() -> None:
    stage = drawn()
    play(stage, "U1.1", "1 1")
    game = stage.games.order_by("game_number")[1]
    correct_result(stage.pk, Change("U1.1", 2, {"1-0": "0-1", "0-1": "1-0"}[game.outcome]), reason="swapped")
    page = text_of(reader().get(url("match", stage, "U1.1")))
    assert "being played" in page
    assert "winner of U1.1" in text_of(reader().get(url("bracket", stage)))


@pytest.mark.clause("K1.3")
@pytest.mark.clause("K9.1")
def test_a_match_page_shows_games_colours_clocks_lots_and_the_broadcast() -> None:
    stage = drawn()
    play(stage, "U1.1", "1 0 = = 1")
    show_match(stage.pk, "U1.1", video_url="https://www.youtube.com/watch?v=dQw4w9WgXcQ")
    answer = reader().get(url("match", stage, "U1.1"))
    page, html = text_of(answer), answer.content.decode()
    for words in ("U1.1 · Upper bracket, round 1", "3+2", "2+1", "Armageddon 5/4", "White by lot:", "check it"):
        assert words in page
    assert 'href="https://www.youtube.com/watch?v=dQw4w9WgXcQ"' in html
    assert 'data-video="https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ"' in html
    assert "<iframe" not in html
    assert "Where it leads" in page
    assert reader().get(url("match", stage, "X9.9")).status_code == 404


def test_the_matches_page_says_who_plays_where_and_what_comes_next() -> None:
    stage = drawn(boards=2)
    call_match(stage.pk, "U1.1")
    play(stage, "U1.2", "1 1")
    page = text_of(reader().get(url("matches", stage)))
    assert "Playing now 1" in page
    assert "likely end" in page
    assert "Finished 1" in page


@pytest.mark.clause("K5.5")
def test_the_places_page_fills_up_to_every_place() -> None:
    stage = drawn(players=8, rules={"size": 8, "minimum_matches": 0})
    assert text_of(reader().get(url("bracket_places", stage))).count("still played for") == 8
    play_all(stage)
    page = text_of(reader().get(url("bracket_places", stage)))
    assert "still played for" not in page
    assert "8 places are decided" in page


def test_fragments_answer_304_until_something_happens() -> None:
    stage = drawn()
    for name, more in (("bracket_live", ()), ("matches_live", ()), ("match_live", ("U1.1",))):
        address = url(name, stage, *more)
        first = reader().get(address)
        assert first.status_code == 200
        assert "<html" not in first.content.decode()
        again = reader().get(address, headers={"if-none-match": first["ETag"]})
        assert (again.status_code, again.content) == (304, b"")
        assert queries(reader(), address, **{"if-none-match": first["ETag"]}) == 1
    call_match(stage.pk, "U1.1")
    assert reader().get(url("bracket_live", stage), headers={"if-none-match": first["ETag"]}).status_code == 200


def test_private_names_and_hidden_events_stay_hidden() -> None:
    stage = drawn()
    entry = numbered(stage)[1]
    Entry.objects.filter(pk=entry.pk).update(public_name=False)
    Player.objects.filter(pk=entry.player_id).update(surname="Таємний")
    for address in (
        url("bracket", stage),
        url("match", stage, "U1.1"),
        url("matches", stage),
        url("bracket_places", stage),
    ):
        assert "Таємний" not in reader().get(address).content.decode()
    Tournament.objects.update(public=False)
    for address in (url("bracket", stage), url("bracket_live", stage), url("match", stage, "U1.1")):
        assert reader().get(address).status_code == 404
        assert signed_in(stage, "arbiter").get(address).status_code == 200


def test_a_page_takes_the_same_queries_at_the_start_and_at_the_end_and_few_bytes() -> None:
    stage = drawn()
    small = drawn(players=4, rules={"size": 4, "minimum_matches": 0})
    before = [queries(reader(), url("bracket", stage)), queries(reader(), url("bracket", small))]
    play_all(stage, most=30)
    assert [queries(reader(), url("bracket", stage))] * 2 == before
    page = reader().get(url("bracket", stage)).content
    assert len(gzip.compress(page)) < 15_000
    tree = re.search(rb"<svg.*?</svg>", page[page.index(b'class="drawing') :], re.DOTALL)
    assert tree is not None
    assert len(gzip.compress(tree[0])) < 4_000


@pytest.mark.parametrize("language", ["uk", "ru", "en"])
def test_every_public_page_speaks_the_readers_language(language: str) -> None:
    stage = drawn()
    play(stage, "U1.1", "1 0 = = 1")
    for name, more in (
        ("bracket", ()),
        ("matches", ()),
        ("bracket_places", ()),
        ("match", ("U1.1",)),
        ("bracket_print", ()),
    ):
        answer = reader(language).get(url(name, stage, *more))
        assert answer.status_code == 200
        assert f'lang="{language}"' in answer.content.decode()


def test_the_players_page_shows_the_way() -> None:
    stage = drawn()
    address = url("player", stage, numbered(stage)[1].pk)
    page = text_of(reader().get(address))
    for words in ("Next match", "Match U1.1", "If you win U2.1", "If you lose L1.1", "5 more matches", "places 1–32"):
        assert words in page
    play_all(stage, most=1)
    assert Match.objects.filter(state="done").count() == 1
    assert "Match U2.1" in text_of(reader().get(address))
    assert fresh(stage).state == "running"
    play(stage, "U1.3", "1 1")
    play(stage, "U1.4", "1 1")
    play(stage, "U2.2", "1 1")
    names = {number: one.name for number, one in numbered(stage).items()}
    waits = text_of(reader().get(url("player", stage, numbered(stage)[17].pk)))
    assert "Match U1.2" in waits
    assert f"If you win U2.1 places 1–24 · against {names[1]}" in waits


@pytest.mark.parametrize("name", ["bracket", "bracket_live"])
def test_made_up_parts_and_players_are_shown_and_not_kept(name: str, settings: Any) -> None:
    settings.KEEP_PAGES = True
    stage = drawn()
    address = url(name, stage)

    real = [queries(reader(), f"{address}?part=lower&player={numbered(stage)[1].pk}{more}") for more in ("", "&x=1")]
    made_up = [queries(reader(), f"{address}?{query}") for query in ("part=nonsense", "player=1", "view=tree&part=x")]

    assert real == [0, 0]
    assert all(made_up)
