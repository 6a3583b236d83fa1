"""A youth championship on its second day: a Swiss in round 4 of 8, round robins, a finished group, groups to come."""

from __future__ import annotations

import time
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from swiss import services as swiss
from swiss.services.rehearsal import random_result
from tourney.demo.clock import Clock
from tourney.demo.entering import applicant, arrive, before, birthday, enter, pay
from tourney.demo.people import Crowd
from tourney.kernel.chance import Chance
from tourney.models import Section, StaffRole, Stage, Tournament
from tourney.services.events import create_event
from tourney.services.rehearsal import play_sections
from tourney.services.sections import merge_sections, set_first_board
from tourney.services.stages import close_entries
from tourney.services.states import take

SLUG = "demo-mari-el"
SEED = "mari-el"

# Group -> how many play. A boys' Swiss, a smaller one, round robins of ten and four, and groups that begin later.
PLAYERS = {
    "u11-boys": 22,
    "u11-girls": 8,
    "u13-boys": 12,
    "u13-girls": 4,
    "u15-boys": 14,
    "u15-girls": 2,
    "u17-boys": 9,
    "u17-girls": 1,
    "u19-boys": 3,
}
# Group -> rounds that are over, and whether the next one is being played.
PLAYED = {"u11-boys": (3, True), "u11-girls": (3, True), "u13-boys": (3, True), "u13-girls": (3, False)}
# The group whose three rounds are over: its places are published.
FINISHED = "u13-girls"


def make(users: dict[str, Any]) -> Tournament:
    """Return the championship; the first round was yesterday at ten."""
    yesterday = timezone.localdate() - timedelta(days=1)
    tournament = create_event(
        preset_code="youth-championship",
        starts_on=yesterday,
        slug=SLUG,
        title={
            "ru": "Первенство республики среди юношей и девушек (демо)",
            "uk": "Першість республіки серед юнаків та дівчат (демо)",
            "en": "Youth championship of the republic (demo)",
        },
        venue={"ru": "Дворец шахмат", "uk": "Палац шахів", "en": "Chess Palace"},
        address={
            "ru": "г. Йошкар-Ола, ул. Примерная, 1",
            "uk": "м. Йошкар-Ола, вул. Прикладна, 1",
            "en": "1 Primernaya St, Yoshkar-Ola",
        },
        organizer={"ru": "Федерация шахмат (демо)", "uk": "Федерація шахів (демо)", "en": "Chess federation (demo)"},
        contact_email="mari-el@example.org",
        boards=40,
        state=Tournament.State.DRAFT,
    )
    start = datetime.combine(yesterday, tournament.start_time, tournament.zone)
    organizer, chief = users[StaffRole.Role.ORGANIZER], users[StaffRole.Role.CHIEF_ARBITER]
    clock = Clock(tournament)
    with clock.at(start - timedelta(days=21)):
        take(tournament, "publish", actor=organizer)
        take(tournament, "open", actor=organizer)
    with clock.at(start - timedelta(days=4)):
        _register(tournament, start, users[StaffRole.Role.DESK])
    with clock.at(start - timedelta(minutes=20)):
        take(tournament, "close", actor=organizer)
        sections = {section.code: section for section in tournament.sections.all()}
        for section in sections.values():
            section.tournament = tournament
        merge_sections(sections["u15-girls"], sections["u15-boys"], actor=chief)
        _place_in_the_hall(sections.values(), chief)
        stages = {code: close_entries(sections[code], actor=chief)[0] for code in PLAYED}
        take(tournament, "start", actor=chief)
    _play(clock, stages, start, users)
    clock.set_back()
    return tournament


def _place_in_the_hall(sections: Iterable[Section], chief: Any) -> None:
    """Give every group its own boards, one after the other."""
    board = 1
    for section in sections:
        set_first_board(section, board, actor=chief)
        board += (PLAYERS.get(section.code, 0) + 1) // 2


def _register(tournament: Tournament, start: datetime, desk: Any) -> None:
    """Register everybody, some by transfer and some at the desk; a few still owe."""
    crowd = Crowd("ru", SEED)
    chance = Chance.labelled(SEED, "people")
    for section in tournament.sections.all():
        section.tournament = tournament
        years = section.eligibility["birth_years"]
        for person in crowd.line(section.eligibility["sex"], PLAYERS.get(section.code, 0)):
            born = birthday(chance, years)
            rating = _rating(chance, tournament.starts_on.year - born.year)
            claims = ("large_family",) if chance.below(12) == 0 else ()
            form = applicant(
                person,
                birth_date=born,
                ratings={"national": rating} if rating else {},
                federation="RUS",
                claims=claims,
            )
            entry = enter(section, form, at=before(start, chance, days=3, more=17))
            if section.code not in PLAYED and section.code != "u17-boys":
                continue  # these groups come to the desk later
            arrive(entry, at=start - timedelta(minutes=15 + chance.below(45)), actor=desk)
            if not claims and chance.below(9):
                channel = "transfer" if chance.below(3) == 0 else "cash"
                paid = start - timedelta(days=2) if channel == "transfer" else start - timedelta(minutes=15)
                pay(entry, "500", at=paid, channel=channel, actor=desk)


def _rating(chance: Chance, age: int) -> int | None:
    """Return a rating a child of that age might have; one in six has none."""
    if chance.below(6) == 0:
        return None
    return 1000 + 60 * max(0, age - 8) + chance.below(420)


def _play(clock: Clock, stages: dict[str, Stage], start: datetime, users: dict[str, Any]) -> None:
    """Play the rounds of two days: at ten and at two, results an hour and a half later."""
    chief, arbiter = users[StaffRole.Role.CHIEF_ARBITER], users[StaffRole.Role.ARBITER]
    chance = Chance.labelled(SEED, "results of the demo")
    for number in range(1, 5):
        began = _began(start, number)
        with clock.at(began):
            going = []
            for code, stage in stages.items():
                done, current = PLAYED[code]
                if number > done + (1 if current else 0):
                    continue
                round_ = swiss.pair_next_round(stage.pk, actor=chief)
                swiss.publish_round(round_.pk, actor=chief)
                swiss.start_round(round_.pk, actor=arbiter)
                going.append((stage, round_, number <= done))
        with clock.at(min(began + timedelta(minutes=90), timezone.now() - timedelta(minutes=3))):
            for stage, round_, whole in going:
                _results(stage, round_, chance, arbiter, whole=whole)
            if number == 3:
                finished = Section.objects.select_related("tournament").get(pk=stages[FINISHED].section_id)
                play_sections([finished], steps=None, until=time.monotonic() + 10, seed=SEED)


def _began(start: datetime, number: int) -> datetime:
    """Return when a round began; the one being played now can't begin later than now."""
    hour = start if number % 2 else start + timedelta(hours=4)
    moment = hour + timedelta(days=(number - 1) // 2)
    newest = timezone.now() - timedelta(minutes=40 if number == 4 else 300)
    return min(moment, newest)


def _results(stage: Stage, round_: Any, chance: Chance, arbiter: Any, *, whole: bool) -> None:
    """Enter a round's results; of a round being played, two thirds."""
    games = list(stage.games.filter(round_number=round_.number).select_related("white", "black").order_by("board"))
    playing = 0 if whole else max(1, len(games) // 3)
    outcomes = {game.pk: random_result(chance, game.white.rating, game.black.rating).value for game in games[playing:]}
    swiss.enter_round_results(round_.pk, outcomes=outcomes, actor=arbiter)
