"""Scores as whole half-points: a win is 2, a draw 1. No float comes near a score."""

from typing import NewType

Points = NewType("Points", int)

ZERO = Points(0)
HALF = Points(1)
ONE = Points(2)


def add(*points: Points) -> Points:
    """Return the sum of scores."""
    return Points(sum(points))


def format_points(points: int) -> str:
    """Return a score as people write it: ``6½``, ``½``, ``0``; negative values get a minus sign."""
    sign = "−" if points < 0 else ""
    whole, half = divmod(abs(points), 2)
    if not half:
        return f"{sign}{whole}"
    return f"{sign}{whole or ''}½"


def parse_points(text: str) -> Points:
    """Return the score written as ``6.5``, ``6,5``, ``6½``, ``½`` or ``6``.

    Raises ValueError when the text is no multiple of half a point.
    """
    cleaned = text.strip().replace(",", ".").replace("½", ".5")
    whole, _, fraction = cleaned.partition(".")
    if fraction.rstrip("0") not in ("", "5") or not (whole or "0").lstrip("+-").isdigit():
        raise ValueError(f"not a multiple of half a point: {text!r}")
    value = 2 * abs(int(whole or "0")) + (1 if fraction.rstrip("0") == "5" else 0)
    return Points(-value if whole.startswith("-") else value)
