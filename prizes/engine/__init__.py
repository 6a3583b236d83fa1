"""Placings, tie-breaks, play-offs, prizes and lotteries as functions of values."""
