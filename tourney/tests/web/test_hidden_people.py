"""Nobody who did not let it be published is found on any public page: every link of an event is followed by a reader.

A player is planted with a name, a rating, a club and numbers nobody else has. One who let the same kind of things be
published stands beside, so that the test fails too when the pages it looks at show nobody at all.
"""

from __future__ import annotations

import re
from collections import deque
from datetime import timedelta
from typing import Any
from urllib.parse import urljoin

import pytest
from django.db.models import Q
from django.test import Client
from django.urls import Resolver404, resolve, reverse
from django.utils import timezone
from PIL import ImageDraw

from brackets.tests import builders as bracket
from prizes.services.placings import publish_placings
from prizes.services.playoffs import begin_playoff
from prizes.tests import played
from swiss.selectors import ranking_of, stage_facts
from swiss.tables import standings
from swiss.tests import builders as rounds
from tourney.models import Entry, Game, Section
from tourney.services import games
from tourney.testing import builders

pytestmark = pytest.mark.django_db

HIDDEN = {
    "surname": "Схованенко",
    "given_name": "Зореслава",
    "latin_name": "Skhovanenko",
    "title": "WCM",
    "club": "Клуб Кенар",
    "city": "Кенарівка",
    "fide_id": "14177777",
    "national_id": "88177777",
}
SEEN = {**HIDDEN, "surname": "Відоменко", "title": "WFM", "fide_id": "14166666", "national_id": "88166666"}
HIDDEN_RATING, SEEN_RATING = 2777, 2666
MOST_PAGES = 12
HIDDEN_WORDS = [HIDDEN[key] for key in ("surname", "latin_name", "title", "fide_id", "national_id")]
# Pages where a rating stands beside the name.
ROUND_PAGES = {"section", "player", "round", "round_print", "standings", "standings_print"}
BRACKET_PAGES = {"section", "player", "match", "bracket_places"}


def plant(section: Section) -> None:
    """Let the first of the start list be somebody nothing may be said of, and the second a well-known player."""
    for number, values, rating, public in ((1, HIDDEN, HIDDEN_RATING, False), (2, SEEN, SEEN_RATING, True)):
        entry = Entry.objects.select_related("player").get(section=section, start_number=number)
        entry.rating, entry.ratings, entry.public_name = rating, {"national": rating, "fide_standard": rating}, public
        entry.save()
        for name, value in values.items():
            setattr(entry.player, name, value)
        entry.player.save()


def fragments(name: str, section: Section, entry: Entry, other: Entry) -> list[str]:
    """Return what no link leads to: parts that scripts ask for, and pages with a question."""
    args = [section.tournament.slug, section.code]
    compared = f"{reverse('standings_compare', args=args)}?a={entry.pk}&b={other.pk}" if name != "bracket" else ""
    found = {
        "rounds": [
            reverse("round_live", args=[*args, 1]),
            f"{reverse('round_live', args=[*args, 1])}?by=name",
            f"{reverse('round_print', args=[*args, 1])}?by=name",
            reverse("pairings_live", args=args),
            reverse("standings_live", args=args),
            reverse("standings_why", args=[*args, entry.pk]),
            reverse("crosstable_live", args=args),
            compared,
            *(reverse("why_pair", args=[*args, 1, board]) for board in (1, 2)),
        ],
        "bracket": [
            *(reverse(page, args=args) for page in ("bracket_live", "bracket_hall", "bracket_hall_live")),
            *(reverse(page, args=args) for page in ("matches_live", "bracket_places")),
            f"{reverse('bracket_print', args=args)}?part=all",
            reverse("match_live", args=[*args, "U1.1"]),
            *(reverse("player", args=[*args, one.pk]) for one in (entry, other)),
            *(reverse("match", args=[*args, key]) for key in ("U1.1", "U1.16", "U2.1", "U2.8")),
        ],
        "playoff": [reverse("playoff", args=args), reverse("playoff_live", args=args)],
    }
    return found[name]


def reached(section: Section, *more: str) -> dict[str, list[tuple[str, str]]]:
    """Follow the links a reader of an event sees; return (address, all that came back) by the pattern's name.

    Of the many pages of one pattern the first ones are enough, `more` before all others. What comes back of a picture
    are the words on it: its packed bytes say nothing, and now and then any four figures by chance.
    """
    with pytest.MonkeyPatch.context() as patch:
        drawn: list[str] = []
        draw = ImageDraw.ImageDraw.text

        def noted(pen: ImageDraw.ImageDraw, at: Any, text: str, *rest: Any, **named: Any) -> None:
            drawn.append(text)
            draw(pen, at, text, *rest, **named)

        patch.setattr(ImageDraw.ImageDraw, "text", noted)
        return _reached(section, drawn, *more)


def _reached(section: Section, drawn: list[str], *more: str) -> dict[str, list[tuple[str, str]]]:
    client = Client(headers={"accept-language": "en"})
    slug = section.tournament.slug
    waiting, known = deque([*more, reverse("event", args=[slug])]), set()
    found: dict[str, list[tuple[str, str]]] = {}
    while waiting:
        url = waiting.popleft()
        try:
            match = resolve(url.partition("?")[0])
        except Resolver404:
            continue
        name = str(match.url_name)
        if (
            url in known
            or len(found.get(name, ())) == MOST_PAGES
            or match.kwargs.get("slug", slug) != slug
            or name.startswith(("register", "set_language"))
        ):
            continue
        known.add(url)
        drawn.clear()
        answer = client.get(url)
        assert answer.status_code in (200, 302), url
        content = answer.getvalue() if answer.streaming else answer.content
        text = "\n".join(drawn) if answer["Content-Type"] == "image/png" else content.decode(errors="replace")
        assert text, url
        found.setdefault(name, []).append((url, text))
        for link in re.findall(r'(?:href|data-live|src)="([^"]+)"', text):
            target = urljoin(url, link.replace("&amp;", "&")).partition("#")[0]
            if target.startswith(("/t/", "/lot/")):
                waiting.append(target)
    return found


def check(pages: dict[str, list[tuple[str, str]]], expected: set[str], shown_on: set[str]) -> None:
    assert expected <= pages.keys(), expected - pages.keys()
    told = [
        (url, word)
        for found in pages.values()
        for url, text in found
        for word in (*HIDDEN_WORDS, str(HIDDEN_RATING))
        if re.search(rf"(?<![0-9a-f]){re.escape(word)}(?![0-9a-f])", text)  # the seed of a lot may hold any figures
    ]
    assert told == []
    open_pages = {name for name, found in pages.items() if any(str(SEEN_RATING) in text for _, text in found)}
    assert shown_on <= open_pages, shown_on - open_pages


def two_of(section: Section) -> list[Entry]:
    return list(Entry.objects.filter(section=section, start_number__in=[1, 2]).order_by("start_number"))


def with_moves(section: Section) -> None:
    """Give the games of the planted two moves, so that they have pages and files of their own."""
    for entry in two_of(section):
        game = Game.objects.filter(stage__section=section, white=entry).first() or Game.objects.get(
            stage__section=section, black=entry, round_number=1
        )
        games.set_moves(game, "1. e4 e5", actor=None)


@pytest.mark.parametrize("system", ["swiss", "round_robin"])
def test_of_a_hidden_player_no_page_of_rounds_says_anything(system: str) -> None:
    stage = rounds.stage_of(12, preset="open-swiss") if system == "swiss" else rounds.stage_of(6)
    section = stage.section
    rounds.play(stage, "1-0 1/2")
    if system == "swiss":
        rounds.play(stage, "1-0")
    rounds.next_round(stage)
    plant(section)
    with_moves(section)

    assert stage.kind == system
    pages = reached(section, *fragments("rounds", section, *two_of(section)))

    expected = {"event", "games", "game", "game_pgn", "games_pgn", "lots", "crosstable", "crosstable_print", "why_pair"}
    expected |= {"standings_compare", "standings_why", "standings_live", "round_live", "pairings_live"}
    check(pages, expected | ROUND_PAGES, ROUND_PAGES)


def test_a_place_decided_by_ratings_is_explained_without_the_rating_of_a_hidden_player() -> None:
    """A mean that an unpublished rating is part of would give it away, so it is shown to nobody; the place stays."""
    stage = rounds.stage_of(6, preset="open-swiss")
    stage.rules = {**stage.rules, "tie_breaks": ["ARO", "RTNG"]}
    stage.save(update_fields=["rules"])
    section = stage.section
    plant(section)
    for _round in range(2):
        rounds.play(stage, "1/2")
    hidden, seen = two_of(section)
    args = [section.tournament.slug, section.code]
    met = Game.objects.filter(stage=stage).filter(Q(white=hidden) | Q(black=hidden)).order_by("round_number")
    opponents = [game.black_id if game.white_id == hidden.pk else game.white_id for game in met]
    client = Client(headers={"accept-language": "en"})
    compared = f"?a={hidden.pk}&b={opponents[0]}"
    urls = [reverse("standings", args=args), reverse("standings_compare", args=args) + compared]
    urls += [reverse("standings_why", args=[*args, pk]) for pk in (hidden.pk, *opponents)]

    texts = [client.get(url).content.decode() for url in urls]

    assert [url for url, text in zip(urls, texts, strict=True) if str(HIDDEN_RATING) in text] == []
    assert str(SEEN_RATING) in texts[0]
    assert "the rating is not published" in texts[-1]
    table = {line.entry.pk: line.cells for line in standings(stage, 2).lines}
    assert {pk: cells[0] for pk, cells in table.items() if pk in opponents} == dict.fromkeys(opponents, "–")
    assert all(cells[0] != "–" for pk, cells in table.items() if pk not in opponents)
    ranking = ranking_of(stage, stage_facts(stage).record.history(2))
    means = [str(ranking.by_entry[pk].values[1]) for pk in opponents]
    assert [text for text in texts for mean in means if mean in text] == []
    assert "which is not shown because a rating in it is not published" in "".join(texts)
    assert str(seen.rating) in client.get(reverse("standings_why", args=[*args, seen.pk])).content.decode()


def test_of_a_hidden_player_no_page_of_a_bracket_says_anything() -> None:
    stage = bracket.drawn(32)
    section = stage.section
    plant(section)
    bracket.play_all(bracket.fresh(stage), most=20)

    pages = reached(section, *fragments("bracket", section, *two_of(section)))

    expected = {"event", "lots", "bracket", "bracket_live", "bracket_hall", "bracket_hall_live", "bracket_print"}
    check(
        pages, expected | BRACKET_PAGES | {"matches", "matches_live", "match_live"}, BRACKET_PAGES - {"bracket_places"}
    )


def test_of_a_hidden_player_no_page_of_places_and_prizes_says_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    section = played.group(builders.event("second-chance-32"), players=32)
    played.finished_bracket(section, monkeypatch)
    plant(section)
    publish_placings(section, actor=None)

    pages = reached(section)

    assert "Player 1" in pages["placings"][0][1]
    check(pages, {"event", "section", "player", "placings", "prizes", "lots"}, {"section", "player"})


def test_of_a_hidden_player_the_page_of_a_play_off_says_nothing() -> None:
    section = played.group(builders.event("youth-championship"), "u11-boys", players=3)
    played.finished(section, [1, 1, 3], ended=timezone.now() - timedelta(hours=1))
    plant(section)
    begin_playoff(section, actor=None)

    pages = reached(section, *fragments("playoff", section, *two_of(section)))

    check(pages, {"placings", "playoff", "playoff_live"}, {"playoff", "playoff_live"})
