"""Forms of the core's staff pages: accounts, an event's settings, roles, reasons."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth import get_user_model, password_validation
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from tourney.kernel.text import LANGUAGES
from tourney.labels import sentence
from tourney.models import StaffRole, Tournament
from tourney.regulation_checks import check_spec, errors_of
from tourney.requisites import requisites_of
from tourney.selectors import current_regulation

LANGUAGE_NAMES = {"uk": _("Ukrainian"), "ru": _("Russian"), "en": _("English")}


class FirstAccountForm(forms.Form):
    """The first account of an installation."""

    username = forms.CharField(
        label=_("Sign-in name"), min_length=3, max_length=150, validators=[UnicodeUsernameValidator()]
    )
    email = forms.EmailField(label=_("E-mail"), required=False, help_text=_("For a forgotten password."))
    password = forms.CharField(
        label=_("Password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text=_("At least 8 characters; a few unrelated words are best."),
    )
    again = forms.CharField(
        label=_("Password once more"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        password, again = data.get("password"), data.get("again")
        if password and again and password != again:
            self.add_error("again", _("The two passwords differ."))
        if password:
            user = get_user_model()(username=data.get("username", ""), email=data.get("email", ""))
            try:
                password_validation.validate_password(password, user)
            except ValidationError as refused:
                self.add_error("password", refused)
        return data


class ReasonForm(forms.Form):
    """A reason, asked for where the log must say why."""

    reason = forms.CharField(
        label=_("Reason"),
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("Stays in the event's log."),
    )

    def __init__(self, *args: Any, required: bool = True, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["reason"].required = required


class StaffForm(forms.Form):
    """A person and a role."""

    name = forms.CharField(
        label=_("Sign-in name or e-mail"),
        max_length=150,
        help_text=_("Who has no account yet gets one, with a password that is shown to you once."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    role = forms.ChoiceField(label=_("Role"), choices=StaffRole.Role.choices, initial=StaffRole.Role.ARBITER)


class SettingsForm(forms.ModelForm):
    """What of an event is no rule: when, where, whom to call, boards, bank details."""

    # Texts kept in three languages: one field each, joined into the JSON column.
    TEXTS = {
        "title": _("Title"),
        "venue": _("Venue"),
        "address": _("Address"),
        "venue_note": _("Note on the venue (shelter, generator)"),
        "organizer": _("Organizer"),
    }
    # Names as the payment slip reads them (`registration.engine.payee`); which are asked for follows the currency.
    REQUISITES = {
        "name": _("Payee"),
        "short_name": _("Payee, short"),
        "iban": "IBAN",
        "edrpou": _("Tax number (EDRPOU)"),
        "inn": _("Tax number (INN)"),
        "kpp": _("Tax registration code (KPP)"),
        "account": _("Account number"),
        "bank": _("Bank"),
        "bic": _("Bank code (BIC)"),
        "correspondent": _("Correspondent account"),
    }
    ASKED = {
        "RUB": ("name", "short_name", "inn", "kpp", "account", "bank", "bic", "correspondent"),
        "UAH": ("name", "short_name", "iban", "edrpou", "bank"),
    }

    class Meta:
        model = Tournament
        fields = (
            "starts_on",
            "ends_on",
            "start_time",
            "contact_email",
            "contact_phone",
            "broadcast_url",
            "boards",
            "language",
        )
        labels = {
            "starts_on": _("First day"),
            "ends_on": _("Last day"),
            "start_time": _("Start"),
            "contact_email": _("E-mail"),
            "contact_phone": _("Telephone"),
            "boards": _("Boards"),
            "language": _("Language of the event"),
        }
        help_texts = {
            "boards": _("How many boards stand in the hall."),
            "language": _("For print, and for visitors whose browser asks for none of our languages."),
        }
        widgets = {
            "starts_on": forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
            "ends_on": forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
            "start_time": forms.TimeInput(attrs={"type": "time"}, format="%H:%M"),
            "language": forms.Select(choices=list(LANGUAGE_NAMES.items())),
        }

    broadcast_url = forms.URLField(
        label=_("Broadcast"),
        required=False,
        assume_scheme="https",
        help_text=_("A link to the video; spectators open it themselves."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, label in self.TEXTS.items():
            given = getattr(self.instance, name) or {}
            for language in LANGUAGES:
                self.fields[f"{name}_{language}"] = forms.CharField(
                    label=label if language == self.instance.language else f"{label} · {LANGUAGE_NAMES[language]}",
                    required=False,
                    max_length=300,
                    initial=given.get(language, ""),
                )
        self.asked = self.ASKED.get(self.instance.currency, ("name", "iban", "bank", "bic"))
        regulation = current_regulation(self.instance)
        default = requisites_of(None, regulation.spec.get("payment") or {}) if regulation else {}
        for key in self.asked:
            self.fields[f"requisites_{key}"] = forms.CharField(
                label=self.REQUISITES[key],
                required=False,
                max_length=120,
                initial=(self.instance.requisites or {}).get(key, ""),
                widget=forms.TextInput(attrs={"placeholder": default.get(key, "")}),
                help_text=_("Empty fields: as in the regulations. Fill in one, and only these count.")
                if key == self.asked[0] and default
                else "",
            )

    def groups(self) -> list[tuple[Any, list[Any], bool]]:
        """Return the fields as the page groups them: (heading, fields, open at first)."""
        languages = [self.instance.language, *(code for code in LANGUAGES if code != self.instance.language)]
        own, others = languages[0], languages[1:]
        return [
            (_("When"), [self[name] for name in ("starts_on", "ends_on", "start_time")], True),
            (_("What and where"), [self[f"{name}_{own}"] for name in self.TEXTS], True),
            (_("Contacts"), [self["contact_email"], self["contact_phone"]], True),
            (_("Hall and broadcast"), [self["boards"], self["broadcast_url"], self["language"]], True),
            (_("Bank details for transfers"), [self[f"requisites_{key}"] for key in self.asked], False),
            *(
                (
                    _("In words: %(language)s") % {"language": LANGUAGE_NAMES[code]},
                    [self[f"{n}_{code}"] for n in self.TEXTS],
                    False,
                )
                for code in others
            ),
        ]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        first, last = data.get("starts_on"), data.get("ends_on")
        if first and last and last < first:
            self.add_error("ends_on", _("The last day can't be before the first."))
        if not any(data.get(f"title_{language}") for language in LANGUAGES):
            self.add_error(f"title_{self.instance.language}", _("An event needs a title."))
        self._check_requisites({key: (data.get(f"requisites_{key}") or "").strip() for key in self.asked})
        return data

    def _check_requisites(self, given: dict[str, str]) -> None:
        """Let whoever reads bank details look at them, as part of the regulation's payment block."""
        regulation = current_regulation(self.instance) if any(given.values()) else None
        if regulation is None:
            return
        payment = dict(regulation.spec.get("payment") or {})
        payment["payee"] = {key: value for key, value in given.items() if value}
        problems = check_spec({**regulation.spec, "payment": payment}, starts_on=self.instance.starts_on)
        for problem in errors_of(problems):
            block, _dot, key = problem.path.rpartition(".")
            if block == "payment.payee" and key in self.asked:
                self.add_error(f"requisites_{key}", sentence(problem.as_error()))

    def save(self, commit: bool = True) -> Tournament:
        event = super().save(commit=False)
        for name in self.TEXTS:
            texts = {language: self.cleaned_data[f"{name}_{language}"].strip() for language in LANGUAGES}
            setattr(event, name, {language: text for language, text in texts.items() if text})
        kept = {key: value for key, value in (event.requisites or {}).items() if key not in self.asked}
        given = {key: self.cleaned_data[f"requisites_{key}"].strip() for key in self.asked}
        event.requisites = kept | {key: value for key, value in given.items() if value}
        if commit:
            event.save()
        return event


class OverrideForm(forms.Form):
    """The chief arbiter's choice against the head-count rule (M7.2)."""

    system = forms.ChoiceField(label=_("System"), required=False)
    rounds = forms.IntegerField(
        label=_("Rounds"), required=False, min_value=1, max_value=30, help_text=_("For a Swiss only.")
    )
    reason = forms.CharField(
        label=_("Reason"),
        required=False,
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("Needed when you change anything here; stays in the event's log."),
    )

    def __init__(self, *args: Any, systems: list[tuple[str, Any]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["system"].choices = [("", _("As the regulation says")), *systems]


class ExchangeForm(forms.Form):
    """Two start numbers and why they change places."""

    first = forms.IntegerField(label=_("Number"), min_value=1)
    second = forms.IntegerField(label=_("with number"), min_value=1)
    reason = forms.CharField(label=_("Reason"), max_length=500)


class RoundsForm(forms.Form):
    """Another number of rounds, and why."""

    rounds = forms.IntegerField(label=_("Rounds"), min_value=1, max_value=30)
    reason = forms.CharField(label=_("Reason"), max_length=500)


class BoardForm(forms.Form):
    """Where in the hall a group sits."""

    board = forms.IntegerField(label=_("First board"), min_value=1, max_value=2000)
