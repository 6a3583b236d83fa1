"""What the report file says of a group that is to be played by the book."""

from __future__ import annotations

from swiss.models import ReportResult
from tourney.kernel.by_the_book import RULES
from tourney.models import Stage
from tourney.services.by_the_book import is_strict


def report_results(stage: Stage) -> dict[tuple[int, int, int], str]:
    """Return the results the rating report has instead of those of the standings: (round, white, black) → result.

    One query, or none for a group that is not to be played by the book.
    """
    if not is_strict(stage):
        return {}
    rows = ReportResult.objects.filter(game__stage=stage, ended_at=None)
    found = rows.values_list("game__round_number", "game__white_id", "game__black_id", "outcome")
    return {(number or 0, white, black): outcome for number, white, black, outcome in found}


def report_lines(stage: Stage) -> tuple[str, ...]:
    """Return the comment lines of the report file about what was bent: kind, round, before and after. One query."""
    if not is_strict(stage):
        return ()
    lines = []
    for bent in stage.bent_rules.filter(undone_at=None):
        rule = RULES.get(bent.act)
        if rule is None:
            continue
        sides = [" ".join(map(str, side)) for side in (bent.before, bent.after) if side]
        only = " (report only)" if bent.act == "report_result" else ""
        lines.append(f"{rule.report} @ Round {bent.round_number}: {' => '.join(sides) or bent.act}{only}")
    if stage.section.left_book_round is not None:
        lines.append(f"FIDE mode exited @ Round {stage.section.left_book_round}")
    return tuple(lines)
