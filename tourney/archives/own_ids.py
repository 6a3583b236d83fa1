"""Where the core's own plain data names rows by their keys (see `tourney.archives.ids`)."""

from __future__ import annotations

from typing import Any

from tourney.archives import ids

ENTRY = "tourney.Entry"
# Words in a line of the log, besides `entry` and whatever ends in `_entry`; other numbers are told, never looked up.
_IN_LOG = {"lists": "tourney.PlacementList", "lot": "tourney.Lot", "row": "registration.BankRow"}


def register() -> None:
    """Called once from `tourney.panels_core`."""
    ids.register_rewriter("tourney.ActionLog.data", _line_of_the_log)
    ids.register(
        "tourney.EntryEvent.data",
        ("instead_of", ENTRY),
        ("replaced_by", ENTRY),
        ("claim", "registration.Claim"),
    )
    ids.register(
        "tourney.ResultOperation.claim",
        *((side, ENTRY) for side in ("white", "black", "a", "b")),
        ("game", "tourney.Game"),
        ("stage", "tourney.Stage"),
    )
    for field, lines in (("tourney.GameImportPart.lines", "*"), ("tourney.GameImport.report", "problems.*")):
        games = (f"{lines}.game", f"{lines}.values.game", f"{lines}.values.suggestions.*")
        ids.register(field, *((path, "tourney.Game") for path in games))
    ids.register(
        "tourney.BentRule.snapshot",
        ("report_result", "swiss.ReportResult"),
        ("game", "tourney.Game"),
        ("pairing", "swiss.Pairing"),
        ("draft", "swiss.Round"),
    )
    ids.register(
        "tourney.Broadcast.boards",
        ("*.id", "tourney.LiveGame"),
        ("*.stage", "tourney.Stage"),
        ("*.white", ENTRY),
        ("*.black", ENTRY),
        ("*.game", "tourney.Game"),
    )
    ids.register_task("tourney.import_games", "tourney.GameImport")


def _line_of_the_log(data: Any, swap: ids.Swap) -> Any:
    if not isinstance(data, dict):
        return data
    changed = dict(data)
    for word, value in data.items():
        label = ENTRY if word == "entry" or word.endswith("_entry") else _IN_LOG.get(word)
        if label and isinstance(value, int) and not isinstance(value, bool):
            changed[word] = swap(label, value)
        elif label and isinstance(value, list):
            changed[word] = [swap(label, one) if isinstance(one, int) else one for one in value]
    return changed
