"""The appeals committee of the youth championship, and an event without one."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from registration.engine.appeals import (
    AppealDecision,
    DepositFate,
    Filing,
    FilingVerdict,
    RoundEnd,
    Settlement,
    filing_deadline,
    judge_filing,
    panel,
    parse,
    round_end,
    settle,
)
from registration.tests.engine.presets import moscow, parsed, rub
from tourney.kernel.errors import RuleError, TourneyError

RULES = parsed("youth-championship").appeals
ENDED = moscow("2021-08-26T13:10")
FILING = Filing("arbiter_decision", "participant", True, moscow("2021-08-26T13:40"), ENDED, rub(1000))


@pytest.mark.clause("M7.7")
def test_appeal_in_time_with_a_deposit_is_taken():
    assert judge_filing(RULES, FILING) == FilingVerdict(True, "", rub(1000), moscow("2021-08-26T14:10"), "7.7")


@pytest.mark.clause("M7.7")
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"filed_at": moscow("2021-08-26T14:10")}, ""),
        ({"filed_at": moscow("2021-08-26T14:10:01")}, "late"),
        ({"deposit": rub("999.99")}, "deposit"),
        ({"deposit": rub(2000)}, ""),
        ({"subject": "computer_pairing"}, "pairing_not_appealable"),
        ({"by": "representative"}, ""),
        ({"by": "spectator"}, "not_entitled"),
        ({"written": False}, "not_written"),
    ],
)
def test_appeal_is_refused_for_the_reason_of_the_text(change, reason):
    verdict = judge_filing(RULES, replace(FILING, **change))

    assert (verdict.accepted, verdict.reason) == (reason == "", reason)
    assert verdict.deposit_taken == (rub(1000) if verdict.accepted else rub(0))


@pytest.mark.clause("M7.7")
def test_time_runs_from_the_last_game_of_the_group():
    own, last = ENDED, ENDED + timedelta(hours=1)

    assert filing_deadline(RULES, round_end(RULES, [own, last], own)) == last + timedelta(minutes=60)
    by_own_game = replace(RULES, round_end=RoundEnd.OWN_GAME)
    assert filing_deadline(by_own_game, round_end(by_own_game, [own, last], own)) == own + timedelta(minutes=60)


@pytest.mark.clause("M7.7")
def test_nobody_judges_his_own_case():
    members, reserves = ["A", "B", "C"], ["D", "E"]

    assert panel(RULES, members, reserves, frozenset()) == ["A", "B", "C"]
    assert panel(RULES, members, reserves, frozenset({"B"})) == ["A", "D", "C"]
    assert panel(RULES, members, reserves, frozenset({"A", "B"})) == ["D", "E", "C"]
    with pytest.raises(TourneyError) as caught:
        panel(RULES, members, reserves, frozenset({"A", "C", "D"}))
    assert (caught.value.code, caught.value.values) == ("appeal.panel_too_small", {"members": 2, "needed": 3})
    with pytest.raises(TourneyError) as incomplete:
        panel(RULES, ["A", "B"], reserves, frozenset())
    assert incomplete.value.code == "appeal.panel_too_small"


@pytest.mark.clause("M7.7")
def test_deposit_follows_the_decision():
    back, kept = Settlement(rub(1000), rub(0)), Settlement(rub(0), rub(1000))

    assert {decision: settle(RULES, rub(1000), decision) for decision in AppealDecision} == {
        AppealDecision.UPHELD: back,
        AppealDecision.PARTLY: back,
        AppealDecision.REFUSED: kept,
        AppealDecision.WITHDRAWN: back,
    }
    strict = replace(RULES, partly_upheld=DepositFate.KEEP, withdrawn=DepositFate.KEEP)
    assert settle(strict, rub(1000), AppealDecision.PARTLY) == kept
    assert settle(strict, rub(1000), AppealDecision.WITHDRAWN) == kept


def test_event_without_a_committee_takes_no_appeals():
    rules = parsed("second-chance-32").appeals

    verdict = judge_filing(rules, replace(FILING, deposit=rules.deposit))

    assert (verdict.accepted, verdict.reason, verdict.clause) == (False, "no_committee", "11.3")
    assert parse({}, "UAH").committee is False


@pytest.mark.parametrize(
    ("change", "path", "code"),
    [
        ({"main": 4}, "appeals.main", "rule.even_panel"),
        ({"main": 0}, "appeals.main", "rule.out_of_range"),
        ({"window_minutes": None}, "appeals.window_minutes", "rule.missing"),
        ({"deposit": "-1"}, "appeals.deposit", "rule.negative_money"),
        ({"windows": 1}, "appeals.windows", "rule.unknown_key"),
    ],
)
def test_committee_with_a_mistake_is_refused_at_its_key(change, path, code):
    block = {"committee": True, "window_minutes": 60, "clause": "7.7", **change}

    with pytest.raises(RuleError) as caught:
        parse(block, "RUB")

    assert (caught.value.path, caught.value.code) == (path, code)
