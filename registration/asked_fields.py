"""What the entry form asks: fields made from the regulation's data, for the public and for the desk alike."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext as _

from registration.engine import eligibility
from registration.engine.eligibility import COMMITTEE
from registration.engine.rules import FormField, RegistrationRules
from registration.fields import RATING_WORDS, Line, check_name, date_input, text_field
from registration.privacy.consents import words_of
from registration.regulations import rating_kinds, section_rules
from tourney.models import Regulation, Section, Tournament

OTHER_LEVEL = "other"
CONSENTS = ("regulation", "processing", "publication", "media")
NEEDED_CONSENTS = ("regulation", "processing")


class AskedFields(forms.Form):
    """Makes the fields of an entry; what is typed into them is judged in `registration.forms`."""

    tournament: Tournament
    known: RegistrationRules
    regulation: Regulation
    sections: list[Section]
    staff: bool

    # -- what is asked -------------------------------------------------------------------------------------------------

    def asks(self, field: FormField) -> bool:
        return field in self.known.entry.fields

    @staticmethod
    def _names_of(field: FormField) -> tuple[str, ...]:
        match field:
            case FormField.GUARDIAN:
                return ()  # asked of minors only
            case FormField.RESIDENCE:
                return ()  # two marks, both of which may rightly be empty
            case _:
                return (field.value,)

    def _who(self) -> list[eligibility.SectionRule]:
        return [section_rules(self.known, one).who for one in self.sections]

    def _person_fields(self) -> None:
        who = self._who()
        if self.asks(FormField.BIRTH_DATE) or any(rule.born_from is not None for rule in who):
            self.fields["birth_date"] = forms.DateField(
                label=_("Date of birth"),
                required=any(rule.born_from is not None for rule in who),
                input_formats=["%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y"],
                widget=date_input(),
            )
        if self.asks(FormField.SEX) or any(rule.sex for rule in who):
            self.fields["sex"] = forms.ChoiceField(
                label=_("Sex"),
                required=any(rule.sex for rule in who),
                choices=[("F", _("female")), ("M", _("male"))],
                widget=forms.RadioSelect,
            )

    def _play_fields(self) -> None:
        if len(self.sections) > 1:
            automatic = self._can_choose_by_itself()
            first = [("", _("By date of birth and sex"))] if automatic else [("", _("Choose a group"))]
            self.fields["section"] = forms.ChoiceField(
                label=_("Group"),
                required=not automatic,
                choices=[*first, *((one.code, one.title_text) for one in self.sections)],
                help_text=_("Choose one only to play in an older group.") if automatic else "",
            )
        if self.known.entry.levels:
            known = self.known.entry.levels
            strongest_first = [code for rule in self._who() for code in rule.levels if code in known]
            codes = dict.fromkeys([*strongest_first, *known])
            words = [(code, self.tournament.in_words(dict(known[code]))) for code in codes]
            self.fields["level"] = forms.ChoiceField(
                label=_("Class"),
                required=any(rule.levels for rule in self._who()),
                choices=[("", _("Choose")), *words, (OTHER_LEVEL, _("Another class, or none"))],
                help_text=_("With another class, or none, the entry waits for the organizer's word.")
                if any(rule.other_levels == "decision_needed" and rule.levels for rule in self._who())
                else "",
            )
            self.fields["level_text"] = text_field(_("Which class"), longest=8, help_text=_("If it is another one."))
        for kind in rating_kinds(self.tournament):
            self.fields[f"rating_{kind}"] = forms.IntegerField(
                label=RATING_WORDS[kind],
                required=False,
                min_value=1,
                max_value=3500,
                help_text=_("Leave empty if there is none."),
            )
        self.fields["latin_name"] = text_field(
            _("Name in Latin letters"), longest=120, help_text=_("As in the passport, for international reports.")
        )
        if self.asks(FormField.FIDE_ID):
            self.fields["fide_id"] = text_field("ID FIDE", longest=10)
        if self.asks(FormField.NATIONAL_ID):
            self.fields["national_id"] = text_field(_("National ID"), longest=12)
        if self.asks(FormField.CITY):
            self.fields["city"] = text_field(_("Town"), auto="address-level2")
        if self.asks(FormField.RESIDENCE):
            self.fields["district"] = text_field(_("District"))
        if self.asks(FormField.CLUB):
            self.fields["club"] = text_field(_("Club or school"), auto="organization")
        if self.asks(FormField.COACH):
            self.fields["coach"] = text_field(_("Coach"))
        if self.asks(FormField.RESIDENCE):
            region = next((self.tournament.in_words(dict(rule.region)) for rule in self._who() if rule.region), "")
            self.fields["lives_in_region"] = forms.BooleanField(
                label=_("lives in the region: %(region)s") % {"region": region}, required=False
            )
            self.fields["registered_in_region"] = forms.BooleanField(
                label=_("is registered there (official address)"), required=False
            )

    def _can_choose_by_itself(self) -> bool:
        """Return whether age and sex lead to one section: no two sections take the same people."""
        seen = [(rule.sex, rule.born_from, rule.born_to) for rule in self._who()]
        return len(set(seen)) == len(seen) and all(rule.born_from is not None for rule in self._who())

    def _contact_fields(self) -> None:
        if self.asks(FormField.EMAIL) or not self.staff:
            self.fields["email"] = forms.EmailField(
                label=_("E-mail"),
                required=False,
                max_length=120,
                widget=forms.EmailInput(attrs={"autocomplete": "email"}),
                help_text=_("The personal link goes there: to see, change or withdraw the entry."),
            )
        if self.asks(FormField.PHONE):
            self.fields["phone"] = text_field(_("Telephone"), longest=40, auto="tel", kind="tel")
        if self.asks(FormField.GUARDIAN):
            self.fields["guardian_name"] = Line(
                label=_("Parent or guardian"),
                max_length=160,
                required=False,
                validators=[check_name],
                help_text=_("Needed when the player is under 18."),
            )
            self.fields["guardian_relation"] = text_field(_("Who this is to the player"), longest=40)

    def _ground_fields(self) -> None:
        claims = claims_in_order(self.known)
        if claims:
            self.fields["claims"] = forms.MultipleChoiceField(
                label=_("Grounds for another fee"),
                required=False,
                widget=forms.CheckboxSelectMultiple,
                choices=[(code, self.tournament.in_words(dict(text))) for code, text in claims.items()],
                help_text=_(
                    "Bring the document to the desk: the fee changes once it has been seen. Nobody else is told."
                ),
            )
        grounds = {code: text for code, text in self.known.entry.grounds.items() if code != COMMITTEE}
        if grounds and any(rule.playing_up or rule.girls_among_boys for rule in self._who()):
            self.fields["grounds"] = forms.MultipleChoiceField(
                label=_("To play in another group"),
                required=False,
                widget=forms.CheckboxSelectMultiple,
                choices=[(code, self.tournament.in_words(dict(text))) for code, text in grounds.items()],
            )
        self.fields["note"] = forms.CharField(
            label=_("Note to the organizer"), required=False, max_length=500, widget=forms.Textarea(attrs={"rows": 2})
        )

    def _consent_fields(self) -> None:
        asked = list(self.known.entry.consents)
        if self.regulation.spec.get("broadcast") and "media" not in asked:
            asked.append("media")
        for code in CONSENTS:
            if code in asked:
                needed = code in NEEDED_CONSENTS
                self.fields[f"consent_{code}"] = forms.BooleanField(
                    label=words_of(code, self.regulation),
                    required=needed,
                    error_messages={"required": _("Without this consent the entry can't be taken.")},
                )


def claims_in_order(known: RegistrationRules) -> dict[str, Any]:
    """Return the claims in the order of the text: as the rules name them, not as a database sorts its keys."""
    named: list[str] = []
    for rule in known.fees.rules:
        bullets = getattr(rule, "bullets", ())
        named += [code for bullet in bullets for code in bullet.claims] or list(getattr(rule, "claims", ()))
    claims = known.fees.claims
    return {code: claims[code] for code in dict.fromkeys([*named, *claims]) if code in claims}
