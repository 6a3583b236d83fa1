"""Which of the packages we ship or build with have a known vulnerability: what `make check` asks once.

The packages are those of the locks, Python's and npm's, in exactly the versions that are installed. They are asked
about at OSV (the database pip-audit reads, which holds npm's advisories too: https://google.github.io/osv.dev/api/) in
one request; what it knows is then read one by one. Nothing is sent but names and versions of public packages.

`locks/waivers.toml` says which findings we live with, why, and until when; a waiver that has run out fails, also on a
machine without a network. Where the service can't be reached the check says so and passes: a hall and a build machine
without internet must be able to run the checks. `VULNERABILITIES_REQUIRED=1` makes that a failure.

    python -m tourney.testing.audit
"""

from __future__ import annotations

import argparse
import datetime as dt
import http.client
import json
import os
import sys
import tomllib
import urllib.request
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tourney.laptop.locks import LISTS, LOCKS, ROOT, pins

SERVICE = "https://api.osv.dev"
WAIVERS = LOCKS / "waivers.toml"
TIMEOUT = 15  # seconds for one answer
_LARGEST = 20_000_000  # bytes of one answer
_BATCH = 500

Ask = Callable[[str, Mapping[str, Any] | None], dict[str, Any]]


class NotReachedError(Exception):
    """The service gave no answer one can read; the words say which."""


class WaiverError(Exception):
    """The file of waivers is not what it should be."""


@dataclass(frozen=True, slots=True, order=True)
class Package:
    ecosystem: str  # PyPI, npm
    name: str
    version: str


@dataclass(frozen=True, slots=True)
class Finding:
    """A vulnerability of one of our packages. `names` are all numbers it goes by: CVE, GHSA, PYSEC."""

    package: Package
    number: str
    names: frozenset[str]
    summary: str = ""


@dataclass(frozen=True, slots=True)
class Waiver:
    number: str
    reason: str
    until: dt.date


@dataclass(slots=True)
class Verdict:
    open: list[Finding] = field(default_factory=list)
    waived: list[tuple[Finding, Waiver]] = field(default_factory=list)
    expired: list[Waiver] = field(default_factory=list)
    unused: list[Waiver] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        return not self.open and not self.expired


# -- what we have ----------------------------------------------------------------------------------------------------


def packages() -> list[Package]:
    """Return every package of the locks, once."""
    found = {Package("PyPI", name, version) for one in LISTS for name, version in pins(LOCKS / one).items()}
    found |= npm_packages(json.loads((ROOT / "package-lock.json").read_text(encoding="utf-8")))
    return sorted(found)


def npm_packages(lock: Mapping[str, Any]) -> set[Package]:
    """Return the packages of an npm lock; the last folder of a path is the name, `@scope/name` included."""
    return {
        Package("npm", path.rpartition("node_modules/")[2], one["version"])
        for path, one in lock["packages"].items()
        if path and one.get("version") and not one.get("link")
    }


def waivers(text: str) -> list[Waiver]:
    """Read the file of waivers: `[[waiver]]` with id, reason and until (a date); WaiverError says what is wrong."""
    try:
        rows = tomllib.loads(text).get("waiver", [])
    except tomllib.TOMLDecodeError as error:
        raise WaiverError(str(error)) from error
    found = []
    for row in rows:
        number, reason, until = row.get("id"), row.get("reason"), row.get("until")
        if not number or not str(reason or "").strip() or type(until) is not dt.date:
            raise WaiverError(f"{number or 'a waiver'}: id, reason and until (a date without quotes) are needed")
        found.append(Waiver(str(number), str(reason), until))
    return found


def judge(findings: Iterable[Finding], waived: Sequence[Waiver], today: dt.date) -> Verdict:
    """Return what is open, what we live with, and which waivers have run out or are needed no more."""
    verdict = Verdict(expired=[one for one in waived if one.until < today])
    good = [one for one in waived if one.until >= today]
    used = set()
    for finding in findings:
        waiver = next((one for one in good if one.number in finding.names), None)
        if waiver is None:
            verdict.open.append(finding)
        else:
            used.add(waiver.number)
            verdict.waived.append((finding, waiver))
    verdict.unused = [one for one in good if one.number not in used]
    return verdict


# -- what is known ---------------------------------------------------------------------------------------------------


def asker(service: str) -> Ask:
    """Return what sends one request to the service and reads its answer; NotReachedError for whatever goes wrong."""

    def ask(path: str, body: Mapping[str, Any] | None) -> dict[str, Any]:
        data = None if body is None else json.dumps(body).encode()
        headers = {"content-type": "application/json", "user-agent": "tourney-checks"}
        request = urllib.request.Request(f"{service}{path}", data, headers)
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
                found = json.loads(answer.read(_LARGEST))
        except (OSError, ValueError, http.client.HTTPException) as error:
            raise NotReachedError(f"{service}{path}: {error}") from error
        if not isinstance(found, dict):
            raise NotReachedError(f"{service}{path}: not the answer of a database of vulnerabilities")
        return found

    return ask


def findings(wanted: Sequence[Package], ask: Ask) -> list[Finding]:
    """Return the vulnerabilities known of packages, those taken back left out."""
    numbers = [
        pair for start in range(0, len(wanted), _BATCH) for pair in _numbers(wanted[start : start + _BATCH], ask)
    ]
    known: dict[str, dict[str, Any]] = {}
    found = []
    for package, number in numbers:
        if number not in known:
            known[number] = _details(number, ask)
        if not known[number].get("withdrawn"):
            names = frozenset({number, *known[number].get("aliases", [])})
            found.append(Finding(package, number, names, str(known[number].get("summary", ""))))
    return found


def _details(number: str, ask: Ask) -> dict[str, Any]:
    try:
        return ask(f"/v1/vulns/{number}", None)
    except NotReachedError:
        return {}  # its number stands all the same


def _numbers(wanted: Sequence[Package], ask: Ask) -> list[tuple[Package, str]]:
    """Return (package, number of a vulnerability); a long answer comes in pages."""
    found: list[tuple[Package, str]] = []
    asked: list[tuple[Package, str]] = [(package, "") for package in wanted]
    while asked:
        queries = [
            {"package": {"ecosystem": one.ecosystem, "name": one.name}, "version": one.version}
            | ({"page_token": token} if token else {})
            for one, token in asked
        ]
        results = ask("/v1/querybatch", {"queries": queries}).get("results")
        if not isinstance(results, list) or len(results) != len(asked):
            raise NotReachedError("the service answers something else than it was asked")
        more = []
        for (package, _token), result in zip(asked, results, strict=True):
            found += [(package, str(one["id"])) for one in result.get("vulns", [])]
            if result.get("next_page_token"):
                more.append((package, str(result["next_page_token"])))
        asked = more
    return found


# -- the check -------------------------------------------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None) -> int:
    """Say what is known of our packages; return 0 when nothing is open, or nobody could be asked."""
    parser = argparse.ArgumentParser(prog="python -m tourney.testing.audit", description="known vulnerabilities")
    parser.add_argument("--service", default=os.environ.get("VULNERABILITY_SERVICE", SERVICE))
    parser.add_argument("--waivers", type=Path, default=WAIVERS)
    options = parser.parse_args(arguments)
    try:
        waived = waivers(options.waivers.read_text(encoding="utf-8"))
    except WaiverError as error:
        print(f"{options.waivers.name}: {error}")
        return 1
    ours, today, reached = packages(), dt.datetime.now(dt.UTC).date(), True
    known: list[Finding] = []
    try:
        known = findings(ours, asker(options.service.rstrip("/")))
    except NotReachedError as error:
        reached = False
        print(f"not reached, so nothing is known about {len(ours)} packages: {error}")
    verdict = judge(known, waived, today)
    for line in words(verdict, reached=reached, packages=len(ours)):
        print(line)
    required = os.environ.get("VULNERABILITIES_REQUIRED", "") not in ("", "0")
    return 0 if verdict.passed and (reached or not required) else 1


def words(verdict: Verdict, *, reached: bool, packages: int) -> list[str]:
    """Return the lines of a verdict."""
    lines = [f"waiver of {one.number} ran out on {one.until}: {one.reason}" for one in verdict.expired]
    for one in verdict.open:
        name = f"{one.package.name} {one.package.version} ({one.package.ecosystem})"
        lines.append(f"{name}: {', '.join(sorted(one.names))} {one.summary}".rstrip())
    lines += [
        f"waived until {by.until}: {one.number} of {one.package.name} – {by.reason}" for one, by in verdict.waived
    ]
    if reached:
        lines += [f"waiver of {one.number} is needed no more" for one in verdict.unused]
        lines.append(f"{packages} packages asked about, {len(verdict.open)} open, {len(verdict.waived)} waived")
    return lines


if __name__ == "__main__":
    sys.exit(main())
