"""Two knockouts with a second chance: one half played today, one whose registration is full and has a reserve list."""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from brackets.models import Match
from tourney.demo.clock import Clock
from tourney.demo.entering import applicant, arrive, enter, pay
from tourney.demo.people import Crowd
from tourney.kernel.chance import Chance
from tourney.models import Entry, Section, StaffRole, Tournament
from tourney.services.events import create_event
from tourney.services.rehearsal import play_sections
from tourney.services.stages import close_entries
from tourney.services.states import take

CUP_SLUG = "demo-kyiv-cup"
REGISTRATION_SLUG = "demo-kyiv-spring"

FIELD_MATCHES = 96  # of the graph for 32 players; half of them are played
WAVES = 6
OVER = (Match.State.DONE, Match.State.WALKOVER, Match.State.BYE)

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
    """Draw the bracket and play half of its matches: about eight at a time, a quarter of an hour each."""
    chief = users[StaffRole.Role.CHIEF_ARBITER]
    section = clock.tournament.sections.select_related("tournament").get()
    with clock.at(start - timedelta(minutes=10)):
        close_entries(section, actor=chief)
        section.refresh_from_db(fields=["entries_closed_at"])
        take(clock.tournament, "start", actor=chief)
    half = FIELD_MATCHES // 2
    wave = 0
    while _decided(section) < half:
        before = _decided(section)
        moment = start + (timezone.now() - start) * wave // WAVES
        with clock.at(moment):
            for step in range(3 * half):
                if _decided(section) >= min(half, before + half // WAVES):
                    break
                if not play_sections([section], steps=1, until=time.monotonic() + 10, seed=f"{CUP_SLUG}:{wave}:{step}"):
                    return
        wave += 1


def _decided(section: Section) -> int:
    return Match.objects.filter(bracket__stage__section=section, state__in=OVER).count()
