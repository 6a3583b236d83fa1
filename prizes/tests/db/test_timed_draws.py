"""Draws at an announced second: once only whoever dies, numbers beforehand, beacons with and without a network."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.template.loader import render_to_string
from django.utils import timezone

from prizes import beacons
from prizes.models import Award, Draw, DrawNumber
from prizes.services import draws, timed_draws
from prizes.services.draws import commit_draw, reveal_draw, void_draw
from prizes.services.placings import publish_placings
from prizes.services.timed_draws import give_numbers, run_draw, schedule_draw
from prizes.tests import played
from prizes.tests.engine.test_beacon import RANDOMNESS, SIGNATURE
from tourney import queue
from tourney.kernel.chance import Transcript, verify
from tourney.kernel.errors import TourneyError
from tourney.models import ActionLog, Entry, Job, LotResult, Section
from tourney.services.entries import record_entry_event
from tourney.testing import builders

pytestmark = [pytest.mark.django_db, pytest.mark.clause("K8.3")]
Beacon = Draw.Beacon


def cup(monkeypatch: pytest.MonkeyPatch) -> Section:
    """Return a finished knockout of 20 with its places published: draw 1 has two tickets."""
    section = played.group(builders.event("second-chance-32"), players=20)
    played.finished_bracket(section, monkeypatch)
    publish_placings(section, actor=None)
    return section


def refused(call: Any, *args: Any, **values: Any) -> str:
    with pytest.raises(TourneyError) as caught:
        call(*args, **values)
    return caught.value.code


def soon(**more: float) -> datetime:
    return timezone.now() + timedelta(**(more or {"minutes": 5}))


def scheduled(section: Section, beacon: str = Beacon.NUMBERS, **values: Any) -> Draw:
    return schedule_draw(section, 0, at=soon(), beacon=beacon, actor=None, **values)


def moment_comes(draw: Draw) -> None:
    """Move the draw's moment into the past."""
    passed = timezone.now() - timedelta(seconds=1)
    Draw.objects.filter(pk=draw.pk).update(scheduled_at=passed)
    Job.objects.filter(pk=draw.job_id).update(not_before=passed, due_at=passed)
    draw.refresh_from_db()


def holders(draw: Draw) -> list[tuple[str, str]]:
    return [(ticket.entry.name, str(7 + index)) for index, ticket in enumerate(draw.tickets.all())]


def give(draw: Draw, **values: Any) -> Draw:
    values.setdefault("numbers", [])
    return give_numbers(draw.section.tournament, draw.pk, actor=None, **values)


def honest(draw: Draw) -> None:
    lot = draw.lot
    outcome = LotResult.objects.get(lot=lot)
    told = Transcript(lot.manifest, lot.secret, outcome.entropy, lot.commitment, outcome.result).as_json()
    assert verify(told) is None


# -- announcing ------------------------------------------------------------------------------------------------------


def test_manifest_says_the_moment_and_where_the_numbers_come_from(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = scheduled(cup(monkeypatch))
    assert draw.scheduled_at is not None
    plan = draw.lot.manifest["entropy"]
    assert plan == {"at": f"{draw.scheduled_at:%Y-%m-%dT%H:%M:%SZ}", "by": "numbers"}
    assert draw.job is not None
    assert (draw.job.not_before, draw.job.state) == (draw.scheduled_at, "queued")
    assert ActionLog.objects.filter(action="prizes.draw_scheduled").exists()


def test_beacons_moment_is_that_of_its_round(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = scheduled(cup(monkeypatch), Beacon.DRAND)
    plan = draw.lot.manifest["entropy"]
    assert draw.scheduled_at == timed_draws.drand_time(plan["round"])
    assert plan["chain"].startswith("52db9ba7")


def test_moments_and_beacons_that_make_no_sense_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    section = cup(monkeypatch)
    plan = {"beacon": Beacon.NUMBERS, "actor": None}
    assert refused(schedule_draw, section, 0, at=soon(seconds=30), **plan) == "lottery.too_soon"
    assert refused(schedule_draw, section, 0, at=soon(days=100), **plan) == "lottery.too_far"
    assert refused(schedule_draw, section, 0, at=soon(), beacon="dice", actor=None) == "lottery.unknown_beacon"
    assert refused(scheduled, section, Beacon.NAMED, named=" ") == "lottery.name_the_value"
    assert not Draw.objects.exists()


def test_single_ticket_needs_no_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = schedule_draw(cup(monkeypatch), 1, at=soon(), beacon=Beacon.NUMBERS, actor=None)
    assert (draw.scheduled_at, draw.job) == (None, None)
    assert LotResult.objects.filter(lot=draw.lot).exists()


# -- numbers that people give ----------------------------------------------------------------------------------------


def test_numbers_given_beforehand_decide_at_the_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = scheduled(cup(monkeypatch))
    give(draw, numbers=holders(draw)[:1])
    give(draw, numbers=holders(draw))  # the first one again, and the second
    assert not run_draw(draw.pk)  # a message too early decides nothing
    assert not LotResult.objects.exists()

    moment_comes(draw)
    assert queue.sweep() == 1

    assert [one["number"] for one in LotResult.objects.get().entropy] == ["7", "8"]
    honest(draw)
    assert Award.objects.filter(source="lottery", draw=draw).count() == 1
    assert not run_draw(draw.pk)


def test_number_stands_once_it_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = scheduled(cup(monkeypatch))
    [first, _second] = holders(draw)
    give(draw, numbers=[first])
    assert refused(give, draw, numbers=[(first[0], "1234")]) == "lottery.number_given"
    assert refused(give, draw, numbers=[("", "5")]) == "lottery.nameless_number"
    assert refused(give, draw, numbers=[("Свідок", "x")]) == "lottery.bad_number"
    assert refused(reveal_draw, draw.section.tournament, draw.pk, numbers=holders(draw), actor=None) == (
        "lottery.has_its_moment"
    )
    assert DrawNumber.objects.count() == 1


def test_too_few_numbers_at_the_moment_and_nobody_adds_one_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = scheduled(cup(monkeypatch))
    give(draw, numbers=holders(draw)[:1])
    moment_comes(draw)
    queue.sweep()
    assert not LotResult.objects.exists()
    assert ActionLog.objects.filter(action="prizes.draw_waits").count() == 1
    assert refused(give, draw, numbers=holders(draw)[1:]) == "lottery.moment_over"
    assert refused(give, draw, beacon_value="5", source="a hat") == "lottery.too_few_numbers"
    assert refused(give, draw) == "lottery.too_few_numbers"
    assert draw.numbers.count() == 1
    void_draw(draw.section.tournament, draw.pk, reason="too few numbers", actor=None)
    assert scheduled(draw.section).lot.number == 2


def test_draw_with_all_its_numbers_takes_no_more_and_needs_no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = scheduled(cup(monkeypatch))
    give(draw, numbers=holders(draw))
    moment_comes(draw)
    assert refused(give, draw, numbers=[("Свідок", "5")]) == "lottery.moment_over"
    give(draw)
    assert [one["number"] for one in LotResult.objects.get().entropy] == ["7", "8"]
    honest(draw)


def test_two_holders_of_one_name_give_a_number_each(monkeypatch: pytest.MonkeyPatch) -> None:
    section = cup(monkeypatch)
    first, second = scheduled(section).tickets.all()
    namesake = second.entry.player
    namesake.surname, namesake.given_name = first.entry.player.surname, first.entry.player.given_name
    namesake.save()
    Draw.objects.get().delete()
    again = scheduled(section)
    labels = [ticket.label for ticket in again.tickets.all()]
    assert labels[0].rpartition(" (")[0] == labels[1].rpartition(" (")[0]
    give(again, numbers=[(labels[0], "7"), (labels[1], "8")])
    moment_comes(again)
    queue.sweep()
    assert LotResult.objects.get().entropy == [
        {"who": labels[0], "number": "7"},
        {"who": labels[1], "number": "8"},
    ]


def test_dropped_draw_is_not_decided_by_the_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = scheduled(cup(monkeypatch))
    give(draw, numbers=holders(draw))
    void_draw(draw.section.tournament, draw.pk, reason="the list was wrong", actor=None)
    moment_comes(draw)
    queue.sweep()
    assert LotResult.objects.get().void_reason == "the list was wrong"
    assert Award.objects.filter(source="lottery").count() == 0


def test_worker_leaves_a_draw_alone_whose_tickets_have_changed_hands(monkeypatch: pytest.MonkeyPatch) -> None:
    section = cup(monkeypatch)
    draw = scheduled(section)
    give(draw, numbers=holders(draw))
    gone = draw.tickets.all()[0].entry
    ended = timezone.now() - timedelta(hours=2)
    record_entry_event(gone, "disqualified", state=Entry.State.DISQUALIFIED, at=ended)
    publish_placings(section, actor=None, reason="disqualified")
    moment_comes(draw)
    queue.sweep()
    assert not LotResult.objects.exists()
    assert ActionLog.objects.filter(action="prizes.draw_waits").exists()


# -- beacons ---------------------------------------------------------------------------------------------------------


def answering(monkeypatch: pytest.MonkeyPatch, told: Any) -> list[str]:
    """Let the network answer so (or break); return the addresses that were asked."""
    asked: list[str] = []

    def answer(url: str, timeout: int) -> Any:
        asked.append(url)
        assert timeout == beacons.TIMEOUT
        if isinstance(told, Exception):
            raise told
        return io.BytesIO(json.dumps(told).encode())

    monkeypatch.setattr(beacons.urllib.request, "urlopen", answer)
    return asked


def test_beacon_is_read_at_the_moment_and_its_source_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = scheduled(cup(monkeypatch), Beacon.DRAND)
    number = draw.lot.manifest["entropy"]["round"]
    asked = answering(monkeypatch, {"round": number, "signature": SIGNATURE, "randomness": RANDOMNESS})
    moment_comes(draw)
    queue.sweep()
    [told] = LotResult.objects.get().entropy
    assert told == {"who": f"drand quicknet, {number}", "number": RANDOMNESS}
    assert timed_draws.read_at(draw.lot) == {f"drand quicknet, {number}": asked[0]}
    honest(draw)


@pytest.mark.parametrize(
    "told",
    [
        OSError("no network"),
        {"round": 1, "signature": SIGNATURE, "randomness": RANDOMNESS},
        {"round": None, "signature": SIGNATURE, "randomness": "0" * 64},
        ["nonsense"],
    ],
)
def test_without_an_honest_answer_the_arbiter_types_the_value(monkeypatch: pytest.MonkeyPatch, told: Any) -> None:
    draw = scheduled(cup(monkeypatch), Beacon.DRAND)
    if isinstance(told, dict) and told["round"] is None:
        told["round"] = draw.lot.manifest["entropy"]["round"]  # the right round, but not the hash of its signature
    asked = answering(monkeypatch, told)
    assert refused(give, draw, beacon_value=RANDOMNESS, source="drand.love") == "lottery.beacon_early"
    moment_comes(draw)
    queue.sweep()
    assert len(asked) == len(beacons.HOSTS)
    assert not LotResult.objects.exists()
    assert (Job.objects.get(pk=draw.job_id).state, Job.objects.get(pk=draw.job_id).attempts) == ("queued", 1)

    assert refused(give, draw, beacon_value="12", source="drand.love") == "lottery.bad_beacon"
    assert refused(give, draw, beacon_value=RANDOMNESS) == "lottery.source_needed"
    give(draw, beacon_value=SIGNATURE, source="drand.love, read on a telephone")
    [given] = LotResult.objects.get().entropy
    assert given["number"] == RANDOMNESS
    assert list(timed_draws.read_at(draw.lot).values()) == ["drand.love, read on a telephone"]
    honest(draw)


def test_beacon_nobody_can_read_is_noted_once_and_waits_for_the_arbiter(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = scheduled(cup(monkeypatch), Beacon.DRAND)
    answering(monkeypatch, OSError("no network"))
    moment_comes(draw)
    for _attempt in range(queue.MAX_ATTEMPTS):
        queue.run(draw.job_id or 0)
    assert Job.objects.get(pk=draw.job_id).state == "failed"
    assert ActionLog.objects.filter(action="prizes.draw_waits").count() == 1
    give(draw, beacon_value=RANDOMNESS, source="drand.love")
    honest(draw)


@pytest.mark.parametrize("beacon", [Beacon.DRAND, Beacon.NAMED])
def test_nothing_stands_beside_the_value_of_a_beacon(monkeypatch: pytest.MonkeyPatch, beacon: str) -> None:
    draw = scheduled(cup(monkeypatch), beacon, named="hash of Bitcoin block 912345")
    assert refused(give, draw, numbers=[("Свідок", "5")]) == "lottery.beacon_alone"
    moment_comes(draw)
    assert refused(give, draw, numbers=holders(draw), beacon_value=RANDOMNESS, source="x") == "lottery.beacon_alone"
    # Neither the spelling nor the words beside it make another seed.
    give(draw, beacon_value=f" {RANDOMNESS[:20].upper()} {RANDOMNESS[20:]}", source="the third try")
    outcome = LotResult.objects.get()
    assert outcome.entropy == [{"who": draw.lot.manifest["entropy"]["source"], "number": RANDOMNESS}]
    honest(draw)


@pytest.mark.parametrize(
    "more",
    [
        [{"who": "A witness", "number": "5"}],
        [],
        [{"who": "drand quicknet, 1", "number": RANDOMNESS, "source": "the third try"}],
        [{"who": "drand quicknet, 2", "number": RANDOMNESS}],
    ],
    ids=["a number beside it", "none", "words beside it", "another round"],
)
def test_checker_finds_numbers_that_were_not_announced(more: list[dict[str, str]], tmp_path: Path) -> None:
    plan = {"by": "drand", "round": 1, "source": "drand quicknet, 1"}
    manifest = {"kind": "pick", "k": 1, "entrants": ["A", "B", "C"], "entropy": plan}
    alone = [{"who": "drand quicknet, 1", "number": RANDOMNESS}]
    forged = [*alone, *more] if more and more[0]["who"] == "A witness" else more
    assert verify(Transcript.of(manifest, "0" * 64, alone).as_json()) is None
    told = Transcript.of(manifest, "0" * 64, forged).as_json()
    assert verify(told) == "draw.entropy_differs"
    (tmp_path / "told.json").write_text(json.dumps(told))
    script = render_to_string("tourney/check_draw.txt")
    answer = subprocess.run(
        [sys.executable, "-c", script, tmp_path / "told.json"], capture_output=True, text=True, check=False
    )
    assert (answer.returncode, "other numbers than announced" in answer.stderr) == (1, True)


def test_named_value_is_typed_after_the_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = scheduled(cup(monkeypatch), Beacon.NAMED, named="hash of Bitcoin block 912345")
    moment_comes(draw)
    queue.sweep()
    assert not LotResult.objects.exists()
    assert refused(give, draw) == "lottery.beacon_missing"
    give(draw, beacon_value="0000abc", source="two explorers")
    assert LotResult.objects.get().entropy[0]["who"] == "hash of Bitcoin block 912345"
    honest(draw)


# -- the power cord --------------------------------------------------------------------------------------------------


def die(*_: Any, **__: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def worker_that_dies(pk: int, where: Callable[[], None]) -> int:
    """Run a job in a process of its own that is killed where told; return the signal that ended it."""
    child = os.fork()
    if child == 0:
        kept = connection.connection  # the parent's: never closed here
        connection.connection = None
        where()
        queue.run(pk)
        os._exit(0 if kept is not None else 1)
    return os.WTERMSIG(os.waitpid(child, 0)[1])


def before() -> None:
    timed_draws._decide_now = die  # type: ignore[assignment]


def while_deciding() -> None:
    draws.rebuild_awards = die  # type: ignore[assignment]


def after() -> None:
    queue._finish = die


def next_worker_sends() -> int:
    """Sweep as a worker does that starts; the database takes a moment to see that the one before is dead."""
    for _ in range(100):
        if sent := queue.sweep(all_queued=True):
            return sent
        time.sleep(0.05)
    return 0


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("where", "decided"), [(before, 0), (while_deciding, 0), (after, 1)])
def test_worker_killed_at_any_step_leaves_exactly_one_result(
    monkeypatch: pytest.MonkeyPatch, where: Callable[[], None], decided: int
) -> None:
    draw = scheduled(cup(monkeypatch))
    give(draw, numbers=holders(draw))
    moment_comes(draw)
    assert draw.job_id is not None

    assert worker_that_dies(draw.job_id, where) == signal.SIGKILL

    assert LotResult.objects.count() == decided
    assert Job.objects.get(pk=draw.job_id).state == "running"
    assert next_worker_sends() == 1
    assert LotResult.objects.count() == 1
    assert Award.objects.filter(source="lottery").count() == 1
    assert ActionLog.objects.filter(action="prizes.draw_decided").count() == 1
    assert Job.objects.get(pk=draw.job_id).state == "done"
    assert queue.sweep(all_queued=True) == 0
    honest(draw)


@pytest.mark.django_db(transaction=True)
def test_message_that_was_lost_before_any_worker_saw_it_is_sent_again(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = scheduled(cup(monkeypatch))
    give(draw, numbers=holders(draw))
    moment_comes(draw)
    assert queue.sweep() == 1
    assert LotResult.objects.count() == 1


def test_second_draw_at_a_moment_for_the_same_purpose_is_refused_while_the_first_is_open(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    section = cup(monkeypatch)
    scheduled(section)
    assert refused(scheduled, section) == "lottery.draw_open"
    assert refused(commit_draw, section, 0, actor=None) == "lottery.draw_open"
