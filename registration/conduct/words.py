"""Words of the arbiter's book: subjects of appeals, decisions, what each sanction does."""

from __future__ import annotations

from django.utils.translation import gettext_lazy

from registration.engine.appeals import AppealDecision
from tourney.models import Sanction

# What an appeal can be about; the regulation may close some of them (M7.7: never the computer pairing).
SUBJECTS = {
    "result": gettext_lazy("result of a game"),
    "conduct": gettext_lazy("conduct of a player"),
    "arbiter_decision": gettext_lazy("decision of an arbiter"),
    "computer_pairing": gettext_lazy("computer pairing"),
    "other": gettext_lazy("something else"),
}
# What each sanction does, beside its name.
KINDS = {
    Sanction.Kind.INCIDENT: gettext_lazy("incident: noted for the report, no sanction"),
    Sanction.Kind.ILLEGAL_MOVE: gettext_lazy("illegal move: noted; the second one in a game loses it"),
    Sanction.Kind.WARNING: gettext_lazy("warning: nothing changes in play"),
    Sanction.Kind.GAME_LOSS: gettext_lazy("loss of the game: entered at once"),
    Sanction.Kind.MATCH_LOSS: gettext_lazy("loss of the match: the opponent goes on"),
    Sanction.Kind.REMOVAL: gettext_lazy("removal from the event: every later game is lost, the places move up"),
}
FILED_BY = {
    "participant": gettext_lazy("the player"),
    "representative": gettext_lazy("an official representative"),
}
DECISIONS = {
    AppealDecision.UPHELD.value: gettext_lazy("upheld: the deposit goes back"),
    AppealDecision.PARTLY.value: gettext_lazy("upheld in part"),
    AppealDecision.REFUSED.value: gettext_lazy("not upheld: the deposit is kept"),
    AppealDecision.WITHDRAWN.value: gettext_lazy("withdrawn before the hearing"),
}
