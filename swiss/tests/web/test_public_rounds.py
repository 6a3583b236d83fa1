"""What everybody sees: rounds, standings, crosstables, their fragments and their sheets of paper."""

from __future__ import annotations

import gzip
import re
from html import unescape

import pytest

from swiss.engine.berger import berger_table
from swiss.services import enter_result, pair_next_round, withdraw_player
from swiss.tests.builders import enter, games_of, group, next_round, numbered, play, stage_of
from swiss.tests.web.helpers import queries, reader, signed_in, text_of, url
from tourney.models import Entry, Stage, Tournament
from tourney.services.sections import merge_sections
from tourney.services.stages import close_entries
from tourney.testing import builders

pytestmark = pytest.mark.django_db

PAGES = ("pairings", "standings", "crosstable")


# -- states ----------------------------------------------------------------------------------------------------------


def test_pages_before_the_start_list_closes_say_what_will_come() -> None:
    section = group(12)

    for page in PAGES:
        answer = reader().get(f"/t/{section.tournament.slug}/{section.code}/{page}/")
        assert answer.status_code == 200
        assert 'class="empty"' in answer.content.decode()


def test_a_draft_is_invisible_to_the_public_and_to_staff_on_public_pages() -> None:
    stage = stage_of(12)
    pair_next_round(stage.pk, actor=None)

    for client in (reader(), signed_in(stage, "organizer")):
        answer = client.get(url("pairings", stage))
        assert "Nothing is paired yet" in text_of(answer)
        assert client.get(url("round", stage, 1)).status_code == 404
        assert client.get(url("round_print", stage, 1)).status_code == 404


@pytest.mark.clause("M7.10", "M7.3")
def test_a_round_shows_boards_players_points_results_and_the_time_control() -> None:
    stage = stage_of(11)
    play(stage, "1-0")
    round_ = next_round(stage)
    game = games_of(round_)[0]
    enter_result(stage_id=stage.pk, game_id=game.pk, outcome="1/2")

    page = text_of(reader().get(url("round", stage, 2)))

    assert "Round 2" in page
    assert "90 minutes + 30 seconds a move" in page
    assert "4 of 5 games still played" in page
    assert "½–½" in page
    assert "bye, no opponent" in page
    for entry in numbered(stage).values():
        assert entry.name in page


@pytest.mark.clause("M7.10")
def test_a_round_by_name_says_board_colour_and_opponent() -> None:
    stage = stage_of(12)
    round_ = enter(next_round(stage), "1-0")
    game = games_of(round_)[0]

    page = text_of(reader().get(url("round", stage, 1) + "?by=name"))

    assert f"{game.black.name} 1 Black {game.white.name} 0" in re.sub(r" +", " ", page)
    names = re.findall(r"(Гравець\d+) \d (?:White|Black)", page)
    assert (len(names), names) == (12, sorted(names))


@pytest.mark.clause("M7.1")
def test_the_hour_of_a_round_is_shown_by_the_clock_of_the_event() -> None:
    stage = stage_of(12)
    enter(next_round(stage))
    next_round(stage)

    assert ", 14:00" in text_of(reader().get(url("round", stage, 2)))


def test_rounds_that_are_not_there_are_not_found() -> None:
    stage = stage_of(12)
    next_round(stage)

    for address in (
        url("round", stage, 2),
        url("round", stage, 0),
        url("standings", stage) + "?round=2",
        url("standings_why", stage, 0),
        f"/t/{stage.section.tournament.slug}/nowhere/standings/",
        f"/t/nowhere/{stage.section.code}/standings/",
        f"/t/{stage.section.tournament.slug}/nowhere/standings/_live/",
    ):
        assert reader().get(address).status_code == 404, address


def test_a_hidden_event_is_seen_by_its_staff_only() -> None:
    stage = stage_of(12)
    next_round(stage)
    Tournament.objects.update(public=False)

    for name in ("pairings", "standings", "crosstable", "standings_live", "standings_print"):
        assert reader().get(url(name, stage)).status_code == 404
        assert signed_in(stage).get(url(name, stage)).status_code == 404
        assert signed_in(stage, "arbiter").get(url(name, stage)).status_code == 200


# -- standings -------------------------------------------------------------------------------------------------------


@pytest.mark.clause("M7.10", "M8.1")
def test_standings_show_the_tie_breaks_of_the_regulation_in_order() -> None:
    stage = stage_of(12)
    play(stage, "1-0 1/2 0-1")

    page = reader().get(url("standings", stage)).content.decode()

    heads = re.findall(r"<th[^>]*scope=\"col\">(.*?)</th>", page)
    assert [re.sub(r"<[^>]+>", "", head) for head in heads][:9] == [
        "Pl.",
        "Name",
        "Points",
        "DE",
        "BH-C1",
        "BH",
        "Win",
        "Blk",
        "ARO",
    ]
    assert "After round 1 of 7" in text_of(reader().get(url("standings", stage)))
    for words in ("direct encounter", "Buchholz cut 1", "average rating of opponents"):
        assert words in page


@pytest.mark.clause("M8.1")
def test_a_round_robin_has_its_own_tie_breaks() -> None:
    stage = stage_of(5)
    play(stage, "1-0")

    page = text_of(reader().get(url("standings", stage)))

    assert "Sonneborn-Berger" in page
    assert "Buchholz" not in page


def test_standings_of_an_earlier_round_stay() -> None:
    stage = stage_of(12)
    play(stage, "1-0")
    play(stage, "1/2")

    page = text_of(reader().get(url("standings", stage) + "?round=1"))

    assert "After round 1 of 7" in page
    assert "1½" not in page


def test_standings_say_when_they_are_final() -> None:
    stage = stage_of(4, system="swiss", rounds=1)
    play(stage)

    assert "Final standings after 1 rounds" in text_of(reader().get(url("standings", stage)))


@pytest.mark.clause("M8.1")
def test_every_line_opens_to_what_it_is_made_of() -> None:
    stage = stage_of(12)
    for results in ("1-0 1/2 0-1", "1-0", "1/2 1-0 +-"):
        play(stage, results)
    entry = stage.standings.get(after_round=3, rank=2).entry

    page = text_of(reader().get(url("standings", stage) + f"?why={entry.pk}"))
    part = text_of(reader().get(url("standings_why", stage, entry.pk)))

    assert part.strip() in page  # the same words with and without scripts
    assert "Below " in part
    assert "Together" in part
    assert "left out: the lowest" in part or "left out first" in part


def test_what_parts_two_lines_is_said() -> None:
    stage = stage_of(12)
    play(stage, "1-0")
    first, second, *_ = stage.standings.filter(after_round=1).order_by("rank")

    part = text_of(reader().get(url("standings_why", stage, second.entry_id)))

    expected = "they share the place" if first.rank == second.rank else f"Below {first.entry.name}: level on points"
    assert expected in part


@pytest.mark.clause("M7.8")
def test_merged_groups_have_their_own_places() -> None:
    tournament = builders.event("youth-championship")
    boys, girls = tournament.sections.get(code="u11-boys"), tournament.sections.get(code="u11-girls")
    builders.entries(boys, 8)
    builders.entries(girls, 5, top=1500)
    merge_sections(girls, boys, actor=None)
    (made, *_) = close_entries(boys, actor=None)
    stage = Stage.objects.select_related("section__tournament").get(pk=made.pk)
    play(stage, "1-0")
    address = f"/t/{tournament.slug}/u11-girls/standings/"

    own = reader().get(address)
    together = reader().get(address + "?of=all")

    def lines(answer: object) -> list[tuple[str, str]]:
        return re.findall(r"<tr id=\"e(\d+)\"><td class=\"rank\"><a[^>]*>(\d+)</a>", answer.content.decode())  # type: ignore[attr-defined]

    assert {int(pk) for pk, _ in lines(own)} == set(girls.entries.values_list("pk", flat=True))
    assert lines(own)[0][1] == "1"
    assert max(int(place) for _, place in lines(own)) <= 5
    assert len(lines(together)) == 13
    part = reader().get(f"/t/{tournament.slug}/u11-girls/standings/why/{lines(own)[1][0]}/")
    assert part.status_code == 200
    assert reader().get(f"/t/{tournament.slug}/u11-girls/pairings/").status_code == 200


def test_who_left_a_round_robin_early_is_named_and_stays_in_the_crosstable() -> None:
    stage = stage_of(6)
    play(stage, "1-0")
    entry = numbered(stage)[3]
    withdraw_player(stage.pk, entry_id=entry.pk, after_round=1, actor=None, reason="ill")
    play(stage, "1-0")

    table = text_of(reader().get(url("standings", stage)))
    cross = reader().get(url("crosstable", stage)).content.decode()

    assert "Left before half of the games" in table
    assert entry.name in table
    assert entry.name in cross
    assert "does not count" in cross


# -- crosstable ------------------------------------------------------------------------------------------------------


def test_the_crosstable_of_a_swiss_has_a_column_a_round() -> None:
    stage = stage_of(11)
    play(stage, "1-0")
    play(stage, "+- 1/2")
    page = reader().get(url("crosstable", stage)).content.decode()

    assert page.count('<th class="x"') == 2
    assert "–1" in page  # the bye
    assert "Numbers beside a result are the opponent&#x27;s start number." in page.replace(
        "opponent's", "opponent&#x27;s"
    )


def test_the_crosstable_of_a_round_robin_is_a_square_with_a_dark_diagonal() -> None:
    stage = stage_of(5)
    play(stage, "1-0")

    page = reader().get(url("crosstable", stage)).content.decode()

    assert page.count('class="self"') == 5
    assert page.split('id="plan"')[0].count('<th class="x"') == 5


def test_a_round_robin_shows_all_its_rounds_before_the_first_one() -> None:
    stage = stage_of(5)

    page = reader().get(url("crosstable", stage)).content.decode()

    words = text_of(reader().get(url("crosstable", stage)))
    assert "No crosstable yet" in words
    assert "Start numbers can still change before the first round." in words
    assert page.count('class="sq') == 5 * 5
    assert page.count('aria-label="Round 3: free"') == 1
    # Berger's table for five and six, round 2: 6–4, 5–3, 1–2; nobody is 6.
    assert "2 5–3 · 1–2 4" in words
    names = {number: entry.player.name for number, entry in numbered(stage).items()}
    assert f'aria-label="Round 2: White against {names[3]}">3</i>' in page


def test_the_plan_of_a_double_round_robin_has_both_cycles_and_a_swiss_has_none() -> None:
    double = stage_of(3)
    play(double, "1-0")

    words = text_of(reader().get(url("crosstable", double)))

    assert "Start numbers can still change" not in words
    single = [row.pairs[0] for row in berger_table(3)]
    expected = [single[0], single[2], single[1], *[(black, white) for white, black in single]]
    for number, (white, black) in enumerate(expected, 1):
        assert f"{number} {white}–{black} {6 - white - black}" in words
    assert "round by round" not in text_of(reader().get(url("crosstable", stage_of(12))))


# -- live ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["pairings_live", "standings_live", "crosstable_live"])
def test_an_unchanged_fragment_is_a_304_after_one_query(name: str) -> None:
    stage = stage_of(12)
    round_ = next_round(stage)
    client = reader()
    first = client.get(url(name, stage))
    etag = first.headers["ETag"]

    again = client.get(url(name, stage), headers={"if-none-match": etag})

    assert (first.status_code, again.status_code, again.content) == (200, 304, b"")
    assert queries(client, url(name, stage), **{"if-none-match": etag}) == 1
    enter_result(stage_id=stage.pk, game_id=games_of(round_)[0].pk, outcome="1-0")
    changed = client.get(url(name, stage), headers={"if-none-match": etag})
    assert changed.status_code == 200
    assert changed.headers["ETag"] != etag
    assert client.get(url(name, stage), headers={"if-none-match": etag, "accept-language": "uk"}).status_code == 200


def test_a_page_carries_the_etag_of_its_fragment() -> None:
    stage = stage_of(12)
    next_round(stage)
    page = reader().get(url("standings", stage)).content.decode()
    (etag,) = re.findall(r"data-live-etag='([^']*)'", page)

    assert reader().get(url("standings_live", stage), headers={"if-none-match": unescape(etag)}).status_code == 304


def test_the_fragment_of_the_newest_round_turns_to_the_next_round() -> None:
    stage = stage_of(12)
    play(stage)
    next_round(stage)

    live = reader().get(url("pairings_live", stage)).content.decode()
    fixed = reader().get(url("round_live", stage, 1)).content.decode()

    assert "state-on" in live or "playing" in live or "planned" in live
    assert "all results in" in fixed


# -- size ------------------------------------------------------------------------------------------------------------


def test_the_standings_of_a_hundred_players_are_light() -> None:
    stage = stage_of(100, preset="open-swiss")
    Entry.objects.all().update(rating=1800)
    play(stage, "1-0 1/2 0-1")
    play(stage, "1-0 1/2 0-1")

    answer = reader().get(url("standings", stage))

    page = answer.content.decode()
    assert page.count('<tr id="e') == 100
    assert len(gzip.compress(answer.content, 6)) <= 15_000
    assert len(re.findall(r"<[a-z]", page)) <= 3_000


@pytest.mark.parametrize(
    "name", ["pairings", "standings", "crosstable", "pairings_live", "standings_live", "standings_print"]
)
def test_pages_take_the_same_number_of_queries_for_few_and_for_many(name: str) -> None:
    few, many = stage_of(4, system="swiss", rounds=5), stage_of(40, system="swiss", rounds=5)
    for stage in (few, many):
        play(stage, "1-0 1/2")
        play(stage, "0-1")

    counts = [queries(reader(), url(name, stage)) for stage in (few, many)]

    assert counts[0] == counts[1]
    assert counts[0] <= 14


def test_a_players_page_says_where_he_plays_next() -> None:
    stage = stage_of(12)
    play(stage, "1-0")
    round_ = next_round(stage)
    game = games_of(round_)[0]

    page = text_of(reader().get(url("player", stage, game.white_id)))

    assert "Round 2, board 1" in page
    assert game.black.name in page
    assert "after round 2" in page


def test_the_event_page_says_which_round_every_group_is_in() -> None:
    stage = stage_of(12)
    address = f"/t/{stage.section.tournament.slug}/"
    assert "still played" not in text_of(reader().get(address))
    next_round(stage)

    page = text_of(reader().get(address))

    assert "Round 1 / 7 · 6 games still played" in page
    assert url("pairings", stage) in reader().get(address).content.decode()


def test_private_data_stays_private() -> None:
    section = group(11)
    secret = builders.entry(section, "Таємна", rating=1500, patronymic="Іванівна", birth_date="2014-03-08")
    shy = builders.entry(section, "Сором", rating=1400)
    Entry.objects.filter(pk=shy.pk).update(public_name=False)
    (made, *_) = close_entries(section, actor=None)
    stage = Stage.objects.select_related("section__tournament").get(pk=made.pk)
    play(stage)

    for address in (
        url("round", stage, 1),
        url("round", stage, 1) + "?by=name",
        url("round_print", stage, 1),
        url("standings", stage),
        url("standings", stage) + f"?why={secret.pk}",
        url("crosstable", stage),
        url("player", stage, secret.pk),
    ):
        page = reader().get(address).content.decode()
        assert "Таємна" in page
        assert "Іванівна" not in page
        assert "2014-03-08" not in page
        assert "Сором" not in page


@pytest.mark.parametrize("language", ["uk", "ru", "en"])
def test_pages_answer_in_every_language(language: str) -> None:
    stage = stage_of(11)
    play(stage, "1-0 +- 1/2")
    next_round(stage)

    for name, *more in (("pairings",), ("round", 1), ("standings",), ("crosstable",), ("round_print", 1)):
        answer = reader(language).get(url(name, stage, *more))
        assert answer.status_code == 200
        assert f'lang="{language}"' in answer.content.decode()


def test_a_name_is_text_in_the_standings() -> None:
    stage = stage_of(8)
    player = games_of(next_round(stage))[0].white.player
    player.surname, player.club = "O'Hara <script>alert(1)</script>", '"><b>'
    player.save()

    page = reader().get(url("standings_live", stage)).content.decode()

    assert "O&#x27;Hara &lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "&quot;&gt;&lt;b&gt;" in page
    assert "<script" not in page
