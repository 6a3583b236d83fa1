"""No view asks for a row by its number alone: it would get another event's."""

from __future__ import annotations

import pytest

from tourney.testing.scopes import ROOT, forgetful, questions_without_event


def test_every_question_of_a_view_names_its_event() -> None:
    assert forgetful() == []


def test_views_are_found() -> None:
    assert len(list(ROOT.glob("*/views/*.py"))) > 40


@pytest.mark.parametrize(
    "text",
    [
        "get_object_or_404(Draw, pk=pk)",
        "get_object_or_404(Draw.objects.select_related('lot'), pk=pk)",
        "Entry.objects.get(pk=pk)",
        "Entry.objects.select_related('player').filter(pk=pk).first()",
        "Claim.objects.filter(id=1).update(state='verified')",
    ],
)
def test_a_look_up_by_number_alone_is_found(text: str) -> None:
    assert len(list(questions_without_event(text, "x.py"))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "get_object_or_404(Draw, pk=pk, section__tournament=event)",
        "Entry.objects.filter(tournament=event).get(pk=pk)",
        "event.entries.get(pk=pk)",
        "StaffRole.objects.filter(user=request.user)",
        "Tournament.objects.filter(slug=slug)",
        "Entry.objects.get(section=section, pk=pk)",
        "data.get('pk')",
    ],
)
def test_a_look_up_through_the_event_is_not(text: str) -> None:
    assert list(questions_without_event(text, "x.py")) == []
