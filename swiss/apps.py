"""The swiss app: what it adds to the core's pages is registered when Django starts."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy


class SwissConfig(AppConfig):
    name = "swiss"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from swiss import checks  # noqa: F401, PLC0415 -- registers system checks
        from swiss.arbiter_report import arbiter_panel  # noqa: PLC0415 -- needs the app registry
        from swiss.book_words import CONSEQUENCES  # noqa: PLC0415 -- needs the app registry
        from swiss.labels import MESSAGES  # noqa: PLC0415 -- needs the app registry
        from swiss.panels import register  # noqa: PLC0415 -- needs the app registry
        from swiss.selectors import has_boards  # noqa: PLC0415 -- needs the app registry
        from swiss.services.numbering import number_table  # noqa: PLC0415 -- needs the app registry
        from tourney import panels  # noqa: PLC0415 -- needs the app registry
        from tourney.devices import register_page  # noqa: PLC0415 -- needs the app registry
        from tourney.labels import register_messages  # noqa: PLC0415 -- needs the app registry
        from tourney.services.stages import register_numbering  # noqa: PLC0415 -- needs the app registry
        from tourney.views.asking import register_consequences  # noqa: PLC0415 -- needs the app registry

        panels.register("report", arbiter_panel)
        register_page("tablet", gettext_lazy("Rounds"), has_boards)
        register_messages(MESSAGES)
        register_consequences(CONSEQUENCES)
        register_numbering("round_robin", number_table)
        register()
