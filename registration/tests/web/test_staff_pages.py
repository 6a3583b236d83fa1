"""Staff pages: who may open them, what they show, and every act through its form."""

from __future__ import annotations

import datetime as dt
import uuid
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from registration.amounts import amount_words
from registration.models import Application, Claim, LedgerLine
from registration.services import record_payment
from registration.tests.people import enter, section, states
from tourney.kept_rows import loading
from tourney.kernel.money import Money
from tourney.models import ActionLog, Entry, Tournament
from tourney.services.events import publish_spec
from tourney.services.stages import close_entries
from tourney.testing import builders

pytestmark = pytest.mark.django_db

DESK_PAGES = ["manage_entries", "manage_entries_csv", "manage_entry_new", "manage_claims", "manage_desk", "manage_cash"]
DESK_PAGES += ["manage_letters"]
PAGES = [*DESK_PAGES, "manage_ratings", "manage_number_request"]


@pytest.fixture
def event() -> Tournament:
    return builders.event("second-chance-32", starts_on=timezone.localdate() + dt.timedelta(days=20))


@pytest.fixture
def youth() -> Tournament:
    return builders.event("youth-championship", starts_on=timezone.localdate() + dt.timedelta(days=20))


def made(event: Tournament, surname: str = "Бондар", code: str = "", **fields: Any) -> Entry:
    return enter(section(event, code), surname, timezone.now(), **fields).entry


def staff(client: Client, event: Tournament, role: str = "organizer") -> Any:
    user = builders.user(f"{role}-{event.pk}", event, role)
    client.force_login(user)
    return user


def act(client: Client, entry: Entry, name: str, **data: Any) -> Any:
    url = reverse("manage_entry", args=[entry.tournament.slug, entry.pk])
    return client.post(url, {"act": name, **{f"{name}-{key}": value for key, value in data.items()}})


@pytest.mark.parametrize(
    ("role", "open_to"),
    [
        ("organizer", set(PAGES)),
        ("desk", set(DESK_PAGES)),
        ("chief_arbiter", {"manage_entries"}),
        ("arbiter", set()),
    ],
)
def test_each_role_opens_its_own_pages(client: Client, event: Tournament, role: str, open_to: set[str]) -> None:
    made(event)
    staff(client, event, role)
    opened = {name for name in PAGES if client.get(reverse(name, args=[event.slug])).status_code == 200}
    assert opened == open_to


@pytest.mark.parametrize("name", PAGES)
def test_strangers_find_nothing_and_nobody_is_sent_to_sign_in(client: Client, event: Tournament, name: str) -> None:
    url = reverse(name, args=[event.slug])
    assert client.get(url).status_code == 302
    client.force_login(builders.user("stranger"))
    assert client.get(url).status_code == 404


def test_an_entry_of_another_event_is_not_found(client: Client, event: Tournament, youth: Tournament) -> None:
    foreign = made(youth, code="u11-boys", claims=("orphanage",))
    line = record_payment(foreign, Money(100, "RUB"), notify=False)
    staff(client, event)
    slug = event.slug
    assert client.get(reverse("manage_entry", args=[slug, foreign.pk])).status_code == 404
    assert client.get(reverse("manage_entry_edit", args=[slug, foreign.pk])).status_code == 404
    assert client.get(reverse("manage_receipt", args=[slug, line.receipt_number])).status_code == 404
    assert client.post(reverse("manage_cash", args=[slug]), {"line": line.pk, "reason": "x"}).status_code == 404
    claim = Claim.objects.get()
    bad = {"claim": claim.pk, "decision": "verify"}
    assert client.post(reverse("manage_claims", args=[slug]), bad).status_code == 404
    for wrong in ("", "abc", "9" * 30):
        assert client.post(reverse("manage_desk", args=[slug]), {"entry": wrong, "act": "arrived"}).status_code == 404


def test_the_chief_arbiter_sees_no_money_no_contacts_and_no_grounds(client: Client, youth: Tournament) -> None:
    entry = made(youth, code="u11-boys", claims=("orphanage",), email="mama@example.org")
    Claim.objects.update(state="verified")
    record_payment(entry, Money(12_345, "RUB"), notify=False)
    staff(client, youth, "chief_arbiter")
    for url in (reverse("manage_entries", args=[youth.slug]), reverse("manage_entry", args=[youth.slug, entry.pk])):
        page = client.get(url).content.decode()
        assert "123,45" not in page
        assert "mama@example.org" not in page
        assert "дитячого" not in page
    assert act(client, entry, "payment", amount="100", channel="cash", operation=uuid.uuid4()).status_code == 403


def test_the_list_is_filtered_by_state_group_money_and_words(client: Client, youth: Tournament) -> None:
    made(youth, "Смирнов", "u11-boys", club="Слон")
    paid = made(youth, "Іваненко", "u11-girls", sex="F")
    record_payment(paid, Money(50_000, "RUB"), notify=False)
    made(youth, "Старший", "u13-boys", birth_date=dt.date(youth.starts_on.year - 9, 1, 1))
    staff(client, youth)

    def names(**query: str) -> list[str]:
        response = client.get(reverse("manage_entries", args=[youth.slug]), query)
        return [row["entry"].player.surname for row in response.context["rows"]]

    assert sorted(names()) == ["Іваненко", "Смирнов", "Старший"]
    assert names(state="applied") == ["Старший"]
    assert names(section="u11-girls") == ["Іваненко"]
    assert names(unpaid="1") == ["Смирнов", "Старший"]
    assert names(q="слон смирн") == ["Смирнов"]
    assert names(q="%' OR 1=1") == []
    assert len(names(state="nonsense", section="nonsense")) == 3


def test_the_export_is_safe_and_written_to_the_log(client: Client, event: Tournament) -> None:
    made(
        event,
        "Бондар",
        club='=HYPERLINK("http://x")',
        phone="+380501112233",
        city="Київ,\n-1",
        ratings={"fide_blitz": 1900},
    )
    staff(client, event)
    response = client.get(reverse("manage_entries_csv", args=[event.slug]))
    content = b"".join(response.streaming_content).decode()  # type: ignore[attr-defined]
    assert content.startswith("\ufeffsurname,")
    assert "'=HYPERLINK" in content
    assert "'+380501112233" in content
    assert ",1900," in content
    assert ActionLog.objects.filter(tournament=event, action="entry.exported").count() == 1


@pytest.mark.clause("K3.2")
def test_the_organizer_lets_in_or_refuses_with_a_reason(client: Client, event: Tournament) -> None:
    entry = made(event, level="3")
    staff(client, event, "desk")
    assert act(client, entry, "admit", reason="I may not").status_code == 403
    staff(client, event)
    refused = act(client, entry, "admit", reason="")
    assert refused.status_code == 422
    assert act(client, entry, "admit", reason="played last year").status_code == 302
    assert states(event) == {"Бондар": "awaiting_deposit"}
    again = act(client, entry, "reject", reason="too late")
    assert again.status_code == 422
    assert states(event) == {"Бондар": "awaiting_deposit"}


@pytest.mark.clause("K4.7")
def test_a_no_show_is_recorded_with_reason_and_who_accepted_it(client: Client, event: Tournament) -> None:
    entry = made(event)
    record_payment(entry, Money(10_000, "UAH"), notify=False)
    staff(client, event, "chief_arbiter")
    assert act(client, entry, "no_show", valid_reason="on", reason="ill", accepted_by="").status_code == 422
    assert act(client, entry, "no_show", valid_reason="on", reason="ill", accepted_by="Org").status_code == 302
    assert states(event) == {"Бондар": "no_show"}
    staff(client, event)
    page = client.get(reverse("manage_entry", args=[event.slug, entry.pk]))
    assert str(page.context["account"].to_return) == "100.00 UAH"
    assert "Org" in page.content.decode()


@pytest.mark.clause("K3.4")
def test_a_reserve_replaces_a_no_show_and_comes_up_by_hand(client: Client, event: Tournament) -> None:
    spec = event.regulations.get().spec
    spec["sections"][0]["capacity"] = 2
    publish_spec(event, spec, author=None, reason="small hall")
    entries = [made(event, name) for name in ("Перший", "Другий", "Третій")]
    for entry in entries:
        record_payment(entry, Money(10_000, "UAH"), notify=False)
    close_entries(section(event), actor=None)
    staff(client, event)
    act(client, entries[0], "no_show")
    home = client.get(reverse("manage_entries", args=[event.slug]))
    assert [account.entry.player.surname for account in home.context["reserves"][0]["accounts"]] == ["Третій"]
    assert act(client, entries[0], "replace", reserve=entries[2].pk, reason="no-show").status_code == 302
    assert states(event) == {"Перший": "no_show", "Другий": "confirmed", "Третій": "confirmed"}
    assert act(client, entries[2], "promote").status_code == 422


def test_money_comes_in_goes_back_and_is_priced_by_hand_on_the_entrys_page(client: Client, event: Tournament) -> None:
    entry = made(event)
    staff(client, event)
    bad = act(client, entry, "payment", amount="a lot", channel="cash", operation=uuid.uuid4())
    assert bad.status_code == 422
    assert "a lot" in bad.content.decode()
    operation = uuid.uuid4()
    for _ in range(2):  # two tabs send the same form
        act(client, entry, "payment", amount="1 000,50", channel="cash", operation=operation)
    assert list(LedgerLine.objects.values_list("minor", flat=True)) == [100_050]
    assert act(client, entry, "refund", amount="900", channel="cash", operation=uuid.uuid4()).status_code == 422
    assert act(client, entry, "refund", amount="500,50", channel="cash", operation=uuid.uuid4()).status_code == 302
    assert act(client, entry, "price", amount="0", reason="a guest").status_code == 302
    page = client.get(reverse("manage_entry", args=[event.slug, entry.pk]))
    assert str(page.context["account"].to_return) == "500.00 UAH"


def test_family_claims_link_and_return_have_their_forms(client: Client, youth: Tournament) -> None:
    brother, sister = made(youth, "Смирнов", "u11-boys"), made(youth, "Смирнова", "u11-girls", sex="F")
    staff(client, youth)
    assert act(client, sister, "family", other=brother.pk).status_code == 302
    page = client.get(reverse("manage_entry", args=[youth.slug, sister.pk]))
    assert str(page.context["account"].quote.fee) == "300.00 RUB"
    assert act(client, sister, "no_family").status_code == 302
    assert act(client, sister, "claim", code="orphanage").status_code == 302
    claim = Claim.objects.get(entry=sister)
    data = {"claim": claim.pk, "decision": "verify", "evidence": "certificate", "back_to_entry": sister.pk}
    answer = client.post(reverse("manage_claims", args=[youth.slug]), data)
    assert answer["Location"] == reverse("manage_entry", args=[youth.slug, sister.pk])
    old = Application.objects.get(entry=sister).link_hash
    act(client, sister, "new_link")
    assert Application.objects.get(entry=sister).link_hash != old
    act(client, sister, "withdraw", reason="ill")
    act(client, sister, "return")
    assert states(youth)["Смирнова"] == "confirmed"
    assert act(client, sister, "fly").status_code == 404


def test_a_person_is_changed_by_the_desk(client: Client, event: Tournament) -> None:
    entry = made(event)
    staff(client, event, "desk")
    url = reverse("manage_entry_edit", args=[event.slug, entry.pk])
    data = {"surname": "Бондаренко", "given_name": "Олег", "level": "2", "rating_fide_blitz": "1815", "birth_date": ""}
    assert client.post(url, data | {"birth_date": "2999-01-01"}).status_code == 422
    assert client.post(url, data | {"birth_date": "1999-01-02"}).status_code == 302
    entry = Entry.objects.get(pk=entry.pk)
    assert (entry.player.surname, entry.player.birth_year, entry.level, entry.rating) == ("Бондаренко", 1999, "2", 1815)


@pytest.mark.clause("M10.3.5")
def test_the_desk_enters_a_late_child_at_the_late_price(client: Client) -> None:
    event = builders.event("youth-championship", starts_on=timezone.localdate())
    staff(client, event, "desk")
    page = client.get(reverse("manage_entry_new", args=[event.slug]))
    assert str(page.context["preview"].quote.fee) == "750.00 RUB"
    data = {
        "surname": "Поздний",
        "given_name": "Пётр",
        "birth_date": f"{event.starts_on.year - 9}-05-05",
        "sex": "M",
        "lives_in_region": "on",
        "registered_in_region": "on",
        "consent_regulation": "on",
        "consent_processing": "on",
        "operation": str(uuid.uuid4()),
        "regulation": "0",
        "desk_reason": "on the spot",
    }
    assert client.post(reverse("manage_entry_new", args=[event.slug]), data).status_code == 302
    entry = Entry.objects.get(tournament=event)
    assert (entry.state, entry.application.online) == ("confirmed", False)
    assert (
        str(client.get(reverse("manage_entry", args=[event.slug, entry.pk])).context["account"].quote.fee)
        == "750.00 RUB"
    )
    again = client.post(reverse("manage_entry_new", args=[event.slug]), data | {"operation": str(uuid.uuid4())})
    assert again.status_code == 422


@pytest.mark.clause("K4.1")
def test_the_desk_enters_nobody_after_the_time_where_registration_beforehand_is_required(client: Client) -> None:
    event = builders.event("second-chance-32", starts_on=timezone.localdate() - dt.timedelta(days=1))
    staff(client, event, "desk")
    data = {
        "surname": "Пізній",
        "given_name": "Петро",
        "birth_date": "1990-05-05",
        "level": "1",
        "email": "x@example.org",
        "consent_regulation": "on",
        "consent_processing": "on",
        "operation": str(uuid.uuid4()),
        "regulation": "0",
    }
    response = client.post(reverse("manage_entry_new", args=[event.slug]), data)
    assert response.status_code == 422
    assert response.context["form"].non_field_errors()
    assert not Entry.objects.exists()


@pytest.mark.clause("K4.6")
def test_the_desk_takes_cash_marks_presence_and_takes_a_slip_back(client: Client, event: Tournament) -> None:
    entry = made(event)
    staff(client, event, "desk")
    url = reverse("manage_desk", args=[event.slug])
    assert client.get(url).context["rows"][0]["amount"] == "500"
    operation = str(uuid.uuid4())
    pay = {"entry": entry.pk, "act": "pay", "amount": "500", "channel": "cash", "operation": operation}
    answer = client.post(url, pay)
    assert answer["Location"].endswith(f"#entry-{entry.pk}")
    client.post(url, pay)
    line = LedgerLine.objects.get()
    assert (line.minor, line.receipt_number, line.channel) == (50_000, 1, "cash")
    row = client.post(url, {"entry": entry.pk, "act": "arrived"}, headers={"hx-request": "true"})
    assert row.status_code == 200
    assert f'id="entry-{entry.pk}"' in row.content.decode()
    assert 'hx-swap-oob="true"' in row.content.decode()
    assert row.context["said"]["undo"] == "not_here"
    assert "Бондар Олег" in row.context["said"]["text"]
    assert [chip["count"] for chip in row.context["chips"]][:3] == [1, 0, 0]
    assert Entry.objects.get(pk=entry.pk).present
    foot = client.get(url).context["foot"]
    assert (str(foot["whole"].paid), foot["present"]) == ("500.00 UAH", 1)
    wrong = client.post(url, pay | {"amount": "x", "operation": ""}, headers={"hx-request": "true"})
    assert "desk-error" in wrong.content.decode()
    client.post(url, {"entry": entry.pk, "act": "take_back", "line": line.pk})
    assert str(client.get(url).context["foot"]["whole"].paid) == "0.00 UAH"
    with loading():
        LedgerLine.objects.update(at=timezone.now() - dt.timedelta(hours=2))
    assert client.post(url, {"entry": entry.pk, "act": "take_back", "line": line.pk}).status_code == 404
    assert client.post(url, {"entry": entry.pk, "act": "dance"}).status_code == 404


def test_the_desk_list_shows_who_is_missing_who_owes_and_whose_papers_wait(client: Client, youth: Tournament) -> None:
    first = made(youth, "Смирнов", "u11-boys")
    made(youth, "Волков", "u11-boys", claims=("orphanage",))
    record_payment(first, Money(50_000, "RUB"), notify=False)
    staff(client, youth, "desk")

    def names(query: str) -> list[str]:
        response = client.get(reverse("manage_desk", args=[youth.slug]) + query)
        return [row["entry"].player.surname for row in response.context["rows"]]

    assert names("") == ["Волков", "Смирнов"]
    assert names("?only=unpaid") == ["Волков"]
    assert names("?only=papers") == ["Волков"]
    assert names("?only=missing") == ["Волков", "Смирнов"]
    assert names("?q=смир") == ["Смирнов"]


@pytest.mark.clause("M10.4")
def test_the_cash_book_adds_up_and_takes_back_with_a_reason(client: Client, youth: Tournament) -> None:
    entry = made(youth, "Смирнов", "u11-boys")
    line = record_payment(entry, Money(50_000, "RUB"), channel="transfer", notify=False)
    staff(client, youth, "desk")
    url = reverse("manage_cash", args=[youth.slug])
    page = client.get(url, {"take_back": line.pk})
    assert page.context["chosen"] == line
    assert client.post(url, {"line": line.pk, "reason": ""}).status_code == 422
    assert client.post(url, {"line": line.pk, "reason": "wrong child"}).status_code == 302
    page = client.get(url)
    assert [row["open"] for row in page.context["rows"]] == [False, False]
    assert str(page.context["foot"]["whole"].paid) == "0.00 RUB"


@pytest.mark.parametrize(
    ("language", "words"),
    [("uk", "Шістсот гривень, 50"), ("ru", "Шестьсот гривен, 50"), ("en", "Six hundred hryvnias, 50/100")],
)
def test_an_amount_is_written_in_words(language: str, words: str) -> None:
    from django.utils import translation  # noqa: PLC0415 -- only this test changes the language

    with translation.override(language):
        assert amount_words(Money(60_050, "UAH")).startswith(words)


def test_a_receipt_has_the_sum_in_words_and_no_grounds(client: Client, youth: Tournament) -> None:
    entry = made(youth, "Смирнов", "u11-boys", claims=("large_family",))
    Claim.objects.update(state="verified")
    record_payment(entry, Money(25_000, "RUB"), notify=False)
    staff(client, youth, "desk")
    page = client.get(reverse("manage_receipt", args=[youth.slug, 1])).content.decode()
    assert "Смирнов" in page
    assert "вісті пʼятдесят рублів" in page.lower().replace("'", "ʼ").replace("&#x27;", "ʼ")
    assert "багатодітної" not in page


def test_lists_take_the_same_number_of_queries_for_few_and_many(client: Client) -> None:
    counts: dict[str, list[int]] = {}
    for size in (2, 8):
        event = builders.event("second-chance-32", starts_on=timezone.localdate() + dt.timedelta(days=20))
        for number in range(size):
            entry = made(event, f"Гравець{number}")
            record_payment(entry, Money(10_000, "UAH"), notify=False)
        staff(client, event)
        for name in ("manage_entries", "manage_desk", "manage_cash", "manage_event"):
            client.get(reverse(name, args=[event.slug]))
            with CaptureQueriesContext(connection) as queries:
                client.get(reverse(name, args=[event.slug]))
            counts.setdefault(name, []).append(len(queries))
    assert {name: pair[0] for name, pair in counts.items()} == {name: pair[1] for name, pair in counts.items()}


def test_the_staff_home_says_what_waits(client: Client, event: Tournament) -> None:
    made(event, "Третій", level="3")
    staff(client, event)
    home = client.get(reverse("manage_event", args=[event.slug]))
    assert any("state=applied" in task.url for task in home.context["now"])
    steps = {step.key: step for step in home.context["stepper"]}
    assert (steps["registration"].state, steps["registration"].count) == ("now", "0/32")
    assert steps["desk"].state == "todo"
    report = client.get(reverse("manage_report", args=[event.slug]))
    assert report.status_code == 200
    assert client.get(reverse("manage_section", args=[event.slug, "main"])).status_code == 200


@pytest.mark.parametrize("language", ["uk", "ru", "en"])
def test_staff_pages_open_in_every_language(client: Client, youth: Tournament, language: str) -> None:
    entry = made(youth, "Смирнов", "u11-boys", claims=("large_family",))
    record_payment(entry, Money(25_000, "RUB"), notify=False)
    staff(client, youth)
    headers = {"accept-language": language}
    for name in PAGES:
        assert client.get(reverse(name, args=[youth.slug]), headers=headers).status_code == 200
    assert client.get(reverse("manage_entry", args=[youth.slug, entry.pk]), headers=headers).status_code == 200
