"""Whose payment is it: what books by itself, what waits for a person with which suggestions, and why."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registration.engine import reference
from registration.engine.statements import Candidate, Decision, Movement, Suggestion, match
from registration.tests.engine.presets import rub, uah

OLEG, ANNA, PETRO = (reference.compose(number) for number in (1, 2, 77))
CANDIDATES = (
    Candidate("1", OLEG, "Іваненко", "Олег", uah(500), (uah(100), uah(500))),
    Candidate("2", ANNA, "Петрівська", "Анна", uah(300), (uah(300),), accounts=frozenset({"UA11"})),
    Candidate("3", PETRO, "Кім", "Петро", uah(0), (), alive=False),
)


def paid(amount: str, purpose: str = "", *, payer: str = "", account: str = "", **more: Any) -> Movement:
    return Movement(1, dt.date(2026, 1, 20), uah(amount), payer, account, purpose, **more)


def decide(movement: Movement) -> Decision:
    return match([movement], CANDIDATES, "UAH")[0]


@pytest.mark.clause("K4.3", "M10.4")
@pytest.mark.parametrize("amount", ["100", "500", "37.50"])
def test_whole_reference_books_up_to_what_is_open(amount: str):
    assert decide(paid(amount, f"Внесок, {OLEG}")) == Decision((("1", uah(amount)),))


def test_reference_typed_on_a_cyrillic_keyboard_books_too():
    cyrillic = OLEG.translate(str.maketrans("ACEHKMPTXY", "АСЕНКМРТХУ"))
    assert decide(paid("100", f"внесок ({cyrillic.lower()})")).parts == (("1", uah(100)),)


@pytest.mark.parametrize("text", [f"{OLEG}7", f"X{OLEG}", OLEG[:-1], OLEG[:-1] + ("2" if OLEG[-1] != "2" else "3")])
def test_part_of_a_word_or_a_wrong_check_character_is_no_reference(text: str):
    assert decide(paid("100", text)) == Decision(why="unknown")


def test_what_is_never_booked_by_itself():
    def why(movement: Movement) -> tuple[str, tuple[str, ...]]:
        found = decide(movement)
        assert found.parts == ()
        return found.why, tuple(one.key for one in found.suggestions)

    assert why(paid("500.01", OLEG)) == ("too_much", ("1",))
    assert why(paid("100", PETRO)) == ("left", ("3",))
    assert why(replace(paid("100", OLEG), amount=rub(100))) == ("other_currency", ("1",))
    assert why(paid("799", f"{OLEG} {ANNA}")) == ("several", ("1", "2"))
    assert why(paid("100", "за Олега")) == ("unknown", ())


def test_one_transfer_for_two_children_is_divided_when_it_adds_up():
    assert decide(paid("800", f"{OLEG}, {ANNA}")).parts == (("1", uah(500)), ("2", uah(300)))


def test_what_one_payment_takes_is_no_longer_open_for_the_next():
    first, second, third = match([paid("300", ANNA), paid("300", ANNA), paid("1", ANNA)], CANDIDATES, "UAH")
    assert first.parts == (("2", uah(300)),)
    assert (second.why, third.why) == ("paid_already", "paid_already")


@pytest.mark.parametrize(
    ("movement", "suggested"),
    [
        (paid("300", "внесок", account="UA11"), ("2", "account_and_sum")),
        (paid("299", "внесок", account="UA11"), ("2", "account")),
        (paid("100", "за Іваненка О."), ("1", "name_and_sum")),
        (paid("100", "за О. В. Іваненка"), ("1", "name_and_sum")),
        (paid("100", "за Iвaнeнкo Олега"), ("1", "name_and_sum")),  # Latin i, a, e, o
        (paid("99", "внесок Петрівської Анни"), ("2", "name")),
        (paid("300", "внесок", payer="ПЕТРІВСЬКА АННА"), ("2", "payer_and_sum")),
        (paid("12", "внесок", payer="Петрівська А"), ("2", "payer")),
    ],
)
def test_suggestions_say_why(movement: Movement, suggested: tuple[str, str]):
    assert decide(movement) == Decision(why="no_reference", suggestions=(Suggestion(*suggested),))


@pytest.mark.parametrize("purpose", ["за Іваненка П.", "Іванов Олег", "за Олега", "Кіма", "оплата за кімнату, Петро"])
def test_another_initial_or_another_surname_is_no_suggestion(purpose: str):
    assert decide(paid("100", purpose)) == Decision(why="unknown")


@given(
    st.lists(
        st.tuples(
            st.integers(1, 60_000),
            st.lists(st.sampled_from([OLEG, ANNA, PETRO, "внесок", "Іваненко О", "UA11"]), max_size=4),
        ),
        max_size=12,
    )
)
def test_nothing_is_lost_and_nobody_gets_more_than_is_open(rows: list[tuple[int, list[str]]]):
    movements = [paid("1", " ".join(words)) for _minor, words in rows]
    movements = [
        replace(one, amount=replace(one.amount, minor=minor)) for one, (minor, _w) in zip(movements, rows, strict=True)
    ]
    decisions = match(movements, CANDIDATES, "UAH")
    assert len(decisions) == len(movements)
    booked = dict.fromkeys("123", 0)
    for movement, decision in zip(movements, decisions, strict=True):
        assert bool(decision.parts) != bool(decision.why)
        if decision.parts:
            assert sum(amount.minor for _key, amount in decision.parts) == movement.amount.minor
        for key, amount in decision.parts:
            booked[key] += amount.minor
    assert booked["1"] <= 50_000
    assert booked["2"] <= 30_000
    assert booked["3"] == 0
