"""Every package is held to the hashes of its files, on every machine we support."""

from __future__ import annotations

import json
import re
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tourney.laptop import locks


@pytest.mark.parametrize("name", locks.LISTS)
def test_every_pin_has_hashes_of_its_files(name: str) -> None:
    text = (locks.LOCKS / name).read_text()

    assert locks.stale(name) == []
    assert len(locks.pins(locks.LOCKS / name)) == len(re.findall(r"==[^\n]*\\\n\s*--hash=sha256:[0-9a-f]{64}", text))


@pytest.mark.parametrize("package", ["psycopg-binary", "pillow", "cryptography"])
def test_the_files_of_other_machines_are_held_too(package: str) -> None:
    """Some dozens of wheels: processors, systems and versions of Python, not just the one the lock was made on."""
    text = (locks.LOCKS / "requirements.txt").read_text()
    block = re.search(rf"^{package}==[^\n]*\n((?:\s+--hash[^\n]*\n)+)", text, re.MULTILINE)

    assert block is not None
    assert block[1].count("--hash") > 10


def test_a_list_that_was_changed_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "locks").mkdir()
    (tmp_path / "requirements.txt").write_text("# named\nalpha==1.0\nbeta[x]==2.0\nGamma_D==3\n")
    monkeypatch.setattr(locks, "ROOT", tmp_path)
    monkeypatch.setattr(locks, "LOCKS", tmp_path / "locks")
    assert locks.stale("requirements.txt") == ["(no lock)"]
    hashed = " \\\n    --hash=sha256:" + "0" * 64 + "\n"

    (tmp_path / "locks" / "requirements.txt").write_text(f"alpha==1.0{hashed}beta[x]==2.1{hashed}gamma-d==3\n")

    assert locks.stale("requirements.txt") == ["beta", "gamma-d"]


def test_packages_of_npm_carry_their_integrity() -> None:
    packages = json.loads((locks.ROOT / "package-lock.json").read_text())["packages"]
    brought = {name: one for name, one in packages.items() if name}

    assert brought
    assert [name for name, one in brought.items() if not one.get("integrity", "").startswith("sha512-")] == []


@pytest.mark.parametrize("python", ["3.11.0", "3.12.0", "3.13.0", "3.14.0"])
@pytest.mark.parametrize("system", ["linux", "darwin"])
@pytest.mark.parametrize("name", ["requirements.txt", "requirements-dev.txt"])
def test_what_packages_bring_on_other_pythons_is_listed_too(name: str, python: str, system: str) -> None:
    """Only the lock is installed, so a package that an older Python needs beside must be in it."""
    pins = locks.pins(locks.ROOT / name)
    machine = {"python_version": python.rpartition(".")[0], "python_full_version": python, "sys_platform": system}
    missing = {
        f"{asked.name} for {package}"
        for package in pins
        for asked in map(Requirement, _asked_by(package))
        if (asked.marker is None or asked.marker.evaluate(machine | {"extra": ""}))
        and canonicalize_name(asked.name) not in pins
    }

    assert missing == set()


def _asked_by(package: str) -> list[str]:
    try:
        return requires(package) or []
    except PackageNotFoundError:  # not for this machine
        return []
