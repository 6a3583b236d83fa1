"""The arbiter's book by its pages: what is refused comes back with what was typed, and is called a refusal."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from tourney.models import Appeal, Sanction
from tourney.testing import builders

pytestmark = pytest.mark.django_db


@pytest.mark.clause("K10.3", "M7.6", "M7.7")
@pytest.mark.parametrize(
    ("page", "typed"),
    [
        ("manage_sanctions", {"kind": "warning", "reason": "кричав на суддю"}),
        ("manage_appeals", {"round_number": "1", "subject": "computer_pairing", "text": "кричав на суддю"}),
        ("manage_committee", {"act": "add", "name": "кричав на суддю " * 9}),
    ],
)
def test_refused_form_of_the_book_says_so_and_keeps_what_was_typed(
    client: Client, page: str, typed: dict[str, Any]
) -> None:
    event = builders.event("youth-championship")
    client.force_login(builders.user("chief", event, "chief_arbiter"))
    address = reverse(page, args=[event.slug])
    assert client.get(address).status_code == 200
    answer = client.post(address, typed)
    assert answer.status_code == 422
    assert "кричав на суддю" in answer.content.decode()
    assert not Sanction.objects.exists()
    assert not Appeal.objects.exists()
    assert not event.committee.exists()
