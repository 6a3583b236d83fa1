"""No line of a log holds what opens something or whom one can call."""

from __future__ import annotations

import io
import logging
import logging.config
from typing import Any

import pytest
from django.conf import settings

from tourney.private_logs import WithoutPrivateData, clean


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("GET /e/NuQYrZZNIP58bvUA__HZoA/edit/ 200", "GET /e/[token]/edit/ 200"),
        ("/device/TcCvA4Jdb7kWEqcEdtaEi8wt978eYQ_i/", "/device/[token]/"),
        ("/join/TcCvA4Jdb7kWEqcEdtaEi8wt978eYQ_i/", "/join/[token]/"),
        ("no such user: mother.of+two@birds.example.org!", "no such user: [mail]!"),
        ("call +380 (50) 917-43-33 now", "call [telephone] now"),
        ("from UA903052992990004149123456789", "from [account]"),
        ("{'password': 'king’s gambit', 'name': 'Vira'}", "{'password': '[secret] gambit', 'name': 'Vira'}"),
        ("?password=abc&next=/manage/", "?password=[secret]&next=/manage/"),
        ("postgres://tourney:s3cret@db.example:5432/x", "postgres://tourney:[secret]@db.example:5432/x"),
        ("/t/cup-2027/main/round/3/ took 12 ms at 10:20:30", "/t/cup-2027/main/round/3/ took 12 ms at 10:20:30"),
    ],
)
def test_private_words_are_replaced_and_others_kept(said: str, kept: str) -> None:
    assert clean(said) == kept


def logged(record: Any) -> str:
    """Return what the product's own handler writes for what a function logs."""
    text = io.StringIO()
    handler = logging.StreamHandler(text)
    handler.addFilter(WithoutPrivateData())
    logger = logging.getLogger("tourney.tests.private")
    logger.addHandler(handler)
    try:
        record(logger)
    finally:
        logger.removeHandler(handler)
    return text.getvalue()


def test_arguments_and_tracebacks_are_cleaned_too() -> None:
    def fail(logger: logging.Logger) -> None:
        try:
            raise ValueError("no letter for canary@birds.example")
        except ValueError:
            logger.exception("letter to %s at %s", "canary@birds.example", "/e/NuQYrZZNIP58bvUA__HZoA/")

    text = logged(fail)

    assert "letter to [mail] at /e/[token]/" in text
    assert "ValueError: no letter for [mail]" in text
    assert "canary" not in text


def test_every_handler_of_the_product_has_the_filter() -> None:
    handlers = settings.LOGGING["handlers"]

    assert handlers
    for name, handler in handlers.items():
        assert "private" in handler["filters"], name
    assert settings.LOGGING["filters"]["private"]["()"] == "tourney.private_logs.WithoutPrivateData"
