"""Notices of one's own pairing: by letter and by Telegram, each pairing told once, and never in the way of a round."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from django.core import mail
from django.db import connection
from django.test import Client
from django.urls import reverse

from brackets.services import call_match, return_call
from brackets.tests.builders import drawn
from brackets.tests.builders import numbered as seeds_of
from registration.links import hash_of, path_of, token_of
from registration.models import Application
from registration.privacy.erasing import erase
from registration.services import withdraw_entry
from registration.telling import services
from registration.telling.models import PairingNotice, PairingSubscription, TelegramOffset
from registration.telling.services import deliver, start_code, stop, subscribe_by_letter, subscribe_chat, tell
from registration.tests.telegram import TOKEN, StandIn, standing_in
from swiss.models import Round
from swiss.services import pair_late_entry, publish_round, unpublish_round
from swiss.tests.builders import next_round, numbered, stage_of
from tourney import queue
from tourney.models import ActionLog, Entry, Job, Stage, Tournament
from tourney.pairing_words import MATCH, ROUND, key_of
from tourney.services.rehearsal import copy_event
from tourney.testing import builders

pytestmark = pytest.mark.django_db
State = PairingNotice.State


@pytest.fixture
def stage() -> Stage:
    return stage_of(12, system="swiss", rounds=5)


@pytest.fixture
def bot(settings: Any) -> Iterator[StandIn]:
    with standing_in() as found:
        settings.TELEGRAM_BOT_TOKEN, settings.TELEGRAM_BOT_NAME = TOKEN, "tourney_bot"
        settings.TELEGRAM_API_URL = found.address
        yield found


def application(entry: Entry, email: str = "player@example.org") -> Application:
    made = Application.objects.create(entry=entry, email=email, language="en", link_hash=f"hash-{entry.pk}")
    made.entry = Entry.objects.select_related("tournament", "section", "player").get(pk=entry.pk)
    return made


def told(stage: Stage, key: str) -> list[PairingNotice]:
    """Do what the worker does after a publication; return the notices that were written by it."""
    before = set(PairingNotice.objects.values_list("pk", flat=True))
    tell(stage.pk, key)
    for pk in PairingNotice.objects.filter(state=State.WAITING).values_list("pk", flat=True):
        deliver(pk)
    return list(PairingNotice.objects.exclude(pk__in=before))


def round_key(stage: Stage, number: int = 1) -> str:
    return key_of(ROUND, stage, number)


# -- letters ---------------------------------------------------------------------------------------------------------


def test_a_letter_tells_board_colour_and_opponent(stage: Stage) -> None:
    entry = numbered(stage)[1]
    subscribe_by_letter(application(entry))
    next_round(stage)

    (notice,) = told(stage, round_key(stage))

    game = stage.games.get(white=entry) if stage.games.filter(white=entry).exists() else stage.games.get(black=entry)
    color, opponent = ("White", game.black) if game.white_id == entry.pk else ("Black", game.white)
    (letter,) = mail.outbox
    assert notice.state == State.SENT
    assert letter.to == ["player@example.org"]
    assert letter.subject == f"Round 1, board {game.board}: {stage.section.tournament.title['en']}"
    assert f"{color}, against {opponent.name} ({opponent.rating})" in letter.body
    assert path_of(Application.objects.get()) in letter.body


def test_publishing_puts_one_job_in_the_queue_and_only_if_somebody_asked(stage: Stage) -> None:
    next_round(stage)
    assert not Job.objects.exists()
    for number in (1, 2, 3):
        subscribe_by_letter(application(numbered(stage)[number], f"{number}@example.org"))
    unpublish_round(Round.objects.get().pk, actor=None, reason="test")
    publish_round(Round.objects.get().pk, actor=None)

    (job,) = Job.objects.all()
    assert (job.name, job.args["args"]) == (services.TELL_TASK, [stage.pk, round_key(stage)])


@pytest.mark.django_db(transaction=True)
def test_the_queue_takes_a_publication_all_the_way_to_the_letter() -> None:
    stage = stage_of(12, system="swiss", rounds=5)
    subscribe_by_letter(application(numbered(stage)[1]))
    next_round(stage)  # the jobs run when the transaction is committed

    assert len(mail.outbox) == 1
    assert set(Job.objects.values_list("state", flat=True)) == {Job.State.DONE}


def test_a_round_taken_back_and_published_as_it_was_tells_nobody_twice(stage: Stage) -> None:
    subscribe_by_letter(application(numbered(stage)[1]))
    round_ = next_round(stage)
    told(stage, round_key(stage))
    unpublish_round(round_.pk, actor=None, reason="test")
    assert told(stage, round_key(stage)) == []  # it is a draft now
    publish_round(round_.pk, actor=None)

    assert told(stage, round_key(stage)) == []
    assert len(mail.outbox) == 1


def test_another_pairing_of_the_same_round_is_told_again(stage: Stage) -> None:
    entry = numbered(stage)[1]
    subscribe_by_letter(application(entry))
    round_ = next_round(stage)
    told(stage, round_key(stage))
    unpublish_round(round_.pk, actor=None, reason="test")
    mine = round_.pairings.get(white=entry) if round_.pairings.filter(white=entry) else round_.pairings.get(black=entry)
    mine.white_id, mine.black_id = mine.black_id, mine.white_id
    mine.save()
    publish_round(round_.pk, actor=None)

    (second,) = told(stage, round_key(stage))
    assert second.state == State.SENT
    assert len(mail.outbox) == 2

    unpublish_round(round_.pk, actor=None, reason="test")
    mine.white_id, mine.black_id = mine.black_id, mine.white_id
    mine.save()
    publish_round(round_.pk, actor=None)
    told(stage, round_key(stage))
    told(stage, round_key(stage))
    assert len({letter.extra_headers["Message-ID"] for letter in mail.outbox}) == 3  # back to the first: told too, once
    assert [letter.body for letter in mail.outbox][0::2] == [mail.outbox[0].body] * 2


def test_a_late_board_is_told_to_its_players_only(stage: Stage) -> None:
    first, bye = numbered(stage)[1], builders.entry(stage.section, "Пізній")
    late = builders.entry(stage.section, "Спізнілий")
    subscribe_by_letter(application(first, "first@example.org"))
    round_ = next_round(stage)
    told(stage, round_key(stage))
    for number, entry in enumerate((bye, late), start=101):
        Entry.objects.filter(pk=entry.pk).update(start_number=number)
        subscribe_by_letter(application(entry, f"{number}@example.org"))
    pair_late_entry(round_.pk, entry_ids=(late.pk, bye.pk), actor=None, reason="late")
    told(stage, round_key(stage))

    assert sorted(letter.to[0] for letter in mail.outbox) == ["101@example.org", "102@example.org", "first@example.org"]


def test_a_notice_still_waiting_when_the_round_is_taken_back_is_dropped_and_taken_up_again(stage: Stage) -> None:
    subscribe_by_letter(application(numbered(stage)[1]))
    round_ = next_round(stage)
    tell(stage.pk, round_key(stage))
    notice = PairingNotice.objects.get()
    unpublish_round(round_.pk, actor=None, reason="test")
    deliver(notice.pk)
    notice.refresh_from_db()
    assert (notice.state, mail.outbox) == (State.DROPPED, [])

    publish_round(round_.pk, actor=None)
    told(stage, round_key(stage))
    assert len(mail.outbox) == 1


def test_a_mail_server_that_is_away_is_tried_again_and_one_letter_comes(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    subscribe_by_letter(application(numbered(stage)[1]))
    next_round(stage)
    tell(stage.pk, round_key(stage))
    notice = PairingNotice.objects.get()
    job = Job.objects.filter(name=services.SEND_TASK).get()
    with monkeypatch.context() as away:
        away.setattr("registration.telling.services.EmailMessage.send", _refused)
        queue.run(job.pk)
    notice.refresh_from_db()
    job.refresh_from_db()
    assert (notice.state, job.state) == (State.FAILED, Job.State.QUEUED)

    queue.run(job.pk)
    queue.run(job.pk)  # a message that came twice
    deliver(notice.pk)
    notice.refresh_from_db()
    assert notice.state == State.SENT
    assert len(mail.outbox) == 1


def _refused(*_: Any, **__: Any) -> None:
    raise ConnectionRefusedError("no mail server")


def test_who_stopped_left_or_was_erased_hears_nothing(stage: Stage) -> None:
    people = numbered(stage)
    for number in (1, 2, 3):
        subscribe_by_letter(application(people[number], f"{number}@example.org"))
    stop(PairingSubscription.objects.filter(entry=people[1]))
    withdraw_entry(Entry.objects.get(pk=people[2].pk), actor=None)
    Tournament.objects.update(state=Tournament.State.FINISHED)
    erase(Entry.objects.get(pk=people[3].pk), actor=None)
    assert not PairingSubscription.objects.filter(entry=people[3]).exists()
    Tournament.objects.update(state=Tournament.State.RUNNING)
    next_round(Stage.objects.select_related("section__tournament").get(pk=stage.pk))

    told(stage, round_key(stage))
    assert mail.outbox == []


def test_an_event_that_was_hidden_since_is_told_to_nobody(stage: Stage, bot: StandIn) -> None:
    subscribe_chat(numbered(stage)[1], 77)
    next_round(stage)
    Tournament.objects.update(public=False)

    (notice,) = told(stage, round_key(stage))
    assert (notice.state, bot.sent) == (State.DROPPED, [])


def test_a_rehearsal_writes_to_nobody(stage: Stage) -> None:
    subscribe_by_letter(application(numbered(stage)[1]))
    copy = copy_event(stage.section.tournament, actor=None)
    rehearsed = Application(entry=Entry.objects.filter(tournament=copy).first(), email="x@example.org")
    rehearsed.entry.tournament = copy

    assert subscribe_by_letter(rehearsed) is None
    assert not PairingSubscription.objects.filter(entry__tournament=copy).exists()


def test_many_subscribers_cost_as_many_reading_queries_as_one(stage: Stage, django_assert_max_num_queries: Any) -> None:
    for number, entry in numbered(stage).items():
        subscribe_by_letter(application(entry, f"{number}@example.org"))
    next_round(stage)
    with django_assert_max_num_queries(8 + 12 * 7):  # a notice, its job and their savepoints for each
        assert tell(stage.pk, round_key(stage)) == 12


# -- the entrant's page ----------------------------------------------------------------------------------------------


def test_the_entrants_page_begins_and_ends_the_letters(stage: Stage, client: Client) -> None:
    made = application(numbered(stage)[1])
    token = token_of(made.entry_id)
    Application.objects.filter(pk=made.pk).update(link_hash=hash_of(token))
    address = reverse("entrant_pairings", args=[token])

    answer = client.post(address, {"act": "start"}, follow=True, headers={"accept-language": "en"})
    assert "The pairings are sent to player@example.org." in answer.content.decode()
    assert "No more letters about pairings" in answer.content.decode()
    client.post(address, {"act": "start"})
    assert PairingSubscription.objects.filter(stopped_at=None).count() == 1
    client.post(address, {"act": "stop"})
    assert not PairingSubscription.objects.filter(stopped_at=None).exists()
    assert client.post(reverse("entrant_pairings", args=["wrong"]), {"act": "start"}).status_code == 404


# -- Telegram --------------------------------------------------------------------------------------------------------


def test_a_start_code_subscribes_the_chat_and_the_round_is_told_there(stage: Stage, bot: StandIn) -> None:
    entry = numbered(stage)[1]
    bot.write(77, f"/start {start_code(entry)}", language="ru")
    assert services.read_messages() == 1
    assert services.read_messages() == 0  # read once
    assert TelegramOffset.objects.get().update_id == 100
    ((chat, welcome),) = bot.sent
    assert chat == 77
    assert entry.name in welcome

    next_round(stage)
    told(stage, round_key(stage))
    chat, text = bot.sent[-1]
    assert (chat, len(bot.sent)) == (77, 2)
    assert text.startswith(f"{entry.name}: Тур 1, доска ")
    assert "соперник" in text


def test_stop_ends_it_and_any_other_word_is_answered(stage: Stage, bot: StandIn) -> None:
    subscribe_chat(numbered(stage)[1], 77)
    subscribe_chat(numbered(stage)[2], 77)
    code = start_code(numbered(stage)[1])
    for text in ("/stop", "/start", f"/start {code}x", f"/start {code}ї", "hello", ""):
        bot.write(77, text, language="en")
    services.read_messages()

    assert not PairingSubscription.objects.filter(stopped_at=None).exists()
    assert [text for _chat, text in bot.sent][:2] == [
        "You will be told nothing more.",
        "Open the page of a player and follow the link to Telegram there. To stop, send /stop.",
    ]
    assert len(bot.sent) == 6


def test_the_same_start_code_twice_is_one_subscription(stage: Stage, bot: StandIn) -> None:
    code = start_code(numbered(stage)[1])
    for chat in (77, 77, 78):
        bot.write(chat, f"/start {code}")
    services.read_messages()
    next_round(stage)
    told(stage, round_key(stage))

    assert sorted(chat for chat, text in bot.sent if "Тур 1" in text) == [77, 78]


def test_a_person_who_blocked_the_bot_is_told_no_more(stage: Stage, bot: StandIn) -> None:
    subscription = subscribe_chat(numbered(stage)[1], 77)
    next_round(stage)
    bot.answers.append((403, {"ok": False, "description": "Forbidden: bot was blocked by the user"}))
    (notice,) = told(stage, round_key(stage))

    subscription.refresh_from_db()
    assert notice.state == State.DROPPED
    assert subscription.stopped_at is not None
    assert bot.sent == []


@pytest.mark.parametrize(
    "answer",
    [
        (429, {"ok": False, "description": "Too Many Requests: retry after 5"}),
        (502, b"<html>Bad Gateway"),
        (200, b"no json"),
        (200, {"ok": False}),
        (401, {"ok": False, "description": "Unauthorized"}),
    ],
)
def test_a_telegram_that_is_away_is_tried_again_without_the_token_in_any_error(
    stage: Stage, bot: StandIn, answer: tuple[int, Any]
) -> None:
    subscribe_chat(numbered(stage)[1], 77)
    next_round(stage)
    tell(stage.pk, round_key(stage))
    job = Job.objects.filter(name=services.SEND_TASK).get()
    bot.answers.append(answer)
    queue.run(job.pk)
    job.refresh_from_db()
    assert job.state == Job.State.QUEUED
    assert TOKEN not in job.error + PairingNotice.objects.get().error

    queue.run(job.pk)
    assert [chat for chat, _text in bot.sent] == [77]


def test_a_bot_that_cannot_be_reached_hinders_nobody(stage: Stage, settings: Any) -> None:
    settings.TELEGRAM_BOT_TOKEN, settings.TELEGRAM_BOT_NAME = TOKEN, "tourney_bot"
    settings.TELEGRAM_API_URL = "http://127.0.0.1:9"  # the discard port: nobody answers
    subscribe_chat(numbered(stage)[1], 77)

    assert services.read_messages() == 0
    assert next_round(stage).state == Round.State.PUBLISHED


def test_the_link_stands_on_the_players_page_while_there_is_something_to_tell(
    stage: Stage, client: Client, settings: Any
) -> None:
    entry = numbered(stage)[1]
    page = reverse("player", args=[entry.tournament.slug, stage.section.code, entry.pk])
    assert "t.me" not in client.get(page).content.decode()
    settings.TELEGRAM_BOT_TOKEN, settings.TELEGRAM_BOT_NAME = TOKEN, "tourney_bot"
    link = f"https://t.me/tourney_bot?start={start_code(entry)}"
    assert link in client.get(page).content.decode()
    Tournament.objects.update(state=Tournament.State.FINISHED)
    assert "t.me" not in client.get(page).content.decode()


# -- matches ---------------------------------------------------------------------------------------------------------


def test_a_call_to_the_board_is_told_and_one_taken_back_is_not(bot: StandIn) -> None:
    stage = drawn(8, rules={"size": 8, "minimum_matches": 0})
    first = seeds_of(stage)[1]
    subscribe_chat(first, 77, language="en")
    call_match(stage.pk, "U1.1", board=3)
    key = key_of(MATCH, stage, "U1.1")
    told(stage, key)
    ((_chat, text),) = bot.sent
    assert text.startswith(f"{first.name}: Match U1.1, board 3")
    assert "Please come to the board." in text

    return_call(stage.pk, "U1.1", reason="test")
    assert told(stage, key) == []
    call_match(stage.pk, "U1.1", board=3)
    told(stage, key)
    assert len(bot.sent) == 1


def test_the_desk_sees_what_could_not_be_sent_and_sends_it_again(
    stage: Stage, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    subscribe_by_letter(application(numbered(stage)[1]))
    next_round(stage)
    tell(stage.pk, round_key(stage))
    with monkeypatch.context() as away:
        away.setattr("registration.telling.services.EmailMessage.send", _refused)
        with pytest.raises(OSError, match="no mail server"):
            deliver(PairingNotice.objects.get().pk)
    client.force_login(builders.user("desk", stage.section.tournament, "desk"))
    address = reverse("manage_letters", args=[stage.section.tournament.slug])
    html = client.get(address, headers={"accept-language": "en"}).content.decode()
    assert "sent: 0, waiting: 0, could not be sent: 1" in html

    client.post(address, {"letter": "pairings"})
    assert ActionLog.objects.get(action="entry.pairings_again").data == {"n": 1}
    assert PairingNotice.objects.get().state == State.WAITING
    deliver(PairingNotice.objects.get().pk)
    assert len(mail.outbox) == 1


def test_of_two_jobs_for_one_notice_one_sends_it(stage: Stage) -> None:
    """It was asked for again while the first job still tried: that one holds the notice."""
    subscribe_by_letter(application(numbered(stage)[1]))
    next_round(stage)
    tell(stage.pk, round_key(stage))
    notice = PairingNotice.objects.get()

    with psycopg.connect(**connection.get_connection_params() | {"cursor_factory": psycopg.Cursor}) as other:
        other.execute("SELECT pg_advisory_lock(%s, %s)", [services._SENDING, notice.pk])
        with pytest.raises(queue.Busy):  # this job looks again when that one has ended
            deliver(notice.pk)
        held = len(mail.outbox)
        other.execute("SELECT pg_advisory_unlock(%s, %s)", [services._SENDING, notice.pk])
    deliver(notice.pk)
    deliver(notice.pk)

    assert (held, len(mail.outbox)) == (0, 1)


def test_a_message_that_cannot_be_dealt_with_stands_in_the_way_of_no_other(
    stage: Stage, bot: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    subscribed = services.subscribe_chat

    def with_a_bug(entry: Entry, chat: int, **more: Any) -> PairingSubscription:
        if chat == 66:
            raise ZeroDivisionError
        return subscribed(entry, chat, **more)

    monkeypatch.setattr(services, "subscribe_chat", with_a_bug)
    code = start_code(numbered(stage)[1])
    for chat in (65, 66, 67):
        bot.write(chat, f"/start {code}")

    assert (services.read_messages(), services.read_messages()) == (3, 0)
    assert [chat for chat, _text in bot.sent] == [65, 67]
    assert sorted(PairingSubscription.objects.values_list("chat", flat=True)) == [65, 67]


def test_while_one_worker_reads_the_bot_another_leaves_it_alone(bot: StandIn) -> None:
    bot.write(77, "hello")
    with psycopg.connect(**connection.get_connection_params() | {"cursor_factory": psycopg.Cursor}) as other:
        other.execute("SELECT pg_advisory_lock(%s, 1)", [services._READING])
        assert services.read_messages() == 0
        other.execute("SELECT pg_advisory_unlock(%s, 1)", [services._READING])
    assert services.read_messages() == 1
