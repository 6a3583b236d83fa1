"""What a server says to browsers, takes from visitors, and is made of."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import django
import pytest
from django.conf import settings as django_settings
from django.test import Client

ROOT = Path(django_settings.BASE_DIR)
SERVER = {
    "DATABASE_URL": "postgres://tourney@localhost/tourney",
    "REDIS_URL": "redis://localhost:6379/0",
    "SECRET_KEY": "only-for-tests-" + "Qw7" * 20,
    "ALLOWED_HOSTS": "chess.example",
}


def of_a_server(asked: str, **more: str) -> str:
    """Return what Python prints with the settings of a server."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "TOURNEY_DATA") if name in os.environ}
    done = subprocess.run(
        [sys.executable, "-c", f"from tourney import settings as s; print({asked})"],
        cwd=ROOT,
        env={**kept, **SERVER, **more},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def test_a_server_tells_browsers_to_stay_on_https_and_keeps_its_cookies_there() -> None:
    cookies = "s.SESSION_COOKIE_SECURE, s.CSRF_COOKIE_SECURE, s.LANGUAGE_COOKIE_SECURE, s.SESSION_COOKIE_HTTPONLY"
    assert of_a_server(cookies) == "True True True True"
    assert of_a_server("s.SECURE_SSL_REDIRECT, s.SECOND_FACTOR") == "True True"
    assert int(of_a_server("s.SECURE_HSTS_SECONDS")) >= 30 * 24 * 3600
    assert of_a_server("s.SESSION_COOKIE_SAMESITE, s.X_FRAME_OPTIONS") == "Lax DENY"


def test_no_secret_has_a_default_on_a_server() -> None:
    text = (ROOT / "tourney" / "settings.py").read_text()
    strings = [node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant)]

    assert not [
        one
        for one in strings
        if isinstance(one, str) and re.fullmatch(r"[A-Za-z0-9+/=_-]{32,}", one) and any(sign.isdigit() for sign in one)
    ]
    assert 'SECRET_KEY = env.required("SECRET_KEY"' in text


def test_django_is_patched() -> None:
    """The long-supported line, at a release that mends what `docs/reports.md` names."""
    assert (5, 2, 19) <= django.VERSION[:3] < (5, 3)


def test_pdf_makers_get_strings_and_no_markup() -> None:
    """Reportlab's paragraphs read markup, its canvas does not: nobody imports the former."""
    makers = [
        path
        for app in ("tourney", "registration", "swiss", "brackets", "prizes")
        for path in (ROOT / app).rglob("*.py")
        if "reportlab" in (text := path.read_text(encoding="utf-8")) and "tests" not in path.parts and text
    ]
    assert makers
    assert [
        path.name for path in makers if re.search(r"reportlab\.platypus|Paragraph|rl_safe_eval", path.read_text())
    ] == []


@pytest.mark.django_db
def test_security_txt_names_whom_to_tell(client: Client, settings: Any) -> None:
    settings.SECURITY_CONTACT = ""
    assert client.get("/.well-known/security.txt").status_code == 404
    settings.SECURITY_CONTACT = "security@chess.example"
    settings.PUBLIC_URL = "https://chess.example"

    answer = client.get("/.well-known/security.txt")

    told = dict(line.split(": ", 1) for line in answer.content.decode().splitlines())
    assert told["Contact"] == "mailto:security@chess.example"
    assert told["Canonical"] == "https://chess.example/.well-known/security.txt"
    assert datetime.now(UTC) < datetime.fromisoformat(told["Expires"])
    assert answer["Content-Type"].startswith("text/plain")


@pytest.mark.django_db
def test_too_many_fields_and_too_large_forms_are_refused(client: Client) -> None:
    many = {f"field-{number}": "x" for number in range(django_settings.DATA_UPLOAD_MAX_NUMBER_FIELDS + 1)}

    assert client.post("/manage/sign-in/", many).status_code == 400
    large = "a=" + "x" * (django_settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1)
    answer = client.post("/manage/sign-in/", large, content_type="application/x-www-form-urlencoded")
    assert answer.status_code in (400, 413)
