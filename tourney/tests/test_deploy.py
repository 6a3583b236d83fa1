"""The files by which the program is run on servers name what exists, and give up on no service."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from celery.utils.imports import symbol_by_name
from django.conf import settings
from django.contrib.messages.storage.cookie import CookieStorage

from tourney.devices import COOKIE as DEVICE_COOKIE
from tourney.following import COOKIE as FOLLOW_COOKIE
from tourney.shared_cache import LANGUAGE, OWN

DEPLOY = Path(settings.BASE_DIR, "deploy")
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.name)
def test_service_that_dies_is_started_again_however_often(unit: Path) -> None:
    lines = unit.read_text().splitlines()

    assert "StartLimitIntervalSec=0" in lines[: lines.index("[Service]")]  # only there systemd reads it
    assert {"Restart=always", "Restart=on-failure"} & set(lines[lines.index("[Service]") :])


@pytest.mark.parametrize("path", [*UNITS, DEPLOY / "compose.yaml"], ids=lambda path: path.name)
def test_clock_is_the_one_that_goes_on_when_it_is_put_back(path: Path) -> None:
    for named in re.findall(r"--scheduler[=\s,\"]+([\w.:]+)", path.read_text()):
        assert symbol_by_name(named).__module__ == "tourney.ticking"
    if "clock" in path.name or path.suffix == ".yaml":
        assert "--scheduler" in path.read_text()


def test_units_wait_for_each_other_by_names_that_exist() -> None:
    ours = {unit.name.replace("@", "") for unit in UNITS}
    named = {name for unit in UNITS for name in re.findall(r"tourney-\w+\.service", unit.read_text())}

    assert named <= ours
    assert "tourney-tables.service" in named


def test_cache_in_front_knows_the_languages_and_the_cookies_of_the_program() -> None:
    conf = (DEPLOY / "nginx-cache.conf").read_text()
    languages = [code for code, _ in settings.LANGUAGES]
    known = {settings.SESSION_COOKIE_NAME, CookieStorage.cookie_name, DEVICE_COOKIE}

    assert re.findall(r"~\^\(([\w|]+)\)\$ \$cookie_(\w+)", conf) == [
        ("|".join(languages), settings.LANGUAGE_COOKIE_NAME)
    ]
    assert re.findall(r"<first>([\w|]+)", conf) == ["|".join(languages)]
    assert {word for found in re.findall(r"\(\?:([\w|]+)\)=", conf) for word in found.split("|")} == known
    assert f"{FOLLOW_COOKIE}=" in conf
    assert f"&{LANGUAGE}=$chosen" in conf
    assert f"default {OWN};" in conf
    assert "proxy_cache_use_stale " not in re.sub(r"#.*", "", conf)  # it knows no end


@pytest.mark.parametrize(
    ("asked", "language"),
    [
        ("uk-UA,uk;q=0.9,en;q=0.8", "uk"),
        ("de, en;q=0.5, uk;q=0.4", "en"),
        ("ukr,  ru", "ru"),
        ("fr-FR,fr;q=0.8", OWN),
        ("de-en", OWN),
        ("", OWN),
        (" uk", "uk"),
        ("a," + "      b," * 9, OWN),
        ("a," + "      b," * 900, OWN),
    ],
)
def test_cache_in_front_finds_the_first_language_of_ours_and_no_header_keeps_it_busy(asked: str, language: str) -> None:
    conf = (DEPLOY / "nginx-cache.conf").read_text()
    (pattern,) = re.findall(r'"~\*(\S.*)" \$first;', conf)
    begun = time.process_time()

    found = re.match(pattern.replace("(?<first>", "(?P<first>"), asked, re.IGNORECASE)

    assert (found["first"] if found else OWN) == language
    assert time.process_time() - begun < 0.5


def test_example_of_the_environment_names_what_the_program_reads() -> None:
    source = "".join(
        path.read_text() for path in (*Path(settings.BASE_DIR, "tourney").rglob("*.py"), *DEPLOY.glob("*.y*ml"))
    )
    names = re.findall(r"^([A-Z_]+)=", (DEPLOY / "env.example").read_text(), re.MULTILINE)

    assert len(names) > 8
    assert [name for name in names if name not in source] == []
