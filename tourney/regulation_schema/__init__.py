"""What every rule of a regulation is called and which values it takes: for forms, for differences, for error paths.

The engines decide what is right; this only describes the same data for people. A test holds the two together: every
key of every shipped preset is described here, and every option offered is one the engines know.
"""

from tourney.regulation_schema.blocks import BLOCK_TITLES, EDITABLE, block_schema
from tourney.regulation_schema.paths import item_label, path_label, path_labels, value_words

__all__ = ["BLOCK_TITLES", "EDITABLE", "block_schema", "item_label", "path_label", "path_labels", "value_words"]
