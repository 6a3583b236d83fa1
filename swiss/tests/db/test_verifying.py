"""What the log says when a second person has typed a round again."""

from __future__ import annotations

from uuid import uuid4

import pytest

from swiss.services import note_verified
from swiss.tests.builders import games_of, next_round, play, stage_of
from tourney.models import ActionLog

pytestmark = pytest.mark.django_db


def test_second_typing_is_a_line_of_the_log_and_counts_once() -> None:
    stage = stage_of(12)
    tournament = stage.section.tournament
    first, second = games_of(play(stage, "1-0")), games_of(next_round(stage))
    theirs = games_of(next_round(stage_of(12)))[0]
    operation = uuid4()
    typed = {*(game.pk for game in first), second[0].pk, theirs.pk}

    for _ in range(2):
        boards = note_verified(tournament, operation, games=typed, differed={first[1].pk})

    lines = ActionLog.objects.filter(action="swiss.verified").order_by("pk")
    assert boards == 7
    assert [(line.data["round"], line.data["boards"], line.data["differences"]) for line in lines] == [
        (1, 6, "2"),
        (2, 1, "–"),
    ]
