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

from registration.asked_fields import CONSENTS, NEEDED_CONSENTS, OTHER_LEVEL, AskedFields
from registration.engine import eligibility
from registration.engine.eligibility import Decision, Verdict
from registration.engine.rules import RegistrationRules
from registration.fields import RATING_WORDS, Name
from registration.labels import MESSAGES
from registration.regulations import rating_kinds
from registration.services.applicants import Applicant, person_of
from tourney.kernel.errors import TourneyError
from tourney.models import Regulation, Section, Tournament

ADULT = 18
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


class EntryForm(AskedFields):
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

    # -- groups for the page -------------------------------------------------------------------------------------------

    def groups(self) -> list[tuple[str, Any, list[Any]]]:
        """Return (key, heading, fields) in the order of the page."""
        order: list[tuple[str, Any, Iterable[str]]] = [
            ("agree", _("Before you begin"), [f"consent_{code}" for code in NEEDED_CONSENTS]),
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
            ("more", _("More about the player"), ("latin_name", "fide_id", "national_id", "district", "coach")),
            ("contact", _("Contact, not public"), ("email", "phone", "guardian_name", "guardian_relation")),
            ("grounds", _("Fee and rights"), ("claims", "grounds")),
            ("note", _("Anything else"), ("note",)),
            ("consent", _("If you like"), [f"consent_{code}" for code in CONSENTS if code not in NEEDED_CONSENTS]),
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
                "latin_name",
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
            consent_regulation=bool(data.get("consent_regulation")),
            consent_processing=bool(data.get("consent_processing")),
            consent_publication=bool(data.get("consent_publication")),
            consent_media=bool(data.get("consent_media")),
            **texts,
            **more,
        )


def _is_minor(born: Any, on: Any) -> bool:
    return (on.year - born.year - ((on.month, on.day) < (born.month, born.day))) < ADULT
