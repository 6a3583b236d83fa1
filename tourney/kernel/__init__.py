"""The pure vocabulary every engine shares.

Nothing here knows a database, a clock, a language or a framework. Engines import this package and the standard
library, nothing else.
"""
