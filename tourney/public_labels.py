"""Sentences about news, hall screens and printed sheets: refusals, and lines of the log."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _

MESSAGES: dict[str, Any] = {
    "news.no_title": _("A piece of news needs a title in one language at least."),
    "news.unknown": _("This piece of news was taken back."),
    "screen.unknown": _("This screen was deleted."),
    "screen.no_name": _("Give the screen a name, so that you find it again."),
    "screen.no_pages": _("Choose at least one page for the screen."),
    "screen.too_many_pages": _("A screen shows %(most)s pages at most."),
    "screen.unknown_page": _("The screen has no such page any more."),
    "paper.nothing_chosen": _("Choose at least one sheet."),
    "log.news.told": _("News told: “%(title)s”"),
    "log.news.changed": _("News changed: “%(title)s”"),
    "log.news.withdrawn": _("News taken back: “%(title)s”"),
    "log.screens.made": _("Screen “%(screen)s” made"),
    "log.screens.changed": _("Pages of the screen “%(screen)s” changed"),
    "log.screens.deleted": _("Screen “%(screen)s” deleted"),
    "log.screens.told": _("Screen “%(screen)s” shows: “%(message)s”"),
    "log.paper.printed": _("Printed: %(sheets)s"),
}
