"""What this app adds to core pages (see `tourney.panels`): the steps "Placings" and "Prizes", tasks, tabs, a player's
place and prize, the podium of a finished event, the report's money, rehearsals and the rebuild.
"""

from __future__ import annotations

from django.db.models import Count, Q
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from prizes import archive_ids
from prizes.models import Draw, PlayoffMatch
from prizes.pictures import MOST_BYTES as LARGEST_PICTURE
from prizes.rows import award_row, by_entry, place_rows, podium
from prizes.selectors.awards import awards_of
from prizes.selectors.draws import lotteries_of
from prizes.selectors.ends import DONE
from prizes.selectors.fund import fund_of
from prizes.selectors.playoffs import views_of
from prizes.selectors.prize_rules import prize_rules
from prizes.services.awards import rebuild_event
from prizes.services.playoff_games import awaited_games, match_key
from prizes.services.playoffs import rebuild_playoffs
from prizes.services.rehearsal import play_step
from prizes.services.timed_draws import read_at
from prizes.words import place_text
from tourney import panels, uploads
from tourney.kernel.chance import Chance
from tourney.kernel.errors import TourneyError
from tourney.kernel.money import total
from tourney.models import Entry, Game, Placement, PlacementList, Section, Stage, Tournament
from tourney.permissions import may

PLACINGS, PRIZES = 60, 70


def register() -> None:
    """Add this app's providers."""
    archive_ids.register()
    panels.register("steps", placings_step)
    panels.register("steps", prizes_step)
    panels.register("now", tasks)
    panels.register("tabs", tabs)
    panels.register("player", player_panel)
    panels.register("event", event_panel)
    panels.register("report", report_panel)
    panels.register("fund", fund_rows)
    panels.register("lot_sources", read_at)
    panels.register("play", play)
    panels.register("milestones", milestones)
    panels.register("more_games", playoff_games)
    panels.register("awaited", playoffs_awaited)
    panels.register("rebuild", rebuild_playoffs)
    panels.register("rebuild", rebuild_event)
    uploads.allow("manage_diplomas", LARGEST_PICTURE)


def milestones() -> set[str]:
    """Return the acts after which a backup is made at once."""
    return {"prizes.placings_published", "prizes.placings_corrected", "prizes.draw_decided"}


def playoff_games(tournament: Tournament) -> list[panels.MoreGame]:
    """Return the games of play-offs for first place that count and have no moves yet, by group and in their order."""
    rows = Game.objects.filter(stage__section__tournament=tournament, stage__kind=Stage.Kind.PLAYOFF)
    known = {
        (section, key, number): (pk, bool(plies))
        for section, key, number, pk, plies in rows.order_by().values_list(
            "stage__section", "match_key", "game_number", "pk", "ply_count"
        )
    }
    found = []
    for view in views_of(tournament):
        for game in view.games:
            row, has_moves = known.get((view.match.section_id, match_key(view.match), game.number), (0, False))
            if game.struck or has_moves:
                continue
            found.append(
                panels.MoreGame(
                    section=view.match.section.code,
                    block=_("Play-off for first place"),
                    url=reverse("playoff", args=[tournament.slug, view.match.section.code]),
                    number=game.number,
                    white=view.entries[game.white],
                    black=view.entries[game.black],
                    outcome=game.result,
                    clock=game.phase,
                    row=row,
                )
            )
    return found


def playoffs_awaited(tournament: Tournament) -> list[panels.AwaitedGame]:
    """Return the games of play-offs that are due now, for live boards."""
    return awaited_games(views_of(tournament))


# -- steps and tasks -------------------------------------------------------------------------------------------------


def _groups(tournament: Tournament) -> dict[str, int]:
    """Return how many groups play, are all played, and have their places published."""
    stages = Stage.objects.filter(section__tournament=tournament).exclude(kind=Stage.Kind.PLAYOFF)
    rows = stages.values("section").annotate(
        all=Count("pk"),
        done=Count("pk", filter=Q(state__in=DONE)),
        closed=Count("pk", filter=Q(state=Stage.State.CLOSED)),
    )
    found = {"all": 0, "played": 0, "closed": 0}
    for row in rows:
        found["all"] += 1
        found["closed"] += row["closed"] == row["all"]
        found["played"] += row["done"] == row["all"] and row["closed"] < row["all"]
    return found


def placings_step(tournament: Tournament) -> panels.Step:
    groups = _groups(tournament)
    if groups["all"] and groups["closed"] == groups["all"]:
        state, note = "done", ""
    elif groups["played"]:
        state, note = "now", _("can be published")
    else:
        state, note = "todo", ""
    return panels.Step(
        "placings",
        _("Placings"),
        reverse("manage_placings", args=[tournament.slug]),
        state=state,
        count=f"{groups['closed']}/{groups['all']}" if groups["all"] > 1 else "",
        note=note,
        order=PLACINGS,
    )


def prizes_step(tournament: Tournament) -> panels.Step:
    awards = awards_of(tournament)
    open_count, total = len(awards.open), len(awards.statuses)
    waiting = Draw.objects.filter(section__tournament=tournament, lot__outcome=None).count()
    state = "todo" if not total else "done" if not open_count and not waiting and not awards.stray else "now"
    return panels.Step(
        "prizes",
        _("Prizes"),
        reverse("manage_prizes", args=[tournament.slug]),
        state=state,
        count=f"{total - open_count}/{total}" if total else "",
        order=PRIZES,
    )


def tasks(request: HttpRequest, tournament: Tournament) -> list[panels.Task]:
    """Groups that are all played, prize draws that can be held, awards that wait, and what was handed out wrongly."""
    found: list[panels.Task] = []
    slug = tournament.slug
    if may(request, tournament, "enter_results"):
        found += _to_play_off(tournament)
    if may(request, tournament, "arbitrate"):
        found += _to_publish(tournament)
        found += _to_draw(tournament)
    if may(request, tournament, "arbitrate") or may(request, tournament, "desk"):
        awards = awards_of(tournament)
        url = reverse("manage_prizes", args=[slug])
        if awards.stray:
            names = ", ".join(one.entry.name for one in awards.stray)
            found.append(panels.Task(_("An award was handed out that is no longer due"), url, _("Look"), 61, names))
        if awards.open:
            count = len(awards.open)
            text = ngettext("%(n)d award is not handed out", "%(n)d awards are not handed out", count) % {"n": count}
            found.append(panels.Task(text, url, _("Hand out"), PRIZES))
    return found


def _to_play_off(tournament: Tournament) -> list[panels.Task]:
    on = PlayoffMatch.objects.filter(section__tournament=tournament, winner=None, dropped_at=None)
    found = []
    for match in on.select_related("section"):
        match.section.tournament = tournament
        text = _("%(group)s: the play-off for first place is on") % {"group": match.section.title_text}
        url = reverse("manage_playoff", args=[tournament.slug, match.pk])
        found.append(panels.Task(text, url, _("Enter the games"), 55))
    return found


def _to_publish(tournament: Tournament) -> list[panels.Task]:
    finished = (
        Stage.objects.filter(section__tournament=tournament, state=Stage.State.FINISHED)
        .exclude(kind=Stage.Kind.PLAYOFF)
        .values_list("section", flat=True)
    )
    playing = Stage.objects.filter(section__tournament=tournament).exclude(state__in=DONE).values_list("section")
    ready = list(tournament.sections.filter(pk__in=finished).exclude(pk__in=playing).order_by("ordinal"))
    for section in ready:
        section.tournament = tournament
    if not ready:
        return []
    if len(ready) == 1:
        text = _("%(group)s: all played, publish the places") % {"group": ready[0].title_text}
        url = reverse("manage_placings_of", args=[tournament.slug, ready[0].code])
        return [panels.Task(text, url, _("Publish the places"), PLACINGS)]
    text = ngettext("%(n)d group is all played", "%(n)d groups are all played", len(ready)) % {"n": len(ready)}
    names = ", ".join(section.title_text for section in ready)
    url = reverse("manage_placings", args=[tournament.slug])
    return [panels.Task(text, url, _("Publish the places"), PLACINGS, names)]


def _to_draw(tournament: Tournament) -> list[panels.Task]:
    states = lotteries_of(tournament, rules=prize_rules(tournament))
    url = reverse("manage_draws", args=[tournament.slug])
    found = []
    announced = [state for state in states if state.state == "open"]
    if announced and announced[0].current is not None:
        text = _("A prize draw is announced and waits for its numbers")
        one = reverse("manage_draw", args=[tournament.slug, announced[0].current.pk])
        found.append(panels.Task(text, one, _("Enter the numbers"), 65))
    ready = [state for state in states if state.state == "ready"]
    if ready:
        text = ngettext("%(n)d prize draw can be held", "%(n)d prize draws can be held", len(ready)) % {"n": len(ready)}
        found.append(panels.Task(text, url, _("Open the prize draws"), 66))
    outdated = [state for state in states if state.state == "decided" and state.is_outdated]
    if outdated:
        found.append(panels.Task(_("Tickets have changed hands since a prize draw"), url, _("Look"), 62))
    return found


# -- public ----------------------------------------------------------------------------------------------------------


def tabs(request: HttpRequest, section: Section) -> list[panels.Tab]:
    """The final places of a group, once there are some; before that the play-off for first place, when one is on."""
    if not PlacementList.objects.filter(section=section, category=None).exists():
        if not PlayoffMatch.objects.filter(section=section, dropped_at=None).exists():
            return []
        return [
            panels.Tab("playoff", _("Play-off"), reverse("playoff", args=[section.tournament.slug, section.code]), 50)
        ]
    url = reverse("placings", args=[section.tournament.slug, section.code])
    return [panels.Tab("placings", _("Places"), url, 50)]


def player_panel(request: HttpRequest, entry: Entry) -> panels.Panel | None:
    """A player's final place, what was won, and the ticket of a prize draw."""
    newest = PlacementList.objects.filter(section=entry.section, category=None).order_by("-number").first()
    if newest is None:
        return None
    line = Placement.objects.filter(list=newest, entry=entry).first()
    if line is None:
        return None
    tournament = entry.tournament
    entry.section.tournament = tournament
    tickets = []
    for state in lotteries_of(tournament, entry.section):
        if any(holder.entry.pk == entry.pk for holder in state.holders):
            won = state.current is not None and any(
                ticket.won and ticket.entry_id == entry.pk for ticket in state.current.tickets.all()
            )
            tickets.append({"state": state, "won": won, "lot": state.current.lot if state.current else None})
    line.entry = entry
    return panels.Panel(
        "prizes/_player_panel.html",
        {
            "row": place_rows([line])[0],
            "place": place_text(line.place, line.place_to),
            "awards": [award_row(one) for one in awards_of(tournament, entry.section, entry).statuses],
            "tickets": tickets,
            "url": reverse("placings", args=[tournament.slug, entry.section.code]),
        },
        order=10,
    )


def event_panel(request: HttpRequest, tournament: Tournament) -> panels.Panel | None:
    """The podium of every group whose places are published; before that what can be won."""
    lists: dict[int, PlacementList] = {}
    found = PlacementList.objects.filter(section__tournament=tournament, category=None).select_related("section")
    for one in found.order_by("-number"):
        lists.setdefault(one.section_id, one)
    if not lists:
        return _promise(tournament)
    lines: dict[int, list[Placement]] = {}
    for line in Placement.objects.filter(list__in=list(lists.values()), place__lte=3).select_related("entry__player"):
        lines.setdefault(line.list_id, []).append(line)
    awards = by_entry(awards_of(tournament).statuses)
    groups = []
    for one in sorted(lists.values(), key=lambda one: one.section.ordinal):
        one.section.tournament = tournament
        first = sorted(lines.get(one.pk, []), key=lambda line: (line.place or 0, line.pk))
        for line in first:
            line.entry.section, line.entry.tournament = one.section, tournament
        groups.append(
            {
                "section": one.section,
                "winners": podium(place_rows(first, awards)),
                "url": reverse("placings", args=[tournament.slug, one.section.code]),
            }
        )
    return panels.Panel(
        "prizes/_event_panel.html",
        {"groups": groups, "prizes_url": reverse("prizes", args=[tournament.slug])},
        order=10,
    )


def _promise(tournament: Tournament) -> panels.Panel | None:
    """What can be won, in a line, with the way to the whole list; nothing where the regulation names no prizes."""
    if not tournament.regulations.exists():
        return None
    rules = prize_rules(tournament)
    if not (rules.prizes or rules.lotteries or rules.awards):
        return None
    money = total(
        [*(prize.total for prize in rules.prizes), *(lottery.total for lottery in rules.lotteries)],
        tournament.currency,
    )
    return panels.Panel(
        "prizes/_promise_panel.html",
        {
            "money": money if money else None,
            "shares": any(prize.percent and not prize.places for prize in rules.prizes),
            "draws": len(rules.lotteries),
            "many": tournament.sections.count() > 1,
            "prizes_url": reverse("prizes", args=[tournament.slug]),
        },
        order=40,
    )


def report_panel(request: HttpRequest, tournament: Tournament) -> panels.Panel | None:
    """Money and awards for the printed report; the fund for the organizer and the treasurer."""
    awards = awards_of(tournament)
    return panels.Panel(
        "prizes/_report_panel.html",
        {
            "rows": [award_row(one) for one in awards.statuses],
            "fund": fund_of(tournament, awards) if may(request, tournament, "balance") else None,
        },
        order=60,
    )


def fund_rows(tournament: Tournament) -> list[panels.FundRow]:
    """The event's balance for the treasurer: fees received, other income, expenses, prizes promised, what is left."""
    try:
        fund = fund_of(tournament)
    except TourneyError:
        return []  # more was refunded than came in: no balance can be struck before that is put right
    spent = fund.planned.outgo - fund.promised
    other = fund.now.income - fund.received
    rows = [panels.FundRow(_("Fees received"), fund.received, order=1)]
    if other:
        rows.append(panels.FundRow(_("Sponsors, subsidies and other income"), other, order=2))
    if spent:
        rows.append(panels.FundRow(_("Expenses"), -spent, order=3))
    rows.append(panels.FundRow(_("Prizes promised"), -fund.promised, order=4))
    url = reverse("manage_fund", args=[tournament.slug])
    rows.append(panels.FundRow(_("Left when all prizes are handed out"), fund.left, url, strong=True, order=5))
    return rows


# -- rehearsal -------------------------------------------------------------------------------------------------------


def play(stage: Stage, chance: Chance) -> bool:
    """Publish places and draw lotteries of a rehearsal, one step at a time."""
    return play_step(stage, chance)
