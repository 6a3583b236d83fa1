"""The page that shows what a new version of the regulation would do to fees, and takes it for those ticked."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.test import Client
from django.utils import timezone, translation

from registration.tests.db.test_requoting import three_before_the_change
from registration.tests.web.test_money_pages import staff, text_of, url
from tourney.models import ActionLog

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def english(client: Client) -> Iterator[None]:
    client.cookies["django_language"] = "en"
    with translation.override("en"):
        yield


def test_fees_of_a_new_version_are_shown_first_and_taken_for_those_ticked(client: Client) -> None:
    event, (paid, deposit, unpaid) = three_before_the_change()
    staff(client, event, "organizer")
    page = text_of(client.get(url("manage_treasury", event)))
    assert "2 entries have another fee than the new rules say" in page
    shown = client.get(url("manage_fees", event))
    text = text_of(shown)
    assert "Paid, so nothing changes" in text
    assert text.count("100 ₴ more") == 2
    assert f'value="{paid.pk}"' not in shown.content.decode()
    chosen = {"entry": [unpaid.pk, deposit.pk], "version": 2}
    refused = client.post(url("manage_fees", event), {**chosen, "reason": " "})
    assert refused.status_code == 422
    assert "Say why" in text_of(refused)
    assert refused.content.decode().count(" checked") == 2
    for nonsense in ("", "x", "9" * 30, "-1"):
        answer = client.post(url("manage_fees", event), {"entry": [nonsense], "version": nonsense, "reason": "a"})
        assert answer.status_code == 422
    assert client.post(url("manage_fees", event), {**chosen, "reason": "hall"}).status_code == 302
    assert "another fee" not in text_of(client.get(url("manage_treasury", event)))
    assert "Every fee is as the rules say" in text_of(client.get(url("manage_fees", event)))


def test_the_organizer_hears_of_fees_that_differ_while_they_are_new_and_the_desk_does_not_change_them(
    client: Client,
) -> None:
    event, _entries = three_before_the_change()
    staff(client, event)
    assert client.get(url("manage_fees", event)).status_code == 403
    staff(client, event, "organizer")
    assert "another fee" not in text_of(client.get(url("manage_event", event)))
    event.regulations.filter(number=2).update(published_at=timezone.now())
    assert "2 entries have another fee" in text_of(client.get(url("manage_event", event)))


def test_the_list_for_the_treasurer_says_who_owes_by_which_clause_and_is_written_to_the_log(client: Client) -> None:
    event, (paid, *_others) = three_before_the_change()
    staff(client, event)
    shown = text_of(client.get(url("manage_treasury_list", event)))
    assert "Not for the wall" in shown
    assert paid.player.full_name in shown
    assert "4.5" in shown
    row = shown[shown.index("Адам") :]
    assert row.index("500 ₴") < row.index("Богдан")
    assert ActionLog.objects.filter(action="money.treasury_exported").exists()
    client.logout()
    assert client.get(url("manage_treasury_list", event)).status_code in (302, 403, 404)
