"""Two addresses for whoever watches the program: is this process alive, and may it be given visitors?

`/healthz/` asks nothing of anybody: a process that answers need not be started again, whatever else is broken.
`/readyz/` asks the database, its tables, the disk, the clock and the broker. Only the first two make it unready:
without a broker the program is slower, never wrong (jobs are rows, the sweep sends them later).
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from celery import current_app
from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from kombu.exceptions import OperationalError as BrokerError

from tourney.models import ActionLog

FREE_BYTES = 500 << 20
SKEW = timedelta(minutes=2)  # a log line this far ahead of the clock: the clock has been put back
_up_to_date = {"yes": False}  # tables never go back while a process lives


@never_cache
@require_safe
def alive(_request: HttpRequest) -> HttpResponse:
    """Answer at all."""
    return HttpResponse("ok\n", content_type="text/plain")


@never_cache
@require_safe
def ready(_request: HttpRequest) -> HttpResponse:
    """Say what works: 200 where pages can be served, else 503."""
    found = {name: _try(ask) for name, ask in QUESTIONS.items()}
    well = all(found[name] == "ok" for name in NEEDED)
    return JsonResponse({"ready": well, **found}, status=200 if well else 503)


def _database() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('transaction_read_only')")
        return "read only" if cursor.fetchone()[0] == "on" else "ok"


def _tables() -> str:
    if not _up_to_date["yes"]:
        executor = MigrationExecutor(connection)
        missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
        if missing:
            return f"{len(missing)} migrations missing"
        _up_to_date["yes"] = True
    return "ok"


def _disk() -> str:
    folder = Path(settings.DATA_FOLDER.root)
    while not folder.exists():
        folder = folder.parent
    return "ok" if shutil.disk_usage(folder).free > FREE_BYTES else "nearly full"


def _clock() -> str:
    return "ok" if clock_behind() < SKEW else "behind the log"


def clock_behind() -> timedelta:
    """Return how far this machine's clock is behind the newest line of the log (zero where it is not)."""
    newest = ActionLog.objects.order_by("-pk").values_list("at", flat=True).first()
    return max(newest - timezone.now(), timedelta(0)) if newest else timedelta(0)


def _broker() -> str:
    with current_app.connection_for_write(connect_timeout=1) as broker:
        broker.ensure_connection(max_retries=1, interval_start=0, interval_step=0, timeout=1)
    return "ok"


def _try(ask: Callable[[], str]) -> str:
    try:
        return ask()
    except (DatabaseError, BrokerError, OSError) as error:
        return f"no: {type(error).__name__}"  # never the message: it names hosts and users


QUESTIONS: dict[str, Callable[[], str]] = {
    "database": _database,
    "tables": _tables,
    "disk": _disk,
    "clock": _clock,
    "broker": _broker,
}
NEEDED = ("database", "tables")


def forget() -> None:
    """Ask about the tables again next time."""
    _up_to_date["yes"] = False
