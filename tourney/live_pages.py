"""What pages and files show of boards while they are played: the projection, with names and words added."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _

from tourney import pgn
from tourney.formatting import result_text
from tourney.game_records import games_of, pgn_result, tags_of
from tourney.live_boards import Delay, is_whole, shown, stored
from tourney.live_svg import small_board
from tourney.models import Broadcast, Entry, Game, LiveGame, Section, Stage, Tournament
from tourney.services.live import ALIVE
from tourney.services.live_records import sent_of


def broadcast_of(tournament: Tournament) -> Broadcast | None:
    """Return how an event's boards are shown; without boards when nothing has moved for a day."""
    found = Broadcast.objects.filter(tournament=tournament).first()
    if found is not None and (found.changed_at is None or found.changed_at < timezone.now() - ALIVE):
        found.boards = []
    return found


def moving_parts(broadcast: Broadcast | None) -> list[dict[str, Any]]:
    """Return what of every board can change from poll to poll; the same in every language."""
    return [
        {
            "id": row["id"],
            "p": row["placement"],
            "s": row["squares"],
            "k": row["check"],
            "m": row["move"],
            "c": row["clocks"],
            "r": result_text(row["outcome"]) if row["outcome"] else "",
        }
        for row in (broadcast.boards if broadcast else ())
    ]


def shown_boards(tournament: Tournament, broadcast: Broadcast | None) -> list[dict[str, Any]]:
    """Return the boards for the page, with a heading where a group or a round begins. Two queries."""
    rows = broadcast.boards if broadcast else []
    ids = {row[side] for row in rows for side in ("white", "black")}
    people = {entry.pk: entry for entry in Entry.objects.filter(pk__in=ids).select_related("player", "section")}
    stages = {
        stage.pk: stage
        for stage in Stage.objects.filter(pk__in={row["stage"] for row in rows}).select_related("section")
    }
    several = tournament.sections.count() > 1 if rows else False
    found = []
    for row in rows:
        white, black, stage = people.get(row["white"]), people.get(row["black"]), stages.get(row["stage"])
        if white is None or black is None or stage is None:
            continue  # gone since the projection was written
        stage.section.tournament = tournament
        part = _("Round %(round)s") % {"round": row["round"]} if row["round"] else _("Matches")
        found.append(
            {
                **row,
                "heading": f"{stage.section.title_text} · {part}" if several else part,
                "where": _where(row, stage),
                "white": white,
                "black": black,
                "result": result_text(row["outcome"]) if row["outcome"] else "",
                "drawing": small_board(
                    row["placement"],
                    label=row["move"] or _("Starting position"),
                    squares=row["squares"],
                    check=row["check"],
                ),
            }
        )
    return found


def _where(row: Mapping[str, Any], stage: Stage) -> str:
    if stage.kind == Stage.Kind.PLAYOFF:
        return _("play-off for first place, game %(number)s") % {"number": row["number"]}
    if row["match"]:
        return _("%(match)s, game %(number)s") % {"match": row["match"], "number": row["number"]}
    return _("board %(board)s") % {"board": row["board"]} if row["board"] else ""


def round_games(section: Section, number: int) -> list[Game]:
    """Return the games of a round by board, byes apart (a bye is no game)."""
    games = games_of(section.tournament).filter(stage__section=section, round_number=number)
    return sorted(games, key=lambda game: (game.board or 10_000, game.pk))


def live_games(tournament: Tournament, broadcast: Broadcast | None) -> list[LiveGame]:
    """Return the games that are on the page now, in its order."""
    order = [row["id"] for row in (broadcast.boards if broadcast else ())]
    rows = LiveGame.objects.filter(pk__in=order).select_related(
        *("stage__section", "white__player", "white__section", "black__player", "black__section", "game__index")
    )
    rows = rows.defer("game__index__positions")
    found = {live.pk: live for live in rows}
    return [found[pk] for pk in order if pk in found]


def pgn_of_games(
    games: Sequence[Game], tournament: Tournament, broadcast: Broadcast | None, *, several: bool
) -> Iterator[str]:
    """Yield games as a broadcast shows them now: those without moves too, and of a live one what may be seen."""
    live = {one.game_id: one for one in LiveGame.objects.filter(game__in=[game.pk for game in games])}
    for game in games:
        tags = tags_of(game, tournament, several=several)
        if game.pgn or game.pk not in live:
            yield pgn.write(tags, game.pgn)
        else:
            yield _live_text(tags, live[game.pk], broadcast, over=bool(game.outcome))


def pgn_of_live(
    rows: Sequence[LiveGame], tournament: Tournament, broadcast: Broadcast | None, *, several: bool
) -> Iterator[str]:
    """Yield the games that are on the page now, those of matches without a row among them."""
    for live in rows:
        game = live.game or Game(
            stage=live.stage,
            round_number=live.round_number,
            match_key=live.match_key,
            game_number=live.game_number,
            board=live.board,
            white=live.white,
            black=live.black,
            scheduled_at=live.began_at,
        )
        if live.game is not None:
            game.stage, game.white, game.black = live.stage, live.white, live.black
        tags = tags_of(game, tournament, several=several)
        yield pgn.write(tags, game.pgn) if game.pgn else _live_text(tags, live, broadcast, over=bool(game.outcome))


def _live_text(tags: dict[str, str], live: LiveGame, broadcast: Broadcast | None, *, over: bool) -> str:
    delay = Delay(broadcast.delay_minutes, broadcast.delay_half_moves) if broadcast else Delay()
    sent = sent_of(live)
    seen = shown(sent, delay, timezone.now().timestamp(), over=over)
    # A result with moves missing would tell broadcast platforms that the game has ended there.
    result = (tags["Result"] if over else seen.result or "*") if is_whole(sent, seen) else "*"
    return pgn.write({**tags, "Result": result}, stored(seen))


def conflicts_of(tournament: Tournament) -> list[dict[str, Any]]:
    """Return the live games staff must look at: other moves stored already, or another result than the arbiter's."""
    rows = LiveGame.objects.filter(stage__section__tournament=tournament).select_related(
        "white__player", "black__player", "game"
    )
    found = []
    for live in rows:
        if live.game is None:
            continue
        told, known = live.result, pgn_result(live.game.outcome) if live.game.outcome else ""
        differs = bool(told and known and known != "*" and told != known)
        if live.conflict or differs:
            code = live.conflict or "games.result_differs"
            found.append({"live": live, "code": code, "result": told, "outcome": live.game.outcome})
    return found


def rounds_of(tournament: Tournament) -> list[dict[str, Any]]:
    """Return the newest round of every group that is played in rounds: each has an address of its own."""
    newest = (
        Game.objects.filter(stage__section__tournament=tournament, round_number__isnull=False)
        .order_by()
        .values("stage__section")
        .annotate(number=Max("round_number"))
    )
    numbers = {row["stage__section"]: row["number"] for row in newest}
    found = []
    for section in tournament.sections.filter(pk__in=numbers):
        section.tournament = tournament
        found.append({"section": section, "number": numbers[section.pk]})
    return found
