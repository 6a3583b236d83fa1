"""System checks: every shipped preset must parse, and says the path of a bad key when it doesn't."""
