"""Two knockouts with a second chance: one half played today, one whose registration is full and has a reserve list."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from brackets import services as brackets
from brackets.engine.match_fold import AwaitColor, AwaitGame, AwaitLot
from brackets.engine.match_play import MatchState
from brackets.models import Bracket
from brackets.selectors import load_table
from brackets.services.rehearsal import random_result
from tourney.demo.clock import Clock
from tourney.demo.entering import applicant, arrive, enter, pay
from tourney.demo.people import Crowd
from tourney.kernel.chance import Chance
from tourney.models import Entry, StaffRole, Tournament
from tourney.services.events import create_event
from tourney.services.stages import close_entries
from tourney.services.states import take

CUP_SLUG = "demo-kyiv-cup"
REGISTRATION_SLUG = "demo-kyiv-spring"

HALF = 48  # of the 96 matches of 32 players
WAVES = 3

# Level -> the blitz ratings such a player may have.
LEVELS = {"KMS": (1850, 2150), "1": (1650, 1950), "2": (1450, 1750)}


def _event(slug: str, starts_on: Any, titles: tuple[str, str, str]) -> Tournament:
    uk, ru, en = titles
    return create_event(
        preset_code="second-chance-32",
        starts_on=starts_on,
        slug=slug,
        title={"uk": uk, "ru": ru, "en": en},
        organizer={"uk": "Шаховий клуб (демо)", "ru": "Шахматный клуб (демо)", "en": "Chess club (demo)"},
        contact_email="kyiv@example.org",
        contact_phone="+380 00 000 00 00",
        broadcast_url="https://video.example.org/demo",
        boards=16,
        state=Tournament.State.DRAFT,
    )


def _start(tournament: Tournament) -> datetime:
    return datetime.combine(tournament.starts_on, tournament.start_time, tournament.zone)


def _register(
    tournament: Tournament, seed: str, number: int, *, first: datetime, last: datetime, desk: Any
) -> list[Entry]:
    """Register people one after another between two moments; each pays the deposit a day later (K4.3)."""
    section = tournament.sections.get()
    section.tournament = tournament
    crowd, chance = Crowd("uk", seed), Chance.labelled(seed, "people")
    step = (last - first) / number
    entries = []
    for index in range(number):
        level = chance.choice(["KMS", "1", "1", "1", "2", "2", "2"])
        low, high = LEVELS[level]
        person = crowd.next("F" if chance.below(6) == 0 else "M")
        rating = low + chance.below(high - low)
        form = applicant(
            person,
            birth_year=tournament.starts_on.year - 14 - chance.below(40),
            level=level,
            ratings={"fide_blitz": rating} if chance.below(8) else {},
            federation="UKR",
        )
        moment = first + step * index
        entry = enter(section, form, at=moment)
        pay(entry, "100", at=moment + timedelta(minutes=30), channel="transfer", actor=desk)
        entries.append(entry)
    return entries


def make_registration(users: dict[str, Any]) -> Tournament:
    """Return an event in three weeks: 35 have registered, 32 places are taken, 3 wait on the reserve list."""
    now = timezone.now()
    tournament = _event(
        REGISTRATION_SLUG,
        timezone.localdate() + timedelta(days=21),
        ("Кубок другого шансу: весна (демо)", "Кубок второго шанса: весна (демо)", "Second Chance Cup: spring (demo)"),
    )
    clock = Clock(tournament)
    with clock.at(now - timedelta(days=12)):
        take(tournament, "publish", actor=users[StaffRole.Role.ORGANIZER])
        take(tournament, "open", actor=users[StaffRole.Role.ORGANIZER])
    with clock.at(now - timedelta(days=1)):
        _register(
            tournament,
            "kyiv-spring",
            35,
            first=now - timedelta(days=11),
            last=now - timedelta(hours=3),
            desk=users[StaffRole.Role.DESK],
        )
    clock.set_back()
    return tournament


def make_cup(users: dict[str, Any]) -> Tournament:
    """Return an event that is played today: 32 players, half of the 96 matches over."""
    tournament = _event(
        CUP_SLUG,
        timezone.localdate(),
        ("Кубок другого шансу (демо)", "Кубок второго шанса (демо)", "Second Chance Cup (demo)"),
    )
    start = min(_start(tournament), timezone.now() - timedelta(hours=3))
    organizer, desk = users[StaffRole.Role.ORGANIZER], users[StaffRole.Role.DESK]
    clock = Clock(tournament)
    with clock.at(start - timedelta(days=30)):
        take(tournament, "publish", actor=organizer)
        take(tournament, "open", actor=organizer)
    with clock.at(start - timedelta(days=8)):
        entries = _register(
            tournament,
            "kyiv-cup",
            32,
            first=start - timedelta(days=25),
            last=start - timedelta(days=7),
            desk=desk,
        )
    with clock.at(start - timedelta(minutes=40)):
        for index, entry in enumerate(entries):
            arrive(entry, at=start - timedelta(minutes=40 - index), actor=desk)
            if index % 8:  # a few pay after their first match
                pay(entry, "400", at=start - timedelta(minutes=38 - index), channel="cash", actor=desk)
        take(tournament, "close", actor=organizer)
    _play_half(clock, start, users)
    clock.set_back()
    return tournament


def _play_half(clock: Clock, start: datetime, users: dict[str, Any]) -> None:
    """Draw the bracket, play half of its matches in three waves of sixteen, and call the next ones to the boards."""
    chief, arbiter = users[StaffRole.Role.CHIEF_ARBITER], users[StaffRole.Role.ARBITER]
    section = clock.tournament.sections.select_related("tournament").get()
    chance = Chance.labelled(CUP_SLUG, "games")
    with clock.at(start - timedelta(minutes=10)):
        stage = close_entries(section, actor=chief)[0]
        take(clock.tournament, "start", actor=chief)
        while not Bracket.objects.filter(stage=stage, drawn_at__isnull=False).exists():
            stage.refresh_from_db()
            if not brackets.play_step(stage, chance):
                raise RuntimeError("the demo's bracket can't be drawn")
    for wave in range(WAVES):
        with clock.at(start + (timezone.now() - start) * wave // WAVES):
            table = load_table(stage)
            for view in table.state.open_matches[: HALF // WAVES]:
                _play_match(stage.pk, view.key, table.match_state(view.key), chance, arbiter)
    with clock.at(timezone.now() - timedelta(minutes=4)):
        table = load_table(stage)
        for index, view in enumerate(table.state.open_matches[:8]):
            brackets.call_match(stage.pk, view.key, actor=chief)
            if index % 2 == 0:  # these have begun already
                _play_match(stage.pk, view.key, table.match_state(view.key), chance, arbiter, acts=2)


def _play_match(stage_id: int, key: str, state: MatchState, chance: Chance, arbiter: Any, *, acts: int = 20) -> None:
    """Play a match with random results: colours, games and lots as the rules ask for them."""
    for _act in range(acts):
        match state.awaiting:
            case AwaitColor():
                color = "w" if chance.below(2) else "b"
                state = brackets.choose_color(stage_id, key, color=color, actor=arbiter)
            case AwaitLot():
                state = brackets.draw_color_lot(stage_id, key, actor=arbiter)
            case AwaitGame(number=number):
                outcome = random_result(state, chance).value
                state = brackets.enter_game_result(stage_id, key, number=number, outcome=outcome, actor=arbiter)
            case _:
                return
