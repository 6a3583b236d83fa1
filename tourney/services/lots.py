"""Draws of lots in the database: committed first, revealed later, chained by hash (`tourney.kernel.chance`)."""

from __future__ import annotations

import secrets
from typing import Any

from django.db import transaction
from django.utils import timezone

from tourney.kernel import chance
from tourney.kernel.errors import TourneyError
from tourney.models import Lot, LotResult, Tournament


@transaction.atomic
def commit_lot(
    tournament: Tournament,
    *,
    purpose: str,
    subject: str = "",
    kind: str,
    entrants: list[str] | None = None,
    pots: list[list[str]] | None = None,
    k: int = 1,
    entropy: Any = "numbers",
    method: str = "",
    actor: Any = None,
) -> Lot:
    """Fix the list and a secret, publish the commitment; return the lot. The event row is the lock of the chain.

    `entropy` says how the public numbers are collected: a word, or for a draw at a set moment plain data about it.
    `method` says what is done with the result, where there are several ways; it is bound with the list.

    Raises TourneyError ``draw.no_entrants``, ``draw.entrant_twice``, ``draw.too_many_winners``.
    """
    Tournament.objects.select_for_update(no_key=True).get(pk=tournament.pk)
    last = Lot.objects.filter(tournament=tournament).order_by("-number").select_related("outcome").first()
    number = last.number + 1 if last else 1
    previous = _transcript_hash(last) if last else ""
    manifest: dict[str, Any] = {
        "v": chance.PROTOCOL,
        "event": tournament.slug,
        "no": number,
        "prev": previous,
        "purpose": f"{purpose}:{subject}" if subject else purpose,
        "kind": kind,
        "entropy": entropy,
    }
    if kind == "pots":
        manifest["pots"] = pots or []
    else:
        manifest["entrants"] = entrants or []
    if kind == "pick":
        manifest["k"] = k
    if method:
        manifest["method"] = method
    secret = secrets.token_hex(32)
    chance.draw(manifest, secret, {})  # refuses an impossible list before anything is published
    return Lot.objects.create(
        tournament=tournament,
        number=number,
        previous_hash=previous,
        purpose=purpose,
        subject=subject,
        manifest=manifest,
        commitment=chance.commitment(secret, manifest),
        secret=secret,
        committed_by=actor if getattr(actor, "is_authenticated", False) else None,
        committed_at=timezone.now(),
    )


@transaction.atomic
def reveal_lot(lot: Lot, *, entropy: Any, actor: Any = None) -> LotResult:
    """Decide a committed lot with the public numbers; once only (TourneyError ``draw.already_decided``)."""
    locked = Lot.objects.select_for_update().get(pk=lot.pk)
    if LotResult.objects.filter(lot=locked).exists():
        raise TourneyError("draw.already_decided", number=locked.number)
    transcript = chance.Transcript.of(locked.manifest, locked.secret, entropy)
    return LotResult.objects.create(
        lot=locked,
        entropy=entropy,
        result=transcript.result,
        transcript_hash=chance.sha256_hex(chance.canonical(transcript.as_json())),
        by=actor if getattr(actor, "is_authenticated", False) else None,
        at=timezone.now(),
    )


def draw_now(tournament: Tournament, *, entropy: Any = None, actor: Any = None, **commit: Any) -> LotResult:
    """Commit and decide in one go: for small lots (a colour) where the wait of a public number would be silly.

    The transcript still proves that the result follows from secret and list; it can't prove that the program did not
    try several secrets, which is why prize draws and the initial draw are committed beforehand.
    """
    lot = commit_lot(tournament, actor=actor, entropy="none", **commit)
    return reveal_lot(lot, entropy=entropy if entropy is not None else {}, actor=actor)


@transaction.atomic
def void_lot(lot: Lot, *, reason: str, actor: Any = None) -> LotResult:
    """Drop a committed draw in the open: it keeps its number in the chain, with the reason."""
    if not reason.strip():
        raise TourneyError("draw.void_needs_reason")
    locked = Lot.objects.select_for_update().get(pk=lot.pk)
    if LotResult.objects.filter(lot=locked).exists():
        raise TourneyError("draw.already_decided", number=locked.number)
    return LotResult.objects.create(
        lot=locked,
        entropy={},
        result=None,
        transcript_hash=chance.sha256_hex(chance.canonical({"manifest": locked.manifest, "void": reason})),
        void_reason=reason,
        by=actor if getattr(actor, "is_authenticated", False) else None,
        at=timezone.now(),
    )


def _transcript_hash(lot: Lot) -> str:
    outcome = getattr(lot, "outcome", None)
    return outcome.transcript_hash if outcome else chance.manifest_hash(lot.manifest)
