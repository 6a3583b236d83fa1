"""How values are written for people."""

from __future__ import annotations

import datetime as dt
from types import SimpleNamespace
from zoneinfo import ZoneInfo

import pytest
from django.utils import translation

from tourney import formatting
from tourney.formatting import shown_value
from tourney.kernel.errors import TourneyError
from tourney.kernel.money import Money
from tourney.kernel.outcomes import ResultCode
from tourney.labels import sentence
from tourney.log_words import log_sentence
from tourney.models import ActionLog
from tourney.templatetags import tourney_ui as ui

KYIV = ZoneInfo("Europe/Kyiv")


@pytest.mark.parametrize(
    ("minor", "currency", "language", "text"),
    [
        (50_000, "UAH", "uk", "500\u00a0₴"),
        (50_000, "RUB", "ru", "500\u00a0₽"),
        (120_050, "UAH", "uk", "1\u00a0200,50\u00a0₴"),
        (120_050, "UAH", "en", "1,200.50\u00a0₴"),
        (-10_000, "UAH", "uk", "−100\u00a0₴"),
        (5, "RUB", "ru", "0,05\u00a0₽"),
        (0, "KZT", "uk", "0\u00a0KZT"),
    ],
)
def test_money_is_written_as_the_language_does(minor: int, currency: str, language: str, text: str) -> None:
    with translation.override(language):
        assert ui.money(Money(minor, currency)) == text


def test_every_result_code_has_a_sign_and_words() -> None:
    assert set(formatting.RESULTS) == {code.value for code in ResultCode}
    with translation.override("en"):
        assert [formatting.result_text(code) for code in ("1-0", "1/2", "-+", "--")] == ["1–0", "½–½", "− +", "− −"]
        assert formatting.result_words("+-") == "White won by forfeit"


def test_an_unknown_or_missing_result_is_shown_as_it_is() -> None:
    assert [ui.result("?"), ui.result(""), ui.result_words("?")] == ["?", "", "?"]


def test_days_leave_out_what_repeats() -> None:
    with translation.override("en"):
        assert formatting.days_text(dt.date(2027, 1, 25), dt.date(2027, 1, 25)) == "25 January 2027 (Mon)"
        assert formatting.days_text(dt.date(2027, 1, 23), dt.date(2027, 1, 25)) == "23–25 January 2027"
        assert formatting.days_text(dt.date(2027, 1, 30), dt.date(2027, 2, 2)) == "30 January – 2 February 2027"
        assert formatting.days_text(dt.date(2026, 12, 30), dt.date(2027, 1, 2)) == "30 December 2026 – 2 January 2027"


def test_a_moment_is_shown_in_the_zone_of_the_event_with_its_weekday() -> None:
    moment = dt.datetime(2031, 1, 26, 8, 0, tzinfo=dt.UTC)
    with translation.override("uk"):
        assert formatting.moment_text(moment, KYIV) == "Нд, 26 січня 2031, 10:00"
        assert ui.when(moment, SimpleNamespace(zone=ZoneInfo("Europe/Moscow")), "time") == (
            '<time datetime="2031-01-26T11:00+03:00">11:00</time>'
        )


def test_the_event_line_leaves_out_what_is_unknown() -> None:
    with translation.override("en"):
        assert formatting.event_line(SimpleNamespace(dates_text="", venue_text="Kyiv")) == "Kyiv"
        day = dt.date(2027, 1, 25)
        event = SimpleNamespace(starts_on=day, ends_on=day, start_time=dt.time(10), venue_text="Kyiv")
        assert formatting.event_line(event) == "25 January 2027 (Mon), start 10:00 · Kyiv"


def test_points_are_written_with_halves_and_none_with_nothing() -> None:
    assert [ui.points(13), ui.points(1), ui.points(0), ui.points(None)] == [
        "6½",
        "½",
        "0",
        "",
    ]


@pytest.mark.parametrize(
    ("language", "code", "shown"),
    [
        ("uk", "100.00 UAH", "100\u00a0₴"),
        ("ru", "-1200.50 RUB", "−1\u00a0200,50\u00a0₽"),
        ("en", "0.05 EUR", "0.05\u00a0€"),
    ],
)
def test_amounts_in_the_log_are_written_as_everywhere(language: str, code: str, shown: str) -> None:
    line = ActionLog(action="money.refunded", data={"name": "Адам", "amount": code})
    refusal = TourneyError("money.more_than_paid", paid=code)
    with translation.override(language):
        assert log_sentence(line).endswith(f": {shown}")
        assert shown in sentence(refusal)


@pytest.mark.parametrize("text", ["100 UAH", "100.00", "1.00 UAHS", "5.00 UAH, 6.00 UAH", 7, None])
def test_other_values_stay_as_they_are(text: object) -> None:
    assert shown_value(text) is text
