"""Another SECRET_KEY than before: what still works, what is told, and what is made good."""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest
from allauth.mfa.adapter import get_adapter
from allauth.mfa.models import Authenticator
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from registration.links import application_by_token, token_of
from registration.models import Application
from registration.privacy.erasing import erase
from registration.services import withdraw_entry
from registration.tests.people import enter, section
from tourney.management.commands.restore import Command as Restore
from tourney.models import Entry
from tourney.testing import builders
from tourney.tests.web.test_sign_in import browser, person, sign_in

pytestmark = pytest.mark.django_db

BEFORE, AFTER = "the-key-of-before-" + "b" * 40, "another-key-" + "a" * 40


@pytest.fixture
def entry(settings: Any) -> Entry:
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = BEFORE, []
    return enter(section(builders.event("second-chance-32")), "Бондар", timezone.now()).entry


def with_app(name: str) -> Any:
    """Return somebody with an app, recovery codes and a key of glass."""
    user = person(name)
    seal = get_adapter().encrypt
    for kind, data in (("totp", {"secret": seal("JBSWY3DP")}), ("recovery_codes", {"seed": seal("x")})):
        Authenticator.objects.create(user=user, type=kind, data=data)
    Authenticator.objects.create(user=user, type="webauthn", data={"name": "Key"})
    return user


def said(*arguments: str) -> str:
    out = StringIO()
    call_command("secret_key", *arguments, stdout=out)
    return out.getvalue()


def test_with_its_own_key_nothing_is_told(entry: Entry) -> None:
    with_app("vira")

    assert said("--mend") == "Everything was made with the present SECRET_KEY.\n"
    assert Authenticator.objects.count() == 3


def test_another_key_is_told_and_a_fallback_reads_on(entry: Entry, settings: Any) -> None:
    with_app("vira")
    settings.SECRET_KEY = AFTER

    assert "Personal links of another SECRET_KEY: 1" in said()
    assert "Second factors (apps, recovery codes) of another SECRET_KEY: 2" in said()
    settings.SECRET_KEY_FALLBACKS = [BEFORE]
    assert "Second factors" not in said()


def test_mended_links_open_old_and_new_and_lost_apps_no_longer_lock_anybody_out(entry: Entry, settings: Any) -> None:
    user, given_out = with_app("vira"), token_of(entry.pk)
    Authenticator.objects.filter(type="webauthn").delete()
    settings.SECRET_KEY = AFTER
    computed = token_of(entry.pk)
    before = [application_by_token(token) is not None for token in (given_out, computed)]
    assert sign_in(browser(), "vira").url.startswith("/account/second/")

    said("--mend")

    assert before == [True, False]  # what people hold opens, what staff would be shown does not
    assert [application_by_token(token) is not None for token in (given_out, computed)] == [True, True]
    assert not Authenticator.objects.filter(user=user).exists()
    client: Client = browser()
    assert sign_in(client, "vira").url == "/manage/"
    assert said() == "Everything was made with the present SECRET_KEY.\n"


def test_mending_opens_no_link_of_an_erased_entry(entry: Entry, settings: Any) -> None:
    withdraw_entry(entry, actor=None)
    erase(entry, actor=None)
    erased = Application.objects.get(entry=entry).link_hash
    settings.SECRET_KEY = AFTER

    assert said("--mend") == "Everything was made with the present SECRET_KEY.\n"

    assert Application.objects.get(entry=entry).link_hash == erased


def test_a_restore_with_another_key_says_what_to_do(entry: Entry, settings: Any) -> None:
    with_app("vira")
    out = StringIO()
    settings.LAPTOP_MODE = False

    Restore(stdout=out)._tell_of_the_key()
    assert out.getvalue() == ""
    settings.SECRET_KEY = AFTER
    Restore(stdout=out)._tell_of_the_key()

    assert "another SECRET_KEY than the one the backup comes from" in out.getvalue()
    assert "manage.py secret_key --mend" in out.getvalue()
    assert "Second factors" in out.getvalue()
