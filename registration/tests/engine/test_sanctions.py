"""What the sanctions of both presets do, and until when."""

from __future__ import annotations

import pytest

from registration.engine.sanctions import Effect, SanctionKind, effect_of, may_disqualify, parse
from registration.tests.engine.presets import kyiv, moscow, parsed
from tourney.kernel.errors import RuleError, TourneyError

KNOCKOUT = parsed("second-chance-32").sanctions
YOUTH = parsed("youth-championship").sanctions
ENDED = moscow("2021-08-29T14:30")
DURING = kyiv("2026-01-25T13:00")


def given(rules, kind, *, at=DURING, ended=None, has_game=True):
    return effect_of(rules, kind, decided_at=at, ended_at=ended, has_game=has_game)


@pytest.mark.clause("K10.3")
def test_sanctions_go_up_to_removal():
    assert KNOCKOUT.clause == "10.3"
    assert {kind: given(KNOCKOUT, kind) for kind in KNOCKOUT.kinds} == {
        SanctionKind.WARNING: Effect(),
        SanctionKind.GAME_LOSS: Effect(loses_game=True, needs_game=True),
        SanctionKind.MATCH_LOSS: Effect(loses_match=True, needs_game=True),
        SanctionKind.REMOVAL: Effect(leaves_event=True),
    }


@pytest.mark.clause("K10.3")
def test_sanction_outside_the_regulation_or_without_a_game_is_refused():
    with pytest.raises(TourneyError) as outside:
        given(YOUTH, SanctionKind.MATCH_LOSS)
    with pytest.raises(TourneyError) as no_game:
        given(KNOCKOUT, SanctionKind.GAME_LOSS, has_game=False)

    assert (outside.value.code, no_game.value.code) == ("sanction.not_in_regulation", "sanction.needs_game")


@pytest.mark.clause("M7.9")
@pytest.mark.parametrize(
    ("decided_at", "allowed"),
    [
        ("2021-08-28T12:00", True),
        ("2021-08-29T14:30", True),
        ("2021-09-01T23:59:59.999999", True),
        ("2021-09-02T00:00", False),
    ],
)
def test_disqualification_is_possible_for_three_calendar_days_after_the_last_one(decided_at, allowed):
    assert may_disqualify(YOUTH, moscow(decided_at), ENDED) is allowed


@pytest.mark.clause("M7.9")
def test_only_removal_outlives_the_event():
    later = moscow("2021-08-31T12:00")

    assert given(YOUTH, SanctionKind.REMOVAL, at=later, ended=ENDED) == Effect(leaves_event=True)
    for kind, moment in ((SanctionKind.WARNING, later), (SanctionKind.REMOVAL, moscow("2021-09-02T00:00"))):
        with pytest.raises(TourneyError) as caught:
            given(YOUTH, kind, at=moment, ended=ENDED)
        assert caught.value.code == "sanction.too_late"


def test_hours_are_counted_from_the_very_end():
    window = {"mode": "hours", "hours": 72, "clause": "7.9"}
    rules = parse({"kinds": ["removal"], "after_end": window}, "Europe/Moscow")

    assert may_disqualify(rules, moscow("2021-09-01T14:30"), ENDED)
    assert not may_disqualify(rules, moscow("2021-09-01T14:30:01"), ENDED)


def test_without_a_window_nobody_is_disqualified_after_the_end():
    assert may_disqualify(KNOCKOUT, DURING, None)
    assert not may_disqualify(KNOCKOUT, kyiv("2026-01-25T20:00:01"), kyiv("2026-01-25T20:00"))


@pytest.mark.parametrize(
    ("block", "path", "code"),
    [
        ({"kinds": ["warning", "flogging"]}, "sanctions.kinds[1]", "rule.not_an_option"),
        ({"kinds": ["warning", "warning"]}, "sanctions.kinds[1]", "rule.twice"),
        ({"kinds": ["warning"], "after_end": {"days": 3, "clause": ""}}, "sanctions.after_end", "rule.never_applies"),
        ({"kinds": ["removal"], "after_end": {"hours": 3, "clause": ""}}, "sanctions.after_end.days", "rule.missing"),
        ({"kind": ["removal"]}, "sanctions.kind", "rule.unknown_key"),
    ],
)
def test_sanctions_with_a_mistake_are_refused_at_their_key(block, path, code):
    with pytest.raises(RuleError) as caught:
        parse(block, "Europe/Moscow")

    assert (caught.value.path, caught.value.code) == (path, code)


@pytest.mark.parametrize("kind", [SanctionKind.INCIDENT, SanctionKind.ILLEGAL_MOVE])
def test_what_is_only_noted_is_refused_by_no_regulation_and_at_no_time(kind):
    assert [given(rules, kind, at=ENDED, ended=DURING, has_game=False) for rules in (KNOCKOUT, YOUTH)] == [Effect()] * 2
