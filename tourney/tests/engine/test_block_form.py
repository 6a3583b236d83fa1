"""The editor's form: what goes in comes out, buttons move rows, wrong values are refused at their field."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from django.http import QueryDict

from tourney.forms.block import BlockForm
from tourney.forms.lines import line_of
from tourney.forms.regulation import ReadingsForm
from tourney.forms.tree import apply, from_data, from_post
from tourney.kernel.paths import value_at
from tourney.kernel.regulation import resolve_dates
from tourney.presets import ORDER, preset
from tourney.regulation_checks import check_spec, error, errors_of
from tourney.regulation_schema.blocks import BLOCK_TITLES, block_schema, has_schema
from tourney.services.regulations import block_value

DAY = date(2027, 1, 24)
CASES = [
    (code, block)
    for code in ORDER
    for block in BLOCK_TITLES
    if has_schema(block) and block_value(preset(code), block) is not None
]


def posted(form: BlockForm) -> QueryDict:
    """Return what a browser would send for a form as it stands."""
    post = QueryDict(mutable=True)
    for name, typed in form._typed.items():
        if isinstance(typed, list):
            post.setlist(name, typed)
        elif typed is True:
            post[name] = "on"
        elif typed is not False:
            post[name] = typed
    return post


@pytest.mark.parametrize(("code", "block"), CASES)
def test_form_gives_back_what_it_was_given(code: str, block: str) -> None:
    data = resolve_dates(preset(code), DAY)
    schema = block_schema(block)
    first = BlockForm(schema, from_data(schema, block_value(data, block)), data, check=False)

    form = BlockForm(schema, from_post(schema, posted(first)), data, check=True)

    assert form.is_valid(), form.errors
    assert form.value() == block_value(data, block)


def test_button_adds_moves_and_removes_rows() -> None:
    schema = block_schema("fees")
    tree: Any = from_data(schema, preset("open-swiss")["fees"])
    kinds = [row.kind for row in tree.inside["rules"]]

    apply(schema, tree, "add", "rules:sibling")
    apply(schema, tree, "up", f"rules-{len(kinds)}")
    apply(schema, tree, "remove", "rules-0")

    assert [row.kind for row in tree.inside["rules"]] == [*kinds[1:-1], "sibling", kinds[-1]]


def test_button_of_an_old_page_changes_nothing() -> None:
    schema = block_schema("prizes")
    tree: Any = from_data(schema, preset("open-swiss")["prizes"])

    for act, target in (("remove", "7"), ("up", "x"), ("down", "0-places-99"), ("add", "0-nothing")):
        apply(schema, tree, act, target)

    assert len(tree) == 1
    assert len(tree[0].inside["places"]) == 5


def test_tie_breaks_keep_the_order_they_are_given() -> None:
    data = preset("youth-championship")
    schema = block_schema("stages")
    tree: Any = from_data(schema, data["stages"])
    apply(schema, tree, "up", "0-options-1-tie_breaks-2")

    form = BlockForm(schema, tree, data, check=True)

    assert form.is_valid(), form.errors
    assert value_at(form.value(), "[0].options[1].tie_breaks") == ["DE", "BH", "BH/C1", "WIN", "BPG", "ARO"]


WRONG = [
    ("fees", "rules-0-amount", "a lot"),
    ("fees", "rules-0-amount", "-5"),
    ("fees", "rules-2-until", "soon"),
    ("stages", "0-options-0-minimum_matches", "many"),
    ("match_formats", "0-phases-0-clock", "quick"),
    ("lotteries", "0-places", "11 and 15"),
    ("prizes", "0-places-0-_name", ""),
    ("sections", "0-code", "перша"),
]


@pytest.mark.parametrize(("block", "name", "typed"), WRONG)
def test_wrong_value_is_refused_at_its_field_and_kept(block: str, name: str, typed: str) -> None:
    data = resolve_dates(preset("second-chance-32"), DAY)
    schema = block_schema(block)
    post = posted(BlockForm(schema, from_data(schema, data[block]), data, check=False))
    post[name] = typed

    form = BlockForm(schema, from_post(schema, post), data, check=True)

    assert not form.is_valid()
    assert list(form.errors) == [name]
    assert form[name].value() == typed


def test_problem_is_shown_at_the_field_of_its_path() -> None:
    data = resolve_dates(preset("second-chance-32"), DAY)
    schema = block_schema("match_formats")
    post = posted(BlockForm(schema, from_data(schema, data["match_formats"]), data, check=False))
    form = BlockForm(schema, from_post(schema, post), data, check=True)
    assert form.is_valid()

    form.show_problems([error("match_formats.blitz.phases[0].clock", "rule.not_a_clock", got="0")], "match_formats")

    assert list(form.errors) == ["0-phases-0-clock"]


def test_clock_without_minutes_is_refused_at_its_field() -> None:
    data = resolve_dates(preset("second-chance-32"), DAY)
    schema = block_schema("match_formats")
    post = posted(BlockForm(schema, from_data(schema, data["match_formats"]), data, check=False))
    post["0-phases-0-clock"] = "0"

    form = BlockForm(schema, from_post(schema, post), data, check=True)

    assert not form.is_valid()
    assert list(form.errors) == ["0-phases-0-clock"]


def test_amounts_and_dates_may_be_written_as_people_do() -> None:
    data = resolve_dates(preset("second-chance-32"), DAY)
    schema = block_schema("fees")
    post = posted(BlockForm(schema, from_data(schema, data["fees"]), data, check=False))
    post["rules-0-amount"], post["rules-2-until"] = "1 200,50", "19.01.2027 20:00"

    form = BlockForm(schema, from_post(schema, post), data, check=True)

    assert form.is_valid(), form.errors
    rules = form.value()["rules"]
    assert (rules[0]["amount"], rules[2]["until"]) == ("1200.50", "2027-01-19T20:00")


def test_switching_the_committee_off_drops_its_rules() -> None:
    data = resolve_dates(preset("youth-championship"), DAY)
    schema = block_schema("appeals")
    post = posted(BlockForm(schema, from_data(schema, data["appeals"]), data, check=False))
    del post["committee"]

    form = BlockForm(schema, from_post(schema, post), data, check=True)

    assert form.is_valid(), form.errors
    assert form.value() == {"committee": False, "clause": "7.7"}


def test_keys_no_form_shows_are_kept() -> None:
    data = resolve_dates(preset("second-chance-32"), DAY)
    stages = data["stages"]
    stages[0]["options"][0]["drop_in"] = {"L2": [8, 7, 6, 5, 4, 3, 2, 1]}
    schema = block_schema("stages")
    first = BlockForm(schema, from_data(schema, stages), data, check=False)

    form = BlockForm(schema, from_post(schema, posted(first)), data, check=True)

    assert form.is_valid(), form.errors
    assert form.value() == stages


def test_line_of_a_path_is_where_it_was_typed() -> None:
    text = '[\n  {\n    "places": {\n      "1": "10",\n      "2": "20"\n    }\n  },\n  {"places": {}}\n]'

    assert [line_of(text, path) for path in ("[0].places.2", "[1]", "[0].nothing", "[5]")] == [5, 8, 2, 1]
    assert line_of("[1, ", "[3]") is None


# -- open questions ----------------------------------------------------------------------------------------------------


def test_reading_answer_is_put_at_its_paths_and_taken_back() -> None:
    data = preset("youth-championship")
    form = ReadingsForm(data_of=data)
    answers = {name: form.fields[name].initial for name in form.names}
    wins = next(name for name, index in form.names.items() if data["readings"][index]["default"] == "WIN")

    changed = _answered(data, {**answers, wins: "1"})
    back = _answered(changed, {**answers, wins: "0"})

    options = changed["stages"][0]["options"]
    assert [option["tie_breaks"][-1 if option["kind"] == "round_robin" else 3] for option in options] == ["WON"] * 3
    assert back == data


def _answered(data: dict[str, Any], answers: dict[str, str]) -> dict[str, Any]:
    form = ReadingsForm(answers, data_of=data)
    assert form.is_valid(), form.errors
    return form.applied(data)


ANSWERS = [
    (code, index, option)
    for code in ORDER
    for index, reading in enumerate(preset(code).get("readings", []))
    for option in range(len(reading["options"]))
]


@pytest.mark.parametrize(("code", "index", "option"), ANSWERS)
def test_every_answer_makes_a_regulation_without_errors(code: str, index: int, option: int) -> None:
    data = preset(code)
    form = ReadingsForm(data_of=data)
    answers = {name: form.fields[name].initial for name in form.names}

    changed = _answered(data, {**answers, f"reading_{index}": str(option)})

    assert errors_of(check_spec(changed)) == []
