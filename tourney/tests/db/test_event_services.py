"""States of an event, accounts, rehearsals, rebuilding."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth import get_user_model
from django.core.management import CommandError, call_command
from django.db import connection

from tourney import panels
from tourney.kernel.errors import TourneyError
from tourney.models import Entry, Game, Player, ResultRecord, Sanction, Stage, Tournament
from tourney.services import rehearsal
from tourney.services.accounts import create_first_organizer
from tourney.services.lots import draw_now
from tourney.services.rebuilding import rebuild
from tourney.services.sections import merge_sections
from tourney.services.stages import close_entries
from tourney.services.states import possible_moves, take
from tourney.testing import builders


def refused(code: str, act: Any, *args: Any, **kwargs: Any) -> None:
    with pytest.raises(TourneyError) as caught:
        act(*args, **kwargs)
    assert caught.value.code == code


@pytest.mark.django_db
def test_event_goes_from_draft_to_finished_and_back() -> None:
    event = builders.event(state="draft", public=False)
    for code in ("publish", "open", "close", "open", "start", "finish"):
        take(event, code, actor=None)
    event.refresh_from_db()
    assert (event.state, event.public) == ("finished", True)
    refused("event.step_not_now", take, event, "open", actor=None)
    refused("event.reason_needed", take, event, "resume", actor=None)
    take(event, "resume", actor=None, reason="a protest")
    event.refresh_from_db()
    assert event.state == "running"
    refused("event.no_such_step", take, event, "explode", actor=None)


@pytest.mark.django_db
def test_event_is_not_finished_while_a_group_plays() -> None:
    event = builders.event()
    builders.entries(event.sections.get(), 4)
    stage = close_entries(event.sections.get(), actor=None)[0]
    Stage.objects.filter(pk=stage.pk).update(state="running")
    take(event, "start", actor=None)
    refused("event.still_playing", take, event, "finish", actor=None)


@pytest.mark.django_db
def test_the_same_step_sent_twice_counts_once() -> None:
    event = builders.event()
    take(event, "close", actor=None)
    take(event, "close", actor=None)
    assert event.log.filter(action="event.state_changed").count() == 1


@pytest.mark.django_db
def test_first_account_is_the_only_one_made_without_an_organizer() -> None:
    made = create_first_organizer(username="first", email="", password="correct horse")
    assert made.is_superuser
    refused("account.not_first", create_first_organizer, username="second", email="", password="x")


@pytest.mark.django_db(transaction=True)
def test_two_visitors_at_the_same_moment_make_one_first_account() -> None:
    gate = threading.Barrier(2)
    outcomes: list[str] = []

    def visit(name: str) -> None:
        try:
            gate.wait(5)
            create_first_organizer(username=name, email="", password="correct horse")
            outcomes.append("made")
        except TourneyError as error:
            outcomes.append(error.code)
        finally:
            connection.close()

    threads = [threading.Thread(target=visit, args=(name,)) for name in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert sorted(outcomes) == ["account.not_first", "made"]
    assert get_user_model().objects.count() == 1


def rows() -> dict[str, int]:
    """Return how many rows each table of the product has."""
    names = ("tourney", "registration", "swiss", "brackets", "prizes")
    return {
        model._meta.label: model._default_manager.count()
        for model in apps.get_models()
        if model._meta.app_label in names
    }


def played_event() -> Tournament:
    """An event with everything a rehearsal copies, and facts that it must leave alone."""
    event = builders.event("youth-championship")
    builders.user("chief", event, "chief_arbiter")
    boys, girls = event.sections.get(code="u11-boys"), event.sections.get(code="u11-girls")
    builders.entries(boys, 5)
    builders.entry(girls, "Мрія", rating=1500, patronymic="Іванівна")
    builders.entry(boys, "Запас", state="reserve")
    merge_sections(girls, boys, actor=None)
    event.committee.create(name="Голова")
    return event


@pytest.mark.django_db
def test_rehearsal_copies_rules_groups_and_people() -> None:
    event = played_event()
    copy = rehearsal.copy_event(event, actor=None)

    def people(of: Tournament) -> list[Any]:
        return sorted(of.entries.values_list("section__code", "player__surname", "rating", "state"), key=str)

    assert people(copy) == people(event)
    assert copy.sections.get(code="u11-girls").merged_into.code == "u11-boys"
    assert copy.regulations.get().spec == event.regulations.get().spec
    assert (copy.public, copy.state, copy.rehearsal_of) == (False, "closed", event)
    assert not Player.objects.filter(entries__tournament=copy).filter(entries__tournament=event).exists()
    assert copy.staff.get().role == "chief_arbiter"
    refused("rehearsal.of_rehearsal", rehearsal.copy_event, copy, actor=None)
    refused("event.rehearsal_not_public", take, copy, "publish", actor=None)
    assert {move.code for move in possible_moves(copy)}.isdisjoint({"publish", "hide"})


@pytest.mark.django_db
def test_rehearsal_is_thrown_away_with_every_row_and_touches_nothing_else() -> None:
    event = played_event()
    before = rows()
    copy = rehearsal.copy_event(event, actor=None)
    section = copy.sections.get(code="u11-boys")
    stage = close_entries(section, actor=None)[0]
    white, black = copy.entries.filter(start_number__isnull=False)[:2]
    game = Game.objects.create(stage=stage, round_number=1, white=white, black=black, outcome="1-0")
    first = ResultRecord.objects.create(game=game, outcome="0-1", at=stage.section.entries_closed_at or copy.created_at)
    ResultRecord.objects.create(game=game, outcome="1-0", at=copy.created_at, supersedes=first)
    Sanction.objects.create(entry=white, kind="warning", reason="phone", at=copy.created_at)
    draw_now(copy, purpose="game_color", kind="coin", entrants=["a", "b"])
    refused("rehearsal.not_a_rehearsal", rehearsal.throw_away, event, actor=None)
    rehearsal.throw_away(copy, actor=None)
    after = rows()
    after["tourney.ActionLog"] -= 2  # the real event's log keeps: made, thrown away
    assert after == before


@pytest.mark.django_db
def test_rehearsal_is_played_step_by_step_and_to_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    event = played_event()
    seen: list[tuple[str, int]] = []

    def play(stage: Stage, chance: Any) -> bool:
        if len(seen) == 3:
            return False
        seen.append((stage.section.code, chance.below(2)))
        return True

    monkeypatch.setitem(panels._registered, "play", [play])
    copy = rehearsal.copy_event(event, actor=None)
    refused("rehearsal.not_a_rehearsal", rehearsal.play, event)
    assert rehearsal.play(copy) == 1  # the close of the start list; groups without players have nothing to play
    copy.refresh_from_db()
    assert copy.state == "running"
    assert rehearsal.play(copy, steps=None) == 3
    assert rehearsal.play(copy, steps=None) == 0
    assert [code for code, _ in seen] == ["u11-boys"] * 3


@pytest.mark.django_db
def test_rebuild_puts_entry_states_right_and_asks_every_app(monkeypatch: pytest.MonkeyPatch) -> None:
    event = builders.event()
    entry = builders.entry(event.sections.get())
    Entry.objects.filter(pk=entry.pk).update(state="withdrawn")
    asked: list[str] = []
    monkeypatch.setitem(panels._registered, "rebuild", [lambda of: asked.append(of.slug)])
    assert rebuild(event) == 1
    entry.refresh_from_db()
    assert (entry.state, asked) == ("confirmed", [event.slug])
    call_command("rebuild", event.slug)
    assert asked == [event.slug] * 2
    with pytest.raises(CommandError):
        call_command("rebuild", "no-such-event")
