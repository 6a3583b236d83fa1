"""The other side of the tie-break measurements: run by the Python of an environment with the package gacrux.

Reads one request a line from standard input, as JSON, and answers each with a line:

    {"file": F, "system": "swiss", "unrated": R or null, "orders": [[code, ...], ...], "repeat": K}
        -> {"answers": [{number: {"rank": N, "values": [text or null, ...]}}, ...], "cpu": [[ms, ...], ...]}

Values come as decimal digits. The file is read once and every order is worked out by an instance of its own: within
one instance Fore Buchholz changes what later Buchholz kinds see. The times are those of the tie-breaks alone, from the
read file to the ranks. What goes wrong comes back as {"error": text}.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
import time
from decimal import Decimal
from typing import Any

from gacrux.tiebreak import tiebreak
from gacrux.tiebreakchecker import tiebreakchecker


class Asked(tiebreakchecker):  # type: ignore[misc]
    """Their checker, asked for several orders of one file."""

    orders: list[list[str]]
    repeat: int

    def do_checker(self) -> None:
        tournament = self.chessfile.get_tournament(self.tournamentno)
        self.answers, self.cpu = [], []
        for order in self.orders:
            self.params["tiebreak"] = order
            times = []
            for _ in range(self.repeat):
                before = time.process_time()
                found = tiebreak(tournament, self.params["current_round"], self.params).compute_tiebreaks(
                    tournament, self.params
                )
                times.append((time.process_time() - before) * 1000)
            self.cpu.append(times)
            self.answers.append(
                {
                    one["cid"]: {"rank": one["rank"], "values": [text(value) for value in one["tiebreakScore"]]}
                    for one in found["competitors"]
                }
            )

    def write_output_file(self) -> None:
        """Nothing: the answer goes down the pipe."""


def text(value: Any) -> str | None:
    return None if value is None else format(Decimal(value).normalize(), "f")


def answer(asked: dict[str, Any]) -> dict[str, Any]:
    system = "-p" if asked["system"] == "round_robin" else "-s"
    unrated = ["-u", str(asked["unrated"])] if asked["unrated"] else []
    sys.argv = ["gacrux", "-i", asked["file"], "-o", "-", "-b", "utf-8", "-v", system, *unrated]
    checker = Asked()
    checker.orders, checker.repeat = asked["orders"], asked.get("repeat", 1)
    with contextlib.redirect_stdout(io.StringIO()):
        checker.common_main()
    return {"answers": checker.answers, "cpu": checker.cpu}


def main() -> None:
    for line in sys.stdin:
        try:
            reply = answer(json.loads(line))
        except (Exception, SystemExit) as error:  # noqa: BLE001 -- whatever the other program does is an answer
            reply = {"error": repr(error)[:300]}
        print(json.dumps(reply), flush=True)  # noqa: T201 -- the answer


if __name__ == "__main__":
    main()
