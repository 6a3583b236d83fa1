"""The report of a file of games: what was placed, what somebody has to say a word about, what went wrong where."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from tourney.formatting import result_text
from tourney.game_records import games_of
from tourney.labels import MESSAGES
from tourney.models import Game, GameImport, Job, Tournament
from tourney.services.games import placings_of

# Lines of a report that ask where a record belongs.
ASKING = frozenset(f"games.{code}" for code in ("no_player", "no_game", "colors", "several", "unsure"))
CONFLICT = "games.result_differs"


def where_words(game: Game) -> str:
    """Return where a game belongs: `round 3, board 5`, or `L2.3, game 1`."""
    if game.match_key:
        return _("%(match)s, game %(number)s") % {"match": game.match_key, "number": game.game_number}
    if game.board:
        return _("round %(round)s, board %(board)s") % {"round": game.round_number, "board": game.board}
    return _("round %(round)s") % {"round": game.round_number}


def import_context(tournament: Tournament, shown: GameImport) -> dict[str, Any]:
    job = shown.job
    running = shown.finished_at is None and (job is None or job.state in (Job.State.QUEUED, Job.State.RUNNING))
    report = shown.report if shown.finished_at else {}
    lines = [
        {**line, "text": problem_words(line), "url": _hand_url(tournament, line)} for line in report.get("problems", [])
    ]
    asked = _asked(tournament, shown, [line for line in lines if line["code"] in ASKING and line.get("number")])
    return {
        "shown": shown,
        "running": running,
        "failed": not running and shown.finished_at is None,
        "job": job,
        "report": report,
        "asked": asked,
        "open": sum(1 for row in asked if not row["decided"]),
        "conflicts": [line for line in lines if line["code"] == CONFLICT],
        "lines": [line for line in lines if line["code"] not in ASKING | {CONFLICT} or not line.get("number")],
        "more_lines": max(0, report.get("lines", 0) - len(lines)),
        "reload_url": f"{reverse('manage_games', args=[tournament.slug])}?import={shown.pk}",
    }


def problem_words(line: Mapping[str, Any]) -> str:
    words = MESSAGES.get(line["code"])
    return str(words) % line["values"] if words else line["code"]


def _hand_url(tournament: Tournament, line: Mapping[str, Any]) -> str:
    pk = line["values"].get("game")
    return f"{reverse('manage_games', args=[tournament.slug])}?game={pk}" if pk else ""


def _asked(tournament: Tournament, shown: GameImport, lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the records nobody could place for sure, each with the games that may be meant and what was decided."""
    if not lines:
        return []
    told = placings_of(shown)
    wanted = {pk for line in lines for pk in line["values"].get("suggestions", ())} | {pk for pk in told.values() if pk}
    games = {game.pk: game for game in games_of(tournament).defer("pgn").filter(pk__in=wanted)}
    rows = []
    for line in lines:
        pk = told.get(line["number"])
        rows.append(
            {
                **line,
                "decided": line["number"] in told,
                "placed": _suggestion(games[pk]) if pk in games else None,
                "suggestions": [
                    _suggestion(games[one]) for one in line["values"].get("suggestions", ()) if one in games
                ],
            }
        )
    return rows


def _suggestion(game: Game) -> dict[str, Any]:
    return {
        "pk": game.pk,
        "names": f"{game.white.player.name} – {game.black.player.name}",
        "where": where_words(game),
        "result": result_text(game.outcome) if game.outcome else "",
        "has_moves": bool(game.ply_count),
    }
