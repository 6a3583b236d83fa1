"""The regulation's own text, made from its data: numbered chapters and clauses in the reader's language.

Every sentence is one translatable template with values; nothing is written twice. A clause remembers the path of the
rule it tells, so that the editor can show a block's text, and the organizer's own clause number where there is one.
"""

from tourney.regulation_text.changes import Difference, differences
from tourney.regulation_text.text import CHAPTERS, block_items, regulation_text
from tourney.regulation_text.writer import Chapter, Item

__all__ = ["CHAPTERS", "Chapter", "Difference", "Item", "block_items", "differences", "regulation_text"]
