"""The arbiter's book: sanctions, appeals and the appeals committee, by the rules of `registration.engine`."""
