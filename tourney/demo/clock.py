"""When things happened: the demo is made in seconds, and its rows are then dated as if it had taken days."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from django.db.models import DateTimeField, F
from django.utils import timezone

from tourney.models import Tournament
from tourney.services.reach import everything_of


@contextmanager
def as_if(tournament: Tournament, moment: datetime) -> Iterator[None]:
    """Date everything of an event that is written inside at `moment`.

    Only moments of the real time inside are moved: a round's planned start or a deadline stays where it is.
    """
    began = timezone.now()
    yield
    ended = timezone.now()
    back = began - moment
    for model, keys in everything_of(tournament).items():
        fields = [field.name for field in model._meta.concrete_fields if isinstance(field, DateTimeField)]
        for name in fields:
            inside = {f"{name}__gte": began, f"{name}__lte": ended}
            model._default_manager.filter(pk__in=keys, **inside).update(**{name: F(name) - back})
