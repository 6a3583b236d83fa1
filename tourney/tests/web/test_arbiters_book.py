"""Pages of the arbiter's book by role: sanctions, appeals, the committee, and what other pages show of them."""

from __future__ import annotations

import datetime as dt
import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from brackets.tests import builders as brackets
from registration.conduct import services
from registration.models import LedgerLine
from swiss.tests import builders as rounds
from tourney.models import Appeal, CommitteeMember, Entry, Game, Sanction, Stage
from tourney.testing import builders
from tourney.testing.pages import forms_of

pytestmark = pytest.mark.django_db

PAGES = ("manage_sanctions", "manage_appeals", "manage_committee")


@pytest.fixture
def stage() -> Stage:
    found = rounds.stage_of(13)
    rounds.play(found, "1-0 1/2")
    return found


@pytest.fixture
def game(stage: Stage) -> Game:
    found = Game.objects.select_related("white__player", "black__player").filter(stage=stage).order_by("board").first()
    assert found is not None
    return found


def url(name: str, stage: Stage, *more: Any) -> str:
    return reverse(name, args=[stage.section.tournament.slug, *more])


def signed_in(stage: Stage, role: str, language: str = "en") -> Client:
    client = Client(headers={"accept-language": language})
    client.force_login(builders.user(role or "stranger", stage.section.tournament, role))
    return client


def text_of(answer: Any) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode()))


def appeal_data(entry: Entry, **changed: str) -> dict[str, str]:
    data = {
        "entry": str(entry.pk),
        "place": "1",
        "subject": "result",
        "text": "прапорець не впав",
        "by": "participant",
        "filed_by": "Самохін",
        "deposit_paid": "on",
    }
    return data | changed


def members(stage: Stage) -> list[CommitteeMember]:
    return [
        services.add_member(stage.section.tournament, name=f"Суддя {letter}", reserve=letter in "гд", actor=None)
        for letter in "абвгд"
    ]


@pytest.mark.parametrize(
    ("role", "reads", "writes"),
    [("organizer", 200, 302), ("chief_arbiter", 200, 302), ("arbiter", 200, 403), ("desk", 200, 403), ("", 404, 404)],
)
def test_the_staff_reads_and_the_chief_arbiter_writes(
    stage: Stage, game: Game, role: str, reads: int, writes: int
) -> None:
    client = signed_in(stage, role)
    for page in PAGES:
        assert client.get(url(page, stage)).status_code == reads
    sanction = {"entry": str(game.white_id), "kind": "warning", "reason": "шум"}
    assert client.post(url("manage_sanctions", stage), sanction).status_code == writes
    assert client.post(url("manage_appeals", stage), appeal_data(game.white)).status_code == writes
    assert client.post(url("manage_committee", stage), {"name": "Суддя"}).status_code == writes
    done = 1 if writes == 302 else 0
    assert (Sanction.objects.count(), Appeal.objects.count(), CommitteeMember.objects.count()) == (done, done, done)


def test_nobody_is_sent_to_sign_in(client: Client, stage: Stage) -> None:
    for page in PAGES:
        assert "sign-in" in client.get(url(page, stage))["Location"]


@pytest.mark.clause("M7.6", "K10.3")
def test_a_sanction_is_written_and_a_warning_taken_back(stage: Stage, game: Game) -> None:
    client = signed_in(stage, "chief_arbiter")
    address = url("manage_sanctions", stage)
    data = {"entry": str(game.white_id), "kind": "game_loss", "game": "1", "reason": "телефон"}
    page = client.post(address, data, follow=True)
    game.refresh_from_db()
    assert game.outcome == "0-1"
    for words in ("It is in the book.", "loss of the game", "телефон", "round 1", "clause 7.6"):
        assert words in text_of(page)
    warning = services.impose_sanction(game.black, kind="warning", reason="шум", actor=None)
    assert "Take back" in text_of(client.get(address))
    back = client.post(address, {"revoke": "1", "sanction": str(warning.pk), "reason": "помилка"}, follow=True)
    assert "taken back: помилка" in text_of(back)
    for odd in ({"sanction": "x", "reason": "a"}, {"sanction": str(warning.pk), "reason": ""}):
        assert "Say why" in text_of(client.post(address, {"revoke": "1", **odd}, follow=True))
    assert client.post(address, {"revoke": "1", "sanction": "99999", "reason": "a"}).status_code == 404


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"reason": ""}, "This field is required."),
        ({"kind": "match_loss"}, "Select a valid choice."),
        ({"kind": "game_loss", "game": ""}, "Say in which round."),
        ({"kind": "game_loss", "game": "9"}, "This player has no game in “9”."),
        ({"kind": "game_loss", "game": "L2.3/x"}, "This player has no game in “L2.3/x”."),
        ({"game": "²"}, "This player has no game in “²”."),
    ],
)
def test_a_sanction_that_can_not_be_is_refused_at_the_field(
    stage: Stage, game: Game, changed: dict[str, str], words: str
) -> None:
    data = {"entry": str(game.white_id), "kind": "warning", "game": "1", "reason": "шум"} | changed
    answer = signed_in(stage, "chief_arbiter").post(url("manage_sanctions", stage), data)
    assert (answer.status_code, words in text_of(answer)) == (422, True)
    assert not Sanction.objects.exists()


def test_players_of_another_event_can_not_be_punished(stage: Stage) -> None:
    other = rounds.stage_of(12)
    entry = rounds.numbered(other)[1]
    client = signed_in(stage, "chief_arbiter")
    answer = client.post(url("manage_sanctions", stage), {"entry": str(entry.pk), "kind": "warning", "reason": "шум"})
    assert answer.status_code == 422
    sanction = services.impose_sanction(entry, kind="warning", reason="шум", actor=None)
    data = {"revoke": "1", "sanction": str(sanction.pk), "reason": "a"}
    assert client.post(url("manage_sanctions", stage), data).status_code == 404


@pytest.mark.clause("M7.6")
def test_the_way_from_an_early_draw_fills_the_form_in(stage: Stage) -> None:
    drawn = Game.objects.filter(stage=stage, outcome="1/2").first()
    assert drawn is not None
    Game.objects.filter(pk=drawn.pk).update(pgn="1. e4 e5", ply_count=2)
    address = f"{url('manage_sanctions', stage)}?entry={drawn.white_id}&game={drawn.pk}"
    page = signed_in(stage, "chief_arbiter").get(address).content.decode()
    assert f'<option value="{drawn.white_id}" selected>' in page
    assert "Draw at move 1" in page
    assert re.search(r'name="game" value="1"', page)
    for odd in ("?entry=x&game=x", "?game=99999999999999999999", "?entry=%00"):
        assert signed_in(stage, "chief_arbiter").get(url("manage_sanctions", stage) + odd).status_code == 200


@pytest.mark.clause("M7.7")
def test_an_appeal_goes_its_way_from_paper_to_the_decision(stage: Stage, game: Game) -> None:
    client = signed_in(stage, "organizer")
    members(stage)
    page = client.get(url("manage_appeals", stage))
    assert "An appeal is in time up to 60 minutes after the end of the round. Deposit: 1,000 ₽." in text_of(page)
    client.post(url("manage_appeals", stage), appeal_data(game.white))
    appeal = Appeal.objects.get()
    home = text_of(client.get(url("manage_event", stage)))
    assert "1 appeal waits for the committee" in home
    one = text_of(client.get(url("manage_appeal", stage, appeal.pk)))
    for words in ("прапорець не впав", "Суддя а", "Deposit", "taken", "receipt № 1", "in time until"):
        assert words in one
    assert "Суддя г" not in one
    address = url("manage_appeal", stage, appeal.pk)
    empty = client.post(address, {"decision": "refused", "text": ""})
    assert (empty.status_code, Appeal.objects.get().state) == (422, "filed")
    decided = client.post(address, {"decision": "refused", "text": "Результат лишається."}, follow=True)
    assert "Результат лишається." in text_of(decided)
    assert "kept" in text_of(decided)
    again = client.post(address, {"decision": "upheld", "text": "Ні."}, follow=True)
    assert "This appeal has been decided." in text_of(again)
    assert Appeal.objects.get().state == "refused"
    assert "appeal waits" not in text_of(client.get(url("manage_event", stage)))


@pytest.mark.clause("M7.7")
@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"subject": "computer_pairing"}, "Appeals against the computer pairing are not accepted."),
        ({"deposit_paid": ""}, "The deposit for an appeal has not been paid."),
        ({"place": "7"}, "has no round or match “7”."),
        ({"filed_time": "25:00"}, "Enter a valid time."),
        ({"text": ""}, "This field is required."),
    ],
)
def test_an_appeal_against_the_rules_is_refused_at_the_field(
    stage: Stage, game: Game, changed: dict[str, str], words: str
) -> None:
    data = {key: value for key, value in appeal_data(game.white, **changed).items() if value}
    answer = signed_in(stage, "chief_arbiter").post(url("manage_appeals", stage), data)
    assert (answer.status_code, words in text_of(answer), Appeal.objects.exists()) == (422, True, False)
    assert "Самохін" in answer.content.decode()


@pytest.mark.clause("M7.7")
def test_an_appeal_after_the_hour_is_too_late(stage: Stage, game: Game) -> None:
    Game.objects.filter(stage=stage).update(finished_at=timezone.now() - dt.timedelta(minutes=61))
    answer = signed_in(stage, "chief_arbiter").post(url("manage_appeals", stage), appeal_data(game.white))
    assert "The time for an appeal about this round is over." in text_of(answer)


def test_a_regulation_without_a_committee_has_no_appeals() -> None:
    tournament = builders.event("second-chance-32")
    client = Client(headers={"accept-language": "en"})
    client.force_login(builders.user("chief", tournament, "chief_arbiter"))
    page = client.get(reverse("manage_appeals", args=[tournament.slug]))
    assert "No appeals committee" in text_of(page)
    assert client.post(reverse("manage_appeals", args=[tournament.slug]), {"text": "x"}).status_code == 422


@pytest.mark.clause("M7.7")
def test_the_committee_is_chosen_and_says_whose_cases_it_may_not_judge(stage: Stage, game: Game) -> None:
    client = signed_in(stage, "chief_arbiter")
    address = url("manage_committee", stage)
    assert "members are missing" in text_of(client.get(address))
    members(stage)
    full = client.post(address, {"name": "Зайвий"})
    assert (full.status_code, "no more than 3" in text_of(full)) == (422, True)
    first = CommitteeMember.objects.order_by("pk")[0]
    data = {"act": "own", "number": str(first.pk), f"member{first.pk}-member": str(first.pk)}
    own = client.post(address, {**data, f"member{first.pk}-entries": str(game.white_id)}, follow=True)
    assert f"Judges no case of: {game.white.player.name}" in text_of(own)
    last = CommitteeMember.objects.order_by("-pk")[0]
    client.post(address, {"act": "remove", "number": str(last.pk)})
    assert CommitteeMember.objects.count() == 4
    for odd in ("x", "9" * 30, "²", ""):
        assert client.post(address, {"act": "remove", "number": odd}).status_code == 404


@pytest.mark.clause("K10.3", "M7.7")
def test_report_entry_page_cash_book_and_receipt_show_the_book(stage: Stage, game: Game) -> None:
    client = signed_in(stage, "organizer")
    services.impose_sanction(game.white, kind="warning", reason="шум у залі", actor=None, game=game)
    members(stage)
    client.post(url("manage_appeals", stage), appeal_data(game.white))
    report = text_of(client.get(url("manage_report", stage)))
    for words in ("шум у залі", "result of a game", "Deposits: 1,000 ₽ taken, 0 ₽ given back."):
        assert words in report
    entry = text_of(client.get(url("manage_entry", stage, game.white_id)))
    for words in ("шум у залі", "Appeal", "Note an incident, write a sanction", "appeal deposit"):
        assert words in entry
    assert "Note an incident, write a sanction" not in text_of(
        signed_in(stage, "desk").get(url("manage_entry", stage, game.white_id))
    )
    cash = client.get(url("manage_cash", stage))
    assert "Besides, 1,000 ₽ of appeal deposits is in the cash box." in text_of(cash)
    assert "take_back=" not in cash.content.decode()
    assert "Deposit for an appeal" in text_of(client.get(url("manage_receipt", stage, 1)))
    services.decide_appeal(Appeal.objects.get(), decision="upheld", text="так", actor=None)
    cash = text_of(client.get(url("manage_cash", stage)))
    assert "appeal deposit given back" in cash
    assert "Besides, 0 ₽ of appeal deposits" in cash
    assert LedgerLine.objects.count() == 2


def test_the_pages_take_the_same_number_of_queries_for_more_players_and_rows(stage: Stage, game: Game) -> None:
    client = signed_in(stage, "chief_arbiter")
    client.get(url("manage_sanctions", stage))

    def queries() -> list[int]:
        found = []
        for page in ("manage_sanctions", "manage_appeals"):
            with CaptureQueriesContext(connection) as captured:
                client.get(url(page, stage))
            found.append(len(captured))
        return found

    services.impose_sanction(game.white, kind="warning", reason="шум", actor=None)
    client.post(url("manage_appeals", stage), appeal_data(game.white))
    few = queries()
    for entry in rounds.numbered(stage).values():
        services.impose_sanction(entry, kind="warning", reason=f"шум {entry.pk}", actor=None)
    client.post(url("manage_appeals", stage), appeal_data(game.black))
    assert queries() == few


@pytest.mark.parametrize("language", ["uk", "ru"])
def test_the_book_speaks_other_languages(stage: Stage, game: Game, language: str) -> None:
    client = signed_in(stage, "chief_arbiter", language)
    client.post(url("manage_appeals", stage), appeal_data(game.white))
    for address in (*(url(page, stage) for page in PAGES), url("manage_appeal", stage, Appeal.objects.get().pk)):
        page = client.get(address)
        assert page.status_code == 200
        assert f'lang="{language}"' in page.content.decode()[:200]
        assert re.search("[А-Яа-я]", text_of(page))


@pytest.mark.clause("K10.3")
def test_a_removal_from_a_knockout_shows_what_it_does_before_it_is_written_and_is_taken_back() -> None:
    stage = brackets.drawn(8, rules={"size": 8, "minimum_matches": 0})
    brackets.play(stage, "U1.1", "1")
    client = signed_in(stage, "chief_arbiter")
    address = url("manage_sanctions", stage)
    entry = brackets.numbered(stage)[1]
    data = {"entry": str(entry.pk), "kind": "removal", "reason": "телефон"}
    page = client.post(address, data)
    assert (page.status_code, Sanction.objects.count()) == (200, 0)
    for words in ("U1.1 is lost in the middle of it", "Matches that are finished stand.", "Nothing is written yet."):
        assert words in text_of(page)
    form = next(form for form in forms_of(page.content.decode()) if form.has({"seen": None}))
    # Meanwhile something has changed: what is shown is no longer what would happen, so it is shown again.
    brackets.play(stage, "U1.2", "1 1")
    again = client.post(address, form.data({}))
    assert (again.status_code, Sanction.objects.count()) == (200, 0)
    form = next(form for form in forms_of(again.content.decode()) if form.has({"seen": None}))
    done = client.post(address, form.data({}), follow=True)
    assert "It is in the book." in text_of(done)
    assert "Take back" in text_of(done)
    removed = Sanction.objects.get()
    back = client.post(address, {"revoke": "1", "sanction": str(removed.pk), "reason": "помилка"}, follow=True)
    assert "taken back: помилка" in text_of(back)
    entry.refresh_from_db()
    assert entry.state == "confirmed"


def test_incidents_and_illegal_moves_are_noted_counted_reported_and_taken_back(stage: Stage, game: Game) -> None:
    """No regulation has to name them: they are what an arbiter writes down, not what he decides."""
    client, address = signed_in(stage, "chief_arbiter"), url("manage_sanctions", stage)
    illegal = {"entry": str(game.white_id), "kind": "illegal_move", "game": "1"}

    noise = client.post(address, {"entry": str(game.black_id), "kind": "incident", "reason": "дзвінок"}, follow=True)
    first = client.post(address, {**illegal, "reason": "король під шахом"}, follow=True)
    second = client.post(address, {**illegal, "reason": "двома руками"}, follow=True)
    report = text_of(client.get(url("manage_report", stage)))
    outcome = Game.objects.get(pk=game.pk).outcome

    assert "incident" in text_of(noise)
    assert "1 illegal move in this game" in text_of(first)
    assert "7.5.5" not in text_of(first)
    assert "2 illegal moves in this game. The second one loses the game" in text_of(second)
    assert outcome == game.outcome  # a note changes nothing in play
    for words in ("дзвінок", "illegal move – король під шахом", "illegal move – двома руками"):
        assert words in report

    noted = Sanction.objects.get(reason="двома руками")
    client.post(address, {"revoke": "1", "sanction": str(noted.pk), "reason": "не те"})
    third = client.post(address, {**illegal, "reason": "ще один"}, follow=True)
    assert "2 illegal moves in this game" in text_of(third)
    assert signed_in(stage, "arbiter").post(address, {**illegal, "reason": "x"}).status_code == 403
