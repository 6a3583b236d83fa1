"""The payment reference: found in any purpose, in either script, and never by accident of one wrong character."""

from __future__ import annotations

import random

import pytest

from registration.engine.reference import ALPHABET, LENGTH, SPACE, compose, find, fold, is_valid
from tourney.kernel.errors import TourneyError

CYRILLIC = str.maketrans("ACEHKMPTXY3", "АСЕНКМРТХУЗ")


def some(count=300):
    chance = random.Random(7)
    return [compose(chance.randrange(SPACE)) for _ in range(count)]


def test_every_number_has_its_own_reference():
    assert (len(ALPHABET), SPACE) == (26, 11_881_376)
    assert len({compose(number) for number in range(5_000)}) == 5_000
    assert all(len(reference) == LENGTH and is_valid(reference) for reference in some())
    for number in (-1, SPACE):
        with pytest.raises(TourneyError) as caught:
            compose(number)
        assert caught.value.code == "reference.out_of_range"


def test_any_single_wrong_character_is_noticed():
    for reference in some(40):
        for place in range(LENGTH):
            for other in ALPHABET.replace(reference[place], ""):
                assert not is_valid(reference[:place] + other + reference[place + 1 :])


def test_nearly_every_swap_of_neighbours_is_noticed():
    swapped = [
        reference[:place] + reference[place + 1] + reference[place] + reference[place + 2 :]
        for reference in some()
        for place in range(LENGTH - 1)
        if reference[place] != reference[place + 1]
    ]

    missed = sum(is_valid(text) for text in swapped)

    assert missed * 100 < len(swapped)


def test_reference_typed_on_a_cyrillic_keyboard_is_the_same():
    for reference in some():
        assert fold(reference.translate(CYRILLIC).lower()) == reference


def test_characters_people_confuse_are_one():
    assert fold("8BВ 5S 2Z 3З 4Ч 6Б") == "888 55 22 33 44 66"


def test_reference_is_found_as_a_whole_word_only():
    first, second = some(2)
    cyrillic = first.translate(CYRILLIC)

    assert find(f"Турнирный взнос за Иванова, НДС не облагается. {first}") == (first,)
    assert find(f"внесок {cyrillic.lower()}; за себе й брата ({second})") == (first, second)
    assert find(f"{first}/{first} {second}.") == (first, second)
    assert find(f"{first}1 x{second}") == ()
    assert find("Турнирный взнос за участие, без НДС") == ()
