"""Sanctions and appeals. A sanction is a row; what it does to play is done by the app that owns the game.

The effect on play runs through the place ``sanctioned`` of `tourney.panels`, in the same transaction: if the bracket or
the round refuses it, no sanction is written.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from registration.conduct.deposits import book_deposit, deposit_of, keep_deposit
from registration.engine.appeals import (
    AppealDecision,
    AppealRules,
    Filing,
    filing_deadline,
    judge_filing,
    panel,
    settle,
)
from registration.engine.sanctions import EFFECTS, SanctionKind, effect_of
from registration.regulations import rules_of
from tourney import panels
from tourney.kernel.errors import TourneyError
from tourney.kernel.money import Money
from tourney.models import Appeal, CommitteeMember, Entry, Game, Sanction, Stage, Tournament
from tourney.services.entries import record_entry_event
from tourney.services.log import log
from tourney.services.stages import lock_stage

SENT_TWICE = timedelta(minutes=1)


def ended_at(tournament: Tournament) -> datetime | None:
    """Return when play ended: the last game of a finished event; None while it goes on."""
    if tournament.state != Tournament.State.FINISHED:
        return None
    last = Game.objects.filter(stage__section__tournament=tournament, finished_at__isnull=False)
    newest = last.order_by("-finished_at").values_list("finished_at", flat=True).first()
    return newest or datetime.combine(tournament.ends_on, tournament.start_time, tournament.zone)


@transaction.atomic
def impose_sanction(
    entry: Entry, *, kind: str, reason: str, actor: Any, game: Game | None = None, now: datetime | None = None
) -> Sanction:
    """Write a sanction and carry it out (K10.3, M7.6, M7.9); return it.

    In a knockout a loss without a game is that of the match being played. The same sanction sent twice within a minute
    is one. The stage is locked first, as by every act on play. Refusals: ``sanction.reason_needed``,
    ``sanction.not_in_regulation``, ``sanction.needs_game``, ``sanction.too_late``, ``sanction.foreign_game``,
    ``sanction.left_already`` and those of the game's own app.
    """
    moment = now or timezone.now()
    stage = game.stage if game is not None else _stage_of(entry)
    if stage is not None:
        lock_stage(stage.pk, event_first=True)
    else:
        Tournament.objects.select_for_update(no_key=True).get(pk=entry.tournament_id)
    tournament = Tournament.objects.get(pk=entry.tournament_id)
    if not reason.strip():
        raise TourneyError("sanction.reason_needed")
    if game is not None and entry.pk not in (game.white_id, game.black_id):
        raise TourneyError("sanction.foreign_game")
    twin = Sanction.objects.filter(
        entry=entry, kind=kind, reason=reason, game=game, revokes=None, at__gte=moment - SENT_TWICE
    ).first()
    if twin is not None:
        return twin
    entry.refresh_from_db(fields=["state"])
    if kind == Sanction.Kind.REMOVAL and entry.state == Entry.State.DISQUALIFIED:
        raise TourneyError("sanction.left_already", name=entry.name)
    rules = rules_of(tournament).sanctions
    over = ended_at(tournament)
    in_knockout = stage is not None and stage.kind == Stage.Kind.BRACKET
    effect_of(rules, SanctionKind(kind), decided_at=moment, ended_at=over, has_game=game is not None or in_knockout)
    after_end = over is not None and moment > over
    sanction = Sanction.objects.create(
        entry=entry,
        kind=kind,
        clause=rules.after_end.clause if after_end and rules.after_end else rules.clause,
        reason=reason,
        game=game,
        stage=stage,
        round_number=game.round_number if game else None,
        by=actor if getattr(actor, "is_authenticated", False) else None,
        at=moment,
    )
    for carry_out in panels.providers("sanctioned"):
        carry_out(sanction, actor)
    entry.refresh_from_db(fields=["state", "left_after_round"])
    if EFFECTS[SanctionKind(kind)].leaves_event and entry.state != Entry.State.DISQUALIFIED:
        record_entry_event(entry, "disqualified", state=Entry.State.DISQUALIFIED, by=actor, reason=reason)
    log(
        tournament,
        "conduct.sanction",
        actor=actor,
        reason=reason,
        entry=entry.pk,
        name=entry.player.name,
        kind=kind,
    )
    return sanction


def _stage_of(entry: Entry) -> Stage | None:
    host = entry.section.merged_into_id or entry.section_id
    begun = Stage.objects.filter(section=host).exclude(state=Stage.State.PLANNED).exclude(kind=Stage.Kind.PLAYOFF)
    return begun.order_by("-ordinal").first()


def illegal_moves(sanction: Sanction) -> int:
    """Return how many illegal moves are noted of a player in the game of a note; 0 for one that names no game."""
    if sanction.game_id is None:
        return 0
    return Sanction.objects.filter(
        entry=sanction.entry_id,
        kind=Sanction.Kind.ILLEGAL_MOVE,
        game=sanction.game_id,
        revokes=None,
        revoked_by=None,
    ).count()


@transaction.atomic
def revoke_warning(sanction: Sanction, *, reason: str, actor: Any) -> Sanction:
    """Take a warning or a note back. What changed a game or the field is put right where it was done, not here.

    Refusals: ``sanction.reason_needed``, ``sanction.only_warnings``, ``sanction.revoked_already``.
    """
    if not reason.strip():
        raise TourneyError("sanction.reason_needed")
    if not sanction.changes_nothing:
        raise TourneyError("sanction.only_warnings")
    if sanction.revokes_id or Sanction.objects.filter(revokes=sanction).exists():
        raise TourneyError("sanction.revoked_already")
    taken_back = Sanction.objects.create(
        entry=sanction.entry,
        kind=sanction.kind,
        clause=sanction.clause,
        reason=reason,
        stage=sanction.stage,
        revokes=sanction,
        by=actor if getattr(actor, "is_authenticated", False) else None,
        at=timezone.now(),
    )
    log(
        sanction.entry.tournament,
        "conduct.sanction_revoked",
        actor=actor,
        reason=reason,
        entry=sanction.entry_id,
        name=sanction.entry.player.name,
    )
    return taken_back


@transaction.atomic
def revoke_sanction(sanction: Sanction, *, reason: str, actor: Any) -> Sanction:
    """Take a warning back, or a removal whose game's app can undo what it did; return the row that says so.

    Refusals: those of `revoke_warning` and of the app (matches were played since, the places are published).
    """
    if sanction.changes_nothing:
        return revoke_warning(sanction, reason=reason, actor=actor)
    if not reason.strip():
        raise TourneyError("sanction.reason_needed")
    if sanction.stage_id is not None:
        lock_stage(sanction.stage_id, event_first=True)
    if sanction.revokes_id or Sanction.objects.filter(revokes=sanction).exists():
        raise TourneyError("sanction.revoked_already")
    if not any(take_back(sanction, actor, reason) for take_back in panels.providers("sanction_revoked")):
        raise TourneyError("sanction.only_warnings")
    log(
        sanction.entry.tournament,
        "conduct.sanction_revoked",
        actor=actor,
        reason=reason,
        entry=sanction.entry_id,
        name=sanction.entry.player.name,
    )
    return Sanction.objects.get(revokes=sanction)


# -- appeals -----------------------------------------------------------------------------------------------------------


def games_of_place(entry: Entry, place: str) -> tuple[Stage, Q] | None:
    """Return the stage and the games meant by a round ("3"), a match ("L2.3") or a game of it ("L2.3/2"); else None."""
    host = entry.section.merged_into_id or entry.section_id
    named = place.strip()
    if named.isascii() and named.isdecimal() and len(named) < 4:
        games = Q(round_number=int(named))
    else:
        key, number = match_of_place(named)
        games = Q(match_key__iexact=key) & (Q(white=entry) | Q(black=entry))
        if number is not None:
            games &= Q(game_number=number)
    found = Game.objects.filter(games, stage__section=host).exclude(match_key="", round_number=None)
    newest = found.select_related("stage").order_by("-stage__ordinal").first()
    return (newest.stage, games) if newest is not None else None


def match_of_place(place: str) -> tuple[str, int | None]:
    """Return the match and the game a place names ("L2.3/2" -> "L2.3", 2); ("", None) for a round."""
    key, _slash, number = place.strip().partition("/")
    if key.isdecimal():
        return "", None
    if not number:
        return key.strip().upper(), None
    return key.strip().upper(), int(number) if number.isascii() and number.isdecimal() and len(number) < 4 else 0


def round_ended_at(rules: AppealRules, entry: Entry, stage: Stage, games: Q) -> datetime:
    """Return the moment the time for an appeal runs from: the group's last game of the round, or the player's own.

    TourneyError ``appeal.round_not_over`` while it isn't known.
    """
    found = Game.objects.filter(games, stage=stage)
    if rules.round_end.value == "own_game":
        found = found.filter(Q(white=entry) | Q(black=entry))
    ends = list(found.values_list("finished_at", flat=True))
    if not ends or any(end is None for end in ends):
        raise TourneyError("appeal.round_not_over")
    return max(end for end in ends if end is not None)


@transaction.atomic
def file_appeal(
    entry: Entry,
    *,
    place: str,
    subject: str,
    text: str,
    by: str,
    filed_by: str,
    deposit_paid: bool,
    actor: Any,
    filed_at: datetime | None = None,
) -> Appeal:
    """Take an appeal in, with its deposit in the ledger (M7.7); return it.

    `place` is a round, the name of a match, or of a game in it ("L2.3/2"); `filed_at` the moment the paper was handed
    in, now unless told. The same appeal sent twice is one. Refusals: ``appeal.refused.<reason>`` (no_committee,
    pairing_not_appealable, subject, not_entitled, not_written, late, deposit), ``appeal.no_such_round``,
    ``appeal.round_not_over``,
    ``appeal.in_the_future``.
    """
    now = timezone.now()
    moment = filed_at or now
    tournament = Tournament.objects.select_for_update().get(pk=entry.tournament_id)
    rules = rules_of(tournament).appeals
    if not rules.committee:
        raise TourneyError("appeal.refused.no_committee")
    if moment > now:
        raise TourneyError("appeal.in_the_future")
    if subject in rules.never_about:  # said before anything else: no round makes it acceptable
        reason = "pairing_not_appealable" if "pairing" in subject else "subject"
        raise TourneyError(f"appeal.refused.{reason}")
    meant = games_of_place(entry, place)
    if meant is None:
        raise TourneyError("appeal.no_such_round", place=place[:20])
    stage, games = meant
    ended = round_ended_at(rules, entry, stage, games)
    verdict = judge_filing(
        rules,
        Filing(
            subject=subject,
            by=by,
            written=bool(text.strip()),
            filed_at=moment,
            round_ended_at=ended,
            deposit=rules.deposit if deposit_paid else Money(0, tournament.currency),
        ),
    )
    if not verdict.accepted:
        raise TourneyError(f"appeal.refused.{verdict.reason}")
    number = int(place) if place.strip().isdecimal() else None
    named, game_number = match_of_place(place)
    found = Game.objects.filter(games, stage=stage).exclude(match_key="").first() if named else None
    match_key = found.match_key.partition("~")[0] if found is not None else ""
    about = {"round_number": number, "match_key": match_key, "game_number": game_number if match_key else None}
    twin = Appeal.objects.filter(
        **about, entry=entry, stage=stage, subject=subject, text=text, state=Appeal.State.FILED
    ).first()
    if twin is not None:
        return twin
    appeal = Appeal.objects.create(
        entry=entry,
        stage=stage,
        **about,
        subject=subject,
        text=text,
        filed_by=filed_by,
        filed_at=moment,
        deadline=filing_deadline(rules, ended),
    )
    if verdict.deposit_taken:
        book_deposit(appeal, verdict.deposit_taken, rules.clause, actor, moment)
    log(
        tournament,
        "conduct.appeal_filed",
        actor=actor,
        entry=entry.pk,
        name=entry.player.name,
        round=place.strip(),
    )
    return appeal


def panel_for(appeal: Appeal) -> list[CommitteeMember]:
    """Return who judges an appeal: nobody his own case; reserves take their chairs (``appeal.panel_too_small``)."""
    tournament = appeal.entry.tournament
    members = list(tournament.committee.prefetch_related("related_entries"))
    by_key = {str(member.pk): member for member in members}
    involved = {appeal.entry_id}
    if appeal.stage_id and (appeal.round_number or appeal.match_key):
        where = Q(match_key=appeal.match_key) if appeal.match_key else Q(round_number=appeal.round_number)
        game = (
            Game.objects.filter(where, stage_id=appeal.stage_id)
            .filter(Q(white_id=appeal.entry_id) | Q(black_id=appeal.entry_id))
            .first()
        )
        if game is not None:
            involved |= {game.white_id, game.black_id}
    own = frozenset(str(m.pk) for m in members if involved & {entry.pk for entry in m.related_entries.all()})
    keys = panel(
        rules_of(tournament).appeals,
        [str(member.pk) for member in members if not member.reserve],
        [str(member.pk) for member in members if member.reserve],
        own,
    )
    return [by_key[key] for key in keys]


@transaction.atomic
def decide_appeal(appeal: Appeal, *, decision: str, text: str, actor: Any) -> Appeal:
    """Write the committee's decision; the deposit goes back or is kept by it.

    Refusals: ``appeal.decided_already``, ``appeal.decision_text_needed``, ``appeal.panel_too_small``.
    """
    locked = Appeal.objects.select_for_update().select_related("entry__tournament").get(pk=appeal.pk)
    if locked.state != Appeal.State.FILED:
        raise TourneyError("appeal.decided_already")
    if not text.strip():
        raise TourneyError("appeal.decision_text_needed")
    tournament = locked.entry.tournament
    rules = rules_of(tournament).appeals
    chosen = AppealDecision(decision)
    judges = [] if chosen is AppealDecision.WITHDRAWN else panel_for(locked)
    now = timezone.now()
    locked.state, locked.decision, locked.decided_at = decision, text, now
    locked.save(update_fields=["state", "decision", "decided_at"])
    locked.panel.set(judges)
    taken = deposit_of(locked)
    if taken is not None and not hasattr(taken, "reversed_by"):
        # What was really taken goes back, whatever the regulation says by now.
        fate = settle(rules, Money(taken.minor, taken.currency), chosen)
        if fate.returned:
            book_deposit(locked, fate.returned, rules.clause, actor, now, back_of=taken)
        if fate.kept:
            keep_deposit(locked, fate.kept, rules.clause, actor, now, taken)
    log(
        tournament,
        "conduct.appeal_decided",
        actor=actor,
        entry=locked.entry_id,
        name=locked.entry.player.name,
        decision=decision,
    )
    return locked


@transaction.atomic
def add_member(tournament: Tournament, *, name: str, reserve: bool, actor: Any) -> CommitteeMember:
    """Add a member to the committee, up to the numbers of the regulation (``appeal.committee_full``)."""
    Tournament.objects.select_for_update().get(pk=tournament.pk)
    rules = rules_of(tournament).appeals
    if not rules.committee:
        raise TourneyError("appeal.refused.no_committee")
    most = rules.reserve if reserve else rules.main
    if tournament.committee.filter(reserve=reserve).count() >= most:
        raise TourneyError("appeal.committee_full", most=most)
    member = CommitteeMember.objects.create(tournament=tournament, name=name, reserve=reserve)
    log(tournament, "conduct.member_added", actor=actor, name=name)
    return member


@transaction.atomic
def remove_member(member: CommitteeMember, *, actor: Any) -> None:
    """Take a member out who has judged nothing yet (``appeal.member_has_judged``)."""
    if member.appeals.exists():
        raise TourneyError("appeal.member_has_judged", name=member.name)
    log(member.tournament, "conduct.member_removed", actor=actor, name=member.name)
    member.delete()


@transaction.atomic
def set_own_cases(member: CommitteeMember, entries: Iterable[Entry], *, actor: Any) -> None:
    """Say whose cases a member may not judge (M7.7): family, pupils, club-mates."""
    chosen = list(entries)
    member.related_entries.set(chosen)
    names = ", ".join(entry.player.name for entry in chosen)
    log(member.tournament, "conduct.own_cases", actor=actor, name=member.name, players=names or "–")
