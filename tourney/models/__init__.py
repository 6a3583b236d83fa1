"""The core's tables: the event, its people, its games, its records."""

from tourney.models.archives import ArchiveFile, ArchivePiece
from tourney.models.devices import DeviceLink, ResultConflict, ResultOperation
from tourney.models.game_index import GameIndex, IndexedStage
from tourney.models.games import GameImport, GameImportPart, GamePlacing, NameToForget
from tourney.models.job import Job
from tourney.models.live import BoardFeed, Broadcast, LiveGame
from tourney.models.people import Entry, EntryEvent, Player
from tourney.models.play import (
    Appeal,
    CommitteeMember,
    Game,
    Placement,
    PlacementList,
    ResultRecord,
    Sanction,
    StandingRow,
)
from tourney.models.public import HallScreen, NewsItem, PrintedSheet
from tourney.models.records import ActionLog, BentRule, Lot, LotResult
from tourney.models.sections import Category, Section, Stage
from tourney.models.tournament import Regulation, RegulationDraft, StaffRole, Tournament

__all__ = [
    "ActionLog",
    "Appeal",
    "ArchiveFile",
    "ArchivePiece",
    "BentRule",
    "BoardFeed",
    "Broadcast",
    "Category",
    "CommitteeMember",
    "DeviceLink",
    "Entry",
    "EntryEvent",
    "Game",
    "GameImport",
    "GameImportPart",
    "GameIndex",
    "GamePlacing",
    "HallScreen",
    "IndexedStage",
    "Job",
    "LiveGame",
    "Lot",
    "LotResult",
    "NameToForget",
    "NewsItem",
    "Placement",
    "PlacementList",
    "Player",
    "PrintedSheet",
    "Regulation",
    "RegulationDraft",
    "ResultConflict",
    "ResultOperation",
    "ResultRecord",
    "Sanction",
    "Section",
    "StaffRole",
    "Stage",
    "StandingRow",
    "Tournament",
]
