"""Matches as pages show them: who, from where, the score, the board, and in words whatever is unusual."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from brackets.engine.facts import How
from brackets.engine.match_format import Armageddon, GamesPhase, MatchFormat
from brackets.engine.resolve import BYE, MatchView
from brackets.engine.topology import LoserOf, MatchSpec, Seed, SideOf, Source
from brackets.labels import HOW, STATES, places_words, round_words
from brackets.models import Match
from brackets.selectors import Table, people_of, seen_token
from brackets.services.projecting import clock_text
from tourney.kernel.ids import MatchKey
from tourney.kernel.points import format_points
from tourney.models import Entry

OPEN = (Match.State.CALLED, Match.State.PLAYING)
UNUSUAL_ENDS = frozenset({"armageddon", "no_show", "both_absent", "left", "decision", "opponent_left", "both_left"})


@dataclass(frozen=True, slots=True)
class SideCard:
    """One side of a match: a player, a bye, or the words that say who will come."""

    name: str
    entry: Entry | None = None
    href: str = ""
    seed: int | None = None
    score: str = ""
    won: bool = False
    lost: bool = False
    left: bool = False  # has left the event
    short: str = ""  # surname and an initial, where room is short
    rating: int | None = None

    @property
    def placeholder(self) -> bool:
        return self.entry is None


@dataclass(frozen=True, slots=True)
class Card:
    """A match with everything its box, row or page says."""

    match: Match
    spec: MatchSpec
    view: MatchView
    a: SideCard
    b: SideCard
    href: str
    note: str = ""
    marks: tuple[str, ...] = field(default=())

    @property
    def key(self) -> str:
        return self.match.key

    @property
    def sides(self) -> tuple[SideCard, SideCard]:
        return self.a, self.b

    @property
    def state(self) -> tuple[str, Any]:
        return STATES[self.match.state]

    @property
    def is_live(self) -> bool:
        return self.match.state in OPEN

    @property
    def board(self) -> int | None:
        return self.match.board if self.is_live else None

    @property
    def played_on_board(self) -> int | None:
        return self.match.board

    @property
    def places(self) -> str:
        return str(places_words(self.spec.places_open))

    @property
    def score_text(self) -> str:
        """The score as people read it: "1–1, 2–0"; nothing before the first game."""
        phases = self.match.score.get("phases", [])
        return ", ".join(f"{format_points(phase['a'])}–{format_points(phase['b'])}" for phase in phases)

    @property
    def awaits(self) -> Mapping[str, Any]:
        return self.match.awaits

    @property
    def seen(self) -> str:
        return seen_token(self.match, self.view)

    def side(self, name: str) -> SideCard:
        return self.a if name == "a" else self.b


class Cards:
    """The cards of a bracket. `staff`: real names, links to the staff's pages. Two queries beside the table's own."""

    def __init__(self, table: Table, *, staff: bool = False) -> None:
        self.table = table
        self.staff = staff
        self.section = table.stage.section
        self.args = [self.section.tournament.slug, self.section.code]

    @cached_property
    def people(self) -> Mapping[int, Entry]:
        return people_of(self.table)

    @cached_property
    def seeds(self) -> Mapping[int, int]:
        return {entry: number for number, entry in enumerate(self.table.state.seeds, start=1) if entry is not None}

    @cached_property
    def _all(self) -> dict[MatchKey, Card]:
        return {}

    def card(self, key: str) -> Card:
        """Return the card of a match."""
        known = self._all.get(MatchKey(key))
        if known is None:
            known = self._all[MatchKey(key)] = self._made(MatchKey(key))
        return known

    def name_of(self, entry: int) -> str:
        """Return a player's name: the public one, or for staff the real one."""
        person = self.people[entry]
        return str(person.player.name if self.staff else person.name)

    def rating_of(self, entry: int) -> int | None:
        """Return a player's rating: for the public only of those who let it be published."""
        person = self.people[entry]
        return person.rating if self.staff else person.shown.rating

    def short_name(self, entry: int) -> str:
        """Return surname and initial, "Рибальченко Д."; the whole name where there is no given one or it is private."""
        person = self.people[entry]
        if not self.staff and not person.public_name:
            return self.name_of(entry)
        surname, given = person.player.surname, person.player.given_name
        return f"{surname} {given[0]}." if surname and given else self.name_of(entry)

    def player_url(self, entry: int) -> str:
        person = self.people[entry]
        if self.staff:
            return reverse("manage_bracket_player", args=[*self.args, entry])
        return reverse("player", args=[self.args[0], person.section.code, entry])

    def match_url(self, key: str) -> str:
        return reverse("manage_match" if self.staff else "match", args=[*self.args, key])

    def _made(self, key: MatchKey) -> Card:
        match, spec, view = self.table.matches[key], self.table.spec.by_key[key], self.table.state.matches[key]
        return Card(
            match,
            spec,
            view,
            self._side(match, view, spec.a, view.a, "a"),
            self._side(match, view, spec.b, view.b, "b"),
            self.match_url(key),
            note=self._note(match, spec, view),
            marks=tuple(self._marks(match, view)),
        )

    def _side(self, match: Match, view: MatchView, source: Source, occupant: Any, side: str) -> SideCard:
        if occupant is BYE:
            return SideCard(_("bye"))
        if occupant is None:
            return SideCard(source_words(source))
        decided = match.winner_side != "" and match.state != Match.State.BYE
        return SideCard(
            self.name_of(occupant),
            self.people[occupant],
            self.player_url(occupant),
            self.seeds.get(occupant),
            side_score(match, side),
            won=decided and match.winner_side == side,
            lost=decided and match.winner_side != side,
            left=occupant in self.table.state.left,
            short=self.short_name(occupant),
            rating=self.rating_of(occupant),
        )

    def _note(self, match: Match, spec: MatchSpec, view: MatchView) -> str:
        """Return the one thing worth the room beside a box."""
        if view.on_paper is not None:
            return _("corrected on paper")
        if match.state in OPEN:
            return _("board %(board)s") % {"board": match.board} if match.board else _("no board")
        if match.how in UNUSUAL_ENDS:
            return str(HOW[match.how])
        if match.state == Match.State.SKIPPED:
            return str(HOW["not_needed"])
        if match.state == Match.State.CUT:
            return _("not played")
        if view.rematch:
            return _("rematch")
        if not spec.leads_to:
            return str(places_words(spec.places_open))
        return ""

    def _marks(self, match: Match, view: MatchView) -> list[str]:
        """Return everything unusual, in sentences."""
        found = []
        if view.on_paper is not None:
            found.append(
                _("The result was corrected: %(name)s had won. The bracket stands as it was played.")
                % {"name": self.name_of(view.on_paper)}
            )
        if match.how in UNUSUAL_ENDS and match.how != "armageddon":
            found.append(str(HOW[match.how]))
        if view.rematch:
            found.append(_("These two have met before."))
        if match.state == Match.State.CUT:
            found.append(_("The bracket was cut short: nobody plays here any more."))
        if view.how is How.BYE:
            found.append(_("Nobody plays here: a bye."))
        return found


def source_words(source: Source) -> str:
    """Return who will come to a side: "winner of U2.3"."""
    if isinstance(source, Seed):
        return _("seed %(number)s") % {"number": source.number}
    if isinstance(source, SideOf):
        return _("a player of %(match)s") % {"match": source.match}
    if isinstance(source, LoserOf):
        return _("loser of %(match)s") % {"match": source.match}
    return _("winner of %(match)s") % {"match": source.match}


def side_score(match: Match, side: str) -> str:
    """Return one side's score, phase by phase; a walkover as + and −."""
    phases = match.score.get("phases", [])
    if phases:
        return " ".join(format_points(phase[side]) for phase in phases)
    if match.state in (Match.State.WALKOVER, Match.State.DONE):
        return "+" if match.winner_side == side else "−"
    return ""


def format_words(rules: MatchFormat) -> list[str]:
    """Return how a match is played, a line a phase (K6.1–K6.5)."""
    lines = []
    for number, phase in enumerate(rules.phases):
        match phase:
            case GamesPhase(games=games, clock=clock):
                words = _("%(games)s × %(clock)s") % {"games": games, "clock": clock}
            case Armageddon(white_clock=white, black_clock=black):
                words = _("Armageddon %(clock)s") % {"clock": clock_text(white, black)}
            case _:
                words = _("round robin %(clock)s") % {"clock": phase.clock}
        lines.append(words if number == 0 else _("if level: %(words)s") % {"words": words})
    return lines


def title_of(table: Table, key: str) -> str:
    """Return a match's key with its round: "U2.3 · Upper bracket, round 2"."""
    spec = table.spec.match(key)
    return f"{key} · {round_title(table, spec)}"


def round_title(table: Table, spec: MatchSpec) -> str:
    """Return the round of a match in words; placement matches say what they play for."""
    if spec.bracket.value in ("place", "knockout") and spec.places_open.first > 1:
        return str(places_words(spec.places_open)).capitalize()
    return round_words(spec.stage, table.spec.size)
