"""How long one result takes in a bracket of 32: from the entry to the committed bracket.

    python bench/bracket_result.py [matches]

Plays a bracket match by match through the services and times `enter_game_result` alone; the database is the one of the
settings, the event is thrown away at the end. Prints the median, the slowest of
twenty, and the number of queries.
"""

# ruff: noqa: E402, T201 -- a script: settings come before the models, and it prints
from __future__ import annotations

import os
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tourney.settings")

import django

django.setup()

from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from brackets.engine.match_fold import AwaitColor, AwaitGame, AwaitLot
from brackets.models import Match
from brackets.selectors import load_table
from brackets.services import (
    call_match,
    choose_color,
    confirm_draw,
    draw_color_lot,
    enter_game_result,
    seed_without_lot,
)
from brackets.services.rehearsal import random_result
from tourney.kernel.chance import Chance
from tourney.models import Player, Stage
from tourney.services.rehearsal import delete_with_everything
from tourney.services.stages import close_entries
from tourney.testing import builders


def main() -> None:
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 96
    tournament = builders.event("second-chance-32", slug=f"bench-{int(time.time())}")
    try:
        measure(tournament, wanted)
    finally:
        players = list(Player.objects.filter(entries__tournament=tournament).values_list("pk", flat=True))
        with transaction.atomic():
            delete_with_everything(tournament)
        Player.objects.filter(pk__in=players).delete()


def measure(tournament: object, wanted: int) -> None:
    section = tournament.sections.get()  # type: ignore[attr-defined]
    section.tournament = tournament
    for number in range(32):
        builders.entry(section, rating=2200 - 20 * number, level="1")
    (stage, *_) = close_entries(section, actor=None)
    seed_without_lot(stage.pk, method="fold", reason="bench")
    confirm_draw(stage.pk)
    stage = Stage.objects.select_related("section__tournament").get(pk=stage.pk)
    chance = Chance.labelled(1, "bench")
    times: list[float] = []
    last: list[float] = []
    work: list[float] = []
    queries: list[int] = []
    for _ in range(wanted):
        table = load_table(stage)
        if table is None or not table.state.open_matches:
            break
        key = table.state.open_matches[0].key
        call_match(stage.pk, key)
        while True:
            table = load_table(stage)
            if table is None or not table.view(key).is_open:
                break
            state = table.match_state(key)
            match state.awaiting:
                case AwaitColor():
                    choose_color(stage.pk, key, color="w")
                case AwaitLot():
                    draw_color_lot(stage.pk, key)
                case AwaitGame(number=number):
                    outcome = random_result(state, chance).value
                    with CaptureQueriesContext(connection) as captured:
                        begun, worked = time.perf_counter(), time.process_time()
                        enter_game_result(stage.pk, key, number=number, outcome=outcome)
                        took = time.perf_counter() - begun
                        work.append(time.process_time() - worked)
                    times.append(took)
                    queries.append(len(captured))
                    if Match.objects.get(bracket=table.bracket, key=key).state == Match.State.DONE:
                        last.append(took)
    for name, values in (("all games", times), ("games that end a match", last)):
        ordered = sorted(values)
        print(
            f"{name}: {len(values)}, median {statistics.median(values) * 1000:.1f} ms, "
            f"p95 {ordered[len(ordered) * 95 // 100] * 1000:.1f} ms, slowest {ordered[-1] * 1000:.1f} ms"
        )
    print(f"this process's own time: median {statistics.median(work) * 1000:.1f} ms")
    print(f"queries: most {max(queries)}, median {statistics.median(queries):.0f}")


if __name__ == "__main__":
    main()
