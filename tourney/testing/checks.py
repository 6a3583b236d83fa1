"""All checks but the tests, in one command: `make check`, or `python -m tourney.testing.checks [NAME …]`.

Each check is a program of its own; two run at a time. What a failing one said is printed whole.
"""

from __future__ import annotations

import argparse
import os
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SHARED_CASES = ROOT.parent / "shared" / "cases"  # laid beside the checkout where the whole collection is at hand
OWN_CASES = {"registration": ("fees", "rules"), "swiss": ("swiss", "roundrobin")}
_SERVER = {
    "DATABASE_URL": "postgres://tourney@localhost/tourney",
    "REDIS_URL": "redis://localhost:6379/0",
    "SECRET_KEY": secrets.token_urlsafe(64),
    "ALLOWED_HOSTS": "chess.example",
}


@dataclass(frozen=True, slots=True)
class Check:
    """One check: the arguments after `python`, and what it finds in its environment."""

    name: str
    arguments: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Verdict:
    name: str
    passed: bool
    said: str
    seconds: float


def checks(data: Path) -> list[Check]:
    """Return every check; `data` is a folder for what they have to start or write."""
    laptop = {"TOURNEY_DATA": str(data), "SECRET_KEY": "only-for-checks-" + "0" * 50}
    strict = ("-W", "error::DeprecationWarning:django")
    found = [
        Check("types", ["-m", "mypy"]),
        Check("format", ["-m", "ruff", "format", "--check", "."]),
        Check("lint", ["-m", "ruff", "check", "."]),
        Check("imports", ["-c", "from importlinter.cli import lint_imports_command as run; run()", "--no-cache"]),
        Check("pins", ["-m", "pip", "check", "--disable-pip-version-check"]),
        Check("locks", ["-m", "tourney.laptop.locks", "--check"]),
        Check("vulnerabilities", ["-m", "tourney.testing.audit"]),
        Check("django", [*strict, "manage.py", "check"], laptop),
        Check("deploy", ["manage.py", "check", "--deploy", "--fail-level", "WARNING"], _SERVER),
        Check("migrations", ["manage.py", "makemigrations", "--check", "--dry-run"], laptop),
        Check("translations", ["manage.py", "compile_translations", "--check"], laptop),
    ]
    for app, families in OWN_CASES.items():
        folder = Path(app, "tests", "engine", "data")
        present = [family for family in families if (ROOT / folder / family).is_dir()]
        if present:
            found.append(Check(f"cases of {app}", ["-m", "tourney.cases", str(folder), *present]))
    if SHARED_CASES.is_dir():
        families = ["fees", "rules", "brackets", "roundrobin", "draws", "tiebreaks"]
        found.append(Check("cases, whole", ["-m", "tourney.cases", str(SHARED_CASES), *families]))
        found.append(Check("cases, every round", ["-m", "tourney.cases", str(SHARED_CASES), "swiss"]))
    return found


def run(check: Check) -> Verdict:
    """Run one check."""
    started = time.monotonic()
    cleared = {name: value for name, value in os.environ.items() if name not in (*_SERVER, "DJANGO_SETTINGS_MODULE")}
    done = subprocess.run(
        [sys.executable, *check.arguments],
        cwd=ROOT,
        env={**cleared, "PYTHONPATH": str(ROOT), **check.environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return Verdict(check.name, done.returncode == 0, done.stdout.strip(), time.monotonic() - started)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the checks named (default: all); return 0 when all pass."""
    parser = argparse.ArgumentParser(prog="python -m tourney.testing.checks")
    parser.add_argument("names", nargs="*", metavar="NAME")
    names = parser.parse_args(arguments).names
    with tempfile.TemporaryDirectory(prefix="tourney-check-") as data, ThreadPoolExecutor(2) as pool:
        chosen = [check for check in checks(Path(data)) if not names or check.name in names]
        if not chosen:
            parser.error("there is no check with this name")
        failed = []
        for verdict in pool.map(run, chosen):
            print(f"{'ok  ' if verdict.passed else 'FAIL'} {verdict.name} ({verdict.seconds:.1f} s)", flush=True)
            if not verdict.passed:
                failed.append(verdict.name)
                print("     " + verdict.said.replace("\n", "\n     "), flush=True)
            elif verdict.name.startswith(("cases", "vulnerabilities")):
                print("     " + verdict.said.replace("\n", "\n     "), flush=True)
    print(f"checks failed: {', '.join(failed)}" if failed else f"all {len(chosen)} checks passed")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
