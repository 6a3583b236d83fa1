"""Signing in: limits before hashing, a second factor for those with power, devices, passwords, invitations."""

from __future__ import annotations

import json
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import redis
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from allauth.usersessions.models import UserSession
from django.contrib.auth import get_user_model
from django.contrib.auth.hashers import Argon2PasswordHasher, MD5PasswordHasher
from django.db import connection
from django.test import Client, RequestFactory
from django.urls import reverse
from django.utils import timezone

from tourney.addresses import UNKNOWN, address_of, network_of
from tourney.models import ActionLog, StaffRole, Tournament
from tourney.sign_in import guard, knocks, letters
from tourney.sign_in.models import Invitation, Knock
from tourney.testing import builders

pytestmark = pytest.mark.django_db

PASSWORD = "sicilian-hedgehog"
SIGN_IN = "/manage/sign-in/"


@pytest.fixture
def event() -> Tournament:
    return builders.event()


def person(name: str, event: Tournament | None = None, role: str = "") -> Any:
    user = builders.user(name, event, role)
    user.set_password(PASSWORD)
    user.save()
    return user


def browser(**headers: Any) -> Client:
    return Client(headers={"accept-language": "en"}, **headers)


def sign_in(client: Client, name: str, password: str = PASSWORD, **more: Any) -> Any:
    return client.post(SIGN_IN, {"username": name, "password": password, "next": "/manage/"}, **more)


def code_of(user: Any) -> str:
    """Return what the person's app shows now."""
    secret = Authenticator.objects.get(user=user, type="totp").wrap()
    from allauth.mfa.adapter import get_adapter  # noqa: PLC0415 -- the adapter is chosen by settings

    plain = get_adapter().decrypt(secret.instance.data["secret"])
    return format_hotp_value(hotp_value(plain, next(yield_hotp_counters_from_time())))


def prove(client: Client) -> None:
    """Give the password once more, as every change of the sign-in wants it."""
    answer = client.post(f"{reverse('account_reauthenticate')}?next=/account/", {"password": PASSWORD})
    assert answer.url == "/account/"


def set_up_app(client: Client) -> str:
    """Set up an app with codes as the page shows it; return its secret."""
    prove(client)
    page = client.get(reverse("mfa_activate_totp"))
    secret = str(page.context["form"].secret)
    code = format_hotp_value(hotp_value(secret, next(yield_hotp_counters_from_time())))
    answer = client.post(reverse("mfa_activate_totp"), {"code": code})
    assert answer.url == reverse("mfa_view_recovery_codes"), answer.content.decode()
    return secret


# -- the way in ------------------------------------------------------------------------------------------------------


def test_name_and_password_lead_on_and_to_no_other_site() -> None:
    person("vira")

    assert sign_in(browser(), "vira").url == "/manage/"
    for evil in ("https://evil.example/", "//evil.example", "javascript:alert(1)"):
        answer = browser().post(SIGN_IN, {"username": "vira", "password": PASSWORD, "next": evil})
        assert answer.url == "/manage/", evil


def test_a_wrong_password_and_an_unknown_name_look_alike_and_keep_the_name() -> None:
    person("vira")

    known, unknown = (sign_in(browser(), name, "wrong") for name in ("vira", "nobody-here"))

    assert known.status_code == unknown.status_code == 200
    assert 'value="vira"' in known.content.decode()
    assert "fit together" in known.content.decode()
    assert len(known.content) - len(unknown.content) == len("vira") - len("nobody-here")


def test_no_page_lets_anybody_make_an_account() -> None:
    for path in ("/account/signup/", "/accounts/signup/", "/account/login/"):
        assert browser().get(path).status_code == 404


# -- limits ----------------------------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def no_flood(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests try faster than people: the count of all together is there for those that are about it."""
    monkeypatch.setattr(guard, "EVERYBODY", guard.Limit(10_000, 1))


@pytest.fixture
def hashed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was hashed, in order."""
    seen: list[str] = []
    real = MD5PasswordHasher.encode

    def encode(self: Any, password: str, *more: Any, **options: Any) -> str:
        seen.append(password)
        return real(self, password, *more, **options)

    monkeypatch.setattr(MD5PasswordHasher, "encode", encode)
    return seen


def test_after_too_many_failures_on_a_name_nothing_is_hashed_any_more(hashed: list[str]) -> None:
    person("vira")
    hashed.clear()
    answers = [sign_in(browser(REMOTE_ADDR=f"198.51.100.{n}"), "Vira ", "wrong").status_code for n in range(13)]

    assert answers == [200] * guard.NAME.most + [429] * 3
    assert len(hashed) == guard.NAME.most
    refused = sign_in(browser(REMOTE_ADDR="203.0.113.9"), "vira")
    assert (refused.status_code, refused["Retry-After"]) == (429, str(guard.NAME.seconds))
    assert "Too many tries. Wait 15 minutes" in refused.content.decode()
    assert len(hashed) == guard.NAME.most


def test_nobody_can_lock_out_a_person_whose_browser_was_here_before() -> None:
    person("vira")
    own = browser()
    sign_in(own, "vira")
    own.post(reverse("logout"))
    for number in range(guard.NAME.most + 1):
        sign_in(browser(REMOTE_ADDR=f"198.51.100.{number}"), "vira", "wrong")

    assert sign_in(browser(), "vira").status_code == 429
    assert sign_in(own, "vira").url == "/manage/"
    forged = browser()
    forged.cookies[guard.COOKIE] = own.cookies[guard.COOKIE].value[:-1] + "x"
    assert sign_in(forged, "vira").status_code == 429
    person("ivan")
    assert guard.browser_of(_request(own), guard.folded("ivan")) == ""


def _request(client: Client) -> Any:
    request = RequestFactory().get("/")
    request.COOKIES = {name: morsel.value for name, morsel in client.cookies.items()}
    return request


def test_an_address_is_stopped_whatever_names_it_tries_and_others_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "ADDRESS", guard.Limit(5, 600))
    person("vira")
    flood = browser(REMOTE_ADDR="198.51.100.1")

    assert [sign_in(flood, f"name-{n}", "wrong").status_code for n in range(7)] == [200] * 5 + [429] * 2
    assert sign_in(flood, "vira").status_code == 429
    assert sign_in(browser(REMOTE_ADDR="198.51.100.2"), "vira").url == "/manage/"


def test_a_flood_from_many_addresses_is_stopped_as_a_whole(monkeypatch: pytest.MonkeyPatch, hashed: list[str]) -> None:
    monkeypatch.setattr(guard, "EVERYBODY", guard.Limit(5, 10))
    person("vira")
    hashed.clear()

    answers = [sign_in(browser(REMOTE_ADDR=f"198.51.100.{n}"), f"name-{n}", "x").status_code for n in range(8)]

    assert answers == [200] * 5 + [429] * 3
    assert len(hashed) == 5


def test_while_the_counts_are_full_a_stranger_is_turned_away_at_the_door(
    monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: Any
) -> None:
    """Without the form, the session or the name being looked at; a browser that was here before goes through."""
    person("vira")
    own = browser()
    sign_in(own, "vira")
    own.post(reverse("logout"))
    monkeypatch.setattr(guard, "EVERYBODY", guard.Limit(2, 90))
    assert [sign_in(browser(), f"name-{n}", "x").status_code for n in range(2)] == [200, 200]
    read: list[str] = []
    real = guard.begin
    monkeypatch.setattr(guard, "begin", lambda request, name: read.append(name) or real(request, name))

    with django_assert_num_queries(1):  # the count, which stands in a table here
        refused = sign_in(browser(), "vira")
    with django_assert_num_queries(0):  # and is not asked for again
        again = sign_in(browser(), "vira", headers={"accept-language": "uk"})

    assert (refused.status_code, refused["Retry-After"], refused["Cache-Control"]) == (429, "90", "private, no-store")
    assert "Too many tries. Wait 2 minutes" in refused.content.decode()
    assert "Content-Security-Policy" in refused.headers
    assert 'lang="uk"' in again.content.decode()
    assert read == []
    assert browser().get(SIGN_IN).status_code == 200
    assert sign_in(own, "vira").url == "/manage/"
    forged = browser()
    forged.cookies[guard.COOKIE] = own.cookies[guard.COOKIE].value[:-1] + "x"
    assert sign_in(forged, "vira").status_code == 429


def test_a_hash_made_dearly_before_is_known_and_made_anew(settings: Any) -> None:
    settings.PASSWORD_HASHERS = ["tourney.sign_in.hashing.Argon2Hasher"]
    vira = person("vira")
    vira.password = Argon2PasswordHasher().encode(PASSWORD, "a-salt-of-sixteen")
    vira.save()

    assert sign_in(browser(), "vira").url == "/manage/"

    vira.refresh_from_db()
    assert "m=19456,t=2,p=1" in vira.password
    assert sign_in(browser(), "vira").url == "/manage/"


def test_right_passwords_use_up_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hall signs in by one address after a power cut, each once."""
    monkeypatch.setattr(guard, "ADDRESS", guard.Limit(2, 600))
    person("vira")

    assert [sign_in(browser(), "vira").status_code for _ in range(5)] == [302] * 5


def test_a_count_ends_and_then_begins_anew() -> None:
    key = knocks.key_of("a", "b")

    assert [knocks.count(key, 60) for _ in range(3)] == [1, 2, 3]
    knocks.take_back(key)
    assert knocks.count(key, 60) == 3
    Knock.objects.update(ends_at=timezone.now() - timedelta(seconds=1))
    assert knocks.count(key, 60) == 1
    Knock.objects.update(ends_at=timezone.now() - timedelta(seconds=1))
    assert knocks.forget_ended() == 1


@pytest.fixture
def redis_of_ours(tmp_path: Path, settings: Any) -> Iterator[redis.Redis]:
    """A Redis of the test's own."""
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("there is no redis-server on this machine")
    socket = tmp_path / "redis.sock"
    command = [program, "--port", "0", "--unixsocket", str(socket), "--save", "", "--dir", str(tmp_path)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    settings.KNOCKS_URL = f"unix://{socket}"
    client = redis.Redis.from_url(settings.KNOCKS_URL)
    for _ in range(100):
        try:
            client.ping()
            break
        except redis.ConnectionError:
            time.sleep(0.05)
    yield client
    client.close()
    server.terminate()
    server.wait()


def test_counts_in_redis_always_end(redis_of_ours: redis.Redis) -> None:
    key = knocks.key_of("in", "redis")
    name = f"tourney-knock-{key}"

    assert [knocks.count(key, 60) for _ in range(3)] == [1, 2, 3]
    knocks.take_back(key)
    assert knocks.full_of({key: 2}) == key
    assert 0 < int(redis_of_ours.ttl(name)) <= 60
    redis_of_ours.delete(name)
    knocks.take_back(key)  # the count ended meanwhile: nothing is made that stays
    assert redis_of_ours.get(name) is None
    redis_of_ours.set(name, 4)  # what a release before left behind
    assert knocks.count(key, 60) == 5
    assert 0 < int(redis_of_ours.ttl(name)) <= 60
    assert Knock.objects.count() == 0


def test_where_redis_does_not_answer_the_table_counts(settings: Any) -> None:
    settings.KNOCKS_URL = "redis://127.0.0.1:1/0"  # nothing listens there
    key = knocks.key_of("without", "redis")

    assert [knocks.count(key, 60) for _ in range(2)] == [1, 2]
    assert Knock.objects.get(key=key).count == 2
    knocks._rest.until = 0.0


def test_the_table_of_counts_holds_no_name_and_no_address() -> None:
    person("vira-with-a-name")
    sign_in(browser(REMOTE_ADDR="198.51.100.77"), "vira-with-a-name", "wrong")

    assert Knock.objects.count() == 3
    assert all(len(key) == 64 and "vira" not in key for key in Knock.objects.values_list("key", flat=True))


@pytest.mark.parametrize(
    ("proxies", "forwarded", "remote", "address"),
    [
        (0, "203.0.113.1", "198.51.100.1", "198.51.100.1"),  # nobody of ours wrote it
        (1, "203.0.113.1", "10.0.0.1", "203.0.113.1"),
        (1, "1.1.1.1, 203.0.113.1", "10.0.0.1", "203.0.113.1"),  # the first was written by the visitor
        (2, "1.1.1.1, 203.0.113.1, 10.0.0.2", "10.0.0.1", "203.0.113.1"),
        (1, "", "198.51.100.1", "198.51.100.1"),
        (1, "nonsense", "198.51.100.1", UNKNOWN),
        (1, "203.0.113.1:4711", "10.0.0.1", "203.0.113.1"),
        (1, "[2001:db8::1]:4711", "10.0.0.1", "2001:db8::1"),
        (0, "", "", UNKNOWN),  # by a socket of this machine
    ],
)
def test_the_address_is_what_our_own_proxy_saw(
    settings: Any, proxies: int, forwarded: str, remote: str, address: str
) -> None:
    settings.TRUSTED_PROXIES = proxies
    headers = {"X-Forwarded-For": forwarded} if forwarded else {}

    assert address_of(RequestFactory().get("/", headers=headers, REMOTE_ADDR=remote)) == address


def test_a_household_of_ipv6_counts_as_one_place() -> None:
    one, two = (RequestFactory().get("/", REMOTE_ADDR=f"2001:db8:0:1::{n}") for n in (1, 2))

    assert network_of(one) == network_of(two) == "2001:db8:0:1::/64"
    assert network_of(RequestFactory().get("/", REMOTE_ADDR="::ffff:198.51.100.1")) == "198.51.100.1"


# -- second factor ---------------------------------------------------------------------------------------------------


def test_whoever_runs_an_event_sets_up_a_second_factor_first_where_it_is_asked_for(
    settings: Any, event: Tournament
) -> None:
    settings.SECOND_FACTOR = True
    person("boss", event, "organizer")
    person("judge", event, "arbiter")
    home = reverse("manage_event", args=[event.slug])
    boss, judge = browser(), browser()
    sign_in(boss, "boss")
    sign_in(judge, "judge")

    sent = boss.get(home)
    assert sent.url == f"{reverse('account')}?next={home}"
    assert "A second factor is needed" in boss.get(sent.url).content.decode()
    assert boss.post(reverse("manage_settings", args=[event.slug])).url.startswith(reverse("account"))
    assert judge.get(home).status_code == 200
    set_up_app(boss)
    assert boss.get(home).status_code == 200
    assert home in boss.get(sent.url).content.decode()


def test_session_by_a_password_alone_ends_with_the_first_factor_and_a_removed_one_is_asked_for_again(
    settings: Any, event: Tournament, django_capture_on_commit_callbacks: Any
) -> None:
    settings.SECOND_FACTOR = True
    user = person("boss", event, "organizer")
    home = reverse("manage_event", args=[event.slug])
    thief, boss = browser(), browser()
    sign_in(thief, "boss")
    sign_in(boss, "boss")

    with django_capture_on_commit_callbacks(execute=True):
        set_up_app(boss)

    assert boss.get(home).status_code == 200
    assert thief.get(home).url.startswith(reverse("login"))
    with django_capture_on_commit_callbacks(execute=True):
        assert boss.post(reverse("mfa_deactivate_totp")).status_code == 302
    assert not Authenticator.objects.filter(user=user, type="totp").exists()
    assert boss.get(home).url.startswith(reverse("account"))


def test_a_laptop_asks_for_none(event: Tournament) -> None:
    boss = browser()
    person("boss", event, "organizer")
    sign_in(boss, "boss")

    assert boss.get(reverse("manage_event", args=[event.slug])).status_code == 200


def test_with_an_app_the_password_alone_opens_nothing(event: Tournament) -> None:
    user = person("boss", event, "organizer")
    first = browser()
    sign_in(first, "boss")
    secret = set_up_app(first)
    stored = Authenticator.objects.get(user=user, type="totp")
    assert secret not in json.dumps(stored.data)  # a copy of the database makes no codes

    second = browser()
    assert sign_in(second, "boss").url == reverse("mfa_authenticate")
    assert second.get(reverse("manage_event", args=[event.slug])).status_code == 302
    assert "Six digits" in second.get(reverse("mfa_authenticate")).content.decode()
    assert second.post(reverse("mfa_authenticate"), {"code": "000000"}).status_code == 200
    assert second.post(reverse("mfa_authenticate"), {"code": code_of(user)}).url == "/manage/"
    assert second.get(reverse("manage_event", args=[event.slug])).status_code == 200


def test_a_recovery_code_opens_once(event: Tournament) -> None:
    person("boss", event, "organizer")
    first = browser()
    sign_in(first, "boss")
    set_up_app(first)
    code = first.get(reverse("mfa_view_recovery_codes")).context["unused_codes"][0]
    assert code in first.get(reverse("mfa_download_recovery_codes")).content.decode()

    for expected in (302, 200):
        lost = browser()
        sign_in(lost, "boss")
        assert lost.post(reverse("mfa_authenticate"), {"code": code}).status_code == expected


def test_codes_can_not_be_tried_out(event: Tournament) -> None:
    user = person("boss", event, "organizer")
    first = browser()
    sign_in(first, "boss")
    set_up_app(first)
    thief = browser()
    sign_in(thief, "boss")
    for number in range(guard.CODES.most + 1):
        answer = thief.post(reverse("mfa_authenticate"), {"code": f"{number:06}"})
    assert "Too many tries" in answer.content.decode()
    assert thief.post(reverse("mfa_authenticate"), {"code": code_of(user)}).status_code == 200


def test_a_session_that_did_not_prove_itself_lately_changes_nothing(event: Tournament) -> None:
    person("boss", event, "organizer")
    client = browser()
    client.force_login(get_user_model().objects.get(username="boss"))

    for name in ("mfa_activate_totp", "account_change_password", "mfa_add_webauthn"):
        assert client.get(reverse(name)).url.startswith(reverse("account_reauthenticate")), name
    again = client.post(f"{reverse('account_reauthenticate')}?next=/account/password/", {"password": PASSWORD})
    assert again.url == "/account/password/"
    assert client.get("/account/password/").status_code == 200


# -- devices, password -----------------------------------------------------------------------------------------------


def test_one_sees_where_one_is_signed_in_and_ends_it_everywhere_else() -> None:
    user = person("vira")
    here, there = browser(), browser(HTTP_USER_AGENT="Mozilla/5.0 (iPad) Safari/605.1")
    sign_in(here, "vira")
    sign_in(there, "vira")
    page = here.get(reverse("account")).content.decode()
    assert "Safari · iPad" in page
    assert UserSession.objects.filter(user=user).count() == 2

    assert here.post(reverse("account_end_sessions")).url == reverse("account")

    assert there.get("/manage/").status_code == 302
    assert here.get("/manage/").status_code == 200


def test_a_new_password_ends_the_other_sessions() -> None:
    user = person("vira")
    here, there = browser(), browser()
    sign_in(here, "vira")
    sign_in(there, "vira")
    page = reverse("account_change_password")
    prove(here)

    assert here.post(page, {"password": "short", "again": "short"}).status_code == 422
    assert here.post(page, {"password": "kings-indian-7", "again": "kings-indian-8"}).status_code == 422
    assert here.post(page, {"password": "kings-indian-7", "again": "kings-indian-7"}).url == reverse("account")

    user.refresh_from_db()
    assert user.check_password("kings-indian-7")
    assert there.get("/manage/").status_code == 302
    assert here.get("/manage/").status_code == 200


# -- invitations -----------------------------------------------------------------------------------------------------


@pytest.fixture
def link(event: Tournament) -> str:
    organizer = browser()
    person("boss", event, "organizer")
    sign_in(organizer, "boss")
    form = {"act": "invite", "invite-label": "Olha, hall 2", "invite-role": "arbiter"}
    page = organizer.post(reverse("manage_staff", args=[event.slug]), form)
    return str(page.context["shown"]["link"]).removeprefix("http://testserver")


def test_an_invitation_makes_an_account_with_the_role_once(event: Tournament, link: str) -> None:
    guest = browser()
    assert "Olha" not in guest.get(link).content.decode()
    form = {"username": "olha", "password": "caro-kann-9", "again": "caro-kann-9"}
    assert guest.post(link, form | {"username": "BOSS"}).status_code == 422

    assert guest.post(link, form).url == reverse("manage_event", args=[event.slug])

    assert event.staff.filter(user__username="olha", role="arbiter").exists()
    assert guest.get(reverse("manage_event", args=[event.slug])).status_code == 200
    assert browser().get(link).status_code == 404
    assert browser().post(link, form | {"username": "second"}).status_code == 404
    told = set(ActionLog.objects.filter(tournament=event).values_list("action", flat=True))
    assert {"staff.invited", "staff.joined"} <= told


def test_an_invitation_is_taken_with_an_account_one_has(event: Tournament, link: str) -> None:
    person("vira")
    client = browser()
    sign_in(client, "vira")

    assert client.post(link).url == reverse("manage_event", args=[event.slug])
    assert StaffRole.objects.filter(tournament=event, user__username="vira").count() == 1


@pytest.mark.parametrize("fate", ["revoked", "ended", "unknown"])
def test_an_invitation_taken_back_or_too_old_or_never_made_opens_nothing(
    event: Tournament, link: str, fate: str
) -> None:
    invitation = Invitation.objects.get()
    if fate == "revoked":
        organizer = browser()
        organizer.force_login(get_user_model().objects.get(username="boss"))
        page = reverse("manage_staff", args=[event.slug])
        organizer.post(page, {"act": "revoke", "invitation": invitation.pk})
        assert "staff.invitation_revoked" in event.log.values_list("action", flat=True)
    elif fate == "ended":
        Invitation.objects.update(ends_at=timezone.now())
    else:
        link = reverse("invitation", args=["x" * 32])

    assert browser().get(link).status_code == 404
    form = {"username": "late", "password": "caro-kann-9", "again": "caro-kann-9"}
    assert browser().post(link, form).status_code == 404
    assert not get_user_model().objects.filter(username="late").exists()


def test_the_token_of_an_invitation_lies_nowhere(link: str) -> None:
    token = link.rstrip("/").rpartition("/")[2]

    assert token not in repr(list(Invitation.objects.values_list())) + repr(list(ActionLog.objects.values_list()))


def test_two_who_ask_for_the_proof_of_an_address_at_once_are_one(transactional_db: None) -> None:
    vira = person("vira")
    start = threading.Barrier(2)

    def ask(_number: int) -> None:
        try:
            start.wait(10)
            letters.ask_for_proof(vira, "vira@example.org", base="")
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(ask, range(2)))

    assert EmailAddress.objects.filter(user=vira, email="vira@example.org").count() == 1
