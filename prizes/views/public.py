"""Public pages: final places of a group, and the prizes of an event with its draws and its fund (K8.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from prizes.engine.rules import PrizeRules
from prizes.models import PrizePot
from prizes.rows import award_row, by_entry, open_tickets, place_rows, playoff_row, podium
from prizes.selectors.awards import awards_of
from prizes.selectors.draws import LotteryState, is_decided, lotteries_of, money_of
from prizes.selectors.fund import fund_of
from prizes.selectors.places import standing_of
from prizes.selectors.playoffs import Settlement, settlements_of
from prizes.selectors.prize_rules import prize_rules
from prizes.selectors.published import published_places
from prizes.words import change_text, place_text, things_text
from tourney.models import Placement, Section, Tournament
from tourney.navigation import public_context
from tourney.permissions import public_tournament, section_of
from tourney.shared_cache import shared


@shared()
@require_safe
def placings(request: HttpRequest, slug: str, section: str) -> HttpResponse:
    """The final places of a group, with medals, prizes and what was corrected; `?list=` shows an earlier list."""
    tournament = public_tournament(request, slug)
    one = section_of(tournament, section)
    number = request.GET.get("list", "")
    if number and not (number.isdecimal() and len(number) < 5):
        raise Http404
    places = published_places(one, int(number) if number else None)
    if places is None:
        raise Http404
    context: dict[str, Any] = {"places": places, "rows": [], "winners": [], "changes": []}
    if places.shown is None:
        standing = standing_of(one)
        context["playoffs"] = [playoff_row(draft) for draft in standing.playoffs if draft.section.pk == one.pk]
        context["playing"] = bool(standing.stages)
    else:
        newest = places.is_newest
        awards = by_entry(awards_of(tournament, one).statuses) if newest else {}
        lotteries = lotteries_of(tournament, one) if newest else []
        rows = place_rows(places.shown.lines, awards, open_tickets(lotteries, _("ticket in a draw")))
        context |= {
            "rows": rows,
            "winners": podium(rows),
            "settled": _settled(one, places.shown.lines) if newest else None,
            "with_points": any(row.points is not None for row in rows),
            "with_prizes": any(row.prizes or row.ticket for row in rows),
            "changes": [change_text(change) for change in places.shown.changes],
            "versions": [
                {
                    "label": _("List %(number)s") % {"number": listed.number},
                    "url": f"?list={listed.number}",
                    "active": listed.number == places.shown.list.number,
                }
                for listed in reversed(places.numbers)
            ],
            "categories": [
                {
                    "title": tournament.in_words(listed.list.category.title) or listed.list.category.code,
                    "rows": place_rows(listed.lines),
                    "code": listed.list.category.code,
                }
                for listed in places.categories
                if listed.list.category is not None
            ],
        }
    return render(
        request,
        "prizes/placings.html",
        _with_switch(public_context(request, tournament, section=one, active="placings", **context)),
    )


def _settled(section: Section, lines: Sequence[Placement]) -> Settlement | None:
    """Return how the first place of the newest list was played off, if it was (M8.2)."""
    first = next((line.entry_id for line in lines if line.place == 1), None)
    found = [one for one in settlements_of([section]).get(section.pk, []) if one.winner_id == first]
    return found[-1] if found else None


def _with_switch(context: dict[str, Any]) -> dict[str, Any]:
    """Let the group switch lead to the same page of the other groups."""
    slug, here = context["tournament"].slug, context["section"]
    if len(context["sections"]) > 1:
        context["section_links"] = [
            {
                "label": one.title_text,
                "url": reverse("placings", args=[slug, one.code]),
                "active": one.pk == here.pk,
            }
            for one in context["sections"]
        ]
    return context


@shared()
@require_safe
def prizes(request: HttpRequest, slug: str) -> HttpResponse:
    """What is to be won, who has won it, the draws, and the fund in totals."""
    tournament = public_tournament(request, slug)
    rules = prize_rules(tournament)
    awards = awards_of(tournament)
    lotteries = lotteries_of(tournament, rules=rules)
    context = public_context(request, tournament, active="about")
    groups: dict[int, dict[str, Any]] = {}
    for status in awards.statuses:
        group = groups.setdefault(status.award.section_id, {"section": status.award.section, "rows": []})
        group["rows"].append(award_row(status))
    sections = {one.code: one for one in context["sections"]}
    fund = fund_of(tournament, awards)
    return render(
        request,
        "prizes/prizes.html",
        {
            **context,
            "promises": _promises(tournament, rules, sections),
            "groups": list(groups.values()),
            "many": len(context["sections"]) > 1,
            "lotteries": [_lottery_row(state) for state in lotteries],
            "announced": [] if lotteries else rules.lotteries,
            "fund": fund,
            "balance": fund.left,
            "lots_url": reverse("lots", args=[tournament.slug]),
        },
    )


def _promises(tournament: Tournament, rules: PrizeRules, sections: dict[str, Section]) -> list[dict[str, Any]]:
    """Return what each place gets by the regulation: money (or a share of the fund) and things in one line."""
    titles = {rule.code: tournament.in_words(rule.title) for rule in rules.categories}

    def words(codes: tuple[str, ...], category: str) -> str:
        names = [sections[code].title_text for code in codes if code in sections]
        return ", ".join([*names, *([titles.get(category) or category] if category else [])])

    found: dict[tuple[tuple[str, ...], str], dict[int, dict[str, Any]]] = {}
    clauses: dict[tuple[tuple[str, ...], str], list[str]] = {}
    for prize in rules.prizes:
        key = (prize.sections, prize.category)
        for place in prize.numbers:
            row = found.setdefault(key, {}).setdefault(place, {"place": place})
            if place in prize.places:
                row["amount"] = prize.places[place]
            else:
                row["share"] = _("%(percent)s %% %(base)s") % {
                    "percent": prize.percent[place],
                    "base": PrizePot.Base(prize.base.value).label,
                }
        clauses.setdefault(key, []).append(prize.clause)
    for rule in rules.awards:
        key = (rule.sections, rule.category)
        found.setdefault(key, {}).setdefault(rule.place, {"place": rule.place})["things"] = things_text(rule.things)
        clauses.setdefault(key, []).append(rule.clause)
    return [
        {
            "title": words(*key),
            "rows": [places[place] for place in sorted(places)],
            "clause": ", ".join(dict.fromkeys(clause for clause in clauses[key] if clause)),
        }
        for key, places in found.items()
    ]


def _lottery_row(state: LotteryState) -> dict[str, Any]:
    current = state.current
    decided = current is not None and is_decided(current)
    tickets = current.tickets.all() if current is not None else ()
    return {
        "state": state,
        "amount": money_of(current) if current is not None else state.lottery.amount,
        "places": ", ".join(place_text(place) for place in state.lottery.places),
        "tickets": [
            {"name": ticket.entry.name, "place": ticket.place, "won": decided and ticket.won} for ticket in tickets
        ]
        or [{"name": holder.entry.name, "place": holder.place, "won": False} for holder in state.holders],
        "lot": current.lot if current is not None else None,
        "earlier": [draw.lot for draw in state.draws if draw is not current],
    }
