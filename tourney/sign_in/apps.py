"""Signing in as an app of its own: two tables, and what follows when a second factor comes or goes."""

from django.apps import AppConfig


class SignInConfig(AppConfig):
    name = "tourney.sign_in"
    label = "sign_in"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        import tourney.sign_in.signals  # noqa: F401, PLC0415 -- needs the app registry
        from tourney.labels import register_messages  # noqa: PLC0415
        from tourney.sign_in.labels import MESSAGES  # noqa: PLC0415

        register_messages(MESSAGES)
