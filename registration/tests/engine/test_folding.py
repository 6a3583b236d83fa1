"""One skeleton for a name, whichever letters it is written in; and what one slip of a finger is."""

from __future__ import annotations

import itertools

import pytest

from registration.ratings.folding import cuts, far_slips, fold_word, fold_words, is_one_slip_apart


@pytest.mark.parametrize(
    "spellings",
    [
        ("Григорьев", "Григор'єв", "Grigoriev", "Hryhoriev", "GRIGORYEV"),
        ("Евгений", "Євгеній", "Yevhenii", "Evgeny"),
        ("Щербаков", "Shcherbakov"),
        ("Мария", "Марія", "Maria", "Mariya"),
        ("Юрий", "Юрій", "Yuri", "Iurii", "Yury"),
        ("Артём", "Артем", "Artem", "Artyom"),
        ("Карлсен", "Carlsen"),
        ("Эльянов", "Ельянов", "Eljanov"),
        ("Хисматуллин", "Khismatullin"),
        ("Оксана", "Oksana", "Oxana"),
        ("Müller", "Muller", "Мюллер"),
        ("Мар’яна", "Мар'яна", "Маряна"),
    ],
)
def test_a_name_folds_alike_in_every_spelling(spellings: tuple[str, ...]) -> None:
    assert len({fold_words(one) for one in spellings}) == 1


def test_different_people_stay_different() -> None:
    names = ["Бондар Іван", "Бондаренко Іван", "Ivanov, Petr", "Ivanova, Petra", "Шевченко Олена", "Левченко Олена"]

    assert len({fold_words(one) for one in names}) == len(names)


def test_words_of_signs_and_other_scripts_fold_to_nothing_or_to_letters() -> None:
    assert fold_words("😀 = ( ) «»") == ()
    assert all(word.isascii() and word.isalnum() for word in fold_words("=1+1 Łukasz Ñandú Æsir 123"))


def test_two_words_one_slip_apart_share_a_cut_and_others_are_told_apart() -> None:
    words = ["".join(letters) for size in range(1, 5) for letters in itertools.product("abc", repeat=size)]

    for first, second in itertools.product(words, words[:60]):
        if is_one_slip_apart(first, second):
            assert cuts(first) & cuts(second), (first, second)
    assert is_one_slip_apart("ivanov", "ivnaov")
    assert is_one_slip_apart("ivanov", "ivanv")
    assert is_one_slip_apart("ivanov", "ivanoov")
    assert is_one_slip_apart("ivanov", "ivonov")
    assert not is_one_slip_apart("ivanov", "avinov")
    assert not is_one_slip_apart("ivanov", "ivan")


@pytest.mark.parametrize(
    "name", ["Kolola", "Fisaveez", "Shevchenko", "Takashvili", "Botofeteskyi", "Щукіна", "Ляхович"]
)
def test_whatever_one_letter_does_to_the_skeleton_the_name_is_reached(name: str) -> None:
    own, letters = fold_word(name), "aehkswxyz" if name.isascii() else "аеийкхшьюя"
    typed = {name[:at] + name[at + 1 :] for at in range(len(name))}
    typed |= {name[:at] + name[at + 1] + name[at] + name[at + 2 :] for at in range(len(name) - 1)}
    typed |= {name[:at] + one + name[at:] for at in range(len(name) + 1) for one in letters}
    typed |= {name[:at] + one + name[at + 1 :] for at in range(len(name)) for one in letters}

    unreached = [one for one in typed if not is_one_slip_apart(fold_word(one), own) and own not in far_slips(one)]

    assert unreached == []
    assert any(not is_one_slip_apart(fold_word(one), own) for one in typed)  # the skeleton alone would not do
    assert far_slips("x" * 25) == set()
