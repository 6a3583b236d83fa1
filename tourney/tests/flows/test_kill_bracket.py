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
PATIENCE = 150  # seconds: a game takes two pages, and the machine may have other work
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
            for key in (f"U1.{number}", f"U2.{number // 2}", f"L1.{number // 2}"):
                if not key.endswith(".0"):
                    self._play(key)
        time.sleep(0.05)

    def _play(self, key: str) -> None:
        """Play a match on, form after form, as long as its page asks for something."""
        address = MATCH.format(key)
        page: str | None = self.get(address)
        while page is not None and not self.stop.is_set():
            page = self._step(key, address, page)

    def _step(self, key: str, address: str, page: str) -> str | None:
        for form in forms_of(page):
            if form.has({"act": "color"}):
                return self.post(address, form.data({"color": "w"}))
            if form.has({"act": "lot"}):
                return self.post(address, form.data({}))
            if form.has({"act": "game"}):
                outcome = RESULTS[self.turn % len(RESULTS)]
                self.turn += 1
                sent = form.data({"outcome": outcome})
                answer = self.post(address, sent)
                number, shown = sent["number"][0], dict(GAME.findall(answer))
                if number in shown:
                    self.confirmed[f"{key}/{number}"] = shown[number]
                    self.entered[f"{key}/{number}"] = outcome
                return answer
        return None

    def shown(self, game: str) -> str:
        key, number = game.split("/")
        return dict(GAME.findall(self.get(MATCH.format(key)))).get(number, "nothing")


@pytest.mark.slow
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
            wait_for(6 * kills, arbiter, PATIENCE)
            killed.add(kill_web_server(run))
        wait_for(24, arbiter, PATIENCE)
        assert len(killed) == 3
        run.kill_everything()  # the database too
        run = Run(data, port)
        assert run.address() == arbiter.address
        wait_for(30, arbiter, PATIENCE)
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
