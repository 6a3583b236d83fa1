"""How long one result takes, from entry to committed standings, with 300 players.

    python bench/result_entry.py [--players 300] [--rounds 4] [--results 60]

Makes a Swiss of its own, plays some rounds, and then enters the results of the next one board by board. Three things
are measured: the service (one transaction with its COMMIT), the whole page (the request a tablet sends, through
middleware, session and template), and the number of SQL statements. The event is deleted at the end. Runs on
`DATABASE_URL` when that is set, else on the embedded database.
"""

# ruff: noqa: T201 -- a script prints
from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

ROOT = Path(__file__).resolve().parent.parent
WARM_UP = 8


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--players", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=4, help="rounds played before the one that is measured")
    parser.add_argument(
        "--results", type=int, default=60, help="results entered by the service, and as many by the page"
    )
    asked = parser.parse_args()
    stop = connect()
    try:
        run(asked.players, asked.rounds, asked.results)
    finally:
        stop()
    return 0


def connect() -> Callable[[], None]:
    """Set Django up; start the embedded database if no other is named. Return what stops it again."""
    sys.path.insert(0, str(ROOT))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tourney.settings")
    if os.environ.get("DATABASE_URL"):
        os.environ.setdefault("REDIS_URL", "redis://127.0.0.1:6379/9")
        os.environ.setdefault("SECRET_KEY", "only-for-measuring-" + "0" * 50)
        os.environ.setdefault("ALLOWED_HOSTS", "testserver")
        os.environ.setdefault("HTTPS", "0")
    else:
        os.environ.setdefault("ALLOWED_HOSTS", "testserver")
    import django  # noqa: PLC0415 -- the environment above must be in place first
    from django.conf import settings  # noqa: PLC0415

    stop: Callable[[], None] = lambda: None  # noqa: E731
    if settings.LAPTOP_MODE:
        from tourney.laptop.running import embedded_database  # noqa: PLC0415

        settings.DATA_FOLDER.make()
        server = embedded_database(settings.DATA_FOLDER, print)
        if server.start("tourney"):
            stop = server.stop
    django.setup()
    from django.core.management import call_command  # noqa: PLC0415

    call_command("migrate", verbosity=0)
    return stop


def run(players: int, rounds: int, results: int) -> None:
    from django.db import connection  # noqa: PLC0415
    from django.test import Client  # noqa: PLC0415
    from django.test.utils import CaptureQueriesContext  # noqa: PLC0415
    from django.urls import reverse  # noqa: PLC0415

    from swiss.services import enter_result, pair_next_round, publish_round  # noqa: PLC0415

    print(f"{players} players, {rounds} rounds played; making the event …", flush=True)
    stage, arbiter = event_of(players, rounds)
    try:
        before = time.perf_counter()
        draft = pair_next_round(stage.pk, actor=arbiter)
        paired = time.perf_counter() - before
        round_ = publish_round(draft.pk, actor=arbiter)
        games = [pairing.game for pairing in round_.pairings.select_related("game") if pairing.game]
        if len(games) < WARM_UP + 2:
            raise SystemExit("too few boards to measure")
        half = min(results, (len(games) - WARM_UP) // 2)
        warm, by_service, by_page = games[:WARM_UP], games[WARM_UP : WARM_UP + half], games[WARM_UP + half :][:half]
        outcomes = ("1-0", "1/2", "0-1")

        def serve(game: Any, index: int) -> None:
            enter_result(
                stage_id=stage.pk,
                game_id=game.pk,
                outcome=outcomes[index % 3],
                actor=arbiter,
                base_version=0,
                operation=uuid4(),
            )

        for index, game in enumerate(warm):
            serve(game, index)
        service = [timed(serve, game, index) for index, game in enumerate(by_service)]

        client = Client(headers={"accept-language": "uk", "hx-request": "true"})
        client.force_login(arbiter)
        section = stage.section
        address = reverse("manage_results", args=[section.tournament.slug, section.code, round_.number])

        def send(game: Any, index: int) -> None:
            answer = client.post(
                address,
                {"game": game.pk, "outcome": outcomes[index % 3], "version": "0", "operation": str(uuid4())},
            )
            if answer.status_code != 200:
                raise SystemExit(f"the page answered {answer.status_code}")

        send(by_page[0], 0)
        page = [timed(send, game, index) for index, game in enumerate(by_page[1:], 1)]

        with CaptureQueriesContext(connection) as captured:
            enter_result(
                stage_id=stage.pk,
                game_id=by_service[0].pk,
                outcome="0-1",
                actor=arbiter,
                reason="measuring",
                operation=uuid4(),
            )
        kinds = [query["sql"].split(" ", 1)[0] for query in captured]
        frame = sum(1 for kind in kinds if kind in ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE"))
        print(f"pairing the round (draft)     {paired * 1000:8.1f} ms")
        show("service, one transaction", service)
        show("page, from request to answer", page)
        print(f"statements of one result      {len(kinds) - frame:8d}   (and BEGIN, COMMIT)")
    finally:
        delete_event(stage, arbiter)


def timed(act: Callable[[Any, int], None], game: Any, index: int) -> tuple[float, float]:
    """Return (wall, CPU) milliseconds of one act in this process; the database's own CPU shows in the wall time."""
    wall, cpu = time.perf_counter(), time.process_time()
    act(game, index)
    return (time.perf_counter() - wall) * 1000, (time.process_time() - cpu) * 1000


def show(what: str, times: list[tuple[float, float]]) -> None:
    wall = sorted(one[0] for one in times)
    cpu = statistics.median(one[1] for one in times)
    p95 = wall[min(len(wall) - 1, int(len(wall) * 0.95))]
    print(
        f"{what:29} {statistics.median(wall):8.1f} ms median, p95 {p95:.1f}, most {wall[-1]:.1f}, "
        f"CPU {cpu:.1f} ({len(times)} results)"
    )


def delete_event(stage: Any, arbiter: Any) -> None:
    """Leave the database as it was before `event_of`."""
    from django.db import transaction  # noqa: PLC0415

    from tourney.models import Player  # noqa: PLC0415
    from tourney.services.rehearsal import delete_with_everything  # noqa: PLC0415

    people = list(Player.objects.filter(entries__tournament=stage.section.tournament).values_list("pk", flat=True))
    with transaction.atomic():
        delete_with_everything(stage.section.tournament)
    Player.objects.filter(pk__in=people).delete()
    type(arbiter).objects.filter(pk=arbiter.pk).delete()


def event_of(players: int, rounds: int) -> tuple[Any, Any]:
    """Return a running Swiss with some rounds played, and its arbiter."""
    from django.contrib.auth import get_user_model  # noqa: PLC0415

    from swiss.services import play_step  # noqa: PLC0415
    from tourney.kernel.chance import Chance  # noqa: PLC0415
    from tourney.models import StaffRole, Stage  # noqa: PLC0415
    from tourney.services.stages import close_entries  # noqa: PLC0415
    from tourney.testing import builders  # noqa: PLC0415

    name = f"bench-{uuid4().hex[:8]}"
    arbiter = get_user_model().objects.create(username=name)
    tournament = builders.event("youth-championship", slug=name, public=False)
    StaffRole.objects.create(tournament=tournament, user=arbiter, role=StaffRole.Role.ARBITER)
    section = tournament.sections.first()
    if section is None:
        raise SystemExit("the preset has no groups")
    section.tournament = tournament
    builders.entries(section, players, top=2400, step=3)
    (made, *_) = close_entries(section, actor=arbiter)
    for step in range(2 * rounds):
        stage = Stage.objects.select_related("section__tournament").get(pk=made.pk)
        play_step(stage, Chance.labelled(20270125, f"bench {step}"))
    return Stage.objects.select_related("section__tournament").get(pk=made.pk), arbiter


if __name__ == "__main__":
    sys.exit(main())
