"""The rounds of drand by the clock, and values typed in."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from prizes.engine.beacon import DRAND_GENESIS, drand_round, drand_time, drand_value
from tourney.kernel.errors import TourneyError

# Round 1000 of quicknet as its public documentation shows it.
SIGNATURE = "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39"
RANDOMNESS = "fe290beca10872ef2fb164d2aa4442de4566183ec51c56ff3cd603d930e54fdd"


def test_round_is_the_first_that_nobody_knows_at_the_moment() -> None:
    assert drand_round(DRAND_GENESIS) == 1
    assert drand_round(DRAND_GENESIS + timedelta(seconds=1)) == 2
    assert drand_round(DRAND_GENESIS + timedelta(seconds=3)) == 2
    assert drand_round(DRAND_GENESIS + timedelta(seconds=3, microseconds=1)) == 3


@pytest.mark.parametrize("second", range(7))
def test_a_rounds_moment_is_never_before_the_one_asked_for(second: int) -> None:
    moment = datetime(2026, 1, 25, 16, 0, second, tzinfo=UTC)
    found = drand_time(drand_round(moment))
    assert timedelta(0) <= found - moment < timedelta(seconds=3)


def test_value_is_the_randomness_or_the_signature_it_is_the_hash_of() -> None:
    assert drand_value(SIGNATURE) == RANDOMNESS
    assert drand_value(f" {RANDOMNESS.upper()} ") == RANDOMNESS


@pytest.mark.parametrize("text", ["", "7", RANDOMNESS[:-1], RANDOMNESS[:-1] + "g", SIGNATURE + "00"])
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(TourneyError, match=r"lottery\.bad_beacon"):
        drand_value(text)
