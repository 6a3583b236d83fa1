"""The browser for tests: the machine's own Chromium or Chrome, else Debian's package, else Playwright's download.

`python -m tourney.testing.browser` (part of `make test`) brings one where none is. Where none can be had, the browser
tests are skipped and the summary says so in capitals; with CI=true that is an error instead.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage"]
MISSING = "no browser on this machine"
_PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_MAC = Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")


def find() -> str | None:
    """Return the path of a browser to drive, or None."""
    if named := os.environ.get("TOURNEY_BROWSER"):
        return named
    for program in _PROGRAMS:
        if found := shutil.which(program):
            return found
    return str(_MAC) if _MAC.exists() else _of_playwright()


def bring() -> str | None:
    """Return a browser, installing one when there is none."""
    return find() or _from_debian() or _downloaded()


def report(terminal: Any) -> None:
    """Say loudly in the summary that browser tests were skipped."""
    skipped = [one for one in terminal.stats.get("skipped", []) if MISSING in str(one.longrepr)]
    if skipped:
        terminal.section("NO BROWSER", red=True, bold=True)
        terminal.write_line(f"{len(skipped)} BROWSER TESTS WERE SKIPPED: install Chromium to run them.", red=True)


def _from_debian() -> str | None:
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        return None
    print("· browser: installing Debian's chromium", flush=True)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["apt-get", "update", "-q"], ["apt-get", "install", "-y", "-q", "chromium"]):
        subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, env=environment, check=False)
    return find()


def _downloaded() -> str | None:
    print("· browser: asking Playwright for its own chromium", flush=True)
    command = [sys.executable, "-m", "playwright", "install", "chromium"]
    try:
        subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=600)
    except subprocess.TimeoutExpired:
        return None
    return _of_playwright()


def _of_playwright() -> str | None:
    default = Path.home() / (".cache/ms-playwright" if sys.platform != "darwin" else "Library/Caches/ms-playwright")
    folder = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or default)
    patterns = ("chromium-*/chrome-linux*/chrome", "chromium-*/chrome-mac*/Chromium.app/Contents/MacOS/Chromium")
    found = sorted(path for pattern in patterns for path in folder.glob(pattern))
    return str(found[-1]) if found else None


def main() -> int:
    """Bring a browser; fail only where one is demanded."""
    found = bring()
    if found:
        return 0
    print(f"!! {MISSING.upper()} AND NONE CAN BE INSTALLED: the browser tests will be skipped.", file=sys.stderr)
    return 1 if os.environ.get("CI") else 0


if __name__ == "__main__":
    raise SystemExit(main())
