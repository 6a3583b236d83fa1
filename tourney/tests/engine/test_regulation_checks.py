"""What contradicts itself is found before it is published, with the path of the key."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import SystemCheckError

from tourney import presets
from tourney.kernel.paths import set_at
from tourney.labels import MESSAGES, sentence
from tourney.presets import preset
from tourney.regulation_checks import Problem, check_spec, errors_of

K, M, OPEN = "second-chance-32", "youth-championship", "open-swiss"


def errors(code: str, path: str, value: Any, **more: Any) -> list[tuple[str, str]]:
    """Return the path and code of every error of a preset with one value changed."""
    return [
        (problem.path, problem.code) for problem in errors_of(check_spec(set_at(preset(code), path, value), **more))
    ]


CONTRADICTIONS = [
    (K, "lotteries[2].places", [23, 27, 29, 33], ("lotteries[2].places[3]", "lottery.place")),
    (K, "prizes[0].places.40", "10", ("prizes[0].places.40", "prize.place")),
    (K, "fees.rules[0].amount", "-1", ("fees.rules[0].amount", "rule.negative_money")),
    (K, "fees.rules[2].amount", "700", ("fees.rules[2].amount", "rule.more_than_the_fee")),
    (K, "fees.rules[2].until", "start+1d", ("fees.rules[2].until", "deadline.after_start")),
    (K, "stages[0].options[0].match", "rapid", ("stages[0].options[0].match", "match.unknown_format")),
    (K, "stages[0].options[0].minimum_matches", 6, ("stages[0].options[0].minimum_matches", "bracket.promises_more")),
    (K, "stages[0].options[0].size", 16, ("stages[0].options[0].size", "bracket.too_small")),
    (K, "stages[0].options[0].return_at", 3, ("stages[0].options[0].return_at", "rule.not_one_of")),
    (K, "match_formats.blitz.phases[0].clock", "quick", ("match_formats.blitz.phases[0].clock", "rule.not_a_clock")),
    (M, "stages[0].options[0].tie_breaks[0]", "BH", ("stages[0].options[0].tie_breaks[0]", "tiebreak.not_in_system")),
    (M, "stages[0].options[1].tie_breaks[0]", "XX", ("stages[0].options[1].tie_breaks[0]", "tiebreak.unknown")),
    (M, "stages[0].options[1].when", {"players_at_least": 12}, ("stages[0].options[2].when", "rule.never_applies")),
    (M, "playoff.two", "nothing", ("playoff.two", "playoff.format")),
    (M, "fees.rules[1].percent", 150, ("fees.rules[1].percent", "rule.not_a_percentage")),
    (M, "fees.rules[4].registered_until", "start+1d 20:00", ("fees.rules[4].registered_until", "deadline.after_start")),
    (M, "appeals.main", 4, ("appeals.main", "rule.even_panel")),
    (M, "schedule.even", "25:00", ("schedule.even", "rule.not_a_time")),
    (M, "eligibility.playing_up", ["friendship"], ("eligibility.playing_up[0]", "rule.unknown_ground")),
    (M, "payment.payee.account", "40703810837000000412", ("payment.payee.account", "rule.bad_check_digit")),
    (M, "time_zone", "Europe/Atlantis", ("time_zone", "rule.unknown_time_zone")),
    (OPEN, "sections[0].colour", "red", ("sections[0].colour", "rule.unknown_key")),
    (OPEN, "weather", "fine", ("weather", "rule.unknown_key")),
]


@pytest.mark.parametrize(("code", "path", "value", "expected"), CONTRADICTIONS, ids=lambda value: str(value)[:40])
def test_contradiction_is_found_with_its_path(code: str, path: str, value: Any, expected: tuple[str, str]) -> None:
    assert expected in errors(code, path, value)


def test_head_count_without_a_system_is_an_error() -> None:
    data = set_at(preset(OPEN), "stages[0].options[1].when", {"players_at_least": 12})

    found = [problem for problem in check_spec(data) if problem.code == "stages.no_system"]

    assert [(problem.level, problem.values["players"]) for problem in found] == [("error", "9–11")]


def test_prizes_no_field_pays_for_are_a_warning() -> None:
    data = set_at(preset(K), "prizes[0].places.1", "50000")

    found = [problem for problem in check_spec(data) if problem.path == "prizes"]

    assert [(problem.level, problem.code, problem.values["players"]) for problem in found] == [
        ("warning", "fund.never_covered", 32)
    ]


def test_deadline_is_held_against_the_real_first_day() -> None:
    data = set_at(preset(K), "fees.rules[2].until", "2026-02-01")

    early = errors_of(check_spec(data, starts_on=date(2026, 1, 25)))
    late = errors_of(check_spec(data, starts_on=date(2026, 2, 7)))

    assert [problem.path for problem in early] == ["fees.rules[2].until"]
    assert late == []


def test_one_mistake_does_not_hide_another() -> None:
    data = set_at(set_at(preset(K), "lateness.minutes", -1), "fund.sources", ["luck"])

    assert {problem.path for problem in errors_of(check_spec(data))} == {"lateness.minutes", "fund.sources[0]"}


def test_every_problem_is_a_sentence() -> None:
    seen: list[Problem] = []
    for code, path, value, _expected in CONTRADICTIONS:
        seen += check_spec(set_at(preset(code), path, value))

    unknown = {problem.code for problem in seen if problem.code not in MESSAGES}
    sentences = [sentence(problem.as_error()) for problem in seen]

    assert unknown == set()
    assert all("%(" not in text for text in sentences)


def test_broken_preset_fails_manage_check(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = set_at(preset(K), "lotteries[0].places", [11, 99])
    monkeypatch.setattr(presets, "preset", lambda code: broken if code == K else preset(code))

    with pytest.raises(SystemCheckError) as refused:
        call_command("check", "--tag=regulations")

    assert "second-chance-32.toml: lotteries[0].places[1]:" in str(refused.value)


def test_unreadable_preset_fails_manage_check(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    (tmp_path / "empty.toml").write_text("schema = = 1", encoding="utf-8")
    for code in presets.ORDER[:-1]:
        (tmp_path / f"{code}.toml").write_text((presets.FOLDER / f"{code}.toml").read_text("utf-8"), encoding="utf-8")
    monkeypatch.setattr(presets, "FOLDER", tmp_path)
    presets.preset.cache_clear()

    try:
        with pytest.raises(SystemCheckError) as refused:
            call_command("check", "--tag=regulations")
    finally:
        presets.preset.cache_clear()

    assert "empty.toml: Invalid value (at line 1, column 10)" in str(refused.value)
