"""The fund: fees and other income in, prizes and expenses out, in totals that add up."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.utils import translation

from prizes.models import AwardEvent, FundLine
from prizes.selectors.fund import fund_of
from prizes.services.awards import note_award
from prizes.services.fund import add_line, reverse_line
from prizes.services.placings import publish_placings
from prizes.tests import played
from tourney import panels
from tourney.kernel.errors import TourneyError
from tourney.kernel.money import Money
from tourney.labels import sentence
from tourney.models import ActionLog, Tournament
from tourney.testing import builders

pytestmark = pytest.mark.django_db


def uah(amount: int) -> Money:
    return Money(100 * amount, "UAH")


def refused(call: Any, *args: Any, **values: Any) -> str:
    with pytest.raises(TourneyError) as caught:
        call(*args, **values)
    return caught.value.code


@pytest.fixture
def cup(monkeypatch: pytest.MonkeyPatch) -> Tournament:
    """A knockout of 32 with its places published; of the fees 15,000 have come and 2,000 are owed."""
    event = builders.event("second-chance-32")
    section = played.group(event, players=32)
    played.finished_bracket(section, monkeypatch)
    publish_placings(section, actor=None)
    monkeypatch.setitem(panels._registered, "income", [lambda tournament: [("Entry fees", uah(15000), uah(2000))]])
    return event


@pytest.mark.clause("K8.1")
def test_fund_of_the_knockout_promises_11_300_and_shows_the_balance(cup: Tournament) -> None:
    fund = fund_of(cup)
    assert (fund.received, fund.due, fund.promised, fund.paid) == (uah(15000), uah(2000), uah(11300), uah(0))
    assert (fund.now.left, fund.planned.left, fund.left) == (uah(15000), uah(5700), uah(3700))
    assert (fund.fee, fund.break_even, fund.players, fund.estimated) == (uah(600), 19, 32, False)


@pytest.mark.clause("M10.7")
def test_other_income_and_expenses_stand_beside_the_fees(cup: Tournament) -> None:
    organizer = builders.user("organizer", cup, "organizer")
    add_line(cup, kind="sponsor", label="Кав'ярня", amount=uah(3000), actor=organizer)
    add_line(cup, kind="subsidy", label="Міськрада", amount=uah(500), actor=organizer)
    add_line(cup, kind="income", label="Буфет", amount=uah(250), actor=organizer)
    spent = add_line(cup, kind="expense", label="Оренда", amount=uah(1200), actor=organizer)
    first = cup.sections.get().awards.get(source="place", subject="1")
    note_award(cup, first.pk, "handed", actor=organizer)

    fund = fund_of(cup)

    assert spent.minor == -120_000
    assert [(str(kind), amount) for kind, amount in fund.now.by_kind] == [
        ("fees", uah(15000)),
        ("sponsor", uah(3000)),
        ("subsidy", uah(500)),
        ("income", uah(250)),
        ("prizes", uah(5000)),
        ("expense", uah(1200)),
    ]
    assert fund.now.left == uah(15000 + 3750 - 5000 - 1200)
    assert fund.planned.left == uah(17000 + 3750 - 11300 - 1200)
    assert fund.break_even == 15  # 11,300 + 1,200 − 3,750 by 600 each
    assert ActionLog.objects.filter(action="prizes.fund_line", actor=organizer).count() == 4


def test_more_than_the_fund_holds_is_handed_over_only_with_a_reason(cup: Tournament) -> None:
    add_line(cup, kind="expense", label="Оренда", amount=uah(9500), actor=None)
    first, second, third = (cup.sections.get().awards.get(source="place", subject=place) for place in "123")
    note_award(cup, first.pk, "handed", actor=None)  # 15,000 received − 9,500 − 5,000
    with pytest.raises(TourneyError, match=r"award\.fund_short") as caught:
        note_award(cup, second.pk, "handed", actor=None)
    with translation.override("en"):
        assert "The fund holds 500\u00a0₴, so 2,000\u00a0₴ can't come from it" in sentence(caught.value)
    signed = {"signed_by": "Мати", "actor": None}
    assert refused(note_award, cup, second.pk, "representative", **signed) == "award.fund_short"
    assert not AwardEvent.objects.filter(entry=second.entry).exists()
    note_award(cup, second.pk, "absent", actor=None)  # nothing is paid

    note_award(cup, second.pk, "representative", note="the organizer lends it", **signed)
    assert ActionLog.objects.get(action="prizes.award_representative").reason == "the organizer lends it"
    add_line(cup, kind="sponsor", label="Кав'ярня", amount=uah(3000), actor=None)
    note_award(cup, third.pk, "handed", actor=None)
    assert fund_of(cup).now.left == uah(15000 - 9500 - 5000 - 2000 + 3000 - 1000)


def test_line_is_taken_back_by_its_opposite(cup: Tournament) -> None:
    line = add_line(cup, kind="sponsor", label="Кав'ярня", amount=uah(3000), actor=None)
    assert refused(reverse_line, cup, line.pk, actor=None, reason=" ") == "fund.reason_needed"
    opposite = reverse_line(cup, line.pk, actor=None, reason="promised, not paid")
    assert (opposite.minor, opposite.reverses) == (-300_000, line)
    assert fund_of(cup).now.left == uah(15000)
    assert refused(reverse_line, cup, line.pk, actor=None, reason="again") == "fund.already_reversed"
    assert refused(reverse_line, cup, opposite.pk, actor=None, reason="no") == "fund.gone"
    assert refused(reverse_line, builders.event(), line.pk, actor=None, reason="no") == "fund.gone"


def test_bad_lines_change_nothing(cup: Tournament) -> None:
    good = {"kind": "sponsor", "label": "x", "amount": uah(1), "actor": None}
    assert refused(add_line, cup, **good | {"kind": "gift"}) == "fund.unknown_kind"
    assert refused(add_line, cup, **good | {"label": " "}) == "fund.label_missing"
    assert refused(add_line, cup, **good | {"amount": uah(0)}) == "fund.amount_above_zero"
    assert refused(add_line, cup, **good | {"amount": Money(100, "RUB")}) == "fund.currency"
    assert not FundLine.objects.exists()


def test_form_sent_twice_adds_one_line(cup: Tournament) -> None:
    once = {"kind": "sponsor", "label": "x", "amount": uah(1), "actor": None, "operation": uuid4()}
    assert add_line(cup, **once) == add_line(cup, **once)
    assert FundLine.objects.count() == 1


def test_before_the_places_are_final_the_field_decides_what_is_promised(monkeypatch: pytest.MonkeyPatch) -> None:
    event = builders.event("second-chance-32")
    played.group(event, players=12)
    fund = fund_of(event)
    assert fund.estimated
    # Places 1–5, 7 and 9; of the draws the one of places 11 and 15 has a ticket.
    assert fund.promised == uah(5000 + 2000 + 1000 + 700 + 600 + 500 + 400 + 200)


@pytest.mark.parametrize("lines", [1, 12])
def test_fund_takes_the_same_number_of_queries(cup: Tournament, lines: int, django_assert_max_num_queries: Any) -> None:
    for number in range(lines):
        add_line(cup, kind="sponsor", label=str(number), amount=uah(1), actor=None)
    with django_assert_max_num_queries(14):
        fund_of(cup)


def test_fees_come_from_whoever_takes_them() -> None:
    """The real provider: what the desk took is the fund's income, without this app knowing the ledger."""
    event = builders.event("second-chance-32")
    played.group(event, players=3)
    fund = fund_of(event)
    assert [(one.received, one.due) for one in fund.income] == [(uah(0), uah(3 * 500))]  # the early fee is still open
