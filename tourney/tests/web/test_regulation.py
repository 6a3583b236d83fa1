"""The regulation's pages: the text for everybody, the editor for the organizer, the publishing."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tourney.kernel.paths import set_at
from tourney.models import RegulationDraft, Tournament
from tourney.services import regulations as service
from tourney.testing.builders import event, user

pytestmark = pytest.mark.django_db

PAGES = ("manage_regulation", "manage_regulation_edit", "manage_regulation_publish")


@pytest.fixture
def kyiv() -> Tournament:
    return event("second-chance-32")


@pytest.fixture
def organizer(client: Client, kyiv: Tournament) -> Client:
    client.force_login(user("organizer", kyiv, "organizer"))
    client.cookies["django_language"] = "en"
    return client


def url(name: str, tournament: Tournament, *more: Any) -> str:
    block = ["fees"] if name == "manage_regulation_edit" and not more else []
    return reverse(name, args=[tournament.slug, *block, *more])


def words(html: bytes) -> str:
    """Return what a page says, without its markup."""
    text = re.sub(r"<[^>]+>", " ", html.decode())
    return re.sub(r"\s+", " ", text.replace("\u00a0", " ").replace("&#x27;", "'"))


def fields_of(client: Client, address: str) -> dict[str, Any]:
    """Return what a browser would send for the editor's form as it stands."""
    form = client.get(address).context["form"]
    sent: dict[str, Any] = {}
    for name, typed in form._typed.items():
        if typed is True:
            sent[name] = "on"
        elif typed is not False:
            sent[name] = typed
    return sent


# -- for everybody -----------------------------------------------------------------------------------------------------


@pytest.mark.clause("K1.4")
def test_text_shows_every_version_with_reason_and_changes(client: Client, kyiv: Tournament) -> None:
    data = set_at(service.draft_spec(kyiv), "lateness.minutes", 15)
    service.save_draft(kyiv, data, actor=user("organizer", kyiv, "organizer"), block="lateness")
    service.publish(kyiv, actor=user("organizer"), reason="Snow on the roads", seen=1)
    client.cookies["django_language"] = "en"

    page = client.get(url("regulation", kyiv))

    said = words(page.content)
    assert page.status_code == 200
    assert "Who comes more than 15 minutes late loses the match." in said
    assert "Snow on the roads" in said
    assert "What changed (1 rule) Late players › Loss if late by more than, minutes changed was: 10 is now: 15" in said
    assert "· organizer" in said


def test_older_version_stays_open_and_says_so(client: Client, kyiv: Tournament) -> None:
    data = set_at(service.draft_spec(kyiv), "lateness.minutes", 15)
    service.save_draft(kyiv, data, actor=user("organizer"), block="lateness")
    service.publish(kyiv, actor=user("organizer"), reason="Snow", seen=1)
    client.cookies["django_language"] = "en"

    page = client.get(reverse("regulation_version", args=[kyiv.slug, 1]))

    said = words(page.content)
    assert "Who comes more than 10 minutes late loses the match." in said
    assert "This is an older version. The rules have changed since." in said


def test_unknown_version_and_hidden_event_are_not_found(client: Client, kyiv: Tournament) -> None:
    hidden = event("open-swiss", public=False)

    assert client.get(reverse("regulation_version", args=[kyiv.slug, 7])).status_code == 404
    assert client.get(url("regulation", hidden)).status_code == 404


def test_text_is_one_click_from_the_event_page(client: Client, kyiv: Tournament) -> None:
    page = client.get(reverse("event", args=[kyiv.slug]))

    assert f'href="{url("regulation", kyiv)}"' in page.content.decode()


def test_text_takes_the_same_queries_for_many_versions(client: Client, kyiv: Tournament) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            client.get(url("regulation", kyiv))
        return len(captured)

    few = queries()
    for number in range(1, 6):
        data = set_at(service.draft_spec(kyiv), "lateness.minutes", 10 + number)
        service.save_draft(kyiv, data, actor=user("organizer"), block="lateness")
        service.publish(kyiv, actor=user("organizer"), reason="Again", seen=number)

    assert queries() == few


# -- who may edit ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize(
    ("role", "status"), [("organizer", 200), ("chief_arbiter", 403), ("arbiter", 403), ("desk", 403), ("", 404)]
)
def test_editor_is_the_organizers(client: Client, kyiv: Tournament, name: str, role: str, status: int) -> None:
    person = user(f"person-{role or 'stranger'}", kyiv, role)
    client.force_login(person)

    assert client.get(url(name, kyiv)).status_code == status
    if status != 200:
        assert client.post(url(name, kyiv), {"discard": "1", "seen": "1", "reason": "Mine"}).status_code == status
        assert kyiv.regulations.count() == 1


@pytest.mark.parametrize("name", PAGES)
def test_editor_sends_nobody_to_the_sign_in_page(client: Client, kyiv: Tournament, name: str) -> None:
    answer = client.get(url(name, kyiv))

    assert (answer.status_code, answer["Location"]) == (302, f"{reverse('login')}?next={url(name, kyiv)}")


def test_unknown_block_is_not_found(organizer: Client, kyiv: Tournament) -> None:
    assert organizer.get(url("manage_regulation_edit", kyiv, "weather")).status_code == 404


# -- editing -----------------------------------------------------------------------------------------------------------


def test_every_block_has_a_card_and_a_form(organizer: Client, kyiv: Tournament) -> None:
    page = organizer.get(url("manage_regulation", kyiv))
    blocks = [card["block"] for card in page.context["cards"]]

    assert len(blocks) == 25
    for block in blocks:
        assert organizer.get(url("manage_regulation_edit", kyiv, block)).status_code == 200, block
        assert organizer.get(url("manage_regulation_edit", kyiv, block) + "?view=text").status_code == 200, block


def test_saving_a_block_goes_to_the_draft(organizer: Client, kyiv: Tournament) -> None:
    address = url("manage_regulation_edit", kyiv, "lateness")
    sent = fields_of(organizer, address) | {"minutes": "5"}

    answer = organizer.post(address, sent)

    assert (answer.status_code, answer["Location"]) == (302, f"{url('manage_regulation', kyiv)}#block-lateness")
    assert RegulationDraft.objects.get(tournament=kyiv).spec["lateness"]["minutes"] == 5
    assert kyiv.regulations.get().spec["lateness"]["minutes"] == 10
    assert "Unpublished draft: 1 change" in words(organizer.get(url("manage_regulation", kyiv)).content)


def test_button_adds_a_row_without_saving_and_keeps_what_was_typed(organizer: Client, kyiv: Tournament) -> None:
    address = url("manage_regulation_edit", kyiv, "fees")
    sent = fields_of(organizer, address) | {"rules-0-amount": "not yet a number", "_add": "rules:sibling"}

    page = organizer.post(address, sent)

    form = page.context["form"]
    assert page.status_code == 200
    assert form["rules-0-amount"].value() == "not yet a number"
    assert form["rules-12-at_least"].value() == ""
    assert not RegulationDraft.objects.exists()


def test_wrong_rule_is_refused_at_its_field(organizer: Client, kyiv: Tournament) -> None:
    address = url("manage_regulation_edit", kyiv, "lotteries")
    sent = fields_of(organizer, address) | {"0-places": "11, 40"}

    page = organizer.post(address, sent)

    assert page.status_code == 422
    assert page.context["form"].errors == {"0-places": ["Place 40 is outside the field (32 players)."]}
    assert page.context["form"]["0-places"].value() == "11, 40"
    assert not RegulationDraft.objects.exists()


def test_refusal_speaks_the_users_language(organizer: Client, kyiv: Tournament) -> None:
    organizer.cookies["django_language"] = "uk"
    address = url("manage_regulation_edit", kyiv, "fees")
    sent = fields_of(organizer, address) | {"rules-0-amount": ""}

    page = organizer.post(address, sent)

    assert page.context["form"].errors == {"rules-0-amount": ["Це поле обов'язкове."]}


def test_error_in_another_block_is_shown_but_does_not_stop_saving(organizer: Client, kyiv: Tournament) -> None:
    address = url("manage_regulation_edit", kyiv, "sections")
    sent = fields_of(organizer, address) | {"0-capacity": "20"}

    answer = organizer.post(address, sent)

    assert answer.status_code == 302
    page = organizer.get(url("manage_regulation", kyiv))
    assert "Money prizes › List of prizes 1 › Places › Place 25" in words(page.content)
    assert page.context["has_errors"] is True


def test_block_somebody_else_saved_is_not_overwritten_unseen(organizer: Client, kyiv: Tournament) -> None:
    address = url("manage_regulation_edit", kyiv, "lateness")
    mine = fields_of(organizer, address) | {"minutes": "5", "_seen": organizer.get(address).context["seen"]}
    other = set_at(service.draft_spec(kyiv), "lateness.minutes", 20)
    service.save_draft(kyiv, other, actor=user("second", kyiv, "organizer"), block="lateness")

    refused = organizer.post(address, mine)
    again = organizer.post(address, mine | {"_seen": refused.context["seen"]})

    assert refused.status_code == 422
    assert refused.context["form"]["minutes"].value() == "5"
    assert again.status_code == 302
    assert service.draft_spec(kyiv)["lateness"]["minutes"] == 5


def test_text_view_names_the_line_of_an_error(organizer: Client, kyiv: Tournament) -> None:
    address = url("manage_regulation_edit", kyiv, "lotteries")

    broken = organizer.post(address, {"text": '[\n  {"places": [11, 15],\n}]'})
    wrong = organizer.post(address, {"text": '[\n  {\n    "places": [11, 40],\n    "amount": "200"\n  }\n]'})

    assert "Line 3, column 1" in broken.context["form"].errors["text"][0]
    assert wrong.context["form"].errors["text"] == [
        "Line 3: Prize draws › Prize draw 1 › Places that take part › 2: Place 40 is outside the field (32 players)."
    ]


def test_text_view_saves(organizer: Client, kyiv: Tournament) -> None:
    address = url("manage_regulation_edit", kyiv, "lotteries")

    answer = organizer.post(address, {"text": '[{"places": [11, 15], "amount": "300", "clause": "8.3"}]'})

    assert answer.status_code == 302
    assert service.draft_spec(kyiv)["lotteries"] == [{"places": [11, 15], "amount": "300", "clause": "8.3"}]


def test_open_question_is_answered_in_the_editor(organizer: Client, kyiv: Tournament) -> None:
    address = url("manage_regulation_edit", kyiv, "readings")
    form = organizer.get(address).context["form"]
    sent = {name: form.fields[name].initial for name in form.names} | {"reading_0": "3"}

    answer = organizer.post(address, sent)

    assert answer.status_code == 302
    assert service.draft_spec(kyiv)["stages"][0]["options"][0]["return_at"] == 16


def test_answers_that_contradict_each_other_are_refused(organizer: Client, kyiv: Tournament) -> None:
    address = url("manage_regulation_edit", kyiv, "readings")
    form = organizer.get(address).context["form"]
    sent = {name: form.fields[name].initial for name in form.names} | {"reading_0": "3", "reading_1": "1"}

    page = organizer.post(address, sent)

    assert page.status_code == 422
    assert page.context["form"].errors == {
        "reading_1": ["This final needs a lower bracket that leads only into the final."]
    }


def test_draft_is_thrown_away(organizer: Client, kyiv: Tournament) -> None:
    service.save_draft(
        kyiv, set_at(service.draft_spec(kyiv), "lateness.minutes", 5), actor=user("organizer"), block="lateness"
    )

    organizer.post(url("manage_regulation", kyiv), {"discard": "1"})

    assert not RegulationDraft.objects.exists()


# -- publishing --------------------------------------------------------------------------------------------------------


@pytest.mark.clause("K1.4")
def test_publishing_asks_for_a_reason_and_then_everybody_sees_it(organizer: Client, kyiv: Tournament) -> None:
    address = url("manage_regulation_edit", kyiv, "lateness")
    organizer.post(address, fields_of(organizer, address) | {"minutes": "5"})
    publish = url("manage_regulation_publish", kyiv)

    refused = organizer.post(publish, {"seen": "1", "reason": ""})
    done = organizer.post(publish, {"seen": "1", "reason": "The day is short"})

    assert refused.status_code == 422
    assert refused.context["form"].errors == {"reason": ["Say why the rules change; everybody can read the reason."]}
    assert done.status_code == 302
    public = words(Client().get(url("regulation", kyiv), HTTP_ACCEPT_LANGUAGE="en").content)
    assert "The day is short" in public


def test_publish_page_shows_the_change_and_what_it_means(organizer: Client, kyiv: Tournament) -> None:
    address = url("manage_regulation_edit", kyiv, "lateness")
    organizer.post(address, fields_of(organizer, address) | {"minutes": "5"})

    said = words(organizer.get(url("manage_regulation_publish", kyiv)).content)

    assert "What changes against version 1" in said
    assert "Late players › Loss if late by more than, minutes changed was: 10 is now: 5" in said
    assert "are covered from 19 players on" in said


def test_publish_page_with_errors_has_no_button(organizer: Client, kyiv: Tournament) -> None:
    address = url("manage_regulation_edit", kyiv, "sections")
    organizer.post(address, fields_of(organizer, address) | {"0-capacity": "20"})

    page = organizer.get(url("manage_regulation_publish", kyiv))
    refused = organizer.post(url("manage_regulation_publish", kyiv), {"seen": "1", "reason": "Anyway"})

    assert "Put right before publishing" in words(page.content)
    assert 'name="reason"' not in page.content.decode()
    assert refused.status_code == 422
    assert kyiv.regulations.count() == 1


def test_publish_page_without_changes_says_so(organizer: Client, kyiv: Tournament) -> None:
    assert "Nothing to publish" in words(organizer.get(url("manage_regulation_publish", kyiv)).content)


# -- by hand from nothing ----------------------------------------------------------------------------------------------


def test_any_mix_can_be_built_by_hand_from_the_empty_preset(client: Client) -> None:
    """A group stage, then a knockout; a fee with a family price; two tie-breaks; three prizes and a draw."""
    tournament = event("empty")
    client.force_login(user("organizer", tournament, "organizer"))
    client.cookies["django_language"] = "en"

    def edit(block: str, adds: list[str], typed: dict[str, Any]) -> None:
        address = url("manage_regulation_edit", tournament, block)
        sent = fields_of(client, address)
        for target in adds:
            page = client.post(address, sent | {"_add": target})
            sent = {
                name: "on" if value is True else value
                for name, value in page.context["form"]._typed.items()
                if value is not False
            }
        answer = client.post(address, sent | typed)
        assert answer.status_code == 302, answer.context["form"].errors

    edit("sections", [], {"0-capacity": "16"})
    edit(
        "match_formats",
        ["", "0-phases:games", "0-phases:armageddon"],
        {
            "0-_name": "final",
            "0-first_color": "lot",
            "0-phases-0-games": "2",
            "0-phases-0-clock": "10+5",
            "0-phases-1-armageddon-white": "5",
            "0-phases-1-armageddon-black": "4",
        },
    )
    edit(
        "stages",
        ["", "0-options:swiss", "0-options-0-tie_breaks", "0-options-0-tie_breaks", "", "1-options:bracket"],
        {
            "0-code": "groups",
            "0-title-uk": "Групи",
            "0-options-0-rounds": "5",
            "0-options-0-tie_breaks-0-_value": "BH/C1",
            "0-options-0-tie_breaks-1-_value": "SB",
            "1-code": "final",
            "1-options-0-size": "16",
            "1-options-0-when-players_at_most": "16",
            "1-options-0-match": "final",
        },
    )
    edit(
        "fees",
        ["rules:base", "rules:sibling"],
        {"rules-0-amount": "300", "rules-1-amount": "200", "rules-1-at_least": "2"},
    )
    edit(
        "prizes",
        ["", "0-places", "0-places", "0-places"],
        {
            "0-places-0-_name": "1",
            "0-places-0-_value": "1000",
            "0-places-1-_name": "2",
            "0-places-1-_value": "500",
            "0-places-2-_name": "3",
            "0-places-2-_value": "250",
        },
    )
    edit("lotteries", [""], {"0-places": "8, 9, 10", "0-amount": "100"})
    done = client.post(url("manage_regulation_publish", tournament), {"seen": "1", "reason": "Rules are ready"})

    assert done.status_code == 302
    spec = tournament.regulations.get(number=2).spec
    assert [option["kind"] for stage in spec["stages"] for option in stage["options"]] == ["swiss", "bracket"]
    assert spec["stages"][0]["options"][0]["tie_breaks"] == ["BH/C1", "SB"]
    assert spec["fees"]["rules"] == [
        {"kind": "base", "amount": "300", "clause": ""},
        {"kind": "sibling", "amount": "200", "at_least": 2, "clause": ""},
    ]
    assert spec["prizes"][0]["places"] == {"1": "1000", "2": "500", "3": "250"}
    assert tournament.sections.get().capacity == 16
