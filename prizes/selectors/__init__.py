"""Reading places, awards, draws and the fund: constant numbers of queries, engine values where an engine wants them."""
