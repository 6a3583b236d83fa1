"""Matchings in general graphs: a vertex is a player, an edge a pair that may meet."""

from swiss.engine.matching.largest import largest_matching
from swiss.engine.matching.weighted import best_perfect_matching

__all__ = ["best_perfect_matching", "largest_matching"]
