"""Variables of the environment are read with their type, or refused with their name."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from tourney import environment

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("written", "read"), [("1", True), ("yes", True), ("On", True), ("0", False), ("false", False), ("", True)]
)
def test_flag_reads_yes_and_no(monkeypatch: pytest.MonkeyPatch, written: str, read: bool) -> None:
    monkeypatch.setenv("HTTPS", written)

    assert environment.flag("HTTPS", default=True) is read


@pytest.mark.parametrize(("reader", "written"), [(environment.flag, "maybe"), (environment.number, "-3")])
def test_unreadable_value_is_refused_with_its_name(
    monkeypatch: pytest.MonkeyPatch, reader: object, written: str
) -> None:
    monkeypatch.setenv("HSTS_SECONDS", written)

    with pytest.raises(ImproperlyConfigured, match="HSTS_SECONDS"):
        reader("HSTS_SECONDS", 1)  # type: ignore[operator]


def test_words_are_separated_by_commas_or_blanks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALLOWED_HOSTS", "a.example, b.example c.example")

    assert environment.words("ALLOWED_HOSTS") == ["a.example", "b.example", "c.example"]


def test_networks_are_read_and_one_with_bits_of_a_host_is_refused_with_what_was_meant(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("METRICS_NETWORKS", "10.0.0.0/8, 192.168.1.7 fd00::/8")
    assert environment.networks("METRICS_NETWORKS") == ["10.0.0.0/8", "192.168.1.7", "fd00::/8"]

    for written, words in (
        ("10.0.0.5/8", "METRICS_NETWORKS='10.0.0.5/8': did you mean 10.0.0.0/8?"),
        ("the hall", "METRICS_NETWORKS='the': write a network, as in 10.0.0.0/8"),
    ):
        monkeypatch.setenv("METRICS_NETWORKS", written)
        with pytest.raises(ImproperlyConfigured) as refused:
            environment.networks("METRICS_NETWORKS")
        assert str(refused.value) == words


def test_a_wrong_network_stops_the_start() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import tourney.settings"],
        cwd=ROOT,
        env={**os.environ, "METRICS_NETWORKS": "10.0.0.5/8"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "did you mean 10.0.0.0/8?" in done.stderr


def test_database_address_is_taken_apart() -> None:
    assert environment.database("postgres://us%40er:p%3Ass@db.example:5433/tour%20ney?sslmode=require") == {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": "tour ney",
        "USER": "us@er",
        "PASSWORD": "p:ss",
        "HOST": "db.example",
        "PORT": "5433",
        "OPTIONS": {"sslmode": "require"},
    }


def test_database_address_may_name_a_socket_folder() -> None:
    found = environment.database("postgresql:///tourney?host=/var/run/postgresql")

    assert (found["HOST"], found["PORT"], found["OPTIONS"]) == ("/var/run/postgresql", "", {})


@pytest.mark.parametrize("url", ["mysql://localhost/x", "postgres://localhost/", "postgres://localhost:many/x"])
def test_other_database_addresses_are_refused(url: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="DATABASE_URL"):
        environment.database(url)


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"DATABASE_URL": "postgres:///x"}, "Set both DATABASE_URL and REDIS_URL"),
        ({"DATABASE_URL": "postgres:///x", "REDIS_URL": "redis://x"}, "SECRET_KEY is not set"),
        ({"DATABASE_URL": "postgres:///x", "REDIS_URL": "redis://x", "SECRET_KEY": "s"}, "ALLOWED_HOSTS is not set"),
    ],
)
def test_server_refuses_to_start_half_configured(given: dict[str, str], complaint: str, tmp_path: Path) -> None:
    environment_given = {"PATH": os.environ["PATH"], "TOURNEY_DATA": str(tmp_path), **given}

    done = subprocess.run(
        [sys.executable, "-c", "import tourney.settings"],
        cwd=ROOT,
        env=environment_given,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 1
    assert complaint in done.stderr
