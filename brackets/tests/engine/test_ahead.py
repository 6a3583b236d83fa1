"""The questions a match may ask next, as a tablet without a network needs them."""

from __future__ import annotations

from brackets.engine.ahead import ahead, branches
from brackets.engine.match_fold import AwaitColor, AwaitGame, Finished
from brackets.engine.match_format import parse_formats
from brackets.engine.match_play import begin
from tourney.presets import preset

FORMAT = parse_formats(preset("second-chance-32")["match_formats"])["blitz"]


def test_tree_goes_from_the_colour_through_two_games_to_the_armageddon() -> None:
    match = begin(FORMAT, {"a": 1800, "b": 1700})

    tree = ahead(match, 4)

    assert isinstance(tree.awaiting, AwaitColor)
    assert set(tree.then) == {"w", "b"}
    first = tree.then["w"]
    assert isinstance(first.awaiting, AwaitGame)
    assert first.awaiting.number == 1
    second = first.then["1-0"]
    assert isinstance(second.awaiting, AwaitGame)
    assert (second.awaiting.number, second.awaiting.white) != (1, first.awaiting.white)
    assert isinstance(second.then["0-1"].awaiting, Finished)  # colours change: Black of the second game won both
    assert second.then["1-0"].awaiting.number == 3  # type: ignore[union-attr]  # 1:1, and two shorter games follow
    assert second.then["0-1"].then == {}


def test_tree_is_as_deep_as_asked_and_answers_lead_where_the_match_goes() -> None:
    match = begin(FORMAT, {"a": None, "b": None})

    assert ahead(match, 0).then == {}
    for answer, after in branches(match).items():
        assert ahead(match, 1).then[answer].awaiting == after.awaiting
