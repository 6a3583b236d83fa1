"""Reading the core's tables: constant numbers of queries, plain values where an engine wants them."""

from __future__ import annotations

from django.db.models import F, Q, QuerySet

from tourney.kernel.regulation import RegulationSpec, parse
from tourney.models import Entry, Regulation, Section, Stage, Tournament


def current_regulation(tournament: Tournament) -> Regulation | None:
    """Return the newest published regulation."""
    return tournament.regulations.order_by("-number").first()


def current_spec(tournament: Tournament) -> RegulationSpec:
    """Return the rules in force: the newest published version, else the draft."""
    regulation = current_regulation(tournament)
    return parse(regulation.spec if regulation else tournament.regulation_draft.spec)


def host_of(section: Section) -> Section:
    """Return the section whose tournament this section plays in (itself unless merged)."""
    if section.merged_into is None:
        return section
    host = section.merged_into
    host.tournament = section.tournament
    return host


def played_together(section_id: int) -> QuerySet[Section]:
    """Return a section and those merged into it; ask for entries `section__in` this.

    An entry's section or the one that is merged into, asked by one "or" over both tables, can use no index: every entry
    of every event would be read.
    """
    return Section.objects.filter(Q(pk=section_id) | Q(merged_into=section_id)).order_by()


def playing_entries(section: Section) -> QuerySet[Entry]:
    """Return who plays in a section's tournament, guests of merged sections included, in start order."""
    return (
        Entry.objects.filter(section__in=played_together(section.pk), state__in=Entry.IN_PLAY)
        .select_related("player", "section")
        .order_by("start_number", F("rating").desc(nulls_last=True), "player__surname", "player__given_name")
    )


def stage_entries(stage: Stage) -> QuerySet[Entry]:
    """Return everybody who has a start number in a stage's section: also who has left since."""
    section = stage.section
    return (
        Entry.objects.filter(section__in=played_together(section.pk), start_number__isnull=False)
        .select_related("player", "section")
        .order_by("start_number")
    )
