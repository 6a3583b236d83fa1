"""An event goes as one file to another installation and back: nothing is lost, twisted, or there twice."""

from __future__ import annotations

import io
import re
import uuid
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth import get_user_model
from django.core import mail
from django.db import DatabaseError, connection, models, transaction
from django.test import Client
from django.utils import timezone

from registration.links import hash_of, path_of, token_of
from registration.models import Application, Letter
from registration.privacy.erasing import ask_to_erase
from registration.services.changing import take_back_arrival
from registration.telling.models import PairingNotice, PairingSubscription
from swiss.models import Pairing
from swiss.services import enter_result, pair_next_round, publish_round
from tourney import queue
from tourney.archives import moving
from tourney.archives.reading import read_event
from tourney.archives.writing import KIND
from tourney.backups import box as boxes
from tourney.demo.loading import load
from tourney.kernel import chance
from tourney.kernel.errors import TourneyError
from tourney.models import (
    ActionLog,
    BentRule,
    Broadcast,
    Entry,
    Game,
    HallScreen,
    Job,
    Lot,
    Player,
    ResultRecord,
    Section,
    Stage,
    Tournament,
)
from tourney.services.accounts import add_staff
from tourney.services.lots import draw_now
from tourney.services.rebuilding import rebuild
from tourney.services.rehearsal import delete_with_everything
from tourney.services.screens import make_screen
from tourney.services.stages import close_entries
from tourney.testing import builders

APPS = ("tourney", "registration", "swiss", "brackets", "prizes")
OWN = {"registration.Application"}  # holds personal links, which each installation makes itself


def members(content: bytes) -> dict[str, bytes]:
    with boxes.opened(io.BytesIO(content), KIND) as box:
        return {name: box.read(name) for name in box.members}


def archive(tournament: Tournament, folder: Path) -> bytes:
    path = folder / f"{uuid.uuid4()}.tourney"
    moving.export(tournament, path, actor=None)
    return path.read_bytes()


@transaction.atomic
def forget(tournament: Tournament) -> None:
    """Leave this installation without the event, as another one would be."""
    people = list(Player.objects.filter(entries__tournament=tournament).values_list("pk", flat=True))
    delete_with_everything(tournament)
    Player.objects.filter(pk__in=people).delete()


def boss() -> Any:
    return get_user_model().objects.create_superuser("boss", password=None)


# -- everything, on the demo -------------------------------------------------------------------------------------------


def counted() -> list[type[models.Model]]:
    return [
        model
        for model in apps.get_models(include_auto_created=True)
        if model._meta.app_label in APPS and isinstance(model._meta.pk, models.AutoField | models.BigAutoField)
    ]


def keys_from(offset: int) -> dict[str, tuple[int, int]]:
    """Let each table's next keys be of a range of its own, so that a key says whose it is; return the ranges."""
    found = {}
    with connection.cursor() as cursor:
        for index, model in enumerate(counted(), start=3):
            first = index * 1_000_000 + offset
            cursor.execute("SELECT setval(pg_get_serial_sequence(%s, 'id'), %s)", [f'"{model._meta.db_table}"', first])
            found[model._meta.label] = (first, first + 400_000)
    return found


def numbers_in(value: Any) -> Iterator[int]:
    if isinstance(value, bool):
        return
    if isinstance(value, int):
        yield value
    elif isinstance(value, str) and len(value) < 40:
        yield from map(int, re.findall(r"(?<!\w)\d{7,8}(?!\w)", value))
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from numbers_in(key)
            yield from numbers_in(one)
    elif isinstance(value, list):
        for one in value:
            yield from numbers_in(one)


def old_keys(ranges: dict[str, tuple[int, int]]) -> set[str]:
    """Return where plain data still names rows by the keys of the installation they came from."""
    found = set()
    for model in apps.get_models():
        if model._meta.app_label not in APPS or model in (Lot, Job):  # what lots bind stays; jobs are this one's own
            continue
        for column in [one for one in model._meta.concrete_fields if isinstance(one, models.JSONField)]:
            if model._meta.label == "tourney.LotResult":
                continue
            for value in model._base_manager.values_list(column.name, flat=True):
                for number in numbers_in(value):
                    found |= {
                        f"{model._meta.label}.{column.name}: a key of {label}"
                        for label, (first, last) in ranges.items()
                        if first < number <= last
                    }
    return found


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_demo_events_come_over_whole_under_new_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEMO_PASSWORD", "only for this test")
    old = keys_from(0)
    load()
    sent = {one.slug: archive(one, tmp_path) for one in Tournament.objects.all()}
    before = {one.slug: counts(one) for one in Tournament.objects.all()}
    for tournament in Tournament.objects.all():
        forget(tournament)
    assert not Entry.objects.exists()
    keys_from(500_000)
    actor = boss()

    for slug, content in sent.items():
        read_event(io.BytesIO(content), actor=actor)

        tournament = Tournament.objects.get(slug=slug)
        assert counts(tournament) == before[slug]
        again, first = members(archive(tournament, tmp_path)), members(content)
        assert set(again) == set(first)
        assert [name for name in first if again[name] != first[name] and name[5:-6] not in OWN] == []
        assert rebuild(tournament) == 0
        for lot in tournament.lots.select_related("outcome"):
            outcome = getattr(lot, "outcome", None)
            assert chance.commitment(lot.secret, lot.manifest) == lot.commitment
            if outcome is not None and outcome.result is not None:
                assert chance.draw(lot.manifest, lot.secret, outcome.entropy) == outcome.result
        client = Client()
        client.force_login(actor)
        section = tournament.sections.filter(stages__isnull=False).first()
        pages = [f"/t/{slug}/", f"/t/{slug}/lots/", f"/manage/{slug}/", f"/manage/{slug}/log/"]
        pages += [f"/t/{slug}/{section.code}/"] if section else []
        assert {client.get(page).status_code for page in pages} == {200}
    assert old_keys(old) == set()


def counts(tournament: Tournament) -> dict[str, int]:
    return {
        "entries": tournament.entries.count(),
        "games": Game.objects.filter(stage__section__tournament=tournament).exclude(outcome="").count(),
        "money": sum(tournament.ledger.values_list("minor", flat=True)),
        "lots": tournament.lots.count(),
        "log": tournament.log.exclude(action__startswith="archive.").count(),
    }


# -- one small event ---------------------------------------------------------------------------------------------------


@pytest.fixture
def event() -> Tournament:
    """A Swiss with a round in play, a draw, a person who has a link, and a letter that waits."""
    tournament = builders.event("open-swiss", slug="spring")
    builders.user("organizer", tournament, "organizer")
    section: Section = tournament.sections.get()
    section.tournament = tournament
    people = builders.entries(section, 4)
    Application.objects.create(entry=people[0], email="a@example.org", link_hash=hash_of(token_of(people[0].pk)))
    Letter.objects.create(entry=people[0], kind="registered", asked_at=timezone.now())
    stage = close_entries(section, actor=None)[0]
    publish_round(pair_next_round(stage.pk, actor=None).pk, actor=None)
    game = Game.objects.filter(stage=stage).order_by("board")[0]
    enter_result(stage_id=stage.pk, game_id=game.pk, outcome="1-0", actor=None)
    tie = [[str(one.pk) for one in people[:2]]]
    draw_now(tournament, purpose=Lot.Purpose.TIE, subject="open:tie:1", kind="pots", pots=tie)
    return tournament


@pytest.mark.django_db(transaction=True)
def test_archive_of_the_same_event_is_the_same_twice(event: Tournament, tmp_path: Path) -> None:
    first, second = archive(event, tmp_path), archive(event, tmp_path)

    assert members(first) == members(second)  # what differs is the moment in the manifest


@pytest.mark.django_db(transaction=True)
def test_archive_that_is_damaged_or_does_not_fit_is_refused_whole(event: Tournament, tmp_path: Path) -> None:
    content = archive(event, tmp_path)
    forget(event)
    actor, before = boss(), Job.objects.count()

    for place in range(0, len(content), len(content) // 60):
        changed = bytearray(content)
        changed[place] ^= 0xFF
        with pytest.raises(TourneyError, match=r"backup\.(damaged|no_box)"):
            refuse_whole(bytes(changed), actor)
    with pytest.raises(TourneyError, match=r"archive\.not_ours"):
        read_event(io.BytesIO(repacked(content, "rows/tourney.Game.jsonl", b'"white":1', b'"white":99')), actor=actor)
    assert (Tournament.objects.count(), Player.objects.count(), Job.objects.count()) == (0, 0, before)


@transaction.atomic
def refuse_whole(content: bytes, actor: Any) -> None:
    read_event(io.BytesIO(content), actor=actor)
    raise TourneyError("backup.damaged", member="")  # a byte of the zip that nobody reads: it came whole, and goes


def repacked(content: bytes, name: str, old: bytes, new: bytes) -> bytes:
    """Return an archive whose sums are right and whose rows are not."""
    with boxes.opened(io.BytesIO(content), KIND) as box:
        about, found = box.about, {one: box.read(one) for one in box.members}
    assert old in found[name]
    found[name] = found[name].replace(old, new)
    path = Path(f"/tmp/{uuid.uuid4()}")
    with boxes.new_box(path, KIND, about) as made:
        for one, data in found.items():
            made.add(one, data)
    changed = path.read_bytes()
    path.unlink()
    return changed


@pytest.mark.django_db(transaction=True)
def test_event_that_is_here_is_not_brought_twice(event: Tournament, tmp_path: Path) -> None:
    Application.objects.all().delete()  # a link opens one page on one installation
    content = archive(event, tmp_path)

    with pytest.raises(TourneyError, match=r"archive\.here_already"):
        read_event(io.BytesIO(content), actor=None)
    Tournament.objects.filter(pk=event.pk).update(uid=uuid.uuid4())
    with pytest.raises(TourneyError, match=r"archive\.slug_taken"):
        read_event(io.BytesIO(content), actor=None)
    other = read_event(io.BytesIO(content), actor=None, slug="spring-2")

    assert (other.slug, Tournament.objects.count(), other.entries.count()) == ("spring-2", 2, 4)


@pytest.mark.django_db(transaction=True)
def test_event_moves_away_goes_on_there_and_comes_back(event: Tournament, tmp_path: Path, client: Client) -> None:
    actor = boss()
    moving.move_away(event, tmp_path / "out", actor=actor, to="https://chess.example/t/spring/")
    event.refresh_from_db()

    # What was left behind shows and refuses.
    client.force_login(actor)
    assert "https://chess.example/t/spring/" in client.get("/t/spring/").content.decode()
    refused = client.post("/manage/spring/state/", {"step": "hide", "reason": "x"}, follow=True)
    assert "chess.example" in refused.content.decode()
    game = Game.objects.exclude(outcome="").get()
    with pytest.raises(TourneyError, match=r"event\.moved"):
        enter_result(stage_id=game.stage_id, game_id=game.pk, outcome="0-1", actor=None, reason="late")
    assert Tournament.objects.get().public

    # There: a round goes on, and it comes back with that.
    (there,) = [as_elsewhere(event, tmp_path / "out", actor)]
    open_game = Game.objects.get(outcome="")
    enter_result(stage_id=open_game.stage_id, game_id=open_game.pk, outcome="1/2", actor=None)
    moving.move_away(there, tmp_path / "back", actor=actor, to="http://laptop/")
    with (tmp_path / "back").open("rb") as file:
        home = read_event(file, actor=actor)

    assert (home.slug, home.moved_to, Tournament.objects.count(), Player.objects.count()) == ("spring", "", 1, 4)
    assert sorted(Game.objects.values_list("outcome", flat=True)) == ["1-0", "1/2"]
    assert ResultRecord.objects.count() == 2
    assert home.log.filter(action="archive.came_back").exists()


@pytest.mark.django_db(transaction=True)
def test_who_is_erased_where_an_event_was_left_is_erased_when_it_comes_back_and_told_to_ask_there_too(
    event: Tournament, tmp_path: Path
) -> None:
    place, elsewhere = "https://chess.example/t/spring/", Client(headers={"accept-language": "en"})
    gone, playing = event.entries.filter(application=None).order_by("pk")[:2]
    Application.objects.create(entry=gone, email="b@example.org", link_hash=hash_of(token_of(gone.pk)))
    event.entries.filter(pk=gone.pk).update(state="withdrawn")
    names = [gone.player.surname, playing.player.surname]
    moving.move_away(event, tmp_path / "out", actor=None, to=place)
    link = path_of(Application.objects.get(entry=gone))

    before = elsewhere.get(f"{link}erase/").content.decode()
    answer = elsewhere.post(f"{link}erase/now/", follow=True)
    ask_to_erase(playing)

    assert (
        before.count("the data went there with it") == answer.content.decode().count("the data went there with it") == 1
    )
    assert "Your personal data are erased" in answer.content.decode()
    assert Player.objects.get(entries=gone).surname.startswith("№ ")
    with (tmp_path / "out").open("rb") as file:
        home = read_event(file, actor=None)

    back = home.entries.order_by("pk")
    states = {one.player.surname: hasattr(one, "erasure") and one.erasure.done_at is not None for one in back}
    assert (names[0] in states, states[names[1]], len(states)) == (False, False, 4)
    assert [one.done_at is not None for one in home.erasures.order_by("entry")] == [True, False]
    assert home.log.filter(action="entry.erased").count() == 1


def as_elsewhere(event: Tournament, path: Path, actor: Any) -> Tournament:
    """Read the archive where the event is not, then let this be that place."""
    forget(event)
    with path.open("rb") as file:
        return read_event(file, actor=actor)


@pytest.mark.django_db(transaction=True)
def test_act_that_began_before_the_move_is_refused_by_the_table(event: Tournament) -> None:
    Tournament.objects.filter(pk=event.pk).update(moved_to="there")  # this process still holds the event as it was

    with pytest.raises(DatabaseError) as refused, transaction.atomic():
        ActionLog.objects.create(tournament=event, action="event.hidden", at=timezone.now())

    assert refused.value.__cause__.sqlstate == "TM001"
    ActionLog.objects.create(tournament=event, action="archive.stays", at=timezone.now())


@pytest.mark.django_db(transaction=True)
def test_move_needs_a_place_and_can_be_taken_back_with_a_reason(event: Tournament, tmp_path: Path) -> None:
    with pytest.raises(TourneyError, match=r"archive\.where_to"):
        moving.move_away(event, tmp_path / "a", actor=None, to=" ")
    moving.move_away(event, tmp_path / "a", actor=None, to="there")
    with pytest.raises(TourneyError, match=r"archive\.moved_already"):
        moving.move_away(event, tmp_path / "b", actor=None, to="elsewhere")
    with pytest.raises(TourneyError, match=r"event\.reason_needed"):
        moving.stay(event, actor=None, reason="")

    moving.stay(event, actor=None, reason="the server did not take it")

    event.refresh_from_db()
    assert event.moved_to == ""
    with pytest.raises(TourneyError, match=r"archive\.not_moved"):
        moving.stay(event, actor=None, reason="again")


@pytest.mark.django_db(transaction=True)
def test_links_letters_draws_and_people_come_along(event: Tournament, tmp_path: Path, client: Client) -> None:
    old_link = path_of(Application.objects.get())
    letter = Letter.objects.get()
    Job.objects.create(name="registration.send_notice", args={"args": [letter.pk], "kwargs": {}}, state="queued")
    later = timezone.now() + timedelta(days=1)
    content = archive(event, tmp_path)
    forget(event)
    get_user_model().objects.filter(username="organizer").delete()
    Job.objects.all().delete()
    with connection.cursor() as cursor:
        cursor.execute("SELECT setval(pg_get_serial_sequence('tourney_entry', 'id'), 70000)")

    there = read_event(io.BytesIO(content), actor=boss())

    entry = there.entries.get(application__isnull=False)
    assert client.get(old_link).status_code == 200
    assert client.get(path_of(entry.application)).status_code == 200
    assert path_of(entry.application) != old_link
    job = Job.objects.get(name="registration.send_notice")
    assert (job.args["args"], job.not_before, later > timezone.now()) == ([Letter.objects.get().pk], None, True)
    lot = Lot.objects.get()
    assert {lot.entry_id(word) for word in lot.manifest["pots"][0]} == {
        one.pk for one in there.entries.order_by("-rating")[:2]
    }
    organizer = get_user_model().objects.get(username="organizer")
    assert (organizer.is_active, organizer.has_usable_password(), there.staff.get().user) == (False, False, organizer)

    user, password = add_staff(there, "organizer", "organizer", actor=None)
    assert (user.is_active, user.check_password(password)) == (True, True)
    with pytest.raises(TourneyError, match=r"staff\.has_role"):
        add_staff(there, "organizer", "organizer", actor=None)


@pytest.mark.django_db
def test_account_that_works_elsewhere_too_gets_no_password_from_one_organizer(event: Tournament) -> None:
    user = get_user_model().objects.get(username="organizer")
    user.is_active = False
    user.set_unusable_password()
    user.save()
    other = builders.event(slug="autumn")

    found, password = add_staff(other, "organizer", "organizer", actor=None)

    found.refresh_from_db()
    assert (password, found.is_active) == ("", False)


@pytest.mark.django_db
def test_rehearsal_has_no_archive(event: Tournament, tmp_path: Path) -> None:
    copy = Tournament.objects.get(pk=event.pk)
    copy.rehearsal_of = event

    with pytest.raises(TourneyError, match=r"archive\.of_rehearsal"):
        moving.export(copy, tmp_path / "x", actor=None)
    assert not (tmp_path / "x").exists()


# -- what an archive names by keys, and what it must not bring ---------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_notices_jobs_and_what_undoes_a_bent_rule_name_the_rows_of_this_installation(
    event: Tournament, tmp_path: Path
) -> None:
    stage = Stage.objects.get()
    pairing = Pairing.objects.filter(round__stage=stage).order_by("board")[0]
    subscription = PairingSubscription.objects.create(
        entry=pairing.white, channel="email", language="uk", started_at=timezone.now()
    )
    PairingNotice.objects.create(
        subscription=subscription, about=f"round:{stage.pk}:1", content="x", asked_at=timezone.now()
    )
    args = {"args": [stage.pk, f"round:{stage.pk}:1"], "kwargs": {}}
    Job.objects.create(name="registration.tell_pairings", args=args, state="queued")
    keys = {"game": pairing.game_id, "pairing": pairing.pk, "draft": pairing.round_id}
    BentRule.objects.create(stage=stage, act="adjourned", level=1, snapshot=keys | {"round": 1}, at=timezone.now())
    boards = [{"id": 1, "stage": stage.pk, "white": pairing.white_id, "black": None, "game": pairing.game_id}]
    Broadcast.objects.create(tournament=event, boards=boards)
    content = archive(event, tmp_path)
    forget(event)

    read_event(io.BytesIO(content), actor=None)

    new = Stage.objects.get()
    assert new.pk != stage.pk
    there = Pairing.objects.filter(round__stage=new).order_by("board")[0]
    keys = {"game": there.game_id, "pairing": there.pk, "draft": there.round_id}
    assert BentRule.objects.get().snapshot == keys | {"round": 1}
    assert PairingNotice.objects.get(content="x").about == f"round:{new.pk}:1"
    told = Job.objects.filter(name="registration.tell_pairings").latest("pk")
    assert told.args["args"] == [new.pk, f"round:{new.pk}:1"]
    (board,) = Broadcast.objects.get().boards
    assert (board["stage"], board["white"], board["game"]) == (new.pk, there.white_id, there.game_id)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("label", ["auth.User", "tourney.Job", "sign_in.Knock"])
def test_archive_that_brings_more_than_an_event_is_refused(event: Tournament, tmp_path: Path, label: str) -> None:
    content = archive(event, tmp_path)
    forget(event)
    row = b'{"n":1,"username":"mallory","is_superuser":true,"is_active":true,"password":"x"}\n'

    with pytest.raises(TourneyError, match=r"archive\.not_ours"):
        read_event(io.BytesIO(with_member(content, f"rows/{label}.jsonl", row)), actor=None)

    assert not get_user_model().objects.filter(username="mallory").exists()
    assert not Tournament.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_screen_whose_short_address_is_taken_here_gets_another(event: Tournament, tmp_path: Path) -> None:
    screen = make_screen(event, name="Hall", actor=None)
    content = archive(event, tmp_path)
    forget(event)
    other = builders.event(slug="autumn")
    HallScreen.objects.create(tournament=other, code=screen.code, name="Foyer", language="uk")

    there = read_event(io.BytesIO(content), actor=None)

    assert other.screens.get().code == screen.code != there.screens.get().code


def with_member(content: bytes, name: str, data: bytes) -> bytes:
    """Return an archive with one member more, its sums right."""
    with boxes.opened(io.BytesIO(content), KIND) as box:
        about, found = box.about, {one: box.read(one) for one in box.members}
    path = Path(f"/tmp/{uuid.uuid4()}")
    with boxes.new_box(path, KIND, about) as made:
        for one, content_of in {**found, name: data}.items():
            made.add(one, content_of)
    changed = path.read_bytes()
    path.unlink()
    return changed


@pytest.mark.django_db(transaction=True)
def test_jobs_and_entrants_of_an_event_that_has_moved_wait_and_are_refused(event: Tournament) -> None:
    entry = Entry.objects.get(application__isnull=False)
    letter = Letter.objects.get()
    Tournament.objects.filter(pk=event.pk).update(moved_to="there")
    job = queue.enqueue("registration.send_notice", letter.pk)

    queue.run(job.pk)

    job.refresh_from_db()
    letter.refresh_from_db()
    assert (job.state, job.attempts, letter.state, mail.outbox) == ("queued", 0, "waiting", [])
    with pytest.raises(TourneyError, match=r"event\.moved"):
        take_back_arrival(entry, actor=None)

    Tournament.objects.filter(pk=event.pk).update(moved_to="")
    queue.run(job.pk)

    assert len(mail.outbox) == 1
