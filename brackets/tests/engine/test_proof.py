"""What is certain before the first game, for every size and variant, and that the proof would notice a broken graph."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from brackets.engine.__main__ import main
from brackets.engine.build import BracketParams, build
from brackets.engine.proof import Span, prove
from brackets.engine.topology import BracketSpec, Places, Side, Target
from tourney.kernel.errors import TourneyError
from tourney.kernel.ids import MatchKey


@pytest.mark.clause("K5.6")
def test_everybody_plays_at_least_five_matches(de32: BracketSpec) -> None:
    proof = prove(de32)

    assert (proof.matches, proof.slots, proof.per_player) == (Span(96, 96), 10, Span(5, 10))
    assert set(proof.by_seed.values()) == {Span(5, 10)}
    assert proof.below_five == ()


@pytest.mark.clause("K5.5")
def test_every_place_is_decided_once(de32: BracketSpec) -> None:
    proof = prove(de32)

    assert (proof.each_place_once, proof.each_way_once) == (True, True)
    assert proof.places == tuple(Places(place, place) for place in range(1, 33))


def test_matches_played_by_place(de32: BracketSpec) -> None:
    by_place = {places.first: span for places, span in prove(de32).by_place.items()}

    expected = dict.fromkeys(range(25, 33), Span(5, 5)) | dict.fromkeys(range(13, 25), Span(6, 6))
    expected |= dict.fromkeys(range(7, 13), Span(6, 7)) | dict.fromkeys(range(4, 7), Span(6, 8))
    expected |= {3: Span(6, 9), 2: Span(6, 10), 1: Span(6, 10)}
    assert by_place == expected


def test_nobody_meets_twice_before_the_fifth_lower_round(de32: BracketSpec) -> None:
    proof = prove(de32)

    assert proof.rematch_slot == 6
    assert proof.rematch_matches[:2] == ("L5.1", "L5.2")


def test_dropping_straight_down_repeats_pairs_in_the_second_lower_round() -> None:
    proof = prove(build(BracketParams(drop_in="natural")))

    assert (proof.rematch_slot, proof.rematch_matches) == (3, tuple(f"L2.{number}" for number in range(1, 9)))


# Real matches and the least of a player by number of players: the promise of five holds for 24 and 32 only.
BY_PLAYERS = {
    17: (42, 2), 18: (45, 3), 19: (48, 3), 20: (52, 4), 21: (55, 3), 22: (59, 4), 23: (63, 4), 24: (68, 5),
    25: (70, 2), 26: (73, 3), 27: (76, 3), 28: (80, 4), 29: (83, 3), 30: (87, 4), 31: (91, 4), 32: (96, 5),
}  # fmt: skip


@pytest.mark.parametrize("players", BY_PLAYERS)
def test_byes_take_the_last_places_and_break_the_promise_of_five(de32: BracketSpec, players: int) -> None:
    proof = prove(de32, players)

    assert (proof.matches.most, proof.per_player.least) == BY_PLAYERS[players]
    assert proof.bye_places == tuple(Places(place, place) for place in range(players + 1, 33))
    assert (proof.each_place_once, bool(proof.below_five)) == (True, proof.per_player.least < 5)


@pytest.mark.parametrize("size", [4, 8, 16, 32, 64, 128])
@pytest.mark.parametrize("places", [None, 2, 6])
@pytest.mark.parametrize("final", ["single", "reset", "advantage"])
def test_every_size_and_final_is_sound(size: int, places: int | None, final: str) -> None:
    last = None if places is None else min(places, size)
    rounds = size.bit_length() - 1
    proof = prove(build(BracketParams(size=size, places=last, final=final)))  # type: ignore[arg-type]

    assert (proof.each_place_once, proof.each_way_once) == (True, True)
    assert proof.slots == 2 * rounds + (final == "reset")
    assert proof.per_player.most == 2 * rounds + (final == "reset")
    if last is None:
        assert proof.per_player.least == rounds


@pytest.mark.parametrize(("size", "return_at"), [(s, r) for s in (8, 16, 32, 64) for r in (4, 8, 16, 32, 64) if r <= s])
def test_every_return_is_sound(size: int, return_at: int) -> None:
    if return_at not in (size, *[2**n for n in range(1, 7) if 2**n <= size // 2]):
        pytest.skip("a return needs as many players again in the upper bracket")
    proof = prove(build(BracketParams(size=size, return_at=return_at)))

    assert (proof.each_place_once, proof.each_way_once) == (True, True)
    assert proof.per_player.least == size.bit_length() - 1


def test_second_final_makes_one_match_uncertain() -> None:
    proof = prove(build(BracketParams(final="reset")))

    assert (proof.matches, proof.slots, proof.per_player) == (Span(96, 97), 11, Span(5, 11))
    assert proof.by_place[Places(1, 1)] == Span(6, 11)


def broken(spec: BracketSpec, key: str, **changes: object) -> BracketSpec:
    matches = tuple(
        replace(match, **changes) if match.key == key else match  # type: ignore[arg-type]
        for match in spec.matches
    )
    return BracketSpec(spec.size, matches)


@pytest.mark.parametrize(
    ("key", "changes"),
    [
        ("U1.1", {"loser_to": Target(MatchKey("L1.2"), Side.A)}),
        ("U1.1", {"winner_to": None, "winner_place": Places(1, 1)}),
        ("P25uu.1", {"winner_to": Target(MatchKey("GF.1"), Side.A), "winner_place": None}),
    ],
)
def test_graph_with_a_way_to_nowhere_is_noticed(de32: BracketSpec, key: str, changes: dict[str, object]) -> None:
    assert not prove(broken(de32, key, **changes)).each_way_once


def test_place_given_twice_is_noticed(de32: BracketSpec) -> None:
    assert not prove(broken(de32, "P25uu.1", winner_place=Places(26, 26))).each_place_once


@pytest.mark.parametrize(("players", "code"), [(33, "bracket.too_many_players"), (1, "bracket.too_few_players")])
def test_impossible_number_of_players_is_refused(de32: BracketSpec, players: int, code: str) -> None:
    with pytest.raises(TourneyError) as refused:
        prove(de32, players)

    assert refused.value.code == code


def run(capsys: pytest.CaptureFixture[str], arguments: Sequence[str]) -> tuple[int, str]:
    code = main(arguments)
    return code, capsys.readouterr().out


@pytest.mark.clause("K5.6")
def test_command_prints_the_proof(capsys: pytest.CaptureFixture[str]) -> None:
    code, printed = run(capsys, ["prove", "--size", "32"])

    assert code == 0
    assert printed.splitlines()[:6] == [
        "size 32, players 32",
        "matches: 96",
        "time slots: 10",
        "matches of a player: least 5, most 10",
        "every way leads to exactly one side or place: yes",
        "places 1-32 decided once each: yes",
    ]


def test_command_prints_json(capsys: pytest.CaptureFixture[str]) -> None:
    code, printed = run(capsys, ["prove", "--size", "8", "--players", "7", "--json"])
    proof = json.loads(printed)

    assert (code, proof["matches"], proof["bye_places"]) == (0, {"least": 13, "most": 13}, ["8"])


def test_command_refuses_parameters_that_make_no_sense(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", "--size", "12"]) == 2
    assert "rule.not_one_of" in capsys.readouterr().err


def test_command_explains_itself(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["prove", "--help"])

    assert left.value.code == 0
    assert "--return-at" in capsys.readouterr().out
