"""What is nobody's business: consents word for word, papers, letters, export, erasing, what public pages may say."""

from __future__ import annotations

import datetime as dt
import hashlib
import smtplib
import struct
import zlib
from typing import Any

import pytest
from django.core import mail
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from registration import notices
from registration.links import path_of
from registration.models import Application, Letter
from registration.privacy.erasing import erase, erase_again, keep_no_longer
from registration.privacy.models import ConsentRecord, Document, Erasure
from registration.privacy.pictures import MOST_BYTES, read_picture
from registration.services import record_payment, withdraw_entry
from registration.tests.people import enter, section
from registration.tests.web.test_register_page import child, send, text_of, youth
from tourney.archives import preparing
from tourney.kernel.errors import TourneyError
from tourney.kernel.money import Money
from tourney.models import ActionLog, Entry, Tournament
from tourney.testing import builders

pytestmark = pytest.mark.django_db

CANARIES = {
    "patronymic": "Канаркович",
    "phone": "+380440000001",
    "guardian_name": "Канарка Опікунка",
    "email": "canary@example.org",
    "note": "канарка примітка",
    "district": "Канарський",
}


def jpeg(width: int = 800, height: int = 600, extra: bytes = b"") -> bytes:
    size = b"\xff\xc0\x00\x11\x08" + struct.pack(">HH", height, width) + b"\x03\x01\x22\x00\x02\x11\x01\x03\x11\x01"
    return b"\xff\xd8" + extra + size + b"\xff\xda\x00\x08\x01\x01\x00\x00\x3f\x00" + b"\x12\x34" * 40 + b"\xff\xd9"


def segment(marker: int, body: bytes) -> bytes:
    return bytes([0xFF, marker]) + struct.pack(">H", len(body) + 2) + body


def png(width: int, height: int, *more: tuple[bytes, bytes]) -> bytes:
    def chunk(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return (
        b"\x89PNG\r\n\x1a\n" + head + b"".join(chunk(*one) for one in more) + chunk(b"IDAT", b"x") + chunk(b"IEND", b"")
    )


# -- pictures ----------------------------------------------------------------------------------------------------------


def test_a_photograph_is_kept_without_what_the_telephone_adds_but_stays_upright() -> None:
    exif = (
        b"Exif\0\0II*\0\x08\0\0\0\x02\0"
        + b"\x0f\x01\x02\0\x04\0\0\0Ab\0\0"
        + b"\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0"
    )
    secret = segment(0xE1, exif) + segment(0xED, b"Photoshop GPS 50.45") + segment(0xFE, b"owner: Olena")

    kept = read_picture(jpeg(extra=segment(0xE0, b"JFIF\0") + secret))

    assert (kept.kind, kept.width, kept.height) == ("jpeg", 800, 600)
    assert b"GPS" not in kept.content
    assert b"Olena" not in kept.content
    assert b"JFIF" in kept.content
    assert kept.content[2:12] == b"\xff\xe1\x00\x22Exif\0\0"
    assert b"\x01\x12\0\x03\0\0\0\x01\0\x06" in kept.content


def test_words_in_a_png_are_left_out() -> None:
    kept = read_picture(png(800, 600, (b"tEXt", b"Author\0Olena"), (b"eXIf", b"GPS")))

    assert kept.content == png(800, 600)


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"%PDF-1.7 a scan", "picture.pdf"),
        (b"\xff\xd8\xff" + b"\0" * MOST_BYTES, "picture.too_large"),
        (b"<svg onload=alert(1)>", "picture.unknown"),
        (b"GIF89a", "picture.unknown"),
        (jpeg(65_000, 65_000), "picture.too_many_pixels"),
        (png(2**31 - 1, 2**31 - 1), "picture.too_many_pixels"),
        (jpeg()[:-30], "picture.damaged"),
        (png(800, 600)[:-20], "picture.damaged"),
        (b"RIFF\xff\xff\xff\x7fWEBPVP8 ", "picture.damaged"),
        (jpeg(10, 10), "picture.too_small"),
        (b"\xff\xd8\xff", "picture.damaged"),
        (b"", "picture.unknown"),
    ],
)
def test_what_is_no_photograph_is_refused_in_words(content: bytes, code: str) -> None:
    with pytest.raises(TourneyError) as refused:
        read_picture(content)
    assert refused.value.code == code


# -- papers ------------------------------------------------------------------------------------------------------------


def claimed(event: Tournament) -> tuple[Entry, str]:
    made = enter(section(event, "u11-boys"), "Смирнов", timezone.now(), claims=("large_family",))
    return made.entry, f"/e/{made.token}/papers/"


def test_a_paper_goes_from_the_personal_page_to_the_desk_and_to_nobody_else(client: Client) -> None:
    event = youth()
    entry, url = claimed(event)

    sent = client.post(url, {"claim": "large_family", "photo": SimpleUploadedFile("p.jpg", jpeg())})
    pdf = client.post(url, {"claim": "large_family", "photo": SimpleUploadedFile("p.jpg", b"%PDF-1.4")})

    paper = Document.objects.get()
    where = reverse("manage_document", args=[event.slug, paper.pk])
    assert (sent.status_code, pdf.status_code, paper.claim.entry) == (302, 422, entry)
    assert client.get(where).status_code == 302
    for role, status in (("arbiter", 403), ("chief_arbiter", 403), ("desk", 200)):
        client.force_login(builders.user(role, event, role))
        assert client.get(where).status_code == status, role
    shown = client.get(where)
    assert shown["Content-Type"] == "image/jpeg"
    assert "no-store" in shown["Cache-Control"]
    assert shown["Content-Security-Policy"] == "default-src 'none'; sandbox"
    other = youth()
    client.force_login(builders.user("foreign", other, "organizer"))
    assert client.get(where).status_code == 404
    assert client.get(reverse("manage_document", args=[other.slug, paper.pk])).status_code == 404


def test_a_paper_of_somebody_else_is_out_of_reach_and_too_many_are_refused(client: Client) -> None:
    event = youth()
    _entry, url = claimed(event)
    stranger = enter(section(event, "u11-boys"), "Чужой", timezone.now(), claims=("large_family",))
    for _ in range(4):
        client.post(url, {"claim": "large_family", "photo": SimpleUploadedFile("p.jpg", jpeg())})

    fifth = client.post(url, {"claim": "large_family", "photo": SimpleUploadedFile("p.jpg", jpeg())})
    foreign = client.post(f"/e/{stranger.token}/papers/", {"remove": str(Document.objects.first().pk)})  # type: ignore[union-attr]

    assert (fifth.status_code, foreign.status_code, Document.objects.count()) == (422, 422, 4)


# -- consents ----------------------------------------------------------------------------------------------------------


def test_each_consent_is_kept_with_its_words_and_where_it_came_from(client: Client) -> None:
    event = youth()
    send(client, event, child(event, consent_publication=None))
    entry = Entry.objects.get()
    client.post(
        path_of(entry.application) + "edit/",
        {"surname": "Бондар", "given_name": "Іван", "email": "ivan@example.org", "public_name": "on"},
    )

    kept = [(one.code, one.given, one.how, one.address) for one in entry.consents.order_by("pk")]
    assert ("regulation", True, "web", "127.0.0.1") in kept
    assert ("processing", True, "web", "127.0.0.1") in kept
    assert ("publication", False, "web", "127.0.0.1") in kept
    assert kept[-1] == ("publication", True, "link", None)
    assert all(one.words_hash == hashlib.sha256(one.words.encode()).hexdigest() for one in entry.consents.all())
    assert all(one.regulation_id == event.regulations.get().pk for one in entry.consents.all())


# -- public pages ------------------------------------------------------------------------------------------------------


def test_no_public_page_says_what_is_private_or_why_somebody_pays_less(client: Client) -> None:
    event = youth()
    made = enter(section(event, "u11-boys"), "Смирнов", timezone.now(), claims=("large_family",), **CANARIES)
    reason = "многодет"
    pages = [
        reverse("event", args=[event.slug]),
        reverse("register", args=[event.slug]),
        reverse("section", args=[event.slug, "u11-boys"]),
        reverse("calendar", args=[event.slug]),
        reverse("games", args=[event.slug]),
        reverse("register_group", args=[event.slug]),
        "/t/nothing/",
    ]
    texts = {url: client.get(url).content.decode() for url in pages}
    own = client.get(f"/e/{made.token}/").content.decode()

    # The canaries could be seen: the personal page shows them to the one who told them.
    assert CANARIES["email"] in own
    listed = texts[reverse("section", args=[event.slug, "u11-boys"])]
    assert "Смирнов" in listed
    day = f"{made.entry.player.birth_date:%d.%m.%Y}"
    for url, text in texts.items():
        found = [value for value in (*CANARIES.values(), day, made.token, made.application.reference) if value in text]
        assert found == [], url
    assert reason not in listed.lower()
    assert all(client.get(url)["X-Robots-Tag"] == "noindex" for url in pages[:3])


def test_of_somebody_without_consent_the_public_sees_a_number_and_nothing_more(client: Client) -> None:
    event = youth()
    own = {"club": "Клуб Канарок", "city": "Канаркове", "fide_id": "14199999", "ratings": {"national": 1987}}
    hidden = enter(section(event, "u11-boys"), "Тихий", timezone.now(), consent_publication=False, **own).entry
    seen = enter(section(event, "u11-boys"), "Відомий", timezone.now(), **(own | {"fide_id": "14199998"})).entry
    pages = [reverse("player", args=[event.slug, "u11-boys", one.pk]) for one in (hidden, seen)]
    told = [text_of(client.get(url)) for url in pages]
    words = ["Канаркове", "1419999", "1987"]

    assert [word for word in (*words, "Клуб Канарок", "Тихий") if word in told[0]] == []
    assert [word for word in words if word in told[1]] == words
    listed = text_of(client.get(reverse("section", args=[event.slug, "u11-boys"])))
    assert (listed.count("Клуб Канарок"), listed.count("1987")) == (1, 1)


def test_somebody_elses_link_and_a_revoked_one_open_nothing(client: Client) -> None:
    event = youth()
    made = enter(section(event, "u11-boys"), "Смирнов", timezone.now())
    Application.objects.filter(pk=made.application.pk).update(link_hash="0" * 64)

    pages = ("", "edit/", "withdraw/", "papers/", "data.json", "data/", "erase/")
    assert {client.get(f"/e/{made.token}/{page}").status_code for page in pages} == {404}
    assert client.post(f"/e/{made.token}/erase/now/").status_code == 404
    assert not Erasure.objects.exists()


# -- export, erasing, retention ----------------------------------------------------------------------------------------


def test_an_entrant_gets_everything_that_is_known_about_him(client: Client) -> None:
    event = youth()
    made = enter(section(event, "u11-boys"), "Смирнов", timezone.now(), claims=("large_family",), **CANARIES)

    answer = client.get(f"/e/{made.token}/data.json")

    assert {value for value in CANARIES.values() if value in answer.content.decode()} == set(CANARIES.values())
    assert answer["Content-Disposition"] == 'attachment; filename="my-entry.json"'
    assert [one["code"] for one in answer.json()["grounds"]] == ["large_family"]


def test_the_same_can_be_read_in_words(client: Client) -> None:
    event = youth()
    made = enter(section(event, "u11-boys"), "Смирнов", timezone.now(), claims=("large_family",), **CANARIES)
    record_payment(made.entry, Money(50_000, "RUB"), actor=builders.user("Кассир"))

    answer = client.get(f"/e/{made.token}/data/")
    text = " ".join(answer.content.decode().replace("\u00a0", " ").split())

    assert {value for value in CANARIES.values() if value in text} == set(CANARIES.values())
    assert "500 ₽" in text
    assert "№ 1" in text
    assert "Кассир" not in text
    assert "large_family" not in text
    assert 'href="/e/' in text
    assert f'href="/e/{made.token}/data/"' in client.get(f"/e/{made.token}/").content.decode()


def test_erasing_waits_while_somebody_plays_and_leaves_nothing_afterwards(client: Client) -> None:
    event = youth()
    made = enter(section(event, "u11-boys"), "Смирнов", timezone.now(), claims=("large_family",), **CANARIES)
    other = enter(section(event, "u11-boys"), "Інший", timezone.now()).entry

    asked = client.post(f"/e/{made.token}/erase/now/")
    assert asked["Location"] == f"/e/{made.token}/"
    with pytest.raises(TourneyError, match=r"entry\.erase_first_withdraw"):
        erase(made.entry, actor=None)
    withdraw_entry(made.entry, by_entrant=True, reason="Смирнов захворів")
    assert keep_no_longer()["erased"] == 1

    client.force_login(builders.user("organizer", event, "organizer"))
    for url in (
        reverse("manage_entry", args=[event.slug, made.entry.pk]),
        reverse("manage_entries", args=[event.slug]),
        reverse("manage_log", args=[event.slug]),
        reverse("manage_letters", args=[event.slug]),
    ):
        text = client.get(url).content.decode()
        assert [value for value in (*CANARIES.values(), "Смирнов") if value in text] == [], url
    assert client.get(f"/e/{made.token}/").status_code == 404
    other.player.refresh_from_db()
    assert other.player.surname == "Інший"
    assert ActionLog.objects.filter(data__entry=made.entry.pk, data__name__contains="Смирнов").count() == 0


def test_after_a_restore_the_erased_are_erased_again() -> None:
    event = youth()
    entry = enter(section(event, "u11-boys"), "Смирнов", timezone.now()).entry
    withdraw_entry(entry, by_entrant=True)
    erase(entry, actor=None)
    entry.player.refresh_from_db()
    entry.player.surname = "Смирнов"  # as the backup knows him
    entry.player.save()

    call_command("retention", "--after-restore")

    entry.player.refresh_from_db()
    assert entry.player.surname == f"№ {entry.pk}"
    assert erase_again() == 0


def test_what_was_kept_long_enough_goes_and_not_a_day_earlier() -> None:
    event = youth()
    entry = enter(section(event, "u11-boys"), "Смирнов", timezone.now(), claims=("large_family",), **CANARIES).entry
    Document.objects.create(
        claim=entry.claims.get(), kind="jpeg", content=b"x", size=1, width=1, height=1, at=timezone.now()
    )
    Tournament.objects.filter(pk=event.pk).update(starts_on=timezone.localdate(), ends_on=timezone.localdate())

    def after(days: int) -> dict[str, int]:
        return keep_no_longer(timezone.now() + dt.timedelta(days=days))

    def prepared() -> bool:
        return preparing.archive_of(event) is not None

    preparing.request_archive(event, actor=None)
    assert after(30) == {"papers": 0, "contacts": 0, "payers": 0, "erased": 0, "initials": 0}
    assert prepared()
    assert (after(31)["papers"], prepared()) == (1, False)
    preparing.request_archive(event, actor=None)
    assert (after(90)["contacts"], prepared()) == (0, True)
    assert (after(91)["contacts"], prepared()) == (1, False)
    assert after(3 * 365)["initials"] == 0
    assert after(3 * 365 + 1)["initials"] == 1
    entry.player.refresh_from_db()
    form = Application.objects.get(entry=entry)
    assert (entry.player.name, entry.player.patronymic, entry.player.birth_date) == ("С. О.", "", None)
    assert (form.email, form.phone, form.guardian_name, form.note) == ("", "", "", "")


# -- letters -----------------------------------------------------------------------------------------------------------


def test_a_mail_server_that_does_not_answer_blocks_no_entry_and_the_desk_sends_again(
    client: Client, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    event = youth()

    def down(*_: Any, **__: Any) -> bool:
        raise smtplib.SMTPServerDisconnected("no answer")

    monkeypatch.setattr(notices, "send_notice", down)
    with django_capture_on_commit_callbacks(execute=True):
        answer = send(client, event, child(event))
    letter = Letter.objects.get()
    assert answer.status_code == 302
    assert (letter.state, letter.error, letter.attempts) == ("failed", "no answer", 1)

    monkeypatch.undo()
    client.force_login(builders.user("desk", event, "desk"))
    url = reverse("manage_letters", args=[event.slug])
    assert "no answer" in text_of(client.get(url))
    with django_capture_on_commit_callbacks(execute=True):
        client.post(url, {"letter": str(letter.pk)})
        client.post(url, {"letter": str(letter.pk)})

    letter.refresh_from_db()
    assert (letter.state, letter.attempts, len(mail.outbox)) == ("sent", 2, 1)
    notices.deliver(letter.pk)
    assert len(mail.outbox) == 1
    assert ConsentRecord.objects.exists()
