"""When things happened: the demo is made in seconds, and its rows are then dated as if it had taken days."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from django.db.models import Case, DateTimeField, F, Q, When
from django.utils import timezone

from tourney.kept_rows import loading
from tourney.models import Tournament
from tourney.services.reach import everything_of


class Clock:
    """Remembers when each act of the demo is meant to have happened, and dates all rows at the end."""

    def __init__(self, tournament: Tournament) -> None:
        self.tournament = tournament
        self._acts: list[tuple[datetime, datetime, datetime]] = []

    @contextmanager
    def at(self, moment: datetime) -> Iterator[None]:
        """Let what is done inside have happened at a moment."""
        began = timezone.now()
        yield
        self._acts.append((began, timezone.now(), moment))

    def set_back(self) -> None:
        """Date the rows of the event. Only moments of the real time are moved: a planned start stays where it is."""
        if not self._acts:
            return
        first, last = self._acts[0][0], self._acts[-1][1]
        for model, keys in everything_of(self.tournament).items():
            names = [field.name for field in model._meta.concrete_fields if isinstance(field, DateTimeField)]
            if not names:
                continue
            rows = model._default_manager.filter(pk__in=keys)
            touched = Q()
            for name in names:
                touched |= Q(**{f"{name}__range": (first, last)})
            with loading():
                rows.filter(touched).update(**{name: self._moved(name) for name in names})

    def _moved(self, name: str) -> Case:
        cases = [
            When(**{f"{name}__range": (began, ended)}, then=F(name) - (began - moment))
            for began, ended, moment in self._acts
        ]
        return Case(*cases, default=F(name), output_field=DateTimeField())
