"""News of the organizer: who may write it, where it is read, and what becomes of what was typed."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import pytest
from django.test import Client
from django.urls import reverse

from tourney.models import ActionLog, NewsItem, Tournament
from tourney.services.news import tell_news
from tourney.testing import builders

pytestmark = pytest.mark.django_db

ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture
def tournament() -> Tournament:
    return builders.event()


def organizer(tournament: Tournament, role: str = "organizer") -> Client:
    client = Client(headers={"accept-language": "en"})
    client.force_login(builders.user(role or "stranger", tournament, role))
    return client


def reader(language: str = "en") -> Client:
    return Client(headers={"accept-language": language})


def sent(**more: Any) -> dict[str, Any]:
    return {"act": "tell", "title_uk": "Обід о 13:00", "text_uk": "", "title_ru": "", "title_en": ""} | more


def page(client: Client, tournament: Tournament, name: str = "event") -> str:
    return client.get(reverse(name, args=[tournament.slug])).content.decode()


def test_news_stands_on_the_event_page_in_the_readers_language(tournament: Tournament) -> None:
    answer = organizer(tournament).post(
        reverse("manage_news", args=[tournament.slug]), sent(title_en="Lunch at 13:00", text_en="In hall 2.")
    )

    assert answer.status_code == 302
    assert "Lunch at 13:00" in page(reader(), tournament)
    assert "Обід о 13:00" in page(reader("uk"), tournament)
    assert "Обід о 13:00" in page(reader("ru"), tournament)  # nobody wrote it in Russian
    assert ActionLog.objects.get(action="news.told").data == {"title": "Обід о 13:00"}


def test_only_organizers_write_news(tournament: Tournament) -> None:
    address = reverse("manage_news", args=[tournament.slug])

    statuses = [organizer(tournament, role).post(address, sent()).status_code for role in ("arbiter", "desk", "")]

    assert statuses == [403, 403, 404]
    assert not NewsItem.objects.exists()


def test_text_is_plain_and_only_web_addresses_become_links(tournament: Tournament) -> None:
    text = "<b>x</b> <script>alert(1)</script>\nhttps://chess.example/a?b=1&c=2 javascript:alert(2) a@b.example"
    tell_news(tournament, title={"uk": "<i>T</i>"}, text={"uk": text}, actor=None)

    html = page(reader(), tournament)

    assert "<b>x" not in html
    assert "<script>alert" not in html
    assert "<i>T" not in html
    assert '<a href="https://chess.example/a?b=1&amp;c=2" rel="nofollow">' in html
    assert 'href="mailto:a@b.example"' in html
    assert 'href="javascript' not in html


def test_a_title_is_needed_and_what_was_typed_is_kept(tournament: Tournament) -> None:
    answer = organizer(tournament).post(
        reverse("manage_news", args=[tournament.slug]), sent(title_uk="  ", text_uk="Довгий текст")
    )

    assert answer.status_code == 422
    assert "Довгий текст" in answer.content.decode()
    assert not NewsItem.objects.exists()


def test_news_is_changed_pinned_and_taken_back(tournament: Tournament) -> None:
    first = tell_news(tournament, title={"uk": "Перша"}, text={}, actor=None)
    tell_news(tournament, title={"uk": "Друга"}, text={}, actor=None)
    client = organizer(tournament)
    address = reverse("manage_news", args=[tournament.slug])

    client.post(address, sent(act="change", item=first.pk, title_uk="Перша, виправлена", pinned="on"))
    html = page(reader("uk"), tournament)
    assert html.index("Перша, виправлена") < html.index("Друга")

    client.post(address, {"act": "withdraw", "item": first.pk})
    assert "виправлена" not in page(reader("uk"), tournament)
    again = client.post(address, sent(act="change", item=first.pk, text_uk="Довго писали"))
    assert again.status_code == 422
    assert "This piece of news was taken back." in again.content.decode()
    assert "Довго писали" in again.content.decode()
    assert (
        "This piece of news was taken back." in client.get(f"{address}?change={first.pk}", follow=True).content.decode()
    )
    assert NewsItem.objects.count() == 2


def test_the_feed_is_atom_with_escaped_text(tournament: Tournament) -> None:
    item = tell_news(tournament, title={"uk": "А & Б"}, text={"uk": "1 < 2"}, actor=None)

    answer = reader("uk").get(reverse("news_feed", args=[tournament.slug]))

    assert answer.headers["Content-Type"] == "application/atom+xml; charset=utf-8"
    entry = ElementTree.fromstring(answer.content).find(f"{ATOM}entry")
    assert entry is not None
    assert [entry.findtext(f"{ATOM}{name}") for name in ("title", "summary")] == ["А & Б", "<p>1 &lt; 2</p>"]
    assert entry.findtext(f"{ATOM}id") == f"http://testserver/t/{tournament.slug}/news/#n{item.pk}"


def test_signs_no_feed_may_hold_are_left_out_of_it(tournament: Tournament) -> None:
    tell_news(tournament, title={"uk": "А\x01Б"}, text={"uk": "рядок\x0bрядок\x1f"}, actor=None)

    answer = reader("uk").get(reverse("news_feed", args=[tournament.slug]))

    entry = ElementTree.fromstring(answer.content).find(f"{ATOM}entry")
    assert entry is not None
    assert entry.findtext(f"{ATOM}title") == "АБ"


def test_news_of_a_hidden_event_is_nobodys_business(tournament: Tournament) -> None:
    tell_news(tournament, title={"uk": "Таємниця"}, text={}, actor=None)
    Tournament.objects.update(public=False)

    assert [reader().get(reverse(name, args=[tournament.slug])).status_code for name in ("news", "news_feed")] == [
        404,
        404,
    ]
