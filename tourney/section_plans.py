"""What closing a start list would do: the system the head-count rule gives, and what is odd about it (M7.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tourney.kernel.errors import TourneyError
from tourney.kernel.regulation import RegulationSpec
from tourney.kernel.systems import rounds_of
from tourney.labels import sentence
from tourney.models import Section, Stage, Tournament
from tourney.schedules import clock_words
from tourney.services.sections import merge_obstacle
from tourney.services.stages import proposed_stages
from tourney.start_lists import NO_COUNTS, head_counts

FEW = 4  # below this a group is worth merging
KIND_WORDS = dict(Stage.Kind.choices)


@dataclass(frozen=True, slots=True)
class SectionPlan:
    """One group of the draw step. `players` counts the guests of a merge too."""

    section: Section
    counts: dict[str, int]
    players: int
    guests: list[Section]
    proposal: str  # "Swiss system, 8 rounds", or why there is none
    possible: bool
    oddities: list[str]
    stages: list[Stage]
    merge_with: list[Section]
    merge_hint: list[Section]  # of these, the ones that have players: worth proposing

    @property
    def state(self) -> str:
        """Return the state badge: closed groups show how far their first stage is."""
        if self.section.merged_into_id:
            return "off"
        if self.section.entries_closed_at:
            return str(self.stages[0].state) if self.stages else "closed"
        return "open" if self.players else "planned"


def section_plans(tournament: Tournament, spec: RegulationSpec) -> list[SectionPlan]:
    """Return the plan of every group; the number of queries doesn't depend on how many there are."""
    sections = list(tournament.sections.all())
    counts = head_counts(tournament)
    stages: dict[int, list[Stage]] = {}
    every = Stage.objects.filter(section__tournament=tournament).exclude(kind=Stage.Kind.PLAYOFF)
    for stage in every.order_by("ordinal"):
        stages.setdefault(stage.section_id, []).append(stage)
    by_pk = {section.pk: section for section in sections}
    for section in sections:
        section.tournament = tournament
        if section.merged_into_id:
            section.merged_into = by_pk[section.merged_into_id]
    return [_plan(section, sections, counts, stages.get(section.pk, []), spec) for section in sections]


def _plan(
    section: Section,
    sections: list[Section],
    counts: dict[int, dict[str, int]],
    stages: list[Stage],
    spec: RegulationSpec,
) -> SectionPlan:
    guests = [one for one in sections if one.merged_into_id == section.pk]
    players = sum(counts.get(one.pk, NO_COUNTS)["playing"] for one in [section, *guests])
    proposal, possible = proposal_words(spec, players)
    hosts = [
        host for host in sections if not guests and not section.merged_into_id and merge_obstacle(section, host) is None
    ]
    few = 0 < players < FEW
    return SectionPlan(
        section=section,
        counts=counts.get(section.pk, NO_COUNTS),
        players=players,
        guests=guests,
        proposal=stage_words(stages[0]) if stages else proposal,
        possible=possible,
        oddities=[] if stages or section.merged_into_id else oddities(players),
        stages=stages,
        merge_with=hosts,
        merge_hint=[host for host in hosts if few and counts.get(host.pk, NO_COUNTS)["playing"]],
    )


def proposal_words(spec: RegulationSpec, players: int) -> tuple[str, bool]:
    """Return what the regulation proposes for a head-count in words, and whether it proposes anything."""
    if players < 2:
        return "", False
    try:
        steps = proposed_stages(spec, players)
    except TourneyError as refused:
        return sentence(refused), False
    if not steps:
        return _("The regulation names no system."), False
    return system_words(steps[0][1], players), True


def system_words(option: dict[str, Any], players: int) -> str:
    """Return a system in words: “Swiss system, 8 rounds”, “round robin, 2 cycles, 10 rounds”."""
    parts = [str(KIND_WORDS.get(option["kind"], option["kind"]))]
    rounds = rounds_of(option, players)
    if option["kind"] == Stage.Kind.ROUND_ROBIN and players in option.get("double_for", ()):
        parts.append(_("everybody meets twice"))
    if rounds:
        parts.append(ngettext("%(n)d round", "%(n)d rounds", rounds) % {"n": rounds})
    if option["kind"] == Stage.Kind.BRACKET and option.get("size"):
        parts.append(ngettext("%(n)d place", "%(n)d places", option["size"]) % {"n": option["size"]})
    return ", ".join(parts)


def stage_words(stage: Stage, *, clock: bool = True) -> str:
    """Return the system a closed group plays by, with its time control unless that stands elsewhere on the page."""
    parts = [str(stage.get_kind_display())]
    if stage.rounds_total:
        parts.append(ngettext("%(n)d round", "%(n)d rounds", stage.rounds_total) % {"n": stage.rounds_total})
    control = str(stage.rules.get("clock", {}).get("main", ""))
    if control and clock:
        parts.append(clock_words(control))
    return ", ".join(parts)


def oddities(players: int) -> list[str]:
    """Return what is unusual about a head-count, and what can be done."""
    match players:
        case 0:
            return [_("Nobody is confirmed: this group is not played.")]
        case 1:
            return [_("One player: nobody to play with. Merge the group, or give the place without play.")]
        case 2 | 3:
            return [_("Very few players: look at the number of games each of them gets.")]
        case _:
            return []
