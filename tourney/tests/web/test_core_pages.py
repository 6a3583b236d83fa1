"""The core's public and staff pages, page by page and role by role."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from tourney import queue
from tourney.models import ActionLog, Entry, Game, Job, StaffRole, Stage, Tournament
from tourney.services import rehearsal_job
from tourney.services.log import log
from tourney.services.sections import merge_sections
from tourney.services.stages import close_entries
from tourney.testing import builders

pytestmark = pytest.mark.django_db

ROLES = ("organizer", "chief_arbiter", "arbiter", "desk")


@pytest.fixture
def event() -> Tournament:
    return builders.event(
        "youth-championship",
        venue={"uk": "Зала", "en": "Hall"},
        contact_email="info@example.org",
        broadcast_url="https://video.example.org/1",
    )


def signed_in(name: str, event: Tournament | None = None, role: str = "") -> Client:
    client = Client(headers={"accept-language": "en"})
    client.force_login(builders.user(name, event, role))
    return client


def section(event: Tournament, code: str = "u11-boys") -> Any:
    return event.sections.get(code=code)


# -- public ----------------------------------------------------------------------------------------------------------


def english() -> Client:
    return Client(headers={"accept-language": "en"})


def test_home_groups_events_by_time() -> None:
    today = timezone.localdate()
    running = builders.event(starts_on=today)
    coming = builders.event(starts_on=today + timedelta(days=9))
    past = builders.event(starts_on=today - timedelta(days=30))
    builders.event(public=False)
    answer = english().get("/")
    assert answer.status_code == 200
    assert answer.context["events"] == {"now": [running], "coming": [coming], "past": [past]}


def test_home_of_an_empty_installation_makes_the_first_account_and_closes_for_ever() -> None:
    client = english()
    assert b"Create the account" in client.get("/").content
    form = {"username": "olena", "email": "", "password": "sicilian-hedgehog", "again": "sicilian-hedgehog"}
    bad = client.post("/", form | {"again": "other"})
    assert bad.status_code == 422
    assert b"The two passwords differ." in bad.content
    assert b"olena" in bad.content
    assert client.post("/", form).url == reverse("manage_events")
    assert client.get("/manage/").status_code == 200
    assert english().post("/", form | {"username": "another"}).status_code == 404
    assert b"Create the account" not in english().get("/").content


def test_home_without_public_events_offers_no_account_when_somebody_exists() -> None:
    builders.user("somebody")
    assert b"Create the account" not in english().get("/").content


@pytest.mark.clause("K2.1")
def test_event_page_says_what_when_where() -> None:
    event = builders.event("second-chance-32", broadcast_url="https://video.example.org/live")
    text = english().get(reverse("event", args=[event.slug])).content.decode()
    assert "Start at 11:00" in text
    assert "Chess Leader Space" in text
    assert "6B Lobanovskoho St, Kyiv" in text
    assert event.venue_note["en"] in text
    assert 'href="https://video.example.org/live"' in text
    assert "<iframe" not in text  # a broadcast is opened by the visitor only
    assert "version 1" in text


@pytest.mark.clause("K2.1")
def test_calendar_file_has_start_place_and_note() -> None:
    event = builders.event("second-chance-32")
    answer = english().get(reverse("calendar", args=[event.slug]))
    assert answer["Content-Type"] == "text/calendar; charset=utf-8"
    unfolded = answer.content.decode().replace("\r\n ", "")
    start = f"{event.starts_on:%Y%m%d}T"
    assert f"DTSTART:{start}" in unfolded
    assert "LOCATION:Chess Leader Space\\, basement (shelter)\\, 6B Lobanovskoho St\\, Kyiv" in unfolded
    assert event.venue_note["en"].replace(",", "\\,") in unfolded
    assert all(len(line) <= 75 for line in answer.content.split(b"\r\n"))


@pytest.mark.clause("M7.3")
def test_event_page_shows_schedule_and_time_control(event: Tournament) -> None:
    text = english().get(reverse("event", args=[event.slug])).content.decode()
    assert "90 minutes + 30 seconds a move" in text
    assert "may begin earlier: 30 minutes after the last game of the odd round" in text


@pytest.mark.clause("M7.10")
def test_section_page_lists_the_group_in_three_orders(event: Tournament) -> None:
    group = section(event)
    anna = builders.entry(group, "Анненко", rating=1200, birth_year=event.starts_on.year - 9)
    borys = builders.entry(group, "Борисенко", rating=1500)
    vira = builders.entry(group, "Вірченко", rating=None)
    close_entries(group, actor=None)
    url = reverse("section", args=[event.slug, group.code])
    orders = {
        order: [entry.pk for entry in english().get(url, {"order": order}).context["lists"][0].entries]
        for order in ("number", "name", "rating", "nonsense")
    }
    assert orders == {
        "number": [borys.pk, anna.pk, vira.pk],
        "name": [anna.pk, borys.pk, vira.pk],
        "rating": [borys.pk, anna.pk, vira.pk],
        "nonsense": [borys.pk, anna.pk, vira.pk],
    }


@pytest.mark.clause("K3.2")
def test_pages_say_a_players_class_in_the_words_of_the_regulation() -> None:
    event = builders.event("second-chance-32")
    entry = builders.entry(event.sections.get(), level="KMS")
    for url in (
        reverse("section", args=[event.slug, "main"]),
        reverse("player", args=[event.slug, "main", entry.pk]),
    ):
        text = english().get(url).content.decode()
        assert "Candidate master" in text
        assert "KMS" not in text


def test_section_page_shows_who_waits_and_hides_contacts(event: Tournament) -> None:
    group = section(event)
    builders.entry(group, "Резервний", state="reserve")
    builders.entry(group, "Знятий", state="withdrawn")
    hidden = builders.entry(group, "Таємний", patronymic="Патронович")
    Entry.objects.filter(pk=hidden.pk).update(public_name=False)
    text = english().get(reverse("section", args=[event.slug, group.code])).content.decode()
    assert "Резервний" in text
    assert "Знятий" not in text
    assert "Таємний" not in text
    assert "Патронович" not in text


@pytest.mark.clause("M7.8")
def test_section_page_of_a_host_shows_both_groups_with_own_lists(event: Tournament) -> None:
    boys, girls = section(event), section(event, "u11-girls")
    one, two = builders.entry(boys, "Хлопець"), builders.entry(girls, "Дівчина")
    merge_sections(girls, boys, actor=None)
    lists = english().get(reverse("section", args=[event.slug, boys.code])).context["lists"]
    assert [[entry.pk for entry in listed.entries] for listed in lists] == [[one.pk], [two.pk]]


def test_section_page_takes_the_same_queries_for_3_and_for_300(
    event: Tournament,
) -> None:
    def queries(code: str) -> int:
        with CaptureQueriesContext(connection) as caught:
            assert english().get(reverse("section", args=[event.slug, code])).status_code == 200
        return len(caught)

    builders.entries(section(event), 3)
    builders.entries(section(event, "u13-boys"), 300, top=9000)
    assert queries("u11-boys") == queries("u13-boys")


def test_player_page_shows_the_games_from_his_side(event: Tournament) -> None:
    group = section(event)
    one, two, three = builders.entries(group, 3)
    stage = close_entries(group, actor=None)[0]
    Game.objects.create(stage=stage, round_number=1, board=1, white=one, black=two, outcome="1-0")
    Game.objects.create(stage=stage, round_number=2, board=1, white=three, black=one, outcome="1/2")
    Game.objects.create(stage=stage, round_number=3, board=1, white=two, black=one, outcome="+-")
    Game.objects.create(stage=stage, round_number=4, board=1, white=one, black=three)
    answer = english().get(reverse("player", args=[event.slug, group.code, one.pk]))
    seen = [(g.opponent.pk, g.color, g.points, g.forfeit) for g in answer.context["games"]]
    assert seen == [
        (two.pk, "w", 2, False),
        (three.pk, "b", 1, False),
        (two.pk, "b", 0, True),
        (three.pk, "w", None, False),
    ]
    assert answer.context["score"] == 3


def test_player_page_of_somebody_else_or_gone_is_404(event: Tournament) -> None:
    gone = builders.entry(section(event), state="withdrawn")
    other = builders.entry(section(event, "u13-boys"))
    for entry in (gone, other):
        assert english().get(reverse("player", args=[event.slug, "u11-boys", entry.pk])).status_code == 404
    foreign = builders.entry(builders.event().sections.get())
    assert english().get(reverse("player", args=[event.slug, "u11-boys", foreign.pk])).status_code == 404


def test_hidden_event_is_404_for_strangers_and_a_page_for_its_staff() -> None:
    event = builders.event(public=False)
    url = reverse("event", args=[event.slug])
    assert english().get(url).status_code == 404
    assert signed_in("stranger").get(url).status_code == 404
    assert signed_in("desk", event, "desk").get(url).status_code == 200


@pytest.mark.parametrize("language", ["uk", "ru", "en"])
def test_public_pages_answer_in_every_language(event: Tournament, language: str) -> None:
    group = section(event)
    entry = builders.entry(group)
    client = Client(headers={"accept-language": language})
    for url in (
        "/",
        reverse("event", args=[event.slug]),
        reverse("section", args=[event.slug, group.code]),
        reverse("player", args=[event.slug, group.code, entry.pk]),
        reverse("login"),
    ):
        answer = client.get(url)
        assert answer.status_code == 200
        assert f'<html lang="{language}"' in answer.content.decode()


def test_sign_in_refuses_with_a_sentence_and_keeps_the_name() -> None:
    answer = english().post(reverse("login"), {"username": "nobody", "password": "wrong"})
    assert b"fit together" in answer.content
    assert b'value="nobody"' in answer.content


# -- staff -----------------------------------------------------------------------------------------------------------

STAFF_PAGES = {
    "manage_event": ROLES,
    "manage_settings": ("organizer",),
    "manage_state": ROLES,
    "manage_staff": ("organizer",),
    "manage_log": ROLES,
    "manage_report": ROLES,
    "manage_rehearsal": ROLES,
    "manage_sections": ROLES,
}


@pytest.mark.parametrize("name", STAFF_PAGES)
def test_staff_page_opens_for_its_roles_only(event: Tournament, name: str) -> None:
    url = reverse(name, args=[event.slug])
    got = {role: signed_in(role, event, role).get(url).status_code for role in ROLES}
    assert got == {role: 200 if role in STAFF_PAGES[name] else 403 for role in ROLES}
    assert signed_in("stranger").get(url).status_code == 404
    nobody = english().get(url)
    assert nobody.status_code == 302
    assert nobody.url == f"{reverse('login')}?next={url}"


@pytest.mark.parametrize("language", ["uk", "ru"])
@pytest.mark.parametrize("name", STAFF_PAGES)
def test_staff_page_answers_in_the_users_language(event: Tournament, name: str, language: str) -> None:
    builders.entries(section(event), 3)
    client = Client(headers={"accept-language": language})
    client.force_login(builders.user("organizer", event, "organizer"))
    answer = client.get(reverse(name, args=[event.slug]))
    assert answer.status_code == 200
    assert f'<html lang="{language}"' in answer.content.decode()


def test_my_events_lists_only_mine(event: Tournament) -> None:
    builders.event()
    assert signed_in("arbiter", event, "arbiter").get("/manage/").context["events"]["coming"] == [event]
    assert english().get("/manage/").status_code == 302


def test_staff_home_gives_the_first_task_one_primary_button(event: Tournament) -> None:
    Tournament.objects.filter(pk=event.pk).update(public=False, state="draft")
    answer = signed_in("organizer", event, "organizer").get(reverse("manage_event", args=[event.slug]))
    assert str(answer.context["now"][0].text) == "Nobody can see the event yet"
    assert answer.content.decode().count("btn-primary btn-lg") == 1
    desk = signed_in("desk", event, "desk").get(reverse("manage_event", args=[event.slug]))
    assert "Make it public" not in desk.content.decode()


def settings_form(event: Tournament, **changes: Any) -> dict[str, Any]:
    return {
        "starts_on": event.starts_on.isoformat(),
        "ends_on": event.ends_on.isoformat(),
        "start_time": "10:00",
        "boards": "20",
        "language": "ru",
        "title_ru": "Первенство",
        "contact_email": "a@example.org",
        **changes,
    }


def test_settings_are_saved_and_logged(event: Tournament) -> None:
    client = signed_in("organizer", event, "organizer")
    url = reverse("manage_settings", args=[event.slug])
    assert client.post(url, settings_form(event, venue_ru="Дворец")).status_code == 302
    event.refresh_from_db()
    assert (event.boards, event.venue, event.title) == (20, {"ru": "Дворец"}, {"ru": "Первенство"})
    assert event.log.filter(action="event.settings_changed").count() == 1


def test_settings_refuse_at_the_field_and_keep_what_was_typed(event: Tournament) -> None:
    bad = settings_form(event, ends_on="2001-01-01", contact_email="nonsense", title_ru="", venue_ru="Мой зал")
    answer = signed_in("organizer", event, "organizer").post(reverse("manage_settings", args=[event.slug]), bad)
    assert answer.status_code == 422
    assert set(answer.context["form"].errors) == {"ends_on", "contact_email", "title_ru"}
    text = answer.content.decode()
    assert "Мой зал" in text
    event.refresh_from_db()
    assert event.contact_email == "info@example.org"


@pytest.mark.clause("M10.4")
def test_settings_find_a_wrong_digit_in_the_bank_details(event: Tournament) -> None:
    client = signed_in("organizer", event, "organizer")
    url = reverse("manage_settings", args=[event.slug])
    wrong = client.post(url, settings_form(event, requisites_inn="1215000001"))
    assert wrong.status_code == 422
    assert wrong.context["form"].errors["requisites_inn"] == [
        "“1215000001” can't be right: a digit is wrong or missing."
    ]
    assert client.post(url, settings_form(event, requisites_name="Федерация")).status_code == 302
    event.refresh_from_db()
    assert event.requisites == {"name": "Федерация"}


def test_state_moves_with_consequences_and_a_reason(event: Tournament) -> None:
    client = signed_in("organizer", event, "organizer")
    url = reverse("manage_state", args=[event.slug])
    assert b"The form on the event page no longer takes entries." in client.get(url, {"step": "close"}).content
    assert client.post(url, {"step": "close"}).status_code == 302
    assert client.post(url, {"step": "cancel"}).status_code == 422
    assert client.post(url, {"step": "cancel", "reason": "The hall is flooded"}).status_code == 302
    event.refresh_from_db()
    assert event.state == "cancelled"
    assert "The hall is flooded" in english().get(reverse("event", args=[event.slug])).content.decode()
    line = event.log.first()
    assert (line.action, line.reason) == ("event.state_changed", "The hall is flooded")
    assert client.post(url, {"step": "nonsense"}).status_code == 404
    assert client.post(url, {"step": "finish"}).status_code == 422


def test_state_of_play_is_the_arbiters_and_the_rest_the_organizers(event: Tournament) -> None:
    url = reverse("manage_state", args=[event.slug])
    chief = signed_in("chief", event, "chief_arbiter")
    assert chief.post(url, {"step": "hide", "reason": "x"}).status_code == 403
    assert chief.post(url, {"step": "start"}).status_code == 302
    assert signed_in("arbiter", event, "arbiter").post(url, {"step": "finish"}).status_code == 403


def test_staff_gets_an_account_whose_password_is_shown_once(event: Tournament) -> None:
    client = signed_in("organizer", event, "organizer")
    url = reverse("manage_staff", args=[event.slug])
    answer = client.post(url, {"act": "add", "name": "ivan", "role": "arbiter"})
    password = answer.context["shown"]["password"]
    assert password in answer.content.decode()
    assert "no-store" in answer["Cache-Control"]
    assert password not in client.get(url).content.decode()
    fresh = Client()
    assert fresh.login(username="ivan", password=password)
    assert fresh.get(reverse("manage_event", args=[event.slug])).status_code == 200
    again = client.post(url, {"act": "add", "name": "ivan", "role": "arbiter"})
    assert again.status_code == 422
    assert client.post(url, {"act": "add", "name": "a b", "role": "desk"}).status_code == 422


def test_staff_role_is_removed_but_never_the_last_organizer(event: Tournament) -> None:
    client = signed_in("organizer", event, "organizer")
    builders.user("ivan", event, "arbiter")
    url = reverse("manage_staff", args=[event.slug])
    for role in StaffRole.objects.filter(tournament=event):
        client.post(url, {"act": "remove", "role": role.pk})
    assert list(event.staff.values_list("user__username", "role")) == [("organizer", "organizer")]
    other = builders.event()
    builders.user("elsewhere", other, "arbiter")
    client.post(url, {"act": "remove", "role": other.staff.get().pk})
    assert other.staff.count() == 1


def test_log_is_filtered_paged_and_given_as_csv(event: Tournament) -> None:
    organizer = builders.user("organizer", event, "organizer")
    for number in range(60):
        log(event, "staff.added", actor=organizer, user=f"u{number}", role="desk")
    log(event, "x.unknown", label="=cmd", value=7)
    client = signed_in("organizer", event, "organizer")
    url = reverse("manage_log", args=[event.slug])
    first = client.get(url)
    assert len(first.context["entries"]) == 50
    assert "x.unknown (value: 7)" in first.content.decode()
    filtered = client.get(url, {"kind": "staff", "who": "organizer", "page": "2"})
    assert [entry["what"] for entry in filtered.context["entries"]][-1] == "u0 is now: registration desk"
    assert len(filtered.context["entries"]) == 10
    text = b"".join(client.get(url, {"format": "csv"}).streaming_content).decode()
    assert text.count("\r\n") == ActionLog.objects.filter(tournament=event).count() + 1
    assert ",'=cmd," in text


def test_report_counts_what_happened(event: Tournament) -> None:
    builders.entries(section(event), 12)
    close_entries(section(event), actor=None)
    answer = signed_in("desk", event, "desk").get(reverse("manage_report", args=[event.slug]))
    assert answer.context["total"]["playing"] == 12
    assert "Swiss system, 7 rounds" in answer.content.decode()


# -- groups ----------------------------------------------------------------------------------------------------------


def chief(event: Tournament) -> Client:
    return signed_in("chief", event, "chief_arbiter")


@pytest.mark.clause("M7.2")
def test_sections_page_proposes_the_system_by_head_count(event: Tournament) -> None:
    for code, number in (("u11-boys", 13), ("u13-boys", 12), ("u15-boys", 10), ("u17-boys", 3), ("u19-boys", 1)):
        builders.entries(section(event, code), number)
    plans = chief(event).get(reverse("manage_sections", args=[event.slug])).context["plans"]
    said = {plan.section.code: (plan.proposal, plan.oddities) for plan in plans if plan.section.code.endswith("boys")}
    assert said == {
        "u11-boys": ("Swiss system, 8 rounds", []),
        "u13-boys": ("Swiss system, 7 rounds", []),
        "u15-boys": ("round robin, 9 rounds", []),
        "u17-boys": (
            "round robin, everybody meets twice, 6 rounds",
            ["Very few players: look at the number of games each of them gets."],
        ),
        "u19-boys": ("", ["One player: nobody to play with. Merge the group, or give the place without play."]),
    }


def test_sections_page_takes_the_same_queries_for_few_and_many(event: Tournament) -> None:
    client = chief(event)
    url = reverse("manage_sections", args=[event.slug])

    def queries() -> int:
        with CaptureQueriesContext(connection) as caught:
            assert client.get(url).status_code == 200
        return len(caught)

    builders.entries(section(event), 3)
    few = queries()
    for group in event.sections.all():
        builders.entries(group, 30)
    assert queries() == few


@pytest.mark.clause("M7.2")
def test_section_is_closed_by_the_rule_or_against_it_with_a_reason(event: Tournament) -> None:
    group = section(event)
    builders.entries(group, 13)
    url = reverse("manage_section", args=[event.slug, group.code])
    client = chief(event)
    assert "Swiss system, 8 rounds" in client.get(url).content.decode()
    refused = client.post(url, {"act": "close", "system": "swiss", "rounds": "9", "reason": ""})
    assert refused.status_code == 422
    assert "reason" in refused.context["override"].errors
    assert client.post(url, {"act": "close", "rounds": "9", "reason": "Two days more"}).status_code == 302
    stage = Stage.objects.get(section=group)
    assert (stage.kind, stage.rounds_total, stage.override_reason) == ("swiss", 9, "Two days more")
    assert client.post(url, {"act": "close"}).status_code == 422  # closed already: a sentence, not an error page
    assert client.post(url, {"act": "reopen", "reason": ""}).status_code == 422
    assert client.post(url, {"act": "reopen", "reason": "One more player"}).status_code == 302
    assert client.post(url, {"act": "close"}).status_code == 302
    assert Stage.objects.get(section=group).rounds_total == 8


@pytest.mark.clause("M7.8")
def test_boys_and_girls_of_one_age_merge_and_two_ages_never(event: Tournament) -> None:
    client = chief(event)
    builders.entries(section(event, "u11-girls"), 2)
    url = reverse("manage_section", args=[event.slug, "u11-girls"])
    assert [host.code for host in client.get(url).context["plan"].merge_with] == ["u11-boys"]
    refused = client.post(url, {"act": "merge", "host": "u13-girls"}, follow=True)
    assert "are two ages: the regulation merges only boys and girls of one age." in refused.content.decode()
    client.post(url, {"act": "merge", "host": "u11-boys"})
    assert section(event, "u11-girls").merged_into == section(event)
    client.post(url, {"act": "unmerge"})
    assert section(event, "u11-girls").merged_into is None


def test_start_numbers_are_exchanged_and_drawn_by_lot(event: Tournament) -> None:
    group = section(event)
    one, two, three = builders.entries(group, 3)
    close_entries(group, actor=None)
    client = chief(event)
    url = reverse("manage_section", args=[event.slug, group.code])
    assert client.post(url, {"act": "exchange", "first": "1", "second": "9", "reason": "x"}).status_code == 422
    assert (
        client.post(url, {"act": "exchange", "first": "1", "second": "3", "reason": "Clerk's error"}).status_code == 302
    )
    one.refresh_from_db()
    three.refresh_from_db()
    assert (one.start_number, three.start_number) == (3, 1)
    assert client.post(url, {"act": "lot"}).status_code == 302
    lot = event.lots.get()
    numbers = {entry.name: entry.start_number for entry in group.entries.select_related("player")}
    drawn = [label.split(". ", 1)[1] for label in lot.outcome.result]
    assert numbers == {name: number for number, name in enumerate(drawn, start=1)}
    assert f"/lot/{lot.pk}/" in client.get(url).content.decode()


def test_late_entry_joins_a_swiss_in_the_next_round(event: Tournament) -> None:
    group = section(event)
    players = builders.entries(group, 13)
    stage = close_entries(group, actor=None)[0]
    Game.objects.create(stage=stage, round_number=1, board=1, white=players[0], black=players[1], outcome="1-0")
    late = builders.entry(group, "Запізнюк", rating=2190)
    client = chief(event)
    url = reverse("manage_section", args=[event.slug, group.code])
    assert [entry.pk for entry in client.get(url).context["late"]] == [late.pk]
    assert client.post(url, {"act": "late", "entry": late.pk}).status_code == 302
    late.refresh_from_db()
    assert (late.start_number, late.joined_round) == (2, 2)  # between 2200 and 2180
    assert client.post(url, {"act": "late", "entry": "99999999999999999999"}).status_code == 404


def test_section_acts_are_the_chief_arbiters(event: Tournament) -> None:
    builders.entries(section(event), 3)
    url = reverse("manage_section", args=[event.slug, "u11-boys"])
    for role, answer in (("organizer", 302), ("arbiter", 403), ("desk", 403)):
        assert signed_in(role, event, role).post(url, {"act": "close"}).status_code == answer
    assert english().post(url, {"act": "close"}).status_code == 302
    assert signed_in("stranger").post(url, {"act": "close"}).status_code == 404
    assert chief(event).post(url, {"act": "nonsense"}).status_code == 404
    assert chief(event).get(reverse("manage_section", args=[event.slug, "no-such"])).status_code == 404


def test_group_is_told_its_boards_in_the_hall(event: Tournament) -> None:
    url = reverse("manage_section", args=[event.slug, "u11-boys"])
    client = chief(event)
    assert client.post(url, {"act": "board", "board": "0"}).status_code == 422
    assert client.post(url, {"act": "board", "board": "17"}).status_code == 302
    assert section(event).first_board == 17
    assert (
        "“Boys under 11”: plays from board 17 on"
        in client.get(reverse("manage_log", args=[event.slug])).content.decode()
    )


# -- rehearsal -------------------------------------------------------------------------------------------------------


def test_rehearsal_is_copied_played_and_thrown_away(event: Tournament) -> None:
    builders.entries(section(event), 4)
    client = chief(event)
    client.post(reverse("manage_rehearsal", args=[event.slug]), {"act": "copy"})
    copy = event.rehearsals.get()
    page = reverse("manage_rehearsal", args=[copy.slug])
    assert client.get(page).status_code == 200
    assert english().get(reverse("event", args=[copy.slug])).status_code == 404
    assert client.post(page, {"act": "step"}).status_code == 302
    assert Stage.objects.get(section__tournament=copy).kind == "round_robin"
    client.post(page, {"act": "end"})
    client.post(page, {"act": "end"})  # two clicks
    playing = client.get(page).content.decode()
    (job,) = Job.objects.filter(name=rehearsal_job.TASK)
    while job is not None and job.is_open:
        queue.run(job.pk)
        queue.run(job.pk)  # a message that comes twice
        job = Job.objects.filter(name=rehearsal_job.TASK).first()
    part = client.get(page, headers={"HX-Request": "true"}).content.decode()
    assert ("is being played to its end" in playing, "<progress" in part, "Played" in part) == (True, False, True)
    assert Stage.objects.get(section__tournament=copy).state == "closed"
    assert copy.log.filter(action="rehearsal.played").count() == 2
    assert signed_in("desk", event, "desk").post(page, {"act": "throw_away"}).status_code in (403, 404)
    assert client.post(page, {"act": "throw_away"}).url == reverse("manage_event", args=[event.slug])
    assert not Tournament.objects.filter(pk=copy.pk).exists()
    assert (
        client.post(reverse("manage_rehearsal", args=[event.slug]), {"act": "throw_away"}, follow=True).status_code
        == 200
    )
    assert Tournament.objects.filter(pk=event.pk).exists()


def test_demo_is_loaded_by_organizers_only(event: Tournament) -> None:
    assert english().post(reverse("load_demo")).status_code == 302
    assert signed_in("arbiter", event, "arbiter").post(reverse("load_demo")).status_code == 403
    assert signed_in("organizer", event, "organizer").get(reverse("load_demo")).status_code == 200


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("preset", ["youth-championship", "second-chance-32"])
def test_steps_lead_only_where_the_role_may_go(preset: str, role: str) -> None:
    event = builders.event(preset)
    section = event.sections.all()[0]
    builders.entries(section, 4)
    close_entries(section, actor=None)
    client = signed_in(role, event, role)
    steps = client.get(reverse("manage_event", args=[event.slug])).context["stepper"]
    closed = {"desk": {"regulation", "matches"}, "arbiter": {"regulation", "registration", "desk", "matches"}}
    closed |= {"organizer": set(), "chief_arbiter": {"regulation", "desk"}}
    assert {step.key for step in steps if not step.url} == closed[role] & {step.key for step in steps}
    assert {client.get(step.url).status_code for step in steps if step.url} <= {200, 302}
