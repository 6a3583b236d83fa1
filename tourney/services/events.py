"""Making an event from a regulation, and publishing the regulation's next version."""

from __future__ import annotations

from datetime import date, time, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.text import slugify

from tourney.kernel.categories import parse_categories
from tourney.kernel.errors import TourneyError
from tourney.kernel.regulation import RegulationSpec, parse, resolve_dates
from tourney.models import Category, Regulation, RegulationDraft, Section, StaffRole, Tournament
from tourney.presets import preset
from tourney.services.log import log


@transaction.atomic
def create_event(
    *,
    preset_code: str,
    starts_on: date,
    title: dict[str, str],
    actor: Any = None,
    slug: str = "",
    changes: dict[str, Any] | None = None,
    public: bool = False,
    **fields: Any,
) -> Tournament:
    """Create an event with regulation number 1 from a preset.

    `changes` replaces whole blocks of the preset (already checked by the wizard's forms); `fields` set columns of the
    tournament (venue, contacts, requisites). The actor becomes the organizer.
    """
    data = resolve_dates({**preset(preset_code), **(changes or {})}, starts_on)
    data["title"] = {**data["title"], **title}
    spec = parse(data)
    event = spec.block("event")
    tournament = Tournament.objects.create(
        slug=slug
        or free_slug(
            title.get("en") or title.get("uk") or title.get("ru") or preset_code,
            starts_on,
        ),
        title=data["title"],
        starts_on=starts_on,
        ends_on=fields.pop("ends_on", None) or starts_on + timedelta(days=int(event.get("days", 1)) - 1),
        start_time=fields.pop("start_time", None) or time.fromisoformat(event.get("start_time", "10:00")),
        time_zone=spec.time_zone,
        currency=spec.currency,
        language=spec.language,
        venue=fields.pop("venue", None) or event.get("venue", {}),
        address=fields.pop("address", None) or event.get("address", {}),
        venue_note=fields.pop("venue_note", None) or event.get("venue_note", {}),
        public=public,
        **fields,
    )
    if actor is not None and getattr(actor, "is_authenticated", False):
        StaffRole.objects.create(tournament=tournament, user=actor, role=StaffRole.Role.ORGANIZER)
    publish_spec(tournament, data, author=actor, reason="")
    log(tournament, "event.created", actor=actor, preset=preset_code)
    return tournament


@transaction.atomic
def publish_spec(tournament: Tournament, data: dict[str, Any], *, author: Any, reason: str) -> Regulation:
    """Publish rule data as the next numbered version and bring the sections in line with it (K1.4).

    A version after the first needs a reason (TourneyError ``regulation.reason_needed``). RuleError when the envelope
    doesn't parse; the blocks' own checks run before, in `tourney.regulation_checks`.
    """
    spec = parse(data)
    # Not against entries being written: their rows only refer to the event, and their lock is the section.
    Tournament.objects.select_for_update(no_key=True).get(pk=tournament.pk)
    last = tournament.regulations.aggregate(last=Max("number"))["last"] or 0
    if last and not reason.strip():
        raise TourneyError("regulation.reason_needed")
    regulation = Regulation.objects.create(
        tournament=tournament,
        number=last + 1,
        spec=data,
        author=author if getattr(author, "is_authenticated", False) else None,
        reason=reason,
        published_at=timezone.now(),
    )
    RegulationDraft.objects.filter(tournament=tournament).delete()
    _bring_sections_in_line(tournament, spec)
    log(
        tournament,
        "regulation.published",
        actor=author,
        reason=reason,
        number=regulation.number,
    )
    return regulation


def _bring_sections_in_line(tournament: Tournament, spec: RegulationSpec) -> None:
    """Create, rename and re-order sections; one that has entries is never deleted, only left out of the order."""
    wanted = list(spec.block("sections") or [])
    existing = {section.code: section for section in tournament.sections.all()}
    common = dict(spec.block("eligibility") or {})
    for ordinal, data in enumerate(wanted):
        section = existing.pop(data["code"], None) or Section(tournament=tournament, code=data["code"])
        section.title = data.get("title", {})
        section.ordinal = ordinal
        section.capacity = data.get("capacity")
        section.eligibility = {**common, **data.get("eligibility", {})}
        section.save()
    for section in existing.values():
        if not section.entries.exists() and not section.stages.exists():
            section.delete()
    for section in tournament.sections.all():
        _bring_categories_in_line(section, spec)


def _bring_categories_in_line(section: Section, spec: RegulationSpec) -> None:
    """Create and change the categories of a group; one with published places stays, so that nothing published goes."""
    existing = {category.code: category for category in section.categories.all()}
    for rule in parse_categories(spec.block("categories") or ()):
        if rule.is_in(section.code):
            category = existing.pop(rule.code, None) or Category(section=section, code=rule.code)
            category.title, category.rule = dict(rule.title), rule.conditions
            category.save()
    for category in existing.values():
        if not category.lists.exists():
            category.delete()


def free_slug(words: str, starts_on: date) -> str:
    """Return an unused address for an event."""
    base = slugify(words)[:45] or "event"
    candidate = f"{base}-{starts_on.year}"
    number = 2
    while Tournament.objects.filter(slug=candidate).exists():
        candidate = f"{base}-{starts_on.year}-{number}"
        number += 1
    return candidate
