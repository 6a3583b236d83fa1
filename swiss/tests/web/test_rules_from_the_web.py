"""What the organizer sets in the regulation editor is what the engine pairs by: the bye's worth, the rating order."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from swiss.plans import stage_rules
from swiss.tests.builders import next_round, numbered
from tourney.kernel.outcomes import ByeKind
from tourney.models import Entry, RegulationDraft, Stage, StandingRow, Tournament
from tourney.services.stages import close_entries
from tourney.testing import builders
from tourney.tests.web.test_regulation import fields_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def open_event() -> Tournament:
    return builders.event("open-swiss")


def organizer_of(event: Tournament) -> Client:
    client = Client(headers={"accept-language": "en"})
    client.force_login(builders.user("organizer", event, "organizer"))
    return client


def set_rules(event: Tournament, block: str, **fields: str) -> None:
    """Fill in a block's form of the editor as it stands, and publish the regulation with a reason."""
    client = organizer_of(event)
    address = reverse("manage_regulation_edit", args=[event.slug, block])
    shown = fields_of(client, address)
    assert set(fields) <= set(client.get(address).context["form"].fields), sorted(shown)
    assert client.post(address, shown | fields).status_code == 302
    assert RegulationDraft.objects.filter(tournament=event).exists()
    publish = reverse("manage_regulation_publish", args=[event.slug])
    form = client.get(publish).context["form"]
    sent = {name: form[name].value() or "" for name in form.fields} | {"reason": "agreed", "confirm": "on"}
    answer = client.post(publish, sent)
    assert answer.status_code == 302, answer.content.decode()[-2000:]


def closed(event: Tournament, ratings: list[dict[str, int]]) -> Stage:
    section = event.sections.get()
    section.tournament = event
    entries = builders.entries(section, len(ratings))
    for entry, known in zip(entries, ratings, strict=True):
        Entry.objects.filter(pk=entry.pk).update(ratings=known)
    (stage, *_) = close_entries(section, actor=None)
    return Stage.objects.select_related("section__tournament").get(pk=stage.pk)


@pytest.mark.parametrize(("points", "half_points"), [("0.5", 1), ("0", 0)])
def test_the_bye_is_worth_what_the_organizer_sets(open_event: Tournament, points: str, half_points: int) -> None:
    set_rules(open_event, "stages", **{"0-options-1-bye_points": points})
    stage = closed(open_event, [{} for _ in range(11)])
    assert stage_rules(stage, 11).scoring.pairing_bye == half_points

    round_ = next_round(stage)

    free = round_.pairings.get(bye=ByeKind.PAIRING)
    assert StandingRow.objects.get(stage=stage, entry=free.white, after_round=1).points == half_points


@pytest.mark.clause("M7.2")
@pytest.mark.parametrize(("use", "other"), [("national", "fide_rapid"), ("fide_standard", "national")])
def test_the_start_list_follows_the_rating_the_organizer_sets(open_event: Tournament, use: str, other: str) -> None:
    set_rules(open_event, "rating", use=use, national="RUS")
    stage = closed(open_event, [{use: 1500 + 10 * index, other: 2200 - 10 * index} for index in range(12)])

    numbers = [entry.ratings[use] for _, entry in sorted(numbered(stage).items())]

    assert numbers == sorted(numbers, reverse=True)
