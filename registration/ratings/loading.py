"""Loading a list: the file's people are copied into a table of this connection, then compared with what was there.

Reading happens outside a transaction, in pieces, so that progress can be seen and nothing is locked; comparing is one
transaction, so a list is loaded whole or not at all. A person about whom nothing changed is not written: a new monthly
list costs what changed. Killed at any moment, a load starts again from its file.
"""

# ruff: noqa: S608 -- names of tables and columns are constants of this module; values are always parameters
from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db import connection, transaction
from django.db.models import Max
from django.utils import timezone

from registration.ratings.folding import fold_words
from registration.ratings.models import NameCut, NameWord, RatedPerson, RatingList, RatingListPiece
from registration.ratings.opening import Opened, open_list
from registration.ratings.rows import Faults, RatedRow
from tourney import queue
from tourney.kernel.errors import TourneyError

TASK = "registration.load_ratings"
MOST_BYTES = 200 << 20  # of a file as it comes; the packed FIDE list in XML has about 50 MB
PIECE = 1 << 20
_BATCH = 20_000
_MOST_FAULTY = 10  # one line in so many unreadable: this is another kind of file
_MOST_GONE = 5  # one person in so many missing: this list is not whole
_SHORTEST_SLIP = 4  # shorter words are looked up as they are: one slip makes them anything
_OWN = ("standard", "rapid", "blitz", "fide_standard", "fide_rapid", "fide_blitz")
_ABOUT = ("name", "federation", "sex", "birth_year", "title", "fide_number", "inactive", "words")
_CONTROL = re.compile(r"[\x00-\x1f\\]")
_STAGING = "rating_list_rows"


# -- asking ------------------------------------------------------------------------------------------------------------


@transaction.atomic
def request_load(
    chunks: Iterable[bytes], *, name: str, kind: str = "", partial: bool = False, actor: Any = None
) -> RatingList:
    """Keep a file and ask a worker to load it. TourneyError ``ratings.too_large``, ``ratings.empty``."""
    made = RatingList.objects.create(
        name=name[-120:],
        kind=kind,
        partial=partial,
        by=actor if getattr(actor, "is_authenticated", False) else None,
        at=timezone.now(),
    )
    size = 0
    for number, piece in enumerate(_pieces(chunks)):
        size += len(piece)
        if size > MOST_BYTES:
            raise TourneyError("ratings.too_large", most=MOST_BYTES >> 20)
        RatingListPiece.objects.create(list=made, number=number, content=piece)
    if not size:
        raise TourneyError("ratings.empty")
    made.size = size
    made.job = queue.enqueue(TASK, made.pk)
    made.save(update_fields=["size", "job"])
    return made


def _pieces(chunks: Iterable[bytes]) -> Iterator[bytes]:
    rest = b""
    for chunk in chunks:
        rest += chunk
        while len(rest) >= PIECE:
            yield rest[:PIECE]
            rest = rest[PIECE:]
    if rest:
        yield rest


def run_load(pk: int) -> None:
    """Load a kept file; what the worker runs. A refusal is kept with the list, and the file is thrown away."""
    found = RatingList.objects.filter(pk=pk, state__in=_OPEN_STATES).first()
    if found is None:
        return
    with tempfile.NamedTemporaryFile(prefix="ratings-") as file:
        for number in found.pieces.values_list("number", flat=True):
            file.write(bytes(found.pieces.values_list("content", flat=True).get(number=number)))
        file.flush()
        load_file(Path(file.name), found)


_OPEN_STATES = (RatingList.State.WAITING, RatingList.State.READING, RatingList.State.MERGING)


# -- loading -----------------------------------------------------------------------------------------------------------


def load_file(path: Path, found: RatingList) -> RatingList:
    """Load a list's file from a path. The list ends as loaded or as failed, with a report either way."""
    faults = Faults()
    try:
        with open_list(path, faults, kind=found.kind, name=found.name) as opened:
            _say(found, RatingList.State.READING, source=opened.source, kind=opened.kind)
            read = _copy_all(opened, faults, path)
        if not read or faults.count * _MOST_FAULTY > read + faults.count:
            raise TourneyError("ratings.too_faulty", faults=faults.count, rows=read)
        _say(found, RatingList.State.MERGING)
        with transaction.atomic():
            report = _merge(found, read, faults)
            _finish(found, RatingList.State.LOADED, {**report, **_told(faults)}, timezone.now())
    except TourneyError as error:
        refusal = {"code": error.code, "line": error.values.get("line", 0), "values": error.values}
        _finish(found, RatingList.State.FAILED, {"refusal": refusal, **_told(faults)}, timezone.now())
    finally:
        _execute(f"DROP TABLE IF EXISTS {_STAGING}")
    return found


def _say(found: RatingList, state: str, **fields: Any) -> None:
    found.state = state
    for name, value in fields.items():
        setattr(found, name, value)
    found.save(update_fields=["state", *fields])


def _finish(found: RatingList, state: str, report: dict[str, Any], now: datetime) -> None:
    found.state, found.report, found.finished_at = state, report, now
    found.save(update_fields=["state", "report", "finished_at"])
    found.pieces.all().delete()


def _told(faults: Faults) -> dict[str, Any]:
    return {"faults": faults.count, "problems": faults.found}


def _execute(statement: str, values: Any = None) -> int:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return int(cursor.rowcount)


def _copy_all(opened: Opened, faults: Faults, path: Path) -> int:
    """Copy a list's people into a table of this connection; return how many."""
    _execute(f"DROP TABLE IF EXISTS {_STAGING}")
    columns = "number varchar(12), name varchar(120), federation varchar(3), sex varchar(1), birth_year smallint,"
    columns += " title varchar(8), standard smallint, rapid smallint, blitz smallint, fide_number varchar(12),"
    columns += " fide_standard smallint, fide_rapid smallint, fide_blitz smallint, inactive boolean, line integer,"
    _execute(f"CREATE TEMPORARY TABLE {_STAGING} ({columns} words tsvector)")
    size = max(path.stat().st_size, 1)
    lines: list[str] = []
    count = 0
    for row in opened.rows:
        lines.append(_line(row))
        count += 1
        if len(lines) == _BATCH:
            _copy(lines)
            lines.clear()
            queue.report_progress(min(opened.position(), size), size * 2)  # comparing is the other half
    _copy(lines)
    queue.report_progress(1, 2)
    return count


def _line(row: RatedRow) -> str:
    """Return a row in PostgreSQL's text format: tabs between, \\N for nothing."""
    words = " ".join(fold_words(row.name)) or "-"
    cells = [r"\N" if cell is None else str(cell) for cell in row]
    cells[1] = _CONTROL.sub(" ", row.name)[:120]
    cells[13] = "t" if row.inactive else "f"
    return "\t".join(cells) + f"\t{words}\n"


def _copy(lines: list[str]) -> None:
    if lines:
        with connection.cursor() as cursor, cursor.copy(f"COPY {_STAGING} FROM STDIN") as copy:
            copy.write("".join(lines))


# -- comparing ---------------------------------------------------------------------------------------------------------


def _merge(found: RatingList, read: int, faults: Faults) -> dict[str, int]:
    """Carry the copied people over; return how many were fresh, changed and gone."""
    table = RatedPerson._meta.db_table
    RatingList.objects.select_for_update().get(pk=found.pk)
    _execute("SELECT pg_advisory_xact_lock(hashtext(%s))", [f"ratings-{found.source}"])
    _execute(f"ANALYZE {_STAGING}")
    _drop_twins(faults)
    # The planner knows nothing of rows written a moment ago: joins of a million rows are hashed, never looped.
    _execute("SET LOCAL enable_nestloop = off")
    _execute("SET LOCAL work_mem = '64MB'")
    before = RatedPerson.objects.filter(source=found.source).count()
    gone = 0 if found.partial or found.kind in ("rapid", "blitz") else _count_gone(found.source)
    if gone * _MOST_GONE > before:
        raise TourneyError("ratings.list_shrank", gone=gone, before=before)
    own = [name for name in _OWN if found.kind == "all" or name.endswith(found.kind)]
    columns = [*_ABOUT, *own]
    changed = _execute(
        f"UPDATE {table} AS p SET {', '.join(f'{name} = s.{name}' for name in columns)} FROM {_STAGING} AS s"
        f" WHERE p.source = %s AND p.number = s.number"
        f" AND ({', '.join(f'p.{n}' for n in columns)}) IS DISTINCT FROM ({', '.join(f's.{n}' for n in columns)})",
        [found.source],
    )
    first = not before and not RatedPerson.objects.exists()
    if first:  # filled first and indexed afterwards, the first list takes half the time; nobody searches an empty table
        _execute(f"ALTER TABLE {table} DROP CONSTRAINT rated_person_once")
        _execute("DROP INDEX rated_person_words")
    everything = ", ".join(["number", *_ABOUT, *_OWN])
    fresh = _execute(
        f"INSERT INTO {table} (source, {everything}) SELECT %s, {everything} FROM {_STAGING} AS s"
        f" WHERE NOT EXISTS (SELECT FROM {table} AS p WHERE p.source = %s AND p.number = s.number)",
        [found.source, found.source],
    )
    if first:
        _execute("SET LOCAL maintenance_work_mem = '128MB'")
        _execute(f"ALTER TABLE {table} ADD CONSTRAINT rated_person_once UNIQUE (source, number)")
        _execute(f"CREATE INDEX rated_person_words ON {table} USING gin (words)")
    if gone:
        _execute(
            f"DELETE FROM {table} AS p WHERE p.source = %s"
            f" AND NOT EXISTS (SELECT FROM {_STAGING} AS s WHERE s.number = p.number)",
            [found.source],
        )
    if fresh or changed:
        _learn_words()
    return {"rows": read, "fresh": fresh, "changed": changed, "gone": gone}


def _drop_twins(faults: Faults) -> None:
    """Keep the last of lines with the same number, and say so."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT number, min(line), max(line) FROM {_STAGING} GROUP BY number HAVING count(*) > 1 ORDER BY 2"
        )
        twins = cursor.fetchall()
    for number, first, last in twins:
        faults.note("ratings.twice", last, 0, number=number, first=first)
    if twins:
        _execute(
            f"DELETE FROM {_STAGING} AS s USING {_STAGING} AS later"
            " WHERE s.number = ANY(%s) AND s.number = later.number"
            " AND (s.line, s.ctid) < (later.line, later.ctid)",
            [[number for number, _first, _last in twins]],
        )


def _count_gone(source: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT count(*) FROM {RatedPerson._meta.db_table} AS p WHERE p.source = %s"
            f" AND NOT EXISTS (SELECT FROM {_STAGING} AS s WHERE s.number = p.number)",
            [source],
        )
        return int(cursor.fetchone()[0])


def _learn_words() -> None:
    """Add the words no list had before, and their cuts (`folding.cuts`, said in SQL: there are millions)."""
    words, cuts = NameWord._meta.db_table, NameCut._meta.db_table
    last = NameWord.objects.aggregate(last=Max("pk"))["last"] or 0
    _execute(
        f"INSERT INTO {words} (word) SELECT DISTINCT word FROM {_STAGING}, unnest(tsvector_to_array(words)) AS word"
        f' WHERE length(word) >= %s AND word COLLATE "C" NOT IN (SELECT word FROM {words}) ON CONFLICT DO NOTHING',
        [_SHORTEST_SLIP],
    )
    _execute(
        f"INSERT INTO {cuts} (cut, word_id)"
        f" SELECT DISTINCT CASE WHEN at = 0 THEN word ELSE left(word, at - 1) || substr(word, at + 1) END, id"
        f" FROM {words}, generate_series(0, length(word)) AS at WHERE id > %s ORDER BY 1, 2",
        [last],
    )
