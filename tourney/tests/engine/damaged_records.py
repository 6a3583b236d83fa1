"""Made-up events and records of their games as people write them: letters, order, initials, slips, missing facts."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from tourney.demo.people import Crowd, Person
from tourney.game_matching import Candidate
from tourney.kernel.chance import Chance
from tourney.latin import latin

FIRST_DAY = dt.date(2026, 1, 24)
RESULTS = ("1-0", "1/2-1/2", "0-1")
ALPHABETS = {True: "абвгдежзиклмнопрстуфхцчшя", False: "abcdefghijklmnoprstuvyz"}


@dataclass(frozen=True, slots=True)
class Event:
    """Games, and under their players' numbers the people."""

    games: tuple[Candidate, ...]
    people: dict[int, Person]

    @property
    def names(self) -> dict[int, list[str]]:
        return {pk: [f"{one.surname} {one.given_name}"] for pk, one in self.people.items()}


def _people(players: int, seed: str) -> dict[int, Person]:
    crowds = [Crowd("uk", seed), Crowd("ru", seed)]
    return {pk: crowds[pk % 2].next("MF"[pk // 2 % 2]) for pk in range(1, players + 1)}


def swiss(players: int, rounds: int, seed: str) -> Event:
    """Return an event where nobody meets an opponent twice (a circle of players turning round by round)."""
    chance = Chance.labelled(seed, "games")
    people = _people(players, seed)
    ring = chance.shuffle(list(people))
    games = []
    for round_ in range(1, rounds + 1):
        for board, (one, other) in enumerate(zip(ring[: players // 2], reversed(ring[players // 2 :]), strict=True), 1):
            white, black = chance.shuffle([one, other])
            day = FIRST_DAY + dt.timedelta(days=(round_ - 1) // 2)
            result = chance.choice(RESULTS)
            games.append(Candidate(len(games) + 1, white, black, "A", round_, board, result=result, day=day))
        ring = [ring[0], ring[-1], *ring[1:-1]]
    return Event(tuple(games), people)


def knockout(players: int, seed: str) -> Event:
    """Return the matches of a bracket: two games 3+2, often two of 2+1, sometimes an Armageddon."""
    chance = Chance.labelled(seed, "games")
    people = _people(players, seed)
    alive, games, round_ = chance.shuffle(list(people)), [], 1
    while len(alive) > 1:
        for place, (one, other) in enumerate(list(pairwise(alive))[::2], 1):
            last = chance.choice((2, 2, 4, 4, 5))
            for number in range(1, last + 1):
                white, black = (one, other) if number % 2 else (other, one)
                clock = "180+2" if number < 3 else "120+1" if number < 5 else "?"
                games.append(
                    Candidate(
                        len(games) + 1,
                        white,
                        black,
                        "A",
                        match=f"U{round_}.{place}",
                        number=number,
                        result=chance.choice(RESULTS),
                        day=FIRST_DAY,
                        clock=clock,
                    )
                )
        alive, round_ = alive[::2], round_ + 1
    return Event(tuple(games), people)


def records(event: Event, seed: str) -> Iterator[tuple[Candidate, dict[str, str], str]]:
    """Yield each game with the tags and the result a careless person wrote for it."""
    chance = Chance.labelled(seed, "damage")
    for one in event.games:
        white, black = (written(event.people[pk], chance) for pk in (one.white, one.black))
        tags = {"White": white, "Black": black}
        if chance.below(100) < 88:
            place = one.match[1:].split(".") if one.match else []
            tags["Round"] = ".".join([*place, str(one.number)]) if one.match else str(one.round)
        if one.board and chance.below(100) < 50:
            tags["Board"] = str(one.board if chance.below(20) else one.board + 1)
        if chance.below(100) < 70:
            tags["Date"] = f"{(one.day if chance.below(8) else FIRST_DAY):%Y.%m.%d}"
        if one.clock not in ("", "?") and chance.below(2):
            tags["TimeControl"] = one.clock
        yield one, tags, one.result if chance.below(50) else chance.choice(RESULTS)


def written(person: Person, chance: Chance) -> str:
    """Return a name as somebody writes it."""
    surname, given = person.surname, person.given_name
    letters = chance.choice(("as it is", "as it is", "uk", "ru", "books"))
    if letters == "uk" or letters == "ru":
        surname, given = latin(surname, letters).title(), latin(given, letters).title()
    elif letters == "books":
        surname, given = (_as_books_do(word).title() for word in (surname, given))
    if chance.below(100) < 6:
        if chance.below(3):
            surname = _slip(surname, chance)
        else:
            given = _slip(given, chance)
    shapes: tuple[Callable[[], str], ...] = (
        lambda: f"{surname}, {given}",
        lambda: f"{surname} {given}",
        lambda: f"{given} {surname}",
        lambda: f"{surname},{given[0]}.",
        lambda: f"{given[0]}. {surname}",
        lambda: f"{surname} {given} {person.patronymic}".strip(),
        lambda: f"{surname.upper()} {given}",
    )
    return chance.choice(shapes)()


def _as_books_do(word: str) -> str:
    for cyrillic, letters in (("й", "j"), ("ю", "yu"), ("я", "ya"), ("х", "h"), ("ц", "c"), ("в", "w"), ("и", "i")):
        word = word.replace(cyrillic, letters).replace(cyrillic.upper(), letters)
    return latin(word, "ru")


def _slip(word: str, chance: Chance) -> str:
    """Return a word with a letter left out, doubled wrongly, changed or exchanged with the next."""
    at = chance.below(len(word) - 1)
    letter = chance.choice(ALPHABETS[not word.isascii()])
    return chance.choice(
        (
            word[:at] + word[at + 1 :],
            word[:at] + letter + word[at:],
            word[:at] + letter + word[at + 1 :],
            word[:at] + word[at + 1] + word[at] + word[at + 2 :],
        )
    )
