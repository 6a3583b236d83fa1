"""Figures for Prometheus (`/metrics/`): what the program has done and how long pages took.

How long pages took is counted in the processes that serve them (`prometheus_client`, shared between the processes of
one machine in a folder). What was done – results, draws, imports, jobs waiting – is read from the tables when somebody
asks, so it is the same on every machine and counts nothing twice.

Only who brings `METRICS_TOKEN`, or comes from one of the networks in `METRICS_NETWORKS`, gets an answer.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.db import connection
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from tourney.addresses import address_of

LATENCY = Histogram(
    "tourney_request_seconds",
    "Time from a request to its answer, by the name of its address.",
    ["route", "method", "status"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 1, 2.5, 5, 10),
)

# Name, words, and a question each index answers at once. Keys only grow, so the largest is a counter of what was done.
_COUNTERS = (
    ("tourney_results", "Results written, corrections too.", "SELECT max(id) FROM tourney_resultrecord"),
    ("tourney_lots", "Lots committed.", "SELECT max(id) FROM tourney_lot"),
    ("tourney_acts", "Lines of the events' logs.", "SELECT max(id) FROM tourney_actionlog"),
    ("tourney_imports", "Files of games read.", "SELECT max(id) FROM tourney_gameimport"),
    ("tourney_jobs", "Jobs asked for.", "SELECT max(id) FROM tourney_job"),
)
_JOBS = """
    SELECT state, count(*), coalesce(extract(epoch FROM now() - min(greatest(created_at, not_before))), 0)
    FROM tourney_job WHERE state IN ('queued', 'running', 'failed') GROUP BY state
"""


class FromTables(Collector):
    """What was done, read from the tables."""

    def collect(self) -> Iterator[Any]:
        with connection.cursor() as cursor:
            for name, words, question in _COUNTERS:
                cursor.execute(question)
                yield CounterMetricFamily(name, words, value=cursor.fetchone()[0] or 0)
            jobs = GaugeMetricFamily("tourney_jobs_now", "Jobs by state.", labels=["state"])
            age = GaugeMetricFamily(
                "tourney_job_oldest_seconds", "How long the oldest job has waited.", labels=["state"]
            )
            cursor.execute(_JOBS)
            found = {state: (number, seconds) for state, number, seconds in cursor.fetchall()}
            for state in ("queued", "running", "failed"):
                number, seconds = found.get(state, (0, 0))
                jobs.add_metric([state], number)
                if state != "failed":
                    age.add_metric([state], max(0.0, float(seconds)))
            yield jobs
            yield age


@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Answer Prometheus; to anybody else there is no such page."""
    if not _may_read(request):
        raise Http404
    registry = CollectorRegistry()
    registry.register(FromTables())
    if settings.METRICS_FOLDER:
        MultiProcessCollector(registry, path=str(settings.METRICS_FOLDER))  # type: ignore[no-untyped-call]
        text = generate_latest(registry)
    else:
        text = generate_latest(registry) + generate_latest(REGISTRY)
    return HttpResponse(text, content_type=CONTENT_TYPE_LATEST)


def _may_read(request: HttpRequest) -> bool:
    kind, _, token = request.headers.get("Authorization", "").partition(" ")
    if settings.METRICS_TOKEN and kind.lower() == "bearer":
        return constant_time_compare(token.strip(), settings.METRICS_TOKEN)
    try:
        visitor = ipaddress.ip_address(address_of(request))
    except ValueError:
        return False
    return any(visitor in ipaddress.ip_network(network) for network in settings.METRICS_NETWORKS)
