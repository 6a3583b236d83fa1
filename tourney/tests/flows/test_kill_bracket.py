"""The power cord in a knockout: the server is killed in the middle of matches; every game it had confirmed is there."""

from __future__ import annotations

import http.client
import re
import threading
import time
from pathlib import Path

import pytest

from tourney.testing.pages import forms_of
from tourney.tests.flows.test_kill import Arbiter, kill_web_server, prepare, wait_for
from tourney.tests.laptop.test_serve import Run, data, free_port  # noqa: F401 -- `data` is a fixture

MATCH = "/manage/kill/main/match/{}/"
RESULTS = ("1-0", "1/2", "0-1")
GAME = re.compile(r'<td class="rank">(\d+)</td><th scope="row">[^<]*</th><td class="mid"><b>([^<]+)</b>')
BEFORE = """
from django.contrib.auth import get_user_model
from brackets.tests.builders import drawn
get_user_model().objects.create_superuser("arbiter", password="only for this test")
drawn(32, slug="kill")
"""


class BracketArbiter(Arbiter):
    """Goes from match to match: settles the colour or the lot, enters a game, remembers what the page then shows."""

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self.entered: dict[str, str] = {}  # what was sent for a game that was confirmed
        self.turn = 0

    def _enter_all(self) -> None:
        for number in range(1, 17):
            for key in (f"U1.{number}", f"U2.{(number + 1) // 2}", f"L1.{(number + 1) // 2}"):
                if self.stop.is_set():
                    return
                self._step(key)
        time.sleep(0.05)

    def _step(self, key: str) -> None:
        address = MATCH.format(key)
        for form in forms_of(self.get(address)):
            if form.has({"act": "color"}):
                self.post(address, form.data({"color": "w"}))
            elif form.has({"act": "lot"}):
                self.post(address, form.data({}))
            elif form.has({"act": "game"}):
                outcome = RESULTS[self.turn % len(RESULTS)]
                self.turn += 1
                sent = form.data({"outcome": outcome})
                number = sent["number"][0]
                shown = dict(GAME.findall(self.post(address, sent)))
                if number in shown:
                    self.confirmed[f"{key}/{number}"] = shown[number]
                    self.entered[f"{key}/{number}"] = outcome
            else:
                continue
            return

    def shown(self, game: str) -> str:
        key, number = game.split("/")
        return dict(GAME.findall(self.get(MATCH.format(key)))).get(number, "nothing")


@pytest.mark.slow
@pytest.mark.clause("K2.5")
def test_no_confirmed_game_of_a_match_is_lost_when_the_server_is_killed(data: Path) -> None:  # noqa: F811
    port = free_port()
    run = Run(data, port)
    arbiter = BracketArbiter(run.address())
    prepare(data, BEFORE)
    arbiter.sign_in()
    worker = threading.Thread(target=arbiter.work)
    worker.start()
    try:
        killed = set()
        for kills in range(1, 4):
            wait_for(10 * kills, arbiter)
            killed.add(kill_web_server(run))
        wait_for(40, arbiter)
        assert len(killed) == 3
        run.kill_everything()  # the database too
        run = Run(data, port)
        assert run.address() == arbiter.address
        wait_for(50, arbiter)
    finally:
        arbiter.stop.set()
        worker.join(timeout=60)
    # What the pages showed for an entry is one text for each result, so nothing can have been mixed up.
    assert len({(arbiter.entered[game], text) for game, text in arbiter.confirmed.items()}) == len(RESULTS)
    lost = {game: text for game, text in arbiter.confirmed.items() if _again(arbiter, game) != text}
    assert lost == {}


def _again(arbiter: BracketArbiter, game: str) -> str:
    """Read a game from its page; a server that is just starting is asked again."""
    for _ in range(20):
        try:
            return arbiter.shown(game)
        except (OSError, http.client.HTTPException):
            time.sleep(0.2)
    return "no answer"
