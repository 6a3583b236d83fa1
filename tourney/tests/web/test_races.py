"""Two acts that wait for each other: the database takes one back, and its sender reads a sentence, not a 500."""

from __future__ import annotations

from django.db import OperationalError
from django.test import RequestFactory
from psycopg.errors import DeadlockDetected

from tourney.middleware import TourneyMiddleware


def answer_to(error: Exception):
    return TourneyMiddleware(lambda request: None).process_exception(RequestFactory().post("/"), error)


def test_lost_race_is_a_page_that_asks_to_send_again(db):
    error = OperationalError("deadlock detected")
    error.__cause__ = DeadlockDetected()

    response = answer_to(error)

    assert (response.status_code, response["Retry-After"]) == (503, "1")


def test_other_database_errors_stay_loud(db):
    assert answer_to(OperationalError("could not connect")) is None
