"""Stages played in numbered rounds: the Swiss system and the round robin, as pure functions of values.

`pair_round` answers with a `RoundPlan`; everything it needs is in its arguments. Nothing here knows Django.
"""
