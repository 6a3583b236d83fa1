"""What this app adds to core pages (see `tourney.panels`)."""


def register() -> None:
    """Add this app's providers."""
