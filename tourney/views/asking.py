"""The question before an act that bends a rule: what it bends, what follows, and the form sent again with a yes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from tourney.kernel.by_the_book import AskFirst, Level
from tourney.labels import sentence

# Yes to so many questions, as the page sends it.
KNOWING = "knowing"
_LEFT_OUT = ("csrfmiddlewaretoken", KNOWING)

_CONSEQUENCES: dict[str, Sequence[Any]] = {}


def register_consequences(consequences: dict[str, Sequence[Any]]) -> None:
    """Add an app's words for what follows from its acts; call from its `AppConfig.ready()`."""
    _CONSEQUENCES.update(consequences)


def knowing(request: HttpRequest) -> int:
    """Return how many questions about an act the sender has answered with yes."""
    text = request.POST.get(KNOWING, "")
    return int(text) if text in ("1", "2") else 0


def ask_first(
    request: HttpRequest, refused: AskFirst, frame: Callable[..., dict[str, Any]], back_url: str
) -> HttpResponse:
    """Answer with the question; yes sends the same form again, no leads back and changes nothing.

    `frame` makes the context of a staff page. What follows is said with the last question: the first of two asks
    whether it is really meant.
    """
    hidden = [(name, value) for name, values in request.POST.lists() if name not in _LEFT_OUT for value in values]
    two = refused.level is Level.TWO_STEPS
    context = frame(
        question=sentence(refused),
        consequences=[] if two and not refused.is_last else [str(one) for one in _CONSEQUENCES.get(refused.act, ())],
        hidden=hidden,
        step=refused.step,
        steps=refused.level.questions,
        note=refused.level is Level.ACKNOWLEDGE,
        danger=two and refused.is_last,
        action=request.get_full_path(),
        back_url=back_url,
    )
    return render(request, "tourney/ask_first.html", context, status=409)
