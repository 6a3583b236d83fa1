"""The rounds of an event as the arbiter's report tells them: hours, stops, forfeits, early draws, bent rules."""

from __future__ import annotations

from typing import Any

from django.db.models import F, Q
from django.http import HttpRequest

from swiss.boards import draw_limit
from swiss.book_words import TITLES
from swiss.models import Pairing, Pause, Round
from swiss.selectors import PUBLIC_STATES, ROUND_KINDS
from tourney import panels
from tourney.kernel.outcomes import ResultCode
from tourney.log_words import log_entries
from tourney.models import ActionLog, BentRule, Stage, Tournament
from tourney.permissions import may
from tourney.services.by_the_book import has_left, is_strict

FORFEITS = (ResultCode.WHITE_FORFEIT_WIN, ResultCode.BLACK_FORFEIT_WIN, ResultCode.DOUBLE_FORFEIT)


def arbiter_panel(request: HttpRequest, tournament: Tournament) -> panels.Panel | None:
    """What a chief arbiter reports of the rounds; for the staff of the hall. Seven queries, however many rounds."""
    if not may(request, tournament, "enter_results"):
        return None
    stages = list(
        Stage.objects.filter(section__tournament=tournament, kind__in=ROUND_KINDS)
        .exclude(state=Stage.State.PLANNED)
        .select_related("section")
        .order_by("section__ordinal", "ordinal")
    )
    if not stages:
        return None
    for stage in stages:
        stage.section.tournament = tournament
    titles = {stage.pk: stage.section.title_text for stage in stages}
    rounds = list(Round.objects.filter(stage__in=stages, state__in=PUBLIC_STATES).order_by("stage", "number"))
    return panels.Panel(
        "swiss/_arbiter_panel.html",
        {
            "tournament": tournament,
            "groups": [
                {
                    "title": titles[stage.pk] if len(stages) > 1 else "",
                    "rounds": [one for one in rounds if one.stage_id == stage.pk],
                    "strict": is_strict(stage),
                    "left": stage.section.left_book_round if has_left(stage) else None,
                }
                for stage in stages
            ],
            "pauses": _pauses(stages),
            "forfeits": _games(stages, titles, Q(game__outcome__in=[code.value for code in FORFEITS])),
            "early": _early_draws(stages, titles),
            "bent": _bent(stages, titles),
            "verified": log_entries(
                ActionLog.objects.filter(tournament=tournament, action="swiss.verified")
                .select_related("actor")
                .order_by("pk"),
                {stage.section.code: stage.section.title_text for stage in stages},
            ),
        },
        order=20,
    )


def _pauses(stages: list[Stage]) -> list[Pause]:
    """Return the stops of play, each once: one stop holds for all groups."""
    found: dict[Any, Pause] = {}
    for pause in Pause.objects.filter(stage__in=stages).order_by("began_at", "pk"):
        found.setdefault(pause.began_at, pause)
    return list(found.values())


def _games(stages: list[Stage], titles: dict[int, str], which: Q) -> list[dict[str, Any]]:
    rows = (
        Pairing.objects.filter(which, round__stage__in=stages, round__state__in=PUBLIC_STATES)
        .select_related("round", "game", "white__player", "black__player")
        .order_by("round__stage__section__ordinal", "round__number", "board")
    )
    return [{"pairing": row, "title": titles[row.round.stage_id] if len(titles) > 1 else ""} for row in rows]


def _early_draws(stages: list[Stage], titles: dict[int, str]) -> list[dict[str, Any]]:
    """Return draws up to the move before which none may be offered (M7.6), by the arbiter's number or the record."""
    limits = {stage.pk: draw_limit(stage) for stage in stages}
    with_rule = [stage for stage in stages if limits[stage.pk]]
    if not with_rule:
        return []
    drawn = Q(game__outcome=ResultCode.DRAW.value) & (Q(moves__isnull=False) | Q(game__ply_count__isnull=False))
    rows = (
        Pairing.objects.annotate(moves=F("game__results__moves"), superseded=F("game__results__successor"))
        .filter(drawn, superseded__isnull=True, round__stage__in=with_rule, round__state__in=PUBLIC_STATES)
        .select_related("round", "game", "white__player", "black__player")
        .order_by("round__stage__section__ordinal", "round__number", "board")
    )
    found = []
    for row in rows:
        plies = row.game.ply_count if row.game else None
        moves = row.moves if row.moves is not None else ((plies or 0) + 1) // 2  # type: ignore[attr-defined]
        limit = limits[row.round.stage_id]
        if moves <= limit:
            title = titles[row.round.stage_id] if len(titles) > 1 else ""
            found.append({"pairing": row, "moves": moves, "limit": limit, "title": title})
    return found


def _bent(stages: list[Stage], titles: dict[int, str]) -> list[dict[str, Any]]:
    rows = BentRule.objects.filter(stage__in=stages).select_related("by").order_by("stage__section__ordinal", "pk")
    return [
        {
            "bent": row,
            "act": TITLES.get(row.act, row.act),
            "title": titles[row.stage_id] if len(titles) > 1 else "",
            "before": " ".join(map(str, row.before)),
            "after": " ".join(map(str, row.after)),
        }
        for row in rows
    ]
