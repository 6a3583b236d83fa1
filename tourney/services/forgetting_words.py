"""How a name is found in what is said of games, and what stands in its place.

The name is found as records are placed: as it is written for sure, with a slip that means nobody else, and however it
is written in a record of one of the player's games. Comments of the player's records lose the surname.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from tourney.game_finders import finder_of
from tourney.game_matching import Finder
from tourney.game_names import fits, sounds
from tourney.models import Entry, Player, Tournament
from tourney.pgn_text import chunks, escaped

# A tag as it should be, or with a quote too few; the reader takes both, wherever they stand in a line.
_SIDE = re.compile(r'(\[\s*(White|Black)\s*")((?:[^"\\\r\n]|\\.){0,5000})(")', re.IGNORECASE)
_LOOSE_SIDE = re.compile(r'(\[\s*(White|Black)\b\s*"?)([^"\]\r\n]{0,5000})(\])', re.IGNORECASE)
_PERSONAL = re.compile(r'(\[\s*(?:(White|Black)(?:FideId|Team|Title)|Annotator)\s*")([^"\r\n]*)(")', re.IGNORECASE)
_COMMENT = re.compile(r"\{[^}]*(?:\}|\Z)|;[^\r\n]*")
_NAME = re.compile(r"[^\W\d_][\w'’ʼ`-]*")
_LINES = re.compile(r"(\r\n|\r|\n)")
_KEYS = ("white", "black")
_FIELDS = ("surname", "given_name", "patronymic", "latin_name", "fide_id")


@dataclass(frozen=True, slots=True)
class Forgotten:
    """A player whose name goes: what means it, what stands instead, and which games are theirs, on which side."""

    entry: int
    instead: str
    means: Callable[[str], bool]
    in_comments: Callable[[str], str]
    mine: Mapping[int, str]

    def told(self, text: str) -> str:
        """Return a whole name as it is told from now on."""
        return self.instead if self.means(text) else text

    def side_in(self, tags: Mapping[str, str]) -> str:
        """Return the side whose tag is the name, "" for none: a record of no game here may be theirs as well."""
        return next((side for side in _KEYS if self.means(tags.get(side.title(), ""))), "")

    def in_record(self, text: str, side: str) -> str:
        """Return a record of a file without the name; `side`: which one is theirs, "" for a game of others."""
        return _sides_renamed(self.in_comments(text) if side else text, self.told, self.instead, side)

    def in_line(self, line: dict[str, Any], side: str = "") -> dict[str, Any]:
        """Return a line of a report or of the log that names both sides of a game."""
        names = {key: self.instead if key == side else self.told(str(line[key])) for key in _KEYS if key in line}
        return {**line, **names}


def known_of(player: Player) -> dict[str, str]:
    """Return what files may call a player by, as plain data."""
    return {name: getattr(player, name) for name in _FIELDS}


def finder_as_before(tournament: Tournament, names: Mapping[int, Mapping[str, str]]) -> Finder:
    """Return the finder over an event's games by the names of its players; `names`: of those who lost theirs since."""
    return finder_of(tournament, {entry: Player(**known) for entry, known in names.items()})


def forgotten(entry: Entry, known: Mapping[str, str], instead: str, finder: Finder) -> Forgotten:
    """Return a player whose name goes. Two queries."""
    player = Player(**known)
    mine = dict.fromkeys(entry.games_white.values_list("pk", flat=True), "white")
    mine |= dict.fromkeys(entry.games_black.values_list("pk", flat=True), "black")
    surnames = {word for name in (player.surname, player.latin_name) for word in sounds(name)[:1]}
    whole = sounds(f"{player.full_name} {player.latin_name}")

    @cache
    def means(text: str) -> bool:
        said = sounds(text)
        return (bool(surnames & set(said)) and fits(said, whole)) or finder.most_likely(text) == entry.pk

    return Forgotten(entry.pk, instead, means, _without(surnames, instead), mine)


def _without(surnames: set[str], instead: str) -> Callable[[str], str]:
    """Return a function that takes a surname out of the comments of a text of moves."""

    def name(found: re.Match[str]) -> str:
        return instead if surnames & set(sounds(found[0])) else found[0]

    return lambda text: _COMMENT.sub(lambda comment: _NAME.sub(name, comment[0]), text)


def records(text: str) -> Iterator[tuple[Mapping[str, str], str]]:
    """Yield the records of a text with their tags; together they are the whole text."""
    found = _LINES.split(text)  # lines and what ends them in turn
    lines = [line + end for line, end in zip(found[::2], [*found[1::2], ""], strict=True)]
    heads = [(chunk.line, chunk.tags) for chunk in chunks(text)]
    if not heads:
        yield {}, text
    for index, (line, tags) in enumerate(heads):
        begin = 0 if index == 0 else line - 1
        end = heads[index + 1][0] - 1 if index + 1 < len(heads) else len(lines)
        yield tags, "".join(lines[begin:end])


def _sides_renamed(text: str, told: Callable[[str], str], instead: str, side: str) -> str:
    """Rename a player in the tags of a record; in one of their own games (`side`) the number of FIDE goes as well."""

    def renamed(found: re.Match[str]) -> str:
        said = found[3].rstrip()
        name = instead if found[2].lower() == side else told(said)
        return found[0] if name == said else f"{found[1]}{escaped(name)}{found[4]}"

    def emptied(found: re.Match[str]) -> str:
        is_own = found[2] is None or found[2].lower() == side
        return f"{found[1]}{found[4]}" if side and is_own else found[0]

    return _PERSONAL.sub(emptied, _LOOSE_SIDE.sub(renamed, _SIDE.sub(renamed, text)))
