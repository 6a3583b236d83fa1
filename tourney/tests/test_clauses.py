"""Marks name clauses that exist; the figure itself is printed at the end of every test run."""

import pytest

from tourney.testing import clauses


def test_marks_name_only_known_clauses(request: pytest.FixtureRequest) -> None:
    named = request.config.stash[clauses.NAMED]

    assert named - set(clauses.known()) == set()


def test_every_clause_states_a_promise() -> None:
    assert [clause for clause, promise in clauses.known().items() if not promise.strip()] == []
