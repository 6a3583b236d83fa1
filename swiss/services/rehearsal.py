"""Playing a stage with random results, step by step: for rehearsals and demo events."""

from __future__ import annotations

from swiss.models import Pairing, Round
from swiss.selectors import PUBLIC_STATES, ROUND_KINDS
from swiss.services.pairing import pair_next_round
from swiss.services.publishing import publish_round
from swiss.services.results import enter_round_results
from tourney.kernel.chance import Chance
from tourney.kernel.errors import TourneyError
from tourney.kernel.outcomes import ResultCode
from tourney.models import Stage

FORFEITS_PER_THOUSAND = 12


def play_step(stage: Stage, chance: Chance) -> bool:
    """Play one step of a stage: pair and publish a round, or enter its results. False when nothing is left to play."""
    if stage.kind not in ROUND_KINDS or stage.state not in (Stage.State.READY, Stage.State.RUNNING):
        return False
    newest = stage.rounds.order_by("-number").first()
    if newest is not None and newest.state == Round.State.DRAFT:
        publish_round(newest.pk, actor=None)
        return True
    if newest is not None and newest.state in PUBLIC_STATES and newest.state != Round.State.DONE:
        open_games = (
            Pairing.objects.filter(round=newest, game__isnull=False, game__outcome="")
            .order_by("board")
            .values_list("game_id", "white__rating", "black__rating")
        )
        outcomes = {game: random_result(chance, white, black).value for game, white, black in open_games}
        enter_round_results(newest.pk, outcomes=outcomes)
        return True
    try:
        round_ = pair_next_round(stage.pk, actor=None)
    except TourneyError:
        # All rounds are played, or no pairing keeps the rules: this stage has no further step.
        return False
    publish_round(round_.pk, actor=None)
    return True


def random_result(chance: Chance, white: int | None, black: int | None) -> ResultCode:
    """Return a likely result: the better player wins more often, one game in three or so is drawn."""
    if chance.below(1000) < FORFEITS_PER_THOUSAND:
        return ResultCode.WHITE_FORFEIT_WIN if chance.below(2) else ResultCode.BLACK_FORFEIT_WIN
    ahead = max(-400, min(400, (white or 1000) - (black or 1000) + 35))  # White's move is worth some points
    draws = 340 - abs(ahead) // 2
    if chance.below(1000) < draws:
        return ResultCode.DRAW
    return ResultCode.WHITE_WINS if chance.below(1000) < 500 + ahead * 9 // 8 else ResultCode.BLACK_WINS
