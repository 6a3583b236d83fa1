"""Random events with everything that can go wrong: they always end, and every promise holds after every step."""

from __future__ import annotations

from dataclasses import replace

import pytest

from brackets.engine.__main__ import main
from brackets.engine.build import BracketParams, build
from brackets.engine.resolve import resolve
from brackets.engine.simulate import CALM, BrokenPromise, Troubles, check, check_end, play_event
from brackets.engine.topology import BracketSpec, Places
from tourney.kernel.chance import Chance
from tourney.kernel.ids import EntryId

MANY = Troubles(no_show=80, both_absent=40, left=60, disqualified=30, returned=60, corrected=80, undone=60, moved=40)


@pytest.mark.clause("K10.3")
@pytest.mark.parametrize("players", [32, 31, 27, 24, 17, 2])
def test_events_of_any_size_end_with_every_place_once(de32: BracketSpec, players: int) -> None:
    for seed in range(12):
        event = play_event(de32, players, Chance.labelled(seed, f"event {players}"))

        assert event.state.is_complete, f"seed {seed}"
        assert resolve(de32, event.state.seeds, event.facts) == event.state, f"seed {seed}"


@pytest.mark.parametrize(
    "params",
    [
        BracketParams(return_at=16),
        BracketParams(return_at=32),
        BracketParams(final="reset"),
        BracketParams(final="advantage", places=2),
        BracketParams(places=8, drop_in="brazilian"),
        BracketParams(size=16, return_at=4),
        BracketParams(size=8),
        BracketParams(size=4),
    ],
)
def test_every_variant_survives_many_troubles(params: BracketParams) -> None:
    spec = build(params)
    corrections = undone = 0
    for seed in range(12):
        players = params.size - seed % (params.size // 2)
        event = play_event(spec, players, Chance.labelled(seed, "troubles"), MANY)
        corrections += event.corrections
        undone += event.undone

    assert corrections > 4
    assert undone > 2


def test_calm_event_plays_exactly_96_matches(de32: BracketSpec) -> None:
    event = play_event(de32, 32, Chance.labelled(7, "calm"), CALM)

    assert (len(event.facts), sum(event.state.matches_played().values())) == (96, 192)
    assert min(event.state.matches_played().values()) == 5


def test_checks_notice_a_broken_state(de32: BracketSpec) -> None:
    seeds = [EntryId(number) for number in range(1, 33)]
    event = play_event(de32, 32, Chance.labelled(1, "broken"), CALM)
    twice = replace(event.state, places={**event.state.places, EntryId(1): Places(5, 5), EntryId(2): Places(5, 5)})

    with pytest.raises(BrokenPromise):
        check_end(de32, 32, twice)
    with pytest.raises(BrokenPromise):
        check(de32, seeds, event.facts[:-1], event.state)


def test_command_reports_the_seeds(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", "--size", "8", "--events", "5", "--seed", "3"]) == 0
    assert capsys.readouterr().out.startswith("5 events of 8 players (seeds 3-7): ")
