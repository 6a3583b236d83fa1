"""Forms of the arbiter's book. Choices are those the regulation in force allows."""

from __future__ import annotations

from typing import Any

from django import forms
from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from registration.engine.appeals import AppealDecision, AppealRules
from registration.forms import Line
from registration.regulations import rules_of
from tourney.models import Entry, Game, Sanction, Tournament

# What an appeal can be about; the regulation may close some of them (M7.7: never the computer pairing).
SUBJECTS = {
    "result": gettext_lazy("result of a game"),
    "conduct": gettext_lazy("conduct of a player"),
    "arbiter_decision": gettext_lazy("decision of an arbiter"),
    "computer_pairing": gettext_lazy("computer pairing"),
    "other": gettext_lazy("something else"),
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


def _words(rows: int) -> forms.Textarea:
    return forms.Textarea(attrs={"rows": rows})


def _people(tournament: Tournament, states: tuple[str, ...]) -> Any:
    return (
        Entry.objects.filter(tournament=tournament, state__in=states, start_number__isnull=False)
        .select_related("player", "section")
        .order_by("player__surname", "player__given_name")
    )


class EntryChoice(forms.ModelChoiceField):
    def label_from_instance(self, obj: Entry) -> str:
        return f"{obj.player.name} · {obj.section.title_text}"


class SanctionForm(forms.Form):
    """Who, what, why; the game is asked for where the sanction loses one."""

    def __init__(self, *args: Any, tournament: Tournament, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        names = dict(Sanction.Kind.choices)
        kinds = [kind.value for kind in rules_of(tournament).sanctions.kinds]
        self.fields["entry"] = EntryChoice(
            label=_("Player"), queryset=_people(tournament, (*Entry.IN_PLAY, Entry.State.WITHDRAWN))
        )
        self.fields["kind"] = forms.ChoiceField(
            label=_("Sanction"), choices=[(kind, names[kind]) for kind in kinds], widget=forms.RadioSelect
        )
        self.fields["game"] = forms.CharField(
            label=_("Round or match"),
            required=False,
            max_length=16,
            help_text=_("For the loss of a game or a match: number of the round, or name of the match such as L2.3."),
        )
        self.fields["reason"] = forms.CharField(label=_("Reason"), max_length=1000, widget=_words(3))

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        entry, named, kind = data.get("entry"), (data.get("game") or "").strip(), data.get("kind")
        data["found_game"] = None
        if entry is not None and kind in (Sanction.Kind.GAME_LOSS, Sanction.Kind.MATCH_LOSS):
            if not named:
                self.add_error("game", _("Say in which round or match."))
                return data
            mine = Game.objects.filter(stage__section__tournament=entry.tournament_id).filter(
                Q(white=entry) | Q(black=entry)
            )
            mine = mine.filter(round_number=int(named)) if named.isdigit() else mine.filter(match_key__iexact=named)
            data["found_game"] = mine.order_by("-game_number").first()
            if data["found_game"] is None:
                self.add_error("game", _("This player has no game in “%(named)s”.") % {"named": named})
        return data


class RevokeForm(forms.Form):
    sanction = forms.IntegerField(widget=forms.HiddenInput)
    reason = Line(label=gettext_lazy("Why the warning is taken back"), max_length=500)


class AppealForm(forms.Form):
    """An appeal as it is handed in on paper."""

    def __init__(self, *args: Any, tournament: Tournament, rules: AppealRules, deposit: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        everybody = (*Entry.IN_PLAY, Entry.State.WITHDRAWN, Entry.State.DISQUALIFIED)
        self.fields["entry"] = EntryChoice(label=_("Player"), queryset=_people(tournament, everybody))
        self.fields["round_number"] = forms.IntegerField(label=_("Round"), min_value=1, max_value=99)
        self.fields["subject"] = forms.ChoiceField(
            label=_("Subject of the appeal"),
            choices=list(SUBJECTS.items()),
            help_text=_("Appeals against the computer pairing are not accepted.")
            if "computer_pairing" in rules.never_about
            else "",
        )
        self.fields["text"] = forms.CharField(label=_("Text of the appeal"), max_length=5000, widget=_words(5))
        self.fields["by"] = forms.ChoiceField(
            label=_("Handed in by"), choices=[(code, FILED_BY.get(code, code)) for code in rules.by]
        )
        self.fields["filed_by"] = Line(label=_("Name of who hands it in"), max_length=120)
        if rules.deposit:
            self.fields["deposit_paid"] = forms.BooleanField(
                label=_("The deposit of %(sum)s has been paid") % {"sum": deposit}, required=False
            )


class DecisionForm(forms.Form):
    decision = forms.ChoiceField(
        label=gettext_lazy("Decision"), choices=list(DECISIONS.items()), widget=forms.RadioSelect
    )
    text = forms.CharField(label=gettext_lazy("Wording of the decision"), max_length=5000, widget=_words(4))


class MemberForm(forms.Form):
    name = Line(label=gettext_lazy("Name"), max_length=120)
    reserve = forms.BooleanField(label=gettext_lazy("reserve member"), required=False)


class OwnCasesForm(forms.Form):
    """Players whose cases a member may not judge: family, pupils, club-mates."""

    def __init__(self, *args: Any, tournament: Tournament, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["member"] = forms.IntegerField(widget=forms.HiddenInput)
        self.fields["entries"] = forms.ModelMultipleChoiceField(
            label=_("May not judge the cases of"),
            required=False,
            queryset=_people(tournament, (*Entry.IN_PLAY, Entry.State.WITHDRAWN)),
            widget=forms.SelectMultiple(attrs={"size": 8}),
        )
