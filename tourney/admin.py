"""Django's admin, for whoever runs the installation: facts can be read there, never changed.

It is reachable only with DEBUG or SHOW_ADMIN; organizers and arbiters have their own pages.
"""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from tourney import models


class ReadOnlyAdmin(admin.ModelAdmin):
    """Facts: append-only rows that services write."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class StaffInline(admin.TabularInline):
    model = models.StaffRole
    extra = 0


@admin.register(models.Tournament)
class TournamentAdmin(admin.ModelAdmin):
    list_display = ("slug", "starts_on", "state", "public", "rehearsal_of")
    list_filter = ("state", "public")
    search_fields = ("slug",)
    inlines = [StaffInline]

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False  # an event has facts; a rehearsal is thrown away on its own page


@admin.register(models.Player)
class PlayerAdmin(admin.ModelAdmin):
    list_display = ("surname", "given_name", "birth_year", "club", "fide_id", "national_id")
    search_fields = ("surname", "given_name", "fide_id", "national_id")


@admin.register(models.Entry)
class EntryAdmin(ReadOnlyAdmin):
    list_display = ("player", "section", "state", "start_number", "rating")
    list_filter = ("state",)
    list_select_related = ("player", "section__tournament")
    search_fields = ("player__surname",)


@admin.register(models.Section)
class SectionAdmin(ReadOnlyAdmin):
    list_display = ("code", "tournament", "capacity", "entries_closed_at")
    list_select_related = ("tournament",)


@admin.register(models.Stage)
class StageAdmin(ReadOnlyAdmin):
    list_display = ("section", "kind", "state", "rounds_total", "version")
    list_select_related = ("section__tournament",)


@admin.register(models.Game)
class GameAdmin(ReadOnlyAdmin):
    list_display = ("stage", "round_number", "match_key", "game_number", "white", "black", "outcome")
    list_select_related = ("stage__section__tournament", "white__player", "black__player")


@admin.register(models.ResultRecord)
class ResultRecordAdmin(ReadOnlyAdmin):
    list_display = ("game_id", "outcome", "entered_by", "at", "reason")
    list_select_related = ("entered_by",)


@admin.register(models.Regulation)
class RegulationAdmin(ReadOnlyAdmin):
    list_display = ("tournament", "number", "author", "published_at", "reason")
    list_select_related = ("tournament", "author")


@admin.register(models.Lot)
class LotAdmin(ReadOnlyAdmin):
    list_display = ("tournament", "number", "purpose", "subject", "committed_at")
    list_select_related = ("tournament",)
    exclude = ("secret",)  # a secret seen before the draw would spoil it


@admin.register(models.ActionLog)
class ActionLogAdmin(ReadOnlyAdmin):
    list_display = ("at", "tournament", "actor", "action", "reason")
    list_select_related = ("tournament", "actor")
    list_filter = ("action",)


@admin.register(models.Job)
class JobAdmin(ReadOnlyAdmin):
    list_display = ("name", "state", "attempts", "created_at", "finished_at")
    list_filter = ("state",)
