"""Everything a laptop needs instead of a server room: a data folder, an embedded database, a file broker, processes.

Nothing here knows about chess, and nothing here is used in server mode.
"""
