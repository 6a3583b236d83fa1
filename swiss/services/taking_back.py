"""Taking a published round back, and bringing it back as it was.

A round without results simply becomes a draft again: its games are empty. One with results is put aside whole before
that – pairs, colours, boards, games, records of results and whatever hangs on them, under their own keys – so that
undoing it leaves nothing different, not even for a tablet that still shows the old page.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from django.apps import apps
from django.core import serializers
from django.db import connection, models, transaction
from django.db.models import Max
from django.utils import timezone

from swiss.models import Pairing, PairingQuestion, Round, TakenBack
from swiss.selectors import PUBLIC_STATES
from swiss.services.pairing import ADJOURNED, mark_adjourned
from swiss.services.publishing import WITHDRAWN
from swiss.services.results import settle_stage, update_standings
from tourney.kernel.errors import TourneyError
from tourney.models import Game, Stage
from tourney.services.by_the_book import ask, note
from tourney.services.log import log
from tourney.services.stages import bump, lock_stage


@transaction.atomic
def unpublish_round(round_id: int, *, actor: Any, reason: str, with_results: bool = False, knowing: int = 0) -> Round:
    """Take the newest round back to a draft; `with_results` says that results may be put aside with it.

    Refusals: ``round.has_results`` (boards, without `with_results`), ``round.not_newest``,
    ``round.change_needs_reason``, ``round.not_published``, ``result.stage_closed``; by the book it asks first, twice
    where results go with the round.
    """
    round_ = Round.objects.get(pk=round_id)
    stage = lock_stage(round_.stage_id)
    round_ = Round.objects.get(pk=round_id)
    if not reason.strip():
        raise TourneyError("round.change_needs_reason")
    if stage.state == Stage.State.CLOSED:
        raise TourneyError("result.stage_closed")
    if round_.state not in PUBLIC_STATES:
        raise TourneyError("round.not_published", round=round_.number)
    if stage.rounds.aggregate(last=Max("number"))["last"] != round_.number:
        raise TourneyError("round.not_newest", round=round_.number)
    games = Game.objects.filter(pairing__round=round_)
    entered = games.filter(results__isnull=False).exclude(results__reason=WITHDRAWN).distinct()
    boards = sorted(entered.values_list("board", flat=True))
    if boards and not with_results:
        raise TourneyError("round.has_results", n=round_.number, boards=", ".join(map(str, boards)))
    act = "taken_back_results" if boards else "taken_back"
    bends = ask(stage, act, knowing=knowing, round=round_.number, results=len(boards))
    _put_aside(round_, stage, list(games), actor=actor, reason=reason, results=len(boards))
    round_.state, round_.published_at, round_.started_at, round_.finished_at = Round.State.DRAFT, None, None, None
    round_.save(update_fields=["state", "published_at", "started_at", "finished_at"])
    _settle(stage, round_, first=round_.number == 1)
    log(
        stage.section.tournament,
        "swiss.round_unpublished_with_results" if boards else "swiss.round_unpublished",
        actor=actor,
        reason=reason,
        section=stage.section.code,
        round=round_.number,
        results=len(boards),
    )
    if bends:
        note(
            stage,
            act,
            round_number=round_.number,
            actor=actor,
            reason=reason,
            snapshot={"round": round_.number},
            round=round_.number,
            results=len(boards),
        )
    return round_


def _settle(stage: Stage, round_: Round, *, first: bool) -> None:
    """Bring the stage in line with a round nobody sees any more."""
    if first:
        stage.state, stage.started_at, stage.finished_at = Stage.State.READY, None, None
        stage.save(update_fields=["state", "started_at", "finished_at"])
    settle_stage(stage, round_, timezone.now())
    update_standings(stage)
    bump(stage)


def _put_aside(round_: Round, stage: Stage, games: list[Game], *, actor: Any, reason: str, results: int) -> None:
    """Write the round down as it is, and take its games away."""
    rows: list[models.Model] = [round_, *PairingQuestion.objects.filter(round=round_), *games]
    rows += round_.pairings.all()
    hanging, loose = _hanging_on(games)
    TakenBack.objects.create(
        stage=stage,
        number=round_.number,
        data={
            "rows": _plain(serializers.serialize("python", [*rows, *hanging])),
            "loose": _plain(loose),
            "stage": {
                "state": stage.state,
                "started_at": _text(stage.started_at),
                "finished_at": _text(stage.finished_at),
            },
        },
        results=results,
        reason=reason,
        by=actor if getattr(actor, "is_authenticated", False) else None,
    )
    round_.pairings.update(game=None, absent_white=False, absent_black=False, adjourned=False)
    for (model, field), pks in _by_column(loose).items():
        model._base_manager.filter(pk__in=pks).update(**{field.attname: None})
    # Without the guards of the models: they keep a chain of results from losing a link, here all of it goes.
    for kind, found in _by_model([*games, *hanging]).items():
        kind._base_manager.filter(pk__in=[row.pk for row in found])._raw_delete(using=connection.alias)


def _hanging_on(roots: Iterable[models.Model]) -> tuple[list[models.Model], list[list[Any]]]:
    """Return the rows that would go with some rows, and those that would only lose their reference to them.

    Pairs are left out: they belong to the round. One query for each relation of a kind of row, however many there are.
    """
    found: dict[tuple[type[models.Model], Any], models.Model] = {}
    loose: list[list[Any]] = []
    newest = list(roots)
    known = {(type(row), row.pk) for row in newest}
    while newest:
        level, newest = _by_model(newest), []
        for kind, rows in level.items():
            for relation in kind._meta.related_objects:
                model, field = relation.related_model, relation.field
                if model is Pairing or not isinstance(field, models.ForeignKey):
                    continue
                for other in model._base_manager.filter(**{f"{field.name}__in": rows}).order_by("pk"):
                    if relation.on_delete is models.SET_NULL:
                        loose.append([model._meta.label, other.pk, field.attname, getattr(other, field.attname)])
                    elif (model, other.pk) not in known:
                        known.add((model, other.pk))
                        found[model, other.pk] = other
                        newest.append(other)
    gone = {(model._meta.label, pk) for model, pk in found}
    return list(found.values()), [one for one in loose if (one[0], one[1]) not in gone]


def _by_model(rows: Iterable[models.Model]) -> dict[type[models.Model], list[models.Model]]:
    found: dict[type[models.Model], list[models.Model]] = {}
    for row in rows:
        found.setdefault(type(row), []).append(row)
    return found


def _by_column(loose: Iterable[Sequence[Any]]) -> dict[tuple[type[models.Model], Any], dict[Any, Any]]:
    """Return [model, key, column, value] as values by key, for each column."""
    found: dict[tuple[type[models.Model], Any], dict[Any, Any]] = {}
    for label, pk, column, value in loose:
        model = apps.get_model(label)
        found.setdefault((model, model._meta.get_field(column)), {})[model._meta.pk.to_python(pk)] = value
    return found


def newest_taken_back(stage: Stage) -> TakenBack | None:
    """Return the round that could be brought back: the last one taken back, while nothing public came after it."""
    found = TakenBack.objects.filter(stage=stage, undone_at=None).select_related("by").first()
    if found is None or stage.rounds.filter(number__gte=found.number, state__in=PUBLIC_STATES).exists():
        return None
    return found


@transaction.atomic
def bring_back_round(stage_id: int, *, actor: Any) -> Round:
    """Undo taking a round back: pairs, colours, boards, games and results are those of before, and public again.

    A draft made meanwhile goes. Who entered a result is left empty when that account is gone. Refusals:
    ``round.nothing_taken_back``, ``round.cannot_come_back`` (a player of it is gone), ``result.stage_closed``.
    """
    stage = lock_stage(stage_id)
    if stage.state == Stage.State.CLOSED:
        raise TourneyError("result.stage_closed")
    kept = newest_taken_back(stage)
    if kept is None:
        raise TourneyError("round.nothing_taken_back")
    rows = [one.object for one in serializers.deserialize("python", kept.data["rows"])]
    _mend_references(rows, kept.number)
    for draft in stage.rounds.filter(number__gte=kept.number):
        mark_adjourned(stage, draft.explanation.get(ADJOURNED, ()), adjourned=False)
        draft.delete()
    for model, same in _by_model(rows).items():
        # As they were, to the moment they were made: a usual insert would write its own into `auto_now_add` columns.
        model._base_manager.all()._insert(same, fields=model._meta.concrete_fields, using=connection.alias, raw=True)
    for (model, field), values in _by_column(kept.data["loose"]).items():
        tied = list(model._base_manager.filter(pk__in=values))
        for row in tied:
            setattr(row, field.attname, values[row.pk])
        model._base_manager.bulk_update(tied, [field.name])
    kept.undone_at = timezone.now()
    kept.save(update_fields=["undone_at"])
    round_ = Round.objects.get(stage=stage, number=kept.number)
    mark_adjourned(stage, round_.explanation.get(ADJOURNED, ()), adjourned=True)
    before = {key: _moment(kept.data["stage"].get(key)) for key in ("started_at", "finished_at")}
    if stage.state == Stage.State.READY:
        stage.state, stage.started_at = Stage.State.RUNNING, before["started_at"]
        stage.save(update_fields=["state", "started_at"])
    update_standings(stage)
    settle_stage(stage, round_, before["finished_at"] or timezone.now())
    bump(stage)
    log(
        stage.section.tournament,
        "swiss.round_brought_back",
        actor=actor,
        section=stage.section.code,
        round=round_.number,
        results=kept.results,
    )
    return round_


def _mend_references(rows: Sequence[models.Model], number: int) -> None:
    """Empty references to what was deleted meanwhile, as its deletion would have done (``round.cannot_come_back``)."""
    coming = {(type(row), row.pk) for row in rows}
    wanted: dict[type[models.Model], set[Any]] = {}
    links = [
        (row, field, value)
        for row in rows
        for field in row._meta.concrete_fields
        if isinstance(field, models.ForeignKey)
        and (value := getattr(row, field.attname)) is not None
        and (field.related_model, value) not in coming
    ]
    for _, field, value in links:
        wanted.setdefault(field.related_model, set()).add(value)
    here = {
        (model, pk)
        for model, pks in wanted.items()
        for pk in model._base_manager.filter(pk__in=pks).values_list("pk", flat=True)
    }
    for row, field, value in links:
        if (field.related_model, value) in here:
            continue
        if field.remote_field.on_delete is not models.SET_NULL:
            raise TourneyError("round.cannot_come_back", round=number)
        setattr(row, field.attname, None)


def _plain(rows: Any) -> Any:
    """Return rows as JSON keeps them, moments to the microsecond (Django's own encoder cuts them)."""
    return json.loads(
        json.dumps(rows, default=lambda value: value.isoformat() if hasattr(value, "isoformat") else str(value))
    )


def _text(moment: Any) -> str | None:
    return moment.isoformat() if moment else None


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
