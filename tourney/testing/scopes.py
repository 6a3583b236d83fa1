"""Finds questions to the database in views that forget whose event they are about.

A view gets its event from `tourney.permissions` and asks for everything else through it. A look-up by a number alone
(`get_object_or_404(Draw, pk=pk)`, `Entry.objects.get(pk=pk)`) would answer with another event's row, so it must name
the event, or something that was reached through it, beside the number. What is meant to be asked without an event
stands in `MEANT` with its reason.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PLACES = ("*/views/*.py", "*/conduct/views.py", "*/sign_in/views.py")
# Look-ups that pick one row; `filter` and `exclude` begin such a look-up.
PICK = {"get", "filter", "exclude", "get_or_create", "update_or_create", "aget"}
SHORTCUTS = {"get_object_or_404", "get_list_or_404"}
# Keywords that tie a row to an event, to somebody's own things, or to a secret nobody guesses.
TIES = (
    *("tournament", "section", "stage", "entry", "game", "round", "bracket", "match", "slug", "user", "staff"),
    *("link_hash", "token_hash", "code", "claim", "draw", "list", "lot", "screen", "game_import", "statement"),
    *("public", "actor", "by", "owner", "reverses", "bank_row", "rehearsal_of"),
)
# (file, model): why it may be asked without an event.
MEANT = {
    ("registration/views/ratings.py", "RatingList"): "lists of the federations belong to the installation",
    ("registration/views/ratings.py", "RatedPerson"): "lists of the federations belong to the installation",
    ("registration/views/finding.py", "RatedPerson"): "lists of the federations belong to the installation",
    ("tourney/views/lots.py", "Lot"): "a lot is public by its number; the view asks whether its event is",
    ("brackets/views/draw.py", "Entry"): "the numbers come from the bracket's own lot or plan",
    ("registration/views/entrant.py", "Entry"): "the family of the account the link opened",
    ("registration/views/entry.py", "Entry"): "the family of the entry that was found in the event",
    ("registration/views/public.py", "Entry"): "the entry the service has just found to be there already",
    ("swiss/views/manage.py", "Round"): "whether the round that was found in the event is still there",
}


@dataclass(frozen=True, slots=True)
class Question:
    """A look-up by number without a tie to an event."""

    file: str
    line: int
    model: str
    keywords: tuple[str, ...]


def questions_without_event(text: str, file: str) -> Iterator[Question]:
    """Yield the look-ups of a module that pick rows by keywords none of which names an event."""
    for call in (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)):
        model = _asked(call)
        if not model:
            continue
        keywords = tuple(sorted(one.arg or "**" for one in call.keywords if one.arg not in ("defaults",)))
        if not keywords or "**" in keywords:
            continue
        if not any(_ties(word) for word in keywords):
            yield Question(file, call.lineno, model, keywords)


def _ties(keyword: str) -> bool:
    return any(part.removesuffix("_id") in TIES for part in keyword.split("__"))


def _asked(call: ast.Call) -> str:
    """Return the model a call asks, "" for any other call and for one that goes through an object (`event.entries`)."""
    if isinstance(call.func, ast.Name) and call.func.id in SHORTCUTS and call.args:
        return _model_of(call.args[0])
    if isinstance(call.func, ast.Attribute) and call.func.attr in PICK:
        return _model_of(call.func.value)
    return ""


def _model_of(node: ast.expr) -> str:
    """Return the model at the beginning of `Model.objects.select_related(…)`, if no link before ties it."""
    while True:
        match node:
            case ast.Name(id=name) if name[:1].isupper() and not name.isupper():
                return name
            case ast.Attribute(value=inner):
                node = inner
            case ast.Call(func=ast.Attribute(attr=attr, value=inner), keywords=keywords):
                if attr in PICK and any(_ties(one.arg or "") for one in keywords):
                    return ""  # an earlier link of the chain names the event
                node = inner
            case _:
                return ""


def forgetful(root: Path = ROOT) -> list[Question]:
    """Return every forgetful question of the product's views that is not meant."""
    found = []
    for place in PLACES:
        for path in sorted(root.glob(place)):
            file = path.relative_to(root).as_posix()
            if file.startswith((".venv/", "node_modules/")) or "/tests/" in file:
                continue
            found += [
                one
                for one in questions_without_event(path.read_text(encoding="utf-8"), file)
                if (file, one.model) not in MEANT
            ]
    return found
