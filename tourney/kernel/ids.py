"""Typed identifiers. Engines never see a model instance, only these."""

from typing import NewType

EntryId = NewType("EntryId", int)
StageId = NewType("StageId", int)
GameId = NewType("GameId", int)

# A match is named inside its bracket by a key such as "U1.3" or "P17u.2"; the key is stable for the bracket's life.
MatchKey = NewType("MatchKey", str)
