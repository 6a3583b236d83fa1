"""The entry form: asks what the regulation's data says, nothing else; the same form serves the public and the desk."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from registration.engine import eligibility
from registration.engine.eligibility import COMMITTEE, Decision, Verdict
from registration.engine.rules import FormField, RegistrationRules
from registration.fields import RATING_WORDS, Line, Name, check_name, date_input, text_field
from registration.labels import MESSAGES
from registration.regulations import rating_kinds, section_rules
from registration.services.entering import Applicant, person_of
from tourney.kernel.errors import TourneyError
from tourney.models import Regulation, Section, Tournament

ADULT = 18
OTHER_LEVEL = "other"
# Which field shows why somebody can't enter a section.
REFUSED_AT = {
    "residence": "lives_in_region",
    "sex_unknown": "sex",
    "section": "section",
    "birth_year_unknown": "birth_date",
    "too_old": "birth_date",
    "too_young": "birth_date",
    "level": "level",
}


class EntryForm(forms.Form):
    """One person's entry. After validation: `section`, `verdict` and `applicant()`."""

    surname = Name(label=gettext_lazy("Surname"), widget=forms.TextInput(attrs={"autocomplete": "family-name"}))
    given_name = Name(
        label=pgettext_lazy("person", "Name"), widget=forms.TextInput(attrs={"autocomplete": "given-name"})
    )
    patronymic = Name(
        label=gettext_lazy("Patronymic"),
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "additional-name"}),
        help_text=gettext_lazy("For receipts and diplomas only; never on public pages."),
    )

    def __init__(
        self,
        *args: Any,
        tournament: Tournament,
        known: RegistrationRules,
        regulation: Regulation,
        sections: Sequence[Section],
        staff: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.tournament, self.known, self.regulation, self.staff = tournament, known, regulation, staff
        self.sections = list(sections)
        self.section: Section | None = None
        self.verdict: Verdict | None = None
        self._person_fields()
        self._play_fields()
        self._contact_fields()
        self._ground_fields()
        self._consent_fields()
        self.fields["operation"] = forms.UUIDField(widget=forms.HiddenInput, initial=uuid.uuid4)
        self.fields["regulation"] = forms.IntegerField(widget=forms.HiddenInput, initial=regulation.pk)
        # A field people never see: what fills it in is a program.
        self.fields["website"] = forms.CharField(
            required=False,
            label=_("Leave this empty"),
            widget=forms.TextInput(attrs={"tabindex": "-1", "autocomplete": "off"}),
        )
        for field in known.entry.required_fields:
            for name in self._names_of(field):
                if name in self.fields:
                    self.fields[name].required = True

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
        number = self.regulation.number
        words = {
            "regulation": _("I have read the regulations, version %(number)s, and agree to them") % {"number": number},
            "processing": _("I agree to the processing of these data for this event"),
            "publication": _(
                "Name, year of birth, town, club, rating and results may be shown on the event's pages "
                "(without this a number is shown instead of the name)"
            ),
            "media": _("Photos and video of the player may be shown"),
        }
        asked = list(self.known.entry.consents)
        if self.regulation.spec.get("broadcast") and "media" not in asked:
            asked.append("media")
        for code in ("regulation", "processing", "publication", "media"):
            if code in asked:
                needed = code in ("regulation", "processing")
                self.fields[f"consent_{code}"] = forms.BooleanField(
                    label=words[code],
                    required=needed,
                    error_messages={"required": _("Without this consent the entry can't be taken.")},
                )

    # -- groups for the page -------------------------------------------------------------------------------------------

    def groups(self) -> list[tuple[str, Any, list[Any]]]:
        """Return (key, heading, fields) in the order of the page."""
        order: list[tuple[str, Any, Iterable[str]]] = [
            ("player", _("Player"), ("surname", "given_name", "patronymic", "birth_date", "sex")),
            (
                "chess",
                _("Chess"),
                (
                    "section",
                    "level",
                    "level_text",
                    *(f"rating_{kind}" for kind in RATING_WORDS),
                    "city",
                    "club",
                    "lives_in_region",
                    "registered_in_region",
                ),
            ),
            ("more", _("More about the player"), ("fide_id", "national_id", "district", "coach")),
            ("contact", _("Contact, not public"), ("email", "phone", "guardian_name", "guardian_relation")),
            ("grounds", _("Fee and rights"), ("claims", "grounds")),
            ("note", _("Anything else"), ("note",)),
            ("consent", _("Consents"), [f"consent_{c}" for c in ("regulation", "processing", "publication", "media")]),
        ]
        found = []
        for key, heading, names in order:
            fields = [self[name] for name in names if name in self.fields]
            if fields:
                found.append((key, heading, fields))
        return found

    # -- what was typed ------------------------------------------------------------------------------------------------

    def clean_birth_date(self) -> Any:
        day = self.cleaned_data["birth_date"]
        if day is not None and day > timezone.localdate():
            raise ValidationError(_("This day has not come yet."))
        if day is not None and day.year < timezone.localdate().year - 110:
            raise ValidationError(_("Look at the year: nobody is that old."))
        return day

    def clean_fide_id(self) -> str:
        number = str(self.cleaned_data["fide_id"])
        if number and not (number.isascii() and number.isdecimal()):
            raise ValidationError(_("An ID FIDE has digits only."))
        return number

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if not self.staff and data.get("regulation") not in (None, self.regulation.pk):
            self.add_error("consent_regulation", MESSAGES["entry.regulation_changed"])
        self._clean_guardian(data)
        self._find_section(data)
        return data

    def _clean_guardian(self, data: dict[str, Any]) -> None:
        born = data.get("birth_date")
        if born is None or "guardian_name" not in self.fields or not _is_minor(born, self.tournament.starts_on):
            return
        if self.staff:
            return  # the desk sees the parent; the paper has the name
        if not data.get("guardian_name") and "guardian_name" not in self.errors:
            self.add_error("guardian_name", _("The player is under 18: a parent or guardian enters him or her."))
        has_contact = data.get("email") or data.get("phone")
        if not has_contact and not self.errors.get("email") and "phone" in self.fields:
            self.add_error("phone", _("Give an e-mail address or a telephone number, so that we can reach you."))

    def _find_section(self, data: dict[str, Any]) -> None:
        """Choose the section and say at the right field why somebody can't enter it."""
        if self._lacks(data, "birth_date") or self._lacks(data, "sex") or self._lacks(data, "level"):
            return
        code = data.get("section", "")
        person = person_of(self.applicant(), self.tournament)
        rules = dict(zip((one.code for one in self.sections), self._who(), strict=True))
        if len(self.sections) == 1:
            code = self.sections[0].code
        elif not code:
            if self._lacks(data, "section"):
                return
            offered = eligibility.sections_for(list(rules.values()), person)
            accepted = [rule for rule, verdict in offered if verdict.decision is Decision.ACCEPT]
            # A player younger than a group may enter it with a right; without one only his own group fits.
            code = accepted[0].code if accepted else self._nearest(rules, data)
            if not code:
                self.add_error("section", _("No group of this event takes this player."))
                return
        if code not in rules:
            return
        self.section = next(one for one in self.sections if one.code == code)
        self.verdict = eligibility.judge(rules[code], person)
        if self.verdict.decision is Decision.REFUSE:
            self._say_refusal(self.section, rules[code], self.verdict)

    def _nearest(self, rules: dict[str, eligibility.SectionRule], data: dict[str, Any]) -> str:
        """Return the section whose refusal explains most: of the own sex, and of the own age if there is one."""
        own = [rule for rule in rules.values() if not rule.sex or rule.sex == data.get("sex")]
        year = data["birth_date"].year if data.get("birth_date") else None
        for rule in own:
            if year is not None and rule.born_from is not None and rule.born_from <= year <= (rule.born_to or year):
                return rule.code
        if year is None or not own:
            return ""
        oldest = min(own, key=lambda rule: rule.born_from or 0)
        youngest = max(own, key=lambda rule: rule.born_to or 0)
        return oldest.code if year < (oldest.born_from or 0) else youngest.code

    def _lacks(self, data: dict[str, Any], name: str) -> bool:
        field = self.fields.get(name)
        return field is not None and (name in self.errors or (field.required and not data.get(name)))

    def _say_refusal(self, section: Section, rule: eligibility.SectionRule, verdict: Verdict) -> None:
        ratings = [f"rating_{kind}" for kind in rating_kinds(self.tournament)]
        name = REFUSED_AT.get(verdict.reason) or next(iter(ratings), "")
        error = TourneyError(
            f"entry.refused.{verdict.reason}",
            section=section.title_text,
            born_from=rule.born_from or "",
            born_to=rule.born_to or "",
            lowest=rule.rating_at_least or "",
            highest=rule.rating_at_most or "",
            region=self.tournament.in_words(dict(rule.region)),
        )
        words = str(MESSAGES[error.code]) % error.values
        if verdict.clause:
            words += " " + _("(clause %(clause)s)") % {"clause": verdict.clause}
        self.add_error(name if name in self.fields else None, words)

    def applicant(self, **more: Any) -> Applicant:
        """Return the person as typed; fields that were refused are left out."""
        data = self.cleaned_data
        level = data.get("level", "")
        if level == OTHER_LEVEL:
            level = data.get("level_text", "")
        ratings = {kind: data[f"rating_{kind}"] for kind in RATING_WORDS if data.get(f"rating_{kind}")}
        texts = {
            name: data.get(name) or ""
            for name in (
                "given_name",
                "patronymic",
                "sex",
                "club",
                "city",
                "district",
                "coach",
                "fide_id",
                "national_id",
                "email",
                "phone",
                "guardian_name",
                "guardian_relation",
                "note",
            )
        }
        return Applicant(
            surname=data.get("surname") or "",
            birth_date=data.get("birth_date"),
            level=level,
            ratings=ratings,
            lives_in_region=bool(data.get("lives_in_region")),
            registered_in_region=bool(data.get("registered_in_region")),
            claims=tuple(data.get("claims") or ()),
            grounds=tuple(data.get("grounds") or ()),
            consent_processing=bool(data.get("consent_processing")),
            consent_publication=bool(data.get("consent_publication")),
            consent_media=bool(data.get("consent_media")),
            **texts,
            **more,
        )


def claims_in_order(known: RegistrationRules) -> dict[str, Any]:
    """Return the claims in the order of the text: as the rules name them, not as a database sorts its keys."""
    named: list[str] = []
    for rule in known.fees.rules:
        bullets = getattr(rule, "bullets", ())
        named += [code for bullet in bullets for code in bullet.claims] or list(getattr(rule, "claims", ()))
    claims = known.fees.claims
    return {code: claims[code] for code in dict.fromkeys([*named, *claims]) if code in claims}


def _is_minor(born: Any, on: Any) -> bool:
    return (on.year - born.year - ((on.month, on.day) < (born.month, born.day))) < ADULT
