"""The last steps of a rehearsal: a tie for first played off by chance, places published, lotteries drawn."""

from __future__ import annotations

from django.utils import timezone
from django.utils.translation import gettext as _

from prizes.selectors.draws import lotteries_of
from prizes.selectors.ends import DONE
from prizes.selectors.places import standing_of
from prizes.services.draws import commit_draw, reveal_draw
from prizes.services.placings import publish_placings, record_playoff
from tourney.kernel.chance import Chance
from tourney.kernel.errors import TourneyError
from tourney.models import Stage


def play_step(stage: Stage, chance: Chance) -> bool:
    """Take the next step after the games; False while games are left and when nothing is left to do."""
    section = stage.section
    stages = list(section.stages.exclude(kind=Stage.Kind.PLAYOFF))
    if any(one.state not in DONE for one in stages):
        return False
    if any(one.state != Stage.State.CLOSED for one in stages):
        return _publish(stage, chance)
    for home in [section, *section.guests.all()]:
        home.tournament = section.tournament
        for state in lotteries_of(section.tournament, home):
            if state.state == "ready":
                draw = commit_draw(home, state.index, actor=None)
                if len(state.holders) > 1:
                    numbers = [(holder.entry.name, str(chance.below(1000))) for holder in state.holders]
                    reveal_draw(section.tournament, draw.pk, numbers=numbers, actor=None)
                return True
    return False


def _publish(stage: Stage, chance: Chance) -> bool:
    standing = standing_of(stage.section)
    for one in standing.playoffs:
        if one.playoff is None:
            continue
        order = chance.shuffle(list(one.playoff.between))
        record_playoff(
            one.section,
            winner=int(order[0]),
            runner_up=int(order[1]),
            games="½–½, 1–0",
            started_at=timezone.now(),
            reason=_("rehearsal"),
            actor=None,
        )
        return True
    try:
        publish_placings(stage.section, actor=None)
    except TourneyError:
        return False  # nobody has a place: there is nothing to publish
    return True
