"""One whole day of the knockout on a server of its own, through its pages, and the power fails in the middle.

Thirty-two players, ninety-six matches. In a browser: a match of five games with an Armageddon, two who don't come, a
correction that only moves players, a player who leaves, a correction after matches were played on a wrong result, two
tablets at one match. The mass of results is sent by the day page's own forms. While results come in, the web server and
its database are killed; whatever had been confirmed is there when they are back. At last every place from 1 to 32 has
its player.
"""

from __future__ import annotations

import http.client
import http.cookiejar
import os
import re
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from tourney.kernel.chance import Chance
from tourney.testing.pages import SIGN_IN, Cast, Form, follow, forms_of, stays_inside, text_of
from tourney.tests.laptop.test_serve import ROOT, Run, data, free_port  # noqa: F401 -- `data` is a fixture

pytestmark = pytest.mark.slow

LANGUAGE = "uk"
PASSWORD = "only for this test"
DAY = "/manage/day/main/bracket/"
PUBLIC = "/t/day/main/"
# What was done before the doors opened; the pages for it have a flow of their own.
BEFORE = f"""
from django.contrib.auth import get_user_model
from brackets.tests.builders import drawn
from tourney.models import Player, StaffRole
stage = drawn(slug="day", boards=16)
for number, player in enumerate(Player.objects.order_by("pk"), start=1):
    Player.objects.filter(pk=player.pk).update(surname=f"Гравець{{number:02}}", given_name="Олег")
for name, role in (("chief", "chief_arbiter"), ("arbiter", "arbiter")):
    user = get_user_model().objects.create_user(name, password={PASSWORD!r})
    StaffRole.objects.create(tournament=stage.section.tournament, user=user, role=role)
"""


def name(number: int) -> str:
    """Return how the player of a seed is called."""
    return f"Гравець{number:02} Олег"


def staff_url(key: str, page: str = "") -> str:
    return f"/manage/day/main/match/{key}/{page}"


class _Stay(urllib.request.HTTPRedirectHandler):
    """A confirmed entry answers with a redirect; the page behind it is not needed."""

    def redirect_request(self, *_args: Any, **_more: Any) -> None:
        return None


class Desk:
    """An arbiter whose browser has no scripts: reads the day page, presses what it asks, notes what was confirmed."""

    def __init__(self, address: str) -> None:
        self.address = address.rstrip("/")
        self.confirmed: list[tuple[str, str, str]] = []  # match, number of the game, result
        self.chance = Chance.labelled("kyiv day", "games")
        cookies = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self._reads = urllib.request.build_opener(cookies)
        self._sends = urllib.request.build_opener(cookies, _Stay())

    def get(self, path: str) -> str:
        with self._reads.open(self.address + path, timeout=30) as answer:
            return str(answer.read().decode())

    def send(self, path: str, values: dict[str, Any]) -> bool:
        """Send a form; return whether it was confirmed."""
        sent = urllib.parse.urlencode(values, doseq=True).encode()
        try:
            self._sends.open(urllib.request.Request(self.address + path, sent), timeout=30).close()
        except urllib.error.HTTPError as answer:
            answer.close()
            return answer.code == 302
        return False

    def sign_in(self) -> None:
        form = next(form for form in forms_of(self.get(SIGN_IN)) if "password" in form.names)
        assert self.send(SIGN_IN, form.data({"username": "arbiter", "password": PASSWORD}))

    def wave(self) -> int:
        """Press what the matches at the boards ask, then call the next ones; return how many were pressed."""
        forms = [form for form in forms_of(self.get(DAY)) if form.method == "post"]
        asked = [form for form in forms if form.has({"back": "day", "seen": None})]
        for form in asked:
            self._press(form)
        token = next(value for form in forms for name, value in form.fields if name == "csrfmiddlewaretoken")
        self.send(DAY, {"csrfmiddlewaretoken": token, "act": "call"})
        return len(asked)

    def _press(self, form: Form) -> None:
        # Without "back" a refusal is no redirect, so that only what was saved counts as confirmed.
        if form.has({"act": "color"}):
            self.send(form.action, form.data({"back": None, "color": self.chance.choice(["w", "b"])}))
        elif form.has({"act": "lot"}):
            self.send(form.action, form.data({"back": None}))
        else:
            outcome = self.chance.choice(["1-0", "1-0", "0-1", "0-1", "1/2"])
            if self.send(form.action, form.data({"back": None, "outcome": outcome})):
                self.confirmed.append((_key(form), dict(form.fields)["number"], outcome))

    def play_until(self, *keys: str) -> None:
        """Play on until these matches are over."""
        for _wave in range(60):
            if all(self.is_over(key) for key in keys):
                return
            self.wave()
        raise AssertionError(f"not over: {keys}")

    def is_over(self, key: str) -> bool:
        return "завершено" in text_of(self.get(f"{PUBLIC}match/{key}/"))

    def results(self, key: str) -> dict[str, str]:
        """Return the games of a match as everybody reads them: number -> result."""
        page = self.get(f"{PUBLIC}match/{key}/")
        found = re.findall(r'<td class="rank">(\d+)</td>.*?<td class="mid"><b>([^<]+)</b>', page, re.DOTALL)
        return dict(found)


def _key(form: Form) -> str:
    return form.action.rstrip("/").rpartition("/")[2]


# -- the server --------------------------------------------------------------------------------------------------------


def prepare(folder: Path) -> None:
    environment = {key: os.environ[key] for key in ("PATH", "HOME", "LANG") if key in os.environ}
    done = subprocess.run(
        [sys.executable, "manage.py", "shell", "-v", "0", "-c", BEFORE],
        cwd=ROOT,
        env=environment | {"TOURNEY_DATA": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture
def run(data: Path) -> Run:  # noqa: F811 -- the fixture
    started = Run(data, free_port())
    started.address()
    prepare(data)
    return started


# -- in the browser ----------------------------------------------------------------------------------------------------


def a_match_of_five_games(tablet: Any) -> None:
    """Play U1.1 game by game: level, level again, a lot, an Armageddon that Black needs only draw (K6, K7.2, K7.3)."""
    tablet.goto(DAY)
    follow(tablet, "section.now form button.btn-primary")  # all sixteen boards at once
    assert tablet.locator("#playing").inner_text().endswith("16")
    tablet.goto(staff_url("U1.1"))
    assert f"{name(32)}" in tablet.inner_text(".ask-box .ask")  # the lower rated chooses
    follow(tablet, ".ask-box button[value=b]")
    for outcome in ("1-0", "1-0", "1/2", "1/2"):
        follow(tablet, f".ask-box button[value='{outcome}']")
    follow(tablet, ".ask-box form:has([value=lot]) button")
    assert "5/4" in tablet.inner_text(".ask-box .ask")
    white = tablet.locator(".duel-side.is-white .duel-big").inner_text()
    follow(tablet, ".ask-box button[value='1/2']")
    winner = tablet.locator(".duel-side.won .duel-big").inner_text()
    assert {white, winner} == {name(1), name(32)}


def two_who_do_not_come(tablet: Any) -> None:
    """Neither player of U1.16 comes; a lot says who goes which way, both play on."""
    tablet.goto(staff_url("U1.16"))
    tablet.click("details:has(#absent-both) > summary")
    tablet.check("#absent-both")
    tablet.check("#early")
    tablet.fill("#absent-reason", "Обидва телефонували: затор")
    follow(tablet, "form:has(#absent-both) button")
    assert "не прийшов ніхто" in tablet.inner_text("main")
    assert tablet.locator(".duel-side.won").count() == 1


def wrong_winner_found_at_once(chief: Any, desk: Desk) -> None:
    """U1.2 was entered the wrong way round; nobody was called on it, so players only change places."""
    address = staff_url("U1.2")
    for act, value in (("color", "w"), ("outcome", "1-0"), ("outcome", "0-1")):  # who chose White wins both
        form = next(form for form in forms_of(desk.get(address)) if form.has({act: value}))
        assert desk.send(address, form.data({act: value}))
    chief.goto(address)
    before = chief.locator(".duel-side.won .duel-big").inner_text()
    assert before == name(17)
    follow(chief, "button[name=winner]")
    assert chief.locator(".dr-match.dr-fix").count() == 1
    assert chief.locator(".dr-match.dr-again").count() == 0
    assert chief.locator(".dr-match.dr-move a > .dr-label[y='-5']").all_text_contents() == ["U2.1", "L1.1"]
    chief.fill("#decide [name=reason]", "Кольори переплутано")
    follow(chief, "#decide button[value=cascade]")
    assert chief.locator(".duel-side.won .duel-big").inner_text() == name(16)


def a_player_leaves(chief: Any, desk: Desk) -> None:
    """The loser of U2.8 leaves; what follows is said first, then every later match is lost without play."""
    page = desk.get(f"{PUBLIC}match/U2.8/")
    loser = re.search(r'class="duel-[ab] lost"><a class="duel-name" href="[^"]*/(\d+)/"', page)
    assert loser is not None
    chief.goto(f"/manage/day/main/bracket/player/{loser[1]}/")
    assert chief.locator(".consequences li").count() >= 2
    chief.fill("[name=reason]", "Поїхав додому")
    follow(chief, "button[value=withdraw]")
    assert "вибу" in chief.inner_text(".callout, .messages, main").lower()


def wrong_result_found_late(cast: Cast, chief: Any, desk: Desk) -> None:
    """U1.5 had the other winner, and U2.3 and L1.3 were played since: they are listed, drawn, and played again."""
    assert desk.is_over("U2.3")
    assert desk.is_over("L1.3")
    chief.goto(staff_url("U1.5"))
    old = chief.locator(".duel-side.won .duel-big").inner_text()
    follow(chief, "button[name=winner]")
    assert chief.locator("#decide button[value=on_paper]").count() == 1
    again = chief.locator(".dr-match.dr-again a > .dr-label[y='-5']").all_text_contents()
    assert {"U2.3", "L1.3"} <= set(again)
    assert stays_inside(chief)
    follow(chief, "#decide button[value=cascade]")  # not without a reason
    assert chief.locator("#decide .invalid-feedback, #decide [id^=error_]").count() >= 1
    chief.fill("#decide [name=reason]", "Бланк знайдено в кишені")
    follow(chief, "#decide button[value=cascade]")
    assert chief.locator(".duel-side.won .duel-big").inner_text() != old
    spectator = cast.page(width=390, height=844)
    for key in again:
        spectator.goto(f"{PUBLIC}match/{key}/")
        assert spectator.locator(".duel .lost").count() == 0, key
    spectator.goto(f"{PUBLIC}bracket/")
    assert stays_inside(spectator)
    assert "переможець U2.3" in spectator.inner_text("main")
    spectator.context.close()


def two_tablets_at_one_match(cast: Cast, tablet: Any, chief: Any, desk: Desk) -> None:
    """Both have the match open; the second is told what was entered and by whom, and nothing of his is saved."""
    desk.wave()  # colours are chosen
    key = next(_key(f) for f in forms_of(desk.get(DAY)) if f.has({"act": "game", "number": "1", "back": "day"}))
    tablet.goto(staff_url(key))
    chief.goto(staff_url(key))
    follow(tablet, ".ask-box button[value='1-0']")
    follow(chief, ".ask-box button[value='0-1']")
    said = chief.inner_text("[role=alert]")
    assert "arbiter" in said
    assert "1–0" in said
    assert desk.results(key) == {"1": "1–0"}


def power_fails(data: Path, run: Run, desk: Desk) -> None:  # noqa: F811 -- the folder, not the fixture
    """Kill everything, the database too, while results come in; start again; find all that was confirmed."""
    desk.confirmed.clear()
    port = int(desk.address.rpartition(":")[2])
    stop = threading.Event()

    def work() -> None:
        while not stop.is_set():
            try:
                desk.wave()
            except (OSError, http.client.HTTPException):
                time.sleep(0.1)

    worker = threading.Thread(target=work)
    worker.start()
    try:
        deadline = time.monotonic() + 60
        while len(desk.confirmed) < 8:
            assert time.monotonic() < deadline, "no results come in"
            time.sleep(0.005)
        run.kill_everything()
    finally:
        stop.set()
        worker.join(timeout=40)
    confirmed = list(desk.confirmed)
    again = Run(data, port)
    assert again.address().rstrip("/") == desk.address
    shown = {key: desk.results(key) for key, _number, _outcome in confirmed}
    words = {"1-0": "1–0", "0-1": "0–1", "1/2": "½–½"}
    lost = [one for one in confirmed if shown[one[0]].get(one[1]) != words[one[2]]]
    assert lost == []


def every_place_has_its_player(cast: Cast, desk: Desk) -> None:
    """Read the places as everybody does: 1 to 32, each once, each player once."""
    for _wave in range(150):
        if not desk.wave() and "96/96" in re.sub(r"\s|<[^>]+>", "", desk.get(DAY)):
            break
    phone = cast.page(width=390, height=844)
    phone.goto(f"{PUBLIC}bracket/places/")
    rows = [row.split("\t") for row in phone.locator("#places tbody tr").all_inner_texts()]
    assert [row[0].strip() for row in rows] == [str(place) for place in range(1, 33)]
    players = {re.search(r"Гравець\d\d", row[1])[0] for row in rows}  # type: ignore[index]
    assert len(players) == 32
    assert stays_inside(phone)


# -- the day -----------------------------------------------------------------------------------------------------------


@pytest.mark.clause("K5.1", "K5.2", "K5.3", "K5.4", "K5.5", "K6.1", "K6.2", "K6.3", "K6.4", "K6.5", "K7.2", "K7.3")
def test_a_whole_day_through_the_pages_with_the_power_failing_in_the_middle(
    browser: Any,
    data: Path,  # noqa: F811 -- the fixture
    run: Run,
) -> None:
    found = re.search(r"http://127\.0\.0\.1:\d+", run.said)
    assert found is not None
    address = found[0]
    desk = Desk(address)
    desk.sign_in()
    cast = Cast(browser, address, language=LANGUAGE)
    try:
        tablet = cast.staff("arbiter", PASSWORD, width=820, height=1180)
        chief = cast.staff("chief", PASSWORD, width=1280, height=900)
        a_match_of_five_games(tablet)
        two_who_do_not_come(tablet)
        wrong_winner_found_at_once(chief, desk)
        two_tablets_at_one_match(cast, tablet, chief, desk)
        desk.play_until("U2.3", "L1.3", "U2.8")
        wrong_result_found_late(cast, chief, desk)
        a_player_leaves(chief, desk)
        power_fails(data, run, desk)
        every_place_has_its_player(cast, desk)
        assert cast.faults == []
    finally:
        cast.close()
