#!/usr/bin/env python
"""Django's command line. In laptop mode a command that needs the database finds it running, or starts it meanwhile."""

import os
import sys


def main() -> None:
    """Run the command in `sys.argv`."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tourney.settings")
    from django.core.management import execute_from_command_line  # noqa: PLC0415 -- settings must be named first

    from tourney.laptop.command import database_for  # noqa: PLC0415 -- the same

    with database_for(sys.argv[1:]):
        execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
