"""Tournament report files (TRF16, TRFx, TRF26): `parse` reads the bytes of a file, `dump` writes a value back.

The layout follows the annexes of the FIDE handbook (columns counted from 1); the extensions of other pairing programs
(XXR, XXC, XXA, XXP, XXZ, XXS, BBx) are read as well.
"""

from tourney.kernel.trf.reading import parse
from tourney.kernel.trf.values import ForbiddenGroup, NationalData, Trf, TrfCell, TrfPlayer, TrfRemark
from tourney.kernel.trf.writing import dump, virtual_runs

__all__ = [
    "ForbiddenGroup",
    "NationalData",
    "Trf",
    "TrfCell",
    "TrfPlayer",
    "TrfRemark",
    "dump",
    "parse",
    "virtual_runs",
]
