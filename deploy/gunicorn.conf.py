"""How gunicorn serves Tourney: threads (docs/adr/0005), an order to stop in, shared figures.

`WEB_WORKERS`, `WEB_THREADS` and `WEB_BIND` are read from the environment; one worker for each core is a good beginning
(deploy/README.md, "How large a machine").
"""

import os
import shutil
from pathlib import Path
from typing import Any

bind = os.environ.get("WEB_BIND", "0.0.0.0:8000")  # in a container the proxy is another machine
workers = int(os.environ.get("WEB_WORKERS", "2"))
threads = int(os.environ.get("WEB_THREADS", "4"))
worker_class = "gthread"
worker_tmp_dir = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108 -- memory: a slow disk must kill nobody
keepalive = 15
timeout = 60
# From SIGTERM on nothing new is taken; what was taken has so long to be answered. Longer than any page, shorter than
# the service manager's own patience (TimeoutStopSec, stop_grace_period).
graceful_timeout = 30
forwarded_allow_ips = "*"  # who is trusted with X-Forwarded-For is TRUSTED_PROXIES' matter
control_socket_disable = True
_figures = os.environ.get("PROMETHEUS_MULTIPROC_DIR", "")


def on_starting(_server: Any) -> None:
    """Begin with empty figures: those of processes that are gone would be added up for ever."""
    if _figures:
        shutil.rmtree(_figures, ignore_errors=True)
        Path(_figures).mkdir(mode=0o700, parents=True)


def child_exit(_server: Any, worker: Any) -> None:
    """Take the live figures of a process that has ended out of the sums."""
    if _figures:
        from prometheus_client import multiprocess  # noqa: PLC0415 -- only where figures are kept

        multiprocess.mark_process_dead(worker.pid)  # type: ignore[no-untyped-call]
