"""Moves of a play-off's game that are stored in the moment its result is taken back."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from django.core.exceptions import ObjectDoesNotExist
from django.db import connections

from prizes.services import playoff_games, playoffs
from prizes.tests.db.test_playoffs import Table, tied
from tourney.kernel.errors import TourneyError
from tourney.models import Game, Stage
from tourney.services.games import set_moves


@pytest.mark.django_db(transaction=True)
def test_a_game_whose_moves_come_while_its_result_is_taken_back_stays_with_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    section, (first, *_others) = tied([1, 1, 3, 4])
    table = Table(section)
    table.white_for(first)
    table.play("1-0")
    game = Game.objects.get(stage__kind=Stage.Kind.PLAYOFF)
    real = playoff_games._played
    threads: list[threading.Thread] = []
    said: list[str] = []

    def store() -> None:
        try:
            set_moves(Game.objects.get(pk=game.pk), "1. e4 e5 *", actor=None)
            said.append("stored")
        except (TourneyError, ObjectDoesNotExist):
            said.append("refused")
        finally:
            connections.close_all()

    def played(view: Any) -> Any:
        if not threads:
            threads.append(threading.Thread(target=store))
            threads[0].start()
            threads[0].join(0.5)  # it waits for the stage now
        return real(view)

    monkeypatch.setattr(playoff_games, "_played", played)

    table.act(playoffs.undo_last)
    threads[0].join(20)

    kept = Game.objects.filter(pk=game.pk).values_list("pgn", flat=True)
    assert (said, [pgn[:5] for pgn in kept]) in ((["stored"], ["1. e4"]), (["refused"], []))
    assert not Game.objects.filter(stage__kind=Stage.Kind.PLAYOFF, outcome="1-0").exists()
