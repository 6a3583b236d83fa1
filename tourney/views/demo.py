"""Filling an installation with the demo events: asked for by a button, made by a worker."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from tourney.models import Job, Tournament
from tourney.permissions import LoginNeeded
from tourney.services import demo
from tourney.views.public import may_load_demo


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def load_demo(request: HttpRequest) -> HttpResponse:
    """Ask for the demo events (log-ins are shown once, on the answer to this very click), or see how far they are."""
    if not request.user.is_authenticated:
        raise LoginNeeded("/manage/")
    if not may_load_demo(request):
        raise PermissionDenied
    accounts: list[Any] = demo.request_demo(request.user) if request.method == "POST" else []
    job = demo.job_of_demo()
    context = {
        "accounts": accounts,
        "events": Tournament.objects.filter(slug__startswith="demo-", rehearsal_of=None).order_by("pk"),
        "job": job,
        "running": job is not None and job.is_open,
        "waits": job is not None and job.state == Job.State.QUEUED,
        "failed": job is not None and job.state == Job.State.FAILED,
    }
    page = "tourney/_demo_progress.html" if request.headers.get("HX-Request") else "tourney/demo_loaded.html"
    return render(request, page, context)
