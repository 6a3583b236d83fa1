"""Changing what an entry says about a person: by the personal link, and by the desk."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from registration.fields import RATING_WORDS, Line, Name, check_name, date_input, text_field
from registration.regulations import rating_kinds
from tourney.models import Player


class ContactForm(forms.Form):
    """What an entrant may change by the personal link; the person himself only while the list is open."""

    def __init__(self, *args: Any, entry: Any, application: Any, closed: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        player, answers = entry.player, application.answers
        values: dict[str, tuple[forms.Field, Any]] = {}
        if not closed:
            values |= {
                "surname": (Name(label=_("Surname")), player.surname),
                "given_name": (Name(label=pgettext("person", "Name")), player.given_name),
                "patronymic": (Name(label=_("Patronymic"), required=False), player.patronymic),
                "fide_id": (text_field("ID FIDE", longest=10), player.fide_id),
                "national_id": (text_field(_("National ID"), longest=12), player.national_id),
            }
        values |= {
            "city": (text_field(_("Town"), auto="address-level2"), player.city),
            "district": (text_field(_("District")), player.district),
            "club": (text_field(_("Club or school"), auto="organization"), player.club),
            "coach": (text_field(_("Coach")), answers.get("coach", "")),
            "email": (
                forms.EmailField(
                    label=_("E-mail"),
                    max_length=120,
                    required=bool(application.email),
                    widget=forms.EmailInput(attrs={"autocomplete": "email"}),
                ),
                application.email,
            ),
            "phone": (text_field(_("Telephone"), longest=40, auto="tel", kind="tel"), application.phone),
            "guardian_name": (
                Line(label=_("Parent or guardian"), max_length=160, required=False, validators=[check_name]),
                application.guardian_name,
            ),
            "guardian_relation": (
                text_field(_("Who this is to the player"), longest=40),
                application.guardian_relation,
            ),
            "public_name": (
                forms.BooleanField(
                    label=_("The name may be shown on the event's pages"),
                    required=False,
                    help_text=_("Without this a number is shown instead of the name."),
                ),
                entry.public_name,
            ),
        }
        for name, (field, value) in values.items():
            field.initial = value
            self.fields[name] = field


class StaffEditForm(ContactForm):
    """Everything about a person, for the desk."""

    def __init__(self, *args: Any, entry: Any, application: Any, **kwargs: Any) -> None:
        super().__init__(*args, entry=entry, application=application, closed=False, **kwargs)
        player = entry.player
        self.fields["email"].required = False
        more: dict[str, tuple[forms.Field, Any]] = {
            "latin_name": (text_field(_("Name in Latin letters"), longest=120), player.latin_name),
            "birth_date": (
                forms.DateField(
                    label=_("Date of birth"),
                    required=False,
                    input_formats=["%Y-%m-%d", "%d.%m.%Y"],
                    widget=date_input(),
                ),
                player.birth_date,
            ),
            "sex": (
                forms.ChoiceField(label=_("Sex"), required=False, choices=[("", "–"), *Player.Sex.choices]),
                player.sex,
            ),
            "title": (text_field(pgettext("player", "Title"), longest=4), player.title),
            "level": (text_field(_("Class"), longest=8), entry.level),
            "federation": (text_field(_("Federation"), longest=3), player.federation),
        }
        for kind in rating_kinds(entry.tournament):
            field = forms.IntegerField(label=RATING_WORDS[kind], required=False, min_value=1, max_value=3500)
            more[f"rating_{kind}"] = (field, (entry.ratings or {}).get(kind))
        more["reason"] = (
            Line(
                label=_("Reason"),
                max_length=500,
                required=False,
                help_text=_("Needed to change a rating once the start list is closed."),
            ),
            "",
        )
        for name, (field, value) in more.items():
            field.initial = value
            self.fields[name] = field
        self.kept_ratings = dict(entry.ratings or {})

    def clean_birth_date(self) -> Any:
        day = self.cleaned_data["birth_date"]
        if day is not None and day > timezone.localdate():
            raise ValidationError(_("This day has not come yet."))
        return day

    def changes(self) -> dict[str, Any]:
        """Return what `edit_entry` takes."""
        data = {name: value for name, value in self.cleaned_data.items() if name != "reason"}
        ratings = {**self.kept_ratings}
        for name in [name for name in data if name.startswith("rating_")]:
            ratings[name.removeprefix("rating_")] = data.pop(name)
        return {**data, "ratings": ratings}
