"""System checks: a shipped preset with a bad block of this app fails `manage.py check` with its path."""
