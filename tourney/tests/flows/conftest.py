"""What the flows of whole events share: the cast's browsers and a clock that can be moved."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tourney.testing.pages import Cast, Clock


@pytest.fixture
def clock() -> Iterator[Clock]:
    yield from Clock().run()


@pytest.fixture
def cast(browser: Any, live_server: Any, request: pytest.FixtureRequest) -> Iterator[Cast]:
    """Browsers in the language of the test (`LANGUAGE` of its module); a fault in any of them fails the test."""
    made = Cast(browser, live_server.url, language=getattr(request.module, "LANGUAGE", "uk"))
    yield made
    made.close()
    assert made.faults == []
