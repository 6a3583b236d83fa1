"""How passwords are hashed: Argon2id with the least OWASP recommends (Password Storage Cheat Sheet: 19 MiB, 2, 1).

Django's own setting takes six times the processor and 100 MiB a try, so that a handful of tries at a time would stop a
small server. Hashes made with it are known, and made anew when their owner signs in next.
"""

from __future__ import annotations

from django.contrib.auth.hashers import Argon2PasswordHasher


class Argon2Hasher(Argon2PasswordHasher):
    """Argon2id: 19 MiB, two passes, one lane."""

    memory_cost = 19_456
    time_cost = 2
    parallelism = 1
