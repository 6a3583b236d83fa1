"""Whatever the program can refuse or write into the log has a sentence, and the sentence gets all its values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pytest
from django.utils import translation

from tourney.kernel.errors import ImportFileError
from tourney.labels import MESSAGES, sentence
from tourney.log_words import KIND_WORDS, WORDS
from tourney.testing import codes

_VALUE = re.compile(r"%\((\w+)\)")
# What the error itself adds: the path of a rule, the place in a file.
_GIVEN = frozenset({"path", "line", "column"})


def faults(uses: Iterable[codes.Use], sentences: Mapping[str, Any]) -> list[str]:
    found = []
    for use in uses:
        if use.is_prefix:
            if not any(code.startswith(use.code) for code in sentences):
                found.append(f"{use.place}: no sentence begins with {use.code}")
        elif use.code not in sentences:
            found.append(f"{use.place}: {use.code} has no sentence")
        elif use.values is not None:
            missing = set(_VALUE.findall(str(sentences[use.code]))) - use.values - _GIVEN
            found += [f"{use.place}: {use.code} gives no {name}" for name in sorted(missing)]
    return found


def test_every_refusal_has_a_sentence_with_all_its_values() -> None:
    uses = codes.uses(codes.ERRORS)

    assert faults(uses, MESSAGES) == []
    assert {"round.no_more", "rule.missing", "trf.bad_number", "match.finished"} <= {use.code for use in uses}


def test_every_line_of_the_log_has_a_sentence_with_all_its_values() -> None:
    told = {code.removeprefix("log."): words for code, words in MESSAGES.items() if code.startswith("log.")}
    uses = codes.uses(codes.LOG)

    assert faults(uses, {**told, **WORDS}) == []
    assert {"section.merged", "swiss.round_paired", "money.refunded"} <= {use.code for use in uses}
    assert {use.code.split(".")[0] for use in uses} == set(KIND_WORDS)


@pytest.fixture
def english() -> Iterator[None]:
    with translation.override("en"):
        yield


@pytest.mark.usefixtures("english")
def test_fault_of_a_file_is_told_with_its_place() -> None:
    assert sentence(ImportFileError("rule.missing", 7, 81)) == "Line 7, column 81: This rule is missing."
    assert sentence(ImportFileError("rule.missing", 7)) == "Line 7: This rule is missing."
    assert sentence(ImportFileError("rule.missing", 0)) == "This rule is missing."


def test_fault_of_a_sentence_is_found() -> None:
    uses = [
        codes.Use("a.known", "x.py:1", frozenset({"who"})),
        codes.Use("a.known", "x.py:2", frozenset()),
        codes.Use("a.known", "x.py:3", None),
        codes.Use("a.unknown", "x.py:4", frozenset()),
        codes.Use("b.", "x.py:5", frozenset(), is_prefix=True),
    ]

    assert faults(uses, {"a.known": "%(who)s again"}) == [
        "x.py:2: a.known gives no who",
        "x.py:4: a.unknown has no sentence",
        "x.py:5: no sentence begins with b.",
    ]
