"""The pairing engine on the command line: pair, check, simulate, explain."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from swiss.engine.check import RoundCheck, first_color_of, rules_of, virtual_points_of
from swiss.engine.check_table import check_report, is_table, pair_report
from swiss.engine.explain import Explanation, Reason, explain_round
from swiss.engine.explained import against_data, brackets_data, bye_data, plan_data, player_data
from swiss.engine.outline import outline
from swiss.engine.refusals import place_text, refusal_text, remark_text
from swiss.engine.simulate import Habits, simulate
from swiss.engine.wording import CRITERIA, bracket_lines, pair_lines, reason_text, value_text
from tourney.kernel.errors import TourneyError
from tourney.kernel.ids import EntryId
from tourney.kernel.points import format_points
from tourney.kernel.trf import Trf, dump, parse

MANUAL = """\
NAME
    swiss.engine - pair, check, simulate and explain Swiss tournaments

SYNOPSIS
    python -m swiss.engine pair     FILE [--round N] [--open-as-draws] [--json]
    python -m swiss.engine check    FILE... [--json]
    python -m swiss.engine simulate [FILE] --seed S [--players N] [--rounds N] [--count N] [--json]
    python -m swiss.engine explain  FILE [--round N] [--player P [--against Q | --bye]] [--json]

DESCRIPTION
    Pairs by the FIDE (Dutch) system, C.04.3 in force from 1 February 2026. Files are tournament
    report files (TRF16, TRFx or TRF26, in UTF-8 or a Windows code page). No database is needed.

    pair      Prints the next round, board by board, or round N again from what was known before it.
              Players whose cell of that round is H, F or Z (or who are in a 240 or XXZ record) are
              not paired. The file must say how many rounds there are (142 or XXR), because the last
              round has rules of its own, and which colour was drawn (152 or XXC).
              With --open-as-draws, games without a result (adjourned, or still being played) count as
              draws for this pairing (C.04.2, 3.1); without it they are an error that names the players.
              In a file of a round robin (record 192 or 092) the round is the one of the Berger table.
    check     Pairs every round of every file again, prints files and rounds checked and every
              difference: "only in the file" and "only by the engine" as white-black. A round that was
              paired while games were open took them as draws. A file of a round robin is held against
              the Berger table for its number of players; in a double one the last two rounds of the
              first cycle are exchanged.
    simulate  Makes up tournaments with absences, forfeits, byes and late entries. The same seed
              always gives the same tournament; the seed is printed. With --count, seed, seed+1, ...
              are used; FILE is then a folder. Without FILE the report goes to standard output.
    explain   Prints the brackets of a round with the values of the criteria. With --player, the score
              bracket, floats, place and colours of that player's pair; with --against, the first
              criterion in which the pair with that opponent would be worse, with both values; with
              --bye, why not the bye. For Swiss rounds only: a round robin has nothing to explain but
              its table.

    --json    Prints one JSON object instead of text. "explain" has "brackets" (score, residents,
              moved_down and floaters with the reason, pairs, values of C6 to C21) and "bye"; with
              --player also "player": bracket, bracket_score, higher and lower (score, half S1 or S2,
              place, colour, colours so far, preference, strength), floats (reason, and who stayed by
              which rule), color_rule; and "against", a list of objects with rule, article, bracket,
              as_paired and otherwise. Scores are points, criteria that count players are numbers.

EXIT STATUS
    0  done, no difference
    1  check found a difference, or a round can't be paired
    2  a file can't be read, or the command line is wrong

EXAMPLES
    python -m swiss.engine simulate open.trf --seed 7 --players 40 --rounds 9
    python -m swiss.engine check open.trf
    python -m swiss.engine explain open.trf --round 5 --player 12 --against 17
    python -m swiss.engine pair open.trf --open-as-draws --json
"""


class _Parser(argparse.ArgumentParser):
    def format_help(self) -> str:
        return MANUAL


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return the exit status."""
    options = _parser().parse_args(arguments)
    try:
        status: int = options.run(options)
        sys.stdout.flush()
    except TourneyError as error:
        print(f"{getattr(options, 'reading', '') or 'error'}: {refusal_text(error)}", file=sys.stderr)
        return 1 if error.code.startswith("pairing.") else 2
    except BrokenPipeError:  # whoever read this has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        print(f"{error.filename or 'error'}: {error.strerror}", file=sys.stderr)
        return 2
    return status


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="python -m swiss.engine")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=_Parser)
    pair = commands.add_parser("pair")
    pair.add_argument("file", type=Path)
    pair.add_argument("--round", type=int)
    pair.add_argument("--open-as-draws", action="store_true")
    pair.set_defaults(run=_pair)
    checking = commands.add_parser("check")
    checking.add_argument("files", type=Path, nargs="+")
    checking.set_defaults(run=_check)
    simulation = commands.add_parser("simulate")
    simulation.add_argument("file", type=Path, nargs="?")
    simulation.add_argument("--seed", type=int, default=1)
    simulation.add_argument("--players", type=int, default=32)
    simulation.add_argument("--rounds", type=int, default=9)
    simulation.add_argument("--count", type=int, default=1)
    simulation.set_defaults(run=_simulate)
    explanation = commands.add_parser("explain")
    explanation.add_argument("file", type=Path)
    explanation.add_argument("--round", type=int)
    explanation.add_argument("--player", type=int)
    explanation.add_argument("--against", type=int)
    explanation.add_argument("--bye", action="store_true")
    explanation.set_defaults(run=_explain)
    for command in (pair, checking, simulation, explanation):
        command.add_argument("--json", action="store_true")
    return parser


def _read(options: argparse.Namespace, file: Path) -> Trf:
    options.reading = str(file)
    trf = parse(file.read_bytes())
    for remark in trf.remarks:
        where = place_text(remark.line, remark.column)
        print(f"{file}: {where}: {remark_text(remark.code, remark.values)}", file=sys.stderr)
    return trf


def _round_of(trf: Trf, wanted: int | None, latest: int) -> int:
    number = latest if wanted is None else wanted
    if not 1 <= number <= trf.rounds_done + 1:
        raise TourneyError("round.not_in_file", number=number, last=trf.rounds_done + 1)
    return number


def _pair(options: argparse.Namespace) -> int:
    trf = _read(options, options.file)
    plan = pair_report(trf, _round_of(trf, options.round, trf.rounds_done + 1), open_as_draws=options.open_as_draws)
    if options.json:
        print(json.dumps(plan_data(plan)))
        return 0
    names = {player.number: player.name for player in trf.players}
    print(f"Round {plan.number}")
    for pairing in plan.pairings:
        white, black = pairing.white, pairing.black
        print(f"{pairing.board:>4}  {white:>4} {names[white]:<33} - {black:>4} {names[black]}")
    for bye in plan.byes:
        print(f"   {bye.kind}  {bye.entry:>4} {names[bye.entry]}")
    return 0


def _check(options: argparse.Namespace) -> int:
    rounds = 0
    different: list[tuple[Path, RoundCheck]] = []
    for file in options.files:
        for result in check_report(_read(options, file)):
            rounds += 1
            if not result.agrees:
                different.append((file, result))
    if options.json:
        report = [
            {
                "file": str(file),
                "round": result.number,
                "only_in_file": result.only_in_file,
                "only_by_engine": result.only_by_engine,
                "error": result.error,
            }
            for file, result in different
        ]
        print(json.dumps({"files": len(options.files), "rounds": rounds, "differences": report}))
        return int(bool(different))
    for file, result in different:
        print(f"{file} round {result.number}: {result.error}".rstrip(": "))
        for title, pairs in (("file", result.only_in_file), ("engine", result.only_by_engine)):
            print(f"    only {'in the' if title == 'file' else 'by the'} {title}: {_pairs_text(pairs)}")
    print(f"{len(options.files)} files, {rounds} rounds checked, {len(different)} rounds differ")
    return int(bool(different))


def _pairs_text(pairs: tuple[tuple[int, int], ...]) -> str:
    return ", ".join(f"{white}-{black}" if black else f"{white} bye" for white, black in pairs) or "none"


def _simulate(options: argparse.Namespace) -> int:
    if not (2 <= options.players <= 9999 and 1 <= options.rounds <= 99 and options.count >= 1):
        raise TourneyError("simulate.out_of_range", players=options.players, rounds=options.rounds)
    if options.count > 1 and options.file is None:
        raise TourneyError("simulate.folder_needed", count=options.count)
    for seed in range(options.seed, options.seed + options.count):
        trf = simulate(options.players, options.rounds, seed, Habits())
        target = options.file / f"seed_{seed}.trf" if options.count > 1 else options.file
        summary = {"seed": seed, "players": len(trf.players), "rounds": trf.rounds_done, "file": str(target or "")}
        if target is not None:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(dump(trf), encoding="utf-8")
        else:
            print(dump(trf), end="")
        text = "seed {seed}: {players} players, {rounds} rounds {file}".format(**summary)
        print(json.dumps(summary) if options.json else text, file=sys.stderr if target is None else sys.stdout)
    return 0


def _explain(options: argparse.Namespace) -> int:
    trf = _read(options, options.file)
    number = _round_of(trf, options.round, max(1, trf.rounds_done))
    known = {player.number for player in trf.players}
    for asked in (options.player, options.against):
        if asked is not None and asked not in known:
            raise TourneyError("trf.unknown_number", number=asked)
    if is_table(trf):
        raise TourneyError("explain.table", players=len(trf.players), round=number)
    rules = rules_of(trf)
    explanation = explain_round(
        trf.history(number - 1, open_as_draws=True),
        rules,
        absent={EntryId(player): kind for player, kind in trf.byes_of_round(number).items()},
        first_color=first_color_of(trf),
        forbidden=trf.forbidden_pairs(number),
        virtual_points=virtual_points_of(trf, max(number, rules.rounds)),
    )
    if options.json:
        print(json.dumps(_explain_data(explanation, options)))
        return 0
    lines = _player_lines(explanation, options) if options.player else _bracket_lines(explanation)
    print(f"Round {number}", *lines, sep="\n")
    return 0


def _explain_data(explanation: Explanation, options: argparse.Namespace) -> dict[str, Any]:
    data: dict[str, Any] = {
        "round": explanation.plan.number,
        "plan": plan_data(explanation.plan),
        "brackets": brackets_data(explanation),
        "bye": bye_data(explanation),
        "criteria": dict(CRITERIA),
    }
    if options.player:
        entry = EntryId(options.player)
        data["player"] = player_data(explanation, entry)
        data["against"] = [against_data(entry, *asked) for asked in _asked(explanation, entry, options)]
    return data


def _asked(
    explanation: Explanation, entry: EntryId, options: argparse.Namespace
) -> Iterator[tuple[EntryId | None, Reason | None]]:
    """Yield the other opponents asked about (None: the bye), each with the reason."""
    if options.against:
        yield EntryId(options.against), explanation.against(entry, EntryId(options.against))
    if options.bye:
        yield None, explanation.against_bye(entry)


def _player_lines(explanation: Explanation, options: argparse.Namespace) -> list[str]:
    entry = EntryId(options.player)
    view, bye = explanation.pair(entry), explanation.bye()
    if view is not None:
        lines = [*bracket_lines(outline(explanation, view.bracket)), *pair_lines(view)]
    elif bye is not None and bye.entry == entry:
        lines = [f"{entry} gets the bye: {format_points(bye.score)} points is the lowest score it can go to"]
    else:
        lines = [f"{entry} is not paired in this round"]
    for other, reason in _asked(explanation, entry, options):
        asked = f"the bye for {entry}" if other is None else f"{entry} against {other}"
        lines.append(f"why not {asked}: {reason_text(reason)}")
    return lines


def _bracket_lines(explanation: Explanation) -> list[str]:
    lines = []
    for view in explanation.brackets():
        lines.append(f"Bracket {view.number}, {format_points(view.score)} points")
        for title, entries in (
            ("moved down", view.moved_down),
            ("residents", view.residents),
            ("float down", view.floaters),
        ):
            if entries:
                lines.append(f"    {title}: {' '.join(map(str, entries))}")
        lines.append(f"    pairs: {', '.join(f'{first}-{second}' for first, second in view.pairs) or 'none'}")
        for rule, value in view.values.items():
            if value not in (0, (), (0,)):
                lines.append(f"    {rule} {CRITERIA[rule]}: {value_text(rule, value)}")
    if (bye := explanation.bye()) is not None:
        lines.append(f"Bye: {bye.entry} with {format_points(bye.score)} points")
    return lines


if __name__ == "__main__":
    sys.exit(main())
