"""A name that must be known no longer, taken out of what is said of games: kept files, their reports, games, the log.

A file is kept as it was handed in, so that it can be read again; of a person who is erased it keeps the moves only. The
name is found as records are placed: as it is written for sure, with a slip that means nobody else, and however it is
written in a record of one of the player's games. Comments of these games lose the surname.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from django.db.models import Q

from tourney.game_finders import finder_of
from tourney.game_matching import Finder
from tourney.game_names import fits, sounds
from tourney.models import ActionLog, BoardFeed, Entry, Game, GameImport, GameImportPart, LiveGame, Player
from tourney.pgn_text import chunks, escaped

# A tag as it should be, or with a quote too few; the reader takes both, wherever they stand in a line.
_SIDE = re.compile(r'(\[\s*(White|Black)\s*")((?:[^"\\\r\n]|\\.){0,5000})(")', re.IGNORECASE)
_LOOSE_SIDE = re.compile(r'(\[\s*(White|Black)\b\s*"?)([^"\]\r\n]{0,5000})(\])', re.IGNORECASE)
_PERSONAL = re.compile(r'(\[\s*(?:(White|Black)(?:FideId|Team|Title)|Annotator)\s*")([^"\r\n]*)(")', re.IGNORECASE)
_COMMENT = re.compile(r"\{[^}]*(?:\}|\Z)|;[^\r\n]*")
_NAME = re.compile(r"[^\W\d_][\w'’ʼ`-]*")
_LINES = re.compile(r"(\r\n|\r|\n)")
_KEYS = ("white", "black")


def forget_name(entry: Entry, *, instead: str) -> None:
    """Write another name for a player who is still called as before, wherever files of games say it."""
    event = entry.tournament
    finder = finder_of(event)
    means = _reader(entry, finder)

    def told(text: str) -> str:
        return instead if means(text) else text

    in_comments = _without_surname(entry.player, instead)
    mine = dict.fromkeys(entry.games_white.values_list("pk", flat=True), "white")
    mine |= dict.fromkeys(entry.games_black.values_list("pk", flat=True), "black")
    for known in GameImport.objects.filter(tournament=event):
        _forget_in_file(known, entry.pk, finder, mine, told, instead, in_comments)
    # Each row is held while it is read and written: nobody's moves of the same moment are lost.
    games = Game.objects.select_for_update(of=("self",)).filter(pk__in=mine)
    for game in games.filter(Q(pgn__contains="{") | Q(pgn__contains=";")).order_by("pk").only("pk", "pgn"):
        if (text := in_comments(game.pgn)) != game.pgn:
            Game.objects.filter(pk=game.pk).update(pgn=text)
    live_ones = LiveGame.objects.select_for_update(of=("self",)).filter(Q(white=entry) | Q(black=entry))
    for live in live_ones.filter(Q(text__contains="{") | Q(text__contains=";")).order_by("pk").only("pk", "text"):
        if (text := in_comments(live.text)) != live.text:
            LiveGame.objects.filter(pk=live.pk).update(text=text)
    for feed in BoardFeed.objects.filter(tournament=event):
        problems = [_renamed(line, told) for line in feed.problems]
        if problems != feed.problems:
            feed.problems = problems
            feed.save(update_fields=["problems"])
    for line in ActionLog.objects.filter(tournament=event, action__startswith="games."):
        data = _renamed(line.data, told, instead, mine.get(line.data.get("game", 0), ""))
        if data != line.data or means(line.actor_label):
            line.data, line.actor_label = data, told(line.actor_label)
            line.save(update_fields=["data", "actor_label"])


def _forget_in_file(
    known: GameImport,
    player: int,
    finder: Finder,
    mine: Mapping[int, str],
    told: Callable[[str], str],
    instead: str,
    in_comments: Callable[[str], str],
) -> None:
    """Rename a player in a kept file and in what its report says. `mine`: the player's games, and on which side."""
    placings = dict(known.placings.order_by("pk").values_list("number", "game_id"))
    sides: dict[int, str] = {}  # record of the file → the side of the player, where the record is a game of theirs
    before = 0
    for pk in list(GameImportPart.objects.filter(game_import=known).values_list("pk", flat=True)):
        part = GameImportPart.objects.select_for_update(of=("self",)).get(pk=pk)
        text = bytes(part.content).decode(errors="replace")
        pieces = []
        here: dict[int, str] = {}
        for number, (tags, piece) in enumerate(_records(text), 1):
            game = None
            if before + number in placings:
                game = placings[before + number]
            elif finder.may_name(player, tags):
                game = finder.find(tags, "").pk
            if side := mine.get(game or 0, ""):
                here[number] = side
                piece = in_comments(piece)
            pieces.append(_sides_renamed(piece, told, instead, side))
        after = "".join(pieces)
        lines = [_renamed(line, told, instead, here.get(line["number"], "")) for line in part.lines]
        if after != text or lines != part.lines:
            part.content, part.lines = after.encode(), lines
            part.save(update_fields=["content", "lines"])
        sides |= {before + number: side for number, side in here.items()}
        before += part.games or 0
    problems = [
        _renamed(line, told, instead, sides.get(line["number"], "")) for line in known.report.get("problems", [])
    ]
    if problems != known.report.get("problems", []):
        known.report = {**known.report, "problems": problems}
        known.save(update_fields=["report"])


def _records(text: str) -> Iterator[tuple[Mapping[str, str], str]]:
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


def _renamed(line: dict[str, Any], told: Callable[[str], str], instead: str = "", side: str = "") -> dict[str, Any]:
    return {**line, **{key: instead if key == side else told(str(line[key])) for key in _KEYS if key in line}}


def _reader(entry: Entry, finder: Finder) -> Callable[[str], bool]:
    """Return whether a text is a player's name: the surname and nothing that is no part of the name, or nearly that."""
    player = entry.player
    surnames = _surnames(player)
    whole = sounds(f"{player.full_name} {player.latin_name}")

    @cache
    def means(text: str) -> bool:
        words = sounds(text)
        return (bool(surnames & set(words)) and fits(words, whole)) or finder.most_likely(text) == entry.pk

    return means


def _surnames(player: Player) -> set[str]:
    return {word for name in (player.surname, player.latin_name) for word in sounds(name)[:1]}


def _without_surname(player: Player, instead: str) -> Callable[[str], str]:
    """Return a function that takes a surname out of the comments of a text of moves."""
    surnames = _surnames(player)

    def name(found: re.Match[str]) -> str:
        return instead if surnames & set(sounds(found[0])) else found[0]

    return lambda text: _COMMENT.sub(lambda comment: _NAME.sub(name, comment[0]), text)
