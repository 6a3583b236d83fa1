"""System checks: every shipped preset must be fit to be published, and says the path of a bad key when it isn't.

The readers of all apps are registered by the time checks run, so one check covers all blocks.
"""

from __future__ import annotations

import tomllib
from typing import Any

from django.core import checks

from tourney import presets, regulation_blocks
from tourney.labels import register_messages, sentence
from tourney.regulation_checks import check_spec, errors_of
from tourney.regulation_labels import MESSAGES

regulation_blocks.register()
register_messages(MESSAGES)


@checks.register("regulations")
def check_presets(app_configs: Any, **kwargs: Any) -> list[checks.CheckMessage]:
    """Return one message for every error in a shipped preset, with the file and the path of the key."""
    found: list[checks.CheckMessage] = []
    for code in presets.ORDER:
        name = f"{code}.toml"
        try:
            data = presets.preset(code)
        except (KeyError, OSError, tomllib.TOMLDecodeError) as wrong:
            found.append(checks.Error(f"{name}: {wrong}", id="tourney.E001"))
            continue
        found += [
            checks.Error(
                f"{name}: {problem.path}: {sentence(problem.as_error())}",
                id="tourney.E002",
            )
            for problem in errors_of(check_spec(data))
        ]
    return found
