"""The data folder of laptop mode: where everything that must survive a restart is kept.

One folder, so that a backup is a copy of it (while the program is stopped) and a fresh start is its removal.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class DataFolder:
    """The layout of a data folder. Making one touches no disk; files appear when they are needed."""

    root: Path

    def make(self) -> None:
        """Make the folder itself, closed to other users: letters and logs name people."""
        self.root.mkdir(mode=0o700, parents=True, exist_ok=True)

    @property
    def postgres(self) -> Path:
        return self.root / "postgres"

    @property
    def static(self) -> Path:
        return self.root / "static"

    @property
    def cache(self) -> Path:
        return self.root / "cache"

    @property
    def mail(self) -> Path:
        return self.root / "mail"

    @property
    def messages(self) -> Path:
        return self.root / "messages"

    @property
    def boards(self) -> Path:
        """Where electronic boards write their games (see `tourney.feeds`)."""
        return self.root / "boards"

    @property
    def authority(self) -> Path:
        """The certificate authority of the hall's network (see `tourney.laptop.authority`)."""
        return self.root / "authority"

    @property
    def backups(self) -> Path:
        """Where backups go unless another folder is named."""
        return self.root / "backups"

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    @property
    def running(self) -> Path:
        """Who runs on this folder now: written by `serve`, read by the next start."""
        return self.root / "running.json"

    @property
    def demo_logins(self) -> Path:
        """Lines about the demo accounts, written by the `demo` command and shown at every start."""
        return self.root / "demo-logins.txt"

    @property
    def socket_folder(self) -> Path:
        """Where the database's socket lies: a short name without blanks that belongs to this folder alone.

        A socket's name may have about 100 bytes and a checkout's path may be longer, so it never lies in the data
        folder. It depends on nothing but that path: every process of this folder must find the same one.
        """
        mark = hashlib.sha256(os.fsencode(self.root)).hexdigest()[:12]
        return Path("/tmp") / f"tourney-{mark}"  # noqa: S108 -- made with mode 0700, refused when it is another user's

    def database_settings(self) -> dict[str, Any]:
        """Return Django's settings for the embedded database, which listens on a socket only."""
        return {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": "tourney",
            "USER": "postgres",
            "HOST": str(self.socket_folder),
            "PORT": "5432",
        }

    def broker_options(self) -> dict[str, Any]:
        """Return the options of the file broker (see `tourney.laptop.broker`)."""
        return {
            "data_folder_in": str(self.messages / "queue"),
            "data_folder_out": str(self.messages / "queue"),
            "control_folder": str(self.messages / "control"),
            "processed_folder": str(self.messages / "taken"),
            "store_processed": True,
        }

    def secret_key(self) -> str:
        """Return the key that signs links and sessions, made at the first call, readable by its owner only.

        Two processes may start at once: the file is written whole under another name and linked into place, so both
        read the same key.
        """
        path = self.root / "secret-key"
        if not path.exists():
            self.make()
            fresh = path.with_name(f".secret-key-{secrets.token_hex(8)}")
            descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w", encoding="ascii") as file:
                file.write(secrets.token_urlsafe(64))
            with contextlib.suppress(FileExistsError):
                os.link(fresh, path)
            fresh.unlink()
        return path.read_text(encoding="ascii").strip()
