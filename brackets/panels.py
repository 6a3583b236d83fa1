"""What this app adds to core pages (see `tourney.panels`): tabs, the step "Matches", tasks, a player's way."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.db.models import Count, Q
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from brackets import archive_ids
from brackets.cards import Cards
from brackets.day import ending, prospects_of
from brackets.engine.calls import Destination
from brackets.following import followings
from brackets.hall_kinds import hall_kinds
from brackets.labels import places_words
from brackets.match_page import Way, way_to
from brackets.models import Match
from brackets.own_pairings import own_pairings
from brackets.placings import placings_of
from brackets.selectors import bracket_stage, load_table
from brackets.services import (
    brackets_in_play,
    carry_out,
    effects_of,
    play_step,
    rebuild_event,
    replace_seed,
    resume_brackets,
    stop_brackets,
    take_back,
)
from brackets.sheets import sheet_kinds
from tourney import panels
from tourney.models import Entry, Section, Stage, Tournament
from tourney.permissions import may
from tourney.selectors import current_regulation


def register() -> None:
    """Add this app's providers."""
    archive_ids.register()
    panels.register("tabs", tabs)
    panels.register("steps", matches_step)
    panels.register("now", tasks)
    panels.register("player", player_panel)
    panels.register("play", play_step)
    panels.register("milestones", milestones)
    panels.register("rebuild", rebuild_event)
    panels.register("entry_replaced", replace_seed)
    panels.register("in_play", brackets_in_play)
    panels.register("stop_play", stop_brackets)
    panels.register("resume_play", resume_brackets)
    panels.register("sanctioned", carry_out)
    panels.register("sanction_effects", effects_of)
    panels.register("sanction_revoked", take_back)
    panels.register("placings", placings_of)
    panels.register("awaited", awaited_games)
    panels.register("hall", hall_kinds)
    panels.register("sheets", sheet_kinds)
    panels.register("follow", followings)
    panels.register("own_pairings", own_pairings)


def milestones() -> set[str]:
    """Return the acts after which a backup is made at once."""
    return {"brackets.draw_confirmed", "brackets.draw_decided"}


def awaited_games(tournament: Tournament) -> list[panels.AwaitedGame]:
    """The next game of every match two players may sit down for: two queries."""
    playing = (Match.State.READY, Match.State.CALLED, Match.State.PLAYING)
    matches = (
        Match.objects.filter(bracket__stage__section__tournament=tournament, state__in=playing)
        .select_related("bracket__stage__section")
        .prefetch_related("slots")
    )
    found = []
    for match in matches:
        sides = {slot.side: slot.entry_id for slot in match.slots.all()}
        white, black = sides.get(match.awaits.get("white", "")), sides.get(match.awaits.get("black", ""))
        if match.awaits.get("kind") == "game" and white and black:
            stage = match.bracket.stage
            found.append(
                panels.AwaitedGame(
                    stage.pk,
                    stage.section.code,
                    match.key,
                    match.awaits["number"],
                    white,
                    black,
                    match.board,
                    match.awaits.get("clock", ""),
                )
            )
    return found


# -- public ----------------------------------------------------------------------------------------------------------


def tabs(request: HttpRequest, section: Section) -> list[panels.Tab]:
    """The bracket and its matches, for a group that plays a knockout."""
    if bracket_stage(section) is None:
        return []
    args = [section.tournament.slug, section.code]
    return [
        panels.Tab("bracket", gettext_lazy("Bracket"), reverse("bracket", args=args), 20),
        panels.Tab("matches", gettext_lazy("Matches"), reverse("matches", args=args), 30),
    ]


def player_panel(request: HttpRequest, entry: Entry) -> panels.Panel | None:
    """Where a player plays next, where a win and a loss lead, what is sure, what is still possible."""
    section = entry.section
    section.tournament = entry.tournament
    stage = bracket_stage(section)
    if stage is None:
        return None
    stage.section.tournament = entry.tournament
    table = load_table(stage, facts_only=True)
    if table is None or table.bracket.drawn_at is None or entry.pk not in table.state.seeds:
        return None
    cards = Cards(table)
    found = prospects_of(table, entry.pk)
    card = cards.card(found.match) if found.match is not None else None
    forecast = ending(table) if card is not None and not card.is_live else None
    address = reverse("bracket", args=cards.args)
    return panels.Panel(
        "brackets/_player_panel.html",
        {
            "found": found,
            "card": card,
            "opponent": cards.card(found.match).side("b" if card and card.view.a == entry.pk else "a")
            if card
            else None,
            "starts": forecast.starts.get(found.match) if forecast and found.match else None,
            "ways": _forks(cards, found.if_wins, found.if_loses),
            "left": found.matches_left,
            "places_words": places_words(found.places),
            "played": table.state.matches_played()[found.player],
            "seed": cards.seeds.get(entry.pk),
            "gone": entry.pk in table.state.left,
            "path_url": f"{address}?player={entry.pk}",
            "tournament": entry.tournament,
        },
        order=10,
    )


def _forks(cards: Cards, wins: Destination | None, loses: Destination | None) -> list[Way]:
    """Return where a win and a loss lead, with the opponent there if he is known already."""
    ways = []
    for label, fork in ((_("If you win"), wins), (_("If you lose"), loses)):
        if fork is None:
            continue
        way = way_to(cards, label, fork.match, fork.places)
        if fork.opponent is not None:
            against = _("against %(name)s") % {"name": cards.name_of(fork.opponent)}
            way = replace(way, words=f"{way.words} · {against}")
        ways.append(way)
    return ways


# -- staff -----------------------------------------------------------------------------------------------------------


def _stages(tournament: Tournament) -> list[Stage]:
    """Return the bracket stages of an event with how many of their matches there are, one query."""
    return list(
        Stage.objects.filter(section__tournament=tournament, kind=Stage.Kind.BRACKET)
        .select_related("section", "bracket")
        .annotate(
            total=Count("bracket__matches", filter=~Q(bracket__matches__state__in=["bye", "skipped"])),
            settled=Count("bracket__matches", filter=Q(bracket__matches__state__in=["done", "walkover"])),
            going=Count("bracket__matches", filter=Q(bracket__matches__state__in=["called", "playing"])),
            ready=Count("bracket__matches", filter=Q(bracket__matches__state="ready")),
        )
        .order_by("section__ordinal", "ordinal")
    )


def matches_step(tournament: Tournament) -> panels.Step | None:
    """The step "Matches", for events with a knockout or a regulation that may bring one."""
    stages = _stages(tournament)
    if not stages and not _bracket_possible(tournament):
        return None
    over = [stage for stage in stages if stage.state in (Stage.State.FINISHED, Stage.State.CLOSED)]
    if stages and len(over) == len(stages):
        state = "done"
    else:
        state = "now" if stages else "todo"
    one = next((stage for stage in stages if stage not in over), stages[-1] if stages else None)
    drawn = one is not None and _is_drawn(one)
    needs = ("enter_results",) if drawn else ("staff",)
    if one is None:
        url, note, count = (
            reverse("manage_sections", args=[tournament.slug]),
            gettext_lazy("no start list is closed"),
            "",
        )
    elif not drawn:
        url = reverse("manage_draw", args=[tournament.slug, one.section.code])
        note, count, needs = gettext_lazy("not drawn yet"), "", ("arbitrate",)
    else:
        url = reverse("manage_bracket", args=[tournament.slug, one.section.code])
        note, count = "", f"{sum(s.settled for s in stages)}/{sum(s.total for s in stages)}"  # type: ignore[attr-defined]
    return panels.Step(
        "matches", gettext_lazy("Matches"), url, state=state, count=count, note=note, order=50, needs=needs
    )


def _is_drawn(stage: Stage) -> bool:
    bracket = getattr(stage, "bracket", None)
    return bracket is not None and bracket.drawn_at is not None


def _bracket_possible(tournament: Tournament) -> bool:
    regulation = current_regulation(tournament)
    stages = regulation.spec.get("stages", []) if regulation else []
    return any(option.get("kind") == "bracket" for stage in stages for option in stage.get("options", []))


def tasks(request: HttpRequest, tournament: Tournament) -> list[panels.Task]:
    """What waits: a draw, matches for free boards, colours, lots, players who don't come."""
    if not may(request, tournament, "enter_results"):
        return []
    found = []
    for stage in _stages(tournament):
        if stage.state not in (Stage.State.READY, Stage.State.RUNNING):
            continue
        stage.section.tournament = tournament
        args = [tournament.slug, stage.section.code]
        if not _is_drawn(stage):
            if may(request, tournament, "arbitrate"):
                found.append(_draw_task(stage, args))
            continue
        found += _day_tasks(stage, args)
    return found


def _draw_task(stage: Stage, args: list[str]) -> panels.Task:
    url = reverse("manage_draw", args=args)
    if getattr(stage, "bracket", None) is not None:
        return panels.Task(_("The draw waits for your confirmation"), url, _("Look and confirm"), 42)
    return panels.Task(_("The bracket is to be drawn"), url, _("Draw the bracket"), 42)


def _day_tasks(stage: Stage, args: list[str]) -> list[panels.Task]:
    """Return the tasks of a running bracket. One query."""
    url = reverse("manage_bracket", args=args)
    if stage.bracket.paused_at is not None:
        return []  # the event's own task says so
    found = []
    busy = list(
        Match.objects.filter(bracket=stage.bracket, state__in=[Match.State.CALLED, Match.State.PLAYING]).order_by(
            "board"
        )
    )
    boards = stage.section.tournament.boards - len([match for match in busy if match.board is not None])
    can_start = min(stage.ready, max(0, boards))  # type: ignore[attr-defined]
    if can_start:
        words = ngettext("%(n)d match can start on a free board", "%(n)d matches can start on free boards", can_start)
        found.append(panels.Task(words % {"n": can_start}, url, _("To the boards"), 50))
    for match in busy:
        task = _match_task(stage, args, match)
        if task is not None:
            found.append(task)
    return found


def _match_task(stage: Stage, args: list[str], match: Match) -> panels.Task | None:
    url = reverse("manage_match", args=[*args, match.key])
    where = _("board %(board)s") % {"board": match.board} if match.board else match.key
    values: dict[str, Any] = {"match": match.key, "where": where}
    if match.board is None:
        return panels.Task(_("%(match)s goes on and needs a board") % values, url, _("Give it one"), 49)
    match match.awaits.get("kind"):
        case "lot":
            return panels.Task(_("%(match)s, %(where)s: the lot is to be drawn") % values, url, _("Draw the lot"), 51)
        case "decision" | "claim":
            return panels.Task(_("%(match)s, %(where)s: the arbiter decides") % values, url, _("Decide"), 49)
        case "color" if match.called_at is not None:
            lateness = (stage.rules.get("lateness") or {}).get("minutes")
            waited = int((timezone.now() - match.called_at).total_seconds() // 60)
            if lateness is not None and waited >= int(lateness):
                words = ngettext(
                    "%(match)s, %(where)s: called %(n)d minute ago, not begun",
                    "%(match)s, %(where)s: called %(n)d minutes ago, not begun",
                    waited,
                )
                return panels.Task(words % {**values, "n": waited}, url, _("Who is missing?"), 51)
    return None
