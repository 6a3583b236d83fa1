"""The two presets hold every number of the regulations they were made from, clause by clause."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from tourney.kernel.by_the_book import Level, level_of
from tourney.kernel.paths import value_at
from tourney.kernel.regulation import resolve_dates
from tourney.kernel.text import LANGUAGES
from tourney.presets import ORDER, preset, presets
from tourney.regulation_checks import check_spec, errors_of
from tourney.regulation_schema.blocks import GENERAL_KEYS, block_schema, has_schema
from tourney.regulation_schema.nodes import Leaf, Rows, Table, Words

K, M = "second-chance-32", "youth-championship"

# Clause, preset, path, what must stand there once the event begins on 25 January 2026 (K) or 26 August 2021 (M).
NUMBERS: list[tuple[str, str, str, Any]] = [
    ("K1.1", K, "event.championship", "individual"),
    ("K1.2", K, "stages[0].options[0].kind", "bracket"),
    ("K1.3", K, "event.play", "over_the_board"),
    ("K1.3", K, "broadcast.video", "key_matches"),
    ("K1.4", K, "event.changes", "organizer_with_reason"),
    ("K2.2", K, "event.days", 1),
    ("K2.3", K, "event.start_time", "11:00"),
    ("K2.3", K, "event.start_time_approximate", True),
    ("K2.4", K, "event.address.uk", "м. Київ, вул. Лобановського, 6Б"),
    (
        "K2.5",
        K,
        "event.venue_note.uk",
        "Приміщення забезпечене постійним електропостачанням від генератора та опаленням.",
    ),
    ("K3.1", K, "sections[0].capacity", 32),
    ("K3.2", K, "sections[0].eligibility.levels", ["KMS", "1", "2"]),
    ("K3.3", K, "registration.seat_taken_by", "confirmed_deposit"),
    ("K3.4", K, "registration.promotion", "auto_first_reserve"),
    ("K4.1", K, "registration.required_beforehand", True),
    ("K4.3", K, "fees.rules[1].kind", "deposit"),
    ("K4.3", K, "fees.rules[1].amount", "100.00"),
    ("K4.4", K, "fees.rules[0].amount", "600.00"),
    ("K4.5", K, "fees.rules[2].amount", "100.00"),
    ("K4.5", K, "fees.rules[2].until", "2026-01-20"),
    ("K4.5", K, "fees.rules[2].inclusive", True),
    ("K4.6", K, "payment.methods", ["cash", "transfer"]),
    ("K4.7", K, "fees.rules[4].keep", "deposit"),
    ("K5.1", K, "stages[0].options[0].size", 32),
    ("K5.3", K, "stages[0].options[0].return_at", 2),
    ("K5.4", K, "stages[0].options[0].final", "single"),
    ("K5.5", K, "stages[0].options[0].places", "all"),
    ("K5.6", K, "stages[0].options[0].minimum_matches", 5),
    ("K6.1", K, "match_formats.blitz.phases[0]", {"games": 2, "clock": "3+2"}),
    ("K6.2", K, "match_formats.blitz.phases[1]", {"games": 2, "clock": "2+1", "colors": "continue"}),
    ("K6.3", K, "match_formats.blitz.phases[2].armageddon", {"white": "5", "black": "4"}),
    ("K6.4", K, "match_formats.blitz.phases[2].color", "lot"),
    ("K6.5", K, "match_formats.blitz.phases[2].draw", "black"),
    ("K7.1", K, "stages[0].options[0].seeding.ranks", ["KMS", "1", "2"]),
    ("K7.2", K, "match_formats.blitz.first_color", "lower_rated_chooses"),
    ("K7.3", K, "match_formats.blitz.phases[2].color", "lot"),
    ("K8.1", K, "fund.sources", ["fees"]),
    (
        "K8.2",
        K,
        "prizes[0].places",
        {
            "1": "5000",
            "2": "2000",
            "3": "1000",
            "4": "700",
            "5": "600",
            "7": "500",
            "9": "400",
            "13": "300",
            "17": "200",
            "25": "150",
        },
    ),
    ("K8.3", K, "lotteries[0].places", [11, 15]),
    ("K8.3", K, "lotteries[0].amount", "200"),
    ("K8.3", K, "lotteries[1].places", [19, 21]),
    ("K8.3", K, "lotteries[1].amount", "150"),
    ("K8.3", K, "lotteries[2].places", [23, 27, 29, 31]),
    ("K8.3", K, "lotteries[2].amount", "100"),
    ("K9.1", K, "broadcast.channel", "YouTube"),
    ("K9.2", K, "broadcast.games", "recorded"),
    ("K10.1", K, "clauses[0].id", "10.1"),
    ("K10.2", K, "clauses[1].id", "10.2"),
    ("K10.3", K, "sanctions.kinds", ["warning", "game_loss", "match_loss", "removal"]),
    ("K11.1", K, "registration.consents[0]", "regulation"),
    ("K11.2", K, "event.decisions", "organizer_final"),
    ("K11.3", K, "appeals.committee", False),
    ("M7.1", M, "schedule.first", "10:00"),
    ("M7.1", M, "schedule.odd", "10:00"),
    ("M7.1", M, "schedule.even", "14:00"),
    ("M7.1", M, "schedule.early_even_minutes", 30),
    ("M7.2", M, "stages[0].options[0].kind", "round_robin"),
    ("M7.2", M, "stages[0].options[0].when", {"players_at_most": 10}),
    ("M7.2", M, "stages[0].options[1].rounds", 7),
    ("M7.2", M, "stages[0].options[1].when", {"players_at_least": 11, "players_at_most": 12}),
    ("M7.2", M, "stages[0].options[2].rounds", 8),
    ("M7.2", M, "stages[0].options[2].when", {"players_at_least": 13}),
    ("M7.2", M, "schedule.rounds_per_day", 2),
    ("M7.2", M, "rating.use", "national"),
    ("M7.3", M, "clock.main", "90+30"),
    ("M7.4", M, "lateness.minutes", 30),
    ("M7.5", M, "conduct.scoresheet", "required"),
    ("M7.5", M, "conduct.rated_by", ["RUS"]),
    ("M7.5", M, "conduct.ids_for_newcomers", ["RUS"]),
    ("M7.6", M, "conduct.no_draw_offer_until_move", 40),
    ("M7.7", M, "appeals.main", 3),
    ("M7.7", M, "appeals.reserve", 2),
    ("M7.7", M, "appeals.window_minutes", 60),
    ("M7.7", M, "appeals.deposit", "1000.00"),
    ("M7.7", M, "appeals.never_about", ["computer_pairing"]),
    ("M7.7", M, "event.decisions", "appeals_final"),
    ("M7.8", M, "sections[0].eligibility.birth_years", [2012, 2013]),
    ("M7.8", M, "sections[3].eligibility.birth_years", [2010, 2011]),
    ("M7.8", M, "sections[4].eligibility.birth_years", [2008, 2009]),
    ("M7.8", M, "sections[7].eligibility.birth_years", [2006, 2007]),
    ("M7.8", M, "sections[9].eligibility.birth_years", [2004, 2005]),
    ("M7.8", M, "eligibility.residence.ru", "Республика Марий Эл"),
    ("M7.8", M, "eligibility.playing_up", ["national_right", "committee_decision"]),
    ("M7.8", M, "eligibility.merge", "same_group"),
    ("M7.9", M, "sanctions.after_end.days", 3),
    ("M7.10", M, "event.publishes", ["start_list", "pairings", "results", "standings"]),
    ("M8.1", M, "stages[0].options[0].tie_breaks", ["DE", "SB", "WIN"]),
    ("M8.1", M, "stages[0].options[1].tie_breaks", ["DE", "BH/C1", "BH", "WIN", "BPG", "ARO"]),
    ("M8.1", M, "stages[0].options[2].tie_breaks", ["DE", "BH/C1", "BH", "WIN", "BPG", "ARO"]),
    ("M8.2", M, "match_formats.playoff_two.phases[0]", {"games": 2, "clock": "5+3"}),
    ("M8.2", M, "match_formats.playoff_two.phases[1].color", "lot_winner_chooses"),
    ("M8.2", M, "match_formats.playoff_two.phases[1].draw", "black"),
    ("M8.2", M, "playoff.three.clock", "3+2"),
    ("M8.2", M, "playoff.pause_minutes", 15),
    ("M9.1", M, "awards[0].things", ["cup", "diploma", "medal"]),
    ("M9.1", M, "awards[2].things", ["diploma", "medal"]),
    ("M9.2", M, "clauses[3].id", "9.2"),
    ("M9.3", M, "clauses[4].id", "9.3"),
    ("M9.5", M, "clauses[5].id", "9.5"),
    ("M10.1", M, "clauses[6].id", "10.1"),
    ("M10.2", M, "clauses[7].id", "10.2"),
    ("M10.3.1", M, "fees.rules[0].amount", "500.00"),
    ("M10.3.2", M, "fees.rules[1].percent", 50),
    ("M10.3.2", M, "fees.rules[1].combine", "sum"),
    ("M10.3.3", M, "fees.rules[2].amount", "300.00"),
    (
        "M10.3.4",
        M,
        "fees.rules[3].claims",
        ["district_winner", "city_winner", "orphanage", "boarding_school", "trustee_child"],
    ),
    ("M10.3.5", M, "fees.rules[4].amount", "750.00"),
    ("M10.3.5", M, "fees.rules[4].registered_until", "2021-08-23T20:00"),
    ("M10.3.5", M, "fees.rules[4].arrived_until", "2021-08-26T09:45"),
    ("M10.3.5", M, "registration.arrival", {"from": "2021-08-26T09:00", "until": "2021-08-26T09:45"}),
    ("M10.3.5", M, "payment.purpose.ru", "Турнирный взнос за {name}, НДС не облагается"),
    ("M10.4", M, "payment.payee.account", "40703810837000000411"),
    ("M10.5", M, "fees.rules[5].keep", "paid_fee"),
    ("M10.6", M, "clauses[8].id", "10.6"),
    ("M10.7", M, "fund.sources", ["fees", "sponsors", "subsidy"]),
]
STARTS = {K: date(2026, 1, 25), M: date(2021, 8, 26)}


@pytest.mark.parametrize(("clause", "code", "path", "expected"), NUMBERS, ids=[f"{c}-{p}" for c, _, p, _ in NUMBERS])
def test_preset_holds_the_clause(clause: str, code: str, path: str, expected: Any) -> None:
    data = resolve_dates(preset(code), STARTS[code])

    assert value_at(data, path) == expected


@pytest.mark.parametrize("code", ORDER)
def test_preset_has_no_errors(code: str) -> None:
    assert errors_of(check_spec(preset(code))) == []


def test_kyiv_prizes_are_covered_from_19_full_or_23_early_payers() -> None:
    found = {problem.code: dict(problem.values) for problem in check_spec(preset(K))}

    assert (found["fund.covered_from_both"]["players"], found["fund.covered_from_both"]["early_players"]) == (19, 23)


# -- open questions ----------------------------------------------------------------------------------------------------

READINGS = [(data["code"], index) for data in presets() for index in range(len(data.get("readings", [])))]


@pytest.mark.parametrize(("code", "index"), READINGS)
def test_reading_default_is_what_the_preset_says(code: str, index: int) -> None:
    data = preset(code)
    reading = data["readings"][index]

    assert value_at(data, reading["path"]) == reading.get("default")
    assert reading["clause"]


@pytest.mark.parametrize(("code", "index"), READINGS)
def test_reading_is_asked_in_three_languages(code: str, index: int) -> None:
    reading = preset(code)["readings"][index]
    texts = [reading["question"], *(option["label"] for option in reading["options"])]
    texts += [option["note"] for option in reading["options"] if "note" in option]

    assert [sorted(text) for text in texts] == [sorted(LANGUAGES)] * len(texts)


@pytest.mark.parametrize(("code", "index"), READINGS)
def test_reading_options_change_the_same_paths(code: str, index: int) -> None:
    """An option that is taken back must undo all it did."""
    reading = preset(code)["readings"][index]
    touched = {tuple(sorted(also["path"] for also in option.get("also", []))) for option in reading["options"]}

    # An option may leave a further path alone only when none of them touches any.
    assert len(touched) == 1


# -- every key can be edited -------------------------------------------------------------------------------------------


def undescribed(node: Any, value: Any, path: str) -> list[str]:
    """Return the paths of rule data that no form shows."""
    if isinstance(node, Words) or (isinstance(node, Leaf) and not isinstance(value, dict)):
        return []
    if isinstance(node, Rows):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        found = []
        for key, row in items:
            inner = node.scalar if node.scalar else Table(key="", label="", fields=node.fields_of(row))
            found += undescribed(inner, row, f"{path}[{key}]")
        return found
    if isinstance(node, Table):
        fields = {field.key: field for field in node.fields}
        found = []
        for key, inner in value.items():
            if key == "kind":
                continue
            found += undescribed(fields[key], inner, f"{path}.{key}") if key in fields else [f"{path}.{key}"]
        return found
    return [path]


@pytest.mark.parametrize("code", ORDER)
def test_preset_keys_can_all_be_edited(code: str) -> None:
    data = preset(code)
    found = []
    for block, value in data.items():
        if block in ("schema", "code", "readings", *GENERAL_KEYS):
            continue
        assert has_schema(block), block
        found += undescribed(block_schema(block), value, block)

    assert found == []


@pytest.mark.clause("M7.2")
@pytest.mark.clause("M7.5")
def test_by_the_book_is_played_where_no_clause_promises_what_the_mode_refuses() -> None:
    """M7.2 lets the chief arbiter change the number of rounds once round 1 is paired: refused by the book."""
    books = {code: bool(preset(code).get("rating", {}).get("by_the_book")) for code in ("open-swiss", M)}

    assert books == {"open-swiss": True, M: False}
    assert level_of("rounds") is Level.REFUSED
    assert preset(M)["conduct"]["rated_by"] == ["RUS"]
