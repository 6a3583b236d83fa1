"""Who forgot a password: one answer for everybody, a letter to a proven address, and the second factor still asked."""

from __future__ import annotations

import re
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.core import mail
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tourney import queue
from tourney.models import Job
from tourney.private_logs import clean
from tourney.sign_in import letters
from tourney.testing import builders
from tourney.tests.web.test_sign_in import PASSWORD, browser, code_of, person, prove, set_up_app, sign_in

pytestmark = pytest.mark.django_db

ASK = "/account/forgotten/"
ADDRESS = "vira@club.example"
NEW = {"password": "najdorf-poisoned-9", "again": "najdorf-poisoned-9"}


def proven(user: Any, address: str = ADDRESS) -> EmailAddress:
    found: EmailAddress = EmailAddress.objects.create(user=user, email=address, verified=True, primary=True)
    return found


def sent_by_the_worker() -> list[Any]:
    """Run the jobs that wait; return the letters sent since."""
    before = len(mail.outbox)
    for job in Job.objects.filter(state="queued"):
        queue.run(job.pk)
    return mail.outbox[before:]


def link_in(letter: Any) -> str:
    found = re.search(r"http://testserver(/\S+)", letter.body)
    assert found is not None, letter.body
    return found[1]


def form_behind(client: Client, link: str) -> str:
    """Follow the link of a letter to its form: the key is in the session by then, and no longer in the address."""
    sent = client.get(link)
    assert sent.status_code == 302
    assert link.split("/")[-2] not in sent.url
    return str(sent.url)


def test_a_known_and_an_unknown_address_get_the_same_answer_after_the_same_work() -> None:
    proven(person("vira"))
    answers, work = [], []
    for address in (ADDRESS, "nobody@club.example", "VIRA@Club.example"):
        client = browser()
        client.get(ASK)
        with CaptureQueriesContext(connection) as queries:
            answer = client.post(ASK, {"address": address})
        work.append([query["sql"].split()[0] for query in queries])
        answers.append((answer.status_code, re.sub(r'value="\w{64}"', "", answer.content.decode())))

    assert len(set(answers)) == 1
    assert work[0] == work[1] == work[2] != []
    assert answers[0][0] == 200
    assert Job.objects.count() == 3
    assert [letter.to for letter in sent_by_the_worker()] == [[ADDRESS], [ADDRESS]]
    assert ADDRESS not in str(list(Job.objects.values_list("args", flat=True)))


def test_a_letter_that_fails_sends_no_other_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two accounts whose addresses differ by case only; the mail server takes the letter to one, and fails once."""
    first, second = proven(person("vira")), proven(person("Vira2"), ADDRESS.upper())
    sent: list[str] = []
    failures = [ConnectionRefusedError("mail server")]

    def send(message: Any) -> None:
        if message.to == [second.email] and failures:
            raise failures.pop()
        sent.extend(message.to)

    monkeypatch.setattr("django.core.mail.EmailMessage.send", send)
    browser().post(ASK, {"address": ADDRESS})
    for _ in range(4):
        sent_by_the_worker()

    assert (sorted(sent), failures) == (sorted([first.email, second.email]), [])
    assert set(Job.objects.values_list("state", flat=True)) == {"done"}


def test_the_link_sets_a_new_password_once_and_signs_nobody_in(client: Client) -> None:
    user = person("vira")
    proven(user)
    thief = browser()
    sign_in(thief, "vira")
    browser().post(ASK, {"address": ADDRESS})
    (letter,) = sent_by_the_worker()
    link = link_in(letter)
    form = form_behind(client, link)

    assert client.post(form, NEW | {"again": "other"}).status_code == 422
    done = client.post(form, NEW)

    assert done.url == reverse("login")
    assert "_auth_user_id" not in client.session
    assert thief.get("/manage/").status_code == 302  # the old password's session has ended
    assert sign_in(browser(), "vira").status_code == 200  # and the old password opens nothing
    assert sign_in(browser(), "vira", NEW["password"]).status_code == 302
    again = browser().get(link)
    assert again.status_code == 200
    assert "no longer good" in again.content.decode()
    assert client.post(form, NEW).status_code == 200  # nor the form, from the session that held the key


def test_the_second_factor_is_still_asked_for() -> None:
    user = person("vira", builders.event(), "organizer")
    mine = browser()
    sign_in(mine, "vira")
    set_up_app(mine)
    proven(user)
    forgetful = browser()
    forgetful.post(ASK, {"address": ADDRESS})
    form = form_behind(forgetful, link_in(sent_by_the_worker()[0]))
    forgetful.post(form, NEW)

    answer = sign_in(forgetful, "vira", NEW["password"])

    assert answer.url.startswith(reverse("mfa_authenticate"))
    assert forgetful.get("/manage/").status_code == 302
    assert Authenticator.objects.filter(user=user, type="totp").exists()
    assert forgetful.post(reverse("mfa_authenticate"), {"code": code_of(user)}).status_code == 302
    assert forgetful.get("/manage/").status_code == 200


@pytest.mark.parametrize("why", ["unproven", "closed", "written by an organizer"])
def test_no_letter_goes_to_an_address_nobody_has_proven_or_to_a_closed_account(why: str) -> None:
    user = person("vira")
    if why == "written by an organizer":
        user.email = ADDRESS
    else:
        EmailAddress.objects.create(user=user, email=ADDRESS, verified=why != "unproven")
    user.is_active = why != "closed"
    user.save()

    assert browser().post(ASK, {"address": ADDRESS}).status_code == 200

    assert sent_by_the_worker() == []


def test_letters_are_counted_for_unknown_addresses_too() -> None:
    proven(person("vira"))
    for address in (ADDRESS, "nobody@club.example"):
        asked = [browser(REMOTE_ADDR=f"203.0.113.{n}").post(ASK, {"address": address}) for n in range(4)]
        assert [one.status_code for one in asked] == [200, 200, 200, 429]
        assert asked[-1]["Retry-After"] == "3600"
    assert Job.objects.count() == 6

    many = [browser(REMOTE_ADDR="198.51.100.7").post(ASK, {"address": f"a{n}@b.example"}) for n in range(11)]
    assert [one.status_code for one in many] == [200] * 10 + [429]


def test_a_forged_host_leads_no_link_away(settings: Any) -> None:
    proven(person("vira"))
    settings.ALLOWED_HOSTS = ["*"]
    page = browser().post(ASK, {"address": ADDRESS}, headers={"host": "evil.example"})
    assert "can't send such letters" in page.content.decode().replace("&#x27;", "'")
    assert Job.objects.count() == 0

    settings.PUBLIC_URL = "https://chess.example"
    browser().post(ASK, {"address": ADDRESS}, headers={"host": "evil.example"})
    (letter,) = sent_by_the_worker()
    assert "https://chess.example/account/forgotten/" in letter.body
    assert "evil" not in letter.body


def test_an_address_counts_once_its_owner_has_opened_the_link() -> None:
    user = person("vira")
    mine = browser()
    sign_in(mine, "vira")
    assert mine.get("/account/address/").url.startswith(reverse("account_reauthenticate"))
    prove(mine)

    assert mine.post("/account/address/", {"address": "Vira@Club.example"}).url == reverse("account")
    (letter,) = sent_by_the_worker()
    link = link_in(letter)
    stranger = browser()
    person("olha")
    sign_in(stranger, "olha")

    assert letter.to == [ADDRESS]
    assert browser().get(link).url.startswith(reverse("login"))
    assert stranger.post(link).status_code == 404
    assert mine.get(link).status_code == 200
    assert letters.address_of_account(user).verified is False  # type: ignore[union-attr]
    assert mine.post(link).url == reverse("account")
    assert letters.address_of_account(user).verified is True  # type: ignore[union-attr]
    assert mine.post(link).status_code == 404
    assert ADDRESS in mine.get("/account/").content.decode()
    mine.post("/account/address/", {"act": "remove"})
    assert letters.address_of_account(user) is None


def test_one_address_brings_back_one_password() -> None:
    proven(person("vira"))
    olha = person("olha")
    mine = browser()
    sign_in(mine, "olha")
    prove(mine)
    mine.post("/account/address/", {"address": ADDRESS})
    (letter,) = sent_by_the_worker()

    refused = mine.post(link_in(letter))

    assert refused.status_code == 404
    assert "Another account here has this address" in refused.content.decode()
    assert letters.address_of_account(olha).verified is False  # type: ignore[union-attr]


def test_the_sign_in_page_leads_there_and_logs_keep_no_key() -> None:
    assert f'href="{ASK}"' in browser().get(reverse("login")).content.decode()
    assert clean("GET /account/forgotten/1a/d8x2k1-0123456789abcdef/ 200") == "GET /account/forgotten/1a/[token]/ 200"
    assert clean("GET /account/address/MTc:1abcde:xyzxyzxyz/ 200") == "GET /account/address/[token]/ 200"
    assert PASSWORD not in clean(f"password={PASSWORD}")
