"""The payment reference an entrant writes into a transfer: five characters and a check character.

Every character looks the same, or is unmistakable, in Latin and in Cyrillic: what a Cyrillic keyboard gives for A, C,
E, H, K, M, P, T, X, Y is folded to the Latin letter, and what people confuse (B and 8, S and 5, Z and 2, the Cyrillic З
and 3) is folded to the digit. The check character follows ISO 7064 MOD 27,26: every single wrong one is noticed.
A reference is no secret and opens nothing.
"""

from __future__ import annotations

import re
import unicodedata

from tourney.kernel.errors import TourneyError

ALPHABET = "23456789ACEFGHJKLMNPQRTWXY"
LENGTH = 6
SPACE = len(ALPHABET) ** (LENGTH - 1)  # how many different references there are

_FOLDED = str.maketrans(
    "АСЕНКМРТХУЈԚԜΑΕΗΚΜΡΤΧΥ" + "ВB" + "SЅ" + "Z" + "ЗӠ" + "Ч" + "Б",
    "ACEHKMPTXYJQWAEHKMPTXY" + "88" + "55" + "2" + "33" + "4" + "6",
)
_TOKEN = re.compile(r"[^\W_]+")


def fold(text: str) -> str:
    """Return a text in the reference's own letters: upper case, look-alikes of both scripts made one."""
    return unicodedata.normalize("NFKC", text).upper().translate(_FOLDED)


def check_character(body: str) -> str:
    """Return the check character of five characters (ISO 7064 MOD 27,26)."""
    size = len(ALPHABET)
    product = size
    for character in body:
        product = _step(product, ALPHABET.index(character))
    return ALPHABET[(size + 1 - product) % size]


def _step(product: int, value: int) -> int:
    size = len(ALPHABET)
    return ((product + value) % size or size) * 2 % (size + 1)


def compose(number: int) -> str:
    """Return the reference of a number from 0 to SPACE - 1; the caller draws the number at random.

    Raises TourneyError ``reference.out_of_range``.
    """
    if not 0 <= number < SPACE:
        raise TourneyError("reference.out_of_range", number=number)
    characters: list[str] = []
    for _ in range(LENGTH - 1):
        number, digit = divmod(number, len(ALPHABET))
        characters.append(ALPHABET[digit])
    body = "".join(reversed(characters))
    return body + check_character(body)


def is_valid(reference: str) -> bool:
    """Say whether a text, after folding, is a reference with the right check character."""
    folded = fold(reference)
    known = len(folded) == LENGTH and all(character in ALPHABET for character in folded)
    return known and check_character(folded[:-1]) == folded[-1]


def find(text: str) -> tuple[str, ...]:
    """Return the references in a payment's purpose, in order, each once: whole words only, in canonical letters."""
    found: list[str] = []
    for token in _TOKEN.findall(text):
        folded = fold(token)
        if is_valid(folded) and folded not in found:
            found.append(folded)
    return tuple(found)
