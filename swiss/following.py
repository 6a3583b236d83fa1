"""Where followed players of a stage in rounds are: board, opponent, result, place, and when the next round begins."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from swiss.boards import bye_words, own_points
from swiss.models import Pairing, Round
from swiss.plans import scheduled_start
from swiss.selectors import PUBLIC_STATES, ROUND_KINDS
from tourney.following import Following
from tourney.formatting import moment_text
from tourney.kernel.points import format_points
from tourney.models import Entry, Stage, StandingRow

COLORS = {"w": "○", "b": "●"}


def followings(entries: Sequence[Entry]) -> dict[int, Following]:
    """Return what is to be said of players of one event. Five queries, however many there are."""
    stages = _stages(entries)
    rounds = {
        round_.stage_id: round_
        for round_ in Round.objects.filter(stage__in=stages.values(), state__in=PUBLIC_STATES).order_by("number")
    }
    ids = [entry.pk for entry in entries]
    pairings: dict[int, Pairing] = {}
    mine = Pairing.objects.filter(Q(white__in=ids) | Q(black__in=ids), round__in=rounds.values())
    for pairing in mine.select_related("game", "white__player", "black__player"):
        for pk in (pairing.white_id, pairing.black_id):
            if pk is not None:
                pairings[pk] = pairing
    places = {
        row["entry"]: row
        for row in StandingRow.objects.filter(stage__in=stages.values(), entry__in=ids)
        .order_by("after_round")
        .values("entry", "rank", "points", "after_round")
    }
    found = {}
    for entry in entries:
        stage = stages.get(entry.section.merged_into_id or entry.section_id)
        if stage is not None and stage.pk in rounds and entry.start_number is not None:
            found[entry.pk] = _of(entry, stage, rounds[stage.pk], pairings.get(entry.pk), places.get(entry.pk))
    return found


def _stages(entries: Sequence[Entry]) -> dict[int, Stage]:
    """Return the stage each host group's pages are about, as `selectors.round_stage` chooses it. One query."""
    hosts = {entry.section.merged_into_id or entry.section_id for entry in entries}
    found: dict[int, Stage] = {}
    for stage in (
        Stage.objects.filter(section__in=hosts, kind__in=ROUND_KINDS).select_related("section").order_by("ordinal")
    ):
        stage.section.tournament = entries[0].tournament
        if stage.section_id not in found or stage.state != Stage.State.PLANNED:
            found[stage.section_id] = stage
    return found


def _of(entry: Entry, stage: Stage, round_: Round, pairing: Pairing | None, place: dict[str, int] | None) -> Following:
    tournament = entry.tournament
    head = _("Round %(round)s") % {"round": round_.number}
    now, playing = "", False
    if pairing is None:
        now = _("Round %(round)s: does not play") % {"round": round_.number} if entry.is_active else ""
    elif pairing.black is None:
        now = f"{head}: {bye_words(stage, pairing.bye)}"
    else:
        color = "w" if pairing.white_id == entry.pk else "b"
        opponent = pairing.black if color == "w" else pairing.white
        outcome = pairing.game.outcome if pairing.game else ""
        against = _("against %(name)s") % {"name": opponent.name}
        if outcome:
            now = f"{head}: {own_points(outcome, color)} {COLORS[color]} {against}"
        else:
            playing = True
            where = _("Round %(round)s, board %(board)s") % {"round": round_.number, "board": pairing.board}
            now = f"{where}: {COLORS[color]} {against}"
            if round_.started_at is None and round_.scheduled_at:
                now += f" · {moment_text(round_.scheduled_at, tournament.zone)}"
    url = reverse("round", args=[tournament.slug, stage.section.code, round_.number])
    return Following(now, url, _place_words(place), "" if playing else _next_words(stage, round_), is_playing=playing)


def _place_words(place: dict[str, int] | None) -> str:
    if place is None:
        return ""
    values = {"place": place["rank"], "points": format_points(place["points"]), "round": place["after_round"]}
    return _("Place %(place)s, points %(points)s after round %(round)s") % values


def _next_words(stage: Stage, round_: Round) -> str:
    """Say when the next round begins by the schedule; nothing once that hour has passed or the last is played."""
    number = round_.number + 1
    if stage.state != Stage.State.RUNNING or (stage.rounds_total and number > stage.rounds_total):
        return ""
    at = scheduled_start(stage, number)
    if at is None or at < timezone.now():
        return ""
    moment = moment_text(at, stage.section.tournament.zone)
    return _("Next: round %(round)s, %(moment)s") % {"round": number, "moment": moment}
