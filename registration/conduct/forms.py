"""Forms of the arbiter's book. Choices are those the regulation in force allows."""

from __future__ import annotations

from typing import Any

from django import forms
from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from registration.conduct.words import DECISIONS, FILED_BY, KINDS, SUBJECTS
from registration.engine.appeals import AppealRules
from registration.engine.sanctions import NOTES
from registration.fields import Line
from registration.regulations import rules_of
from tourney.models import Entry, Game, Sanction, Stage, Tournament


def _words(rows: int) -> forms.Textarea:
    return forms.Textarea(attrs={"rows": rows})


def _people(tournament: Tournament, states: tuple[str, ...]) -> Any:
    return (
        Entry.objects.filter(tournament=tournament, state__in=states, start_number__isnull=False)
        .select_related("player", "section__tournament")
        .order_by("player__surname", "player__given_name")
    )


class EntryChoice(forms.ModelChoiceField):
    def label_from_instance(self, obj: Entry) -> str:
        return f"{obj.player.name} · {obj.section.title_text}"


class EntriesChoice(forms.ModelMultipleChoiceField):
    def label_from_instance(self, obj: Entry) -> str:
        return f"{obj.player.name} · {obj.section.title_text}"


class SanctionForm(forms.Form):
    """Who, what, why; the game is asked for where the sanction loses one."""

    def __init__(self, *args: Any, tournament: Tournament, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        kinds = [kind.value for kind in (*NOTES, *rules_of(tournament).sanctions.kinds)]
        self.fields["entry"] = EntryChoice(
            label=_("Player"), queryset=_people(tournament, (*Entry.IN_PLAY, Entry.State.WITHDRAWN))
        )
        self.fields["kind"] = forms.ChoiceField(
            label=_("What is written"), choices=[(kind, KINDS[kind]) for kind in kinds], widget=forms.RadioSelect
        )
        self.fields["game"] = Line(
            label=_("Round, or game of a match"),
            required=False,
            max_length=20,
            help_text=_(
                "Number of the round; in a knockout a match and its game, such as L2.3/2, or nothing for the match "
                "being played. A warning may name it too."
            ),
        )
        self.fields["seen"] = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)
        self.fields["reason"] = forms.CharField(label=_("Reason"), max_length=1000, widget=_words(3))

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        entry, named, kind = data.get("entry"), data.get("game") or "", data.get("kind")
        data["found_game"] = None
        if entry is None or kind is None or "game" in self.errors:
            return data
        if named and kind != Sanction.Kind.REMOVAL:
            data["found_game"] = game_of(entry, named)
            if data["found_game"] is None:
                self.add_error("game", _("This player has no game in “%(named)s”.") % {"named": named})
        elif kind in (Sanction.Kind.GAME_LOSS, Sanction.Kind.MATCH_LOSS) and not plays_knockout(entry):
            self.add_error("game", _("Say in which round."))
        return data


def plays_knockout(entry: Entry) -> bool:
    """Return whether the player's group is in a knockout now: there the match being played needs no name."""
    host = entry.section.merged_into_id or entry.section_id
    begun = Stage.objects.filter(section=host).exclude(state=Stage.State.PLANNED).exclude(kind=Stage.Kind.PLAYOFF)
    stage = begun.order_by("-ordinal").first()
    return stage is not None and stage.kind == Stage.Kind.BRACKET


def game_of(entry: Entry, named: str) -> Game | None:
    """Return a player's game by the round ("3") or by match and number ("L2.3/2", without it the last one)."""
    mine = Game.objects.filter(Q(white=entry) | Q(black=entry)).select_related("stage")
    mine = mine.exclude(stage__kind=Stage.Kind.PLAYOFF)  # what a sanction does to one is entered on its page
    if named.isascii() and named.isdecimal():
        mine = mine.filter(round_number=int(named), match_key="") if len(named) < 4 else mine.none()
    else:
        key, _slash, number = named.partition("/")
        mine = mine.filter(match_key__iexact=key.strip())
        if number:
            fits = number.isascii() and number.isdecimal() and len(number) < 4
            mine = mine.filter(game_number=int(number)) if fits else mine.none()
    return mine.order_by("-stage__ordinal", "-game_number").first()


def name_of(game: Game) -> str:
    """Return how `game_of` finds this game."""
    return f"{game.match_key}/{game.game_number}" if game.match_key else str(game.round_number or "")


class RevokeForm(forms.Form):
    sanction = forms.IntegerField(widget=forms.HiddenInput)
    reason = Line(label=gettext_lazy("Why it is taken back"), max_length=500)


class AppealForm(forms.Form):
    """An appeal as it is handed in on paper."""

    def __init__(self, *args: Any, tournament: Tournament, rules: AppealRules, deposit: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        everybody = (*Entry.IN_PLAY, Entry.State.WITHDRAWN, Entry.State.DISQUALIFIED)
        self.fields["entry"] = EntryChoice(label=_("Player"), queryset=_people(tournament, everybody))
        self.fields["place"] = Line(
            label=_("Round or match"),
            max_length=16,
            help_text=_("Number of the round, name of the match such as L2.3, or L2.3/2 for its second game."),
        )
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
        self.fields["filed_time"] = forms.TimeField(
            label=_("Handed in at"),
            required=False,
            widget=forms.TimeInput(format="%H:%M", attrs={"type": "time"}),
            help_text=_("The hour today when the paper was handed in; empty for now."),
        )
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
    name = Line(label=pgettext_lazy("person", "Name"), max_length=120)
    reserve = forms.BooleanField(label=gettext_lazy("reserve member"), required=False)


class OwnCasesForm(forms.Form):
    """Players whose cases a member may not judge: family, pupils, club-mates."""

    def __init__(self, *args: Any, tournament: Tournament, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["member"] = forms.IntegerField(widget=forms.HiddenInput)
        self.fields["entries"] = EntriesChoice(
            label=_("May not judge the cases of"),
            required=False,
            queryset=_people(tournament, (*Entry.IN_PLAY, Entry.State.WITHDRAWN)),
            widget=forms.SelectMultiple(attrs={"size": 8}),
        )
