"""Staff pages: who may do what, pairing and publishing, the roll-call, leaving, forbidden pairs, lateness."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from swiss.models import ByeRequest, ForbiddenPair, Pairing, Round
from swiss.services import enter_result, forbid_pair, note_absent, pair_next_round, start_round, withdraw_player
from swiss.tests.builders import at, enter, games_of, group, next_round, numbered, play, stage_of
from swiss.tests.web.helpers import queries, reader, signed_in, text_of, url
from tourney.models import ActionLog, Entry, Game, Stage
from tourney.services.sections import admit_late
from tourney.testing import builders

pytestmark = pytest.mark.django_db

ROLES = ("organizer", "chief_arbiter", "arbiter", "desk")
SEEN_BY = {
    "manage_rounds": ROLES,
    "manage_round": ROLES,
    "manage_results": ("organizer", "chief_arbiter", "arbiter"),
    "manage_lateness": ("organizer", "chief_arbiter", "arbiter"),
    "manage_slips": ("organizer", "chief_arbiter", "arbiter"),
    "manage_presence": ("organizer", "chief_arbiter"),
    "manage_withdraw": ("organizer", "chief_arbiter"),
    "manage_forbidden": ("organizer", "chief_arbiter"),
    "manage_book": ("organizer", "chief_arbiter"),
}
OF_A_ROUND = ("manage_round", "manage_results", "manage_lateness", "manage_slips")


@pytest.fixture
def stage() -> Stage:
    return stage_of(12)


# -- who may see and do what -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SEEN_BY)
def test_every_role_sees_its_pages(stage: Stage, name: str) -> None:
    next_round(stage)
    address = url(name, stage, *([1] if name in OF_A_ROUND else []))

    answers = {role: signed_in(stage, role).get(address).status_code for role in ROLES}

    assert answers == {role: 200 if role in SEEN_BY[name] else 403 for role in ROLES}
    assert signed_in(stage).get(address).status_code == 404
    nobody = reader().get(address)
    assert (nobody.status_code, nobody.url.split("?")[0]) == (302, "/manage/sign-in/")


@pytest.mark.parametrize("role", ["arbiter", "desk"])
def test_only_the_chief_arbiter_pairs_and_publishes(stage: Stage, role: str) -> None:
    client = signed_in(stage, role)

    assert client.post(url("manage_pair", stage)).status_code == 403
    draft = pair_next_round(stage.pk, actor=None)
    for act in ("publish", "discard", "change", "start", "early", "reschedule", "late", "unpublish"):
        assert client.post(url("manage_round", stage, 1), {"act": act}).status_code == 403
    assert Round.objects.get(pk=draft.pk).state == "draft"


def test_what_belongs_to_another_event_is_not_found(stage: Stage) -> None:
    next_round(stage)
    other = stage_of(12)
    theirs = games_of(next_round(other))[0]
    client = signed_in(stage, "organizer")
    slug = stage.section.tournament.slug

    foreign = {"game": theirs.pk, "outcome": "1-0", "version": 0}
    assert client.post(url("manage_results", stage, 1), foreign).status_code == 404
    assert (
        client.post(url("manage_lateness", stage, 1), {"pairing": theirs.pairing.pk, "act": "white"}).status_code == 404
    )
    assert client.get(url("manage_rounds", other)).status_code == 404
    assert client.get(url("manage_round", stage, 7)).status_code == 404
    assert client.get(f"/manage/{slug}/nowhere/rounds/").status_code == 404
    assert client.get(f"/manage/{slug}/u13-boys/rounds/").status_code == 200
    assert client.get(f"/manage/{slug}/u13-boys/rounds/1/").status_code == 404
    assert client.post(url("manage_round", stage, 1), {"act": "nonsense"}).status_code == 404
    assert client.post(url("manage_lateness", stage, 1), {"pairing": "x"}).status_code == 404


# -- pairing and publishing ------------------------------------------------------------------------------------------


def test_a_round_goes_from_the_button_to_the_public(stage: Stage) -> None:
    client = signed_in(stage, "chief_arbiter")
    assert "Round 1 can be paired" in text_of(client.get(url("manage_rounds", stage)))

    paired = client.post(url("manage_pair", stage))
    assert paired.url == url("manage_round", stage, 1)
    draft = client.get(paired.url)
    assert "Publish the round" in text_of(draft)
    published = client.post(paired.url, {"act": "publish", "scheduled_at": ""}, follow=True)

    assert "Round 1 is published." in text_of(published)
    assert stage.rounds.get().state == "published"
    assert reader().get(url("round", stage, 1)).status_code == 200
    actions = set(ActionLog.objects.values_list("action", "actor__username"))
    assert {("swiss.round_paired", "chief_arbiter"), ("swiss.round_published", "chief_arbiter")} <= actions


def test_a_draft_shows_points_and_the_hour_of_the_event(stage: Stage) -> None:
    play(stage, "1-0")
    pair_next_round(stage.pk, actor=None)

    page = signed_in(stage, "chief_arbiter").get(url("manage_round", stage, 2)).content.decode()

    t = stage.section.tournament
    assert f'value="{t.starts_on.isoformat()}T14:00"' in page
    assert page.count('name="player"') == 12


def test_publishing_with_another_hour(stage: Stage) -> None:
    pair_next_round(stage.pk, actor=None)
    t = stage.section.tournament
    client = signed_in(stage, "chief_arbiter")

    for wrong in ("tomorrow", "0001-01-01T00:00", "9999-12-31T23:59"):
        bad = client.post(url("manage_round", stage, 1), {"act": "publish", "scheduled_at": wrong})
        assert bad.status_code == 422
        assert "Give a date and an hour" in text_of(bad)
    client.post(url("manage_round", stage, 1), {"act": "publish", "scheduled_at": f"{t.starts_on}T11:15"})

    assert stage.rounds.get().scheduled_at == at(t, "11:15")


def test_exchanging_two_players(stage: Stage) -> None:
    draft = pair_next_round(stage.pk, actor=None)
    one, two = draft.pairings.get(board=1), draft.pairings.get(board=2)
    client = signed_in(stage, "chief_arbiter")
    address = url("manage_round", stage, 1)

    no_reason = client.post(address, {"act": "change", "player": [one.white_id, two.white_id], "reason": ""})
    three = client.post(address, {"act": "change", "player": [one.white_id], "reason": "brothers"})
    done = client.post(address, {"act": "change", "player": [one.white_id, two.white_id], "reason": "brothers"})

    assert (no_reason.status_code, three.status_code, done.status_code) == (422, 422, 302)
    assert "Say why" in text_of(no_reason)
    assert no_reason.content.decode().count(" checked") == 2  # what was ticked stays ticked
    assert "Tick exactly two players" in text_of(three)
    assert 'value="brothers"' in three.content.decode()
    assert draft.pairings.get(board=1).white_id == two.white_id
    assert "Changed by hand." in text_of(client.get(address))


def test_a_pair_that_has_met_is_marked(stage: Stage) -> None:
    first = play(stage)
    met = first.pairings.get(board=1)
    draft = pair_next_round(stage.pk, actor=None)
    places = {}
    for pairing in draft.pairings.all():
        places[pairing.white_id], places[pairing.black_id] = pairing.black_id, pairing.white_id
    client = signed_in(stage, "chief_arbiter")

    client.post(
        url("manage_round", stage, 2),
        {"act": "change", "player": [places[met.white_id], met.black_id], "reason": "to see the mark"},
    )

    assert "They have met in round 1." in text_of(client.get(url("manage_round", stage, 2)))


def test_discarding_and_taking_back(stage: Stage) -> None:
    client = signed_in(stage, "chief_arbiter")
    pair_next_round(stage.pk, actor=None)

    gone = client.post(url("manage_round", stage, 1), {"act": "discard"}, follow=True)
    assert "The draft of round 1 is discarded." in text_of(gone)
    assert stage.rounds.count() == 0
    next_round(stage)
    page = text_of(client.get(url("manage_round", stage, 1)))
    assert "The public no longer sees this round" in page
    no_reason = client.post(url("manage_round", stage, 1), {"act": "unpublish", "reason": ""})
    assert no_reason.status_code == 422
    back = client.post(url("manage_round", stage, 1), {"act": "unpublish", "reason": "wrong list"}, follow=True)
    assert "Round 1 is a draft again" in text_of(back)
    assert reader().get(url("round", stage, 1)).status_code == 404


def test_two_arbiters_press_the_same_button(stage: Stage) -> None:
    client = signed_in(stage, "chief_arbiter")
    client.post(url("manage_pair", stage))

    again = client.post(url("manage_pair", stage), follow=True)
    assert "Round 1 is a draft already" in text_of(again)
    client.post(url("manage_round", stage, 1), {"act": "publish"})
    twice = client.post(url("manage_round", stage, 1), {"act": "publish"}, follow=True)
    assert "somebody was quicker" in text_of(twice)


def test_no_legal_pairing_is_explained(stage: Stage) -> None:
    Entry.objects.filter(section=stage.section, start_number__gt=2).update(left_after_round=0)
    one, two = numbered(stage)[1], numbered(stage)[2]
    forbid_pair(stage.pk, first_id=one.pk, second_id=two.pk, actor=None, reason="x")

    answer = signed_in(stage, "chief_arbiter").post(url("manage_pair", stage))

    page = text_of(answer)
    assert answer.status_code == 409
    assert "No pairing keeps all rules." in page
    assert one.player.name in page
    assert "lift a forbidden pair" in page


def test_a_late_player_is_paired_on_a_new_board() -> None:
    stage = stage_of(11)
    round_ = next_round(stage)
    late = builders.entry(stage.section, "Запізній", rating=900)
    admit_late(stage, late, actor=None)
    bye = round_.pairings.get(bye="U")
    client = signed_in(stage, "chief_arbiter")

    same = client.post(
        url("manage_round", stage, 1), {"act": "late", "newcomer": late.pk, "opponent": late.pk, "reason": "x"}
    )
    assert same.status_code == 422
    done = client.post(
        url("manage_round", stage, 1),
        {"act": "late", "newcomer": late.pk, "opponent": bye.white_id, "reason": "train"},
        follow=True,
    )

    assert "Board 6 is added" in text_of(done)
    assert round_.pairings.get(board=6).by_hand


def test_a_late_pair_that_is_forbidden_asks_for_a_tick() -> None:
    stage = stage_of(11)
    round_ = next_round(stage)
    late = builders.entry(stage.section, "Запізній", rating=900)
    admit_late(stage, late, actor=None)
    bye = round_.pairings.get(bye="U")
    forbid_pair(stage.pk, first_id=late.pk, second_id=bye.white_id, actor=None, reason="brothers")
    client = signed_in(stage, "chief_arbiter")
    given = {"act": "late", "newcomer": late.pk, "opponent": bye.white_id, "reason": "train"}

    warned = client.post(url("manage_round", stage, 1), given)

    assert warned.status_code == 422
    assert "The two are to be kept apart: brothers." in text_of(warned)
    assert 'name="knowingly"' in warned.content.decode()
    assert 'name="knowingly"' not in client.get(url("manage_round", stage, 1)).content.decode()

    done = client.post(url("manage_round", stage, 1), given | {"knowingly": "on"}, follow=True)

    assert "Board 6 is added" in text_of(done)


# -- the clock -------------------------------------------------------------------------------------------------------


@pytest.mark.clause("M7.1")
def test_one_button_announces_the_earlier_hour(stage: Stage) -> None:
    t = stage.section.tournament
    enter(next_round(stage))
    Round.objects.filter(stage=stage).update(finished_at=at(t, "12:00"))
    next_round(stage)
    client = signed_in(stage, "chief_arbiter")
    assert "this one may begin at 12:30" in text_of(client.get(url("manage_round", stage, 2)))

    client.post(url("manage_round", stage, 2), {"act": "early"})

    assert stage.rounds.get(number=2).scheduled_at == at(t, "12:30")
    assert ", 12:30" in text_of(reader().get(url("round", stage, 2)))


@pytest.mark.clause("M7.1")
def test_an_hour_too_early_is_refused_at_the_field(stage: Stage) -> None:
    t = stage.section.tournament
    enter(next_round(stage))
    Round.objects.filter(stage=stage).update(finished_at=at(t, "12:00"))
    next_round(stage)
    client = signed_in(stage, "chief_arbiter")

    refused = client.post(url("manage_round", stage, 2), {"act": "reschedule", "scheduled_at": f"{t.starts_on}T12:10"})
    later = client.post(url("manage_round", stage, 2), {"act": "reschedule", "scheduled_at": f"{t.starts_on}T15:00"})

    assert (refused.status_code, later.status_code) == (422, 302)
    assert "can't begin before" in text_of(refused).replace("&#x27;", "'")
    assert ", 12:30" in text_of(refused)
    assert stage.rounds.get(number=2).scheduled_at == at(t, "15:00")


@pytest.mark.clause("M7.4")
def test_the_lateness_page_runs_from_the_real_start(stage: Stage) -> None:
    round_ = next_round(stage)
    board = round_.pairings.get(board=2)
    client = signed_in(stage, "arbiter")
    address = url("manage_lateness", stage, 1)
    assert "The clocks of this round are not running yet." in text_of(client.get(address))
    start_round(round_.pk, actor=None)

    client.post(address, {"pairing": board.pk, "act": "black"})
    early = client.get(address).content.decode()
    assert "late players may come until" in early
    assert 'value="forfeit"' not in early
    told = client.post(address, {"pairing": board.pk, "act": "forfeit"}, follow=True)
    assert "a player may still come" in text_of(told)
    Round.objects.filter(pk=round_.pk).update(started_at=timezone.now() - timedelta(minutes=30, seconds=1))
    assert 'value="forfeit"' in client.get(address).content.decode()
    client.post(address, {"pairing": board.pk, "act": "forfeit"})

    assert Game.objects.get(pk=board.game_id).outcome == "+-"
    board.refresh_from_db()
    assert (board.absent_white, board.absent_black) == (False, True)


@pytest.mark.clause("M7.4")
def test_an_arrival_takes_the_mark_away_and_both_absent_is_a_double_forfeit(stage: Stage) -> None:
    round_ = start_round(next_round(stage).pk, actor=None)
    one, two = round_.pairings.get(board=1), round_.pairings.get(board=2)
    client = signed_in(stage, "arbiter")
    address = url("manage_lateness", stage, 1)
    for act in ("white", "arrived"):
        client.post(address, {"pairing": one.pk, "act": act})
    for act in ("white", "both"):
        client.post(address, {"pairing": two.pk, "act": act})
    Round.objects.filter(pk=round_.pk).update(started_at=timezone.now() - timedelta(minutes=31))

    client.post(address, {"pairing": one.pk, "act": "forfeit"})
    client.post(address, {"pairing": two.pk, "act": "forfeit"})

    assert Game.objects.get(pk=one.game_id).outcome == ""
    assert Game.objects.get(pk=two.game_id).outcome == "--"


# -- people ----------------------------------------------------------------------------------------------------------


def test_the_roll_call_marks_who_misses_the_round(stage: Stage) -> None:
    e = numbered(stage)
    client = signed_in(stage, "chief_arbiter")
    address = url("manage_presence", stage)
    assert client.get(address).content.decode().count("<fieldset>") == 12

    done = client.post(address, {f"e{e[3].pk}": "Z", f"e{e[4].pk}": "H"}, follow=True)

    assert "2 players miss round 1." in text_of(done)
    assert dict(ByeRequest.objects.values_list("entry", "kind")) == {e[3].pk: "Z", e[4].pk: "H"}
    assert client.post(address, {f"e{e[3].pk}": "Q"}).status_code == 404


def test_who_has_not_arrived_is_proposed_as_absent(stage: Stage) -> None:
    Entry.objects.filter(section=stage.section, start_number__lte=9).update(present=True)
    client = signed_in(stage, "chief_arbiter")

    assert "Propose 3 players" in text_of(client.get(url("manage_presence", stage)))
    page = client.get(url("manage_presence", stage) + "?from=desk").content.decode()

    assert page.count('value="Z" checked') == 3
    assert ByeRequest.objects.count() == 0


def test_one_half_point_too_many_asks_and_keeps_the_marks(stage: Stage) -> None:
    e = numbered(stage)
    client = signed_in(stage, "chief_arbiter")
    address = url("manage_presence", stage)
    client.post(address, {f"e{e[3].pk}": "H"})
    play(stage)

    asked = client.post(address, {f"e{e[3].pk}": "H"})
    assert asked.status_code == 422
    assert e[3].name in text_of(asked)
    assert 'value="H" checked' in asked.content.decode()
    given = client.post(address, {f"e{e[3].pk}": "H", "confirmed": "1", "reason": "exam"})

    assert given.status_code == 302
    assert ByeRequest.objects.filter(round_number=2, kind="H", reason="exam").count() == 1


def test_there_is_no_roll_call_in_a_round_robin_or_over_a_draft(stage: Stage) -> None:
    table = stage_of(5)
    page = text_of(signed_in(table, "chief_arbiter").get(url("manage_presence", table)))
    assert "A round robin has no byes" in page

    pair_next_round(stage.pk, actor=None)
    client = signed_in(stage, "chief_arbiter")
    assert "is a draft; discard it" in text_of(client.get(url("manage_presence", stage)))
    client.post(url("manage_presence", stage), {f"e{numbered(stage)[1].pk}": "Z"})
    assert ByeRequest.objects.count() == 0


def test_leaving_says_first_what_will_happen() -> None:
    stage = stage_of(10)
    for _ in range(4):
        play(stage)
    entry = numbered(stage)[7]
    client = signed_in(stage, "chief_arbiter")
    address = url("manage_withdraw", stage)
    fields = {"entry": entry.pk, "after_round": 4, "reason": "ill"}

    empty = client.post(address, {"entry": "", "after_round": 4, "reason": ""})
    asked = client.post(address, fields)
    entry.refresh_from_db()
    assert (empty.status_code, asked.status_code, entry.left_after_round) == (422, 200, None)
    assert "Games played: 4 of 9." in text_of(asked)
    assert "count for nobody" in text_of(asked)
    done = client.post(address, {**fields, "confirmed": "1"}, follow=True)

    entry.refresh_from_db()
    assert (entry.left_after_round, entry.state) == (4, "withdrawn")
    assert f"{entry.player.name} has left." in text_of(done)
    assert client.post(address, {"act": "return", "entry": entry.pk, "reason": ""}).status_code == 422
    back = client.post(address, {"act": "return", "entry": entry.pk, "reason": "well again"}, follow=True)
    assert "plays again from round 5" in text_of(back)


def test_leaving_with_a_later_result_is_refused_in_words(stage: Stage) -> None:
    play(stage)
    answer = signed_in(stage, "chief_arbiter").post(
        url("manage_withdraw", stage), {"entry": numbered(stage)[1].pk, "after_round": 0, "reason": "x"}
    )

    assert answer.status_code == 422
    assert "There is a result in round 1" in text_of(answer)


def test_forbidding_and_allowing_a_pair(stage: Stage) -> None:
    e = numbered(stage)
    client = signed_in(stage, "chief_arbiter")
    address = url("manage_forbidden", stage)
    fields = {"first": e[1].pk, "second": e[2].pk, "from_round": 1, "to_round": "", "reason": "sisters"}

    assert client.post(address, {**fields, "second": e[1].pk}).status_code == 422
    assert client.post(address, {**fields, "reason": ""}).status_code == 422
    client.post(address, fields)
    pair = ForbiddenPair.objects.get()
    assert "sisters" in text_of(client.get(address))
    twice = client.post(address, fields)
    assert "This pair is forbidden already." in text_of(twice)
    assert client.post(address, {"act": "allow", "pair": pair.pk, "reason": ""}).status_code == 422
    assert client.post(address, {"act": "allow", "pair": 0, "reason": "x"}).status_code == 404
    client.post(address, {"act": "allow", "pair": pair.pk, "reason": "they wish to play"})
    assert ForbiddenPair.objects.count() == 0


# -- what the core's pages show --------------------------------------------------------------------------------------


def test_the_staff_home_says_what_must_be_done_now(stage: Stage) -> None:
    client = signed_in(stage, "chief_arbiter")
    home = f"/manage/{stage.section.tournament.slug}/"

    def now() -> str:
        return text_of(client.get(home))

    assert "Round 1 can be paired" in now()
    draft = pair_next_round(stage.pk, actor=None)
    assert "Round 1 is a draft nobody sees yet" in now()
    client.post(url("manage_round", stage, 1), {"act": "publish"})
    Round.objects.filter(pk=draft.pk).update(scheduled_at=timezone.now() - timedelta(minutes=1))
    assert "The hour of round 1 has come" in now()
    assert "6 boards without a result" in now()
    start_round(draft.pk, actor=None)
    board = Pairing.objects.get(round=draft, board=1)
    note_absent(board.pk, white=True, black=False, actor=None)
    Round.objects.filter(pk=draft.pk).update(started_at=timezone.now() - timedelta(minutes=31))
    assert "1 board waits for somebody too late" in now()


def test_an_arbiter_is_not_told_to_pair(stage: Stage) -> None:
    client = signed_in(stage, "arbiter")

    assert "can be paired" not in text_of(client.get(f"/manage/{stage.section.tournament.slug}/"))
    assert "The chief arbiter pairs the rounds." in text_of(client.get(url("manage_rounds", stage)))


def test_the_overview_lists_the_groups_with_their_next_step() -> None:
    section = group(12)
    tournament = section.tournament
    other = tournament.sections.get(code="u13-boys")
    builders.entries(other, 5)
    from tourney.services.stages import close_entries  # noqa: PLC0415

    for one in (section, other):
        close_entries(one, actor=None)
    stage = Stage.objects.select_related("section__tournament").get(section=other)
    next_round(stage)
    client = signed_in(section, "chief_arbiter")

    page = text_of(client.get(f"/manage/{tournament.slug}/rounds/"))

    assert "Pair round 1" in page
    assert "2 boards without a result" in page


def test_an_event_with_one_group_goes_straight_to_it() -> None:
    section = group(12, preset="open-swiss")

    answer = signed_in(section, "organizer").get(f"/manage/{section.tournament.slug}/rounds/")

    assert answer.url == f"/manage/{section.tournament.slug}/{section.code}/rounds/"
    assert "Nothing to pair yet" in text_of(signed_in(section, "organizer").get(answer.url))


@pytest.mark.parametrize("name", ["manage_rounds", "manage_round", "manage_results", "manage_lateness"])
def test_staff_pages_take_the_same_number_of_queries_for_few_and_for_many(name: str) -> None:
    counts = []
    for players in (4, 40):
        stage = stage_of(players, system="swiss", rounds=5)
        play(stage)
        round_ = next_round(stage)
        enter_result(stage_id=stage.pk, game_id=games_of(round_)[0].pk, outcome="1-0")
        counts.append(
            queries(signed_in(stage, "chief_arbiter"), url(name, stage, *([2] if name in OF_A_ROUND else [])))
        )

    assert counts[0] == counts[1]


def test_tasks_and_steps_take_the_same_number_of_queries_for_one_group_and_for_three() -> None:
    from django.db import connection  # noqa: PLC0415
    from django.test import RequestFactory  # noqa: PLC0415
    from django.test.utils import CaptureQueriesContext  # noqa: PLC0415

    from swiss.panels import rounds_step, tasks  # noqa: PLC0415
    from tourney.services.stages import close_entries  # noqa: PLC0415

    counts = []
    for codes in (["u11-boys"], ["u11-boys", "u13-boys", "u15-boys"]):
        tournament = builders.event("youth-championship")
        for code in codes:
            section = tournament.sections.get(code=code)
            builders.entries(section, 4)
            close_entries(section, actor=None)
            next_round(Stage.objects.select_related("section__tournament").get(section=section))
        request: Any = RequestFactory().get("/")
        request.user = builders.user("organizer", tournament, "organizer")
        with CaptureQueriesContext(connection) as captured:
            tasks(request, tournament)
            rounds_step(tournament)
        counts.append(len(captured))

    assert counts[0] == counts[1]


@pytest.mark.parametrize("language", ["uk", "ru", "en"])
def test_staff_pages_answer_in_every_language(language: str) -> None:
    stage = stage_of(12)
    play(stage)
    round_ = next_round(stage)
    withdraw_player(stage.pk, entry_id=games_of(round_)[0].white_id, after_round=1, actor=None, reason="ill")
    client = signed_in(stage, "chief_arbiter", language)

    for name in SEEN_BY:
        answer = client.get(url(name, stage, *([2] if name in OF_A_ROUND else [])))
        assert answer.status_code == 200
        assert f'lang="{language}"' in answer.content.decode()
