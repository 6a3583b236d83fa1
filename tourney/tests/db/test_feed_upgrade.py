"""Feeds of the release before, whose folders were named from the root of the installation."""

from __future__ import annotations

from importlib import import_module

import pytest
from django.apps import apps
from django.utils import translation

from tourney.kernel.errors import TourneyError
from tourney.labels import sentence
from tourney.models import BoardFeed
from tourney.testing import builders


@pytest.mark.django_db
def test_folders_named_from_the_root_are_switched_off_and_say_why() -> None:
    event = builders.event("open-swiss")
    folder = BoardFeed.objects.create(tournament=event, kind="folder", place=".")
    address = BoardFeed.objects.create(tournament=event, kind="address", place="https://boards.example/games.pgn")

    import_module("tourney.migrations.0020_folders_of_boards_are_the_events").switch_off(apps, None)

    folder.refresh_from_db()
    address.refresh_from_db()
    assert (folder.active, folder.error) == (False, "feed.folder_moved")
    with translation.override("en"):
        assert "folder of its own" in sentence(TourneyError(folder.error, **folder.error_values))
    assert (address.active, address.error) == (True, "")
