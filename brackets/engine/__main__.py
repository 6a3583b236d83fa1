"""``python -m brackets.engine``: prove a bracket, or play thousands of them at random. No database is needed."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence

from brackets.engine.build import FINALS, SIZES, BracketParams, build
from brackets.engine.orders import NAMES
from brackets.engine.proof import Proof, Span, prove
from brackets.engine.simulate import BrokenPromise, Troubles, play_event
from brackets.engine.topology import Ties
from tourney.kernel.chance import Chance
from tourney.kernel.errors import TourneyError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 0 if everything promised holds, 1 if not, 2 for parameters that make no sense."""
    options = _parser().parse_args(arguments)
    try:
        params = BracketParams(
            size=options.size,
            return_at=options.size if options.return_at == 0 else options.return_at,
            final=options.final,
            places=None if options.places == 0 else options.places,
            drop_in=options.drop_in,
            table_up_to=options.table_up_to,
            table_ties=Ties(options.table_ties),
        )
        return int(options.run(params, options))
    except TourneyError as error:
        print(error, file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m brackets.engine", description="Brackets without a database.")
    commands = parser.add_subparsers(required=True)
    bracket = argparse.ArgumentParser(add_help=False)
    bracket.add_argument("--size", type=int, default=32, help=f"one of {', '.join(map(str, SIZES))} (default 32)")
    bracket.add_argument("--players", type=int, help="real players; the other seeds are byes (default: all seeds)")
    bracket.add_argument(
        "--return-at", type=int, default=2, help="players left when the lower bracket returns; 0: no second chance"
    )
    bracket.add_argument("--final", choices=FINALS, default="single")
    bracket.add_argument("--places", type=int, default=0, help="last place that is played out (default 0: all)")
    bracket.add_argument("--drop-in", choices=NAMES, default="tourney", help="order of the droppers")
    bracket.add_argument(
        "--table-up-to",
        type=int,
        default=0,
        help="bands of at most so many players are little tables (default 0: none)",
    )
    bracket.add_argument("--table-ties", choices=[ties.value for ties in Ties], default=Ties.SEED.value)
    prover = commands.add_parser("prove", parents=[bracket], help="print what is certain before the first game")
    prover.add_argument("--json", action="store_true", help="print everything as JSON")
    prover.set_defaults(run=_prove)
    player = commands.add_parser("simulate", parents=[bracket], help="play random events and check every step")
    player.add_argument("--events", type=int, default=100)
    player.add_argument("--seed", type=int, default=1, help="seed of the first event; the others follow")
    player.add_argument("--cuts", type=int, default=0, help="how often a day is cut short, in thousandths of the steps")
    player.add_argument("--moves", type=int, default=0, help="how often seeds move, in thousandths of the steps")
    player.add_argument(
        "--replay-every", type=int, default=1, help="replay the log after so many steps (and at the end)"
    )
    player.set_defaults(run=_simulate)
    return parser


def _prove(params: BracketParams, options: argparse.Namespace) -> int:
    proof = prove(build(params, options.players), options.players)
    if options.json:
        print(json.dumps(proof.as_json(), indent=1))
    else:
        print("\n".join(_proof_lines(proof)))
    return 0 if proof.each_place_once and proof.each_way_once else 1


def _proof_lines(proof: Proof) -> list[str]:
    yes = {True: "yes", False: "NO"}
    lines = [
        f"size {proof.size}, players {proof.players}",
        f"matches: {_span(proof.matches)}",
        f"time slots: {proof.slots}",
        f"matches of a player: least {proof.per_player.least}, most {proof.per_player.most}",
        f"every way leads to exactly one side or place: {yes[proof.each_way_once]}",
        f"places 1-{proof.size} decided once each: {yes[proof.each_place_once]}",
    ]
    if proof.bye_places:
        lines.append(f"places of the byes: {_list([place for band in proof.bye_places for place in band[:1]])}")
    if proof.below_five:
        lines.append(f"sure of fewer than 5 matches: {len(proof.below_five)} of {proof.players} seeds")
    if proof.rematch_slot is None:
        lines.append("nobody can meet twice")
    else:
        lines.append(f"earliest possible rematch: slot {proof.rematch_slot} ({_list(proof.rematch_matches)})")
    lines.append("matches played by who ends at a place:")
    lines += [f"  {first}: {_span(span)}" for first, span in _runs(proof)]
    return lines


def _runs(proof: Proof) -> list[tuple[str, Span]]:
    """Return the spans by place with neighbouring places of the same span put together."""
    runs: list[tuple[int, int, Span]] = []
    for band, span in sorted(proof.by_place.items()):
        if runs and runs[-1][2] == span and runs[-1][1] + 1 >= band.first:
            runs[-1] = (runs[-1][0], max(runs[-1][1], band.last), span)
        else:
            runs.append((band.first, band.last, span))
    return [(f"{first}-{last}" if first < last else str(first), span) for first, last, span in runs]


def _span(span: Span) -> str:
    return str(span.least) if span.least == span.most else f"{span.least}-{span.most}"


def _list(values: Sequence[object]) -> str:
    return ", ".join(map(str, values))


def _simulate(params: BracketParams, options: argparse.Namespace) -> int:
    spec = build(params, options.players)
    players = options.players or params.size
    began = time.monotonic()
    facts = corrections = 0
    for seed in range(options.seed, options.seed + options.events):
        try:
            event = play_event(
                spec,
                players,
                Chance.labelled(seed, "bracket event"),
                Troubles(cut=options.cuts, moved=options.moves),
                options.replay_every,
            )
        except BrokenPromise as broken:
            print(f"seed {seed}: {broken}", file=sys.stderr)
            return 1
        facts += len(event.facts)
        corrections += event.corrections
    seconds = time.monotonic() - began
    print(
        f"{options.events} events of {players} players (seeds {options.seed}-{options.seed + options.events - 1}): "
        f"{facts} facts, {corrections} corrections, every promise kept, {seconds:.1f} s"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
