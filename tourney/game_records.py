"""Reading games and their records: which the public may see, how they are found, and what their tags say."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import F, Func, IntegerField, Q, QuerySet, Value
from django.db.models.functions import Coalesce, TruncDate

from tourney import panels, pgn
from tourney.game_index import End, key_of, placement_of
from tourney.game_names import sounds
from tourney.kernel.clocks import Clock
from tourney.kernel.errors import TourneyError
from tourney.kernel.outcomes import STANDARD, ResultCode
from tourney.kernel.text import in_language
from tourney.models import Entry, Game, Sanction, Stage, Tournament

PLAYED = [code.value for code in ResultCode if STANDARD.outcome(code).played]
SEARCHED_RESULTS = {"1-0": ("1-0", "+-"), "1/2": ("1/2",), "0-1": ("0-1", "-+")}  # what a visitor asks for
_ECO = re.compile(r"^[A-E]\d{0,2}$")
_ECO_LETTERS = str.maketrans("АВСЕ", "ABCE")  # typed on a Cyrillic keyboard they look the same
_RESULTS = {"1-0": "1-0", "0-1": "0-1", "1/2": "1/2-1/2", "+-": "1-0", "-+": "0-1"}


def pgn_result(outcome: str) -> str:
    """Return a result as a tag has it; the arbiter's unusual ones (0–0, ½–0) have no word in PGN."""
    return _RESULTS.get(outcome, "*")


def games_of(tournament: Tournament) -> QuerySet[Game]:
    """Return an event's games with what their tags need, in the order of play."""
    return (
        Game.objects.filter(stage__section__tournament=tournament)
        .select_related("stage__section", "white__player", "white__section", "black__player", "black__section", "index")
        .defer("index__positions")
        .order_by(
            "stage__section__ordinal",
            "stage__ordinal",
            F("round_number").asc(nulls_first=True),
            "match_key",
            "game_number",
            F("board").asc(nulls_last=True),
            "pk",
        )
    )


def recorded() -> Q:
    """Games with moves."""
    return ~Q(pgn="")


def public() -> Q:
    """Games anybody may know of: with a result, or with moves. A pairing nobody has published has neither."""
    return ~Q(outcome="") | ~Q(pgn="")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a visitor looks for. `all_games`: also games without moves (over the board only)."""

    search: str = ""
    section: str = ""
    round: int | None = None
    match: str = ""
    player: int | None = None
    all_games: bool = False
    opening: str = ""  # beginning of an ECO code, or words of the name
    result: str = ""  # 1-0, 1/2, 0-1
    end: str = ""  # of `tourney.game_index.End`
    day: dt.date | None = None
    position: str = ""  # a FEN, or its first field

    @classmethod
    def of(cls, query: Mapping[str, str]) -> Wanted:
        def number(key: str) -> int | None:
            text = query.get(key, "")
            return int(text) if text.isdecimal() and len(text) < 10 else None

        return cls(
            search=" ".join(query.get("q", "").split())[:80],
            section=query.get("section", "")[:30],
            round=number("round"),
            match=query.get("match", "")[:16],
            player=number("player"),
            all_games=query.get("all") == "1",
            opening=" ".join(query.get("opening", "").split())[:80],
            result=result if (result := query.get("result", "")) in SEARCHED_RESULTS else "",
            end=end if (end := query.get("end", "")) in {one.value for one in End} else "",
            day=_day(query.get("day", "")),
            position=" ".join(query.get("position", "").split())[:100],
        )

    @property
    def narrows(self) -> bool:
        return bool(self.search or self.section or self.round or self.match or self.player or self.by_moves)

    @property
    def by_moves(self) -> bool:
        """Whether something is asked for that is not on the board's card: result, day, or what the moves say."""
        return bool(self.opening or self.result or self.end or self.day or self.position)

    @property
    def position_key(self) -> int | None:
        """The key of the position asked for; None for none, and for one nobody can read."""
        try:
            return key_of(placement_of(self.position)) if self.position else None
        except TourneyError:
            return None


def found_games(tournament: Tournament, wanted: Wanted) -> QuerySet[Game]:
    """Return the games a visitor looks for. A match brings all its games, those without moves among them (T29)."""
    games = games_of(tournament)
    if wanted.match:
        games = games.filter(Q(outcome__in=PLAYED) | recorded(), match_key__iexact=wanted.match)
    elif wanted.all_games:
        games = games.filter(Q(outcome__in=PLAYED) | recorded())
    else:
        games = games.filter(recorded())
    if wanted.section:
        of = Q(stage__section__code=wanted.section)
        games = games.filter(of | Q(white__section__code=wanted.section) | Q(black__section__code=wanted.section))
    if wanted.round:
        games = games.filter(round_number=wanted.round)
    ids = None
    if wanted.player:
        ids = [wanted.player]
    elif wanted.search:
        ids = people_called(tournament, wanted.search)
    if ids is not None:
        games = games.filter(Q(white__in=ids) | Q(black__in=ids))
    games = games.filter(_by_moves(tournament, wanted))
    if (key := wanted.position_key) is not None:
        reached = Func(F("index__positions"), Value(key), function="array_position", output_field=IntegerField())
        games = games.annotate(reached_at=reached)
    return games


def _by_moves(tournament: Tournament, wanted: Wanted) -> Q:
    """Return the condition for result, day, opening, end and position.

    A position nobody can read finds nothing: the page says so.
    """
    found = Q()
    if wanted.result:
        found &= Q(outcome__in=SEARCHED_RESULTS[wanted.result])
    if wanted.day:
        begins = dt.datetime.combine(wanted.day, dt.time(), tournament.zone)
        span = (begins, begins + dt.timedelta(days=1) - dt.timedelta(microseconds=1))
        found &= Q(scheduled_at__range=span) | Q(scheduled_at=None, finished_at__range=span)
    if wanted.opening:
        code = wanted.opening.upper().translate(_ECO_LETTERS)
        if _ECO.match(code):
            found &= Q(index__eco__startswith=code)
        else:
            for word in wanted.opening.split():
                found &= Q(index__opening__icontains=word)
    if wanted.end:
        found &= Q(index__end=wanted.end)
    if wanted.position:
        key = wanted.position_key
        found &= Q(pk__in=[]) if key is None else Q(index__positions__contains=[key])
    return found


def _day(text: str) -> dt.date | None:
    try:
        found = dt.date.fromisoformat(text) if len(text) == 10 else None
    except ValueError:
        return None
    return found if found and 1800 < found.year < 9000 else None  # a day more or less is a day, too


def more_games(tournament: Tournament, wanted: Wanted) -> list[panels.MoreGame]:
    """Return the games without moves that apps keep in their own way, as far as a visitor looks for them."""
    if wanted.opening or wanted.end or wanted.day or wanted.position or wanted.round or wanted.match:
        return []
    ids = {wanted.player} if wanted.player else None
    if ids is None and wanted.search:
        ids = set(people_called(tournament, wanted.search))
    outcomes = SEARCHED_RESULTS.get(wanted.result)
    return [
        game
        for game in panels.collect("more_games", tournament)
        if not (wanted.all_games and game.row)  # it stands there already
        and (not wanted.section or game.section == wanted.section)
        and (ids is None or ids & {game.white.pk, game.black.pk})
        and (outcomes is None or game.outcome in outcomes)
    ]


def people_called(tournament: Tournament, search: str) -> list[int]:
    """Return who is called like that, in Cyrillic or Latin letters; each word begins a word of the public name."""
    asked = sounds(search)
    if not asked:
        return []
    entries = Entry.objects.filter(tournament=tournament, start_number__isnull=False).select_related("player")
    return [entry.pk for entry in entries if any(_begins(asked, name) for name in known_names(entry))]


def _begins(asked: Sequence[str], name: str) -> bool:
    words = sounds(name)
    return all(any(word.startswith(one) for word in words) for one in asked)


def known_names(entry: Entry) -> list[str]:
    """Return how a player may be called where the public sees it; without consent only the number."""
    if not entry.public_name:
        return [str(entry.name)]
    return [name for name in (entry.player.name, entry.player.latin_name) if name]


def rounds_and_days(tournament: Tournament) -> tuple[list[int], list[dt.date]]:
    """Return the rounds and the days games with moves were played in: what a visitor may choose from. One query."""
    moment = Coalesce("scheduled_at", "finished_at")
    rows = (
        Game.objects.filter(recorded(), stage__section__tournament=tournament)
        .order_by()
        .annotate(day=TruncDate(moment, tzinfo=tournament.zone))
        .values_list("round_number", "day")
        .distinct()
    )
    found = list(rows)
    return sorted({number for number, _ in found if number}), sorted({day for _, day in found if day})


# -- tags --------------------------------------------------------------------------------------------------------------


def tag_name(entry: Entry) -> str:
    """Return a player's name as PGN wants it: surname, given name."""
    player = entry.player
    if entry.public_name and player.given_name:
        return f"{player.surname}, {player.given_name}"
    return str(entry.name)


def tags_of(game: Game, tournament: Tournament, *, several: bool) -> dict[str, str]:
    """Return the tags of a game by the event's own facts. `several`: the event has more than one group."""
    language = tournament.language

    def words(text: dict[str, str]) -> str:
        return in_language(text or {}, language, language)

    title = words(tournament.title)
    when = game.scheduled_at or game.finished_at
    rules = game.stage.rules
    rated_by_fide = str((rules.get("rating") or {}).get("use", "")).startswith("fide")
    tags = {
        "Event": f"{title}, {words(game.stage.section.title)}" if several else title,
        "Site": words(tournament.venue),
        "Date": f"{when.astimezone(tournament.zone):%Y.%m.%d}" if when else "",
        "Round": round_tag(game),
        "White": tag_name(game.white),
        "Black": tag_name(game.black),
        "Result": pgn_result(game.outcome),
        "Section": game.stage.section.code,
        "Match": game.match_key,
        "MatchGame": str(game.game_number) if game.match_key else "",
        "Board": str(game.board or ""),
        "TimeControl": time_control(game.time_control or str((rules.get("clock") or {}).get("main", ""))),
        "WhiteTitle": game.white.shown.title,
        "BlackTitle": game.black.shown.title,
        "WhiteFideId": game.white.shown.fide_id,
        "BlackFideId": game.black.shown.fide_id,
    }
    if (found := getattr(game, "index", None)) is not None:
        tags["ECO"], tags["Opening"] = found.eco, found.opening
    if rated_by_fide:
        tags["WhiteElo"], tags["BlackElo"] = str(game.white.shown.rating or ""), str(game.black.shown.rating or "")
    return tags


def round_tag(game: Game) -> str:
    """Return the tag Round: the round, of the match and its game (L2.3, game 1: 2.3.1), "-" in a play-off."""
    if game.stage.kind == Stage.Kind.PLAYOFF:
        return "-"  # PGN's word for a game of no round
    if not game.match_key:
        return str(game.round_number or "")
    return ".".join([*re.findall(r"\d+", game.match_key), str(game.game_number)])


def time_control(clock: str) -> str:
    """Return a clock in seconds (3+2 is 180+2); "" for one that differs by colour, which PGN can't say."""
    try:
        return Clock.parse(clock.replace(" ", "")).in_seconds
    except ValueError:
        return ""


def pgn_text(game: Game, tournament: Tournament, *, several: bool) -> str:
    """Return one game for download."""
    return pgn.write(tags_of(game, tournament, several=several), game.pgn)


def pgn_file(games: Iterable[Game], tournament: Tournament, *, several: bool) -> Iterator[str]:
    """Yield games for one file, an empty line between two."""
    for index, game in enumerate(games):
        yield ("\n" if index else "") + pgn_text(game, tournament, several=several)


# -- M7.6 --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class EarlyDraw:
    """A draw whose record is shorter than the regulation lets players talk of one."""

    game: Game
    moves: int
    limit: int
    warned: bool  # a sanction was written for it


def draw_limit(game: Game) -> int:
    """Return up to which move nobody may talk of a draw; 0 without such a rule."""
    return int((game.stage.rules.get("conduct") or {}).get("no_draw_offer_until_move") or 0)


def is_early(game: Game) -> bool:
    """Return whether a drawn game's record is too short (M7.6: up to the move of the rule, itself included)."""
    limit = draw_limit(game)
    return bool(limit and game.outcome == ResultCode.DRAW and game.ply_count and (game.ply_count + 1) // 2 <= limit)


def early_draws(tournament: Tournament) -> list[EarlyDraw]:
    """Return the draws an arbiter should look at, newest first."""
    drawn = games_of(tournament).defer("pgn").filter(outcome=ResultCode.DRAW.value, ply_count__isnull=False)
    early = [game for game in drawn if is_early(game)]
    warned = set(Sanction.objects.filter(game__in=early).values_list("game", flat=True))
    found = [EarlyDraw(g, ((g.ply_count or 0) + 1) // 2, draw_limit(g), g.pk in warned) for g in early]
    return list(reversed(found))


def record_counts(tournament: Tournament) -> dict[str, Any]:
    """Return how many games were played over the board and how many of them have moves."""
    played = Game.objects.filter(stage__section__tournament=tournament).filter(Q(outcome__in=PLAYED) | recorded())
    return {"played": played.count(), "recorded": played.filter(recorded()).count()}
