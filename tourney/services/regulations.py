"""The working copy of an event's rules, and publishing it as the next version (K1.4).

An event has one draft, shared by its organizers. What is saved there changes nothing for anybody else; publishing
makes it version n + 1 with a reason, brings the groups in line, and gives the new rules to stages that wait. A stage
that has begun keeps the rules it began with.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import time
from typing import Any

from django.db import transaction

from tourney.kernel.chance import canonical, sha256_hex
from tourney.kernel.errors import TourneyError
from tourney.kernel.regulation import RegulationSpec, parse
from tourney.kernel.systems import rounds_of
from tourney.models import Regulation, RegulationDraft, Stage, Tournament
from tourney.regulation_checks import Problem, check_spec, error, errors_of
from tourney.regulation_schema.blocks import GENERAL_KEYS
from tourney.selectors import current_regulation, playing_entries
from tourney.services.events import publish_spec
from tourney.services.log import log
from tourney.services.stages import bump, proposed_stages, rules_of

WAITING = (Stage.State.PLANNED, Stage.State.READY)


def draft_spec(tournament: Tournament) -> dict[str, Any]:
    """Return the rules as the organizers are writing them: the draft, else the version in force."""
    draft = RegulationDraft.objects.filter(tournament=tournament).first()
    if draft is not None:
        return dict(draft.spec)
    regulation = current_regulation(tournament)
    return dict(regulation.spec) if regulation else {}


def block_value(data: dict[str, Any], block: str) -> Any:
    """Return a block of rule data; ``general`` is the single values at its head."""
    if block == "general":
        return {key: data[key] for key in GENERAL_KEYS if key in data}
    return data.get(block)


def with_block(data: dict[str, Any], block: str, value: Any) -> dict[str, Any]:
    """Return rule data with one block replaced; an empty block is left out."""
    if block == "general":
        return {**{key: inner for key, inner in data.items() if key not in GENERAL_KEYS}, **value}
    changed = {key: inner for key, inner in data.items() if key != block}
    return {**changed, block: value} if value not in (None, {}, []) else changed


def fingerprint(value: Any) -> str:
    """Return a short mark of a value, by which a form sees that somebody else saved meanwhile."""
    return sha256_hex(canonical(value))[:16]


@transaction.atomic
def save_draft(
    tournament: Tournament, data: dict[str, Any], *, actor: Any, block: str, seen: str = ""
) -> RegulationDraft:
    """Save one block into the draft. `seen` is the mark of the block the form was filled from.

    Raises TourneyError ``regulation.block_changed`` when somebody else has saved this block since.
    """
    Tournament.objects.select_for_update(no_key=True).get(pk=tournament.pk)
    before = draft_spec(tournament)
    if seen and seen != fingerprint(block_value(before, block)):
        raise TourneyError("regulation.block_changed")
    merged = with_block(before, block, block_value(data, block))
    draft, _made = RegulationDraft.objects.update_or_create(
        tournament=tournament,
        defaults={
            "spec": merged,
            "author": actor if getattr(actor, "is_authenticated", False) else None,
            "based_on": current_regulation(tournament),
        },
    )
    log(tournament, "regulation.draft_saved", actor=actor, block=block)
    return draft


@transaction.atomic
def discard_draft(tournament: Tournament, *, actor: Any) -> bool:
    """Throw the draft away; return whether there was one."""
    deleted, _rows = RegulationDraft.objects.filter(tournament=tournament).delete()
    if deleted:
        log(tournament, "regulation.draft_discarded", actor=actor)
    return bool(deleted)


def problems_of(tournament: Tournament, data: dict[str, Any]) -> list[Problem]:
    """Return what is wrong or worth knowing about rules for this event, its entries and its days."""
    problems = check_spec(
        data, starts_on=tournament.starts_on, ends_on=tournament.ends_on, start_time=tournament.start_time
    )
    if data.get("currency", "UAH") != tournament.currency and tournament.entries.exists():
        problems.insert(0, error("currency", "regulation.currency_in_use"))
    codes = {section.get("code") for section in data.get("sections") or [] if isinstance(section, dict)}
    for section in tournament.sections.all():
        if section.code not in codes and (section.entries.exists() or section.stages.exists()):
            problems.insert(0, error("sections", "regulation.section_in_use", section=section.code))
    return problems


@dataclass(frozen=True, slots=True)
class StageEffect:
    """What publishing does to one stage: it keeps its rules, gets the new ones, or nothing changes for it."""

    stage: Stage
    kept: bool
    system_after: str
    rounds_after: int


def stage_effects(tournament: Tournament, data: dict[str, Any]) -> list[StageEffect]:
    """Return what publishing would do to the stages there are. Raises TourneyError ``stage.no_system``."""
    spec = parse(data)
    effects = []
    for stage in _stages(tournament):
        if has_begun(stage):
            effects.append(StageEffect(stage, True, stage.kind, stage.rounds_total))
        else:
            option = _option_for(spec, stage)
            if option is not None:
                kind, rounds = option["kind"], rounds_of(option, _players(stage))
                effects.append(StageEffect(stage, False, kind, rounds))
    return effects


def has_begun(stage: Stage) -> bool:
    """Return whether something has been paired, drawn or played in a stage: then its rules are settled."""
    if stage.state not in WAITING or stage.games.exists():
        return True
    # What the apps hang on a stage when they pair or draw it; the core knows the names, not the models.
    names = {relation.get_accessor_name() for relation in stage._meta.related_objects}
    rounds = stage.rounds.exists() if "rounds" in names else False  # type: ignore[attr-defined]
    return bool(rounds or ("bracket" in names and hasattr(stage, "bracket")))


def _stages(tournament: Tournament) -> list[Stage]:
    found = list(
        Stage.objects.filter(section__tournament=tournament)
        .exclude(kind=Stage.Kind.PLAYOFF)
        .select_related("section")
        .order_by("section__ordinal", "ordinal")
    )
    for stage in found:
        stage.section.tournament = tournament
    return found


def _players(stage: Stage) -> int:
    return playing_entries(stage.section).count()


def _option_for(spec: RegulationSpec, stage: Stage) -> dict[str, Any] | None:
    """Return the option a waiting stage is to be played by; the arbiter's own choice of system and rounds stays."""
    choice = next((choice for choice in spec.stages() if choice.code == stage.code), None)
    if choice is None:
        return None
    if not stage.override_reason:
        return next(option for code, option, _title in proposed_stages(spec, _players(stage)) if code == stage.code)
    same = next((dict(option) for option in choice.options if option.get("kind") == stage.kind), {"kind": stage.kind})
    same.pop("when", None)
    if stage.kind == Stage.Kind.SWISS:
        same["rounds"] = stage.rounds_total
    return same


@transaction.atomic
def publish(tournament: Tournament, *, actor: Any, reason: str, seen: int) -> Regulation:
    """Publish the draft as the next version and give the new rules to the stages that wait.

    `seen` is the number of the version the organizer compared the draft with. Raises TourneyError
    ``regulation.changed_meanwhile``, ``regulation.nothing_changed``, ``regulation.has_errors``,
    ``regulation.reason_needed``, ``stage.no_system``.
    """
    Tournament.objects.select_for_update(no_key=True).get(pk=tournament.pk)
    current = current_regulation(tournament)
    number = current.number if current else 0
    if number != seen:
        raise TourneyError("regulation.changed_meanwhile", number=number)
    data = draft_spec(tournament)
    if current is not None and data == current.spec:
        raise TourneyError("regulation.nothing_changed", number=number)
    if errors_of(problems_of(tournament, data)):
        raise TourneyError("regulation.has_errors")
    old = dict(current.spec) if current else {}
    regulation = publish_spec(tournament, data, author=actor, reason=reason.strip())
    _bring_event_in_line(tournament, old, data)
    _give_rules_to_waiting_stages(tournament, parse(data))
    return regulation


def _bring_event_in_line(tournament: Tournament, old: dict[str, Any], new: dict[str, Any]) -> None:
    """Copy into the event what this very version changed; what the settings page changed since stays."""
    before, after = old.get("event") or {}, new.get("event") or {}
    changed: dict[str, Any] = {}
    for key in ("venue", "address", "venue_note", "organizer"):
        if before.get(key) != after.get(key):
            changed[key] = after.get(key) or {}
    if before.get("start_time") != after.get("start_time") and after.get("start_time"):
        changed["start_time"] = time.fromisoformat(after["start_time"])
    for key in ("title", "currency", "time_zone", "language"):
        if old.get(key) != new.get(key) and new.get(key):
            changed[key] = new[key]
    for key, value in changed.items():
        setattr(tournament, key, value)
    if changed:
        tournament.save(update_fields=list(changed))


def _give_rules_to_waiting_stages(tournament: Tournament, spec: RegulationSpec) -> None:
    waiting = Stage.objects.select_for_update(of=("self",)).filter(section__tournament=tournament, state__in=WAITING)
    locked = {stage.pk for stage in waiting.order_by("pk")}
    for stage in _stages(tournament):
        if stage.pk not in locked or has_begun(stage):
            continue
        option = _option_for(spec, stage)
        if option is None:
            continue
        stage.kind = option["kind"]
        stage.rules = rules_of(spec, option)
        stage.rounds_total = rounds_of(option, _players(stage))
        title = next((dict(choice.title) for choice in spec.stages() if choice.code == stage.code), stage.title)
        stage.title = title
        stage.save(update_fields=["kind", "rules", "rounds_total", "title"])
        bump(stage)
