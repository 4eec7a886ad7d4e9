"""A real PostgreSQL server for tests: in a folder of its own, on a socket of its own, by an unprivileged user."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path

PLACES = ("/usr/lib/postgresql/*/bin", "/usr/local/pgsql/bin")
USER = "nobody"
DEADLINE_S = 60


def program(name: str) -> str | None:
    """Where a program of the server is: on the path, or where Debian puts it."""
    found = shutil.which(name)
    if found is None:
        root = Path("/")
        places = [path for place in PLACES for path in sorted(root.glob(f"{place[1:]}/{name}"), reverse=True)]
        found = str(places[0]) if places else None
    return found


class Server:
    """A server that runs until ``close``.

    Args:
        fsync: whether it syncs to the disk. Without it a process that dies loses nothing, a machine would.
    """

    def __init__(self, *, fsync: bool = False) -> None:
        self._fsync = "on" if fsync else "off"
        self._folder = Path(tempfile.mkdtemp(prefix="pg", dir="/tmp"))  # a socket's path is short
        self._data = self._folder / "data"
        if os.getuid() == 0:
            user = pwd.getpwnam(USER)
            os.chown(self._folder, user.pw_uid, user.pw_gid)
        self._run(
            "initdb",
            "-D",
            str(self._data),
            "-A",
            "trust",
            "-U",
            "club",
            "-E",
            "UTF8",
            "--no-sync",
            "--locale=C",
        )
        self.start()

    def start(self) -> None:
        """Start it; also after ``kill``."""
        options = f"-c fsync={self._fsync} -c listen_addresses='' -c unix_socket_directories={self._folder} -c max_connections=20"
        log = self._folder / "log"
        self._run("pg_ctl", "-D", str(self._data), "-l", str(log), "-o", options, "-w", "-t", "30", "start")

    def kill(self) -> None:
        """It is gone from one moment to the next, as after a power cut."""
        self._run("pg_ctl", "-D", str(self._data), "-m", "immediate", "-w", "-t", "30", "stop")

    def close(self) -> None:
        """Stop it and leave nothing behind."""
        self.kill()
        shutil.rmtree(self._folder)

    def database(self, name: str) -> str:
        """A new empty database's address."""
        self._run(
            "psql", "-h", str(self._folder), "-U", "club", "-q", "-c", f"CREATE DATABASE {name}", "postgres"
        )
        return f"postgresql://club@/{name}?host={self._folder}"

    @property
    def data(self) -> Path:
        """The folder of its files."""
        return self._data

    def _run(self, name: str, *arguments: str) -> None:
        command = [program(name) or name, *arguments]
        if os.getuid() == 0:
            command = ["setpriv", f"--reuid={USER}", "--regid=nogroup", "--clear-groups", *command]
        done = subprocess.run(
            command,
            check=False,
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=DEADLINE_S,
            env={"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LC_ALL": "C"},
        )
        if done.returncode:
            raise RuntimeError(f"{name}: {done.stderr.decode(errors='replace')}")
