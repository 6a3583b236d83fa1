"""What the result entry of the desk and of a tablet share: the rows, what they send, and what comes back.

A row shows a board with its buttons. What it sends is a `Claim`: the same fields from a plain form and from the script
that keeps entries while there is no network (`static/swiss/entry`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import get_language, pgettext
from django.utils.translation import gettext as _

from swiss import boards as board_values
from swiss.forms import MovesForm
from swiss.models import Pairing, Round
from swiss.services import Claim, open_conflicts
from tourney.entries import clock_of, uuid_of, whole
from tourney.formatting import result_text
from tourney.kernel.by_the_book import AskFirst
from tourney.kernel.errors import TourneyError
from tourney.labels import sentence
from tourney.models import DeviceLink, ResultConflict, ResultOperation, Stage, Tournament

SHOWS = ("conflict", "missing", "changed", "all")
SIMPLE = ("1-0", "1/2", "0-1")
_MOST_REPLACED = 50

Answer = dict[str, Any]


# -- rows ------------------------------------------------------------------------------------------------------------


def rows_of(
    round_: Round,
    stage: Stage,
    *,
    link: DeviceLink | None = None,
    only: Pairing | None = None,
    answers: Mapping[int, Answer] | None = None,
) -> list[dict[str, Any]]:
    """Return the rows of a round's boards, those in conflict first (`only`: as in `pairings_of`; `answers` by pairing).

    A tablet (`link`) gets the boards within its reach, with ids that stay apart when it has several groups. One for
    players stands open in the hall: it names nobody who did not let the name be published.
    """
    for_players = link is not None and link.role == DeviceLink.Role.PLAYERS
    disputed = open_conflicts([stage], game_id=only.game_id if only is not None else None)
    conflicts = {conflict.game_id: conflict for conflict in disputed}
    rows = []
    for board in board_values.boards_of(round_, stage, staff=True, hide=for_players, only=only):
        if board.black is None or (link is not None and not link.covers(stage.section_id, board.number)):
            continue
        conflict = conflicts.get(board.game_id or 0)
        rows.append(
            {
                "board": board,
                "id": board.id if link is None else f"{stage.section.code}-{board.id}",
                "round": round_,
                "operation": uuid4(),
                "asks_moves": board_values.asks_moves(stage, board) and conflict is None,
                "open_drawer": bool(board.result) and board.result not in SIMPLE,
                "conflict": _conflict(conflict, stage) if conflict else None,
                "changed": board.state == "corrected",
                "players": for_players,
                "link": link,
                **((answers or {}).get(board.pairing.pk) or {}),
            }
        )
    return sorted(rows, key=lambda row: row["conflict"] is None)


def _conflict(conflict: ResultConflict, stage: Stage) -> dict[str, Any]:
    """Return a conflict as its row shows it: who said what, when they did and when it came."""
    zone = stage.section.tournament.zone
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
                "arrived": f"{operation.arrived_at.astimezone(zone):%H:%M}" if _waited(operation) else "",
            }
        )
    outcomes = dict.fromkeys(claim["outcome"] for claim in claims if claim["outcome"])
    return {"pk": conflict.pk, "claims": claims, "outcomes": list(outcomes), "hidden": conflict.hidden}


def who_sent(operation: ResultOperation) -> str:
    """Return whose entry it was: a tablet's name or a sign-in name."""
    if operation.link is not None:
        return operation.link.label
    return operation.by.get_username() if operation.by else ""


def _waited(operation: ResultOperation) -> bool:
    return operation.entered_at is not None and operation.arrived_at - operation.entered_at > timedelta(minutes=1)


def stamp(stages: Iterable[Stage], closed: str) -> str:
    """Return the ETag of a list of boards: it changes with every result, conflict and round, and with the language."""
    versions = "-".join(f"{stage.pk}.{stage.version}" for stage in stages)
    return f'W/"{versions}-{get_language()}-{int(bool(closed))}"'


def counts_of(rows: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Return how many rows each filter shows."""
    listed = list(rows)
    return {
        "conflict": sum(1 for row in listed if row["conflict"]),
        "missing": sum(1 for row in listed if row["board"].open),
        "changed": sum(1 for row in listed if row["changed"]),
        "all": len(listed),
    }


def chosen_filter(request: HttpRequest, counts: Mapping[str, int]) -> str:
    """Return the filter asked for, else what wants somebody first."""
    show = request.GET.get("show", "")
    return show if show in SHOWS else "missing" if counts["missing"] else "all"


def hide(rows: Iterable[dict[str, Any]], show: str) -> None:
    """Mark the rows a filter leaves out; a row with an answer, or in conflict, is never hidden."""
    for row in rows:
        shown = (
            show == "all"
            or row["conflict"]
            or "refusal" in row
            or "question" in row
            or (show == "missing" and row["board"].open)
            or (show == "changed" and row["changed"])
        )
        row["hidden"] = not shown


def filters(counts: Mapping[str, int], show: str) -> list[dict[str, Any]]:
    """Return the filters with their counts."""
    labels = {
        "conflict": pgettext("results", "Conflict"),
        "missing": pgettext("results", "Missing"),
        "changed": pgettext("results", "Changed"),
        "all": pgettext("results", "All"),
    }
    tones = {"conflict": "bad", "missing": "need"}
    return [
        {
            "key": key,
            "label": labels[key],
            "count": counts[key],
            "active": key == show,
            "tone": tones.get(key, "") if counts[key] else "",
        }
        for key in SHOWS
    ]


# -- what a row sends ------------------------------------------------------------------------------------------------


def read_claim(request: HttpRequest) -> Claim:
    """Return what a row sent. An absurd number of moves is refused (``entry.moves``)."""
    sent = request.POST
    moves_form = MovesForm(sent)
    if not moves_form.is_valid():
        raise TourneyError("entry.moves")
    now = timezone.now()
    entered_at, skew = clock_of(sent.get("entered"), sent.get("sent"), now)
    return Claim(
        operation=uuid_of(sent.get("operation")) or uuid4(),
        game_id=whole(sent.get("game")) or 0,
        outcome=sent.get("outcome", ""),
        base_version=whole(sent.get("version")),
        reason=sent.get("reason", "")[:500],
        moves=moves_form.cleaned_data["moves"],
        replaces=tuple(
            number for text in sent.get("replaces", "").split()[:_MOST_REPLACED] if (number := uuid_of(text))
        ),
        round_number=whole(sent.get("round")),
        board=whole(sent.get("board")),
        white=whole(sent.get("white")),
        black=whole(sent.get("black")),
        entered_at=entered_at,
        skew_seconds=skew,
        both_confirmed=bool(sent.get("white_agrees")) and bool(sent.get("black_agrees")),
        queued="entered" in sent,
        knowing=1 if sent.get("knowing") == "1" else 0,
    )


def read_verified(request: HttpRequest) -> tuple[UUID, set[int], set[int]]:
    """Return what a second person sent after typing a round again: operation, games typed, games that differed."""
    operation = uuid_of(request.POST.get("operation")) or uuid4()
    typed, differed = (
        {number for text in request.POST.get(name, "")[:20000].split() if (number := whole(text)) is not None}
        for name in ("games", "differed")
    )
    return operation, typed, differed & typed


# -- what comes back -------------------------------------------------------------------------------------------------


def answer_of(operation: ResultOperation) -> Answer:
    """Return what the row says after an entry was taken: `state`, and words where it was not simply entered."""
    state = operation.state
    if state in (ResultOperation.State.APPLIED, ResultOperation.State.SAME):
        return {"state": state, "saved": True}
    if state == ResultOperation.State.CONFLICT:
        return {"state": state}  # the row itself shows who says what
    if state == ResultOperation.State.REPLACED:
        return {"state": state, "refusal": _("A later entry of this tablet counts.")}
    return {"state": state, "refusal": _held_words(operation)}


def _held_words(operation: ResultOperation) -> str:
    refused = TourneyError(str(operation.answer.get("code", "")), **dict(operation.answer.get("values", {})))
    words = sentence(refused)
    kept = _("It is kept for the arbiter.")
    return words if kept in words else f"{words} {kept}"


def held_rows(operations: Iterable[ResultOperation], tournament: Tournament) -> list[dict[str, Any]]:
    """Return the entries kept for the arbiter: what was said, by whom, when, and why it was not taken."""
    rows = []
    for operation in operations:
        game = operation.game
        rows.append(
            {
                "operation": operation,
                "who": who_sent(operation),
                "at": (operation.entered_at or operation.arrived_at).astimezone(tournament.zone),
                "round": operation.claim.get("round"),
                "board": operation.claim.get("board") or (game.board if game else None),
                "white": game.white.player.name if game else "",
                "black": game.black.player.name if game else "",
                "why": sentence(
                    TourneyError(str(operation.answer.get("code", "")), **dict(operation.answer.get("values", {})))
                ),
                "may_enter": game is not None,
            }
        )
    return rows


def refusal_of(refused: TourneyError, claim: Claim | None) -> Answer:
    """Return what a refused row shows: the question why, or the refusal in words."""
    values = dict(refused.values)
    if "result" in values:
        values["result"] = result_text(str(values["result"])) or _("no result")
    words = sentence(TourneyError(refused.code, **values))
    if refused.code == "result.correction_needs_reason" and claim is not None:
        return {"state": "question", "question": words, "wanted": claim.outcome, "reason": claim.reason}
    if isinstance(refused, AskFirst) and claim is not None:
        asked = _("%(question)s Still change the result?") % {"question": words}
        return {"state": "question", "question": asked, "wanted": claim.outcome, "reason": claim.reason, "knowing": 1}
    return {"state": "refused", "refusal": words}
