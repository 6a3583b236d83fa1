"""Places and the reserve list, event by event."""

from __future__ import annotations

import random
from datetime import timedelta
from itertools import permutations

import pytest

from registration.engine.capacity import (
    Change,
    Declined,
    Phase,
    Place,
    PlaceRules,
    Promotion,
    Room,
    SeatTakenBy,
    Standing,
    Until,
    accept,
    changes,
    confirm,
    confirm_all,
    decline,
    drawn,
    lapse,
    lowest_free_seat,
    no_show,
    place_of,
    promote_by_hand,
    register,
    started,
    why_nobody_moves,
    withdraw,
)
from registration.tests.engine.presets import kyiv, parsed
from tourney.kernel.errors import TourneyError

NOW = kyiv("2026-01-20T10:00")
BY_DEPOSIT = PlaceRules(capacity=3, seat_taken_by=SeatTakenBy.DEPOSIT)


def full(names, rules=BY_DEPOSIT):
    room = Room(rules)
    for name in names:
        room = confirm(room, name, NOW)
    return room


@pytest.mark.clause("K3.1")
@pytest.mark.clause("K3.3")
def test_thirty_two_places_then_an_ordered_reserve_list():
    names = [f"{number:02}" for number in range(1, 36)]

    room = full(names, parsed("second-chance-32").section("main").places)

    assert room.main == tuple(names[:32])
    assert room.reserve == ("33", "34", "35")
    assert place_of(room, "34") == Place(Standing.RESERVE, 2)


@pytest.mark.clause("K4.3")
def test_place_is_taken_by_the_deposit_not_by_the_form():
    room = Room(BY_DEPOSIT)
    for name in "abcd":
        room = register(room, name, NOW)
    assert (room.main, room.reserve, room.free) == ((), (), 3)

    for name in "dcba":
        room = confirm(room, name, NOW)

    assert (room.main, room.reserve) == (("d", "c", "b"), ("a",))


@pytest.mark.clause("K3.4")
def test_withdrawal_frees_the_place_exactly_once():
    room = full("abcde")

    once = withdraw(room, "b", NOW)

    assert (once.main, once.reserve) == (("a", "c", "d"), ("e",))
    with pytest.raises(TourneyError) as caught:
        withdraw(once, "b", NOW)
    assert caught.value.code == "place.unknown"


@pytest.mark.clause("K3.4")
def test_newcomer_never_overtakes_a_reserve_whatever_comes_first():
    room = full("abcd")

    paid_first = withdraw(confirm(room, "new", NOW), "a", NOW)
    left_first = confirm(withdraw(room, "a", NOW), "new", NOW)

    assert paid_first.main == left_first.main == ("b", "c", "d")
    assert paid_first.reserve == left_first.reserve == ("new",)


@pytest.mark.clause("K3.3")
def test_two_deposits_for_the_last_place_give_it_once():
    for order in permutations("xy"):
        room = full([*"ab", *order])

        assert (len(room.main), len(room.reserve)) == (3, 1)


def test_confirm_twice_changes_nothing():
    room = full("abcd")

    assert confirm(confirm(room, "a", NOW), "d", NOW) == room


def test_who_returns_goes_to_the_end():
    room = confirm(withdraw(full("abcd"), "a", NOW), "a", NOW)

    assert (room.main, room.reserve) == (("b", "c", "d"), ("a",))


def test_deposits_of_one_statement_are_ordered_by_payment_then_form_then_name():
    minute = timedelta(minutes=1)
    paid = [(NOW, NOW, "d"), (NOW, NOW - minute, "c"), (NOW - minute, NOW, "b"), (NOW, NOW, "a")]

    room = confirm_all(Room(BY_DEPOSIT), paid, NOW)

    assert (room.main, room.reserve) == (("b", "c", "a"), ("d",))


@pytest.mark.clause("K3.4")
def test_declined_place_goes_to_the_next_and_the_decliner_leaves():
    room = decline(withdraw(full("abcde"), "a", NOW), "d", NOW)

    assert (room.main, room.reserve) == (("b", "c", "e"), ())
    assert place_of(room, "d") == Place(Standing.WITHDRAWN, 0)


def test_decliner_goes_to_the_end_where_the_regulation_says_so():
    rules = PlaceRules(capacity=3, seat_taken_by=SeatTakenBy.DEPOSIT, declined_offer=Declined.TO_THE_END)

    others = decline(withdraw(full("abcde", rules), "a", NOW), "d", NOW)
    alone = decline(withdraw(full("abcd", rules), "a", NOW), "d", NOW)

    assert (others.main, others.reserve) == (("b", "c", "e"), ("d",))
    assert (alone.main, alone.reserve, alone.free) == (("b", "c"), ("d",), 1)


@pytest.mark.clause("K3.4")
def test_nobody_moves_by_himself_after_the_draw_but_the_organizer_may_until_the_start():
    room = drawn(full("abcde"))

    missing = withdraw(room, "b", NOW)
    assert (missing.main, missing.reserve, why_nobody_moves(missing)) == (("a", "c"), ("d", "e"), "by_hand_only")

    by_hand = promote_by_hand(missing, "e")
    assert (by_hand.main, by_hand.reserve) == (("a", "c", "e"), ("d",))
    with pytest.raises(TourneyError) as none_free:
        promote_by_hand(by_hand, "d")
    with pytest.raises(TourneyError) as too_late:
        promote_by_hand(started(missing), "d")
    assert (none_free.value.code, too_late.value.code) == ("place.no_free_place", "place.already_started")


@pytest.mark.clause("K3.4")
def test_no_show_after_the_draw_keeps_the_place_until_the_organizer_replaces_him():
    room = no_show(drawn(full("abcd")), "b", NOW)
    assert (room.main, room.absent, room.reserve) == (("a", "b", "c"), ("b",), ("d",))

    replaced = promote_by_hand(room, "d", instead_of="b")

    assert (replaced.main, replaced.absent, replaced.reserve) == (("a", "c", "d"), ("b",), ())


def test_no_show_is_replaced_at_once_where_reserves_move_up_to_the_start():
    rules = PlaceRules(capacity=3, seat_taken_by=SeatTakenBy.DEPOSIT, promotion_until=Until.START)

    room = no_show(drawn(full("abcd", rules)), "b", NOW)

    assert (room.main, room.absent, room.reserve) == (("a", "c", "d"), ("b",), ())
    last = no_show(room, "a", NOW)
    assert (last.main, last.free) == (("a", "c", "d"), 0)


def test_newcomer_after_the_draw_waits_behind_the_reserves_even_with_a_free_place():
    room = confirm(withdraw(drawn(full("abcd")), "a", NOW), "new", NOW)

    assert (room.main, room.reserve) == (("b", "c"), ("d", "new"))


OFFERS = PlaceRules(capacity=2, seat_taken_by=SeatTakenBy.DEPOSIT, promotion=Promotion.OFFER, offer_hours=12)


@pytest.mark.clause("K3.4")
def test_offer_holds_the_place_until_its_deadline():
    room = withdraw(full("abcd", OFFERS), "a", NOW)
    until = NOW + timedelta(hours=12)

    assert place_of(room, "c") == Place(Standing.OFFERED, 1, until)
    assert (room.free, why_nobody_moves(room)) == (0, "offer_open")
    assert accept(room, "c", until).main == ("b", "c")
    with pytest.raises(TourneyError) as late:
        accept(room, "c", until + timedelta(seconds=1))
    with pytest.raises(TourneyError) as not_asked:
        accept(room, "d", NOW)
    assert (late.value.code, not_asked.value.code) == ("place.offer_expired", "place.no_offer")


@pytest.mark.clause("K3.4")
def test_unanswered_offer_goes_to_the_next():
    room = withdraw(full("abcd", OFFERS), "a", NOW)
    later = NOW + timedelta(hours=12, seconds=1)

    assert lapse(room, NOW + timedelta(hours=12)) == room
    lapsed = lapse(room, later)

    assert place_of(lapsed, "c") == Place(Standing.EXPIRED, 0)
    assert place_of(lapsed, "d") == Place(Standing.OFFERED, 1, later + timedelta(hours=12))


def test_draw_closes_open_offers():
    room = drawn(withdraw(full("abcd", OFFERS), "a", NOW))

    assert (room.main, room.reserve, room.phase) == (("b",), ("c", "d"), Phase.DRAWN)
    assert place_of(room, "c") == Place(Standing.RESERVE, 1)


HOLD = PlaceRules(capacity=2, seat_taken_by=SeatTakenBy.REGISTRATION, hold_hours=48)


def test_place_held_by_registration_is_lost_without_a_deposit():
    room = Room(HOLD)
    for name in "abc":
        room = register(room, name, NOW)
    room = confirm(room, "a", NOW + timedelta(hours=1))
    room = confirm(room, "c", NOW + timedelta(hours=1))

    lapsed = lapse(room, NOW + timedelta(hours=48, seconds=1))

    assert (lapsed.main, lapsed.reserve) == (("a", "c"), ())
    assert place_of(lapsed, "b") == Place(Standing.AWAITING_DEPOSIT, 0)
    assert confirm(lapsed, "b", NOW).reserve == ("b",)


def test_registration_takes_the_place_for_good_where_no_deposit_is_asked():
    room = Room(PlaceRules(capacity=1))
    for name in "ab":
        room = register(room, name, NOW)

    assert (room.main, room.reserve) == (("a",), ("b",))
    assert lapse(room, NOW + timedelta(days=400)) == room


def test_room_without_a_limit_has_no_reserve_list():
    room = full([str(number) for number in range(200)], PlaceRules())

    assert (len(room.main), room.reserve, room.free) == (200, (), None)


def test_changes_name_everybody_an_event_touched():
    before = full("abcd")

    after = withdraw(before, "b", NOW)

    assert changes(before, after) == (
        Change("b", Standing.CONFIRMED, Standing.WITHDRAWN),
        Change("d", Standing.RESERVE, Standing.CONFIRMED),
    )
    assert changes(before, before) == ()


def test_strangers_are_refused():
    room = full("a")

    for act in (withdraw, decline, no_show):
        with pytest.raises(TourneyError) as caught:
            act(room, "z", NOW)
        assert caught.value.code == "place.unknown"
    with pytest.raises(TourneyError) as caught:
        place_of(room, "z")
    assert caught.value.code == "place.unknown"


def test_lowest_free_seat_fills_the_gap():
    assert lowest_free_seat([1, 2, 4], 4) == 3
    assert lowest_free_seat([1, 2, 3, 4], 4) is None
    assert lowest_free_seat([], None) == 1


@pytest.mark.parametrize("seed", range(20))
def test_random_events_never_sell_a_place_twice_nor_leave_one_empty(seed):
    """Whatever happens: at most the capacity plays, and while reserves move by themselves no place stays empty."""
    chance = random.Random(seed)
    promotion = chance.choice([Promotion.AUTOMATIC, Promotion.OFFER])
    rules = PlaceRules(capacity=4, seat_taken_by=SeatTakenBy.DEPOSIT, promotion=promotion, offer_hours=2)
    room, now = Room(rules), NOW
    for step in range(120):
        now += timedelta(minutes=chance.randint(0, 90))
        name = chance.choice("abcdefghij")
        act = chance.choice([confirm, confirm, withdraw, decline, accept])
        room = lapse(room, now)
        try:
            room = act(room, name, now)
        except TourneyError:
            continue
        taken = len(room.main) + len(room.of(Standing.OFFERED))
        waiting = room.of(Standing.RESERVE)
        assert taken <= 4, (seed, step)
        assert taken == 4 or not waiting, (seed, step)
