"""What this app adds to core pages (see `tourney.panels`): tabs, the step "Rounds", tasks, and a player's rounds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db.models import Count, Q
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from swiss import archive_ids
from swiss.boards import bye_words, own_points
from swiss.exchange_forms import MAX_BYTES as LARGEST_REPORT
from swiss.following import followings
from swiss.hall import hall_kinds
from swiss.models import Pairing, Round
from swiss.own_pairings import own_pairings
from swiss.reports import change_text, expected_change, has_rounds, newcomers
from swiss.selectors import PUBLIC_STATES, ROUND_KINDS, entries_of, round_stage
from swiss.services import (
    deadline_of,
    held_operations,
    play_step,
    rebuild,
    resume_rounds,
    rounds_in_play,
    stop_rounds,
)
from swiss.services.sanctions import carry_out
from swiss.sheets import sheet_kinds
from swiss.tables import columns_of, tie_text
from swiss.unpublished import of_stage
from tourney import panels, uploads
from tourney.formatting import moment_text
from tourney.kernel.chance import Chance
from tourney.kernel.points import format_points
from tourney.models import Entry, ResultConflict, Section, Stage, StandingRow, Tournament
from tourney.permissions import may
from tourney.selectors import current_regulation
from tourney.svg import Progress


def register() -> None:
    """Add this app's providers."""
    archive_ids.register()
    uploads.allow("manage_trf", LARGEST_REPORT)
    panels.register("tabs", tabs)
    panels.register("steps", rounds_step)
    panels.register("now", tasks)
    panels.register("numbers", numbers)
    panels.register("player", player_panel)
    panels.register("event", event_panel)
    panels.register("play", play)
    panels.register("milestones", milestones)
    panels.register("rebuild", rebuild_all)
    panels.register("sanctioned", carry_out)
    panels.register("report", rating_panel)
    panels.register("hall", hall_kinds)
    panels.register("sheets", sheet_kinds)
    panels.register("follow", followings)
    panels.register("own_pairings", own_pairings)
    panels.register("in_play", rounds_in_play)
    panels.register("stop_play", stop_rounds)
    panels.register("resume_play", resume_rounds)


def milestones() -> set[str]:
    """Return the acts after which a backup is made at once."""
    return {"swiss.round_published", "swiss.play_closed"}


# -- public ----------------------------------------------------------------------------------------------------------


def tabs(request: HttpRequest, section: Section) -> list[panels.Tab]:
    """Pairings, standings and crosstable of a group that is played in rounds."""
    if round_stage(section) is None:
        return []
    args = [section.tournament.slug, section.code]
    return [
        panels.Tab("pairings", gettext_lazy("Pairings"), reverse("pairings", args=args), 20),
        panels.Tab("standings", gettext_lazy("Standings"), reverse("standings", args=args), 30),
        panels.Tab("crosstable", gettext_lazy("Crosstable"), reverse("crosstable", args=args), 40),
    ]


def event_panel(request: HttpRequest, tournament: Tournament) -> panels.Panel | None:
    """Which round every group is in, with the way to its pairings and standings. Three queries."""
    stages = _stages(tournament)
    newest = newest_rounds(stages, states=PUBLIC_STATES)
    if not newest:
        return None
    guests: dict[int, list[Section]] = {}
    for section in tournament.sections.filter(merged_into__isnull=False).order_by("ordinal"):
        section.tournament = tournament
        guests.setdefault(section.merged_into_id or 0, []).append(section)
    rows = []
    for stage in stages:
        if stage.pk not in newest:
            continue
        stage.section.tournament = tournament
        names = [one.title_text for one in guests.get(stage.section_id, [])]
        rows.append({"stage": stage, "section": stage.section, "round": newest[stage.pk], "guests": names})
    # A stop is for all groups at once: one notice says it for them.
    pause = next((one for row in rows for one in row["stage"].pauses.all() if one.ended_at is None), None)
    return panels.Panel("swiss/_event_panel.html", {"rows": rows, "tournament": tournament, "pause": pause}, order=10)


def player_panel(request: HttpRequest, entry: Entry) -> panels.Panel | None:
    """Where a player plays next, the place so far, rounds without an opponent, and the way of the points."""
    section = entry.section
    section.tournament = entry.tournament
    stage = round_stage(section)
    if stage is None or entry.start_number is None:
        return None
    rows = list(
        Pairing.objects.filter(Q(white=entry) | Q(black=entry), round__stage=stage, round__state__in=PUBLIC_STATES)
        .select_related("round", "game", "white__player", "white__section", "black__player", "black__section")
        .order_by("round__number")
    )
    if not rows:
        return None
    places = list(
        StandingRow.objects.filter(stage=stage, entry=entry)
        .order_by("after_round")
        .values_list("after_round", "rank", "points", "values")
    )
    rounds = [_round_of(entry, row, stage) for row in rows]
    last = rows[-1]
    playing = last.game is not None and not last.game.outcome and entry.is_active
    points = tuple(row[2] for row in places)
    table = reverse("standings", args=[section.tournament.slug, section.code])
    change = expected_change(stage, entry)
    return panels.Panel(
        "swiss/_player_panel.html",
        {
            "entry": entry,
            "tournament": section.tournament,
            "stage": stage,
            "next": rounds[-1] if playing else None,
            "next_round": last.round if playing else None,
            "byes": [one for one in rounds if one["bye"]],
            "squares": [(one["text"], one["color"]) for one in rounds],
            "place": places[-1][1] if places else None,
            "after_round": places[-1][0] if places else None,
            "points": places[-1][2] if places else None,
            "tie_breaks": _tie_breaks(stage, entry, places[-1][3]) if places else [],
            "change": change_text(change) if change else "",
            "change_games": change.games if change else 0,
            "why_url": f"{table}?{'of=all&' if section.merged_into_id else ''}why={entry.pk}#why",
            "chart": Progress(
                _("Points after each round"),
                _("Points of %(name)s after each round: %(points)s.")
                % {"name": entry.name, "points": ", ".join(format_points(p) for p in points)},
                points,
                rounds=stage.rounds_total,
            )
            if len(points) > 1
            else None,
        },
        order=20,
    )


def _tie_breaks(stage: Stage, entry: Entry, values: list[dict[str, Any]]) -> list[dict[str, str]]:
    """Return the tie-breaks of a line of the standings with their names, in the order they count."""
    texts = {value["code"]: tie_text(value["text"]) for value in values}
    private = of_stage(stage, entries_of(stage))
    return [
        {"label": column.label, "title": column.title, "text": texts[column.code]}
        for column in columns_of(stage)
        if texts.get(column.code) and not private.hides(column.code, entry.pk)
    ]


def _round_of(entry: Entry, row: Pairing, stage: Stage) -> dict[str, Any]:
    white = row.white_id == entry.pk
    opponent = row.black if white else row.white
    if row.bye:
        text = {"H": "½", "Z": "0", "F": "1", "U": "1"}[row.bye]
        if stage.kind == Stage.Kind.ROUND_ROBIN:
            text = "–"
        return {"round": row.round, "bye": bye_words(stage, row.bye), "text": text, "color": "", "opponent": None}
    color = "w" if white else "b"
    outcome = row.game.outcome if row.game else ""
    played = outcome not in ("+-", "-+", "--")
    return {
        "round": row.round,
        "bye": "",
        "board": row.board,
        "opponent": opponent,
        "color": color if played else "",
        "text": own_points(outcome, color) or "·",
    }


# -- staff -----------------------------------------------------------------------------------------------------------


def _stages(tournament: Tournament) -> list[Stage]:
    return list(
        Stage.objects.filter(section__tournament=tournament, kind__in=ROUND_KINDS)
        .exclude(state=Stage.State.PLANNED)
        .select_related("section")
        .prefetch_related("pauses")
    )


def rounds_step(tournament: Tournament) -> panels.Step | None:
    """The step "Rounds", for events where a group is played in rounds or may be by the regulation."""
    stages = _stages(tournament)
    if not stages and not _rounds_possible(tournament):
        return None
    over = [stage for stage in stages if stage.state in (Stage.State.FINISHED, Stage.State.CLOSED)]
    running = [stage for stage in stages if stage.state == Stage.State.RUNNING]
    if stages and len(over) == len(stages):
        state = "done"
    else:
        state = "now" if running or stages else "todo"
    return panels.Step(
        "rounds",
        gettext_lazy("Rounds"),
        reverse("manage_rounds_overview", args=[tournament.slug]),
        state=state,
        count=f"{len(over)}/{len(stages)}" if len(stages) > 1 else "",
        note="" if stages else gettext_lazy("no start list is closed"),
        order=50,
    )


def _rounds_possible(tournament: Tournament) -> bool:
    regulation = current_regulation(tournament)
    stages = regulation.spec.get("stages", []) if regulation else []
    return any(option.get("kind") in ROUND_KINDS for stage in stages for option in stage.get("options", []))


def tasks(request: HttpRequest, tournament: Tournament) -> list[panels.Task]:
    """What waits in the rounds of all groups. Three queries, however many groups."""
    if not may(request, tournament, "enter_results"):
        return []
    stages = [stage for stage in _stages(tournament) if stage.state in (Stage.State.READY, Stage.State.RUNNING)]
    if not stages:
        return []
    arbitrates = may(request, tournament, "arbitrate")
    newest = newest_rounds(stages)
    every = Stage.objects.filter(section__tournament=tournament).exclude(kind=Stage.Kind.PLAYOFF)
    several = every.count() > 1
    late = _late_boards(tournament, newest, stages)
    for stage in stages:
        stage.section.tournament = tournament
    found = _disputed(tournament, stages, several)
    for stage in stages:
        found += _tasks_of(stage, newest.get(stage.pk), late.get(stage.pk, 0), arbitrates, several)
    return found


def _disputed(tournament: Tournament, stages: list[Stage], several: bool) -> list[panels.Task]:
    """Boards two people disagree about, and entries that wait for an arbiter: before anything else."""
    found = []
    boards: dict[int, list[int]] = {}
    conflicts = ResultConflict.objects.filter(game__stage__in=stages, resolved_at__isnull=True)
    for stage_id, number in conflicts.order_by("game__round_number").values_list("game__stage", "game__round_number"):
        boards.setdefault(stage_id, []).append(number)
    for stage in stages:
        rounds = boards.get(stage.pk, [])
        if rounds:
            text = ngettext("Results differ on %(n)d board", "Results differ on %(n)d boards", len(rounds))
            args = [tournament.slug, stage.section.code, rounds[0]]
            where = stage.section.title_text if several else ""
            found.append(
                panels.Task(text % {"n": len(rounds)}, reverse("manage_results", args=args), _("Decide"), 40, where)
            )
    held = held_operations(tournament)
    if held:
        newest = newest_rounds(stages, states=PUBLIC_STATES)
        stage = next((one for one in stages if one.pk in newest), None)
        if stage is not None:
            text = ngettext("%(n)d entry is kept for you", "%(n)d entries are kept for you", len(held))
            args = [tournament.slug, stage.section.code, newest[stage.pk].number]
            found.append(panels.Task(text % {"n": len(held)}, reverse("manage_results", args=args), _("Decide"), 41))
    return found


def newest_rounds(stages: list[Stage], *, states: Iterable[str] = Round.State.values) -> dict[int, Round]:
    """Return the newest round of each stage with the number of games without a result. One query."""
    rounds = (
        Round.objects.filter(stage__in=stages, state__in=states)
        .annotate(
            missing=Count("pairings", filter=Q(pairings__game__isnull=False, pairings__game__outcome="")),
            games=Count("pairings", filter=Q(pairings__black__isnull=False)),
        )
        .order_by("stage", "number")
    )
    return {round_.stage_id: round_ for round_ in rounds}  # a later round takes the place of an earlier one


def _late_boards(tournament: Tournament, newest: dict[int, Round], stages: list[Stage]) -> dict[int, int]:
    """Return for each stage how many boards wait for somebody whose time is over (M7.4)."""
    now = timezone.now()
    by_pk = {stage.pk: stage for stage in stages}
    over = []
    for stage_id, round_ in newest.items():
        stage = by_pk[stage_id]
        stage.section.tournament = tournament
        deadline = deadline_of(round_, stage) if round_.started_at else None
        if deadline is not None and now > deadline and round_.missing:  # type: ignore[attr-defined]
            over.append(round_.pk)
    if not over:
        return {}
    rows = (
        Pairing.objects.filter(round__in=over, game__isnull=False, game__outcome="")
        .filter(Q(absent_white=True) | Q(absent_black=True))
        .order_by()
        .values_list("round__stage")
        .annotate(boards=Count("pk"))
    )
    return dict(rows)


def _tasks_of(stage: Stage, newest: Round | None, late: int, arbitrates: bool, several: bool) -> list[panels.Task]:
    section = stage.section
    slug = section.tournament.slug
    where = section.title_text if several else ""
    args = [slug, section.code]
    rounds_url = reverse("manage_rounds", args=args)
    if newest is None or newest.state == Round.State.DONE:
        number = (newest.number if newest else 0) + 1
        if not arbitrates or (stage.rounds_total and number > stage.rounds_total):
            return []
        text = _("Round %(round)s can be paired") % {"round": number}
        return [panels.Task(text, rounds_url, _("Pair round %(round)s") % {"round": number}, 52, where)]
    url = reverse("manage_round", args=[*args, newest.number])
    if newest.state == Round.State.DRAFT:
        if not arbitrates:
            return []
        text = _("Round %(round)s is a draft nobody sees yet") % {"round": newest.number}
        return [panels.Task(text, url, _("Look and publish"), 48, where)]
    found = []
    if late:
        text = ngettext("%(n)d board waits for somebody too late", "%(n)d boards wait for somebody too late", late)
        late_url = reverse("manage_lateness", args=[*args, newest.number])
        found.append(panels.Task(text % {"n": late}, late_url, _("Decide"), 45, where))
    if newest.started_at is None and newest.scheduled_at and newest.scheduled_at <= timezone.now():
        text = _("The hour of round %(round)s has come") % {"round": newest.number}
        when = moment_text(newest.scheduled_at, section.tournament.zone)
        detail = f"{where} · {when}" if where else when
        if arbitrates:
            found.append(panels.Task(text, url, _("Start the clocks"), 46, detail))
    missing: int = newest.missing  # type: ignore[attr-defined]
    if missing:
        text = ngettext("%(n)d board without a result", "%(n)d boards without a result", missing) % {"n": missing}
        detail = _("round %(round)s") % {"round": newest.number}
        detail = f"{where} · {detail}" if where else detail
        results = reverse("manage_results", args=[*args, newest.number])
        found.append(panels.Task(text, results, _("Enter results"), 50, detail))
    return found


def numbers(request: HttpRequest, tournament: Tournament) -> list[panels.Number]:
    """Games under way, for the staff home."""
    games = Pairing.objects.filter(
        round__stage__section__tournament=tournament,
        round__state=Round.State.RUNNING,
        game__isnull=False,
        game__outcome="",
    ).count()
    if not games:
        return []
    return [panels.Number(games, _("games still played"), reverse("manage_rounds_overview", args=[tournament.slug]))]


def rating_panel(request: HttpRequest, tournament: Tournament) -> panels.Panel | None:
    """Files for the federation in the report (M7.5), for those who send them."""
    if not may(request, tournament, "arbitrate"):
        return None
    stages = _stages(tournament)
    shown = has_rounds(stages)
    asks = [stage for stage in stages if (stage.rules.get("conduct") or {}).get("ids_for_newcomers")]
    if not shown and not asks:
        return None
    sections = {stage.section_id: stage.section for stage in stages if stage.pk in shown}
    for section in sections.values():
        section.tournament = tournament
    return panels.Panel(
        "swiss/_rating_panel.html",
        {
            "tournament": tournament,
            "reports": list(sections.values()),
            "asks": bool(asks),
            "newcomers": len(newcomers(tournament)) if asks else 0,
        },
        order=30,
    )


# -- rehearsal, rebuild ----------------------------------------------------------------------------------------------


def play(stage: Stage, chance: Chance) -> bool:
    return play_step(stage, chance)


def rebuild_all(tournament: Tournament) -> None:
    stages = Stage.objects.filter(section__tournament=tournament, kind__in=ROUND_KINDS)
    for pk in stages.values_list("pk", flat=True):
        rebuild(pk)
