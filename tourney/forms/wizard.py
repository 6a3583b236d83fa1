"""The questions a new event is made from: what, when, where, money, and whatever the regulation's text leaves open."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date, time, timedelta
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tourney.forms.block import LANGUAGE_NAMES
from tourney.forms.regulation import ReadingsForm
from tourney.forms.values import RuleField, read_moment
from tourney.kernel.paths import set_at
from tourney.kernel.regulation import resolve_dates
from tourney.kernel.text import LANGUAGES
from tourney.labels import sentence
from tourney.moments import valid_day
from tourney.regulation_checks import check_spec, errors_of
from tourney.regulation_schema.fees import PAYEE_LABELS
from tourney.regulation_schema.paths import path_labels, relative_words
from tourney.regulation_schema.people import CURRENCIES, TIME_ZONES

RELATIVE = re.compile(r"start(?:[+-]\d{1,4}d)?(?: \d\d:\d\d)?")
# Texts asked for in the event's language, and in the others if somebody wishes.
TEXTS = {
    "title": gettext_lazy("Name of the event"),
    "venue": gettext_lazy("Place"),
    "address": gettext_lazy("Address"),
    "venue_note": gettext_lazy("Note on the place (shelter, generator, entrance)"),
    "organizer": gettext_lazy("Organizer"),
}
PAYEE_OF = {
    "UAH": ("name", "bank", "iban", "edrpou"),
    "RUB": ("name", "short_name", "bank", "inn", "kpp", "ogrn", "bic", "account", "correspondent"),
}
# What a smaller field contradicts: said at the number of places, which is what the page asks for.
OUTSIDE_THE_FIELD = ("prize.place", "lottery.place", "bracket.too_small")
PAYEE_ANYWHERE = ("name", "bank", "iban")


class WizardForm(ReadingsForm):
    """Everything on one page. `preset` is the preset's data with relative dates."""

    language = forms.ChoiceField(label=gettext_lazy("Language of the event"), choices=list(LANGUAGE_NAMES.items()))
    starts_on = forms.DateField(
        label=gettext_lazy("First day"),
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        validators=[valid_day],
    )
    ends_on = forms.DateField(
        label=gettext_lazy("Last day"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        validators=[valid_day],
    )
    start_time = forms.TimeField(
        label=gettext_lazy("Start"), widget=forms.TimeInput(attrs={"type": "time"}, format="%H:%M")
    )
    contact_email = forms.EmailField(label=gettext_lazy("E-mail for questions"), required=False)
    contact_phone = forms.CharField(label=gettext_lazy("Phone for questions"), required=False, max_length=40)
    broadcast_url = forms.URLField(
        label=gettext_lazy("Address of the broadcast"), required=False, assume_scheme="https"
    )
    currency = forms.ChoiceField(label=gettext_lazy("Currency"), choices=list(CURRENCIES.items()))
    time_zone = forms.ChoiceField(label=gettext_lazy("Time zone"), choices=list(TIME_ZONES.items()))
    boards = forms.IntegerField(label=gettext_lazy("Boards in the hall"), min_value=1, max_value=2000)

    def __init__(self, *args: Any, preset: Mapping[str, Any], **kwargs: Any) -> None:
        super().__init__(*args, data_of=preset, **kwargs)
        self.preset = preset
        event = preset.get("event") or {}
        days = int(event.get("days", 1))
        self.fields["ends_on"].help_text = (
            _("Left empty: the same day.") if days == 1 else _("Left empty: %(count)s days in all.") % {"count": days}
        )
        self.initial = {
            "language": preset.get("language", "uk"),
            "start_time": event.get("start_time", "10:00"),
            "currency": preset.get("currency", "UAH"),
            "time_zone": preset.get("time_zone", "Europe/Kyiv"),
            "boards": 16,
            **self.initial,
        }
        self._add_texts(event)
        self.deadlines = self._add_deadlines()
        self.capacities = self._add_capacities()
        self.payee = self._add_payee()

    # -- fields --------------------------------------------------------------------------------------------------------

    def _add_texts(self, event: Mapping[str, Any]) -> None:
        for key, label in TEXTS.items():
            for code in LANGUAGES:
                self.fields[f"{key}_{code}"] = forms.CharField(
                    label=f"{label} ({LANGUAGE_NAMES[code]})", required=False, max_length=300
                )
                if key != "title" and isinstance(event.get(key), Mapping):
                    self.initial[f"{key}_{code}"] = event[key].get(code, "")

    def _add_deadlines(self) -> dict[str, str]:
        names = {}
        for index, (path, value) in enumerate(relative_dates(self.preset)):
            name = f"deadline_{index}"
            names[name] = path
            labels = path_labels(path, self.preset)
            self.fields[name] = RuleField(
                label=f"{labels[0]}: {' › '.join(labels[-2:]) if len(labels) > 2 else labels[-1]}",
                required=False,
                read=read_moment,
                max_length=30,
                help_text=_("Left empty: %(when)s.") % {"when": relative_words(value)},
                widget=forms.TextInput(attrs={"placeholder": _("20.01.2027 20:00")}),
            )
        return names

    def _add_capacities(self) -> dict[str, int]:
        names = {}
        for index, section in enumerate(self.preset.get("sections") or []):
            name = f"capacity_{index}"
            names[name] = index
            title = section.get("title") or {}
            self.fields[name] = forms.IntegerField(
                label=_("Places: %(group)s") % {"group": title.get(str(self.preset.get("language")), section["code"])},
                required=False,
                min_value=2,
                max_value=10_000,
                initial=section.get("capacity"),
                help_text=_("Empty: no limit."),
            )
        return names

    def _add_payee(self) -> dict[str, str]:
        """Bank details belong to the organizer, so those of the preset are never offered."""
        if "transfer" not in ((self.preset.get("payment") or {}).get("methods") or []):
            return {}
        keys = PAYEE_OF.get(str(self.preset.get("currency")), PAYEE_ANYWHERE)
        for key in keys:
            self.fields[f"payee_{key}"] = forms.CharField(label=PAYEE_LABELS[key], required=False, max_length=200)
        return {f"payee_{key}": key for key in keys}

    # -- groups of the page --------------------------------------------------------------------------------------------

    def groups(self) -> list[dict[str, Any]]:
        """Return the groups in their order: title, fields, fields for the other languages, a note."""
        asked = str(self["language"].value())  # as it was sent: it may be no language at all
        main = asked if asked in LANGUAGES else str(self.initial["language"])
        others = [code for code in LANGUAGES if code != main]

        def texts(*keys: str) -> dict[str, Any]:
            return {
                "fields": [self[f"{key}_{main}"] for key in keys],
                "more": [self[f"{key}_{code}"] for key in keys for code in others],
            }

        places = [self[name] for name in self.capacities]
        few = len(places) <= 3
        found = [
            {"title": _("Event"), **texts("title")},
            {"title": _("When"), "fields": [self["starts_on"], self["ends_on"], self["start_time"], self["time_zone"]]},
            {"title": _("Where"), **texts("venue", "address", "venue_note")},
            {
                "title": _("Who to ask"),
                **texts("organizer"),
            },
            {
                "title": _("Places and money"),
                "fields": [*(places if few else []), self["boards"], self["currency"]],
                "more": [] if few else places,
                "more_title": _("Places in every group"),
            },
        ]
        found[0]["fields"].append(self["language"])
        found[3]["fields"] += [self["contact_email"], self["contact_phone"], self["broadcast_url"]]
        if self.deadlines:
            found.append({"title": _("Deadlines"), "fields": [self[name] for name in self.deadlines]})
        if self.payee:
            found.append(
                {
                    "title": _("Bank details"),
                    "note": _("Left empty, transfers are not offered until you fill them in in the settings."),
                    "fields": [self[name] for name in self.payee],
                }
            )
        return found

    # -- checking ------------------------------------------------------------------------------------------------------

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        language = cleaned.get("language")
        if language and not cleaned.get(f"title_{language}"):
            self.add_error(f"title_{language}", _("The event needs a name in its own language."))
        first, last = cleaned.get("starts_on"), cleaned.get("ends_on")
        if first and last and last < first:
            self.add_error("ends_on", _("The last day is before the first."))
        if not self.errors and first:
            self._check_rules(first, last)
        return cleaned

    def _check_rules(self, first: date, last: date | None) -> None:
        self.spec = resolve_dates(self._data(), first)
        for problem in errors_of(
            check_spec(self.spec, starts_on=first, ends_on=last, start_time=self.cleaned_data.get("start_time"))
        ):
            words = sentence(problem.as_error())
            labelled = f"{' › '.join(path_labels(problem.path, self.spec))}: {words}"
            name = self._field_of(problem.path)
            if name:
                self.add_error(name, words)
            elif problem.code in OUTSIDE_THE_FIELD and self.capacities:
                self.add_error(next(iter(self.capacities)), labelled)
            else:
                self.add_error(None, labelled)

    def _field_of(self, path: str) -> str | None:
        by_path = {path: name for name, path in self.deadlines.items()}
        by_path |= {f"sections[{index}].capacity": name for name, index in self.capacities.items()}
        by_path |= {f"payment.payee.{key}": name for name, key in self.payee.items()}
        if path in by_path:
            return by_path[path]
        if path in ("currency", "time_zone") or path == "event.start_time":
            return path.rsplit(".", 1)[-1]
        return self.name_of(path)

    def _data(self) -> dict[str, Any]:
        """Return the regulation the answers make, dates of the preset still relative."""
        answers = self.cleaned_data
        data = self.applied(self.preset)
        data |= {key: answers[key] for key in ("language", "currency", "time_zone")}
        data["title"] = self.texts("title")
        event = dict(data.get("event") or {})
        for key in ("venue", "address", "venue_note", "organizer"):
            words = self.texts(key)
            event = {**event, key: words} if words else {k: v for k, v in event.items() if k != key}
        event["start_time"] = f"{answers['start_time']:%H:%M}"
        event["days"] = ((answers.get("ends_on") or self.last_day()) - answers["starts_on"]).days + 1
        data["event"] = event
        for name, path in self.deadlines.items():
            if answers.get(name):
                data = set_at(data, path, answers[name])
        for name, index in self.capacities.items():
            data = set_at(data, f"sections[{index}].capacity", answers.get(name))
        if "payment" in data:
            data = set_at(data, "payment.payee", self.requisites() or None)
        return data

    def texts(self, key: str) -> dict[str, str]:
        """Return a text in the languages it was typed in.

        Who changes a text of the preset in the event's language doesn't want the preset's text in the others.
        """
        typed = {code: (self.cleaned_data.get(f"{key}_{code}") or "").strip() for code in LANGUAGES}
        main = self.cleaned_data.get("language")
        offered = {code: self.initial.get(f"{key}_{code}", "") for code in LANGUAGES}
        if main and typed[main] != offered[main]:
            typed |= {code: "" for code in LANGUAGES if code != main and typed[code] == offered[code]}
        return {code: text for code, text in typed.items() if text}

    def requisites(self) -> dict[str, str]:
        return {key: self.cleaned_data[name] for name, key in self.payee.items() if self.cleaned_data.get(name)}

    def last_day(self) -> date:
        days = int((self.preset.get("event") or {}).get("days", 1))
        first: date = self.cleaned_data["starts_on"]
        return first + timedelta(days=days - 1)

    def event_fields(self) -> dict[str, Any]:
        """Return what the event itself keeps beside its rules."""
        answers = self.cleaned_data
        start: time = answers["start_time"]
        return {
            "ends_on": answers.get("ends_on") or self.last_day(),
            "start_time": start,
            "venue": self.texts("venue"),
            "address": self.texts("address"),
            "venue_note": self.texts("venue_note"),
            "organizer": self.texts("organizer"),
            "contact_email": answers["contact_email"],
            "contact_phone": answers["contact_phone"],
            "broadcast_url": answers["broadcast_url"],
            "boards": answers["boards"],
        }


def relative_dates(data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the path and value of every date a preset counts from the first day (open questions apart)."""

    def walk(value: Any, path: str) -> Iterator[tuple[str, str]]:
        if isinstance(value, str):
            if RELATIVE.fullmatch(value):
                yield path, value
        elif isinstance(value, Mapping):
            for key, inner in value.items():
                if not (path == "" and key == "readings"):
                    yield from walk(inner, f"{path}.{key}" if path else key)
        elif isinstance(value, list):
            for index, inner in enumerate(value):
                yield from walk(inner, f"{path}[{index}]")

    yield from walk(data, "")
