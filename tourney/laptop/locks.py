"""Which files the packages of a list may be: `locks/` holds the SHA-256 of every one, for all machines we support.

`make lock` writes them anew after a list was changed. Setup installs by them, so that a package somebody has replaced
on its way is refused. Standard library only: it runs before anything is installed.

    python -m tourney.laptop.locks [--check]
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOCKS = ROOT / "locks"
LISTS = ("requirements.txt", "requirements-dev.txt", "requirements-node.txt")
OLDEST_PYTHON = "3.11"


def pins(path: Path) -> dict[str, str]:
    """Return the versions of a list and of the lists it includes, by name in one spelling."""
    found: dict[str, str] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if include := re.fullmatch(r"-r (\S+)", line.strip()):
            found |= pins(path.parent / include.group(1))
        elif pin := re.match(r"([\w.-]+)(?:\[[\w,]+\])?==([^\s;\\]+)", line):
            found[re.sub(r"[-_.]+", "-", pin[1]).lower()] = pin[2]
    return found


def stale(name: str) -> list[str]:
    """Return the packages whose version in the lock is not the one of the list, or that have no hash there."""
    lock = LOCKS / name
    if not lock.exists():
        return ["(no lock)"]
    text = lock.read_text(encoding="utf-8")
    wanted, locked = pins(ROOT / name), pins(lock)
    bare = {
        re.sub(r"[-_.]+", "-", match[1]).lower()
        for match in re.finditer(
            r"^([\w.-]+)(?:\[[\w,]+\])?==[^\s\\]+(?: ;[^\\\n]*)?(\s*\\\n\s*--hash)?", text, re.MULTILINE
        )
        if match[2] is None
    }
    different = {one for one in wanted.keys() | locked.keys() if wanted.get(one) != locked.get(one)}
    return sorted(different | bare)


def write() -> int:
    """Write all locks anew with uv; return the exit code."""
    uv = shutil.which("uv")
    if uv is None:
        print("`make lock` needs uv (pip install uv)", file=sys.stderr)
        return 1
    LOCKS.mkdir(exist_ok=True)
    for name in LISTS:
        command = [
            uv,
            "pip",
            "compile",
            "--no-deps",
            "--generate-hashes",
            "--universal",
            "--no-header",
            "--no-annotate",
        ]
        done = subprocess.run(
            [*command, "--quiet", "--python-version", OLDEST_PYTHON, name, "-o", f"locks/{name}"], cwd=ROOT, check=False
        )
        if done.returncode:
            return done.returncode
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tourney.laptop.locks")
    parser.add_argument("--check", action="store_true", help="only say whether the locks fit the lists")
    if not parser.parse_args().check:
        return write()
    wrong = {name: found for name in LISTS if (found := stale(name))}
    for name, packages in wrong.items():
        print(f"locks/{name} does not fit {name} (run `make lock`): {', '.join(packages)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
