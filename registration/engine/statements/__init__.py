"""Bank statements: a file's bytes → movements of money, and movements → whose payment each of them is.

`read` understands the 1C exchange and the tables of PrivatBank, monobank and iBank 2 UA; `match` says which payments
are sure, which wait for a person, and why.
"""

from registration.engine.statements.matching import Candidate, Decision, Suggestion, match
from registration.engine.statements.movements import Fault, Movement, Statement, keys_of
from registration.engine.statements.reading import read

__all__ = ["Candidate", "Decision", "Fault", "Movement", "Statement", "Suggestion", "keys_of", "match", "read"]
