"""Signing in as an app of its own: two tables, and the signal after which a browser is known."""

from django.apps import AppConfig


class SignInConfig(AppConfig):
    name = "tourney.sign_in"
    label = "sign_in"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from tourney.labels import register_messages  # noqa: PLC0415 -- needs the app registry
        from tourney.sign_in.labels import MESSAGES  # noqa: PLC0415

        register_messages(MESSAGES)
