"""What a tablet shows of the matches at its boards: who plays, what was played, what is asked now and what may come."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any
from uuid import uuid4

from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from brackets.cards import Card, Cards
from brackets.engine.ahead import Ahead, ahead
from brackets.engine.resolve import BYE
from brackets.selectors import Table, load_table
from brackets.services import entered_by, open_conflicts, own_last
from brackets.services.projecting import awaits_json
from tourney.kernel.errors import TourneyError
from tourney.kernel.ids import MatchKey
from tourney.labels import sentence
from tourney.models import DeviceLink, ResultConflict, ResultOperation, Stage

# So many entries a tablet may be ahead of the network: more than a match of two games and an Armageddon needs.
DEPTH = 4
SHOWN_AFTER_END = timedelta(minutes=15)

Answer = dict[str, Any]


def stages_of(link: DeviceLink) -> list[Stage]:
    """Return the knockouts a tablet may see that are drawn and not closed, by group. One query."""
    found = Stage.objects.filter(
        section__tournament=link.tournament, kind=Stage.Kind.BRACKET, bracket__drawn_at__isnull=False
    ).exclude(state=Stage.State.CLOSED)
    if link.section_id is not None:
        found = found.filter(section=link.section_id)
    stages = list(found.select_related("section").order_by("section__ordinal", "ordinal"))
    for stage in stages:
        stage.section.tournament = link.tournament
    return stages


def rows_of(
    table: Table, link: DeviceLink, *, only: str = "", answers: Mapping[str, Answer] | None = None
) -> list[dict[str, Any]]:
    """Return the matches at the boards of a link, by board; those that have just ended stay for a while.

    `only` is the key of one match, `answers` what refused or taken entries say, by key. A tablet for players stands
    open in the hall: it names nobody who did not let the name be published.
    """
    for_players = link.role == DeviceLink.Role.PLAYERS
    cards = Cards(table, staff=not for_players)
    conflicts = {_key(one): one for one in open_conflicts([table.stage])}
    now = timezone.now()
    mine = entered_by(link, table.stage) if not for_players else set()
    rows = []
    for match in table.matches.values():
        just_over = match.finished_at is not None and now - match.finished_at < SHOWN_AFTER_END
        card = cards.card(match.key)
        in_conflict = match.key in conflicts
        if only and match.key != only:
            continue
        if not only and not ((card.is_live and match.board is not None) or just_over or in_conflict):
            continue
        if match.board is None and not (in_conflict or only):
            continue
        if match.board is not None and not link.covers(table.stage.section_id, match.board):
            continue
        if BYE in (card.view.a, card.view.b) or None in (card.view.a, card.view.b):
            continue
        row = _row(table, card, conflicts.get(match.key)) | {"may_undo": own_last(table, MatchKey(match.key), mine)}
        rows.append(row | (answers or {}).get(row["key"], {}))
    return sorted(rows, key=lambda row: (row["conflict"] is None, row["board"] or 0))


def _row(table: Table, card: Card, conflict: ResultConflict | None) -> dict[str, Any]:
    state = table.match_state(card.key)
    games = [{"number": game.number, "white": game.white, "result": game.result.value} for game in state.games]
    return {
        "card": card,
        "stage": table.stage,
        "board": card.match.board,
        "id": f"{table.stage.section.code}-{card.key}".replace(".", "-"),
        "key": row_key(table.stage.pk, card.key),
        "open": card.view.is_open,
        "awaits": card.awaits if card.view.is_open else {},
        "ahead": json.dumps(ahead_json(ahead(state, DEPTH)) if card.view.is_open else {}, separators=(",", ":")),
        "games": games,
        "conflict": conflict,
        "operation": uuid4(),
        "a": card.view.a,
        "b": card.view.b,
        "white": (card.b if card.awaits.get("white") == "b" else card.a).name,
        "black": (card.a if card.awaits.get("white") == "b" else card.b).name,
    }


def row_key(stage_id: int, match: str) -> str:
    """Return what tells a row from all others of a tablet: two groups have matches of the same name."""
    return f"{stage_id}:{match}"


def ahead_json(tree: Ahead) -> dict[str, Any]:
    """Return the questions that may come as plain data: what is awaited, and by answer what follows."""
    found = dict(awaits_json(tree.awaiting))
    if tree.then:
        found["then"] = {answer: ahead_json(one) for answer, one in tree.then.items()}
    return found


def _key(conflict: ResultConflict) -> str:
    """Return the match of a conflict: a game out of force stands under a key of its own (``U1.1~1``)."""
    return str(conflict.game.match_key.split("~")[0])


def conflict_values(conflict: ResultConflict) -> dict[str, Any]:
    """Return a conflict as the arbiter's pages show it: which match and game, who said what and when."""
    zone = conflict.game.stage.section.tournament.zone
    claims = []
    standing = conflict.standing
    if standing is not None:
        who = standing.device or (standing.entered_by.get_username() if standing.entered_by else "")
        claims.append({"outcome": standing.outcome, "who": who, "at": f"{standing.at.astimezone(zone):%H:%M}"})
    for operation in conflict.operations.all():
        claims.append(
            {
                "outcome": operation.outcome,
                "who": who_sent(operation),
                "at": f"{(operation.entered_at or operation.arrived_at).astimezone(zone):%H:%M}",
            }
        )
    return {
        "conflict": conflict,
        "match": _key(conflict),
        "number": conflict.game.game_number,
        "white": conflict.game.white.player.name,
        "black": conflict.game.black.player.name,
        "claims": claims,
        "outcomes": list(dict.fromkeys(one["outcome"] for one in claims if one["outcome"])),
    }


def held_values(operation: ResultOperation) -> dict[str, Any]:
    """Return an entry that was kept: what it said, who sent it, why it was not taken."""
    claim = operation.claim
    zone = operation.tournament.zone
    return {
        "operation": operation,
        "match": claim.get("match", ""),
        "number": claim.get("number") or "",
        "answer": claim.get("answer", ""),
        "act": claim.get("act", ""),
        "who": who_sent(operation),
        "at": f"{(operation.entered_at or operation.arrived_at).astimezone(zone):%H:%M}",
        "why": held_words(operation),
    }


def held_words(operation: ResultOperation) -> str:
    """Say why an entry was not taken, and that it is kept."""
    words = sentence(TourneyError(str(operation.answer.get("code", "")), **dict(operation.answer.get("values", {}))))
    kept = _("It is kept for the arbiter.")
    return words if kept in words or _("The entry is kept for the arbiter.") in words else f"{words} {kept}"


def who_sent(operation: ResultOperation) -> str:
    """Return whose entry it was: a tablet's name or a sign-in name."""
    if operation.link is not None:
        return operation.link.label
    return operation.by.get_username() if operation.by else ""


def stamp(stages: Iterable[Stage], closed: str) -> str:
    """Return the ETag of the list: it changes with every entry, call and conflict, and with the language."""
    versions = "-".join(f"{stage.pk}.{stage.version}" for stage in stages)
    return f'W/"m{versions}-{get_language()}-{int(bool(closed))}"'


def tables_of(stages: Sequence[Stage]) -> list[Table]:
    """Return the drawn brackets of some stages."""
    return [table for stage in stages if (table := load_table(stage)) is not None]
