"""Cash at the desk: drawers, two tabs paying at once, money moved between entries; all of it under real locks."""

from __future__ import annotations

import datetime as dt
import uuid
from typing import Any

import pytest

from registration.accounts import account_of
from registration.models import Drawer, LedgerLine
from registration.services import close_drawer, move_money, open_drawer, record_payment, record_refund, reverse_line
from registration.services.drawers import expected_in
from registration.tests.db.test_race import at_once
from registration.tests.people import enter, kyiv, mari_el, moment, pay, section
from tourney.kernel.errors import TourneyError
from tourney.kernel.money import Money
from tourney.models import ActionLog, Entry, Tournament
from tourney.testing import builders


def uah(major: str) -> Money:
    return Money.parse(major, "UAH")


def refused(code: str, act: Any, *args: Any, **kwargs: Any) -> TourneyError:
    with pytest.raises(TourneyError) as caught:
        act(*args, **kwargs)
    assert caught.value.code == code
    return caught.value


def someone(event: Tournament, name: str = "Адаменко") -> Entry:
    return enter(section(event), name, moment(event, "2026-01-10T09:00")).entry


def now_is(entry: Entry) -> Entry:
    return Entry.objects.select_related("player", "section", "tournament").get(pk=entry.pk)


@pytest.mark.django_db
@pytest.mark.clause("K4.6")
def test_a_drawer_holds_its_change_and_its_operators_cash_and_nothing_else() -> None:
    event = kyiv()
    adam = someone(event)
    at = moment(event, "2026-01-25T09:00")
    olena, petro = builders.user("olena"), builders.user("petro")
    drawer = open_drawer(event, actor=olena, change=uah("200"), now=at)
    paid = pay(adam, "300", at, actor=olena)
    pay(adam, "50", at, actor=olena, channel="card")
    pay(adam, "70", at, actor=petro)
    record_refund(adam, uah("20"), actor=olena, reason="too much", now=at)
    reverse_line(paid, reason="wrong", actor=olena, now=at)
    pay(adam, "10", at, actor=olena)

    assert expected_in(drawer) == uah("190")
    assert LedgerLine.objects.filter(drawer=None).count() == 2
    told = refused("drawer.explain", close_drawer, drawer, counted=uah("185"), explanation=" ", actor=olena)
    assert told.values == {"expected": "190.00 UAH", "difference": "-5.00 UAH"}
    closed = close_drawer(drawer, counted=uah("185"), explanation="gave 5 too much", actor=olena)
    assert (closed.expected_minor, closed.counted_minor) == (19_000, 18_500)
    refused("drawer.closed_already", close_drawer, drawer, counted=uah("190"), explanation="", actor=olena)
    pay(adam, "1", at, actor=olena)
    assert expected_in(drawer) == uah("190")
    actions = list(ActionLog.objects.filter(action__startswith="money.drawer").values_list("action", flat=True))
    assert sorted(actions) == ["money.drawer_closed", "money.drawer_opened"]


@pytest.mark.django_db
def test_one_open_drawer_for_one_person_in_one_event() -> None:
    event, other = kyiv(), kyiv()
    olena = builders.user("olena")
    first = open_drawer(event, actor=olena, change=uah("0"))
    refused("drawer.open_already", open_drawer, event, actor=olena, change=uah("1"))
    refused("money.too_much", open_drawer, event, actor=builders.user("petro"), change=uah("-1"))
    open_drawer(other, actor=olena, change=uah("0"))
    close_drawer(first, counted=uah("0"), explanation="", actor=olena)
    open_drawer(event, actor=olena, change=uah("0"))
    assert Drawer.objects.count() == 3


@pytest.mark.django_db(transaction=True)
def test_a_drawer_closed_while_people_pay_never_misses_a_payment_it_was_closed_with() -> None:
    event = kyiv()
    adam = someone(event)
    olena = builders.user("olena")
    drawer = open_drawer(event, actor=olena, change=uah("0"))

    def close() -> None:
        for expected in range(7):
            try:
                close_drawer(drawer, counted=Money(expected * 1000, "UAH"), explanation="", actor=olena)
            except TourneyError as error:
                if error.code != "drawer.explain":
                    raise
            else:
                return

    payments = [lambda: record_payment(adam, uah("10"), actor=olena) for _ in range(6)]
    assert at_once([*payments, close]) == []

    drawer.refresh_from_db()
    if drawer.closed_at is None:
        close_drawer(drawer, counted=expected_in(drawer), explanation="", actor=olena)
        drawer.refresh_from_db()
    inside = sum(LedgerLine.objects.filter(drawer=drawer).values_list("minor", flat=True))
    assert inside == drawer.expected_minor == drawer.counted_minor
    assert sorted(LedgerLine.objects.values_list("receipt_number", flat=True)) == [1, 2, 3, 4, 5, 6]


@pytest.mark.django_db(transaction=True)
def test_two_tabs_that_take_the_same_fee_at_once_take_it_once() -> None:
    event = kyiv()
    adam = someone(event)

    def tab(number: int) -> Any:
        return lambda: record_payment(adam, uah("500"), seen=0, operation=uuid.UUID(int=number + 1))

    wrong = at_once([tab(number) for number in range(4)])

    assert [getattr(error, "code", error) for error in wrong] == ["money.paid_meanwhile"] * 3
    line = LedgerLine.objects.get()
    assert (line.minor, line.receipt_number) == (50_000, 1)
    assert wrong[0].values == {"amount": "500.00 UAH", "receipt": 1}  # type: ignore[attr-defined]


@pytest.mark.django_db
def test_who_looks_at_the_account_again_may_take_more() -> None:
    event = kyiv()
    adam = someone(event)
    at = moment(event, "2026-01-12T09:00")
    first = pay(adam, "100", at, seen=0)
    refused("money.paid_meanwhile", pay, adam, "100", at, seen=0)
    pay(adam, "400", at, seen=first.pk)
    reverse_line(LedgerLine.objects.latest("pk"), reason="slip", actor=None, now=at)
    pay(adam, "400", at, seen=first.pk)  # what came meanwhile has been taken back
    assert account_of(now_is(adam)).quote.paid == uah("500")


@pytest.mark.django_db(transaction=True)
def test_receipts_have_no_gaps_when_many_desks_pay_and_some_are_refused() -> None:
    event = mari_el()
    at = moment(event, "2021-08-20T12:00")
    children = [
        enter(section(event, code), f"Дитина{number}", at).entry
        for number, code in enumerate(["u11-boys", "u11-girls", "u13-boys", "u13-girls"] * 3)
    ]

    def desk(number: int, entry: Entry) -> Any:
        amount = Money(-1 if number % 4 == 3 else 50_000, "RUB")
        return lambda: record_payment(entry, amount, now=at + dt.timedelta(days=1))

    wrong = at_once([desk(number, entry) for number, entry in enumerate(children)])

    assert [getattr(error, "code", error) for error in wrong] == ["money.not_positive"] * 3
    assert sorted(LedgerLine.objects.values_list("receipt_number", flat=True)) == list(range(1, 10))


@pytest.mark.django_db
@pytest.mark.clause("K4.5", "M10.3.3")
def test_money_moved_to_another_entry_keeps_its_moment_and_both_accounts_add_up() -> None:
    event = kyiv()
    adam, bohdan = someone(event), someone(event, "Богданенко")
    pay(adam, "300", moment(event, "2026-01-20T23:00"))
    at = moment(event, "2026-01-25T09:00")
    refused("money.say_why", move_money, adam, bohdan, uah("100"), reason=" ", actor=None, now=at)
    refused("money.same_entry", move_money, adam, adam, uah("100"), reason="x", actor=None, now=at)
    refused("money.more_than_paid", move_money, adam, bohdan, uah("301"), reason="x", actor=None, now=at)
    operation = uuid.uuid4()
    for _twice in range(2):
        out, back = move_money(adam, bohdan, uah("200"), reason="brothers", actor=None, operation=operation, now=at)
    assert (out.minor, back.minor, out.receipt_number) == (-20_000, 20_000, None)
    found = {
        one.entry.player.surname: one for one in (account_of(now_is(adam), at=at), account_of(now_is(bohdan), at=at))
    }
    assert found["Адаменко"].quote.paid == uah("100")
    # Paid on the last early day, so the brother has the early price and his place too.
    assert (found["Богданенко"].quote.paid, found["Богданенко"].quote.fee) == (uah("200"), uah("500"))
    assert found["Богданенко"].entry.state == "confirmed"
    refused("money.not_reversible", reverse_line, back, reason="x", actor=None)
    assert LedgerLine.objects.count() == 3


@pytest.mark.django_db(transaction=True)
def test_money_moved_crosswise_between_groups_at_once_waits_for_nobody() -> None:
    event = mari_el()
    at = moment(event, "2021-08-20T12:00")
    one, other = (enter(section(event, code), "Дитина", at).entry for code in ("u11-boys", "u13-boys"))
    for entry in (one, other):
        pay(entry, "500", at)

    def move(source: Entry, target: Entry) -> Any:
        return lambda: move_money(source, target, Money(10_000, "RUB"), reason="x", actor=None, now=at)

    assert at_once([move(one, other), move(other, one)] * 3) == []
    assert [account_of(now_is(entry), at=at).quote.paid.minor for entry in (one, other)] == [50_000, 50_000]
