"""A name that must be known no longer, taken out of what is said of games: kept files, their reports, the log.

A file is kept as it was handed in, so that it can be read again; of a person who is erased it keeps the moves only. A
name written with a slip is not found: such a record was placed by nobody without being asked.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any

from tourney.game_names import fits, sounds
from tourney.models import ActionLog, BoardFeed, Entry, GameImport, GameImportPart, Player
from tourney.pgn_text import escaped

_SIDES = re.compile(r'^(\s*\[\s*(?:White|Black)\s+")((?:[^"\\\r\n]|\\.)*)(")', re.MULTILINE)
_KEYS = ("white", "black")


def forget_name(entry: Entry, *, instead: str) -> None:
    """Write another name for a player who is still called as before, wherever files of games say it."""
    means = _reader(entry.player)
    event = entry.tournament

    def told(text: str) -> str:
        return instead if means(text) else text

    def of_side(found: re.Match[str]) -> str:
        return f"{found[1]}{escaped(instead)}{found[3]}" if means(found[2]) else found[0]

    for part in GameImportPart.objects.filter(game_import__tournament=event).iterator(chunk_size=20):
        before = bytes(part.content).decode(errors="replace")
        after = _SIDES.sub(of_side, before)
        lines = _renamed(part.lines, told)
        if after != before or lines != part.lines:
            part.content, part.lines = after.encode(), lines
            part.save(update_fields=["content", "lines"])
    for known in GameImport.objects.filter(tournament=event):
        problems = _renamed(known.report.get("problems", []), told)
        if problems != known.report.get("problems", []):
            known.report = {**known.report, "problems": problems}
            known.save(update_fields=["report"])
    for feed in BoardFeed.objects.filter(tournament=event):
        problems = _renamed(feed.problems, told)
        if problems != feed.problems:
            feed.problems = problems
            feed.save(update_fields=["problems"])
    for line in ActionLog.objects.filter(tournament=event, action__startswith="games."):
        data = _renamed([line.data], told)[0]
        if data != line.data or means(line.actor_label):
            line.data, line.actor_label = data, told(line.actor_label)
            line.save(update_fields=["data", "actor_label"])


def _renamed(lines: list[dict[str, Any]], told: Callable[[str], str]) -> list[dict[str, Any]]:
    return [{**line, **{key: told(str(line[key])) for key in _KEYS if key in line}} for line in lines]


def _reader(player: Player) -> Callable[[str], bool]:
    """Return whether a text is a player's name: the surname, and nothing that is no part of the name."""
    surnames = {word for name in (player.surname, player.latin_name) for word in sounds(name)[:1]}
    whole = sounds(f"{player.full_name} {player.latin_name}")

    @cache
    def means(text: str) -> bool:
        words = sounds(text)
        return bool(surnames & set(words)) and fits(words, whole)

    return means
