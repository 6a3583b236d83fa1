"""Reading an event from a file of another installation: whole, under keys of this one, or not at all."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Iterator
from typing import IO, Any

from django.apps import apps
from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.db import DataError, IntegrityError, connection, models, transaction

from tourney import panels, queue
from tourney.archives import ids, rows
from tourney.archives.writing import KIND
from tourney.backups import box as boxes
from tourney.backups import tables
from tourney.kernel.errors import TourneyError
from tourney.models import HallScreen, Lot, Player, Tournament
from tourney.services.log import log
from tourney.services.rehearsal import delete_with_everything
from tourney.services.screens import free_code

_BATCH = 200
_LONGEST_LINE = 64 << 20


def read_event(file: IO[bytes], *, actor: Any, slug: str = "", passphrase: str = "", most: int = 0) -> Tournament:
    """Bring an event from an archive to this installation, and return it.

    An event that is here already must have moved away: then it comes back in its place. People get the accounts of the
    same name; where there is none, one nobody can sign in with until a password is set. `most` is how many bytes it may
    hold unpacked (0: any number, for who is at the machine). Raises TourneyError
    ``archive.here_already``, ``archive.slug_taken``, ``archive.not_ours``, ``backup.newer_release`` and those of
    `tourney.backups.boxes.opened`.
    """
    with boxes.opened(file, KIND, passphrase, most=most) as found:
        try:
            tables.check_known(found.about["migrations"])
            with transaction.atomic():
                return _Reader(found, actor, slug).read()
        except (IntegrityError, DataError, ValidationError, LookupError, ValueError, TypeError) as error:
            raise TourneyError("archive.not_ours", what=type(error).__name__) from error


class _Reader:
    """One archive that is being read, in one transaction."""

    def __init__(self, found: boxes.Box, actor: Any, slug: str) -> None:
        self.box, self.actor, self.slug = found, actor, slug
        self.labels = [name.removeprefix("rows/").removesuffix(".jsonl") for name in found.names("rows/")]
        self.keys: dict[str, dict[Any, Any]] = {}
        self.users: dict[str, Any] = {}
        self.outlast: list[Callable[[Tournament], None]] = []
        if foreign := set(self.labels) - rows.labels_allowed():
            raise LookupError(f"no table of an event: {sorted(foreign)}")

    def read(self) -> Tournament:
        returning = self._make_room()
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('tourney.loading', 'yes', true)")
            cursor.execute("SET CONSTRAINTS ALL DEFERRED")
        self._allot_keys()
        if len(self.keys["tourney.Tournament"]) != 1:
            raise LookupError("an archive holds one event")
        for label in self.labels:
            self._insert(label)
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # whatever does not fit is found here, not at the end
            cursor.execute("SELECT set_config('tourney.loading', '', true)")
        tournament = Tournament.objects.get(pk=self.keys["tourney.Tournament"][1])
        if str(tournament.uid) != self.box.about["uid"]:
            raise LookupError("another event than the manifest names")  # by which its place was made free
        for provider in panels.providers("arrived"):
            provider(tournament)
        for put_back in self.outlast:
            put_back(tournament)
        self._ask_for_jobs()
        log(tournament, "archive.came_back" if returning else "archive.imported", actor=self.actor)
        return tournament

    def _make_room(self) -> bool:
        """Refuse an event that is here; delete one that has moved away and comes back. Return whether it does."""
        here = Tournament.objects.select_for_update().filter(uid=self.box.about["uid"]).first()
        if here is not None and not here.moved_to:
            raise TourneyError("archive.here_already", event=here.slug)
        wanted = self.slug or self.box.about["event"]
        if Tournament.objects.filter(slug=wanted).exclude(pk=here.pk if here else None).exists():
            raise TourneyError("archive.slug_taken", slug=wanted)
        if here is None:
            return False
        self.outlast = [provider(here) for provider in panels.providers("outlast")]
        people = set(Player.objects.filter(entries__tournament=here).values_list("pk", flat=True))
        for rehearsal in here.rehearsals.all():
            delete_with_everything(rehearsal)
        delete_with_everything(here)
        Player.objects.filter(pk__in=people, entries__isnull=True).delete()
        return True

    def _allot_keys(self) -> None:
        """Give every row its key here; UUIDs stay."""
        with connection.cursor() as cursor:
            for label in self.labels:
                model = apps.get_model(label)
                numbers = [row["n"] for row in self._rows(label)]
                if isinstance(model._meta.pk, models.UUIDField):
                    self.keys[label] = {number: number for number in numbers}
                    continue
                cursor.execute(
                    "SELECT nextval(pg_get_serial_sequence(%s, %s)) FROM generate_series(1, %s)",
                    [f'"{model._meta.db_table}"', model._meta.pk.column, len(numbers)],
                )
                self.keys[label] = dict(zip(numbers, (row[0] for row in cursor.fetchall()), strict=True))

    def _rows(self, label: str) -> Iterator[dict[str, Any]]:
        with self.box.open(f"rows/{label}.jsonl") as file:
            while line := file.readline(_LONGEST_LINE):
                yield json.loads(line)

    def _insert(self, label: str) -> None:
        model = apps.get_model(label)
        columns = {one.name: one for one in model._meta.concrete_fields}
        waiting: list[models.Model] = []
        for row in self._rows(label):
            unknown = set(row) - set(columns) - {"n"}
            if unknown:
                raise LookupError(f"{label} has no {sorted(unknown)}")
            waiting.append(self._made(model, columns, row))
            if len(waiting) >= _BATCH:
                self._write(model, waiting)
                waiting = []
        self._write(model, waiting)

    def _write(self, model: type[models.Model], made: list[models.Model]) -> None:
        if made:  # as they are: a usual insert would write its own moments into `auto_now` columns
            everything = model._base_manager.all()
            everything._insert(made, fields=model._meta.concrete_fields, using=connection.alias, raw=True)

    def _made(self, model: type[models.Model], columns: dict[str, Any], row: dict[str, Any]) -> models.Model:
        made = model(pk=self.keys[model._meta.label][row["n"]])
        for name, value in row.items():
            column = columns.get(name)
            if column is not None and not column.primary_key:
                setattr(made, column.attname, self._value(model, column, value))
        if isinstance(made, Tournament):
            made.slug = self.slug or made.slug
        if isinstance(made, HallScreen) and HallScreen.objects.filter(code=made.code).exists():
            made.code = free_code()  # short, and given out by each installation for itself
        if isinstance(made, Lot):
            made.tokens = {word: self.keys["tourney.Entry"][number] for word, number in row["tokens"].items()}
        return made

    def _value(self, model: type[models.Model], column: Any, value: Any) -> Any:
        if value is None:
            return None
        if column.is_relation:
            target = column.remote_field.model
            if target is get_user_model():
                return self._user(str(value))
            return self.keys[target._meta.label][value]
        if model is not Lot:
            value = ids.exchanged(f"{model._meta.label}.{column.name}", value, self._swap)
        return rows.value_of(column, value)

    def _swap(self, label: str, number: Any) -> Any:
        """Return the key here of a row of the archive. Rows that were gone already (below zero) get free keys."""
        known = self.keys.setdefault(label, {})
        if number not in known and isinstance(number, int) and number < 0:
            with connection.cursor() as cursor:
                model = apps.get_model(label)
                name = [f'"{model._meta.db_table}"', model._meta.pk.column]
                cursor.execute("SELECT nextval(pg_get_serial_sequence(%s, %s))", name)
                known[number] = cursor.fetchone()[0]
        return known.get(number, 0)

    def _user(self, name: str) -> Any:
        if name not in self.users:
            users = get_user_model()
            known = users._default_manager.filter(**{users.USERNAME_FIELD: name}).first()
            if known is None:
                known = users(**{users.USERNAME_FIELD: name, "is_active": False})
                known.set_unusable_password()
                known.full_clean(exclude=["password"])
                known.save()
            self.users[name] = known.pk
        return self.users[name]

    def _ask_for_jobs(self) -> None:
        for line in self.box.read("jobs.jsonl").splitlines():
            asked = json.loads(line)
            label = ids.tasks().get(asked["name"])
            if label is None:
                raise LookupError(asked["name"])
            more = ids.exchanged(asked["name"], asked["more"], self._swap)
            arguments = [self.keys[label][asked["row"]], *more]
            if asked["not_before"]:
                job = queue.enqueue_at(dt.datetime.fromisoformat(asked["not_before"]), asked["name"], *arguments)
            else:
                job = queue.enqueue(asked["name"], *arguments)
            model = apps.get_model(label)
            if any(one.name == "job" for one in model._meta.concrete_fields):
                model._base_manager.filter(pk=arguments[0]).update(job=job)
