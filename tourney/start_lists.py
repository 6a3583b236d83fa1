"""What the public pages of people are made of: start lists, head-counts, and a player's games."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, F, Q, QuerySet

from tourney.kernel.colors import Color
from tourney.kernel.outcomes import STANDARD, ResultCode
from tourney.models import Entry, Game, Section, Stage, Tournament
from tourney.selectors import current_regulation

ORDERS = ("number", "name", "rating")
# Who is on the way in: shown below the start list with the state, so that a parent finds the child.
ON_THE_WAY = (
    Entry.State.APPLIED,
    Entry.State.AWAITING_DEPOSIT,
    Entry.State.OFFERED,
    Entry.State.RESERVE,
)


@dataclass(frozen=True, slots=True)
class StartList:
    """A section's people as its page shows them. `guests` are merged groups, each with its own list."""

    section: Section
    entries: list[Entry]
    waiting: list[Entry]

    @property
    def count(self) -> int:
        return len(self.entries)


def ordered(entries: QuerySet[Entry], order: str) -> QuerySet[Entry]:
    """Return entries by start number, alphabet or rating (unrated last)."""
    names = ("player__surname", "player__given_name", "pk")
    match order:
        case "name":
            return entries.order_by(*names)
        case "rating":
            return entries.order_by(F("rating").desc(nulls_last=True), *names)
        case _:
            return entries.order_by(
                F("start_number").asc(nulls_last=True),
                F("rating").desc(nulls_last=True),
                *names,
            )


def start_lists(section: Section, order: str) -> list[StartList]:
    """Return the list of a section and, for the host of a merge, those of its guests: one query whatever the size."""
    sections = [
        section,
        *Section.objects.filter(merged_into=section).order_by("ordinal"),
    ]
    rows = Entry.objects.filter(section__in=sections, state__in=[*Entry.IN_PLAY, *ON_THE_WAY]).select_related("player")
    entries = list(ordered(rows, order))
    lists = []
    for one in sections:
        one.tournament = section.tournament
        own = [entry for entry in entries if entry.section_id == one.pk]
        # A section that admits one entry at a time keeps its reserve list in order of registration.
        waiting = sorted(
            (entry for entry in own if not entry.is_active),
            key=lambda entry: entry.registered_at,
        )
        lists.append(StartList(one, [entry for entry in own if entry.is_active], waiting))
    return lists


def level_words(tournament: Tournament) -> dict[str, str]:
    """Return the words of the regulation for the classes of players (a code without words stays as it is)."""
    regulation = current_regulation(tournament)
    known = (regulation.spec.get("registration") or {}).get("levels") if regulation else None
    return {code: tournament.in_words(words) for code, words in (known or {}).items()}


def head_counts(tournament: Tournament) -> dict[int, dict[str, int]]:
    """Return for each section how many play, are present, are on the way in, and are on the reserve list."""
    rows = (
        Entry.objects.filter(tournament=tournament)
        .values("section")
        .annotate(
            playing=Count("pk", filter=Q(state__in=Entry.IN_PLAY)),
            present=Count("pk", filter=Q(state__in=Entry.IN_PLAY, present=True)),
            waiting=Count(
                "pk",
                filter=Q(state__in=[s for s in ON_THE_WAY if s != Entry.State.RESERVE]),
            ),
            reserve=Count("pk", filter=Q(state=Entry.State.RESERVE)),
            seats=Count("pk", filter=Q(seat__isnull=False)),
            unlisted=Count("pk", filter=Q(state__in=Entry.IN_PLAY, start_number__isnull=True)),
        )
    )
    return {row.pop("section"): row for row in rows}


NO_COUNTS = {
    "playing": 0,
    "present": 0,
    "waiting": 0,
    "reserve": 0,
    "seats": 0,
    "unlisted": 0,
}


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game from one player's side."""

    game: Game
    opponent: Entry
    color: str
    points: int | None  # half-points; None while there is no result
    forfeit: bool

    @property
    def counts(self) -> bool:
        """Whether the game counts for the score: a play-off for first place does not."""
        return self.game.stage.kind != Stage.Kind.PLAYOFF


def games_of(entry: Entry) -> list[PlayedGame]:
    """Return an entry's games in the order they were played: one query."""
    games = (
        Game.objects.filter(Q(white=entry) | Q(black=entry))
        .defer("pgn")
        .select_related(
            "white__player",
            "white__section",
            "black__player",
            "black__section",
            "stage",
        )
        .order_by("stage__ordinal", F("round_number").asc(nulls_last=True), "pk")
    )
    return [_seen_by(entry, game) for game in games]


def _seen_by(entry: Entry, game: Game) -> PlayedGame:
    white = game.white_id == entry.pk
    color = Color.WHITE if white else Color.BLACK
    outcome = STANDARD.outcome(ResultCode(game.outcome)) if game.outcome else None
    return PlayedGame(
        game=game,
        opponent=game.black if white else game.white,
        color="w" if white else "b",
        points=outcome.points(color) if outcome else None,
        forfeit=outcome is not None and not outcome.played,
    )


def score_of(games: Sequence[PlayedGame]) -> int:
    """Return the half-points of the finished games."""
    return sum(game.points or 0 for game in games)


def events_in_time(events: Sequence[Tournament], today: Any) -> dict[str, list[Tournament]]:
    """Return events as the home page groups them: now, upcoming (soonest first) and past (latest first)."""
    now = [e for e in events if e.starts_on <= today <= e.ends_on and e.state != Tournament.State.FINISHED]
    coming = [e for e in events if e.starts_on > today and e.state != Tournament.State.FINISHED]
    past = [e for e in events if e not in now and e not in coming]
    return {
        "now": sorted(now, key=lambda e: (e.ends_on, e.slug)),
        "coming": sorted(coming, key=lambda e: (e.starts_on, e.slug)),
        "past": sorted(past, key=lambda e: e.starts_on, reverse=True),
    }
