"""Files for the federation by role, and the expected change on a player's page."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from swiss.tests import builders as rounds
from swiss.tests.web.helpers import reader, signed_in, text_of, url
from tourney.models import ActionLog, Player, Stage

pytestmark = pytest.mark.django_db


@pytest.fixture
def stage() -> Stage:
    found = rounds.stage_of(12)
    rounds.play(found, "1-0 1/2 0-1")
    return found


@pytest.mark.clause("M7.5")
@pytest.mark.parametrize(
    ("role", "status"), [("organizer", 200), ("chief_arbiter", 200), ("arbiter", 403), ("desk", 403), ("", 404)]
)
def test_the_files_are_for_the_chief_arbiter(stage: Stage, role: str, status: int) -> None:
    client = signed_in(stage, role)
    report = client.get(url("manage_export_trf", stage))
    table = client.get(reverse("manage_newcomers_csv", args=[stage.section.tournament.slug]))
    assert (report.status_code, table.status_code) == (status, status)
    if status == 200:
        assert report.content.decode().count("\n001 ") == 12
        assert "attachment" in report["Content-Disposition"]
        assert set(ActionLog.objects.filter(action__endswith="_exported").values_list("action", flat=True)) == {
            "swiss.report_exported",
            "swiss.newcomers_exported",
        }


def test_nobody_is_sent_to_sign_in(client: Client, stage: Stage) -> None:
    assert "sign-in" in client.get(url("manage_export_trf", stage))["Location"]


def test_a_group_without_rounds_has_no_report() -> None:
    stage = rounds.stage_of(12)
    assert signed_in(stage, "organizer").get(url("manage_export_trf", stage)).status_code == 404


def test_no_cell_of_the_request_list_is_a_formula(stage: Stage) -> None:
    first = rounds.numbered(stage)[1]
    Player.objects.filter(pk=first.player_id).update(surname="=cmd|' /C calc'!A0", city="+7", given_name="@x")
    client = signed_in(stage, "chief_arbiter")
    text = (
        client.get(reverse("manage_newcomers_csv", args=[stage.section.tournament.slug])).getvalue().decode("utf-8-sig")
    )
    line = next(line for line in text.splitlines() if "cmd" in line)
    assert line.startswith("'=cmd|' /C calc'!A0,'@x,")
    assert ",'+7," in line


@pytest.mark.clause("M7.5")
def test_the_report_page_leads_to_the_files(stage: Stage) -> None:
    address = reverse("manage_report", args=[stage.section.tournament.slug])
    page = signed_in(stage, "chief_arbiter").get(address).content.decode()
    assert url("manage_export_trf", stage) in page
    assert reverse("manage_newcomers_csv", args=[stage.section.tournament.slug]) in page
    assert url("manage_export_trf", stage) not in signed_in(stage, "arbiter").get(address).content.decode()


@pytest.mark.clause("M7.5")
def test_a_player_sees_the_expected_change(stage: Stage) -> None:
    first = rounds.numbered(stage)[1]
    answer = reader().get(url("player", stage, first.pk))
    assert "Rating after 1 rated game:" in text_of(answer)
    assert "preliminary" in text_of(answer)
