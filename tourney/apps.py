"""The core app. Loads the Celery application, so that a web process knows every task by name."""

from django.apps import AppConfig


class TourneyConfig(AppConfig):
    name = "tourney"
    label = "tourney"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from tourney import checks, panels_core, uploads  # noqa: F401, PLC0415 -- registers checks; needs the registry
        from tourney.celery import app  # noqa: PLC0415 -- needs settings

        panels_core.register()
        uploads.register()
        app.autodiscover_tasks(force=True)
