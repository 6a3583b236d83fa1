"""How long "pair the round" takes with 300 players: from the press of the button to the page of the draft.

    python bench/pair_round.py [--players 300] [--rounds 4] [--repeat 7]

Makes a Swiss of its own, plays some rounds, and then pairs the next one again and again by real requests of the chief
arbiter (through middleware, session, service with its COMMIT and the page of the draft), discarding the draft between.
The event is deleted at the end. Runs on `DATABASE_URL` when that is set, else on the embedded database.
"""

# ruff: noqa: T201 -- a script prints
from __future__ import annotations

import argparse
import statistics
import sys
import time

from result_entry import connect, delete_event, event_of

MUST = 1000  # milliseconds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--players", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=4, help="rounds played before the one that is measured")
    parser.add_argument("--repeat", type=int, default=7)
    asked = parser.parse_args()
    stop = connect()
    try:
        run(asked.players, asked.rounds, asked.repeat)
    finally:
        stop()
    return 0


def run(players: int, rounds: int, repeat: int) -> None:
    from django.conf import settings  # noqa: PLC0415
    from django.test import Client, override_settings  # noqa: PLC0415
    from django.urls import reverse  # noqa: PLC0415

    from tourney.models import StaffRole  # noqa: PLC0415

    print(f"{players} players, {rounds} rounds played; making the event …", flush=True)
    stage, arbiter = event_of(players, rounds)
    tournament = stage.section.tournament
    StaffRole.objects.create(tournament=tournament, user=arbiter, role=StaffRole.Role.CHIEF_ARBITER)
    # Pages name their files by the manifest of `collectstatic`, which a working copy need not have.
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    unhashed = override_settings(STORAGES={**settings.STORAGES, "staticfiles": plain})
    unhashed.enable()
    try:
        client = Client()
        client.force_login(arbiter)
        args = [tournament.slug, stage.section.code]
        page = reverse("manage_round", args=[*args, rounds + 1])
        press, draft, cpu = [], [], []
        for _ in range(repeat + 1):
            start, busy = time.perf_counter(), time.process_time()
            pressed = client.post(reverse("manage_pair", args=args))
            between = time.perf_counter()
            shown = client.get(page)
            end = time.perf_counter()
            if pressed.status_code != 302 or shown.status_code != 200:
                raise SystemExit(f"not paired: {pressed.status_code}, {shown.status_code}")
            press.append((between - start) * 1000)
            draft.append((end - start) * 1000)
            cpu.append((time.process_time() - busy) * 1000)
            client.post(page, {"act": "discard"})
        # The first one warms up.
        print(f"the button alone      {statistics.median(press[1:]):7.0f} ms")
        print(f"with the draft shown  {statistics.median(draft[1:]):7.0f} ms (must stay under {MUST})")
        print(f"    of that CPU here  {statistics.median(cpu[1:]):7.0f} ms")
    finally:
        unhashed.disable()
        delete_event(stage, arbiter)


if __name__ == "__main__":
    sys.exit(main())
