"""The arbiter's command line: standings of a tournament report file, without a database."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any, TextIO

from prizes.engine.ranking import RankedEntry, Ranking, edition_of, rank
from prizes.engine.rules import parse_tie_breaks
from prizes.engine.tiebreaks import EDITIONS, KINDS, SYSTEMS, RankingOptions, TieBreakValue, format_value
from prizes.engine.tiebreaks.codes import Edition, System
from tourney.kernel import trf as reports
from tourney.kernel.errors import ImportFileError, TourneyError
from tourney.kernel.ids import EntryId
from tourney.kernel.points import format_points

MANUAL = """\
NAME
    standings - rank the players of a tournament report file by FIDE tie-breaks

SYNOPSIS
    python -m prizes.engine standings FILE [--order CODES]
        [--edition 2026|2023|virtual_opponent] [--system swiss|round_robin]
        [--national FEDERATION] [--unrated RATING] [--rounds N]
        [--absences-cut-by-value] [--why NUMBER] [--json]

DESCRIPTION
    Reads a report (TRF16 or TRF26; any line ends, UTF-8 or Windows code pages)
    and prints the standings: rank, pairing number, name, points and the value of
    every criterion. Equal ranks are shared places: nothing in the order parts
    them. Remarks about the file go to the standard error.

    The order is a list of codes with commas; points come first by themselves:

{codes}

    Cuts and medians follow a slash: BH/C1, BH/M1, SB/C1, ARO/C1, PS/C1. DE/P,
    BH/P and SB/P count forfeits as games, RTNG/R and TPN/R turn the order round.
    BHC1, BH:C1 and GE are understood. Buchholz kinds, AOB and REP don't exist in
    a round robin, KS doesn't in a Swiss.

OPTIONS
    --order CODES
        Default: what the file says in record 202 or 212.
    --edition 2026|2023|virtual_opponent
        Rules in force since 1 March 2026, or those before. Default: by the start
        date in record 042, else 2026. virtual_opponent, only when asked for: as
        before September 2023, when an unplayed game counted against an opponent
        made up for it, and as a draw for the opponents.
    --system swiss|round_robin
        Default: by record 092 or 192.
    --national FEDERATION
        Use the national ratings of that federation (lines such as RUS) for
        rating tie-breaks, not those in the player lines.
    --unrated RATING
        Stand-in for players without a rating. Without it rating tie-breaks are
        left out as soon as one player has no rating (C.07 article 10).
    --rounds N
        Rank after round N. Default: all rounds in which somebody was paired.
    --absences-cut-by-value
        Cut the lowest value even where a voluntary absence has a higher one (the
        event opted out of article 16.5).
    --why NUMBER
        Show what the values of that player are made of. * marks a value that was
        cut, with the reason.
    --json
        Everything as JSON, with the parts of every value. Scores are strings of
        digits ("15.5"), undefined values null.

EXAMPLES
    python -m prizes.engine standings u13.trf --order DE,BH/C1,BH,WIN,BPG,ARO
    python -m prizes.engine standings u9.trf --system round_robin --order DE,SB,WIN
    python -m prizes.engine standings open.trf --order BH/C1,BH,SB --why 12

EXIT STATUS
    0  standings were printed
    1  the file can't be read
    2  the command or the order of tie-breaks is wrong
"""


_REFUSALS = {
    "tiebreak.unknown": 'the tie-break "{got}" is unknown',
    "tiebreak.modifier": 'the tie-break "{got}" has no variant "{modifier}"',
    "tiebreak.twice": 'the tie-break "{got}" stands in the order twice',
    "tiebreak.not_in_system": 'the tie-break "{got}" can\'t be used in a {system}',
    "tiebreak.points_not_first": "points come first; leave PTS out or put it at the top",
    "tiebreak.lot_missing": "a report holds no lots, so LOT can't be used here",
    "standings.rounds": "there are standings after rounds 1 to {played}, not {got}",
}


def main(arguments: Sequence[str] | None = None, out: TextIO | None = None, err: TextIO | None = None) -> int:
    """Run the command line and return its exit status."""
    out, err = out or sys.stdout, err or sys.stderr
    options = _parser().parse_args(arguments)
    try:
        report = reports.parse(Path(options.file).read_bytes())
    except OSError as error:
        err.write(f"{options.file}: {error.strerror}\n")
        return 1
    except ImportFileError as error:
        err.write(f"{options.file}:{error.line}:{error.column}: {error}\n")
        return 1
    for remark in report.remarks:
        values = ", ".join(f"{key} {value}" for key, value in remark.values.items())
        err.write(f"{options.file}:{remark.line}:{remark.column}: {remark.code} ({values})\n")
    try:
        ranking = _rank(report, options)
    except TourneyError as error:
        err.write(f"{refusal(error)}\n")
        return 2
    if options.why is not None and options.why not in report.by_number:
        err.write(f"no player {options.why}\n")
        return 2
    text = as_text(report, ranking, options.why)
    if options.json:
        text = json.dumps(as_json(report, ranking), ensure_ascii=False, indent=1) + "\n"
    try:
        out.write(text)
        out.flush()
    except BrokenPipeError:  # whoever reads has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())
    return 0


def refusal(error: TourneyError) -> str:
    """Return in a sentence what is wrong with the command; codes without one are shown as they are."""
    sentence = _REFUSALS.get(error.code)
    return sentence.format(**error.values) if sentence else str(error)


def _parser() -> argparse.ArgumentParser:
    codes = ", ".join(name for name in KINDS if name not in ("PTS", "LOT"))
    wrapped = "\n".join("        " + line.rstrip() for line in re.findall(r".{1,66}(?:\s|$)", codes))
    parser = argparse.ArgumentParser(prog="python -m prizes.engine", add_help=False)
    parser.format_help = lambda: MANUAL.format(codes=wrapped)  # type: ignore[method-assign]
    parser.add_argument("-h", "--help", action="help")
    commands = parser.add_subparsers(dest="command", required=True, metavar="standings")
    standings = commands.add_parser("standings", add_help=False)
    standings.format_help = parser.format_help  # type: ignore[method-assign]
    standings.add_argument("-h", "--help", action="help")
    standings.add_argument("file")
    standings.add_argument("--order")
    standings.add_argument("--edition", choices=EDITIONS)
    standings.add_argument("--system", choices=SYSTEMS)
    standings.add_argument("--national")
    standings.add_argument("--unrated", type=int)
    standings.add_argument("--rounds", type=int)
    standings.add_argument("--absences-cut-by-value", action="store_true")
    standings.add_argument("--why", type=int)
    standings.add_argument("--json", action="store_true")
    return parser


def _rank(report: reports.Trf, options: argparse.Namespace) -> Ranking:
    system: System = options.system or system_of(report)
    order = options.order.split(",") if options.order else report.tie_breaks
    if options.rounds is not None and not 1 <= options.rounds <= report.rounds_done:
        raise TourneyError("standings.rounds", got=options.rounds, played=report.rounds_done)
    return rank(
        report.history(options.rounds),
        parse_tie_breaks(list(order), system, "order"),
        edition=options.edition or _edition(report),
        system=system,
        ratings=_national_ratings(report, options.national) if options.national else None,
        unrated=options.unrated,
        options=RankingOptions(absences_cut_first=not options.absences_cut_by_value),
    )


def _national_ratings(report: reports.Trf, federation: str) -> dict[EntryId, int | None]:
    return {
        EntryId(player.number): national.rating
        for player in report.players
        for national in player.national
        if national.federation == federation
    }


def system_of(report: reports.Trf) -> System:
    """Return the system a report names in record 192 or 092."""
    said = f"{report.header.get('192', '')} {report.header.get('092', '')}".upper().replace("-", "").replace("_", "")
    return "round_robin" if "ROUNDROBIN" in said.replace(" ", "") or "BERGER" in said else "swiss"


def _edition(report: reports.Trf) -> Edition:
    match = re.match(r"(\d{4})\D(\d{1,2})\D(\d{1,2})", report.header.get("042", "").strip())
    if match is None:
        return "2026"
    try:
        return edition_of(date(int(match[1]), int(match[2]), int(match[3])))
    except ValueError:
        return "2026"


def as_text(report: reports.Trf, ranking: Ranking, why: int | None = None) -> str:
    """Return the standings as a table, with the parts of one player's values below."""
    header = ["rank", "no", "name", *ranking.order]
    rows = [
        [
            f"{line.rank}{'=' if line.shared else ''}",
            str(line.entry),
            report.by_number[line.entry].name,
            *(format_points(line.points) if value.code == "PTS" else str(value) or "-" for value in line.values),
        ]
        for line in ranking
    ]
    widths = [max(len(row[column]) for row in [header, *rows]) for column in range(len(header))]
    text = "\n".join(
        "  ".join(
            cell.ljust(width) if column == 2 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in [header, *rows]
    )
    if ranking.dropped:
        text += f"\nleft out, not everybody has a rating: {', '.join(ranking.dropped)}"
    if why is not None:
        line = next(line for line in ranking if line.entry == why)
        text += "\n\n" + "\n".join(_explained(value) for value in line.values)
    return text + "\n"


def _explained(value: TieBreakValue) -> str:
    parts = []
    for part in value.parts:
        place = f"R{part.round} " if part.round else ""
        opponent = f"#{part.opponent} " if part.opponent else ""
        number = format_value(part.counted) if part.counted is not None else str(part.source)
        source = "" if part.source.value in ("opponent", "result", "running", "count", "unmet") else f" {part.source}"
        cut = f" *{part.cut}" if part.cut else ""
        parts.append(f"    {place}{opponent}{number}{source}{cut}")
    return "\n".join([f"{value.code} {value}", *parts])


def as_json(report: reports.Trf, ranking: Ranking) -> dict[str, Any]:
    """Return the standings as plain data."""
    return {
        "tournament": report.name,
        "edition": ranking.edition,
        "system": ranking.system,
        "order": list(ranking.order),
        "dropped": list(ranking.dropped),
        "standings": [_line_as_json(report, line) for line in ranking],
    }


def _line_as_json(report: reports.Trf, line: RankedEntry) -> dict[str, Any]:
    return {
        "rank": line.rank,
        "shared": line.shared,
        "number": line.entry,
        "name": report.by_number[line.entry].name,
        "values": [
            {
                "code": value.code,
                "value": str(value) or None,
                "parts": [
                    {
                        "round": part.round,
                        "opponent": part.opponent,
                        "kind": part.kind,
                        "source": part.source,
                        "result": None if part.result is None else format_value(part.result),
                        "score": None if part.score is None else format_value(part.score),
                        "adjusted": None if part.adjusted is None else format_value(part.adjusted),
                        "counted": None if part.counted is None else format_value(part.counted),
                        "cut": part.cut,
                    }
                    for part in value.parts
                ],
            }
            for value in line.values
        ],
    }


if __name__ == "__main__":
    sys.exit(main())
