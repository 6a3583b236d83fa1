"""The draft changed by hand on the staff page: side by side with the engine, rules named, and the way back."""

from __future__ import annotations

import pytest

from swiss.services import pair_next_round, publish_round
from swiss.tests.builders import stage_of
from swiss.tests.web.helpers import queries, reader, signed_in, text_of, url
from tourney.models import Stage

pytestmark = pytest.mark.django_db


@pytest.fixture
def stage() -> Stage:
    return stage_of(12)


def exchange(stage: Stage, reason: str = "brothers") -> tuple[str, str, str, str]:
    """Exchange the White players of the first two boards by the page; return both pairs as the engine had them."""
    one, two = stage.rounds.get().pairings.filter(board__in=[1, 2])
    client = signed_in(stage, "chief_arbiter")
    sent = {"act": "change", "player": [one.white_id, two.white_id], "reason": reason}
    assert client.post(url("manage_round", stage, 1), sent).status_code == 302
    assert one.black is not None
    assert two.black is not None
    return one.white.player.name, one.black.player.name, two.white.player.name, two.black.player.name


def test_a_changed_draft_stands_beside_the_engines_round(stage: Stage) -> None:
    pair_next_round(stage.pk, actor=None)
    a, b, c, d = exchange(stage)

    page = text_of(signed_in(stage, "chief_arbiter").get(url("manage_round", stage, 1)))

    assert f"1 {c} – {b} {a} – {b}" in page
    assert f"2 {a} – {d} {c} – {d}" in page
    assert "4 other boards are the same." in page
    assert f"{c} – {b}: the rules choose other pairs" in page
    assert f"{a} – {c}: brothers" in page


def test_an_untouched_draft_shows_no_comparison(stage: Stage) -> None:
    pair_next_round(stage.pk, actor=None)

    assert "Rules that are bent" not in text_of(signed_in(stage, "organizer").get(url("manage_round", stage, 1)))


def test_the_chief_arbiter_goes_back_to_the_engines_round(stage: Stage) -> None:
    draft = pair_next_round(stage.pk, actor=None)
    before = list(draft.pairings.values_list("board", "white_id", "black_id"))
    exchange(stage)
    address = url("manage_round", stage, 1)
    assert signed_in(stage, "arbiter").post(address, {"act": "restore"}).status_code == 403
    assert reader().post(address, {"act": "restore"}).status_code in (302, 403)

    done = signed_in(stage, "chief_arbiter").post(address, {"act": "restore"}, follow=True)

    assert "is the engine&#x27;s own again" in done.content.decode()
    assert list(draft.pairings.values_list("board", "white_id", "black_id")) == before
    again = signed_in(stage, "chief_arbiter").post(address, {"act": "restore"}, follow=True)
    assert "Nothing was changed by hand in round 1." in text_of(again)


def test_a_published_round_keeps_the_record_for_the_staff_alone(stage: Stage) -> None:
    draft = pair_next_round(stage.pk, actor=None)
    exchange(stage)
    publish_round(draft.pk, actor=None)

    staff = text_of(signed_in(stage, "arbiter").get(url("manage_round", stage, 1)))
    assert "brothers" in staff
    assert "Back to the engine" not in staff
    assert "brothers" not in text_of(reader().get(url("round", stage, 1)))


@pytest.mark.parametrize("language", ["uk", "ru"])
def test_the_comparison_is_shown_in_every_language(stage: Stage, language: str) -> None:
    pair_next_round(stage.pk, actor=None)
    exchange(stage)

    answer = signed_in(stage, "chief_arbiter", language).get(url("manage_round", stage, 1))

    assert answer.status_code == 200
    assert "%(" not in answer.content.decode()


def test_the_comparison_takes_the_same_number_of_queries_for_few_and_for_many() -> None:
    counted = []
    for players in (6, 30):
        stage = stage_of(players, system="swiss", rounds=4)
        pair_next_round(stage.pk, actor=None)
        exchange(stage)
        counted.append(queries(signed_in(stage, "chief_arbiter"), url("manage_round", stage, 1)))

    assert counted[0] == counted[1]
