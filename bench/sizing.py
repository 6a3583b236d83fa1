"""How large a machine? So many events and spectators at once, played through with the measured cost of each answer.

    python bench/sizing.py [--events 1000] [--players 64] [--spectators 100000] [--hosts 4] [--cores 8] [--minutes 10]

Nothing is started: what one machine can't run is simulated. Telephones with a page open ask as `static/tourney/live.js`
does (every ten seconds give or take a fifth, at the pace the answering process says: `tourney.live`); a proxy sends a
request to a process at random; a host's cores serve what has come in the order it came. Every event is in the middle of
a round whose results arrive within `--within` minutes, all events at the same time, which is the worst hour there is.
A result makes the pages that are watched be built anew, once for a host's all, `REST_SECONDS` apart.

What an answer costs is measured by `bench/load.py`, `bench/many_events.py` and `bench/result_entry.py`, in milliseconds
of processor time of one core with its part of PostgreSQL and Redis; other machines: `--slower 1.5`. Printed are the
parts of the processors in use, the waits, and when spectators see a result. Ends with status 1 when a result waits
longer than 150 ms in 95 of 100 cases, a spectator sees one later than 15 s after it, or more than 70 % of the
processors are in use: a machine needs some for what nobody foresees.
"""

# ruff: noqa: S311, T201 -- a script; chance only spreads telephones
from __future__ import annotations

import argparse
import random
import sys
from collections import deque
from dataclasses import dataclass, field

STEP = 0.05  # seconds
POLL, REST, BUSY = 10.0, 1.5, 60.0
QUICK, SLOW, CALM_RATE, FULL_RATE = 0.3, 2.0, 160, 320  # tourney.live
# Milliseconds of processor time.
UNCHANGED, CHANGED, RESULT = 1.6, 2.3, 55.0
BUILD, BUILD_PLAYER = 15.0, 0.26  # a page, and for each player on it: 92 ms for 300
PAGES = 4  # of an event that are watched: standings and pairings, in two languages
MUST_WAIT, MUST_SEE, MUST_USE = 0.150, 15.0, 0.7


@dataclass
class Host:
    """Cores with a queue, and the processes on them (one for each core), which count what they answer."""

    cores: int
    backlog: float = 0.0  # seconds of processor time
    used: float = 0.0
    answers: list[int] = field(default_factory=list)
    rates: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.answers, self.rates = [0] * self.cores, [0] * self.cores

    def serve(self, milliseconds: float) -> float:
        """Take a request; return how long its answer will take, itself included."""
        self.backlog += milliseconds / 1000
        return max(self.backlog / self.cores, milliseconds / 1000)

    def pass_step(self) -> None:
        done = min(self.backlog, STEP * self.cores)
        self.backlog -= done
        self.used += done

    def pass_second(self) -> None:
        self.rates, self.answers = self.answers, [0] * self.cores


@dataclass
class Found:
    """What is asked of the simulation."""

    polls: list[float] = field(default_factory=list)
    results: list[float] = field(default_factory=list)
    seen: list[float] = field(default_factory=list)
    builds: int = 0
    changed: int = 0


def play(asked: argparse.Namespace) -> tuple[Found, list[Host]]:
    dice = random.Random(asked.seed)
    hosts = [Host(asked.cores) for _ in range(asked.hosts)]
    found = Found()
    steps = int(asked.minutes * 60 / STEP)
    calendar: list[list[int]] = [[] for _ in range(steps + int(2 * POLL * SLOW / STEP) + 2)]
    event_of = [dice.randrange(asked.events) for _ in range(asked.spectators)]
    for phone in range(asked.spectators):
        calendar[int(dice.random() * POLL / STEP)].append(phone)
    known = [0] * asked.spectators  # the version a telephone shows
    version = [0] * asked.events  # as entered
    built = [0] * asked.events  # as on the pages
    built_at, changed_at = [-1e9] * asked.events, [-1e9] * asked.events
    entered: list[deque[tuple[int, float]]] = [deque() for _ in range(asked.events)]
    rate = asked.events * (asked.players // 2) / (asked.within * 60)
    owed = 0.0
    build = (BUILD + BUILD_PLAYER * asked.players) * asked.slower
    for step in range(steps):
        now = step * STEP
        owed += rate * STEP
        while owed >= 1:
            owed -= 1
            event = dice.randrange(asked.events)
            took = dice.choice(hosts).serve(RESULT * asked.slower)
            found.results.append(took)
            version[event] += 1
            changed_at[event] = now
            entered[event].append((version[event], now))
        for phone in calendar[step]:
            event, host = event_of[phone], dice.choice(hosts)
            process = dice.randrange(host.cores)
            host.answers[process] += 1
            if built[event] < version[event] and now - built_at[event] >= REST:
                host.serve(build * PAGES)
                found.builds += PAGES
                built[event], built_at[event] = version[event], now
            new = known[phone] < built[event]
            took = host.serve((CHANGED if new else UNCHANGED) * asked.slower)
            found.polls.append(took)
            if new:
                found.changed += 1
                for number, at in reversed(entered[event]):
                    if number <= known[phone]:
                        break
                    if number <= built[event]:
                        found.seen.append(now + took - at)
                known[phone] = built[event]
            load = max(host.rates[process], host.answers[process])
            pace = SLOW if load > FULL_RATE else QUICK if now - changed_at[event] < BUSY and load < CALM_RATE else 1.0
            wait = POLL * pace * (0.8 + 0.4 * dice.random()) + took
            calendar[step + max(1, int(wait / STEP))].append(phone)
        calendar[step] = []
        for host in hosts:
            host.pass_step()
        if step % int(1 / STEP) == 0:
            for host in hosts:
                host.pass_second()
            for line in entered:
                while len(line) > 1 and now - line[0][1] > 60:
                    line.popleft()
    return found, hosts


def part(values: list[float], share: float) -> float:
    return sorted(values)[int(len(values) * share)] if values else 0.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=1000)
    parser.add_argument("--players", type=int, default=64)
    parser.add_argument("--spectators", type=int, default=100_000)
    parser.add_argument("--within", type=float, default=30, help="minutes in which a round's results arrive")
    parser.add_argument("--hosts", type=int, default=4)
    parser.add_argument("--cores", type=int, default=8, help="of each host")
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--slower", type=float, default=1.0, help="than the machine that was measured")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    found, hosts = play(asked)
    seconds, cores = asked.minutes * 60, asked.hosts * asked.cores
    used = sum(host.used for host in hosts) / seconds / cores
    print(
        f"{asked.events} events of {asked.players}, {asked.spectators} spectators, {asked.hosts} × {asked.cores} cores"
    )
    print(
        f"  answers {len(found.polls) / seconds:.0f} a second, {found.changed / len(found.polls):.0%} with news;",
        end=" ",
    )
    print(f"pages built {found.builds / seconds:.0f} a second, results {len(found.results) / seconds:.1f}")
    print(f"  processors in use {used:.0%}; a poll waits {part(found.polls, 0.5) * 1000:.0f} ms", end=" ")
    print(f"(95 of 100: {part(found.polls, 0.95) * 1000:.0f}), a result {part(found.results, 0.95) * 1000:.0f} ms")
    print(f"  a result is seen after {part(found.seen, 0.5):.1f} s (95 of 100: {part(found.seen, 0.95):.1f} s)")
    good = part(found.results, 0.95) <= MUST_WAIT and part(found.seen, 0.95) <= MUST_SEE and used <= MUST_USE
    print(f"  {'enough' if good else 'NOT ENOUGH'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
