"""Articles cited to people and in comments: each must be one of the table."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from swiss.engine.articles import ARTICLES, DUTCH, cite, cite_rule
from swiss.engine.dutch.colors import ColorReason
from swiss.engine.wording import CRITERIA
from tourney.settings import BASE_DIR

# "C.04.3, 5.2.1" or "C.04.2 3.1" in texts, "art. 3.6–3.8, 4.2" in comments of the engine.
OF_RULES = re.compile(r"(C\.04\.\d),? (?:art\. )?(\d(?:\.\d)*|C\d+)\b")
IN_ENGINE = re.compile(r"\b[Aa]rt\. (\d[\d.]*(?:(?:, |–| and )\d[\d.]*)*)")
FOLDERS = ("swiss/engine", "swiss/services", "swiss/views", "tourney/kernel/trf", "templates/swiss")


def sources() -> list[Path]:
    root = Path(BASE_DIR)
    found = [path for folder in FOLDERS for path in (root / folder).rglob("*") if path.suffix in (".py", ".html")]
    return [*found, *(root / "swiss").glob("*.py")]


def test_every_article_that_sources_name_is_known() -> None:
    named: set[tuple[str, str]] = set()
    for path in sources():
        text = path.read_text(encoding="utf-8")
        named |= set(OF_RULES.findall(text))
        if "swiss/engine/dutch" in str(path) or path.name == "explain.py":
            for several in IN_ENGINE.findall(text):
                named |= {(DUTCH, one.strip(".")) for one in re.split(r", |–| and ", several)}

    assert {("C.04.2", "3.1"), ("C.04.2", "3.6"), (DUTCH, "5.2.5"), (DUTCH, "3.8")} <= named
    assert {(rules, article) for rules, article in named if article not in ARTICLES[rules]} - {(DUTCH, "3")} == set()


def test_every_reason_has_its_article() -> None:
    assert [cite_rule(rule) for rule in ("C1", "C12", "order", "forbidden", "even")] == [
        "C.04.3, C1",
        "C.04.3, C12",
        "C.04.3, 3.6–3.8, 4.2–4.4",
        "",
        "",
    ]
    assert set(CRITERIA) == {article for article in ARTICLES[DUTCH] if article.startswith("C")}
    assert {cite(reason) for reason in ColorReason} == {f"C.04.3, 5.2.{number}" for number in range(1, 6)}


def test_unknown_article_is_an_error() -> None:
    with pytest.raises(KeyError):
        cite("5.2.6")
    with pytest.raises(KeyError):
        cite_rule("C22")
