"""Three events with something of everything an address can name: rounds, a knockout in play, and one with its prizes.

Each world is planted with personal data nobody else has (`CANARIES`), in every place where the program keeps some, so
that pages, files, feeds and logs can be searched for them. `kwargs` answers what stands in the address of a page.
"""

from __future__ import annotations

import datetime as dt
import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone
from PIL import Image

from brackets.tests import builders as bracket
from prizes.models import Award, Draw, PlayoffMatch
from prizes.services.draws import commit_draw
from prizes.services.placings import publish_placings
from prizes.services.playoffs import begin_playoff
from prizes.tests import played
from registration.links import hash_of as link_hash
from registration.links import token_of
from registration.models import Application, BankRow, BankStatement, Claim, LedgerLine
from registration.privacy.papers import add_paper
from registration.services import record_payment
from swiss.tests import builders as rounds
from tourney.kernel.money import Money
from tourney.models import Appeal, CommitteeMember, DeviceLink, Entry, Game, Lot, Section, StaffRole, Stage, Tournament
from tourney.services import games
from tourney.services.devices import bind_link, issue_link
from tourney.services.score_sheets import let_players_enter
from tourney.services.screens import make_screen
from tourney.testing import builders

ROLES = tuple(StaffRole.Role.values)
# What no public page, file, feed or log may hold, whoever asks: all of one player, who lets the name be published.
CANARIES = {
    "patronymic": "Канаркович",
    "birth date": "2011-03-17",
    "birth date in words": "17.03.2011",
    "mail": "canary@birds.example",
    "telephone": "+380509174333",
    "guardian": "Опікунська Канарка",
    "relation": "прабабуся-канарка",
    "note": "алергія на горіхи, канарка",
    "reason of a discount": "сирота-канарка",
    "address": "вул. Канаркова, 17",
    "payer": "КАНАРЕНКО ПЛАТНИК",
    "account": "UA903052992990004149123456789",
    "purpose of a payment": "внесок за канарку",
    "note of a payment": "готівка від канарки",
    "appeal": "скарга канарки на шум",
}
DEVICE_SECRET = "the-secret-of-a-tablet"


@dataclass
class World:
    """Three events of one organizer, and the objects their addresses name."""

    rounds: Tournament
    knockout: Tournament
    prizes: Tournament
    people: dict[str, Any]  # role -> user
    player: Entry  # the planted one, of the event in rounds
    link_token: str  # of the player's personal page
    device: DeviceLink
    device_token: str
    objects: dict[str, Any] = field(default_factory=dict)

    @property
    def events(self) -> tuple[Tournament, ...]:
        return (self.rounds, self.knockout, self.prizes)

    def event_of(self, name: str) -> Tournament:
        """Return the event on which a page is looked at."""
        if name in KNOCKOUT_PAGES:
            return self.knockout
        return self.prizes if name in PRIZE_PAGES else self.rounds

    def kwargs(self, name: str, wanted: frozenset[str]) -> dict[str, Any]:
        """Return what stands in the address of a page: `slug`, `section`, `pk`, `key` …"""
        event = self.event_of(name)
        known: dict[str, Any] = {
            "slug": event.slug,
            "section": self._section_code(name, event),
            "number": self.objects["receipt"] if name == "manage_receipt" else 1,
            "key": "U1.1" if name in KNOCKOUT_PAGES else "1",
            "token": self.device_token if name == "device_join" else self.link_token,
            "code": self.objects["screen"].code,
            "block": "event",
            "preset": "open-swiss",
            "layout": "public",
            "pk": self.objects.get(name, self.objects["entry"]),
            **SPECIAL.get(name, {}),
        }
        return {key: known[key] for key in wanted}

    def _section_code(self, name: str, event: Tournament) -> str:
        if name in ("playoff", "playoff_live", "begin_playoff"):
            return str(self.objects["playoff section"])
        return str(self.objects[f"section of {event.pk}"])


KNOCKOUT_PAGES = {
    *("bracket", "bracket_live", "bracket_hall", "bracket_hall_live", "bracket_places", "bracket_print"),
    "bracket_picture",
    *("matches", "matches_live", "match", "match_live", "manage_draw", "manage_bracket", "manage_bracket_undo"),
    *("manage_bracket_cut", "manage_bracket_player", "manage_match", "manage_match_correct"),
}
PRIZE_PAGES = {
    *("prizes", "placings", "manage_prizes", "manage_prizes_tell", "print_awards", "print_diplomas", "diploma"),
    *("manage_placings", "manage_placings_of", "manage_draws", "manage_prize_draw", "manage_diplomas", "diploma_file"),
    *("diploma_picture", "manage_fund"),
}
# What of an address only one page has; later additions of other pages belong here.
SPECIAL: dict[str, dict[str, Any]] = {"account_reset_password_from_key": {"uidb36": "1", "key": "set-password"}}


def build(name: str) -> World:
    """Make a world; `name` stands in the names of its people."""
    with pytest.MonkeyPatch.context() as patched:
        return _build(name, patched)


def _build(name: str, patched: pytest.MonkeyPatch) -> World:
    stage = rounds.stage_of(6)
    event = stage.section.tournament
    rounds.play(stage, "1-0 1/2")
    rounds.next_round(stage)
    let_players_enter(event, allowed=True, actor=None)
    tree = bracket.drawn(32)
    bracket.play_all(tree, most=3)
    cup = played.group(builders.event("second-chance-32"), players=32)
    played.finished_bracket(cup, patched)
    publish_placings(cup, actor=None)
    draw = commit_draw(cup, 0, actor=None)
    tie = played.group(event, "u13-boys", players=3)
    played.finished(tie, [1, 1, 3], ended=timezone.now() - dt.timedelta(hours=1))
    begin_playoff(tie, actor=None)
    events = (event, tree.section.tournament, cup.tournament)
    people = {role: builders.user(f"{name}-{role}") for role in ROLES}
    for one in events:
        for role, user in people.items():
            builders.user(user.username, one, role)
    player, token = _plant(Entry.objects.get(section=stage.section, start_number=1), people["desk"])
    link, device_token = issue_link(
        event, actor=None, label="Tablet", valid_until=timezone.now() + dt.timedelta(days=2), section=stage.section
    )
    bind_link(device_token, secret=DEVICE_SECRET)
    made = World(*events, people, player, token, link, device_token)
    made.objects = _objects(made, stage, tree, cup, draw, tie)
    return made


def _plant(entry: Entry, desk: Any) -> tuple[Entry, str]:
    """Give a player everything personal the program keeps; return the entry and the token of its personal page."""
    event, person = entry.tournament, entry.player
    person.patronymic, person.birth_date = CANARIES["patronymic"], dt.date.fromisoformat(CANARIES["birth date"])
    person.save()
    token = token_of(entry.pk)
    Application.objects.create(
        entry=entry,
        email=CANARIES["mail"],
        phone=CANARIES["telephone"],
        guardian_name=CANARIES["guardian"],
        guardian_relation=CANARIES["relation"],
        note=CANARIES["note"],
        answers={"address": CANARIES["address"]},
        reference="CANARY",
        link_hash=link_hash(token),
    )
    Claim.objects.create(entry=entry, code="large_family")
    Claim.objects.create(
        entry=entry,
        code="orphanage",
        state=Claim.State.VERIFIED,
        evidence=CANARIES["reason of a discount"],
        decided_by=desk,
        decided_at=timezone.now(),
    )
    picture = io.BytesIO()
    Image.new("RGB", (400, 300), "white").save(picture, "PNG")
    add_paper(entry, "large_family", picture.getvalue())
    record_payment(entry, Money(5000, event.currency), actor=desk, note=CANARIES["note of a payment"])
    statement = BankStatement.objects.create(
        tournament=event, name="statement.csv", digest="0" * 64, at=timezone.now(), read_at=timezone.now()
    )
    BankRow.objects.create(
        tournament=event,
        statement=statement,
        key="1" * 64,
        line=1,
        paid_at=timezone.now(),
        minor=5000,
        currency=event.currency,
        payer=CANARIES["payer"],
        payer_account=CANARIES["account"],
        purpose=CANARIES["purpose of a payment"],
        why="no_reference",
    )
    CommitteeMember.objects.create(tournament=event, name="Суддя Перша")
    Appeal.objects.create(
        entry=entry, subject="other", text=CANARIES["appeal"], filed_by=CANARIES["guardian"], filed_at=timezone.now()
    )
    return entry, token


def _objects(made: World, stage: Stage, tree: Stage, cup: Section, draw: Draw, tie: Section) -> dict[str, Any]:
    """Return what the `pk` of each page is, and the sections pages are looked at on."""
    event = made.rounds
    game = Game.objects.filter(stage=stage, white=made.player).first() or Game.objects.get(
        stage=stage, black=made.player, round_number=1
    )
    games.set_moves(game, "1. e4 e5", actor=None)
    statement = BankStatement.objects.get(tournament=event)
    award = Award.objects.filter(section=cup).first()
    assert award is not None
    lot = Lot.objects.get(pk=draw.lot_id)
    found: dict[str, Any] = {
        "entry": made.player.pk,
        "player": made.player.pk,
        "tablet": made.device.pk,
        "lot": lot.pk,
        "lot_hall": lot.pk,
        "lot_transcript": lot.pk,
        "game": game.pk,
        **dict.fromkeys(("game_pgn", "game_embed", "game_svg", "game_png"), game.pk),
        "tablet_matches": made.device.pk,
        "manage_document": made.player.claims.get(code="large_family").documents.get().pk,
        "manage_bank_row": BankRow.objects.get(statement=statement).pk,
        "manage_bank_retry": statement.pk,
        "manage_appeal": Appeal.objects.get(entry=made.player).pk,
        "manage_bracket_player": Entry.objects.get(section=tree.section, start_number=1).pk,
        "manage_playoff": PlayoffMatch.objects.get(section=tie).pk,
        "manage_prize_draw": draw.pk,
        "diploma": award.pk,
        "diploma_file": cup.tournament.diploma_files.create(at=timezone.now(), content=b"%PDF-", pages=1).pk,
        "receipt": LedgerLine.objects.get(entry=made.player).receipt_number,
        "playoff section": tie.code,
        "screen": make_screen(event, name="Hall", actor=None),
        "manage_games_report": event.game_imports.create(sha256="2" * 64, at=timezone.now()).pk,
    }
    found |= dict.fromkeys(("manage_screen", "manage_screen_remote"), found["screen"].pk)
    for one, section in ((event, stage.section), (made.knockout, tree.section), (made.prizes, cup)):
        found[f"section of {one.pk}"] = section.code
    return found


# -- addresses -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Address:
    """One pattern of the URL configuration."""

    name: str
    route: str
    wanted: frozenset[str]  # the names of what stands in it

    @property
    def page(self) -> str:
        """The name under which tables list the page; two pages share one in the configuration."""
        return "manage_prize_draw" if self.name == "manage_draw" and "pk" in self.wanted else self.name


def addresses(resolver: URLResolver | None = None, before: str = "") -> Iterator[Address]:
    """Yield every address of the program, included ones too. A pattern without a name is told by its route."""
    for pattern in (resolver or get_resolver()).url_patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from addresses(pattern, route)
        elif isinstance(pattern, URLPattern):
            yield Address(str(pattern.name or route), route, frozenset(pattern.pattern.converters))
