"""The arbiter's book in the database: what sanctions do to play, appeals in time with their deposit, the committee."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from django.utils import timezone

from brackets.tests import builders as brackets
from prizes.services.placings import publish_placings
from registration.accounts import account_of, accounts, totals
from registration.conduct import services
from registration.models import LedgerLine
from registration.panels import income
from registration.services.money import reverse_line
from swiss.models import Round
from swiss.services import enter_result, pair_next_round, start_round
from swiss.tests import builders as rounds
from tourney.kernel.errors import TourneyError
from tourney.kernel.money import Money
from tourney.models import (
    ActionLog,
    Appeal,
    Entry,
    Game,
    Placement,
    ResultRecord,
    Sanction,
    Stage,
    Tournament,
)
from tourney.services.rehearsal import copy_event
from tourney.services.stages import set_tournament_state
from tourney.testing import builders

pytestmark = pytest.mark.django_db


def swiss(players: int = 13) -> Stage:
    return rounds.stage_of(players)


def chief(stage: Stage) -> Any:
    return builders.user("chief", stage.section.tournament, "chief_arbiter")


def refused(code: str, call: Any, *args: Any, **options: Any) -> None:
    with pytest.raises(TourneyError) as error:
        call(*args, **options)
    assert error.value.code == code


def impose(entry: Entry, kind: str, **more: Any) -> Sanction:
    return services.impose_sanction(entry, kind=kind, reason=more.pop("reason", "telephone"), actor=None, **more)


def both(game: Game) -> tuple[Entry, Entry]:
    return game.white, game.black


# -- sanctions ---------------------------------------------------------------------------------------------------------


@pytest.mark.clause("M7.6")
def test_a_warning_for_talk_of_a_draw_changes_nothing_and_can_be_taken_back() -> None:
    stage = swiss()
    round_ = rounds.play(stage, "1/2")
    game = rounds.games_of(round_)[0]
    warning = impose(game.white, "warning", game=game, reason="draw offered at move 12")
    assert (warning.clause, warning.round_number, warning.stage_id) == ("7.6", 1, stage.pk)
    assert ResultRecord.objects.filter(game=game).count() == 1
    services.revoke_warning(warning, reason="it was the opponent", actor=None)
    refused("sanction.revoked_already", services.revoke_warning, warning, reason="again", actor=None)
    assert list(ActionLog.objects.filter(action__startswith="conduct.").values_list("action", flat=True)) == [
        "conduct.sanction_revoked",
        "conduct.sanction",
    ]


@pytest.mark.clause("K10.3")
def test_the_loss_of_a_game_that_was_played_or_has_begun_is_a_played_loss() -> None:
    stage = swiss()
    round_ = rounds.next_round(stage)
    drawn, begun, waiting = rounds.games_of(round_)[:3]
    enter_result(stage_id=stage.pk, game_id=drawn.pk, outcome="1/2")
    impose(drawn.white, "game_loss", game=drawn)
    Round.objects.filter(pk=round_.pk).update(started_at=None)
    impose(waiting.black, "game_loss", game=waiting)
    start_round(round_.pk, actor=None)
    impose(begun.white, "game_loss", game=begun)
    outcomes = {g.pk: g.outcome for g in Game.objects.filter(pk__in=[drawn.pk, begun.pk, waiting.pk])}
    assert outcomes == {drawn.pk: "0-1", begun.pk: "0-1", waiting.pk: "+-"}
    corrected = ResultRecord.objects.get(game=drawn, supersedes__isnull=False)
    assert corrected.reason == "telephone"


@pytest.mark.clause("K10.3", "M7.6")
def test_what_the_regulation_does_not_know_is_refused_and_leaves_no_row() -> None:
    stage = swiss()
    game = rounds.games_of(rounds.next_round(stage))[0]
    stranger = next(e for e in rounds.numbered(stage).values() if e.pk not in (game.white_id, game.black_id))
    refused("sanction.reason_needed", impose, game.white, "warning", reason=" ")
    refused("sanction.not_in_regulation", impose, game.white, "match_loss", game=game)
    refused("sanction.needs_game", impose, game.white, "game_loss")
    refused("sanction.foreign_game", impose, stranger, "game_loss", game=game)
    assert not Sanction.objects.exists()


def test_a_sanction_sent_twice_is_written_once() -> None:
    stage = swiss()
    game = rounds.games_of(rounds.next_round(stage))[0]
    first = impose(game.white, "game_loss", game=game)
    assert impose(game.white, "game_loss", game=game) == first
    assert impose(game.white, "warning") != first
    assert Sanction.objects.count() == 2


@pytest.mark.clause("K10.3")
def test_a_removed_player_loses_the_game_and_is_paired_no_more() -> None:
    stage = swiss()
    rounds.play(stage, "1-0")
    round_ = rounds.next_round(stage)
    game = rounds.games_of(round_)[0]
    gone = game.white
    impose(gone, "removal")
    gone.refresh_from_db()
    game.refresh_from_db()
    assert (gone.state, gone.left_after_round, game.outcome) == (Entry.State.DISQUALIFIED, 2, "-+")
    rounds.enter(round_, "1/2")
    third = rounds.next_round(stage)
    assert gone.pk not in {pk for pair in third.pairings.values_list("white", "black") for pk in pair}
    refused("sanction.left_already", impose, gone, "removal", reason="once more")


@pytest.mark.clause("K10.3")
def test_a_draft_of_the_next_round_is_looked_at_before_a_removal() -> None:
    stage = swiss()
    rounds.play(stage, "1-0")
    pair_next_round(stage.pk, actor=None)
    entry = rounds.numbered(stage)[1]
    refused("withdraw.draft_exists", impose, entry, "removal")
    entry.refresh_from_db()
    assert (entry.state, Sanction.objects.count()) == (Entry.State.CONFIRMED, 0)


@pytest.mark.clause("K10.3")
def test_in_a_knockout_a_game_a_match_and_the_event_are_lost_and_the_bracket_completes() -> None:
    stage = brackets.drawn(8)
    (first, second, third, *_) = [view.key for view in brackets.table(stage).state.open_matches]
    brackets.ready_for_game(stage, first)
    people = {key: brackets.table(stage).sides(key) for key in (first, second, third)}
    entry = {pk: Entry.objects.get(pk=pk) for sides in people.values() for pk in sides.values()}
    impose(entry[people[first]["a"]], "game_loss")
    game = Game.objects.get(stage=stage, match_key=first)
    assert (game.outcome, game.game_number) == ("-+" if game.white_id == people[first]["a"] else "+-", 1)
    impose(entry[people[second]["b"]], "match_loss")
    assert brackets.match(stage, second).winner_side == "a"
    impose(entry[people[third]["a"]], "removal")
    assert Entry.objects.get(pk=people[third]["a"]).state == Entry.State.DISQUALIFIED
    assert Sanction.objects.count() == 3
    brackets.play(stage, first, "0")
    brackets.play_all(stage)
    assert brackets.fresh(stage).state in (Stage.State.FINISHED, Stage.State.CLOSED)


def finished(days_ago: int = 0) -> tuple[Stage, Tournament]:
    """Return a group of four, played out, with published places, whose event is over."""
    stage = rounds.stage_of(4)
    for _ in range(3):
        rounds.play(stage, "1-0")
    publish_placings(stage.section, actor=None)
    tournament = Tournament.objects.get(pk=stage.section.tournament_id)
    set_tournament_state(tournament, Tournament.State.FINISHED, actor=None)
    Game.objects.filter(stage=stage).update(finished_at=timezone.now() - dt.timedelta(days=days_ago, minutes=5))
    return Stage.objects.select_related("section__tournament").get(pk=stage.pk), tournament


@pytest.mark.clause("M7.9")
def test_a_disqualification_up_to_three_days_after_the_end_moves_the_others_up() -> None:
    stage, _tournament = finished(days_ago=3)
    winner = Placement.objects.get(place=1, list__section=stage.section).entry
    second = Placement.objects.get(place=2, list__section=stage.section).entry
    sanction = impose(winner, "removal", reason="help by a program")
    assert sanction.clause == "7.9"
    assert set(Game.objects.filter(stage=stage).values_list("outcome", flat=True)) == {"1-0"}
    (newest, *_) = publish_placings(stage.section, actor=None, reason="disqualification")
    places = dict(newest.lines.values_list("entry", "place"))
    assert (newest.number, places[second.pk], places[winner.pk]) == (2, 1, None)


@pytest.mark.clause("M7.9")
def test_after_the_third_day_and_for_anything_else_it_is_too_late() -> None:
    stage, _tournament = finished(days_ago=4)
    entry = rounds.numbered(stage)[1]
    refused("sanction.too_late", impose, entry, "removal")
    refused("sanction.too_late", impose, entry, "warning")
    assert Entry.objects.get(pk=entry.pk).state == Entry.State.CONFIRMED


# -- appeals -----------------------------------------------------------------------------------------------------------


def committee(tournament: Tournament) -> list[Any]:
    names = [("Перший", False), ("Другий", False), ("Третій", False), ("Запасний", True), ("Ще один", True)]
    return [services.add_member(tournament, name=name, reserve=reserve, actor=None) for name, reserve in names]


def file(entry: Entry, **changed: Any) -> Appeal:
    values: dict[str, Any] = {
        "place": "1",
        "subject": "result",
        "text": "the flag had not fallen",
        "by": "participant",
        "filed_by": "Самохін",
        "deposit_paid": True,
        "actor": None,
    }
    return services.file_appeal(entry, **(values | changed))


@pytest.fixture
def played() -> tuple[Stage, Game]:
    stage = swiss()
    round_ = rounds.play(stage, "1-0")
    return stage, rounds.games_of(round_)[0]


@pytest.mark.clause("M7.7")
def test_an_appeal_in_time_is_taken_in_with_its_deposit(played: tuple[Stage, Game]) -> None:
    stage, game = played
    last = timezone.now() - dt.timedelta(minutes=20)
    Game.objects.filter(stage=stage).update(finished_at=last)
    appeal = file(game.black)
    assert (appeal.deadline, appeal.round_number, appeal.state) == (last + dt.timedelta(minutes=60), 1, "filed")
    line = LedgerLine.objects.get()
    assert (line.kind, line.minor, line.currency, line.receipt_number, line.entry_id) == (
        "appeal_deposit",
        100_000,
        "RUB",
        1,
        game.black_id,
    )
    assert file(game.black) == appeal
    assert LedgerLine.objects.count() == 1


@pytest.mark.clause("M7.7")
@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"subject": "computer_pairing"}, "appeal.refused.pairing_not_appealable"),
        ({"subject": "computer_pairing", "place": "9"}, "appeal.refused.pairing_not_appealable"),
        ({"by": "friend"}, "appeal.refused.not_entitled"),
        ({"text": "  "}, "appeal.refused.not_written"),
        ({"deposit_paid": False}, "appeal.refused.deposit"),
        ({"place": "2"}, "appeal.no_such_round"),
        ({"place": "L2.3"}, "appeal.no_such_round"),
        ({"place": "²"}, "appeal.no_such_round"),
    ],
)
def test_an_appeal_against_the_rules_is_refused(played: tuple[Stage, Game], changed: dict[str, Any], code: str) -> None:
    refused(code, file, played[1].white, **changed)
    assert (Appeal.objects.count(), LedgerLine.objects.count()) == (0, 0)


@pytest.mark.clause("M7.7")
def test_the_hour_runs_from_the_last_game_of_the_group(played: tuple[Stage, Game]) -> None:
    stage, game = played
    now = timezone.now()
    Game.objects.filter(stage=stage).update(finished_at=now - dt.timedelta(minutes=90))
    last = Game.objects.filter(stage=stage).exclude(pk=game.pk).first()
    assert last is not None
    Game.objects.filter(pk=last.pk).update(finished_at=now - dt.timedelta(minutes=61))
    refused("appeal.refused.late", file, game.white)
    refused("appeal.in_the_future", file, game.white, filed_at=now + dt.timedelta(minutes=5))
    # The paper came at the last moment; it is typed in a minute later.
    assert file(game.white, filed_at=now - dt.timedelta(minutes=1)).deadline == now - dt.timedelta(minutes=1)


@pytest.mark.clause("M7.7")
def test_while_the_round_is_played_no_appeal_is_taken() -> None:
    stage = swiss()
    game = rounds.games_of(rounds.next_round(stage))[0]
    enter_result(stage_id=stage.pk, game_id=game.pk, outcome="1-0")
    refused("appeal.round_not_over", file, game.white)


@pytest.mark.clause("M7.7")
def test_nobody_judges_a_case_of_his_own_and_a_reserve_takes_the_chair(played: tuple[Stage, Game]) -> None:
    stage, game = played
    first, second, third, reserve, other = committee(stage.section.tournament)
    appeal = file(game.white)
    assert services.panel_for(appeal) == [first, second, third]
    services.set_own_cases(second, [game.black], actor=None)  # the opponent's coach is no judge either
    assert services.panel_for(appeal) == [first, reserve, third]
    services.set_own_cases(reserve, [game.white], actor=None)
    services.set_own_cases(other, [game.white], actor=None)
    refused("appeal.panel_too_small", services.decide_appeal, appeal, decision="upheld", text="yes", actor=None)
    services.decide_appeal(appeal, decision="withdrawn", text="taken back", actor=None)
    assert list(appeal.panel.all()) == []


@pytest.mark.clause("M7.7")
@pytest.mark.parametrize(("decision", "back"), [("upheld", True), ("partly", True), ("refused", False)])
def test_the_decision_gives_the_deposit_back_or_keeps_it(played: tuple[Stage, Game], decision: str, back: bool) -> None:
    stage, game = played
    members = committee(stage.section.tournament)
    appeal = file(game.white)
    refused("appeal.decision_text_needed", services.decide_appeal, appeal, decision=decision, text="", actor=None)
    decided = services.decide_appeal(appeal, decision=decision, text="as the rules say", actor=None)
    assert (decided.state, list(decided.panel.all())) == (decision, members[:3])
    lines = LedgerLine.objects.order_by("pk").values_list("kind", "channel", "minor")
    taken = ("appeal_deposit", "cash", 100_000)
    if back:
        assert list(lines) == [taken, ("appeal_deposit", "cash", -100_000)]
    else:  # no money moves, but it is no longer held
        assert list(lines) == [taken, ("appeal_deposit", "none", -100_000), ("kept", "none", 100_000)]
    whole = totals(stage.section.tournament, accounts(stage.section.tournament))
    kept = [] if back else [Money(100_000, "RUB")]
    assert [received for _label, received, _due in income(stage.section.tournament)[1:]] == kept
    assert (whole.appeals_held, whole.appeals_kept) == (Money(0, "RUB"), Money(0 if back else 100_000, "RUB"))
    refused("appeal.decided_already", services.decide_appeal, appeal, decision="upheld", text="again", actor=None)
    refused("appeal.member_has_judged", services.remove_member, members[0], actor=None)
    services.remove_member(members[4], actor=None)


def test_what_was_taken_goes_back_when_the_regulation_has_changed_since(played: tuple[Stage, Game]) -> None:
    stage, game = played
    committee(stage.section.tournament)
    appeal = file(game.white)
    regulation = stage.section.tournament.regulations.get()
    regulation.spec["appeals"]["deposit"] = "3000.00"
    regulation.save()
    services.decide_appeal(appeal, decision="upheld", text="yes", actor=None)
    assert sorted(LedgerLine.objects.values_list("minor", flat=True)) == [-100_000, 100_000]


@pytest.mark.clause("M7.7")
def test_a_deposit_is_no_fee_and_follows_the_decision_only(played: tuple[Stage, Game]) -> None:
    _stage, game = played
    before = account_of(game.white)
    file(game.white)
    after = account_of(game.white)
    assert (after.quote.paid, after.owes, after.credit) == (before.quote.paid, before.owes, before.credit)
    refused("money.not_reversible", reverse_line, LedgerLine.objects.get(), reason="slip", actor=None)


@pytest.mark.clause("M7.7")
def test_the_committee_has_three_members_and_two_reserves() -> None:
    tournament = builders.event("youth-championship")
    committee(tournament)
    for reserve in (False, True):
        refused("appeal.committee_full", services.add_member, tournament, name="Зайвий", reserve=reserve, actor=None)
    knockout = builders.event("second-chance-32")
    refused("appeal.refused.no_committee", services.add_member, knockout, name="Хтось", reserve=False, actor=None)


def test_a_rehearsal_has_the_committee_with_its_own_cases(played: tuple[Stage, Game]) -> None:
    stage, game = played
    members = committee(stage.section.tournament)
    services.set_own_cases(members[1], [game.white], actor=None)
    copy = copy_event(stage.section.tournament, actor=None)
    copied = list(copy.committee.prefetch_related("related_entries__player"))
    assert [(one.name, one.reserve) for one in copied] == [(one.name, one.reserve) for one in members]
    (own,) = copied[1].related_entries.all()
    assert (own.tournament_id, own.player.surname) == (copy.pk, game.white.player.surname)


@pytest.mark.clause("M7.7")
def test_an_appeal_names_a_match_or_a_game_of_it() -> None:
    stage = brackets.drawn(4, rules={"size": 4, "minimum_matches": 0})
    event = stage.section.tournament
    spec = event.regulations.get().spec
    judged = builders.event("open-swiss", slug="judged").regulations.get().spec["appeals"]
    event.regulations.update(spec={**spec, "appeals": {**judged, "deposit": "500.00"}})
    brackets.play(stage, "U1.1", "1 0 1 1")
    entry = brackets.numbered(stage)[4]
    taken = file(entry, place="U1.1/2", deposit_paid=True)
    assert (taken.match_key, taken.game_number, taken.round_number, taken.place) == ("U1.1", 2, None, "U1.1/2")
    whole = file(entry, place="u1.1", deposit_paid=True)
    assert (whole.match_key, whole.game_number, whole.place) == ("U1.1", None, "U1.1")
    for place in ("U1.1/9", "U1.1/x", "L1.1", "U9.9"):
        refused("appeal.no_such_round", file, entry, place=place, deposit_paid=True)
    refused("appeal.no_such_round", file, brackets.numbered(stage)[2], place="U1.1", deposit_paid=True)
    committee(event)
    member = event.committee.first()
    member.related_entries.add(brackets.numbered(stage)[1])
    assert member not in services.panel_for(taken)


@pytest.mark.clause("K10.3")
def test_a_removal_from_a_knockout_is_taken_back_by_the_book() -> None:
    stage = brackets.drawn(4, rules={"size": 4, "minimum_matches": 0})
    entry = brackets.numbered(stage)[1]
    removed = impose(entry, "removal")
    entry.refresh_from_db()
    assert entry.state == Entry.State.DISQUALIFIED
    refused("sanction.reason_needed", services.revoke_sanction, removed, reason=" ", actor=None)
    back = services.revoke_sanction(removed, reason="it was another one", actor=None)
    entry.refresh_from_db()
    assert (back.revokes, entry.state) == (removed, Entry.State.CONFIRMED)
    assert not brackets.table(stage).state.left
    refused("sanction.revoked_already", services.revoke_sanction, removed, reason="again", actor=None)


def test_a_removal_from_rounds_stays_where_it_was_done() -> None:
    stage = swiss()
    removed = impose(Entry.objects.filter(section=stage.section)[0], "removal")
    refused("sanction.only_warnings", services.revoke_sanction, removed, reason="x", actor=None)
