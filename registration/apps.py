"""The registration app: what it adds to the core's pages is registered when Django starts."""

from django.apps import AppConfig


class RegistrationConfig(AppConfig):
    name = "registration"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from registration import checks  # noqa: F401, PLC0415 -- registers system checks
        from registration.labels import MESSAGES  # noqa: PLC0415 -- needs the app registry
        from registration.panels import register  # noqa: PLC0415 -- needs the app registry
        from tourney.labels import register_messages  # noqa: PLC0415 -- needs the app registry

        register_messages(MESSAGES)
        register()
