"""`manage.py serve`: run Tourney on this machine — database, web server and worker — until Ctrl-C."""

from __future__ import annotations

import os
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from tourney.laptop.postgres import PostgresError
from tourney.laptop.running import AlreadyServed
from tourney.laptop.serving import ServeError, Server


class Command(BaseCommand):
    help = "Run Tourney on this machine: an embedded database, the web server and a worker."

    def add_arguments(self, parser: ArgumentParser) -> None:
        default = int(os.environ.get("PORT") or 8000)
        parser.add_argument("--port", type=int, default=default, help=f"the port to try first ({default})")
        parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (127.0.0.1)")
        parser.add_argument("--lan", action="store_true", help="let other machines of this network in")
        parser.add_argument("--no-demo", action="store_true", help="load no demo events into a new data folder")

    def handle(self, *args: Any, port: int, host: str, lan: bool, no_demo: bool, **options: Any) -> None:
        if not settings.LAPTOP_MODE:
            raise CommandError(
                "DATABASE_URL is set, so this is a server. Run `gunicorn tourney.wsgi`,"
                " `celery -A tourney.celery worker` and `celery -A tourney.celery beat` under your service manager."
            )
        server = Server(
            folder=settings.DATA_FOLDER,
            host="0.0.0.0" if lan else host,  # noqa: S104 -- asked for
            port=port,
            demo=not no_demo,
            say=lambda line: self.stdout.write(line),
        )
        try:
            server.run()
        except AlreadyServed as error:
            raise CommandError(f"Tourney already runs on this data folder: {error.address}") from error
        except (PostgresError, ServeError) as error:
            raise CommandError(str(error)) from error
