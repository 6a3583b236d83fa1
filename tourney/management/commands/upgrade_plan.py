"""`manage.py upgrade_plan`: what migrating would do to a program that still runs; ends with 1 where it needs a stop."""

from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import BaseCommand
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from tourney.upkeep.upgrades import obstacles


class Command(BaseCommand):
    help = "Says whether the missing migrations may run while the old program serves, or need a short stop."
    requires_migrations_checks = False

    def handle(self, *args: Any, **options: Any) -> None:
        executor = MigrationExecutor(connection)
        plan = [one for one, backwards in executor.migration_plan(executor.loader.graph.leaf_nodes()) if not backwards]
        found = obstacles((f"{one.app_label}.{one.name}", one.operations) for one in plan)
        for step in found:
            self.stdout.write(f"{'look at' if step.look else 'STOP for'} {step.migration}: {step.what}")
        stops = sum(not step.look for step in found)
        if not plan:
            self.stdout.write("Nothing to do: the tables are those of this release.")
        elif stops:
            self.stdout.write(f"{len(plan)} migrations: stop web and workers, migrate, start the new ones.")
            sys.exit(1)
        else:
            self.stdout.write(f"{len(plan)} migrations: no stop. Migrate, then exchange the processes one by one.")
