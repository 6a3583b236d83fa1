"""Clients of the cast, and short words for addresses."""

from __future__ import annotations

import re
from typing import Any

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from brackets.selectors import seen_token
from brackets.tests.builders import match, table
from tourney.models import Stage
from tourney.testing import builders


def reader(language: str = "en") -> Client:
    """Return somebody who is not signed in."""
    return Client(headers={"accept-language": language})


def signed_in(stage: Stage, role: str = "", language: str = "en") -> Client:
    """Return a client of a person with a role in the event ("" a stranger)."""
    client = reader(language)
    client.force_login(builders.user(role or "stranger", stage.section.tournament, role))
    return client


def url(name: str, stage: Stage, *more: Any) -> str:
    return reverse(name, args=[stage.section.tournament.slug, stage.section.code, *more])


def queries(client: Client, address: str, **headers: str) -> int:
    """Return how many queries a page takes (it is asked for once before, for what is done only once)."""
    client.get(address, headers=headers)
    with CaptureQueriesContext(connection) as captured:
        answer = client.get(address, headers=headers)
    assert answer.status_code in (200, 304)
    return len(captured)


def text_of(answer: Any) -> str:
    """Return a page's words without its tags."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode()))


def seen(stage: Stage, key: str) -> str:
    return seen_token(match(stage, key), table(stage).view(key))
