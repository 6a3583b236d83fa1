"""`manage.py demo`: load the demo events and say how to sign in. Running it again changes nothing."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from tourney.demo.accounts import Account
from tourney.demo.loading import load


class Command(BaseCommand):
    help = "Loads demo events with invented people, half played, and accounts for every role."

    def handle(self, *args: Any, **options: Any) -> None:
        loud = options["verbosity"] > 0
        report = load(say=lambda slug: self.stdout.write(f"making {slug} …") if loud else None)
        if settings.LAPTOP_MODE and any(account.password for account in report.accounts):
            shown_at_every_start = settings.DATA_FOLDER.demo_logins
            shown_at_every_start.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            shown_at_every_start.write_text("\n".join(log_ins(report.accounts)) + "\n", encoding="utf-8")
        if not loud:
            return
        for event in report.events:
            self.stdout.write(f"/t/{event.slug}/  {event.title_text}")
        for line in log_ins(report.accounts):
            self.stdout.write(line)


def log_ins(accounts: list[Account]) -> list[str]:
    """Return the log-ins as lines for a terminal."""
    lines = ["Demo log-ins (/manage/):"]
    for account in accounts:
        password = account.password or "as set before"
        lines.append(f"  {account.name:<16} {password:<18} {account.role}")
    return lines
