"""Every code this app can raise, log or write into a history has its sentence."""

from __future__ import annotations

import re
from pathlib import Path

import registration
from registration.engine.eligibility import Decision
from registration.engine.fee_rules import Keep, Outcome
from registration.words import FEE_LINES, HISTORY, KEPT, NOBODY_MOVES, OUTCOMES, STATES
from tourney.labels import MESSAGES
from tourney.models import Entry

SOURCE = "\n".join(
    path.read_text(encoding="utf-8")
    for path in sorted(Path(registration.__file__).parent.rglob("*.py"))
    if "tests" not in path.parts and path.name not in ("labels.py", "words.py")
)


def codes(pattern: str) -> set[str]:
    return {found for found in re.findall(pattern, SOURCE) if "{" not in found}


def test_every_refusal_has_a_sentence() -> None:
    raised = codes(r"""(?:TourneyError|RuleError|fail)\([^"]{0,80}?"((?:[a-z_]+)\.[a-z_.]+)\"""")
    assert len(raised) > 40
    paths = {code for code in raised if code.startswith("registration.")}  # a rule error names its place first
    assert sorted(code for code in raised - paths if code not in MESSAGES) == []


def test_every_reason_not_to_enter_has_a_sentence() -> None:
    refused = codes(r'Verdict\(Decision\.REFUSE, "([a-z_]+)"\)')
    assert Decision.REFUSE == "refuse"
    assert sorted(code for code in refused if f"entry.refused.{code}" not in MESSAGES) == []


def test_every_act_in_the_log_has_a_sentence() -> None:
    logged = codes(r'"((?:entry|money)\.[a-z_]+)",\s*(?:actor|found|new)') | codes(r'"(entry\.[a-z_]+)" if accept')
    assert len(logged) > 10
    assert sorted(code for code in logged if f"log.{code}" not in MESSAGES and code not in MESSAGES) == []


def test_every_state_event_and_fee_line_has_a_word() -> None:
    assert set(STATES) == set(Entry.State.values)
    kinds = codes(r'FeeLine\([^"]{0,40}"([a-z]+)"') - {"outcome"}
    assert kinds <= set(FEE_LINES)
    assert {str(outcome) for outcome in Outcome} - {"open", "played"} == set(OUTCOMES)
    assert {str(keep) for keep in Keep} == set(KEPT)
    events = codes(r'record_entry_event\(\s*\w+,\s*"([a-z_]+)"') | codes(r'kinds=\{\w+: "([a-z_]+)"')
    assert sorted(kind for kind in events if kind not in HISTORY) == []
    assert codes(r'return "((?:started|offer_open|no_free_place|by_hand_only))"') <= set(NOBODY_MOVES)
