"""Where the four apps add to core pages without the core importing them.

An app registers, in its `AppConfig.ready()`, functions that return small values for a named place:

* ``steps``  – ``f(tournament) -> Step``: one step of the staff stepper (key, state, count, what blocks it);
* ``now``    – ``f(request, tournament) -> list[Task]``: what must be done now, most urgent first;
* ``player`` – ``f(request, entry) -> Panel | None``: a block of the public player page;
* ``event``  – ``f(request, tournament) -> Panel | None``: a block of the public event page;
* ``tabs``   – ``f(request, section) -> list[Tab]``: public tabs of a section;
* ``numbers`` – ``f(request, tournament) -> list[Number]``: quick numbers of the staff home;
* ``close``  – ``f(section) -> Panel | None``: what is worth knowing before a start list closes (who owes what);
* ``report`` – ``f(request, tournament) -> Panel | None``: a block of the printed report (money, prizes, sanctions);
* ``play``   – ``f(stage, chance) -> bool``: play one step of a rehearsal; False when nothing is left to play;
* ``placings`` – ``f(section) -> list[(entry id, place, place to, half-points or None)] | None``: the final order of a
  stage that isn't played in rounds; None for a stage of another kind or one that isn't over;
* ``hall`` – ``f(tournament) -> list[HallKind]``: kinds of pages for the screens of the hall (`tourney.hall`);
* ``sheets`` – ``f(section) -> list[SheetKind]``: what can be printed for the wall (`tourney.paper`);
* ``follow`` – ``f(entries) -> dict[entry id, Following]``: where followed players are (`tourney.following`);
* ``own_pairings`` – ``f(stage, key) -> dict[entry id, OwnPairing]``: who meets whom in a published round or match, as
  a notice says it (`tourney.pairing_words`);
* ``pairings_published`` – ``f(stage, key)``: a round or match was published; tell those who asked. Runs in the
  transaction of the act and must do no more than write down that there is something to tell;
* ``awaited`` – ``f(tournament) -> list[AwaitedGame]``: games of matches that are played now and have no row yet;
* ``more_games`` – ``f(tournament) -> list[MoreGame]``: games played over the board that an app keeps in its own way and
  that have no moves (of a play-off for first place): they stand in the lists of games, with their number in the match;
* ``income`` – ``f(tournament) -> list[(label, Money received, Money due)]``: what players pay;
* ``fund``   – ``f(tournament) -> list[FundRow]``: the event's balance, for the treasurer's page;
* ``contacts`` – ``f(entry ids) -> dict[entry id, e-mail address]``: whom a letter can reach;
* ``lot_sources`` – ``f(lot) -> dict[who, where]``: where the public values of a draw of lots were read;
* ``arrived`` – ``f(tournament) -> None``: an event came from another installation; renew what is this one's own;
* ``outlast`` – ``f(tournament) -> f(tournament) -> None``: an event that was left here is about to be replaced by the
  one that comes back; what must not be lost with it is noted now, and put into the other one by what is returned;
* ``other_key`` – ``f(mend) -> number``: things made with another ``SECRET_KEY``; ``mend`` makes them anew;
* ``milestones`` – ``f() -> set[str]``: acts, as the log names them, after which a backup is made at once;
* ``rebuild`` – ``f(tournament) -> None``: delete and rebuild the app's projections of an event;
* ``entry_replaced`` – ``f(old_entry, new_entry, actor)``: a reserve took somebody's place before the start (K3.4); runs
  in the transaction of the act and may refuse with a TourneyError;
* ``in_play`` – ``f(tournament) -> list[InPlay]``: the groups that play now, and since when they are stopped;
* ``stop_play``, ``resume_play`` – ``f(tournament, actor, reason) -> number``, ``f(tournament, actor) -> number``: stop
  these groups, let them go on; how many there were. In the transaction of the act, which has locked the stages;
* ``sanctioned`` – ``f(sanction, actor)``: a sanction was written; carry out what it does to play (K10.3, M7.9), in the
  same transaction.
* ``sanction_effects`` – ``f(entry, kind, game)``: sentences about what a sanction would do to play, shown before it is
  written, or None.
* ``sanction_revoked`` – ``f(sanction, actor, reason)``: undo what a sanction did and write that it is taken back;
  False if that is none of the app's business.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from tourney.kernel.money import Money


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the event's backbone. `state` is todo, now, done or blocked; one of `needs` opens its page.

    Who has none of them may be led to another page of the step: `elsewhere` is (need, address).
    """

    key: str
    label: Any
    url: str
    state: str = "todo"
    count: str = ""
    note: Any = ""
    order: int = 50
    needs: tuple[str, ...] = ("staff",)
    elsewhere: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Task:
    """Something the staff should do now; the one with the lowest `order` gets the primary button."""

    text: Any
    url: str
    button: Any
    order: int = 50
    detail: Any = ""


@dataclass(frozen=True, slots=True)
class MoreGame:
    """A game of a match without moves: `block` is the match, `outcome` a result code, `white` and `black` entries.

    `row`: the key of its `Game`, 0 while there is none.
    """

    section: str  # code of the group
    block: Any
    url: str  # the page of the match
    number: int
    white: Any
    black: Any
    outcome: str
    clock: str = ""
    row: int = 0


@dataclass(frozen=True, slots=True)
class Panel:
    """A block of a page: a template with its context."""

    template: str
    context: dict[str, Any] = field(default_factory=dict)
    order: int = 50


@dataclass(frozen=True, slots=True)
class Tab:
    """A public tab of a section."""

    key: str
    label: Any
    url: str
    order: int = 50


@dataclass(frozen=True, slots=True)
class Number:
    """A quick number of the staff home; `tone` need or bad when it wants somebody."""

    value: Any
    label: Any
    url: str = ""
    tone: str = ""
    order: int = 50


@dataclass(frozen=True, slots=True)
class AwaitedGame:
    """A game of a match that is due: its row is made with its result. `white`, `black` are ids of entries."""

    stage: int
    section: str
    match: str
    number: int
    white: int
    black: int
    board: int | None = None
    clock: str = ""
    order: int = 50


@dataclass(frozen=True, slots=True)
class InPlay:
    """A group that plays now; `since` when it is stopped (None: it is not), and why."""

    title: str
    since: datetime | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class FundRow:
    """One line of the event's balance on the treasurer's page; `strong` for a sum of those above it."""

    label: Any
    amount: Money
    url: str = ""
    strong: bool = False
    order: int = 50


PLACES = (
    *("steps", "now", "player", "event", "tabs", "numbers", "close", "report"),  # parts of pages
    *("play", "placings", "awaited", "more_games", "income"),  # questions to the app that knows
    *("fund", "contacts", "lot_sources"),
    "milestones",
    "other_key",
    *("hall", "sheets", "follow", "own_pairings"),  # for the public: the hall, the wall, telephones
    *("arrived", "outlast"),  # an event that moves
    *("in_play", "stop_play", "resume_play"),
    *("rebuild", "entry_replaced", "sanctioned", "sanction_effects", "sanction_revoked", "pairings_published"),  # acts
)
_registered: dict[str, list[Callable[..., Any]]] = {place: [] for place in PLACES}


def register(place: str, provider: Callable[..., Any]) -> None:
    """Add a provider to a place (KeyError for one nobody asks); registering the same function twice has no effect."""
    if provider not in _registered[place]:
        _registered[place].append(provider)


def collect(place: str, *args: Any) -> list[Any]:
    """Return what the providers of a place give, flat and without the Nones, by `order`."""
    found: list[Any] = []
    for provider in _registered[place]:
        given = provider(*args)
        if given is None:
            continue
        found.extend(given if isinstance(given, list) else [given])
    return sorted(found, key=lambda item: getattr(item, "order", 50))


def providers(place: str) -> list[Callable[..., Any]]:
    """Return the functions registered for a place."""
    return list(_registered[place])
