"""The brackets app: what it adds to the core's pages is registered when Django starts."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy


class BracketsConfig(AppConfig):
    name = "brackets"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from brackets import checks  # noqa: F401, PLC0415 -- registers system checks
        from brackets.labels import MESSAGES  # noqa: PLC0415 -- needs the app registry
        from brackets.panels import register  # noqa: PLC0415 -- needs the app registry
        from brackets.selectors import has_boards  # noqa: PLC0415 -- needs the app registry
        from brackets.tablet_tasks import waiting_tasks  # noqa: PLC0415 -- needs the app registry
        from tourney import panels  # noqa: PLC0415 -- needs the app registry
        from tourney.devices import register_page  # noqa: PLC0415 -- needs the app registry
        from tourney.labels import register_messages  # noqa: PLC0415 -- needs the app registry

        panels.register("now", waiting_tasks)
        register_page("tablet_matches", gettext_lazy("Matches"), has_boards)
        register_messages(MESSAGES)
        register()
