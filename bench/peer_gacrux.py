"""The other side of the pairing measurements: run by the Python of an environment with the package gacrux.

Reads one request a line from standard input, as JSON, and answers each with a line:

    {"file": F, "round": N, "repeat": K}  ->  {"pairs": [[w, b], ...], "wall": [ms, ...], "cpu": [ms, ...], "peak": MB}
    {"file": F}  ->  {"differences": [[round, only in the file, only by gacrux], ...], "rounds": R}

The bye of the pairing is [number, 0]. What goes wrong comes back as {"error": text}.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from gacrux.pairingchecker import pairingchecker


class Timed(pairingchecker):  # type: ignore[misc]
    """Their checker, with the time of pairing alone: reading the file and writing the answer don't count."""

    wall = 0.0
    cpu = 0.0

    def do_checker(self) -> None:
        wall, cpu = time.perf_counter(), time.process_time()
        super().do_checker()
        self.wall, self.cpu = (time.perf_counter() - wall) * 1000, (time.process_time() - cpu) * 1000


def run(*arguments: str) -> tuple[dict[str, Any], Timed]:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out.json"
        sys.argv = ["gacrux", *arguments, "-o", str(out), "-b", "utf-8"]
        checker = Timed()
        with contextlib.redirect_stdout(io.StringIO()):
            checker.common_main()
        return json.loads(out.read_text(encoding="utf-8")), checker


def pair(file: str, number: int, repeat: int) -> dict[str, Any]:
    wall, cpu = [], []
    answer: dict[str, Any] = {}
    for _ in range(repeat):
        answer, checker = run("-i", file, "-p", "-n", str(number))
        wall.append(checker.wall)
        cpu.append(checker.cpu)
    return {"pairs": answer["pairingResult"]["pairs"], "wall": wall, "cpu": cpu, "peak": peak_memory()}


def peak_memory() -> float:
    """Return the most memory this process has held, in megabytes; the files before count as well."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    return 0.0


def check(file: str) -> dict[str, Any]:
    answer, _ = run("-i", file, "-c")
    rounds = answer.get("pairingResult", {}).get("roundpairing")
    if rounds is None:
        raise ValueError(str(answer.get("status")))
    differences = []
    for one in rounds:
        current, own = {tuple(pair) for pair in one["current"]}, {tuple(pair) for pair in one["pairs"]}
        if current != own:
            differences.append([one["round"], sorted(current - own), sorted(own - current)])
    return {"differences": differences, "rounds": len(rounds)}


def main() -> None:
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            if "round" in asked:
                answer = pair(asked["file"], asked["round"], asked["repeat"])
            else:
                answer = check(asked["file"])
        except (Exception, SystemExit) as error:  # noqa: BLE001 -- whatever the other program does is an answer
            answer = {"error": repr(error)[:300]}
        print(json.dumps(answer), flush=True)  # noqa: T201 -- the answer


if __name__ == "__main__":
    main()
