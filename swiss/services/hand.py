"""The hand session of a draft: who changed what and why, how the round stands to the rules, and the way back.

The session begins with the first exchange and ends when the round is published. What it did is kept with the round
(`Round.explanation["hand"]`): every exchange with its reason, the engine's own boards, and the rules that are bent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone

from swiss.engine.plan import Bye
from swiss.engine.plan import Pairing as Board
from swiss.hand_words import plan_of_rows
from swiss.models import Pairing, Round
from swiss.questions import question_of
from swiss.selectors import board_numbers
from tourney.kernel.errors import TourneyError
from tourney.models import Stage
from tourney.selectors import stage_entries
from tourney.services.by_the_book import ask, note
from tourney.services.log import log
from tourney.services.stages import lock_stage

HAND = "hand"


def note_exchange(round_: Round, stage: Stage, *, first: int, second: int, reason: str, actor: Any) -> None:
    """Write an exchange down; the first one begins the session."""
    session = dict(round_.explanation.get(HAND) or {})
    now = timezone.now().isoformat()
    if not session.get("begun") or session.get("ended"):
        session |= {"begun": now, "ended": "", "exchanges": session.get("exchanges", [])}
        log(
            stage.section.tournament,
            "swiss.hand_begun",
            actor=actor,
            reason=reason,
            section=stage.section.code,
            round=round_.number,
        )
    who = actor.get_username() if getattr(actor, "is_authenticated", False) else ""
    exchange = {"at": now, "by": who, "first": first, "second": second, "reason": reason}
    session["exchanges"] = [*session["exchanges"], exchange]
    _keep(round_, session)


def end_session(round_: Round, stage: Stage, rows: Sequence[Pairing], *, actor: Any, knowing: int = 0) -> None:
    """End the session of a draft that is published now: bent rules and the engine's boards stay with the round.

    By the book a round that is not the engine's asks twice (`AskFirst`) before anything is written.
    """
    session = dict(round_.explanation.get(HAND) or {})
    if not session.get("begun") or session.get("ended"):
        return
    verdict = question_of(round_, stage).judge(plan_of_rows(round_.number, rows))
    own = verdict.by_engine
    reasons = "; ".join(dict.fromkeys(exchange["reason"] for exchange in session["exchanges"]))
    bends = bool(verdict.bent) and ask(stage, "hand_round", knowing=knowing, round=round_.number)
    session |= {
        "ended": timezone.now().isoformat(),
        "bent": [[one.rule, [int(entry) for entry in one.entries], one.detail] for one in verdict.bent],
        "by_engine": None
        if own is None
        else {
            "boards": [[game.board, int(game.white), int(game.black)] for game in own.pairings],
            "bye": None if own.pairing_bye is None else int(own.pairing_bye),
        },
    }
    _keep(round_, session)
    rules = sorted({one.rule for one in verdict.bent})
    log(
        stage.section.tournament,
        "swiss.hand_ended",
        actor=actor,
        reason=reasons,
        section=stage.section.code,
        round=round_.number,
        exchanges=len(session["exchanges"]),
        rules=", ".join(rules) or "–",
    )
    if bends:
        numbers = dict(stage_entries(stage).values_list("pk", "start_number"))
        note(
            stage,
            "hand_round",
            round_number=round_.number,
            actor=actor,
            reason=reasons,
            before=[] if own is None else _tokens([(one.white, one.black) for one in own.pairings], numbers),
            after=_tokens([(row.white_id, row.black_id) for row in rows if row.black_id], numbers),
            round=round_.number,
        )


def _tokens(boards: Sequence[tuple[int, int | None]], numbers: dict[int, int | None]) -> list[str]:
    return [f"{numbers.get(white)}-{numbers.get(black or 0)}" for white, black in boards]


@transaction.atomic
def restore_engine(round_id: int, *, actor: Any) -> Round:
    """Throw the changes by hand away: the draft is the engine's own round again.

    Refusals: ``round.not_draft``, ``hand.nothing_changed``, and the engine's when the rules allow no round.
    """
    round_ = Round.objects.get(pk=round_id)
    stage = lock_stage(round_.stage_id, event_first=True)
    round_ = Round.objects.get(pk=round_id)
    if round_.state != Round.State.DRAFT:
        raise TourneyError("round.not_draft", round=round_.number)
    rows = list(round_.pairings.all())
    if not any(row.by_hand for row in rows):
        raise TourneyError("hand.nothing_changed", round=round_.number)
    plan = question_of(round_, stage).plan
    # Who had left before isn't in the draft either.
    here = {row.white_id for row in rows} | {row.black_id for row in rows}
    byes = [bye for bye in plan.byes if int(bye.entry) in here]
    round_.pairings.all().delete()
    lay_out(round_, stage, plan.pairings, byes)
    round_.explanation = {key: value for key, value in round_.explanation.items() if key != HAND}
    round_.save(update_fields=["explanation"])
    log(
        stage.section.tournament,
        "swiss.hand_undone",
        actor=actor,
        section=stage.section.code,
        round=round_.number,
    )
    return round_


def lay_out(round_: Round, stage: Stage, boards: Sequence[Board], byes: Sequence[Bye]) -> None:
    """Write the rows of a round as the engine gave them, at the boards of the group's part of the hall."""
    Pairing.objects.bulk_create(
        [
            *(
                Pairing(round=round_, board=board, white_id=one.white, black_id=one.black)
                for one, board in zip(boards, board_numbers(stage, boards), strict=True)
            ),
            *(Pairing(round=round_, white_id=bye.entry, bye=bye.kind.value) for bye in byes),
        ]
    )


def _keep(round_: Round, session: dict[str, Any]) -> None:
    round_.explanation = {**round_.explanation, HAND: session}
    round_.save(update_fields=["explanation"])
